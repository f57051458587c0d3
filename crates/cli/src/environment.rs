//! What the environment says, read once: below the command line nobody reads it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};

use anyhow::Context;
use gainsay_engine::solver::cache::Cache;
use gainsay_engine::solver::install::fetch::Fetcher;
use gainsay_engine::solver::install::pip::{PipSettings, Variables};
use gainsay_engine::solver::process::HelperProgram;
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::solver::resolve::Places;
use gainsay_engine::solver::runner::Setting;
use gainsay_engine::solver::sandbox::{MissingKernelSupport, Sandbox};
use gainsay_engine::solver::version::Version;

use crate::console;

/// Whose processes are confined, as flags of every command that runs solvers.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[command(next_help_heading = "Sandbox")]
pub struct SandboxArgs {
    /// Run solvers in the working folder and let them read and write whatever you can; for debugging a solver.
    #[arg(long, conflicts_with = "sandbox")]
    no_sandbox: bool,
    /// Confine commands of your own (`generic=COMMAND`, `reduce -- COMMAND`) like solvers.
    #[arg(long)]
    sandbox: bool,
}

impl SandboxArgs {
    fn sandbox(self) -> Sandbox {
        match self {
            SandboxArgs { no_sandbox: true, .. } => Sandbox::Off,
            SandboxArgs { sandbox: true, .. } => Sandbox::All,
            _ => Sandbox::default(),
        }
    }
}

/// The environment of this process, and what follows from it.
pub struct Environment {
    /// All variables that are text.
    pub variables: Variables,
    /// Known solvers, those of the user included.
    pub profiles: Profiles,
    /// Installed solvers.
    pub cache: Cache,
    /// The folders of PATH.
    pub path: Vec<PathBuf>,
    /// The releases that `NAME@latest` was found to stand for, by name.
    pub latest: Mutex<BTreeMap<String, Version>>,
    fetcher: Mutex<Option<Arc<Fetcher>>>,
    sandbox: Sandbox,
    shortfall_told: Once,
}

impl Environment {
    /// Reads the variables, and the profiles of the user (`solvers/*.toml` in gainsay's configuration folder).
    pub fn read() -> anyhow::Result<Self> {
        let variables: Variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let mut profiles = Profiles::built_in();
        if let Some(folder) = configuration(&variables) {
            profiles.add_folder(&folder.join("solvers"))?;
        }
        let cache =
            Cache::of_user(&variables).context("no folder to keep solvers in: set HOME or GAINSAY_CACHE")?;
        let path =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let (latest, fetcher) = Default::default();
        let (sandbox, shortfall_told) = (Sandbox::default(), Once::new());
        Ok(Environment { variables, profiles, cache, path, latest, fetcher, sandbox, shortfall_told })
    }

    /// The same, with solvers confined as the flags of a command say.
    #[must_use]
    pub fn with_sandbox(self, args: SandboxArgs) -> Self {
        Environment { sandbox: args.sandbox(), ..self }
    }

    /// How solvers are started: by helpers inside this very program, with scripts in memory where there is room. Says once what
    /// the kernel cannot do to confine them.
    pub fn setting(&self) -> anyhow::Result<Setting> {
        let program = std::env::current_exe().context("cannot find the program of gainsay itself")?;
        let memory = PathBuf::from("/dev/shm");
        let scratch = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let scratch = std::path::absolute(&scratch).unwrap_or(scratch);
        let arguments = vec![crate::command::driver::DRIVER_ARGUMENT.into()];
        let host = HelperProgram { program, arguments, scratch, sandbox: self.sandbox };
        if self.sandbox != Sandbox::Off {
            self.shortfall_told.call_once(tell_shortfall);
        }
        Ok(Setting { host, variables: self.variables.clone() })
    }

    /// The one fetcher of this process: it asks for no page of the package index twice.
    pub fn fetcher(&self) -> anyhow::Result<Arc<Fetcher>> {
        let mut slot = self.fetcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fetcher) = &*slot {
            return Ok(Arc::clone(fetcher));
        }
        let fetcher = Arc::new(Fetcher::new(PipSettings::read(&self.variables)?)?);
        *slot = Some(Arc::clone(&fetcher));
        Ok(fetcher)
    }

    /// The folder for records that a user did not choose a place for: `gainsay` in the folder for state (the XDG Base Directory
    /// Specification); `None` if the user has no home.
    pub fn state(&self) -> Option<PathBuf> {
        let path = |name: &str| self.variables.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let shared = path("XDG_STATE_HOME").or_else(|| Some(path("HOME")?.join(".local/state")));
        Some(shared?.join("gainsay"))
    }

    /// Where solvers are looked for.
    pub fn places(&self) -> Places<'_> {
        Places { profiles: &self.profiles, cache: &self.cache, path: &self.path }
    }
}

/// Says what the kernel cannot do to confine solvers, if anything.
fn tell_shortfall() {
    if let Some(shortfall) = MissingKernelSupport::of_kernel() {
        console::err(format_args!("gainsay: warning: {shortfall}; --no-sandbox silences this"));
    }
}

/// The folder of the user's configuration of gainsay: `GAINSAY_CONFIG`, else `gainsay` in the folder for such.
fn configuration(variables: &Variables) -> Option<PathBuf> {
    let path = |name: &str| variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let shared = || path("XDG_CONFIG_HOME").or_else(|| Some(path("HOME")?.join(".config")));
    path("GAINSAY_CONFIG").or_else(|| Some(shared()?.join("gainsay")))
}
