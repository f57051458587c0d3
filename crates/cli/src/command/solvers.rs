//! `gainsay solvers install|list|check|remove`: manages installed solvers.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use gainsay_engine::solver::cache::Installed;
use gainsay_engine::solver::install::InstallPlan;
use gainsay_engine::solver::name::InstallRequest;
use gainsay_engine::solver::version::{Version, Versions};

use crate::console;
use crate::environment::{Environment, SandboxArgs};
use crate::exit;
use crate::json;
use crate::json::solvers::{
    AvailableReleases, InstallResult, InstalledSolver, RemoveResult, SolverList, SolverOnPath,
};
use crate::progress::InstallProgress;
use crate::solver_lookup::installer;

const INSTALL_EXAMPLES: &str = "Examples:
  gainsay solvers install z3 cvc5              the newest release of each
  gainsay solvers install z3@4.8.10 yices@2.6.5
  gainsay solvers install z3@4.8.8..4.8.17     all releases in a range
  gainsay solvers install z3 --allow-insecure  from an http:// index on another machine

z3, cvc5 and yices can be installed. They are stored in GAINSAY_CACHE, else in the user's cache folder. gainsay uses the
package index, proxies and certificates of pip: PIP_INDEX_URL, pip.conf and so on.";
const LIST_EXAMPLES: &str = "Examples:
  gainsay solvers list
  gainsay solvers list --available z3          installable releases";
const CHECK_EXAMPLES: &str = "Examples:
  gainsay solvers check                        every installed solver
  gainsay solvers check z3@4.8.10 z3=./build/z3";
const REMOVE_EXAMPLES: &str = "Examples:
  gainsay solvers remove z3@4.8.10 z3@4.8.11..4.8.17
  gainsay solvers remove cvc5                  all its releases";

/// Arguments of `gainsay solvers`.
#[derive(Debug, Args)]
pub struct SolversArgs {
    #[command(subcommand)]
    action: SolversCommand,
    /// Print one JSON object as the last line.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum SolversCommand {
    /// Install versions from the package index that pip is configured for.
    #[command(after_help = INSTALL_EXAMPLES)]
    Install {
        /// NAME@VERSION, NAME@FIRST..LAST, NAME@latest or NAME.
        #[arg(required = true, value_name = "NAME@VERSION")]
        solvers: Vec<String>,
        /// Download from unencrypted addresses of other machines, too (checksums are still compared).
        #[arg(long)]
        allow_insecure: bool,
    },
    /// List installed solvers and those on PATH.
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// List the versions of this solver that can be installed instead.
        #[arg(long, value_name = "NAME")]
        available: Option<String>,
    },
    /// Test every driver of installed solvers: answers, models, errors, limits, version.
    #[command(after_help = CHECK_EXAMPLES)]
    Check {
        /// Test only these: NAME@VERSION, NAME (on PATH) or NAME=COMMAND.
        #[arg(value_name = "SOLVER")]
        solvers: Vec<String>,
        #[command(flatten)]
        sandbox: SandboxArgs,
    },
    /// Remove installed versions.
    #[command(after_help = REMOVE_EXAMPLES)]
    Remove {
        /// NAME@VERSION, NAME@FIRST..LAST, or NAME for all of its versions.
        #[arg(required = true, value_name = "NAME@VERSION")]
        solvers: Vec<String>,
    },
}

/// Runs the command.
pub fn run(args: &SolversArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?;
    match &args.action {
        SolversCommand::Install { solvers, allow_insecure } => {
            let environment =
                if *allow_insecure { environment.with_insecure_downloads() } else { environment };
            install(&environment, solvers, args.json)
        }
        SolversCommand::List { available: Some(name) } => list_available(&environment, name, args.json),
        SolversCommand::List { available: None } => {
            list(&environment, args.json);
            Ok(ExitCode::SUCCESS)
        }
        SolversCommand::Check { solvers, sandbox } => {
            super::selftest::run(&environment.with_sandbox(*sandbox), solvers, args.json)
        }
        SolversCommand::Remove { solvers } => remove(&environment, solvers, args.json),
    }
}

