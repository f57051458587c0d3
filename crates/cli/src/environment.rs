//! Environment variables and the settings derived from them. No other module reads the environment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};

use anyhow::Context;
use gainsay_engine::solver::cache::Cache;
use gainsay_engine::solver::install::fetch::Fetcher;
use gainsay_engine::solver::install::pip::{PipSettings, Variables};
use gainsay_engine::solver::process::{HelperProgram, sweep_private_folders};
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::solver::resolve::Places;
use gainsay_engine::solver::runner::Launcher;
use gainsay_engine::solver::sandbox::{MissingKernelSupport, Sandbox};
use gainsay_engine::solver::version::Version;

use crate::console;
use crate::exit::UsageError;

/// The heading of the sandbox flags in the help. Each flag names it: `next_help_heading` would hold for all later flags of a command.
const SANDBOX_HEADING: &str = "Sandbox";

/// The sandbox flags of every command that runs solvers.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct SandboxArgs {
    /// Run solvers without a sandbox: in the working folder, with your file permissions; for debugging a solver.
    #[arg(long, conflicts_with = "sandbox", help_heading = SANDBOX_HEADING)]
    no_sandbox: bool,
    /// Sandbox your own commands, too (`generic=COMMAND`, `reduce -- COMMAND`).
    #[arg(long, help_heading = SANDBOX_HEADING)]
    sandbox: bool,
}

impl SandboxArgs {
    /// Returns true if solvers run without a sandbox.
    pub fn is_off(self) -> bool {
        self.no_sandbox
    }

    /// Returns true if the user's own commands run in the sandbox, too.
    pub fn is_everywhere(self) -> bool {
        self.sandbox
    }

    fn sandbox(self) -> Sandbox {
        match self {
            SandboxArgs { no_sandbox: true, .. } => Sandbox::Off,
            SandboxArgs { sandbox: true, .. } => Sandbox::All,
            _ => Sandbox::default(),
        }
    }
}

/// The environment of this process and the settings derived from it.
pub struct Environment {
    /// All variables that are valid Unicode.
    pub variables: Variables,
    /// Known solvers, those of the user included.
    pub profiles: Profiles,
    /// Installed solvers.
    pub cache: Cache,
    /// The folders of PATH.
    pub path: Vec<PathBuf>,
    /// The releases that `NAME@latest` resolved to, by name.
    pub latest: Mutex<BTreeMap<String, Version>>,
    fetcher: Mutex<Option<Arc<Fetcher>>>,
    sandbox: Sandbox,
    shortfall_told: Once,
    /// Whether solvers may be downloaded unencrypted from other machines.
    allow_insecure: bool,
}

impl Environment {
    /// Reads the variables, and the profiles of the user (`solvers/*.toml` in gainsay's configuration folder).
    pub fn read() -> anyhow::Result<Self> {
        let variables: Variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let mut profiles = Profiles::built_in();
        if let Some(folder) = configuration(&variables) {
            console::detail(format_args!("your profiles are read from {}", folder.join("solvers").display()));
            profiles.add_folder(&folder.join("solvers"));
        }
        for error in profiles.broken() {
            console::err(format_args!("gainsay: warning: profile ignored: {error}"));
        }
        let cache = Cache::of_user(&variables).map_err(|error| UsageError(error.to_string()))?;
        console::detail(format_args!("solvers are installed in {}", cache.folder().display()));
        let path =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let (latest, fetcher) = Default::default();
        let (sandbox, shortfall_told) = (Sandbox::default(), Once::new());
        let allow_insecure = false;
        Ok(Environment {
            variables,
            profiles,
            cache,
            path,
            latest,
            fetcher,
            sandbox,
            shortfall_told,
            allow_insecure,
        })
    }

    /// The same environment, in which solvers may be downloaded unencrypted from other machines.
    #[must_use]
    pub fn with_insecure_downloads(self) -> Self {
        Environment { allow_insecure: true, ..self }
    }

    /// The same environment with the sandbox that the flags choose.
    #[must_use]
    pub fn with_sandbox(self, args: SandboxArgs) -> Self {
        Environment { sandbox: args.sandbox(), ..self }
    }

    /// Returns how to start solvers: by helper processes of this program, with scripts in memory if possible. Warns once if
    /// the kernel cannot sandbox them.
    pub fn launcher(&self) -> anyhow::Result<Launcher> {
        let program = std::env::current_exe().context("cannot find gainsay's own executable")?;
        let memory = PathBuf::from("/dev/shm");
        let scratch = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let scratch = std::path::absolute(&scratch).unwrap_or(scratch);
        let arguments = vec![crate::command::driver::DRIVER_ARGUMENT.into()];
        sweep_private_folders(&scratch);
        let host = HelperProgram { program, arguments, scratch, sandbox: self.sandbox };
        if self.sandbox != Sandbox::Off {
            self.shortfall_told.call_once(tell_shortfall);
        }
        Ok(Launcher { host, variables: self.variables.clone() })
    }

    /// Returns the fetcher of this process, which requests each page of the package index once.
    pub fn fetcher(&self) -> anyhow::Result<Arc<Fetcher>> {
        let mut slot = self.fetcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fetcher) = &*slot {
            return Ok(Arc::clone(fetcher));
        }
        let settings =
            PipSettings { allow_insecure: self.allow_insecure, ..PipSettings::read(&self.variables)? };
        let fetcher = Arc::new(Fetcher::new(settings)?);
        *slot = Some(Arc::clone(&fetcher));
        Ok(fetcher)
    }

    /// Returns the default folder for records, `gainsay` in the XDG state folder; `None` if the user has no home.
    pub fn state(&self) -> Option<PathBuf> {
        let path = |name: &str| self.variables.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let shared = path("XDG_STATE_HOME").or_else(|| Some(path("HOME")?.join(".local/state")));
        Some(shared?.join("gainsay"))
    }

    /// Returns where to look for solvers.
    pub fn places(&self) -> Places<'_> {
        Places { profiles: &self.profiles, cache: &self.cache, path: &self.path }
    }
}

/// Returns true if the environment asks for no colours (<https://no-color.org>) or the terminal has none.
pub fn forbids_colours() -> bool {
    let is_set = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    is_set || std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Warns if the kernel cannot sandbox solvers.
fn tell_shortfall() {
    if let Some(shortfall) = MissingKernelSupport::of_kernel() {
        console::err(format_args!("gainsay: warning: {shortfall}; --no-sandbox silences this"));
    }
}

/// Returns the user's configuration folder: `GAINSAY_CONFIG`, else `gainsay` in the XDG configuration folder.
fn configuration(variables: &Variables) -> Option<PathBuf> {
    let path = |name: &str| variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let absolute = |name: &str| path(name).filter(|path| path.is_absolute());
    let shared = || absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    path("GAINSAY_CONFIG").or_else(|| Some(shared()?.join("gainsay")))
}
