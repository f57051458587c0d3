//! The real solvers that tests use, and their installation.

#![allow(dead_code, reason = "each test file uses a part of it")]

use gainsay_engine::solver::cache::Cache;
use gainsay_engine::solver::install::Installer;
use gainsay_engine::solver::install::fetch::Fetcher;
use gainsay_engine::solver::install::pip::{PipSettings, Variables};
use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::solver::resolve::{Places, Solver};

/// The newest installable release of each solver, and an old z3 with another dialect.
pub const REAL_SOLVERS: [&str; 4] = ["z3@5.4.0", "z3@4.8.10", "cvc5@1.4.2", "yices@2.6.5"];

/// Finds a solver by name, with options; installs it into the user's cache first if it is missing.
pub fn solver(name: &str) -> Solver {
    try_solver(name).unwrap_or_else(|reason| panic!("this test needs {name} and cannot get it: {reason}"))
}

fn try_solver(name: &str) -> Result<Solver, String> {
    let variables: Variables = std::env::vars().collect();
    let cache = Cache::of_user(&variables).map_err(|error| error.to_string())?;
    let profiles = Profiles::built_in();
    let places = Places { profiles: &profiles, cache: &cache, path: &[] };
    let parsed = name.parse().map_err(|error| format!("{error}"))?;
    if let Ok(solver) = places.resolve(&parsed) {
        return Ok(solver);
    }
    let request = name.split_whitespace().next().unwrap_or_default();
    install(&profiles, &cache, &variables, request).map_err(|error| error.to_string())?;
    places.resolve(&parsed).map_err(|error| error.to_string())
}

fn install(
    profiles: &Profiles,
    cache: &Cache,
    variables: &Variables,
    name: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let installer = Installer::new(profiles, cache, Fetcher::new(PipSettings::read(variables)?)?);
    for plan in installer.plan(&name.parse()?)? {
        installer.install(plan, &mut |_| {})?;
    }
    Ok(())
}
