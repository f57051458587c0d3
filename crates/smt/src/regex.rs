//! Regular expressions over strings, and questions about their languages.
//!
//! An expression is a hash-consed node of an arena ([`Regexes`]), simplified as it is built
//! (`regex/build.rs`). Membership is decided by derivatives (Brzozowski 1964): the derivative of a language
//! by a character is the set of strings that may follow that character, and is an expression again, also under
//! complement and intersection (`regex/derive.rs`). Loops are kept as loops: `(_ re.^ 1000000)` is one node.
//!
//! There can be many derivatives. Everything that builds or derives takes steps from a budget, and returns `None`
//! when it is exhausted: undecided, in bounded time and memory.
//!
//! ```
//! use gainsay_smt::{regex::Regexes, text::Text};
//!
//! let mut regexes = Regexes::new(1000);
//! let word = regexes.word(&Text::read(r#""ab""#).unwrap()).unwrap();
//! let words = regexes.star(word).unwrap();
//! assert_eq!(regexes.matches(&Text::read(r#""abab""#).unwrap(), words), Some(true));
//! ```

mod build;
mod char_set;
mod derive;
mod language;
mod reverse;
mod search;
#[cfg(test)]
mod word_list_tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use char_set::CharSet;

/// A regular expression of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Regex(u32);

impl Regex {
    /// `re.none`: no string.
    pub const NONE: Regex = Regex(0);
    /// `(str.to_re "")`: the empty string only.
    pub const EMPTY: Regex = Regex(1);
    /// `re.allchar`: all strings of one character.
    pub const ALL_CHAR: Regex = Regex(2);
    /// `re.all`: all strings.
    pub const ALL: Regex = Regex(3);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A regular expression. Lists are sorted, without duplicates, and contain no list of the same kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RegexNode {
    /// The empty string.
    Empty,
    /// One character of a set; the empty set matches no string.
    Set(CharSet),
    Concat(Regex, Regex),
    Union(Arc<[Regex]>),
    Intersection(Arc<[Regex]>),
    Complement(Regex),
    Star(Regex),
    Loop(Regex, RepeatBounds),
}

/// The bounds of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RepeatBounds {
    least: u64,
    /// `None` is no upper bound.
    most: Option<u64>,
}

/// An arena of regular expressions with a budget of steps.
#[derive(Clone, Debug)]
pub struct Regexes {
    nodes: Vec<RegexNode>,
    /// Whether the empty string is in the language.
    nullable: Vec<bool>,
    ids: FxHashMap<RegexNode, Regex>,
    derivatives: FxHashMap<(Regex, u32), Regex>,
    steps: u64,
}

impl Regexes {
    /// An arena with a budget of so many steps, each of which takes little time and memory.
    pub fn new(steps: u64) -> Regexes {
        let mut regexes = Regexes {
            nodes: Vec::new(),
            nullable: Vec::new(),
            ids: FxHashMap::default(),
            derivatives: FxHashMap::default(),
            steps,
        };
        let constants = [
            RegexNode::Set(CharSet::empty()),
            RegexNode::Empty,
            RegexNode::Set(CharSet::full()),
            RegexNode::Star(Regex::ALL_CHAR),
        ];
        for node in constants {
            regexes.add(node);
        }
        regexes
    }

    /// The remaining steps.
    pub fn steps_left(&self) -> u64 {
        self.steps
    }

    /// Returns true if the empty string is in the language.
    pub fn is_nullable(&self, regex: Regex) -> bool {
        self.nullable[regex.index()]
    }

    fn node(&self, regex: Regex) -> &RegexNode {
        &self.nodes[regex.index()]
    }

    /// Takes steps from the budget.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(steps as u64)?;
        Some(())
    }

    /// The expression of a node; a new one costs a step.
    fn intern(&mut self, node: RegexNode) -> Option<Regex> {
        if let Some(known) = self.ids.get(&node) {
            return Some(*known);
        }
        self.spend(1)?;
        // The budget is far below the number of ids; memory would run out before.
        u32::try_from(self.nodes.len()).ok()?;
        Some(self.add(node))
    }

    fn add(&mut self, node: RegexNode) -> Regex {
        let nullable = |regex: &Regex| self.nullable[regex.index()];
        let empty_in = match &node {
            RegexNode::Empty | RegexNode::Star(_) => true,
            RegexNode::Set(_) => false,
            RegexNode::Concat(first, second) => nullable(first) && nullable(second),
            RegexNode::Union(members) => members.iter().any(nullable),
            RegexNode::Intersection(members) => members.iter().all(nullable),
            RegexNode::Complement(inner) => !nullable(inner),
            RegexNode::Loop(inner, count) => count.least == 0 || nullable(inner),
        };
        let id = Regex(self.nodes.len() as u32);
        self.nullable.push(empty_in);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }
}
