//! Preparation makes the text that each solver gets for a case, or says why a solver gets none.
//!
//! ```text
//! (set-logic QF_SLIA)                      (set-logic QF_SLIA)
//! (set-info :status sat)          z3 4.8.8
//! (assert (str.in_re s re.all))     ⇒      (assert (str.in.re s re.all))
//! (check-sat)                              (check-sat)
//! ```
//!
//! A solver does not get scripts with features that it lacks, nor with operators of theories that only other solvers have
//! (`owners.rs`). Every operator is in the spelling of its version; a stale `:status`
//! (cvc5 aborts on a wrong one) and `echo` commands (whose output could be taken for an answer) are removed; the logic is that of
//! the seed as long as it contains the script. All of this works on the text: most cases need no change, which is cheap to detect.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gainsay_smt::logic::{self, Features};
use gainsay_smt::{Script, Signature};
use regex::bytes::Regex;

use crate::solver::outline::outline;
use crate::solver::profile::Profile;
use crate::solver::resolve::Solver;
use crate::solver::version::Version;

mod owners;
mod respell;

use owners::TheoryOwners;
use respell::{NameSpelling, respell};

/// Prepares cases for the solvers of a campaign.
#[derive(Debug)]
pub struct Preparation {
    solvers: Vec<ScriptReader>,
    /// Matches the names that some solver spells differently; false positives are harmless.
    suspicious: Option<Regex>,
    /// Who knows the operators that not every solver has.
    owners: TheoryOwners,
}

/// A solver and the language that it reads.
#[derive(Debug)]
struct ScriptReader {
    solver: Solver,
    version: Option<Version>,
    /// Its spelling of names that differ from the standard; `None` for names that it lacks.
    spelling: NameSpelling,
}

/// The text for a solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prepared {
    /// A text.
    Text {
        /// The text.
        text: Arc<str>,
        /// Why its answers to this text must not be compared with others, if so.
        excuse: Option<String>,
    },
    /// The solver is not run, for this reason.
    Spared(String),
}

impl Preparation {
    /// For these solvers, each with its detected version.
    pub fn new(solvers: &[(Solver, Option<Version>)], signature: &Signature) -> Self {
        let reader = |(solver, version): &(Solver, Option<Version>)| ScriptReader {
            spelling: spelling(solver, version.as_ref(), signature),
            solver: solver.clone(),
            version: version.clone(),
        };
        let solvers: Vec<ScriptReader> = solvers.iter().map(reader).collect();
        let names: BTreeSet<String> = solvers
            .iter()
            .flat_map(|reader| reader.spelling.keys())
            .map(|name| regex::escape(name))
            .collect();
        let names = names.into_iter().collect::<Vec<_>>().join("|");
        let suspicious = (!names.is_empty())
            .then(|| Regex::new(&names).expect("names that are escaped are an expression"));
        let profiles: Vec<&Profile> = solvers.iter().map(|reader| &*reader.solver.profile).collect();
        let owners = TheoryOwners::new(&profiles, signature);
        Preparation { solvers, suspicious, owners }
    }

    /// A script in standard SMT-LIB, for people: without idle commands, with a logic that contains it.
    pub fn standard(script: &Script, text: &str) -> String {
        let logic = ScriptLogic::of(script);
        let text = without_idle_commands(text);
        if logic.holds { text } else { with_logic(&text, logic.smallest) }
    }

    /// Prepares a script, of which this is the text, for each solver.
    pub fn prepare(&self, script: &Script, text: &str) -> Vec<Prepared> {
        let logic = ScriptLogic::of(script);
        let text: Arc<str> = without_idle_commands(text).into();
        let suspicious = self.suspicious.as_ref().is_some_and(|names| names.is_match(text.as_bytes()));
        let text_of = |name| script.arena().text(name).to_owned();
        let own: BTreeSet<String> = match suspicious {
            true => script.declared_names().into_iter().map(text_of).collect(),
            false => BTreeSet::new(),
        };
        let missing = self.owners.missing(script);
        let prepare = |(place, reader): (usize, &ScriptReader)| match missing.get(place) {
            Some(Some(name)) => Prepared::Spared(format!("lacks {name}")),
            _ => reader.prepare(&logic, &text, suspicious.then_some(&own)),
        };
        self.solvers.iter().enumerate().map(prepare).collect()
    }
}

