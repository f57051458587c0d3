//! Gets the solvers that a campaign needs: managed versions that are not there yet are installed right away.

use gainsay_engine::solver::install::Installer;
use gainsay_engine::solver::install::fetch::Fetcher;
use gainsay_engine::solver::install::pip::PipSettings;
use gainsay_engine::solver::name::{Origin, Request, SolverName};
use gainsay_engine::solver::resolve::{ResolveError, Solver};
use gainsay_engine::solver::version::Versions;

use crate::environment::Environment;
use crate::progress::Bar;
use crate::say;

/// The solvers of these names, in order; `@latest` becomes the version that it stands for, so that a campaign that goes on
/// in a year goes on with the same one.
pub fn solvers(environment: &Environment, names: &[String]) -> anyhow::Result<Vec<Solver>> {
    names.iter().map(|name| solver(environment, name)).collect()
}

/// The installer for the package index that pip is configured for.
pub fn installer(environment: &Environment) -> anyhow::Result<Installer<'_>> {
    let fetcher = Fetcher::new(PipSettings::read(&environment.variables)?)?;
    Ok(Installer::new(&environment.profiles, &environment.cache, fetcher))
}

fn solver(environment: &Environment, name: &str) -> anyhow::Result<Solver> {
    let name: SolverName = name.parse()?;
    let mut solver = match environment.places().resolve(&name) {
        Err(ResolveError::NotInstalled { .. }) => {
            install(environment, &name)?;
            environment.places().resolve(&name)?
        }
        resolved => resolved?,
    };
    if let (Origin::NewestManaged, Some(version)) = (&name.origin, &solver.version) {
        solver.name.origin = Origin::Managed(version.clone());
    }
    Ok(solver)
}

fn install(environment: &Environment, name: &SolverName) -> anyhow::Result<()> {
    let profile = environment.profiles.get(&name.profile)?;
    let versions = match &name.origin {
        Origin::Managed(version) => Versions::Exactly(version.clone()),
        _ => Versions::Latest,
    };
    let request = Request { profile: environment.profiles.installed_as(profile).name.clone(), versions };
    let installer = installer(environment)?;
    for plan in installer.plan(&request)? {
        let mut bar = Bar::new(&plan);
        let installed = installer.install(plan, &mut |progress| bar.show(progress))?;
        bar.finish();
        say::err(format_args!("{} installed", installed.name()));
    }
    Ok(())
}
