//! The parts of a profile about the trace and the statistics that a solver prints.

use serde::Deserialize;

use super::tables::LazyRegex;

/// How to make a solver write a trace to standard error, and how to read it.
///
/// Records have no separators: one may end in the middle of a line, and other parts of the solver may print in between. So
/// the text is read from its start, one record at a time, by the first row whose expression (which begins with `^`) matches
/// where the last record ended. A line that no row matches is unread.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRules {
    /// Arguments that switch the trace on.
    pub arguments: Vec<String>,
    /// Regular expressions for text that is not a record.
    #[serde(default)]
    pub skip: Vec<LazyRegex>,
    /// The records.
    pub record: Vec<TraceRecordRule>,
}

/// One kind of record in a trace.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRecordRule {
    /// The state that it stands for. The groups of the expression are appended: `xform` and `mk_slice` make
    /// `xform:mk_slice`.
    pub state: String,
    /// A regular expression for it. Text outside of groups, such as numbers and names, is dropped.
    pub regex: LazyRegex,
    /// True if it belongs to preprocessing, which options switch on and off, and not to the search.
    #[serde(default)]
    pub prelude: bool,
}

impl TraceRules {
    /// All regular expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &LazyRegex> {
        self.skip.iter().chain(self.record.iter().map(|record| &record.regex))
    }
}

/// How to ask a solver for its counters. Only integers are counters: times and memory differ from run to run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatisticsRules {
    /// A command that prints them.
    pub command: String,
    /// A regular expression for a counter: its name and its number are the groups.
    pub counter: LazyRegex,
    /// A regular expression for many counters under one name: the name and the text with all of them are the groups.
    pub table: Option<LazyRegex>,
    /// A regular expression for a counter in such a text.
    pub entry: Option<LazyRegex>,
}

impl StatisticsRules {
    /// All regular expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &LazyRegex> {
        [&self.counter].into_iter().chain(&self.table).chain(&self.entry)
    }
}
