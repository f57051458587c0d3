//! Expressions: the sorts and terms of fusion functions, as SMT-LIB writes them, before they belong to a script.
//!
//! A function over `(_ BitVec m)` has no terms as long as nobody says what `m` is, so that it is kept as it is written:
//! words and lists. Parts are shared, and whatever walks an expression visits a shared part once. Nothing makes or
//! reads an expression deeper than [`DEPTH`], which is why walking may recurse.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// How deep an expression may nest.
pub const DEPTH: usize = 400;

/// A sort or a term as it is written.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Expression {
    /// A name, a literal, a number.
    Word(Arc<str>),
    /// Expressions in parentheses.
    List(Arc<[Expression]>),
}

impl Expression {
    /// A word.
    pub fn word(text: &str) -> Expression {
        Expression::Word(text.into())
    }

    /// Expressions in parentheses.
    pub fn list(items: impl IntoIterator<Item = Expression>) -> Expression {
        Expression::List(items.into_iter().collect())
    }

    /// An operator applied to arguments.
    pub fn apply(head: &str, arguments: impl IntoIterator<Item = Expression>) -> Expression {
        Expression::list(std::iter::once(Expression::word(head)).chain(arguments))
    }

    /// The conjunction of some of these, if there are any.
    pub fn all(conditions: impl IntoIterator<Item = Expression>) -> Option<Expression> {
        let mut all: Vec<Expression> = Vec::new();
        for condition in conditions {
            for part in condition.conjuncts() {
                if !all.contains(part) {
                    all.push(part.clone());
                }
            }
        }
        match all.len() {
            0 | 1 => all.pop(),
            _ => Some(Expression::apply("and", all)),
        }
    }

    /// The parts of a conjunction; itself, if it is none.
    pub fn conjuncts(&self) -> Vec<&Expression> {
        match self.items() {
            [Expression::Word(word), parts @ ..] if &**word == "and" => parts.iter().collect(),
            _ => vec![self],
        }
    }

    /// The text of a word.
    pub fn as_word(&self) -> Option<&str> {
        match self {
            Expression::Word(text) => Some(text),
            Expression::List(_) => None,
        }
    }

    /// The items of a list, none of a word.
    pub fn items(&self) -> &[Expression] {
        match self {
            Expression::Word(_) => &[],
            Expression::List(items) => items,
        }
    }

    /// The name of an operator or sort: of itself, of what it applies, of what it indexes or qualifies.
    pub fn head(&self) -> &str {
        match self {
            Expression::Word(text) => text,
            Expression::List(items) => match items.first() {
                Some(Expression::Word(word)) if matches!(&**word, "_" | "as") => {
                    items.get(1).map_or("", |name| name.head())
                }
                Some(first) => first.head(),
                None => "",
            },
        }
    }

    /// The expression with words replaced by what `change` says; parts that are shared stay so.
    pub fn replace(&self, change: &mut dyn FnMut(&str) -> Option<Expression>) -> Expression {
        self.replace_known(change, &mut HashMap::new())
    }

    fn replace_known(
        &self,
        change: &mut dyn FnMut(&str) -> Option<Expression>,
        known: &mut HashMap<*const Expression, Expression>,
    ) -> Expression {
        let items = match self {
            Expression::Word(text) => return change(text).unwrap_or_else(|| self.clone()),
            Expression::List(items) => items,
        };
        if let Some(done) = known.get(&items.as_ptr()) {
            return done.clone();
        }
        let done = Expression::list(items.iter().map(|item| item.replace_known(change, known)));
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
                Expression::Word(text) => {
                    if seen.insert(&**text) {
                        words.push(&**text);
                    }
                }
                Expression::List(items) => {
                    if lists.insert(items.as_ptr()) {
                        open.extend(items.iter().rev());
                    }
                }
            }
        }
        words
    }

    /// How many words there are when it is written, and how deep they nest.
    pub fn size(&self) -> Size {
        self.size_known(&mut HashMap::new())
    }

    fn size_known(&self, known: &mut HashMap<*const Expression, Size>) -> Size {
        let Expression::List(items) = self else { return Size { words: 1, depth: 0 } };
        if let Some(&size) = known.get(&items.as_ptr()) {
            return size;
        }
        let mut whole = Size { words: 0, depth: 0 };
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
pub struct Size {
    /// Words that are written.
    pub words: u64,
    /// Levels of parentheses.
    pub depth: usize,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Word(text) => f.write_str(text),
            Expression::List(items) => {
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

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
