//! The operators, which simplify as they build.
//!
//! Simplification is necessary: the number of derivatives is finite only up to order, duplicates and nesting of
//! unions, and the more of them are one node, the fewer there are.

use super::{CharSet, Regex, RegexNode, Regexes, RepeatBounds};

impl Regexes {
    /// `str.to_re`: the language of one string.
    pub fn word(&mut self, text: &[u32]) -> Option<Regex> {
        let mut regex = Regex::EMPTY;
        for code in text.iter().rev() {
            let first = self.set(CharSet::range(*code, *code))?;
            regex = self.join(first, regex)?;
        }
        Some(regex)
    }

    /// `re.range`: the strings of one character between two strings of one character; otherwise the empty language.
    pub fn range(&mut self, first: &[u32], last: &[u32]) -> Option<Regex> {
        match (first, last) {
            ([first], [last]) => self.set(CharSet::range(*first, *last)),
            _ => Some(Regex::NONE),
        }
    }

    /// `re.++`: the concatenation.
    pub fn concat(&mut self, parts: &[Regex]) -> Option<Regex> {
        self.spend(parts.len())?;
        parts.iter().rev().try_fold(Regex::EMPTY, |rest, part| self.join(*part, rest))
    }

    /// `re.union`: the union.
    pub fn union(&mut self, parts: &[Regex]) -> Option<Regex> {
        let mut members = self.members(parts, SetOperator::Union)?;
        if members.contains(&Regex::ALL) || self.has_opposites(&members) {
            return Some(Regex::ALL);
        }
        let merged = CharSet::union(&self.take_sets(&mut members));
        let merged = self.set(merged)?;
        if merged != Regex::NONE {
            members.push(merged);
        }
        // The empty string is redundant if another member contains it.
        if members.iter().any(|member| *member != Regex::EMPTY && self.is_nullable(*member)) {
            members.retain(|member| *member != Regex::EMPTY);
        }
        self.mixed(members, SetOperator::Union)
    }

    /// `re.inter`: the intersection.
    pub fn intersection(&mut self, parts: &[Regex]) -> Option<Regex> {
        let mut members = self.members(parts, SetOperator::Intersection)?;
        if members.contains(&Regex::NONE) || self.has_opposites(&members) {
            return Some(Regex::NONE);
        }
        if members.contains(&Regex::EMPTY) {
            let all = members.iter().all(|member| self.is_nullable(*member));
            return Some(if all { Regex::EMPTY } else { Regex::NONE });
        }
        let sets = self.take_sets(&mut members);
        if let Some(common) = sets.into_iter().reduce(|a, b| a.intersection(&b)) {
            let common = self.set(common)?;
            if common == Regex::NONE {
                return Some(Regex::NONE);
            }
            members.push(common);
        }
        self.mixed(members, SetOperator::Intersection)
    }

    /// `re.comp`: the complement.
    pub fn complement(&mut self, regex: Regex) -> Option<Regex> {
        match regex {
            Regex::NONE => Some(Regex::ALL),
            Regex::ALL => Some(Regex::NONE),
            _ => match self.node(regex) {
                RegexNode::Complement(inner) => Some(*inner),
                _ => self.intern(RegexNode::Complement(regex)),
            },
        }
    }

    /// `re.diff`: the difference.
    pub fn difference(&mut self, first: Regex, second: Regex) -> Option<Regex> {
        let others = self.complement(second)?;
        self.intersection(&[first, others])
    }

    /// z3's `re.xor`: the symmetric difference.
    pub fn symmetric_difference(&mut self, first: Regex, second: Regex) -> Option<Regex> {
        let (left, right) = (self.difference(first, second)?, self.difference(second, first)?);
        self.union(&[left, right])
    }

    /// `re.*`
    pub fn star(&mut self, regex: Regex) -> Option<Regex> {
        self.repeat(regex, 0, None)
    }

    /// `re.+`
    pub fn plus(&mut self, regex: Regex) -> Option<Regex> {
        self.repeat(regex, 1, None)
    }

    /// `re.opt`
    pub fn option(&mut self, regex: Regex) -> Option<Regex> {
        self.union(&[regex, Regex::EMPTY])
    }

