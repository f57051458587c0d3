//! Gets the solvers that a command names: `@latest` becomes the release that it stands for, and releases that are not installed
//! are installed right away.

use std::sync::PoisonError;

use anyhow::Context;
use gainsay_engine::solver::install::Installer;
use gainsay_engine::solver::name::{InstallRequest, NameError, Origin, SolverName};
use gainsay_engine::solver::resolve::{ResolveError, Solver};
use gainsay_engine::solver::version::{Version, Versions};

use crate::console;
use crate::environment::Environment;
use crate::progress::InstallProgress;

/// The solvers of these names, in order.
///
/// Their names say the version where the user wrote `@latest`, so that a campaign that goes on in a year goes on with the
/// same release.
pub fn find_or_install(environment: &Environment, names: &[String]) -> anyhow::Result<Vec<Solver>> {
    let mut names: Vec<SolverName> =
        names.iter().map(|name| name.parse()).collect::<Result<_, NameError>>()?;
    for name in names.iter_mut().filter(|name| name.origin == Origin::Latest) {
        name.origin = Origin::Managed(latest(environment, &name.profile)?);
    }
    names.iter().map(|name| solver(environment, name)).collect()
}

/// The solvers of these names among those that are installed; nothing is downloaded, and no index is asked.
pub fn find_installed(environment: &Environment, names: &[String]) -> anyhow::Result<Vec<Solver>> {
    names.iter().map(|name| Ok(environment.places().resolve(&name.parse()?)?)).collect()
}

pub use find_or_install as solvers;

/// The installer for the package index that pip is configured for.
pub fn installer(environment: &Environment) -> anyhow::Result<Installer<'_>> {
    Ok(Installer::new(&environment.profiles, &environment.cache, environment.fetcher()?))
}

/// The release that `NAME@latest` stands for, found out once; says so if the index could not be asked.
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
            Some(_) => "the newest installed",
            None => "the newest within reach",
        };
        console::err(format_args!("gainsay: {trouble}; {name}@latest is now {name}@{version}, {place}"));
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
        console::err(format_args!("{} installed", installed.name()));
    }
    Ok(())
}
