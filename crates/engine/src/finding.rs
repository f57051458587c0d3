//! Findings: a bug of a solver, with its suspects, the strength of the evidence and a fingerprint.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub mod fingerprint;

pub use fingerprint::Fingerprint;

/// Something wrong with a solver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct Finding {
    /// The kind of bug.
    pub kind: FindingKind,
    /// The solver at fault, or all that contradict each other.
    #[serde(rename = "suspect", serialize_with = "joined")]
    #[schemars(with = "String")]
    pub suspects: Suspects,
    /// How sure we are.
    pub evidence: Evidence,
    /// Equal for two sightings of one bug.
    #[schemars(with = "String")]
    pub fingerprint: Fingerprint,
    /// The reason, in one line.
    pub explanation: String,
    /// Whether it shows only when the solver is asked for a model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_model: bool,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// The solver crashed, or an assertion of its own failed.
    Crash,
    /// The solver answers unsat to a satisfiable script.
    Refutation,
    /// The solver answers sat to an unsatisfiable script.
    Solution,
    /// The solver returned an invalid model.
    Model,
    /// The solver's reply to another question than check-sat is wrong: an unsat core, a value, an objective.
    Reply,
    /// Solvers contradict each other.
    Disagreement,
    /// The answer is not the one that the script was made to have.
    Promise,
    /// The solver is much slower than others.
    Performance,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Two answers contradict each other, and nothing tells which is wrong.
    Disagreement,
    /// Two solvers of different code bases contradict the suspect, or one does and the promise agrees.
    Corroborated,
    /// Our own evaluator checked it, or the solver crashed.
    Proved,
}

/// The solvers that a finding suspects, by their names with version and options. Several only if nothing tells which of
/// them is wrong.
///
/// Records hold a list; records of older releases hold the names joined by `and`, and are read as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Suspects(Vec<String>);

/// What stands between the names of suspects in text for people.
const SUSPECT_SEPARATOR: &str = " and ";

impl Suspects {
    /// Returns true if a solver of this name is suspected.
    pub fn contains(&self, solver: &str) -> bool {
        self.0.iter().any(|name| name == solver)
    }

    /// Their names.
    pub fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().map(String::as_str)
    }

    /// The first of them.
    pub fn first(&self) -> Option<&str> {
        self.0.first().map(String::as_str)
    }

    /// Reads what [`Suspects::to_record`] wrote, or the joined names of an older release.
    pub fn from_record(text: &str) -> Self {
        serde_json::from_str(text).map_or_else(|_| Suspects::from_joined(text), Suspects)
    }

    /// As text for a column of a store.
    pub fn to_record(&self) -> String {
        serde_json::to_string(&self.0).expect("a list of strings can be written as JSON")
    }

    fn from_joined(text: &str) -> Self {
        text.split(SUSPECT_SEPARATOR).map(str::to_owned).collect()
    }
}

impl<S: Into<String>> FromIterator<S> for Suspects {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Suspects(names.into_iter().map(Into::into).collect())
    }
}

impl From<&str> for Suspects {
    fn from(name: &str) -> Self {
        Suspects(vec![name.to_owned()])
    }
}

impl fmt::Display for Suspects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(SUSPECT_SEPARATOR))
    }
}

impl<'de> Deserialize<'de> for Suspects {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Joined(String),
            List(Vec<String>),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Joined(text) => Suspects::from_joined(&text),
            Written::List(names) => Suspects(names),
        })
    }
}

/// `--json` shows suspects as one string, as it always did.
fn joined<S: Serializer>(suspects: &Suspects, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(suspects)
}

impl Finding {
    /// Returns true if another finding reports the same bug of the same solvers, in whatever logic.
    pub fn is_same(&self, other: &Finding) -> bool {
        self.kind == other.kind
            && self.suspects == other.suspects
            && self.fingerprint.is_same_bug(&other.fingerprint)
    }

    /// Returns true if this finding reports the bug of another one, or the same with fewer passes.
    pub fn is_same_or_simpler(&self, other: &Finding) -> bool {
        self.kind == other.kind
            && self.suspects == other.suspects
            && self.fingerprint.is_same_bug_or_simpler(&other.fingerprint)
    }
}

impl FindingKind {
    /// Every kind, in the order in which maintainers want to hear of them.
    pub const BY_SEVERITY: [FindingKind; 8] = [
        FindingKind::Refutation,
        FindingKind::Solution,
        FindingKind::Model,
        FindingKind::Reply,
        FindingKind::Crash,
        FindingKind::Disagreement,
        FindingKind::Promise,
        FindingKind::Performance,
    ];

    /// Its place in that order.
    pub fn severity(self) -> usize {
        FindingKind::BY_SEVERITY.iter().position(|&kind| kind == self).expect("every kind is in the list")
    }

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Crash => "crash",
            FindingKind::Refutation => "refutation",
            FindingKind::Solution => "solution",
            FindingKind::Model => "model",
            FindingKind::Reply => "reply",
            FindingKind::Disagreement => "disagreement",
            FindingKind::Promise => "promise",
            FindingKind::Performance => "performance",
        }
    }
}

impl Evidence {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Disagreement => "disagreement",
            Evidence::Corroborated => "corroborated",
            Evidence::Proved => "proved",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.kind.name(), self.evidence.name(), self.explanation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspects_are_read_as_a_list_or_as_older_releases_joined_them() {
        let both: Suspects = ["z3@4.8.10", "z3=/a and b/z3"].into_iter().collect();
        assert_eq!(Suspects::from_record(&both.to_record()), both);
        assert_eq!(Suspects::from_record("z3 and cvc5"), ["z3", "cvc5"].into_iter().collect());
        assert_eq!(serde_json::from_str::<Suspects>("\"z3 and cvc5\"").unwrap().to_string(), "z3 and cvc5");
        let list = serde_json::to_string(&both).unwrap();
        assert_eq!(serde_json::from_str::<Suspects>(&list).unwrap(), both);
    }
}