/// Installs solvers; prints each failure and continues. The highest exit code counts.
fn install(environment: &Environment, solvers: &[String], json: bool) -> anyhow::Result<ExitCode> {
    let requests: Vec<InstallRequest> = solvers.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let installer = installer(environment)?;
    let (mut done, mut failures) = (Vec::new(), Failures::default());
    for request in &requests {
        let plans = installer.plan(request).unwrap_or_else(|error| {
            failures.add(&error.into());
            Vec::new()
        });
        for plan in plans {
            let fresh = matches!(plan, InstallPlan::Fetch(..));
            let mut bar = InstallProgress::new(&plan);
            match installer.install(plan, &mut |progress| bar.show(progress)) {
                Ok(installed) => {
                    bar.finish();
                    print_unless_json(
                        json,
                        &format!(
                            "{} {}",
                            installed.name(),
                            if fresh { "installed" } else { "is already installed" }
                        ),
                    );
                    done.push(describe(&installed));
                }
                Err(error) => failures.add(&error.into()),
            }
        }
    }
    if json {
        json::print(&InstallResult { installed: done, errors: &failures.lines });
    }
    Ok(failures.exit_code())
}

fn list(environment: &Environment, json: bool) {
    let installed = environment.cache.list();
    let places = environment.places();
    let on_path = environment
        .profiles
        .all()
        .filter_map(|profile| Some((profile, places.find_on_path(&profile.command[0])?)));
    let on_path: Vec<_> = on_path.collect();
    if json {
        let entries = on_path.iter();
        let path = entries
            .map(|(profile, path)| SolverOnPath { solver: profile.name.clone(), program: path.clone() })
            .collect();
        json::print(&SolverList { installed: installed.iter().map(describe).collect(), path });
        return;
    }
    for solver in &installed {
        console::out(format_args!(
            "{:<16} {:>6.1} MB  {}",
            solver.name(),
            megabytes(solver.size()),
            solver.folder.display()
        ));
    }
    for (profile, path) in &on_path {
        console::out(format_args!("{:<16}  on PATH   {}", profile.name, path.display()));
    }
    if installed.is_empty() && on_path.is_empty() {
        console::out("no solvers; run `gainsay solvers install z3 cvc5`");
    }
}

fn list_available(environment: &Environment, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let versions = installer(environment)?.available(name)?;
    let versions: Vec<String> = versions.iter().map(Version::to_string).collect();
    if json {
        json::print(&AvailableReleases { solver: name, available: versions });
    } else {
        versions.iter().for_each(|version| console::out(format_args!("{name}@{version}")));
    }
    Ok(ExitCode::SUCCESS)
}

fn remove(environment: &Environment, solvers: &[String], json: bool) -> anyhow::Result<ExitCode> {
    let (mut removed, mut failures) = (Vec::new(), Failures::default());
    let known = environment.cache.list();
    for text in solvers {
        let chosen = chosen(&known, text)?;
        if chosen.is_empty() {
            let names: Vec<String> = known.iter().map(Installed::name).collect();
            let names = if names.is_empty() {
                "no solver is installed".to_owned()
            } else {
                format!("installed: {}", names.join(", "))
            };
            failures.line(format!("{text} is not installed; {names}"), exit::EXIT_SOLVER);
        }
        for installed in chosen {
            match environment.cache.remove(installed) {
                Ok(()) => {
                    print_unless_json(json, &format!("{} removed", installed.name()));
                    removed.push(installed.name());
                }
                Err(error) => failures.add(&error.into()),
            }
        }
    }
    if json {
        json::print(&RemoveResult { removed, errors: &failures.lines });
    }
    Ok(failures.exit_code())
}

/// Returns the installed solvers that match `NAME`, `NAME@VERSION` or `NAME@FIRST..LAST`.
fn chosen<'a>(known: &'a [Installed], text: &str) -> anyhow::Result<Vec<&'a Installed>> {
    let request: InstallRequest = text.parse()?;
    let of_solver = || known.iter().filter(|installed| installed.record.solver == request.profile);
    Ok(match request.versions {
        _ if !text.contains('@') => of_solver().collect(),
        Versions::Latest => of_solver().next_back().into_iter().collect(),
        versions => of_solver().filter(|installed| versions.contain(&installed.record.version)).collect(),
    })
}

fn describe(installed: &Installed) -> InstalledSolver {
    let record = installed.record.clone();
    InstalledSolver {
        solver: record.solver,
        version: record.version,
        folder: installed.folder.clone(),
        bytes: installed.size(),
        wheel: record.wheel,
        sha256: record.sha256,
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn print_unless_json(json: bool, line: &str) {
    if !json {
        console::out(line);
    }
}

/// Failures that do not stop the command; the highest exit code counts.
#[derive(Default)]
struct Failures {
    lines: Vec<String>,
    code: u8,
}

impl Failures {
    fn add(&mut self, error: &anyhow::Error) {
        self.line(exit::line_of(error), exit::code_of(error));
    }

    fn line(&mut self, line: String, code: u8) {
        console::err(format_args!("gainsay: {line}"));
        self.lines.push(line);
        self.code = self.code.max(code);
    }

    fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}
