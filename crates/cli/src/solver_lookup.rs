//! Finds the solvers that a command names: resolves `@latest` to a release and installs missing releases.

use std::path::Path;
use std::sync::PoisonError;

use anyhow::Context;
use gainsay_engine::solver::install::Installer;
use gainsay_engine::solver::name::{InstallRequest, NameError, Origin, SolverName};
use gainsay_engine::solver::resolve::{Program, ResolveError, Solver};
use gainsay_engine::solver::version::{Version, Versions};

use crate::console;
use crate::environment::Environment;
use crate::exit::UsageError;
use crate::progress::InstallProgress;

/// Returns the solvers with these names, in order; installs missing releases.
///
/// The version replaces `@latest` in their names, so that a campaign that is resumed in a year runs the same release.
pub fn find_or_install(environment: &Environment, names: &[String]) -> anyhow::Result<Vec<Solver>> {
    let mut names: Vec<SolverName> =
        names.iter().map(|name| name.parse()).collect::<Result<_, NameError>>()?;
    for name in names.iter_mut().filter(|name| name.origin == Origin::Latest) {
        name.origin = Origin::Managed(latest(environment, &name.profile)?);
    }
    let solvers: Vec<Solver> =
        names.iter().map(|name| solver(environment, name)).collect::<anyhow::Result<_>>()?;
    for solver in &solvers {
        let version =
            solver.version.as_ref().map(|version| format!(", version {version}")).unwrap_or_default();
        console::detail(format_args!("{} is {}{version}", solver.name, program_path(solver).display()));
    }
    Ok(solvers)
}

/// Fails if two of the solvers are the same: a solver that agrees with itself proves nothing.
///
/// Names can differ where solvers do not: z3@5.4, z3@5.4.0 and z3@latest may be one release, z3 and z3=/usr/bin/z3 one program.
pub fn check_distinct(solvers: &[Solver]) -> Result<(), UsageError> {
    for (number, solver) in solvers.iter().enumerate() {
        if let Some(other) = solvers[..number].iter().find(|other| is_same(other, solver)) {
            let (name, other) = (solver.name.to_string(), other.name.to_string());
            return Err(UsageError(match name == other {
                true => format!("the solver {name} is named twice; name it once"),
                false => format!("{other} and {name} are the same solver; name it once"),
            }));
        }
    }
    Ok(())
}

/// Returns true if two solvers are the same program with the same profile and options.
fn is_same(left: &Solver, right: &Solver) -> bool {
    left.name.profile == right.name.profile
        && left.name.options == right.name.options
        && program_path(left) == program_path(right)
}

/// The path of a solver's program or library.
fn program_path(solver: &Solver) -> &Path {
    match &solver.program {
        Program::Binary { path, .. } => path,
        Program::Library(library) => &library.path,
    }
}

/// Returns the installed solvers with these names, without network access.
pub fn find_installed(environment: &Environment, names: &[String]) -> anyhow::Result<Vec<Solver>> {
    names.iter().map(|name| Ok(environment.places().resolve(&name.parse()?)?)).collect()
}

/// Returns the installer for the package index that pip is configured for.
pub fn installer(environment: &Environment) -> anyhow::Result<Installer<'_>> {
    Ok(Installer::new(&environment.profiles, &environment.cache, environment.fetcher()?))
}

/// Resolves `NAME@latest` to a release, once per process; warns if the package index is unreachable.
fn latest(environment: &Environment, name: &str) -> anyhow::Result<Version> {
    let name = &environment.profiles.installed_as(environment.profiles.get(name)?).name;
    let mut known = environment.latest.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(version) = known.get(name) {
        return Ok(version.clone());
    }
    let release = installer(environment)?.latest(name)?;
    let version = release.version;
    if let Some(trouble) = release.trouble {
        let place = match environment.cache.find(name, &version) {
            Some(_) => "the newest installed release",
            None => "the newest available release",
        };
        console::err(format_args!("gainsay: {trouble}; using {name}@{version}, {place}, for {name}@latest"));
    }
    known.insert(name.clone(), version.clone());
    Ok(version)
}

fn solver(environment: &Environment, name: &SolverName) -> anyhow::Result<Solver> {
    match environment.places().resolve(name) {
        Err(ResolveError::NotInstalled { .. }) => {
            let owner = environment.profiles.installed_as(environment.profiles.get(&name.profile)?);
            let versions = match &name.origin {
                Origin::Managed(version) => Versions::Exactly(version.clone()),
                _ => Versions::Latest,
            };
            let request = InstallRequest { profile: owner.name.clone(), versions };
            install(environment, &request).with_context(|| format!("{request} is not installed"))?;
            Ok(environment.places().resolve(name)?)
        }
        resolved => Ok(resolved?),
    }
}

fn install(environment: &Environment, request: &InstallRequest) -> anyhow::Result<()> {
    let installer = installer(environment)?;
    for plan in installer.plan(request)? {
        let mut bar = InstallProgress::new(&plan);
        let installed = installer.install(plan, &mut |progress| bar.show(progress))?;
        bar.finish();
        console::progress(format_args!("{} installed", installed.name()));
    }
    Ok(())
}
