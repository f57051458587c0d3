//! The releases of a solver, and the solvers that its answers are measured against: what is installed, and what could be.

use std::collections::BTreeMap;

use gainsay_engine::oracle::Subject;
use gainsay_engine::solver::install::Installer;
use gainsay_engine::solver::name::{Origin, Request, SolverName};
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::Limits;
use gainsay_engine::solver::runner::{self, Setting};
use gainsay_engine::solver::version::{Version, Versions};
use gainsay_engine::triage::bisect::Release;

use crate::environment::Environment;
use crate::exit::Usage;
use crate::progress::Bar;
use crate::say;

/// The releases of a solver that are installed, oldest first.
pub fn installed(environment: &Environment, name: &SolverName) -> anyhow::Result<Vec<Release>> {
    let profile = environment.profiles.get(&name.profile)?;
    let owner = environment.profiles.installed_as(profile);
    let known =
        environment.cache.list().into_iter().filter(|installed| installed.record.solver == owner.name);
    Ok(known.map(|known| Release { version: known.record.version, installed: true }).collect())
}

/// Those, and all that the package index has.
pub fn installable(
    environment: &Environment,
    installer: &Installer<'_>,
    name: &SolverName,
) -> anyhow::Result<Vec<Release>> {
    let profile = environment.profiles.get(&name.profile)?;
    let owner = environment.profiles.installed_as(profile);
    let mut releases: BTreeMap<Version, bool> = BTreeMap::new();
    for version in installer.available(&owner.name)? {
        if !version.is_prerelease() {
            releases.insert(version.short(), false);
        }
    }
    releases.extend(installed(environment, name)?.into_iter().map(|release| (release.version, true)));
    Ok(releases.into_iter().map(|(version, installed)| Release { version, installed }).collect())
}

/// Those of the releases that lie in a range; the error says that there are none.
pub fn within(
    releases: Vec<Release>,
    name: &SolverName,
    range: Option<&Versions>,
) -> anyhow::Result<Vec<Release>> {
    let Some(range) = range else { return Ok(releases) };
    let known: Vec<Version> = releases.iter().map(|release| release.version.clone()).collect();
    let kept: Vec<Release> = releases.into_iter().filter(|release| range.contain(&release.version)).collect();
    match (kept.is_empty(), known.first(), known.last()) {
        (false, ..) => Ok(kept),
        (true, Some(first), Some(last)) => {
            Err(Usage(format!("no release of {} is in {range}: there are {first} to {last}", name.profile))
                .into())
        }
        (true, ..) => Err(nothing(name)),
    }
}

/// The error if there is no release at all.
pub fn nothing(name: &SolverName) -> anyhow::Error {
    let profile = &name.profile;
    Usage(format!(
        "no release of {profile} is installed: `gainsay solvers install {profile}@A..B` installs some"
    ))
    .into()
}

/// One release with the options of a name; installed first where it is not.
pub fn get(
    environment: &Environment,
    installer: Option<&Installer<'_>>,
    name: &SolverName,
    version: &Version,
) -> anyhow::Result<Solver> {
    let release = SolverName { origin: Origin::Managed(version.clone()), ..name.clone() };
    let owner = environment.profiles.installed_as(environment.profiles.get(&name.profile)?);
    if let Some(installer) = installer
        && environment.cache.find(&owner.name, version).is_none()
    {
        let request = Request { profile: owner.name.clone(), versions: Versions::Exactly(version.clone()) };
        for plan in installer.plan(&request)? {
            let mut bar = Bar::new(&plan);
            installer.install(plan, &mut |progress| bar.show(progress))?;
        }
    }
    Ok(environment.places().resolve(&release)?)
}

/// A solver as oracles know it; one that is not managed by us is asked for its version.
pub fn subject(solver: &Solver, setting: &Setting) -> Result<Subject, RunError> {
    let version = match &solver.name.origin {
        Origin::Path | Origin::Command(_) => runner::ask_version(solver, setting, Limits::default())?,
        _ => solver.version.clone(),
    };
    Ok(Subject { name: solver.name.to_string(), family: solver.profile.family.clone(), version })
}

/// The solvers to measure a suspect against: those named, or the newest installed one of every other code base; and the
/// newest installed release of the suspect itself, with its options.
pub fn references(
    environment: &Environment,
    suspect: &SolverName,
    named: &[String],
) -> anyhow::Result<Vec<Solver>> {
    let family = environment.profiles.get(&suspect.profile)?.family.clone();
    let mut solvers: Vec<Solver> = Vec::new();
    for name in named {
        let name: SolverName = name.parse()?;
        solvers.push(environment.places().resolve(&name)?);
    }
    if named.is_empty() {
        let mut newest: BTreeMap<String, (String, Version)> = BTreeMap::new();
        for installed in environment.cache.list() {
            let record = installed.record;
            let profile = environment.profiles.get(&record.solver)?;
            // The list goes from old to new.
            newest.insert(profile.family.clone(), (record.solver, record.version));
        }
        for (_, (profile, version)) in newest.into_iter().filter(|(other, _)| *other != family) {
            let name = SolverName { profile, origin: Origin::Managed(version), options: Vec::new() };
            solvers.push(environment.places().resolve(&name)?);
        }
    }
    if let Some(newest) = installed(environment, suspect)?.last() {
        solvers.push(get(environment, None, suspect, &newest.version)?);
    }
    if solvers.iter().all(|solver| solver.profile.family == family) {
        say::err(format_args!(
            "gainsay: no solver of another code base to compare with: only proofs and crashes are sure; \
             `gainsay solvers install` another, or name one by --reference"
        ));
    }
    Ok(solvers)
}
