//! Tactics and parameters of an installed program that the tables do not have, from its own help.
//!
//! ```text
//! (help-tactic)        - my-tactic removes what I do not like.                        a row        my-tactic : fast=true
//!                          fast (bool) be fast. (default: false)
//! ```
//!
//! The help is read once, when a campaign begins, and recorded in its plan, since cases are a function of the plan. gainsay does not know
//! what such a tactic claims, nor what a parameter changes: what `apply` makes of them is judged for crashes alone. Only tactics are
//! used in checks, whose answers must be right whatever the tactic does.

use std::collections::{BTreeMap, BTreeSet};

use super::{TACTIC_COMBINATORS, parameters_of, table};
use crate::random::Rng;
use crate::solver::profile::Profile;

/// Parameters with such names only stop a tactic early, print, or write files.
const IDLE_PARAMETERS: [&str; 11] = [
    "max_memory",
    "max_steps",
    "timeout",
    "rlimit",
    "dump",
    "log",
    "file",
    "print",
    "display",
    "trace",
    "threads",
];

/// Tactics and parameters beyond those of the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstalledTactics {
    /// Each tactic with its parameters and a value for each.
    parameters: BTreeMap<String, Vec<(String, String)>>,
}

impl InstalledTactics {
    /// Reads the rows of a plan: `tactic tactic … : parameter=value …`.
    pub fn of_rows(rows: &[String]) -> Self {
        let mut parameters: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for row in rows {
            let (names, values) = row.split_once(':').unwrap_or((row, ""));
            let values = values.split_whitespace().filter_map(|word| word.split_once('='));
            let values: Vec<_> = values.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            for name in names.split_whitespace() {
                parameters.entry(name.to_owned()).or_default().extend(values.iter().cloned());
            }
        }
        InstalledTactics { parameters }
    }

    /// Reads what z3 prints for `(help-tactic)`.
    pub fn of_help(help: &str, profile: &Profile) -> Self {
        let mut parameters: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        let (table, mut current) = (table(), None::<String>);
        let lines = help.lines().skip_while(|line| *line != "builtin tactics:");
        for line in lines.skip(1).take_while(|line| line.starts_with(['-', ' '])) {
            if let Some(tactic) = line.strip_prefix("- ") {
                let name = tactic.split_whitespace().next().unwrap_or_default();
                let is_drawn = match table.get(name).copied() {
                    None => is_name(name) && !TACTIC_COMBINATORS.contains(&name),
                    Some(claim) => matches!(claim, "equivalent" | "equisatisfiable" | "elimination"),
                };
                current = is_drawn.then(|| name.to_owned());
                if is_drawn && !table.contains_key(name) {
                    parameters.entry(name.to_owned()).or_default();
                }
            } else if let (Some(tactic), Some((name, value))) = (&current, parameter(line)) {
                let is_known = parameters_of(tactic).iter().any(|(known, _)| *known == name);
                let changes_meaning = profile.meaning.iter().any(|row| row.options.has_in_module(name));
                if !is_known && !changes_meaning && !IDLE_PARAMETERS.iter().any(|idle| name.contains(idle)) {
                    parameters.entry(tactic.clone()).or_default().push((name.to_owned(), value));
                }
            }
        }
        InstalledTactics { parameters }
    }

    /// The rows for a plan; tactics with the same parameters share one.
    pub fn rows(&self) -> Vec<String> {
        let mut rows: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (tactic, values) in &self.parameters {
            let values: String = values.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            rows.entry(values).or_default().insert(tactic);
        }
        let row = |(values, tactics): (String, BTreeSet<&str>)| {
            format!("{} :{values}", tactics.into_iter().collect::<Vec<_>>().join(" "))
        };
        rows.into_iter().map(row).collect()
    }

    /// The tactics that have no row in the table.
    pub fn unknown(&self) -> Vec<&str> {
        let table = table();
        self.parameters.keys().map(String::as_str).filter(|name| !table.contains_key(name)).collect()
    }

    /// A step of a pipeline, in a quarter of the cases with a parameter that its first tactic has.
    pub fn with_parameter(&self, step: String, rng: &mut Rng) -> String {
        let words = step.replace(['(', ')'], " ");
        let tactic = words.split_whitespace().find(|word| !TACTIC_COMBINATORS.contains(word));
        let Some(values) =
            tactic.and_then(|name| self.parameters.get(name)).filter(|values| !values.is_empty())
        else {
            return step;
        };
        match rng.choose(values).filter(|_| rng.chance(1, 4)) {
            Some((name, value)) => format!("(using-params {step} :{name} {value})"),
            None => step,
        }
    }
}

/// Returns true if a word of the help can be a tactic.
fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_+.".contains(letter))
}

/// A parameter in a line of the help, with a value that is not the default: `flat (bool) … (default: true)`.
fn parameter(line: &str) -> Option<(&str, String)> {
    let (name, rest) = line.trim_start().split_once(" (")?;
    let (sort, about) = rest.split_once(')')?;
    let default = about.rsplit_once("(default: ").and_then(|(_, default)| default.split([')', ' ']).next());
    let value = match (sort, default) {
        ("bool", Some("true")) => "false",
        ("bool", _) => "true",
        ("unsigned int", Some("1")) => "2",
        ("unsigned int", _) => "1",
        _ => return None,
    };
    is_name(name).then(|| (name, value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::solver::profiles::Profiles;

    const HELP: &str = "\"combinators:\n- (and-then <tactic>+) executes.\nbuiltin tactics:\n- my-tactic removes.\n    \
        fast (bool) be fast (default: false)\n    depth (unsigned int) how deep. (default: 1)\n    hi_div0 (bool) x (default: true)\n    \
        mode (symbol) y\n- simplify apply rules.\n    som (bool) known (default: false)\n    brand_new (bool) z (default: true)\n    \
        max_steps (unsigned int) s\n- smt the solver.\n    new_smt (bool) t\n- other-tactic does.\nbuiltin probes:\n- no-tactic (bool)\n\"";

    fn installed() -> InstalledTactics {
        InstalledTactics::of_help(HELP, Profiles::built_in().get("z3").unwrap())
    }

    #[test]
    fn help_gives_the_tactics_and_parameters_that_the_tables_lack() {
        let rows = installed().rows();
        assert_eq!(rows, ["other-tactic :", "simplify : brand_new=false", "my-tactic : fast=true depth=2"]);
        assert_eq!(InstalledTactics::of_rows(&rows), installed(), "a plan gives them back");
        assert_eq!(installed().unknown(), ["my-tactic", "other-tactic"]);
        let nonsense = InstalledTactics::of_help("sorry", Profiles::built_in().get("z3").unwrap());
        assert_eq!(nonsense, InstalledTactics::default());
    }

    #[test]
    fn a_step_gets_a_parameter_of_its_first_tactic() {
        let drawn = |step: &str| -> BTreeSet<String> {
            let mut rng = RandomStream::new(1).rng();
            (0..60).map(|_| installed().with_parameter(step.to_owned(), &mut rng)).collect()
        };
        let expected = ["(repeat my-tactic 3)", "(using-params (repeat my-tactic 3) :depth 2)"];
        assert!(expected.iter().all(|one| drawn("(repeat my-tactic 3)").contains(*one)));
        assert_eq!(drawn("nnf"), BTreeSet::from(["nnf".to_owned()]));
    }
}
