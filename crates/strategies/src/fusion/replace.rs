//! Replaces random occurrences of constants by terms of the same sort.
//!
//! ```text
//! (and (< x 3) (= y (+ x x)))   becomes   (and (< (- z y) 3) (= y (+ x (- z y))))
//! ```
//!
//! An occurrence is a place in the text, and exactly as many are replaced as were drawn. Patterns stay: they have no
//! meaning, and solvers are strict about them. Nothing here recurses on the depth of terms.

use gainsay_smt::{Arena, Term, TermView, replace_children};

use crate::random::Rng;

/// A constant and its replacement.
#[derive(Debug, Clone, Copy)]
pub struct ReplacementTarget {
    /// The constant.
    pub constant: Term,
    /// The term.
    pub replacement: Term,
    /// Occurrences not visited yet.
    pub left: u64,
    /// How many of them to replace.
    pub wanted: u64,
}

/// How often each of some constants occurs in the terms of an arena.
pub struct OccurrenceCounts {
    constants: Vec<Term>,
    /// For each counted term, the count of each constant.
    counts: Vec<Option<Box<[u64]>>>,
}

impl OccurrenceCounts {
    /// Counts these constants.
    pub fn of(constants: Vec<Term>, arena: &Arena) -> OccurrenceCounts {
        OccurrenceCounts { constants, counts: vec![None; arena.term_count()] }
    }

    /// How often each constant occurs in a term.
    pub fn in_term(&mut self, arena: &Arena, term: Term) -> &[u64] {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            let before = open.len();
            if self.counts[next.index()].is_none() {
                let unknown = |child: &&Term| self.counts[child.index()].is_none();
                open.extend(children(arena, next).iter().filter(unknown));
                if open.len() == before {
                    self.counts[next.index()] = Some(self.sum(arena, next));
                }
            }
            if open.len() == before {
                open.pop();
            }
        }
        self.known(term)
    }

    fn sum(&self, arena: &Arena, term: Term) -> Box<[u64]> {
        let own = |&constant: &Term| u64::from(constant == term);
        let mut sum: Box<[u64]> = self.constants.iter().map(own).collect();
        for &child in children(arena, term) {
            for (sum, more) in sum.iter_mut().zip(self.known(child)) {
                *sum = sum.saturating_add(*more);
            }
        }
        sum
    }

    fn known(&self, term: Term) -> &[u64] {
        self.counts[term.index()].as_deref().expect("children are counted before their parents")
    }
}

/// A term whose children are being replaced.
struct PartialTerm {
    term: Term,
    children: Vec<Term>,
}

/// Replaces occurrences of the targets in a term, each with the probability that makes the total right. The targets are
/// the first counted constants, in their order.
pub fn replace(
    arena: &mut Arena,
    counts: &OccurrenceCounts,
    root: Term,
    targets: &mut [ReplacementTarget],
    rng: &mut Rng,
) -> Term {
    let mut open: Vec<PartialTerm> = Vec::new();
    let mut next = root;
    loop {
        let Some(mut done) = enter(arena, counts, next, targets, rng) else {
            open.push(PartialTerm { term: next, children: Vec::new() });
            next = *children(arena, next).first().expect("what holds a target and is none has children");
            continue;
        };
        loop {
            let Some(top) = open.last_mut() else { return done };
            top.children.push(done);
            if let Some(&child) = children(arena, top.term).get(top.children.len()) {
                next = child;
                break;
            }
            let top = open.pop().expect("it was there a moment ago");
            done = rebuilt(arena, &top);
        }
    }
}

/// The result for a term whose children need no visit; `None` if they do.
fn enter(
    arena: &Arena,
    counts: &OccurrenceCounts,
    term: Term,
    targets: &mut [ReplacementTarget],
    rng: &mut Rng,
) -> Option<Term> {
    if let Some(target) = targets.iter_mut().find(|target| target.constant == term) {
        let chosen = target.wanted > 0 && (rng.below(target.left.max(1) as usize) as u64) < target.wanted;
        target.left = target.left.saturating_sub(1);
        target.wanted -= u64::from(chosen);
        return Some(if chosen { target.replacement } else { term });
    }
    let held = counts.known(term);
    let matters = |(target, held): (&ReplacementTarget, &u64)| *held > 0 && target.wanted > 0;
    if targets.iter().zip(held).any(matters) && !children(arena, term).is_empty() {
        return None;
    }
    for (target, held) in targets.iter_mut().zip(held) {
        target.left = target.left.saturating_sub(*held);
    }
    Some(term)
}

fn rebuilt(arena: &mut Arena, open: &PartialTerm) -> Term {
    let mut all = arena.children(open.term).to_vec();
    all[..open.children.len()].copy_from_slice(&open.children);
    replace_children(arena, open.term, &all)
}

/// The children in which occurrences are replaced: all except patterns.
fn children(arena: &Arena, term: Term) -> &[Term] {
    match arena.view(term) {
        TermView::Annotated(_, children) => &children[..1],
        view => view.children(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use gainsay_smt::print::term_text;
    use gainsay_smt::{Script, Signature};

    fn replaced(text: &str, wanted: u64, seed: u64) -> String {
        let text = format!("(declare-const x Int)(declare-const y Int)(assert (= x y)){text}");
        let mut script = Script::parse(&text, &Signature::standard()).unwrap();
        let pair = script.assertions().next().unwrap();
        let root = script.assertions().nth(1).unwrap();
        let arena = script.arena_mut();
        let [constant, replacement] = arena.children(pair) else { unreachable!() };
        let (constant, replacement) = (*constant, *replacement);
        let mut counts = OccurrenceCounts::of(vec![constant], arena);
        let left = counts.in_term(arena, root)[0];
        let mut targets = [ReplacementTarget { constant, replacement, left, wanted }];
        let term = replace(arena, &counts, root, &mut targets, &mut RandomStream::new(seed).rng());
        assert_eq!((targets[0].left, targets[0].wanted), (0, 0));
        term_text(arena, term)
    }

    #[test]
    fn as_many_places_are_replaced_as_are_wanted() {
        let text = "(assert (and (< x 1) (let ((a (+ x x))) (< a a)) (< x 1) (= 2 (- x))))";
        for wanted in 0..=5 {
            for seed in 0..50 {
                let text = replaced(text, wanted, seed);
                assert_eq!(text.matches('y').count() as u64, wanted, "{text}");
            }
        }
        let all: std::collections::BTreeSet<String> = (0..500).map(|seed| replaced(text, 2, seed)).collect();
        assert_eq!(all.len(), 10, "every two of five places, also those that are written alike");
    }

    #[test]
    fn patterns_are_left_alone() {
        let text = "(declare-fun f (Int Int) Bool)(assert (forall ((i Int)) (! (f i x) :pattern ((f i x)))))";
        assert_eq!(replaced(text, 1, 0), "(forall ((i Int)) (! (f i y) :pattern ((f i x))))");
    }

    #[test]
    fn a_deep_term_is_no_trouble() {
        let deep = format!("(assert (< 0 {}x{}))", "(- ".repeat(100_000), ")".repeat(100_000));
        assert!(replaced(&deep, 1, 0).contains('y'));
    }
}
