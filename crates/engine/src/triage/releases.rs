//! The releases of a solver that are installed, and the solvers that its answers are measured against.

use std::collections::BTreeMap;

use super::bisect::Release;
use crate::solver::name::{Origin, SolverName};
use crate::solver::process::RunError;
use crate::solver::profiles::UnknownSolver;
use crate::solver::resolve::{Places, ResolveError, Solver};
use crate::solver::run::Limits;
use crate::solver::runner::{self, Launcher};
use crate::solver::version::Version;
use crate::trial::SolverIdentity;

/// The releases of a solver that are installed, oldest first.
pub fn installed(places: &Places<'_>, name: &SolverName) -> Result<Vec<Release>, UnknownSolver> {
    let owner = places.profiles.installed_as(places.profiles.get(&name.profile)?);
    let known = places.cache.list().into_iter().filter(|installed| installed.record.solver == owner.name);
    Ok(known.map(|known| Release { version: known.record.version, installed: true }).collect())
}

/// One release, with the options of a name.
pub fn release(places: &Places<'_>, name: &SolverName, version: &Version) -> Result<Solver, ResolveError> {
    places.resolve(&SolverName { origin: Origin::Managed(version.clone()), ..name.clone() })
}

/// A solver as oracles know it; one that is not managed by us is asked for its version.
pub fn identity(solver: &Solver, launcher: &Launcher) -> Result<SolverIdentity, RunError> {
    let version = match &solver.name.origin {
        Origin::Path | Origin::Command(_) => runner::ask_version(solver, launcher, Limits::default())?,
        _ => solver.version.clone(),
    };
    Ok(SolverIdentity { name: solver.name.to_string(), family: solver.profile.family.clone(), version })
}

/// The newest installed release of every code base but one, in order of name.
pub fn others(places: &Places<'_>, family: &str) -> Vec<Solver> {
    let mut newest: BTreeMap<String, SolverName> = BTreeMap::new();
    for installed in places.cache.list() {
        let record = installed.record;
        let Ok(profile) = places.profiles.get(&record.solver) else { continue };
        let origin = Origin::Managed(record.version);
        // The list goes from old to new.
        newest.insert(
            profile.family.clone(),
            SolverName { profile: record.solver, origin, options: Vec::new() },
        );
    }
    newest.retain(|other, _| other != family);
    // One that cannot be started is not there to be asked.
    newest.values().filter_map(|name| places.resolve(name).ok()).collect()
}

/// The newest installed release of a solver, with its options.
pub fn newest(places: &Places<'_>, name: &SolverName) -> Option<Solver> {
    let releases = installed(places, name).ok()?;
    release(places, name, &releases.last()?.version).ok()
}
