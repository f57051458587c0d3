//! Sequences of interpolants, as OpenSMT, SMTInterpol and MathSAT give them: one between each part of the assertions and the next.
//!
//! ```text
//! (assert (! (< x 2) :named part_0)) (assert (! (> y 5) :named part_1)) (assert (! (= x y) :named part_2)) (check-sat)
//! (get-interpolants part_0 (and part_1 part_2))          reply ((< x 2))
//!        claims that      (assert (< x 2)) (assert (not (< x 2))) (check-sat)                    is unsat
//!        and that         (assert (< x 2)) (assert (> y 5)) (assert (= x y)) (check-sat)          is unsat
//! ```
//!
//! Formula k of a reply follows from the one before it and part k, has only symbols of the first k parts that a later part has, too, and the
//! last one contradicts the last part. Trees of parts, which SMTInterpol writes with parentheses, claim nothing here.

use std::collections::BTreeSet;

use gainsay_smt::Script;

use super::core::{NamedParts, shown};
use super::interpolant::{AssertedParts, symbols};
use super::{AskedCommand, Question, fresh_prefix};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::reply::{expressions, items};

/// Asks for sequences of interpolants.
pub struct PartitionQuestion;

/// The most parts that are asked for.
const MAX_PARTS: usize = 4;

impl Question for PartitionQuestion {
    fn name(&self) -> &'static str {
        "partition"
    }

    fn about(&self) -> &'static str {
        "each interpolant of a sequence must follow from the one before it and a part, and have only symbols shared with later parts"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Partition
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-interpolants"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let AssertedParts { head, mut conjuncts, .. } = AssertedParts::of(script)?;
        if conjuncts.len() < 2 {
            return None;
        }
        rng.shuffle(&mut conjuncts);
        let prefix = fresh_prefix(script, "part_");
        let mut text = format!("(set-option :produce-interpolants true)\n{head}");
        for (number, conjunct) in conjuncts.iter().enumerate() {
            text += &format!("(assert (! {conjunct} :named {prefix}{number}))\n");
        }
        let parts = 2 + rng.below(conjuncts.len().min(MAX_PARTS) - 1);
        let mut groups: Vec<Vec<String>> = vec![Vec::new(); parts];
        for number in 0..conjuncts.len() {
            // The first names are for one part each, so that no part is empty.
            let group = if number < parts { number } else { rng.below(parts) };
            groups[group].push(format!("{prefix}{number}"));
        }
        let shown: Vec<String> = groups.iter().map(|names| super::interpolant::conjunction(names)).collect();
        Some(text + &format!("(check-sat)\n(get-interpolants {})\n", shown.join(" ")))
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        if asked.answer != Some(Answer::Unsat) {
            return ReplyReading::unclear("the check before it is not unsat");
        }
        let Some(parts) = parts(asked) else {
            return ReplyReading::unclear("its parts are not all the assertions, each by its name");
        };
        let formulas = items(asked.reply);
        if formulas.len() + 1 != parts.len() {
            return ReplyReading::unclear("it does not give a formula between each two parts");
        }
        match foreign_symbol(asked, &parts, &formulas) {
            Some(Ok(())) => {}
            Some(Err(why)) => return ReplyReading::Wrong(why),
            None => return ReplyReading::unclear("a formula of it cannot be read"),
        }
        let flat = asked.flat();
        let claim = |number: usize| {
            let before = number.checked_sub(1).map(|place| flat.assertion(formulas[place]));
            let after = formulas.get(number).map(|formula| flat.assertion(&format!("(not {formula})")));
            let commands = before.unwrap_or_default() + &after.unwrap_or_default();
            let otherwise = match formulas.get(number) {
                Some(formula) => format!("its interpolant {} does not follow", shown(formula)),
                None => "its last interpolant does not contradict the last part".to_owned(),
            };
            let text = flat.with_some(|command| parts[number].contains(&command), &commands);
            Claim { text, answer: Answer::Unsat, otherwise }
        };
        ReplyReading::Claims((0..parts.len()).map(claim).collect())
    }
}

/// The parts that a command names, as indices of assertions; `None` unless they are all the assertions of the check.
fn parts(asked: &AskedCommand<'_>) -> Option<Vec<BTreeSet<usize>>> {
    let gainsay_smt::Command::Plain(_, text) = asked.command else { return None };
    let named = NamedParts::of(asked);
    let part = |text: &str| -> Option<BTreeSet<usize>> {
        let names = match items(text).as_slice() {
            ["and", names @ ..] => names.to_vec(),
            _ => vec![text],
        };
        names.into_iter().map(|name| named.assertion(name)).collect()
    };
    let parts: Vec<BTreeSet<usize>> =
        expressions(asked.script.arena().text(*text)).into_iter().map(part).collect::<Option<_>>()?;
    let is_all = asked.assertions().all(|command| parts.iter().any(|part| part.contains(&command)));
    (parts.len() > 1 && is_all && asked.query.assumptions.is_empty()).then_some(parts)
}

