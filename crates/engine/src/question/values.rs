//! Values: `get-value` of constants and of terms made of them must fit together, and must satisfy the assertions.
//!
//! ```text
//! (assert (> (* x x) 3)) (check-sat)   ⇒   (check-sat) (get-value (x (* x x)))      reply ((x 2) ((* x x) 4))
//!        claims that      (assert (> (* x x) 3)) (assert (= x 2)) (assert (= (* x x) 4)) (check-sat)      is sat
//! ```
//!
//! A formula that is asserted cannot be false. Our evaluator computes the terms from the values of the constants: if it finds one of the equations false, the reply is
//! wrong whatever solvers say. Where it cannot tell (a function without a value, a result that the standard leaves open),
//! solvers are asked whether all of it can hold at once.

use gainsay_smt::eval::{EvalBudget, TruthValue, evaluate, explain};
use gainsay_smt::print::{command_text, sort_text, symbol_text, term_text};
use gainsay_smt::{Command, Model, Script, Sort, Term, Word, sat_queries, variables};

use super::core::shown;
use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::reply::items;

/// Asks for values.
pub struct ValuesQuestion;

/// Terms that are asked for at once, beside constants.
const MAX_TERMS_ASKED: usize = 8;
/// Constants that are asked for.
const MAX_CONSTANTS_ASKED: usize = 40;
/// Bytes of a term that is asked for.
const MAX_TERM_BYTES: usize = 400;
/// The budget of evaluating one reply.
const VALUE_BUDGET: EvalBudget = EvalBudget { steps: 500_000, bytes: 16 << 20 };

impl Question for ValuesQuestion {
    fn name(&self) -> &'static str {
        "values"
    }

    fn about(&self) -> &'static str {
        "the values of terms must follow from those of constants, and satisfy the assertions"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Values
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-value"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        if script.is_horn() || super::is_asked(script) || script.has_opaque() {
            return None;
        }
        let constants = constants(script);
        let mut terms = closed_terms(script);
        rng.shuffle(&mut terms);
        terms.truncate(MAX_TERMS_ASKED);
        if constants.is_empty() || terms.is_empty() || constants.len() > MAX_CONSTANTS_ASKED {
            return None;
        }
        let arena = script.arena();
        let asked: Vec<String> = constants
            .iter()
            .map(|(name, _)| symbol_text(arena, *name))
            .chain(terms.iter().map(|&term| term_text(arena, term)))
            .collect();
        let mut text = String::from("(set-option :produce-models true)\n");
        for command in &script.commands {
            text.push_str(&command_text(arena, command));
            text.push('\n');
            if script.is_check(command) {
                text.push_str(&format!("(get-value ({}))\n", asked.join(" ")));
            }
        }
        Some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        if asked.answer != Some(Answer::Sat) {
            return ReplyReading::unclear("the check before it is not sat");
        }
        let Command::Terms(Word::GetValue, terms) = asked.command else {
            return ReplyReading::unclear("it is not a get-value command");
        };
        let pairs = items(asked.reply);
        if pairs.len() != terms.len() {
            return ReplyReading::unclear("it does not have a value for each term");
        }
        let values: Option<Vec<&str>> = pairs.iter().map(|pair| items(pair).get(1).copied()).collect();
        let Some(values) = values else { return ReplyReading::unclear("a value cannot be read") };
        let arena = asked.script.arena();
        if let Some(term) = contradicted(asked, terms.iter().copied().zip(values.iter().copied())) {
            let (term, answer) = (shown(&term_text(arena, term)), shown(asked.reply));
            return ReplyReading::Wrong(format!("its values {answer} contradict what is asserted: {term}"));
        }
        let flat = asked.flat();
        let equations: String = terms
            .iter()
            .zip(&values)
            .map(|(&term, value)| flat.assertion(&format!("(= {} {value})", term_text(arena, term))))
            .collect();
        let text = flat.with(&(asked.blocked.assertions() + &equations));
        let model: String = terms
            .iter()
            .zip(&values)
            .filter_map(|(&term, value)| {
                let (name, sort) = constants(asked.script)
                    .into_iter()
                    .find(|(name, _)| term_text(arena, term) == symbol_text(arena, *name))?;
                Some(format!(
                    "(define-fun {} () {} {value})",
                    symbol_text(arena, name),
                    sort_text(arena, sort)
                ))
            })
            .collect();
        match evaluated(asked.script, &text, &format!("({model})")) {
            Evaluated::True => ReplyReading::Right,
            Evaluated::False(why) if asked.blocked.formulas.is_empty() => {
                ReplyReading::Wrong(format!("its values do not fit together: {why}"))
            }
            Evaluated::False(why) => ReplyReading::Wrong(format!(
                "its values do not fit together, or are those of a blocked model: {why}"
            )),
            Evaluated::Open => ReplyReading::Claims(vec![Claim {
                text,
                answer: Answer::Sat,
                otherwise: format!("its values {} cannot hold at once", shown(asked.reply)),
            }]),
        }
    }
}

/// A formula whose truth value is not the one that the assertions demand outright.
pub(super) fn contradicted<'v>(
    asked: &AskedCommand<'_>,
    mut values: impl Iterator<Item = (Term, &'v str)>,
) -> Option<Term> {
    let literals = asked.query.literals(asked.script);
    let is_denied = |term: Term, value: &str| match value {
        "true" => literals.contains(&(term, false)),
        "false" => literals.contains(&(term, true)),
        _ => false,
    };
    values.find(|(term, value)| is_denied(*term, value)).map(|(term, _)| term)
}

