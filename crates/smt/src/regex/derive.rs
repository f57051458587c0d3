//! Derivatives: the strings that may follow a character.

use super::{Regex, RegexNode, Regexes, RepeatBounds};

impl Regexes {
    /// The strings that may follow `code` in the language (z3's `re.derivative`).
    pub fn derivative(&mut self, regex: Regex, code: u32) -> Option<Regex> {
        let mut open = vec![regex];
        while let Some(&top) = open.last() {
            if self.derivatives.contains_key(&(top, code)) {
                open.pop();
                continue;
            }
            self.spend(1)?;
            let node = self.node(top).clone();
            let waiting = open.len();
            self.open_parts(&node, code, &mut open)?;
            if open.len() == waiting {
                let derivative = self.combine(&node, code)?;
                self.derivatives.insert((top, code), derivative);
            }
        }
        self.derivatives.get(&(regex, code)).copied()
    }

    /// Adds the parts whose derivatives are needed and not computed yet.
    fn open_parts(&mut self, node: &RegexNode, code: u32, open: &mut Vec<Regex>) -> Option<()> {
        let mut need = |part: Regex| {
            if !self.derivatives.contains_key(&(part, code)) {
                open.push(part);
            }
        };
        match node {
            RegexNode::Empty | RegexNode::Set(_) => {}
            RegexNode::Complement(inner) | RegexNode::Star(inner) | RegexNode::Loop(inner, _) => need(*inner),
            RegexNode::Concat(first, second) => {
                need(*first);
                if self.nullable[first.index()] {
                    need(*second);
                }
            }
            RegexNode::Union(members) | RegexNode::Intersection(members) => {
                members.iter().copied().for_each(need);
                self.spend(members.len())?;
            }
        }
        Some(())
    }

    /// The derivative of a node, given the derivatives of its parts.
    fn combine(&mut self, node: &RegexNode, code: u32) -> Option<Regex> {
        let of = |regexes: &Regexes, part: &Regex| regexes.derivatives[&(*part, code)];
        match node {
            RegexNode::Empty => Some(Regex::NONE),
            RegexNode::Set(set) => Some(if set.contains(code) { Regex::EMPTY } else { Regex::NONE }),
            RegexNode::Complement(inner) => self.complement(of(self, inner)),
            RegexNode::Star(inner) => {
                let again = self.star(*inner)?;
                self.join(of(self, inner), again)
            }
            RegexNode::Loop(inner, RepeatBounds { least, most }) => {
                // This holds for a nullable inner expression, too: a skipped repetition counts as a last one.
                let most = most.map(|most| most.saturating_sub(1));
                let again = self.repeat(*inner, least.saturating_sub(1), most)?;
                self.join(of(self, inner), again)
            }
            RegexNode::Concat(first, second) => {
                let inside = self.join(of(self, first), *second)?;
                if self.is_nullable(*first) {
                    let after = of(self, second);
                    self.union(&[inside, after])
                } else {
                    Some(inside)
                }
            }
            RegexNode::Union(members) => {
                let members: Vec<Regex> = members.iter().map(|member| of(self, member)).collect();
                self.union(&members)
            }
            RegexNode::Intersection(members) => {
                let members: Vec<Regex> = members.iter().map(|member| of(self, member)).collect();
                self.intersection(&members)
            }
        }
    }
}
