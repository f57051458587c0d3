//! Contradiction: spreads an unsatisfiable core over a script, which becomes unsatisfiable by construction.
//!
//! ```text
//! (and (< x y) (< y (+ x 1)))                  a row of rules/contradictions.smt2, unsatisfiable for all x and y
//! x = (div a 2), y = (select m a)              terms of the script
//! (assert (ite (> a 3) (< (div a 2) (select m a)) (and (< (div a 2) (select m a)) (= a b))))
//! (assert …)                                   some assertions of the script
//! (assert (and (or (= a b) (> a 3)) (< (select m a) (+ (div a 2) 1))))
//! ```
//!
//! Octopus has the idea of unsat by construction from cores. Here a core is a row of the table with terms of the script for its
//! parameters, or all assertions of a parent that is unsatisfiable. Each conjunct of the core is strengthened by formulas of the script:
//! whatever replaces a conjunct implies it, so all of them together imply the core, and unsat is promised. Other assertions only add to it.

use std::sync::Arc;

use gainsay_smt::print::{sort_text, symbol_text, term_text};
use gainsay_smt::{Arena, Command, Definition, Script, Signature, Term, TermView};

use super::plain_script::{PlainScript, PlainStrategy, RebuiltScript};
use super::{Parent, Skip};
use crate::promise::Promise;
use crate::random::Rng;
use gainsay_solvers::run::Answer;

/// Makes scripts unsatisfiable (Octopus).
#[derive(Debug)]
pub struct ContradictionStrategy;

/// Rows that are tried for a script.
const MAX_ROWS_TRIED: usize = 40;
/// Nesting of formulas around a conjunct.
const MAX_DEPTH: usize = 3;

impl PlainStrategy for ContradictionStrategy {
    fn name(&self) -> &'static str {
        "contradiction"
    }

    fn about(&self) -> &'static str {
        "spreads an unsatisfiable core over a script (Octopus)"
    }

    fn uses_status(&self) -> bool {
        true
    }

    fn rebuild(
        &self,
        plain: &PlainScript<'_>,
        parents: &[Parent<'_>],
        rng: &mut Rng,
    ) -> Result<RebuiltScript, Skip> {
        let asserted = plain.asserted();
        let is_core = parents[0].status == Some(Answer::Unsat) && rng.chance(1, 2);
        let (name, core, others) = if is_core {
            ("the assertions".to_owned(), asserted, Vec::new())
        } else {
            let (name, core) = row(plain, rng).ok_or(Skip::Unfit("no core fits the sorts of the script"))?;
            let others = asserted.into_iter().filter(|_| rng.chance(2, 3)).collect();
            (name, core, others)
        };
        let formulas = plain.terms_of("Bool");
        let mut assertions: Vec<String> =
            core.into_iter().map(|part| stronger(part, &formulas, MAX_DEPTH, rng)).collect();
        assertions.extend(others);
        rng.shuffle(&mut assertions);
        let promise = match is_core {
            true => Promise::Known(Answer::Unsat),
            false => Promise::Constructed(Answer::Unsat),
        };
        Ok(RebuiltScript { text: plain.with(&assertions), promise, step: format!("core: {name}") })
    }
}

/// The name and the conjuncts of a row of the table, with terms of the script for its parameters.
fn row(plain: &PlainScript<'_>, rng: &mut Rng) -> Option<(String, Vec<String>)> {
    let table = contradictions(plain.arena().signature());
    let rows: Vec<&Arc<Definition>> = table
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::Define(_, row) => Some(row),
            _ => None,
        })
        .collect();
    for _ in 0..MAX_ROWS_TRIED {
        let row = rng.choose(&rows)?;
        let mut values = Vec::new();
        // In a logic without integers, the numerals of the row would be real numbers.
        let is_integer = row.parameters.iter().any(|one| sort_text(table.arena(), one.sort).contains("Int"));
        if is_integer && !plain.arena().has_int_numerals() {
            continue;
        }
        for parameter in row.parameters.iter() {
            let terms = plain.terms_of(&sort_text(table.arena(), parameter.sort));
            match rng.choose(&terms) {
                Some(term) => values.push((symbol_text(table.arena(), parameter.name), term.clone())),
                None => break,
            }
        }
        if values.len() == row.parameters.len() && !values.is_empty() {
            let parts = conjuncts(table.arena(), row.body);
            let filled = parts.into_iter().map(|part| bound(&term_text(table.arena(), part), &values));
            return Some((table.arena().text(row.name).to_owned(), filled.collect()));
        }
    }
    None
}

