//! The releases of a solver that `bisect` can test, and the reference solvers to compare them with.

use std::collections::BTreeMap;

use gainsay_engine::solver::install::Installer;
use gainsay_engine::solver::name::{InstallRequest, SolverName};
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::version::{Version, Versions};
use gainsay_engine::triage::bisect::Release;
use gainsay_engine::triage::releases;

use crate::environment::Environment;
use crate::exit::{self, UsageError};
use crate::progress::InstallProgress;
use crate::{console, solver_lookup};

/// Returns all installed releases and all releases on the package index, oldest first.
pub fn installable(
    environment: &Environment,
    installer: &Installer<'_>,
    name: &SolverName,
) -> anyhow::Result<Vec<Release>> {
    let profile = environment.profiles.get(&name.profile)?;
    let owner = environment.profiles.installed_as(profile);
    let mut all: BTreeMap<Version, bool> = BTreeMap::new();
    for version in installer.available(&owner.name)? {
        if !version.is_prerelease() {
            all.insert(version.short(), false);
        }
    }
    let installed = releases::installed(&environment.places(), name)?;
    all.extend(installed.into_iter().map(|release| (release.version, true)));
    Ok(all.into_iter().map(|(version, installed)| Release { version, installed }).collect())
}

/// Filters the releases by a range; an empty result is an error.
pub fn within(
    all: Vec<Release>,
    name: &SolverName,
    range: Option<&Versions>,
) -> anyhow::Result<Vec<Release>> {
    let Some(range) = range else { return Ok(all) };
    let known: Vec<Version> = all.iter().map(|release| release.version.clone()).collect();
    let kept: Vec<Release> = all.into_iter().filter(|release| range.contain(&release.version)).collect();
    match (kept.is_empty(), known.first(), known.last()) {
        (false, ..) => Ok(kept),
        (true, Some(first), Some(last)) => {
            let name = &name.profile;
            Err(UsageError(format!("no release of {name} is in {range}; its releases are {first} to {last}"))
                .into())
        }
        (true, ..) => Err(nothing(name)),
    }
}

/// The error for a solver without any release.
pub fn nothing(name: &SolverName) -> anyhow::Error {
    let name = &name.profile;
    UsageError(format!(
        "no release of {name} is installed; install some with `gainsay solvers install {name}@A..B`"
    ))
    .into()
}

/// Returns one release with the options of `name`; installs it first if there is an installer.
pub fn get(
    environment: &Environment,
    installer: Option<&Installer<'_>>,
    name: &SolverName,
    version: &Version,
) -> anyhow::Result<Solver> {
    let owner = environment.profiles.installed_as(environment.profiles.get(&name.profile)?);
    if let Some(installer) = installer
        && environment.cache.find(&owner.name, version).is_none()
    {
        let request =
            InstallRequest { profile: owner.name.clone(), versions: Versions::Exactly(version.clone()) };
        for plan in installer.plan(&request)? {
            let mut bar = InstallProgress::new(&plan);
            installer.install(plan, &mut |progress| bar.show(progress))?;
        }
    }
    Ok(releases::release(&environment.places(), name, version)?)
}

/// The solvers to compare with if the user names none and none of another code base is installed, in order of preference.
const DEFAULT_REFERENCES: [&str; 2] = ["cvc5", "z3"];

/// Returns the reference solvers: those that the user named (installed first if there is an installer), or the newest
/// installed release of each other code base, or else a solver that is installed for this.
pub fn references(
    environment: &Environment,
    suspect: &SolverName,
    named: &[String],
    installer: Option<&Installer<'_>>,
) -> anyhow::Result<Vec<Solver>> {
    let family = environment.profiles.get(&suspect.profile)?.family.clone();
    let solvers = match installer {
        _ if named.is_empty() => match releases::others(&environment.places(), &family) {
            none if none.is_empty() && installer.is_some() => default_reference(environment, &family),
            others => others,
        },
        Some(_) => solver_lookup::find_or_install(environment, named)?,
        None => solver_lookup::find_installed(environment, named)?,
    };
    solver_lookup::check_distinct(&solvers)?;
    if solvers.iter().all(|solver| solver.profile.family == family) {
        console::err(
            "gainsay: no solver of another code base to compare with, so only proofs and crashes are certain; \
             install one or name one with --reference",
        );
    }
    Ok(solvers)
}

/// Installs the newest release of a solver of another code base; warns if that is not possible.
fn default_reference(environment: &Environment, family: &str) -> Vec<Solver> {
    let is_other =
        |name: &&&str| environment.profiles.get(name).is_ok_and(|profile| profile.family != family);
    let Some(name) = DEFAULT_REFERENCES.iter().find(is_other) else { return Vec::new() };
    solver_lookup::find_or_install(environment, &[format!("{name}@latest")]).unwrap_or_else(|error| {
        console::err(format_args!(
            "gainsay: {name} cannot be installed to compare with: {}",
            exit::line_of(&error)
        ));
        Vec::new()
    })
}
