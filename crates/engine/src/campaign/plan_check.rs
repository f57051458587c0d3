//! Checks a plan: every value in its range, every name known.
//!
//! An error names the key as in a campaign file, the value, the allowed values, and the value that was probably meant.
//! Missing files and solvers are reported later, when they are opened.

use std::fmt::Display;

use super::plan::CampaignPlan;
use crate::question;
use crate::solver::name::SolverName;
use crate::solver::profiles::Profiles;
use crate::solver::suggest;
use crate::strategy;
use crate::time_span;

/// Why a plan cannot be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}{message}")]
pub struct PlanError {
    /// The key, as in a campaign file: `limits.timeout`.
    pub key: String,
    /// The error, and the remedy.
    pub message: String,
}

/// The longest a campaign may be told to run, in seconds: 30 years.
const MAX_TIME_SPAN_SECONDS: f64 = 1e9;
/// The most megabytes that can be said in bytes, with room.
const MAX_MEMORY_MEGABYTES: u64 = 1 << 30;

impl CampaignPlan {
    /// Checks that nothing is missing and that every value is in its range.
    pub fn check(&self, profiles: &Profiles) -> Result<(), PlanError> {
        self.check_values(profiles)?;
        let missing = |key: &str, remedy: &str| Err(wrong(key, format!(": none are named; {remedy}")));
        match () {
            () if self.seeds.is_empty() => {
                missing("seeds", "name files or folders of SMT-LIB scripts: --seeds PATH")
            }
            () if self.solvers.is_empty() => missing("solvers", "name at least one: --solver z3@latest"),
            () if self.strategies.is_empty() => {
                missing("strategies", &format!("name some of {}", strategy_names().join(", ")))
            }
            () if self.queue && self.coverage.is_none() && self.changed.is_none() => Err(wrong(
                "queue",
                ": it keeps scripts that reach new code, which is not measured; add --coverage",
            )),
            () if self.queue && self.schedule.agent().is_none() => {
                Err(wrong("queue", ": a bandit leads it; add --schedule thompson"))
            }
            () => Ok(()),
        }
    }

    /// Checks that every given value is in its range.
    pub fn check_values(&self, profiles: &Profiles) -> Result<(), PlanError> {
        range("jobs", self.jobs as u64, 1, 1024)?;
        range("chain", self.chain, 1, 1_000_000)?;
        range("rng_seed", self.rng_seed, 0, i64::MAX as u64)?;
        seconds("budget.time", self.budget.seconds.unwrap_or(1.0))?;
        range("budget.cases", self.budget.cases.unwrap_or(1), 1, u64::MAX >> 1)?;
        range("budget.findings", self.budget.findings.unwrap_or(1), 1, u64::MAX >> 1)?;
        seconds("limits.timeout", self.limits.seconds)?;
        range("limits.memory", self.limits.memory, 1, MAX_MEMORY_MEGABYTES)?;
        range("limits.patience", u64::from(self.limits.patience), 0, 1_000_000)?;
        range("bounds.seed_bytes", self.bounds.seed_bytes, 1, 1 << 40)?;
        range("bounds.case_bytes", self.bounds.case_bytes as u64, 1, 1 << 40)?;
        range("bounds.depth", self.bounds.depth as u64, 1, 1 << 32)?;
        range("models.percent", u64::from(self.models.percent), 0, 100)?;
        range("questions.percent", u64::from(self.questions.percent), 0, 100)?;
        range("options.percent", u64::from(self.options.percent), 0, 100)?;
        range("horn.parameters", u64::from(self.horn.parameters), 0, 100)?;
        range("horn.bugs", self.horn.bugs, 1, 1_000_000)?;
        range("horn.unknowns", self.horn.unknowns, 1, 1_000_000)?;
        range("horn.stale", self.horn.stale, 1, 1_000_000)?;
        range("values.asks", u64::from(self.values.asks), 1, 100_000)?;
        seconds("values.timeout", self.values.seconds)?;
        if let Some(helper) = &self.values.helper {
            check_solver(helper, profiles)
                .map_err(|message| wrong("values.helper", format!(": {message}")))?;
        }
        names("strategies", &self.strategies, check_strategy)?;
        for (name, weight) in &self.strategy_weights {
            let key = format!("strategy_weights.{name}");
            check_strategy(name).map_err(|message| wrong(&key, format!(": {message}")))?;
            range(&key, u64::from(*weight), 1, 1000)?;
        }
        names("questions.names", &self.questions.names, check_question)?;
        names("solvers", &self.solvers, |name| check_solver(name, profiles))?;
        names("references", &self.references, |name| check_solver(name, profiles))?;
        match self.references.iter().find(|name| self.solvers.contains(name)) {
            None => Ok(()),
            Some(both) => Err(wrong("references", format!(": {both} is one of the solvers; name it once"))),
        }
    }
}

/// The names of all strategies.
pub fn strategy_names() -> Vec<&'static str> {
    strategy::ALL.iter().map(|strategy| strategy.name()).collect()
}