impl ScriptReader {
    /// `own` are the names that the script declares; `None` if no name needs another spelling.
    fn prepare(&self, logic: &ScriptLogic<'_>, text: &Arc<str>, own: Option<&BTreeSet<String>>) -> Prepared {
        let logic = match logic.for_solver(&self.solver) {
            Ok(logic) => logic,
            Err(why) => return Prepared::Spared(why),
        };
        let spelled = match own.map(|own| respell(text, &self.spelling, own)) {
            Some(Err(lacking)) => return Prepared::Spared(format!("lacks {lacking}")),
            Some(Ok(spelled)) => spelled,
            None => None,
        };
        let text = spelled.map_or_else(|| Arc::clone(text), Arc::from);
        let text = match logic {
            Some(logic) => with_logic(&text, logic).into(),
            None => text,
        };
        Prepared::Text { excuse: self.solver.answer_excuse(&text, self.version.as_ref()), text }
    }
}

/// The spelling of a version of a solver, where it differs from the standard.
fn spelling(solver: &Solver, version: Option<&Version>, signature: &Signature) -> NameSpelling {
    let profile = &solver.profile;
    let rows = profile.dialect.iter().map(|row| (row.standard.as_str(), row.standard.as_str()));
    let mut spelling = BTreeMap::new();
    for (written, standard) in rows.chain(signature.old_names()) {
        let spelled = profile.spelling(standard, version);
        if spelled != Some(written) {
            spelling.insert(written.to_owned(), spelled.map(str::to_owned));
        }
    }
    spelling
}

/// The logic of a case.
struct ScriptLogic<'a> {
    named: Option<&'a str>,
    /// The features that the script uses.
    used: Features,
    /// Whether the logic that it names contains all of it.
    holds: bool,
    smallest: &'static str,
}

impl<'a> ScriptLogic<'a> {
    fn of(script: &'a Script) -> Self {
        let named = script.logic();
        let used = Features::of_script(script);
        let holds = match named {
            None | Some("ALL" | "HO_ALL" | "HORN") => true,
            // Difference logic is treated as linear: a mutant of a difference constraint is linear at best.
            Some(name) if name.ends_with("IDL") || name.ends_with("RDL") => false,
            Some(name) => Features::of_name(name).is_some_and(|features| features.include(&used)),
        };
        let kept = holds && named.is_some_and(|name| name != "ALL");
        let smallest = if kept { "" } else { logic::smallest(script) };
        ScriptLogic { named, used, holds, smallest }
    }

    /// The logic to set instead of the script's own, if any.
    fn for_solver(&self, solver: &Solver) -> Result<Option<&str>, String> {
        let profile = &solver.profile;
        let any = profile.supports("*");
        match self.named {
            None if any => Ok(None),
            Some("ALL") if !any => self.for_few(profile),
            Some(named) if self.holds && profile.supports(named) => Ok(None),
            Some(named) if self.holds => Err(format!("does not support {named}")),
            _ if self.smallest == "ALL" && !any => self.for_few(profile),
            _ if profile.supports(self.smallest) => Ok(Some(self.smallest)),
            _ => Err(format!("does not support {}", self.smallest)),
        }
    }

    /// For a solver that supports only some logics, `ALL` means their union: the result is the smallest logic of the script if the
    /// solver supports it, or `ALL` if its logics together cover the script. No such solver supports quantifiers in `ALL`.
    fn for_few(&self, profile: &Profile) -> Result<Option<&str>, String> {
        let free = profile.logics.iter().filter(|name| name.starts_with("QF_"));
        let together =
            free.filter_map(|name| Features::of_name(name)).fold(Features::default(), Features::and);
        match self.smallest {
            smallest if smallest != "ALL" && profile.supports(smallest) => Ok(Some(smallest)),
            _ if profile.supports("ALL") && together.include(&self.used) => Ok(Some("ALL")),
            "ALL" => Err("does not support all operators that are used".to_owned()),
            smallest => Err(format!("does not support {smallest}")),
        }
    }
}

/// The script without commands that do not affect the answer and may confuse a solver.
fn without_idle_commands(text: &str) -> String {
    let mut kept = text.to_owned();
    if text.contains(":status") || text.contains("echo") {
        for command in outline(text).commands.iter().rev() {
            if command.name == "echo" || command.name == "set-info" && command.argument() == ":status" {
                kept.replace_range(command.start..command.start + command.text.len(), "");
            }
        }
    }
    kept
}

/// The script with another logic, in the place of its own or at the start.
fn with_logic(text: &str, logic: &str) -> String {
    let set = format!("(set-logic {logic})");
    let mut changed = text.to_owned();
    match outline(text).commands.iter().find(|command| command.name == "set-logic") {
        Some(command) => changed.replace_range(command.start..command.start + command.text.len(), &set),
        None => changed.insert_str(0, &format!("{set}\n")),
    }
    changed
}

#[cfg(test)]
mod tests;