/// What our evaluator says of the equations of a reply.
enum Evaluated {
    True,
    False(String),
    Open,
}

fn evaluated(script: &Script, text: &str, model: &str) -> Evaluated {
    let Ok(claim) = Script::parse(text, script.arena().signature()) else { return Evaluated::Open };
    let queries = sat_queries(&claim);
    let Ok(model) = Model::read(model, &claim, &queries[0]) else { return Evaluated::Open };
    let evaluation = evaluate(&model, &queries[0], VALUE_BUDGET);
    match evaluation.outcome() {
        TruthValue::True => Evaluated::True,
        TruthValue::Undecided(_) => Evaluated::Open,
        TruthValue::False => {
            let mut outcomes = queries[0].assertions.iter().zip(&evaluation.assertions);
            let wrong = outcomes.find(|(_, outcome)| **outcome == TruthValue::False);
            let told = wrong.and_then(|(&term, _)| explain(&model, term, VALUE_BUDGET));
            told.map_or(Evaluated::Open, |told| {
                let values = told.children.iter().map(|(text, value)| format!("{text} is {value}"));
                let values = values.collect::<Vec<_>>().join(", ");
                Evaluated::False(shown(&format!("{} is false: {values}", told.text)))
            })
        }
    }
}

/// The constants that a script declares outside of scopes, with their sorts.
pub(super) fn constants(script: &Script) -> Vec<(gainsay_smt::Symbol, Sort)> {
    let outside =
        script.commands.iter().take_while(|command| !matches!(command, Command::Push(_) | Command::Reset));
    let constant = |command: &Command| match command {
        Command::Declare(_, name, parameters, sort) if parameters.is_empty() => Some((*name, *sort)),
        _ => None,
    };
    outside.filter_map(constant).collect()
}

/// The terms of assertions outside of scopes that have no free variables and are no constants or literals.
pub(super) fn closed_terms(script: &Script) -> Vec<Term> {
    let arena = script.arena();
    let outside =
        script.commands.iter().take_while(|command| !matches!(command, Command::Push(_) | Command::Reset));
    let asserted = outside.filter_map(|command| match command {
        Command::Term(Word::Assert, term, _) => Some(*term),
        _ => None,
    });
    let names_something = |term: Term| term_text(arena, term).contains('!');
    let terms = arena.reachable(asserted);
    terms
        .into_iter()
        .filter(|&term| {
            !arena.children(term).is_empty()
                && arena.is_sort_of_values(arena.sort_of(term))
                && variables::free(arena, term).is_empty()
                && !names_something(term)
                && term_text(arena, term).len() <= MAX_TERM_BYTES
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::reading;

    const VALUES_SCRIPT: &str = "(declare-const x Int)(declare-fun f (Int) Int)(assert (> (* x x) 3))(check-sat)(get-value (x (* x x) (f x)))";

    #[test]
    fn values_are_computed_from_those_of_constants() {
        let wrong = |reply: &str| match reading(&ValuesQuestion, VALUES_SCRIPT, Answer::Sat, reply) {
            ReplyReading::Wrong(why) => why,
            other => panic!("{other:?}"),
        };
        assert!(wrong("((x 2) ((* x x) 5) ((f x) 0))").contains("(* x x) is 4"));
        assert!(wrong("((x 1) ((* x x) 1) ((f x) 0))").contains("(> (* x x) 3) is false"));
    }

    #[test]
    fn a_formula_that_is_asserted_cannot_be_false() {
        let text = "(declare-const a Int)(assert (not (forall ((t Int)) (= (div a t) a))))(check-sat)(get-value ((forall ((t Int)) (= (div a t) a))))";
        let told = |value: &str| {
            let reply = format!("(((forall ((t Int)) (= (div a t) a)) {value}))");
            reading(&ValuesQuestion, text, Answer::Sat, &reply)
        };
        let ReplyReading::Wrong(why) = told("true") else { panic!("{:?}", told("true")) };
        assert!(why.ends_with("contradict what is asserted: (forall ((t Int)) (= (div a t) a))"), "{why}");
        assert!(matches!(told("false"), ReplyReading::Claims(_)), "{:?}", told("false"));
    }

    #[test]
    fn functions_without_a_value_are_left_to_solvers() {
        let reading =
            reading(&ValuesQuestion, VALUES_SCRIPT, Answer::Sat, "((x (- 2)) ((* x x) 4) ((f x) 7))");
        let ReplyReading::Claims(claims) = reading else { panic!("{reading:?}") };
        assert!(claims[0].text.contains("(assert (= (f x) 7))"));
        assert_eq!(claims[0].answer, Answer::Sat);
    }

    #[test]
    fn replies_that_cannot_be_read_prove_nothing() {
        for reply in ["((x 2))", "sorry", "((x) (y) (z))"] {
            assert!(
                matches!(
                    reading(&ValuesQuestion, VALUES_SCRIPT, Answer::Sat, reply),
                    ReplyReading::Unclear(_)
                ),
                "{reply}"
            );
        }
    }
}
