//! Expressions: the sorts and terms of fusion functions, as SMT-LIB writes them, before they belong to a script.
//!
//! A function over `(_ BitVec m)` has no terms as long as nobody says what `m` is, so that it is kept as it is written:
//! words and lists. Parts are shared, and whatever walks an expression visits a shared part once. Nothing makes or
//! reads an expression deeper than [`MAX_EXPRESSION_DEPTH`], which is why walking may recurse.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// How deep an expression may nest.
pub const MAX_EXPRESSION_DEPTH: usize = 400;

/// A sort or a term as it is written.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SExpression {
    /// A name, a literal, a number.
    Word(Arc<str>),
    /// Expressions in parentheses.
    List(Arc<[SExpression]>),
}

impl SExpression {
    /// A word.
    pub fn word(text: &str) -> SExpression {
        SExpression::Word(text.into())
    }

    /// Expressions in parentheses.
    pub fn list(items: impl IntoIterator<Item = SExpression>) -> SExpression {
        SExpression::List(items.into_iter().collect())
    }

    /// An operator applied to arguments.
    pub fn apply(head: &str, arguments: impl IntoIterator<Item = SExpression>) -> SExpression {
        SExpression::list(std::iter::once(SExpression::word(head)).chain(arguments))
    }

    /// The conjunction of some of these, if there are any.
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

    /// The parts of a conjunction; itself, if it is none.
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

    /// The items of a list, none of a word.
    pub fn items(&self) -> &[SExpression] {
        match self {
            SExpression::Word(_) => &[],
            SExpression::List(items) => items,
        }
    }

    /// The name of an operator or sort: of itself, of what it applies, of what it indexes or qualifies.
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

    /// The expression with words replaced by what `change` says; parts that are shared stay so.
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

    /// All words, each once, in the order in which they first occur.
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

    /// How many words there are when it is written, and how deep they nest.
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

/// How large an expression is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SExpressionSize {
    /// Words that are written.
    pub words: u64,
    /// Levels of parentheses.
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
