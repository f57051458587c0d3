//! Emptiness and equality of languages.
//!
//! The derivatives of an expression by all characters are the states of an automaton. Characters that no set
//! of the expression distinguishes have equal derivatives, so one of each class is enough.

use rustc_hash::FxHashSet;

use super::{Regex, RegexNode, Regexes};

impl Regexes {
    /// Whether the language is empty.
    pub fn is_empty(&mut self, regex: Regex) -> Option<bool> {
        let characters = self.characters(regex)?;
        let mut seen = FxHashSet::from_iter([regex]);
        let mut open = vec![regex];
        while let Some(state) = open.pop() {
            if self.is_nullable(state) {
                return Some(false);
            }
            for code in &characters {
                self.spend(1)?;
                let next = self.derivative(state, *code)?;
                if next != Regex::NONE && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        Some(true)
    }

    /// `=`: whether two languages are equal.
    pub fn equal(&mut self, first: Regex, second: Regex) -> Option<bool> {
        let difference = self.symmetric_difference(first, second)?;
        self.is_empty(difference)
    }

    /// A character of each class that the expression distinguishes.
    fn characters(&mut self, regex: Regex) -> Option<Vec<u32>> {
        let mut firsts = vec![0];
        let mut seen = FxHashSet::from_iter([regex]);
        let mut open = vec![regex];
        while let Some(part) = open.pop() {
            self.spend(1)?;
            let parts = match self.node(part) {
                RegexNode::Empty => Vec::new(),
                RegexNode::Set(set) => {
                    // A class of characters begins at the start of a range and after the end of one.
                    firsts.extend(set.ranges().iter().flat_map(|(first, last)| [*first, *last + 1]));
                    Vec::new()
                }
                RegexNode::Complement(inner) | RegexNode::Star(inner) | RegexNode::Loop(inner, _) => {
                    vec![*inner]
                }
                RegexNode::Concat(first, second) => vec![*first, *second],
                RegexNode::Union(members) | RegexNode::Intersection(members) => members.to_vec(),
            };
            self.spend(parts.len())?;
            open.extend(parts.into_iter().filter(|part| seen.insert(*part)));
        }
        firsts.sort_unstable();
        firsts.dedup();
        firsts.retain(|code| *code <= crate::text::MAX_CODE_POINT);
        Some(firsts)
    }
}
