//! The parts of a profile that say how a solver tells what it did: its trace and its statistics.

use serde::Deserialize;

use super::tables::Expression;

/// How a solver is made to write its steps to standard error, and how they are read.
///
/// Records follow each other without a rule: one may end in the middle of a line, and another part of the solver may speak
/// in between. So the text is read from its start, a record at a time, by the first row whose expression (which begins
/// with `^`) fits where the last one ended. A line of which no row takes the rest is unread.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRules {
    /// Arguments that make it write.
    pub arguments: Vec<String>,
    /// What stands between records, and what is no step: regular expressions.
    #[serde(default)]
    pub skip: Vec<Expression>,
    /// The records.
    pub record: Vec<TraceRecordRule>,
}

/// One kind of record in a trace.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRecordRule {
    /// The state that it stands for. What the groups of the expression caught is added: `xform` and `mk_slice` make
    /// `xform:mk_slice`.
    pub state: String,
    /// A regular expression for it. What it does not catch, such as numbers and names, is dropped.
    pub regex: Expression,
    /// Whether it is of the preparations, which options switch on and off, and not of the search.
    #[serde(default)]
    pub prelude: bool,
}

impl TraceRules {
    /// All regular expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.skip.iter().chain(self.record.iter().map(|record| &record.regex))
    }
}

/// How to learn the counters of a solver. Only whole numbers are counters: times and memory are not, since they differ
/// from run to run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatisticsRules {
    /// A command that prints them.
    pub command: String,
    /// A regular expression for a counter: its name and its number are the groups.
    pub counter: Expression,
    /// A regular expression for many counters under one name: the name and the text with all of them are the groups.
    pub table: Option<Expression>,
    /// A regular expression for a counter in such a text.
    pub entry: Option<Expression>,
}

impl StatisticsRules {
    /// All regular expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        [&self.counter].into_iter().chain(&self.table).chain(&self.entry)
    }
}