/// Says which formula has a symbol that the parts on both sides do not share; `None` if a formula cannot be read. Definitions may hide
/// symbols: then nothing is said.
fn foreign_symbol(
    asked: &AskedCommand<'_>,
    parts: &[BTreeSet<usize>],
    formulas: &[&str],
) -> Option<Result<(), String>> {
    let flat = asked.flat();
    let signature = asked.script.arena().signature();
    let declarations = flat.declarations(|_| false);
    let of_parts = |parts: &[BTreeSet<usize>]| {
        symbols(&flat.with_some(|command| parts.iter().any(|part| part.contains(&command)), ""), signature)
    };
    for (number, formula) in formulas.iter().enumerate() {
        let (before, after) = (of_parts(&parts[..=number])?, of_parts(&parts[number + 1..])?);
        let own = symbols(&(declarations.clone() + &flat.assertion(formula)), signature)?;
        let foreign = own.into_iter().find(|name| !before.contains(name) || !after.contains(name));
        if let Some(name) = foreign.filter(|_| !declarations.contains("(define-")) {
            return Some(Err(format!("its interpolant {} has {name}, which is not shared", shown(formula))));
        }
    }
    Some(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    const PARTITION_SCRIPT: &str = "(declare-const x Int)(declare-const y Int)(assert (! (< x 2) :named a))(assert (! (> y 5) :named b))\
        (assert (! (= x y) :named c))(check-sat)(get-interpolants a (and b c))";

    #[test]
    fn an_interpolant_lies_between_two_parts() {
        let ReplyReading::Claims(claims) =
            reading(&PartitionQuestion, PARTITION_SCRIPT, Answer::Unsat, "((< x 3))")
        else {
            panic!()
        };
        let ends = |number: usize, expected: &str| {
            assert!(claims[number].text.ends_with(expected), "{}", claims[number].text);
        };
        ends(
            0,
            "(declare-const y Int)\n(assert (! (< x 2) :named a))\n(assert (not (< x 3)))\n(check-sat)\n",
        );
        ends(
            1,
            "(assert (! (> y 5) :named b))\n(assert (! (= x y) :named c))\n(assert (< x 3))\n(check-sat)\n",
        );
        assert!(!claims[1].text.contains("(< x 2)"), "{}", claims[1].text);
        assert!(claims.iter().all(|claim| claim.answer == Answer::Unsat));
    }

    #[test]
    fn a_sequence_leads_from_one_part_to_the_next() {
        let script = PARTITION_SCRIPT.replace("a (and b c)", "a c b");
        let ReplyReading::Claims(claims) =
            reading(&PartitionQuestion, &script, Answer::Unsat, "((< x 2) (< y 2))")
        else {
            panic!()
        };
        assert_eq!(claims.len(), 3);
        let middle = "(assert (! (= x y) :named c))\n(assert (< x 2))\n(assert (not (< y 2)))\n(check-sat)\n";
        assert!(claims[1].text.ends_with(middle), "{}", claims[1].text);
    }

    #[test]
    fn a_symbol_of_one_side_only_is_wrong() {
        let read = reading(&PartitionQuestion, PARTITION_SCRIPT, Answer::Unsat, "((< x (+ 2 (* 0 y))))");
        assert!(matches!(&read, ReplyReading::Wrong(why) if why.contains("has y")), "{read:?}");
    }

    #[test]
    fn other_replies_and_parts_claim_nothing() {
        let unclear = |script: &str, answer, reply: &str| {
            let read = reading(&PartitionQuestion, script, answer, reply);
            assert!(matches!(read, ReplyReading::Unclear(_)), "{script} {reply}: {read:?}");
        };
        for reply in ["(error \"no proof\")", "()", "((< x 2) (< x 3))", "((< z 2))", "((< x (@diff a b)))"] {
            unclear(PARTITION_SCRIPT, Answer::Unsat, reply);
        }
        unclear(PARTITION_SCRIPT, Answer::Sat, "((< x 2))");
        unclear(&PARTITION_SCRIPT.replace("a (and b c)", "a b"), Answer::Unsat, "((< x 2))");
        unclear(&PARTITION_SCRIPT.replace("a (and b c)", "a (b c)"), Answer::Unsat, "((< x 2))");
        unclear(&PARTITION_SCRIPT.replace("a (and b c)", "a (and b d)"), Answer::Unsat, "((< x 2))");
    }

    #[test]
    fn every_conjunct_is_named_in_one_part() {
        let text = "(declare-const x Int)(assert (and (> x 3) (< x 2)))(assert (distinct x 7))(check-sat)";
        let made: Vec<String> = (0..40).filter_map(|seed| asked(&PartitionQuestion, text, seed)).collect();
        assert_eq!(made.len(), 40);
        for text in &made {
            let (assertions, command) = text.split_once("(check-sat)").unwrap();
            for number in 0..3 {
                let name = format!("part_{number}");
                assert_eq!(
                    (assertions.matches(&name).count(), command.matches(&name).count()),
                    (1, 1),
                    "{text}"
                );
            }
        }
        assert!(made.iter().any(|text| text.contains("(get-interpolants part_0 (and part_1 part_2))")));
        assert!(made.iter().any(|text| text.contains("(get-interpolants part_0 part_1 part_2)")));
        assert_eq!(asked(&PartitionQuestion, "(declare-const x Int)(assert (> x 3))(check-sat)", 1), None);
    }
}