/// The strategies of a campaign that names none, with their weights.
pub fn default_strategies() -> impl Iterator<Item = (&'static str, u32)> {
    let defaults = strategy::ALL.iter().filter(|strategy| strategy.is_default());
    defaults.map(|strategy| (strategy.name(), strategy.default_weight()))
}

fn wrong(key: &str, message: impl Into<String>) -> PlanError {
    PlanError { key: key.to_owned(), message: message.into() }
}

fn range(key: &str, value: u64, least: u64, most: u64) -> Result<(), PlanError> {
    let bounds = if most > 1 << 40 && value < least {
        format!("of at least {least}")
    } else {
        format!("from {least} to {most}")
    };
    let message = || format!(" = {value} is out of range; write a number {bounds}");
    if (least..=most).contains(&value) { Ok(()) } else { Err(wrong(key, message())) }
}

fn seconds(key: &str, value: f64) -> Result<(), PlanError> {
    let fits = value > 0.0 && value <= MAX_TIME_SPAN_SECONDS;
    let message =
        || format!(" = {} is out of range; write a duration above 0, like \"10m\"", time_span::write(value));
    if fits { Ok(()) } else { Err(wrong(key, message())) }
}

/// Checks each of a list of names, and that no name is repeated.
fn names(key: &str, names: &[String], check: impl Fn(&str) -> Result<(), String>) -> Result<(), PlanError> {
    for (index, name) in names.iter().enumerate() {
        check(name).map_err(|message| wrong(key, format!(": {message}")))?;
        if names[..index].contains(name) {
            return Err(wrong(key, format!(": `{name}` is named twice; name it once")));
        }
    }
    Ok(())
}

fn check_strategy(name: &str) -> Result<(), String> {
    let known = strategy_names();
    let message = || {
        let hint = suggest::hint(name, known.iter().copied());
        format!("unknown strategy `{name}`{hint}; there are {}", known.join(", "))
    };
    if known.contains(&name) { Ok(()) } else { Err(message()) }
}

fn check_question(name: &str) -> Result<(), String> {
    let known: Vec<&str> = question::ALL.iter().map(|question| question.name()).collect();
    let message = || {
        let hint = suggest::hint(name, known.iter().copied());
        format!("unknown question `{name}`{hint}; there are {}", known.join(", "))
    };
    if known.contains(&name) { Ok(()) } else { Err(message()) }
}

fn check_solver(name: &str, profiles: &Profiles) -> Result<(), String> {
    let said = |error: &dyn Display| error.to_string();
    let parsed: SolverName = name.parse().map_err(|error| said(&error))?;
    profiles.get(&parsed.profile).map(|_| ()).map_err(|error| said(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let plan = CampaignPlan::read("c.toml", text).unwrap();
        let checked = plan.check_values(&Profiles::built_in());
        checked.map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn the_default_plan_fits_and_lacks_seeds_and_solvers() {
        assert_eq!(said(""), "fine");
        let error = CampaignPlan::default().check(&Profiles::built_in()).unwrap_err().to_string();
        assert_eq!(error, "seeds: none are named; name files or folders of SMT-LIB scripts: --seeds PATH");
        let plan = CampaignPlan { seeds: vec!["a".into()], ..CampaignPlan::default() };
        assert!(
            plan.check(&Profiles::built_in()).unwrap_err().to_string().starts_with("solvers: none are named")
        );
    }

    #[test]
    fn a_value_out_of_range_is_said_with_its_key_and_its_range() {
        let pairs = [
            ("jobs = 0", "jobs = 0 is out of range; write a number from 1 to 1024"),
            ("jobs = 1025", "jobs = 1025 is out of range; write a number from 1 to 1024"),
            ("chain = 0", "chain = 0 is out of range; write a number from 1 to 1000000"),
            ("budget.time = 0", "budget.time = 0s is out of range; write a duration above 0, like \"10m\""),
            (
                "budget.time = nan",
                "budget.time = NaNs is out of range; write a duration above 0, like \"10m\"",
            ),
            ("budget.cases = 0", "budget.cases = 0 is out of range; write a number of at least 1"),
            (
                "limits.timeout = -1",
                "limits.timeout = -1s is out of range; write a duration above 0, like \"10m\"",
            ),
            ("limits.memory = 0", "limits.memory = 0 is out of range; write a number from 1 to 1073741824"),
            ("options.percent = 101", "options.percent = 101 is out of range; write a number from 0 to 100"),
        ];
        for (text, expected) in pairs {
            assert_eq!(said(text), expected);
        }
    }

    #[test]
    fn an_unknown_name_is_said_with_the_one_that_was_meant() {
        assert!(
            said("solvers = [\"z4@4.8.10\"]")
                .starts_with("solvers: unknown solver `z4` (did you mean `z3`?)")
        );
        assert!(said("solvers = [\"\"]").starts_with("solvers: empty solver name"));
        assert!(said("solvers = [\"z3\", \"z3\"]").starts_with("solvers: `z3` is named twice"));
        assert!(said("strategies = [\"nonsense\"]").starts_with("strategies: unknown strategy `nonsense`"));
    }
}
