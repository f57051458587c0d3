//! Regular expressions over strings, and what can be asked of their languages.
//!
//! An expression is a node of an arena in which equal ones are one ([`Regexes`]), made simpler as it is built
//! (`regex/build.rs`). Membership is decided by derivatives (Brzozowski 1964): the derivative of a language
//! by a character is what may follow that character, and is an expression again, also under complement and
//! intersection (`regex/derive.rs`). Loops are kept as loops: `(_ re.^ 1000000)` is one node.
//!
//! Derivatives can become many. Everything that builds or derives takes steps from a budget, and is `None`
//! when there are none left: undecided, in bounded time and memory.
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

/// What an expression is made of. Lists are sorted, without doubles, and hold no list of their own kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RegexNode {
    /// The empty string.
    Empty,
    /// One character of a set; of the empty set it is no string at all.
    Set(CharSet),
    Concat(Regex, Regex),
    Union(Arc<[Regex]>),
    Intersection(Arc<[Regex]>),
    Complement(Regex),
    Star(Regex),
    Loop(Regex, RepeatBounds),
}

/// How often a loop goes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RepeatBounds {
    least: u64,
    /// No number: as often as you like.
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
    /// An arena that may take so many steps, each of which is a small amount of time and memory.
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

    /// The steps that are left.
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

    /// The expression of a node, for a step if it is new.
    fn intern(&mut self, node: RegexNode) -> Option<Regex> {
        if let Some(known) = self.ids.get(&node) {
            return Some(*known);
        }
        self.spend(1)?;
        // The budget is far below the number of ids, or memory would have been used up before.
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
