//! Replies: what a solver says to commands that ask for more than sat or unsat.
//!
//! ```text
//! (check-sat)          unsat
//! (get-unsat-core)     (a b)          the reply to the question `core`
//! ```
//!
//! `session/replies.rs` finds them in the output of a run, and `session/claim_checker.rs` checks them.

use serde::{Deserialize, Serialize};

use super::{QuestionKind, Statement};
use crate::finding::Evidence;

/// What a solver replied to one command, and what came of checking it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The question that the command asks.
    pub kind: QuestionKind,
    /// The command: its index in the script.
    pub command: usize,
    /// The check before it, from 0; `None` if no check precedes it.
    pub check: Option<usize>,
    /// The reply as printed.
    pub text: String,
    /// The result of checking it.
    #[serde(default)]
    pub judgement: ReplyCheck,
}

/// The result of checking a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyCheck {
    /// It was not checked yet.
    #[default]
    Pending,
    /// Everything that it implies is so.
    Holds,
    /// It is wrong.
    Fails(ReplyFailure),
    /// It proves nothing, and why.
    Unclear(String),
}

/// How a reply is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyFailure {
    /// What tells it from other wrong replies, in one word: the question, with the tactic or command if it has one.
    pub detail: String,
    /// The reason, in one line.
    pub why: String,
    /// How sure it is.
    pub evidence: Evidence,
    /// The solvers of other code bases that contradict it, if nothing tells which of them is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicted_by: Vec<String>,
    /// The code bases of these solvers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<String>,
}

impl ReplyFailure {
    /// A failure that the reply itself proves.
    pub fn proved(detail: String, why: String) -> Self {
        ReplyFailure {
            detail,
            why,
            evidence: Evidence::Proved,
            contradicted_by: Vec::new(),
            families: Vec::new(),
        }
    }
}

impl Statement {
    /// Its replies that are wrong.
    pub fn wrong_replies(&self) -> impl Iterator<Item = (&Reply, &ReplyFailure)> {
        let replies = self.replies.iter().filter(|_| self.counts());
        replies.filter_map(|reply| match &reply.judgement {
            ReplyCheck::Fails(failure) => Some((reply, failure)),
            _ => None,
        })
    }
}

/// The expressions of a text, as text: words and lists. An expression that is not closed is left out.
pub fn expressions(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut found, mut depth, mut start, mut at) = (Vec::new(), 0_usize, None::<usize>, 0);
    let end_of = |from: usize, byte: u8| {
        bytes[from..].iter().position(|&one| one == byte).map_or(bytes.len(), |length| from + length + 1)
    };
    while at < bytes.len() {
        let byte = bytes[at];
        let is_inside = depth > 0;
        let ends_word = byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b';');
        if let Some(from) = start.filter(|_| !is_inside && ends_word) {
            found.push(&text[from..at]);
            start = None;
        }
        at = match byte {
            b';' => end_of(at, b'\n'),
            b'"' | b'|' => {
                start.get_or_insert(at);
                end_of(at + 1, byte)
            }
            b'(' => {
                depth += 1;
                start.get_or_insert(at);
                at + 1
            }
            b')' => {
                depth = depth.saturating_sub(1);
                if let Some(from) = start.filter(|_| is_inside && depth == 0) {
                    found.push(&text[from..=at]);
                    start = None;
                }
                at + 1
            }
            _ if ends_word => at + 1,
            _ => {
                start.get_or_insert(at);
                at + 1
            }
        };
    }
    if let Some(from) = start.filter(|_| depth == 0) {
        found.push(&text[from..]);
    }
    found
}

/// The first expression of a text; `None` if it is not closed.
pub fn first_expression(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while at < bytes.len() {
        at = match bytes[at] {
            quote @ (b'"' | b'|') => at + 2 + bytes[at + 1..].iter().position(|&byte| byte == quote)?,
            b'(' => {
                depth += 1;
                at + 1
            }
            b')' => {
                depth = depth.checked_sub(1)?;
                at + 1
            }
            byte if byte.is_ascii_whitespace() => at + 1,
            _ => {
                let is_inside =
                    |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'(' | b')' | b'"' | b'|');
                at + bytes[at..].iter().take_while(|byte| is_inside(byte)).count()
            }
        };
        if depth == 0 {
            return Some(&text[..at]);
        }
    }
    None
}

/// The expressions in a list: `a` and `(b c)` of `(a (b c))`; nothing for a word.
pub fn items(list: &str) -> Vec<&str> {
    match list.strip_prefix('(').and_then(|list| list.strip_suffix(')')) {
        Some(inside) => expressions(inside),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_cut_into_words_and_lists() {
        assert_eq!(expressions("sat\n(a |b )| \"(\") ; x )\nunsat"), ["sat", "(a |b )| \"(\")", "unsat"]);
        assert_eq!(expressions("(a (b"), [""; 0]);
        assert_eq!(items("(a (b c) |d e|)"), ["a", "(b c)", "|d e|"]);
        assert_eq!(items("a"), [""; 0]);
    }

    #[test]
    fn the_first_expression_ends_with_its_last_parenthesis() {
        assert_eq!(first_expression(" (a |b )| \")\" c) d"), Some("(a |b )| \")\" c)"));
        assert_eq!(first_expression("ab(c"), Some("ab"));
        assert_eq!(first_expression("(a (b) "), None);
        assert_eq!(first_expression(") a"), None);
        assert_eq!(first_expression(""), None);
    }
}
