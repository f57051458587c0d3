//! Equivalence: replaces terms by equal ones, in both directions of a table of equations.
//!
//! ```text
//! (bvadd x y)     becomes     (bvadd (bvor x y) (bvand x y))         by the row bv-sum-by-or, left to right
//! (- (+ x y) y)   becomes     x                                      by the row int-there-and-back, right to left
//! x               becomes     (ite p x x)                            for any Boolean term p in scope
//! ```
//!
//! Solvers simplify in one direction only, so rewrites against it reach other code than rewrites along it; Aries has the idea. Every row of `rules/equivalences.smt2` holds for all values
//! of its parameters, and replaced terms stand where equals may replace equals: so the script keeps the answer of its parent, which is
//! promised if it is known. A script with several checks keeps the answer of each.

mod table;

use gainsay_smt::print::term_text_within;
use gainsay_smt::substitute::Substitution;
use gainsay_smt::{Arena, Script, Sort, Symbol, Term, TermView};

use super::survey::{PlaceScope, ScriptSurvey, TermPlace};
use super::{MAX_TERM_BYTES_SHOWN, Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::known_answers::KnownAnswers;
use crate::promise::Promise;
use crate::random::Rng;
use table::{Equation, EquationTable};

pub use table::{equations_at, row_names};

/// Replaces terms by equal ones (Aries).
#[derive(Debug)]
pub struct EquivalenceStrategy;

/// Rewrites of one case.
const MAX_REWRITES: usize = 4;
/// Places tried for one rewrite.
const MAX_PLACES_TRIED: usize = 300;

impl Strategy for EquivalenceStrategy {
    fn name(&self) -> &'static str {
        "equivalence"
    }

    fn about(&self) -> &'static str {
        "replaces terms by equal ones, by equations in both directions (Aries)"
    }

    fn is_default(&self) -> bool {
        false
    }

    fn uses_status(&self) -> bool {
        true
    }

    fn suits(&self, script: &Script) -> bool {
        !script.is_horn()
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let mut script = parents[0].script.clone();
        if !self.suits(&script) {
            return Err(Skip::Unfit("it is a system of Horn clauses"));
        }
        let table = {
            let sorts = ScriptSurvey::of(parents[0].script, &settings.operators).sorts().to_vec();
            EquationTable::for_sorts(&mut script, &sorts)
        };
        let mut steps = Vec::new();
        for _ in 0..1 + rng.below(MAX_REWRITES) {
            let survey = ScriptSurvey::of(&script, &settings.operators);
            let Some((next, step)) = rewritten(&survey, &table, rng) else { break };
            if next.to_string().len() > settings.bounds.bytes {
                return Err(Skip::TooLarge);
            }
            script = next;
            steps.push(step);
        }
        if steps.is_empty() {
            return Err(Skip::NothingToDo);
        }
        let promise = Promise::of_status(parents[0].status);
        // No check is added or dropped, and each asserts what is equal.
        let known = KnownAnswers::of(&script, parents[0].answers);
        Ok(Proposal { known, ..Proposal::new(script, promise, steps.join(", ")) })
    }
}

/// The script after one rewrite, and its description.
fn rewritten(survey: &ScriptSurvey<'_>, table: &EquationTable, rng: &mut Rng) -> Option<(Script, String)> {
    let mut script = survey.script.clone();
    for attempt in 0..MAX_PLACES_TRIED {
        let place = survey.place(rng)?;
        let equation = rng.choose(&table.equations)?;
        let (from, to) = if rng.chance(1, 2) { equation.sides } else { (equation.sides.1, equation.sides.0) };
        // A parameter matches every term: patterns with operators have the first half of all attempts.
        let is_bare = matches!(script.arena().view(from), TermView::Variable(_));
        if script.arena().sort_of(from) != place.sort || is_bare && attempt * 2 < MAX_PLACES_TRIED {
            continue;
        }
        let Some(bindings) = matched(script.arena(), equation, from, place.term) else { continue };
        let scope = survey.scope(&place);
        let Some(new) = instance(survey, &mut script, equation, to, bindings, &scope, rng) else { continue };
        if new == place.term || !is_read_alike(survey, &script, new, &place) {
            continue;
        }
        let old = term_text_within(script.arena(), place.term, MAX_TERM_BYTES_SHOWN);
        let step = format!("{} at {old}", equation.name);
        place.edit(new).make(&mut script);
        return Some((script, step));
    }
    None
}

/// Returns true if the operators of a new term mean the same at the place: no binder or declaration of the script has their names.
fn is_read_alike(survey: &ScriptSurvey<'_>, script: &Script, new: Term, place: &TermPlace) -> bool {
    let arena = script.arena();
    let own: Vec<Symbol> = applied(arena, place.term);
    applied(arena, new).into_iter().all(|name| own.contains(&name) || survey.is_unshadowed(name))
}

fn applied(arena: &Arena, term: Term) -> Vec<Symbol> {
    let name = |term| match arena.view(term) {
        TermView::Application(head, _) => Some(head.symbol),
        _ => None,
    };
    arena.reachable([term]).filter_map(name).collect()
}

