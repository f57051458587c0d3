//! S-expressions: the sorts and terms of fusion functions in SMT-LIB syntax, before they belong to a script.
//!
//! A function over `(_ BitVec m)` has no terms until `m` is known, so it is kept as words and lists. Parts are shared,
//! and every traversal visits a shared part once. No expression is deeper than [`MAX_EXPRESSION_DEPTH`], so traversals
//! may recurse.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The deepest nesting of an expression.
pub const MAX_EXPRESSION_DEPTH: usize = 400;

/// A sort or term in SMT-LIB syntax.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SExpression {
    /// A symbol, literal or number.
    Word(Arc<str>),
    /// A list in parentheses.
    List(Arc<[SExpression]>),
}

impl SExpression {
    /// A word.
    pub fn word(text: &str) -> SExpression {
        SExpression::Word(text.into())
    }

    /// A list in parentheses.
    pub fn list(items: impl IntoIterator<Item = SExpression>) -> SExpression {
        SExpression::List(items.into_iter().collect())
    }

    /// An operator applied to arguments.
    pub fn apply(head: &str, arguments: impl IntoIterator<Item = SExpression>) -> SExpression {
        SExpression::list(std::iter::once(SExpression::word(head)).chain(arguments))
    }

    /// The conjunction of these without duplicates, if there are any.
    pub fn all(conditions: impl IntoIterator<Item = SExpression>) -> Option<SExpression> {
        let mut all: Vec<SExpression> = Vec::new();
        for condition in conditions {
            for part in condition.conjuncts() {
                if !all.contains(part) {
                    all.push(part.clone());
                }
            }
        }
        match all.len() {
            0 | 1 => all.pop(),
            _ => Some(SExpression::apply("and", all)),
        }
    }

    /// The parts of a conjunction; for another term, the term itself.
    pub fn conjuncts(&self) -> Vec<&SExpression> {
        match self.items() {
            [SExpression::Word(word), parts @ ..] if &**word == "and" => parts.iter().collect(),
            _ => vec![self],
        }
    }

    /// The text of a word.
    pub fn as_word(&self) -> Option<&str> {
        match self {
            SExpression::Word(text) => Some(text),
            SExpression::List(_) => None,
        }
    }

    /// The items of a list; empty for a word.
    pub fn items(&self) -> &[SExpression] {
        match self {
            SExpression::Word(_) => &[],
            SExpression::List(items) => items,
        }
    }

    /// The operator or sort constructor, without application, indices and qualifier.
    pub fn head(&self) -> &str {
        match self {
            SExpression::Word(text) => text,
            SExpression::List(items) => match items.first() {
                Some(SExpression::Word(word)) if matches!(&**word, "_" | "as") => {
                    items.get(1).map_or("", |name| name.head())
                }
                Some(first) => first.head(),
                None => "",
            },
        }
    }

    /// Replaces words for which `change` returns an expression; shared parts stay shared.
    pub fn replace(&self, change: &mut dyn FnMut(&str) -> Option<SExpression>) -> SExpression {
        self.replace_known(change, &mut HashMap::new())
    }

    fn replace_known(
        &self,
        change: &mut dyn FnMut(&str) -> Option<SExpression>,
        known: &mut HashMap<*const SExpression, SExpression>,
    ) -> SExpression {
        let items = match self {
            SExpression::Word(text) => return change(text).unwrap_or_else(|| self.clone()),
            SExpression::List(items) => items,
        };
        if let Some(done) = known.get(&items.as_ptr()) {
            return done.clone();
        }
        let done = SExpression::list(items.iter().map(|item| item.replace_known(change, known)));
        known.insert(items.as_ptr(), done.clone());
        done
    }

    /// Whether a word occurs.
    pub fn mentions(&self, word: &str) -> bool {
        self.words().iter().any(|other| **other == *word)
    }

    /// All distinct words, in the order of their first occurrence.
    pub fn words(&self) -> Vec<&str> {
        let (mut words, mut seen, mut open) = (Vec::new(), std::collections::HashSet::new(), vec![self]);
        let mut lists = std::collections::HashSet::new();
        while let Some(next) = open.pop() {
            match next {
                SExpression::Word(text) => {
                    if seen.insert(&**text) {
                        words.push(&**text);
                    }
                }
                SExpression::List(items) => {
                    if lists.insert(items.as_ptr()) {
                        open.extend(items.iter().rev());
                    }
                }
            }
        }
        words
    }

    /// The number of words when written, and the nesting depth.
    pub fn size(&self) -> SExpressionSize {
        self.size_known(&mut HashMap::new())
    }

    fn size_known(&self, known: &mut HashMap<*const SExpression, SExpressionSize>) -> SExpressionSize {
        let SExpression::List(items) = self else { return SExpressionSize { words: 1, depth: 0 } };
        if let Some(&size) = known.get(&items.as_ptr()) {
            return size;
        }
        let mut whole = SExpressionSize { words: 0, depth: 0 };
        for item in items.iter() {
            let part = item.size_known(known);
            whole.words = whole.words.saturating_add(part.words);
            whole.depth = whole.depth.max(part.depth + 1);
        }
        known.insert(items.as_ptr(), whole);
        whole
    }
}

/// The size of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SExpressionSize {
    /// Words when written.
    pub words: u64,
    /// Nesting depth of lists.
    pub depth: usize,
}

impl fmt::Display for SExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SExpression::Word(text) => f.write_str(text),
            SExpression::List(items) => {
                f.write_str("(")?;
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        f.write_str(" ")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

impl fmt::Debug for SExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
