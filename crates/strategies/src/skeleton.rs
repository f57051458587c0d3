//! Skeletons: the Boolean structure of one script, with atoms of another.
//!
//! ```text
//! (assert (or (not (= a 0)) (and (p b) (= a 0))))     a script that once triggered a bug
//! (or (not _0) (and _1 _0))                           its skeleton: equal atoms are equal holes
//! (assert (> x 3)) (assert (str.contains s "a"))      the seed, with atoms of its own
//! (assert (or (not (> x 3)) (and (str.contains s "a") (> x 3))))
//! ```
//!
//! Structures that triggered bugs trigger others with new atoms; HistFuzz has the idea. The skeletons are those of the other seeds of
//! the campaign: give it the folder of your solver's regression tests, or of known triggers, with `--seeds`. The answer may be any, so
//! nothing is promised.

use std::collections::BTreeMap;

use gainsay_smt::print::term_text;
use gainsay_smt::{Arena, Script, Sort, Term, TermView};

use super::plain_script::{PlainScript, PlainStrategy, RebuiltScript};
use super::{Parent, Skip};
use crate::promise::Promise;
use crate::random::Rng;

/// Fills the Boolean structure of another seed (HistFuzz).
#[derive(Debug)]
pub struct SkeletonStrategy;

/// Nodes of a skeleton, over all assertions.
const MAX_NODES: usize = 400;

impl PlainStrategy for SkeletonStrategy {
    fn name(&self) -> &'static str {
        "skeleton"
    }

    fn about(&self) -> &'static str {
        "puts atoms into the Boolean structure of another seed (HistFuzz)"
    }

    fn parents(&self) -> usize {
        2
    }

    fn rebuild(
        &self,
        plain: &PlainScript<'_>,
        parents: &[Parent<'_>],
        rng: &mut Rng,
    ) -> Result<RebuiltScript, Skip> {
        let [_, second] = parents else { return Err(Skip::NothingToDo) };
        let atoms = atoms(plain);
        if atoms.is_empty() {
            return Err(Skip::NothingToDo);
        }
        let mut skeleton = BooleanSkeleton::default();
        let assertions: Vec<Term> = second.script.assertions().collect();
        let texts: Option<Vec<String>> =
            assertions.into_iter().map(|term| skeleton.written(second.script, term, &atoms, rng)).collect();
        let texts = texts.ok_or(Skip::TooLarge)?;
        if !skeleton.has_connective {
            return Err(Skip::Unfit("the other seed has no Boolean structure"));
        }
        let step = format!("a skeleton of {} holes", skeleton.holes.len());
        Ok(RebuiltScript { text: plain.with(&texts), promise: Promise::Nothing, step })
    }
}

/// The formulas of a script that are no connectives.
fn atoms(plain: &PlainScript<'_>) -> Vec<String> {
    let arena = plain.arena();
    let is_atom = |term: &Term| {
        arena.sort_of(*term) == Sort::BOOL
            && connective(arena, *term).is_none()
            && gainsay_smt::variables::free(arena, *term).is_empty()
    };
    let terms = arena.reachable(plain.assertions.iter().copied()).filter(is_atom);
    let texts = terms.map(|term| term_text(arena, term)).filter(|text| !text.contains('!'));
    texts.filter(|text| !matches!(text.as_str(), "true" | "false")).collect()
}

/// The connective of a formula and its parts, if all of them are formulas.
fn connective(arena: &Arena, term: Term) -> Option<(&str, &[Term])> {
    const BOOLEAN_CONNECTIVES: [&str; 8] = ["not", "and", "or", "xor", "=>", "=", "distinct", "ite"];
    let TermView::Application(head, parts) = arena.view(term) else { return None };
    let name = arena.text(head.symbol);
    let is_boolean = parts.iter().all(|&part| arena.sort_of(part) == Sort::BOOL);
    (is_boolean && !parts.is_empty() && BOOLEAN_CONNECTIVES.contains(&name)).then_some((name, parts))
}

/// The holes that were filled so far.
#[derive(Default)]
struct BooleanSkeleton {
    holes: BTreeMap<String, String>,
    nodes: usize,
    has_connective: bool,
}

/// A step of writing a formula.
enum WritingStep<'a> {
    Formula(Term),
    Text(&'a str),
}

impl BooleanSkeleton {
    /// A formula with its atoms replaced; `None` if it is too large.
    fn written(&mut self, script: &Script, term: Term, atoms: &[String], rng: &mut Rng) -> Option<String> {
        let arena = script.arena();
        let (mut text, mut open) = (String::new(), vec![WritingStep::Formula(term)]);
        while let Some(step) = open.pop() {
            let term = match step {
                WritingStep::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                WritingStep::Formula(term) => term,
            };
            self.nodes += 1;
            if self.nodes > MAX_NODES {
                return None;
            }
            match connective(arena, term) {
                Some((name, parts)) => {
                    self.has_connective = true;
                    text.push_str(&format!("({name}"));
                    open.push(WritingStep::Text(")"));
                    for &part in parts.iter().rev() {
                        open.extend([WritingStep::Formula(part), WritingStep::Text(" ")]);
                    }
                }
                None => text.push_str(self.atom(&term_text(arena, term), atoms, rng)?),
            }
        }
        Some(text)
    }

    /// The atom for a hole: the same for the same formula.
    fn atom(&mut self, hole: &str, atoms: &[String], rng: &mut Rng) -> Option<&str> {
        if !self.holes.contains_key(hole) {
            self.holes.insert(hole.to_owned(), rng.choose(atoms)?.clone());
        }
        self.holes.get(hole).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strategy;
    use crate::random::RandomStream;
    use crate::tests::settings;
    use gainsay_smt::Signature;

    #[test]
    fn atoms_stand_in_the_structure_of_the_other_script() {
        let signature = Signature::standard();
        let read = |text: &str| Script::parse(text, &signature).unwrap();
        let seed = read(
            "(declare-const x Int)(declare-const s String)(assert (> x 3))(assert (= s \"a\"))(check-sat)",
        );
        let trigger = read(
            "(declare-const a Int)(assert (or (not (= a 0)) (ite (< a 1) (= a 0) (> a 7))))(assert (= a 0))(check-sat)",
        );
        let parents = [Parent::new(&seed, None), Parent::new(&trigger, None)];
        let mut made = std::collections::BTreeSet::new();
        for number in 0..100 {
            let mut rng = RandomStream::new(number).rng();
            let proposal = SkeletonStrategy.propose(&parents, &settings(&signature), &mut rng).unwrap();
            made.insert(proposal.script.to_string());
        }
        let expected = "(assert (or (not (> x 3)) (ite (= s \"a\") (> x 3) (= s \"a\"))))\n(assert (> x 3))";
        assert!(made.iter().any(|text| text.contains(expected)), "{made:?}");
        assert!(made.iter().all(|text| !text.contains(" a ")), "no name of the other script");
    }

    #[test]
    fn a_script_without_connectives_has_no_skeleton() {
        let signature = Signature::standard();
        let script = Script::parse("(declare-const x Int)(assert (> x 3))(check-sat)", &signature).unwrap();
        let parents = [Parent::new(&script, None), Parent::new(&script, None)];
        let mut rng = RandomStream::new(1).rng();
        assert!(SkeletonStrategy.propose(&parents, &settings(&signature), &mut rng).is_err());
    }
}
