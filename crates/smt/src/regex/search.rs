//! Membership, and matches inside of a string: the leftmost one, and among those the shortest.
//!
//! This is how the standard defines `str.replace_re` (which accepts an empty match) and `str.replace_re_all`
//! (which does not). `None` always means that the budget or the limit was exceeded.

use std::ops::Range;

use dashu_int::IBig;

use super::{Regex, Regexes};
use crate::sequence;

impl Regexes {
    /// `str.in_re`: whether the string is in the language.
    pub fn matches(&mut self, text: &[u32], regex: Regex) -> Option<bool> {
        let mut state = regex;
        for code in text {
            match state {
                Regex::NONE => return Some(false),
                Regex::ALL => return Some(true),
                _ => state = self.step(state, *code)?,
            }
        }
        Some(self.is_nullable(state))
    }

    /// cvc5's `str.indexof_re`: the start of the first match at or after a position; `None` if out of range.
    pub fn index_of(&mut self, text: &[u32], regex: Regex, from: &IBig) -> Option<Option<usize>> {
        let Some(from) = usize::try_from(from).ok().filter(|from| *from <= text.len()) else {
            return Some(None);
        };
        let place = self.leftmost(text, regex, from, ShortestMatch::Empty)?;
        Some(place.map(|place| place.start))
    }

    /// `str.replace_re`: replaces the leftmost shortest match, if there is one.
    pub fn replace(&mut self, text: &[u32], regex: Regex, by: &[u32], limit: usize) -> Option<Vec<u32>> {
        match self.leftmost(text, regex, 0, ShortestMatch::Empty)? {
            Some(place) => sequence::concat(&[&text[..place.start], by, &text[place.end..]], limit),
            None => sequence::concat(&[text], limit),
        }
    }

    /// `str.replace_re_all`: replaces each leftmost shortest nonempty match, from the left.
    pub fn replace_all(&mut self, text: &[u32], regex: Regex, by: &[u32], limit: usize) -> Option<Vec<u32>> {
        let mut parts = Vec::new();
        let mut done = 0;
        while let Some(place) = self.leftmost(text, regex, done, ShortestMatch::Character)? {
            parts.extend([&text[done..place.start], by]);
            done = place.end;
        }
        parts.push(&text[done..]);
        sequence::concat(&parts, limit)
    }

    /// The leftmost match from a position on, and among those the shortest.
    fn leftmost(
        &mut self,
        text: &[u32],
        regex: Regex,
        from: usize,
        shortest: ShortestMatch,
    ) -> Option<Option<Range<usize>>> {
        for start in from..=text.len() {
            if let Some(length) = self.shortest(&text[start..], regex, shortest)? {
                return Some(Some(start..start + length));
            }
        }
        Some(None)
    }

    /// The length of the shortest match at the start of the text.
    fn shortest(&mut self, text: &[u32], regex: Regex, shortest: ShortestMatch) -> Option<Option<usize>> {
        if shortest == ShortestMatch::Empty && self.is_nullable(regex) {
            return Some(Some(0));
        }
        let mut state = regex;
        for (before, code) in text.iter().enumerate() {
            state = self.step(state, *code)?;
            if self.is_nullable(state) {
                return Some(Some(before + 1));
            }
            if state == Regex::NONE {
                break;
            }
        }
        Some(None)
    }

    /// A derivative, for at least one step: long strings take time even if all derivatives are known.
    fn step(&mut self, state: Regex, code: u32) -> Option<Regex> {
        self.spend(1)?;
        self.derivative(state, code)
    }
}

/// The minimal length of a match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShortestMatch {
    Empty,
    Character,
}
