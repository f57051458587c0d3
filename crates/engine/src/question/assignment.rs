//! Assignments: the truth values of named formulas must be those of one model of the assertions.
//!
//! ```text
//! (assert (or (! (> x 3) :named truth_0) (! (< y 2) :named truth_1))) (check-sat) (get-assignment)    reply ((truth_0 true) (truth_1 false))
//!        claims that      (assert (or (! (> x 3) :named truth_0) …)) (assert truth_0) (assert (not truth_1)) (check-sat)      is sat
//! ```

use std::collections::BTreeMap;

use gainsay_smt::print::{command_text, symbol_text, term_text};
use gainsay_smt::{AttributeValue, Command, Script, Sort, Term, TermView, Word, variables};

use super::core::shown;
use super::values::contradicted;
use super::{AskedCommand, Question, fresh_prefix};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::reply::items;

/// Asks for the truth values of named formulas.
pub struct AssignmentQuestion;

impl Question for AssignmentQuestion {
    fn name(&self) -> &'static str {
        "assignment"
    }

    fn about(&self) -> &'static str {
        "the truth values of named formulas must hold in one model"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Assignment
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-assignment"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        if script.is_horn() || super::is_asked(script) || super::goes_on(script) || script.has_opaque() {
            return None;
        }
        let arena = script.arena();
        let prefix = fresh_prefix(script, "truth_");
        let mut count = 0;
        let mut text = String::from("(set-option :produce-assignments true)\n");
        for command in &script.commands {
            match command {
                Command::Term(Word::Assert, term, _) => {
                    text.push_str(&format!("(assert {})\n", named(script, *term, &prefix, &mut count, rng)));
                }
                _ => text.push_str(&(command_text(arena, command) + "\n")),
            }
            if matches!(command, Command::CheckSat) {
                text.push_str("(get-assignment)\n");
            }
        }
        (count > 0).then_some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        if asked.answer != Some(Answer::Sat) {
            return ReplyReading::unclear("the check before it is not sat");
        }
        let flat = asked.flat();
        let named = named_terms(asked);
        let pairs = items(asked.reply);
        let values = pairs.iter().filter_map(|pair| match items(pair).as_slice() {
            [name, value] => Some((*named.get(*name)?, *value)),
            _ => None,
        });
        if contradicted(asked, values).is_some() {
            let told = shown(asked.reply);
            return ReplyReading::Wrong(format!("its truth values {told} contradict what is asserted"));
        }
        let mut told = String::new();
        for pair in items(asked.reply) {
            match items(pair).as_slice() {
                [name, "true"] => told.push_str(&flat.assertion(name)),
                [name, "false"] => told.push_str(&flat.assertion(&format!("(not {name})"))),
                _ => return ReplyReading::unclear("a truth value cannot be read"),
            }
        }
        if told.is_empty() {
            return ReplyReading::unclear("it names nothing");
        }
        ReplyReading::Claims(vec![Claim {
            text: flat.with(&told),
            answer: Answer::Sat,
            otherwise: format!("its truth values {} cannot hold at once", shown(asked.reply)),
        }])
    }
}

/// The formulas that have names in the assertions of a check, by name.
fn named_terms(asked: &AskedCommand<'_>) -> BTreeMap<String, Term> {
    let arena = asked.script.arena();
    let name = |term| match arena.view(term) {
        TermView::Annotated(attributes, &[inner, ..]) => attributes.iter().find_map(|one| match one.value {
            AttributeValue::Name(name) => Some((symbol_text(arena, name), inner)),
            _ => None,
        }),
        _ => None,
    };
    arena.reachable(asked.query.assertions.iter().copied()).filter_map(name).collect()
}

/// An assertion with names for some of its direct parts.
fn named(script: &Script, term: Term, prefix: &str, count: &mut usize, rng: &mut Rng) -> String {
    let arena = script.arena();
    let whole = term_text(arena, term);
    let TermView::Application(head, parts) = arena.view(term) else { return whole };
    let is_plain = head.indices.is_empty() && head.qualifier.is_none();
    if !is_plain || parts.is_empty() || whole.contains(":named") {
        return whole;
    }
    let mut text = format!("({}", symbol_text(arena, head.symbol));
    for &part in parts {
        let is_formula = arena.sort_of(part) == Sort::BOOL && variables::free(arena, part).is_empty();
        let part = term_text(arena, part);
        if is_formula && rng.chance(2, 3) {
            text.push_str(&format!(" (! {part} :named {prefix}{count})"));
            *count += 1;
        } else {
            text.push_str(&format!(" {part}"));
        }
    }
    text + ")"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    #[test]
    fn truth_values_are_claimed_together_with_the_assertions() {
        let text = "(declare-const x Int)(assert (or (! (> x 3) :named a) (! (< x 2) :named b)))(check-sat)(get-assignment)";
        let ReplyReading::Claims(claims) =
            reading(&AssignmentQuestion, text, Answer::Sat, "((a true) (b false))")
        else {
            panic!()
        };
        assert!(
            claims[0].text.contains(":named a") && claims[0].text.contains("(assert a)\n(assert (not b))\n")
        );
        let denied = "(declare-const x Int)(assert (not (! (> x 3) :named a)))(check-sat)(get-assignment)";
        assert!(matches!(
            reading(&AssignmentQuestion, denied, Answer::Sat, "((a true))"),
            ReplyReading::Wrong(_)
        ));
        assert!(matches!(
            reading(&AssignmentQuestion, denied, Answer::Sat, "((a false))"),
            ReplyReading::Claims(_)
        ));
        let unclear = |answer, reply| {
            matches!(reading(&AssignmentQuestion, text, answer, reply), ReplyReading::Unclear(_))
        };
        assert!(unclear(Answer::Unsat, "((a true))"));
        assert!(unclear(Answer::Sat, "((a maybe))") && unclear(Answer::Sat, "()"));
    }

    #[test]
    fn parts_of_assertions_get_names() {
        let text = "(declare-const x Int)(assert (or (> x 3) (< x 2)))(check-sat)";
        let made: Vec<String> = (0..20).filter_map(|seed| asked(&AssignmentQuestion, text, seed)).collect();
        let expected = "(assert (or (! (> x 3) :named truth_0) (! (< x 2) :named truth_1)))";
        assert!(made.iter().any(|text| text.contains(expected)), "{made:?}");
    }
}