    /// `(_ re.^ n)`
    pub fn power(&mut self, regex: Regex, count: u64) -> Option<Regex> {
        self.repeat(regex, count, Some(count))
    }

    /// `(_ re.loop least most)`: empty if `most` is below `least`; without `most`, any count from `least` on.
    pub fn repeat(&mut self, regex: Regex, least: u64, most: Option<u64>) -> Option<Regex> {
        if most.is_some_and(|most| most < least) {
            return Some(Regex::NONE);
        }
        // The empty string can fill up missing repetitions.
        let least = if self.is_nullable(regex) { 0 } else { least };
        match (regex, least, most) {
            (_, _, Some(0)) | (Regex::EMPTY, _, _) | (Regex::NONE, 0, _) => Some(Regex::EMPTY),
            (Regex::NONE, _, _) => Some(Regex::NONE),
            (_, 1, Some(1)) => Some(regex),
            _ if matches!(self.node(regex), RegexNode::Star(_)) => Some(regex),
            (_, 0, Some(1)) => self.option(regex),
            (_, 0, None) => self.intern(RegexNode::Star(regex)),
            _ => self.intern(RegexNode::Loop(regex, RepeatBounds { least, most })),
        }
    }

    fn set(&mut self, set: CharSet) -> Option<Regex> {
        self.spend(set.ranges().len())?;
        self.intern(RegexNode::Set(set))
    }

    /// The concatenation of two.
    pub(super) fn join(&mut self, first: Regex, second: Regex) -> Option<Regex> {
        match (first, second) {
            (Regex::NONE, _) | (_, Regex::NONE) => Some(Regex::NONE),
            (Regex::EMPTY, other) | (other, Regex::EMPTY) => Some(other),
            _ if first == second && matches!(self.node(first), RegexNode::Star(_)) => Some(first),
            _ => self.intern(RegexNode::Concat(first, second)),
        }
    }

    /// The members of a union or an intersection, flattened, without the neutral element.
    fn members(&mut self, parts: &[Regex], mix: SetOperator) -> Option<Vec<Regex>> {
        let mut members = Vec::with_capacity(parts.len());
        for part in parts {
            match (self.node(*part), mix) {
                (RegexNode::Union(inner), SetOperator::Union)
                | (RegexNode::Intersection(inner), SetOperator::Intersection) => {
                    members.extend_from_slice(inner);
                }
                _ if *part == mix.neutral() => {}
                _ => members.push(*part),
            }
            // Long lists of long lists must not outgrow the budget while they are built.
            if members.len() as u64 > self.steps {
                return None;
            }
        }
        self.spend(members.len())?;
        members.sort_unstable();
        members.dedup();
        Some(members)
    }

    /// Returns true if one member is the complement of another.
    fn has_opposites(&self, members: &[Regex]) -> bool {
        members.iter().any(|member| match self.node(*member) {
            RegexNode::Complement(inner) => members.binary_search(inner).is_ok(),
            _ => false,
        })
    }

    /// Takes the sets of single characters out of the members, to merge them into one.
    fn take_sets(&self, members: &mut Vec<Regex>) -> Vec<CharSet> {
        let mut sets = Vec::new();
        members.retain(|member| match self.node(*member) {
            RegexNode::Set(set) => {
                sets.push(set.clone());
                false
            }
            _ => true,
        });
        sets
    }

    fn mixed(&mut self, mut members: Vec<Regex>, mix: SetOperator) -> Option<Regex> {
        members.sort_unstable();
        match members.as_slice() {
            [] => Some(mix.neutral()),
            [only] => Some(*only),
            _ => self.intern(mix.node(members)),
        }
    }
}

/// The two associative and commutative operators.
#[derive(Clone, Copy)]
enum SetOperator {
    Union,
    Intersection,
}

impl SetOperator {
    /// The neutral element.
    fn neutral(self) -> Regex {
        match self {
            SetOperator::Union => Regex::NONE,
            SetOperator::Intersection => Regex::ALL,
        }
    }

    fn node(self, members: Vec<Regex>) -> RegexNode {
        match self {
            SetOperator::Union => RegexNode::Union(members.into()),
            SetOperator::Intersection => RegexNode::Intersection(members.into()),
        }
    }
}