/// The table of contradictions.
fn contradictions(signature: &Arc<Signature>) -> Script {
    let text = include_str!("../rules/contradictions.smt2");
    Script::parse(text, signature).expect("the table is a script")
}

/// A formula over parameters with terms in their places. `let` binds in parallel, so that no name is captured.
fn bound(formula: &str, values: &[(String, String)]) -> String {
    let bindings: Vec<String> = values.iter().map(|(name, term)| format!("({name} {term})")).collect();
    format!("(let ({}) {formula})", bindings.join(" "))
}

fn conjuncts(arena: &Arena, term: Term) -> Vec<Term> {
    match arena.view(term) {
        TermView::Application(head, parts) if arena.text(head.symbol) == "and" => parts.to_vec(),
        _ => vec![term],
    }
}

/// A formula that implies another one.
fn stronger(formula: String, others: &[String], depth: usize, rng: &mut Rng) -> String {
    let Some(other) = rng.choose(others).filter(|_| depth > 0).cloned() else { return formula };
    let again = |formula: &str, rng: &mut Rng| stronger(formula.to_owned(), others, depth - 1, rng);
    match rng.below(7) {
        0 => format!("(and {} {other})", again(&formula, rng)),
        1 => format!("(or {} (and {other} {formula}))", again(&formula, rng)),
        2 => format!("(ite {other} {} (and {formula} {other}))", again(&formula, rng)),
        3 => format!("(not (=> (or {other} {formula}) (not {})))", again(&formula, rng)),
        4 => format!("(and (=> {other} {formula}) (or {other} {}))", again(&formula, rng)),
        _ => formula,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strategy;
    use crate::random::RandomStream;
    use crate::tests::settings;
    use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget};
    use gainsay_smt::sat_queries;

    /// The cases of a script, which must all be unsatisfiable.
    fn is_unsat(text: &str, status: Option<Answer>, count: u64) -> usize {
        let signature = Signature::standard();
        let script = Script::parse(text, &signature).unwrap();
        let settings = settings(&signature);
        let propose = |number| {
            let mut rng = RandomStream::new(number).rng();
            ContradictionStrategy.propose(&[Parent::new(&script, status)], &settings, &mut rng).ok()
        };
        let made = (0..count).filter_map(propose);
        made.inspect(|made| {
            let queries = sat_queries(&made.script);
            let decision = exhaust::decide(&made.script, &queries[0], ExhaustionBudget::of_steps(1_000_000));
            assert!(matches!(decision.answer, ExactAnswer::Unsat), "{}", made.script);
        })
        .count()
    }

    #[test]
    fn exhaustion_finds_every_spread_core_unsatisfiable() {
        let sat = "(declare-const p Bool)(declare-const q Bool)(declare-const x (_ BitVec 2))\
            (assert (or p (bvult x #b10)))(assert (=> q (= x #b01)))(check-sat)";
        assert!(is_unsat(sat, Some(Answer::Sat), 300) > 250);
        let unsat = "(declare-const p Bool)(declare-const x (_ BitVec 2))(assert (= p (bvult x #b10)))\
            (assert (bvugt x #b10))(assert p)(check-sat)";
        assert!(is_unsat(unsat, Some(Answer::Unsat), 300) > 250);
    }

    #[test]
    fn terms_of_the_script_stand_for_parameters() {
        let formula =
            bound("(< x (+ y 1))", &[("x".to_owned(), "y".to_owned()), ("y".to_owned(), "x".to_owned())]);
        assert_eq!(formula, "(let ((x y) (y x)) (< x (+ y 1)))");
    }
}