/// The terms that the parameters of a pattern stand for; `None` if a term does not have its form.
fn matched(arena: &Arena, equation: &Equation, pattern: Term, term: Term) -> Option<Vec<Option<Term>>> {
    let mut bindings = vec![None; equation.parameters.len()];
    let mut open = vec![(pattern, term)];
    while let Some((pattern, term)) = open.pop() {
        if let Some(place) = parameter(arena, equation, pattern) {
            match bindings[place] {
                _ if arena.sort_of(term) != equation.parameters[place].1 => return None,
                Some(bound) if bound != term => return None,
                _ => bindings[place] = Some(term),
            }
            continue;
        }
        match (arena.view(pattern), arena.view(term)) {
            (TermView::Application(head, parts), TermView::Application(other, terms))
                if (head.symbol, head.indices, head.qualifier)
                    == (other.symbol, other.indices, other.qualifier)
                    && parts.len() == terms.len() =>
            {
                open.extend(parts.iter().copied().zip(terms.iter().copied()));
            }
            _ if pattern == term => {}
            _ => return None,
        }
    }
    Some(bindings)
}

/// The parameter that a term of the table is.
fn parameter(arena: &Arena, equation: &Equation, term: Term) -> Option<usize> {
    let TermView::Variable(name) = arena.view(term) else { return None };
    equation.parameters.iter().position(|(parameter, _)| *parameter == name)
}

/// The other side of an equation, with terms in scope for the parameters that the match leaves open.
fn instance(
    survey: &ScriptSurvey<'_>,
    script: &mut Script,
    equation: &Equation,
    side: Term,
    bindings: Vec<Option<Term>>,
    scope: &PlaceScope,
    rng: &mut Rng,
) -> Option<Term> {
    let mut values: Vec<(Symbol, Term)> = Vec::new();
    for (&(name, sort), bound) in equation.parameters.iter().zip(bindings) {
        let term = match bound {
            Some(term) => term,
            None => drawn(survey, sort, scope, rng)?,
        };
        values.push((name, term));
    }
    Substitution::default().apply(script.arena_mut(), side, &values)
}

fn drawn(survey: &ScriptSurvey<'_>, sort: Sort, scope: &PlaceScope, rng: &mut Rng) -> Option<Term> {
    survey.draw(sort, scope, rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::tests::settings;
    use gainsay_smt::Signature;
    use gainsay_solvers::run::Answer;
    use std::collections::BTreeSet;

    fn made(text: &str, count: u64) -> BTreeSet<String> {
        let signature = Signature::standard();
        let script = Script::parse(text, &signature).unwrap();
        let settings = settings(&signature);
        let propose = |number| {
            let parents = [Parent::new(&script, None)];
            EquivalenceStrategy.propose(&parents, &settings, &mut RandomStream::new(number).rng())
        };
        (0..count).filter_map(|number| Some(propose(number).ok()?.script.to_string())).collect()
    }

    fn has(made: &BTreeSet<String>, part: &str) -> bool {
        made.iter().any(|text| text.contains(part))
    }

    #[test]
    fn terms_are_rewritten_in_both_directions() {
        let sums = made(
            "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))(assert (= (bvadd x y) x))(check-sat)",
            400,
        );
        assert!(has(&sums, "(bvadd (bvor x y) (bvand x y))"));
        let simple = made(
            "(declare-const x Int)(declare-const y Int)(assert (> (- (+ x y) y) 3))(assert (< x y))(check-sat)",
            400,
        );
        assert!(has(&simple, "(assert (> x 3))"), "right to left");
        assert!(has(&simple, "(<= (+ x 1) y)") && has(&simple, "(not (or (= x y) (> x y)))"));
    }

    #[test]
    fn each_check_of_a_script_keeps_its_answer() {
        let text = "(declare-const x Int)(declare-const y Int)(assert (> (- (+ x y) y) 3))(check-sat)(assert (< x y))\
            (check-sat)(assert (< x 0))(check-sat)";
        let signature = Signature::standard();
        let (script, settings) = (Script::parse(text, &signature).unwrap(), settings(&signature));
        let answers = [None, Some(Answer::Sat), Some(Answer::Unsat)];
        let parents = [Parent { answers: &answers, ..Parent::new(&script, None) }];
        let made = EquivalenceStrategy.propose(&parents, &settings, &mut RandomStream::new(3).rng()).unwrap();
        assert_ne!(made.script, script);
        // Fewer assertions than those of the second check are satisfiable, too.
        let expected = [Some(Answer::Sat), Some(Answer::Sat), Some(Answer::Unsat)];
        assert_eq!(made.known.of_each(&made.script), expected);
    }

    #[test]
    fn a_repeated_parameter_matches_equal_terms_only() {
        let text = "(declare-const x Int)(declare-const y Int)(declare-const z Int)(assert (> (- (+ x y) z) 3))(check-sat)";
        assert!(!has(&made(text, 200), "(assert (> x 3))"));
    }

    #[test]
    fn operators_that_a_binder_shadows_are_not_used_below_it() {
        let text = "(declare-const p Bool)(assert (exists ((and Bool) (or Bool) (not Int)) (=> p (< not 2))))(check-sat)";
        let signature = Signature::standard();
        for text in made(text, 100) {
            Script::parse(&text, &signature).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let bodies = text.replace("((and Bool) (or Bool) (not Int))", "");
            let inside = bodies.split_once("(exists ").unwrap().1;
            assert!(!["(and ", "(or ", "(not "].iter().any(|used| inside.contains(used)), "{text}");
        }
    }
}
