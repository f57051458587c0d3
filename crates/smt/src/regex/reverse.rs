//! Reversal: the strings of a language, each read backwards.

use rustc_hash::FxHashMap;

use super::{Regex, RegexNode, Regexes};

impl Regexes {
    /// The strings of the language backwards (z3's `re.reverse`).
    pub fn reversed(&mut self, regex: Regex) -> Option<Regex> {
        let mut known: FxHashMap<Regex, Regex> = FxHashMap::default();
        let mut open = vec![regex];
        while let Some(&top) = open.last() {
            if known.contains_key(&top) {
                open.pop();
                continue;
            }
            self.spend(1)?;
            let node = self.node(top).clone();
            let parts: Vec<Regex> = match &node {
                RegexNode::Empty | RegexNode::Set(_) => Vec::new(),
                RegexNode::Complement(inner) | RegexNode::Star(inner) | RegexNode::Loop(inner, _) => {
                    vec![*inner]
                }
                RegexNode::Concat(first, second) => vec![*first, *second],
                RegexNode::Union(members) | RegexNode::Intersection(members) => members.to_vec(),
            };
            self.spend(parts.len())?;
            let waiting = open.len();
            open.extend(parts.iter().filter(|part| !known.contains_key(part)));
            if open.len() == waiting {
                let parts: Vec<Regex> = parts.iter().map(|part| known[part]).collect();
                let reversed = self.backwards(top, &node, &parts)?;
                known.insert(top, reversed);
            }
        }
        known.get(&regex).copied()
    }

    /// The reversal of a node, given those of its parts.
    fn backwards(&mut self, regex: Regex, node: &RegexNode, parts: &[Regex]) -> Option<Regex> {
        match (node, parts) {
            (RegexNode::Complement(_), &[inner]) => self.complement(inner),
            (RegexNode::Star(_), &[inner]) => self.star(inner),
            (RegexNode::Loop(_, bounds), &[inner]) => self.repeat(inner, bounds.least, bounds.most),
            (RegexNode::Concat(..), &[first, second]) => self.join(second, first),
            (RegexNode::Union(_), members) => self.union(members),
            (RegexNode::Intersection(_), members) => self.intersection(members),
            // A string of at most one character is its own reversal.
            _ => Some(regex),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reversed_expression_matches_reversed_strings_only() {
        let mut regexes = Regexes::new(100_000);
        let word = |regexes: &mut Regexes, text: &str| {
            let codes: Vec<u32> = text.chars().map(u32::from).collect();
            regexes.word(&codes).unwrap()
        };
        let (a, b, ab) = (word(&mut regexes, "a"), word(&mut regexes, "b"), word(&mut regexes, "ab"));
        // ((ab){1,2} | a) b* without the words that begin with ba
        let loops = regexes.repeat(ab, 1, Some(2)).unwrap();
        let start = regexes.union(&[loops, a]).unwrap();
        let rest = regexes.star(b).unwrap();
        let whole = regexes.concat(&[start, rest]).unwrap();
        let ending = regexes.concat(&[ab, Regex::ALL]).unwrap();
        let language = regexes.difference(whole, ending).unwrap();
        let reversed = regexes.reversed(language).unwrap();
        let mut words: Vec<Vec<u32>> = vec![Vec::new()];
        for place in 0..126 {
            for letter in [97, 98] {
                let longer = [words[place].as_slice(), &[letter]].concat();
                words.push(longer);
            }
        }
        let mut matching = 0;
        for text in words {
            let backwards: Vec<u32> = text.iter().rev().copied().collect();
            let is_in = regexes.matches(&text, language).unwrap();
            assert_eq!(regexes.matches(&backwards, reversed), Some(is_in), "{text:?}");
            matching += usize::from(is_in);
        }
        assert!(matching > 0);
        assert_ne!(reversed, language);
    }
}
