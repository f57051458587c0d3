//! Interpolants of cvc5: a formula between what is asserted and what follows from it, over the symbols of both.
//!
//! ```text
//! (assert (> x (+ y 1))) (check-sat) (get-interpolant middle (> (+ x z) (+ y z)))      reply (define-fun middle () Bool (< y x))
//!        claims that      (assert (> x (+ y 1))) (assert (not (< y x))) (check-sat)                       is unsat
//!        and that         (assert (< y x)) (assert (not (> (+ x z) (+ y z)))) (check-sat)                 is unsat
//! ```
//!
//! The interface of cvc5 says so: the result is over the shared variables, follows from the assertions, and implies the conjecture. If
//! no interpolant exists, cvc5 says `fail` or gives up, which claims nothing. `get-interpolant-next` and `get-abduct-next` are guaranteed to give
//! another formula than the command before them (<https://github.com/cvc5/cvc5/pull/7853>).

use std::collections::BTreeSet;

use gainsay_smt::print::term_text;
use gainsay_smt::{Arena, Command, Script, Signature, Sort, Term, TermView, Word};

use super::core::shown;
use super::values::closed_terms;
use super::{AskedCommand, Question, fresh_prefix};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::reply::{expressions, items};

/// Asks for interpolants.
pub struct InterpolantQuestion;

/// Options that are drawn.
const INTERPOLANT_MODES: [&str; 4] = ["assumptions", "conjecture", "shared", "all"];
/// Results that are asked for after the first one.
const MAX_NEXT_COMMANDS: usize = 3;

impl Question for InterpolantQuestion {
    fn name(&self) -> &'static str {
        "interpolant"
    }

    fn about(&self) -> &'static str {
        "an interpolant must follow from the assertions, imply the conjecture, and have only symbols of both"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Interpolant
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-interpolant", "get-interpolant-next"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let parts = AssertedParts::of(script)?;
        let count = parts.conjuncts.len();
        let (asserted, conjecture) = match rng.chance(1, 2) {
            // The conjecture of an unsatisfiable script is the negation of the rest.
            true if count > 1 => {
                let (first, rest) = parts.conjuncts.split_at(1 + rng.below(count - 1));
                (first.to_vec(), format!("(not {})", conjunction(rest)))
            }
            // A weaker formula always follows.
            _ => {
                let known = parts.conjuncts.get(rng.below(count))?;
                let other = rng.choose(&parts.formulas)?;
                (parts.conjuncts.clone(), format!("(or {known} {other})"))
            }
        };
        let mut text = String::from("(set-option :produce-interpolants true)\n");
        if rng.chance(1, 3) {
            text.push_str(&format!("(set-option :interpolants-mode {})\n", rng.choose(&INTERPOLANT_MODES)?));
        }
        text.push_str(&parts.head);
        for part in &asserted {
            text.push_str(&format!("(assert {part})\n"));
        }
        let name = fresh_prefix(script, "middle");
        let next = next_commands("get-interpolant-next", rng);
        Some(text + &format!("(check-sat)\n(get-interpolant {name} {conjecture})\n{next}"))
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        let Some((conjecture, result)) = conjecture_and_result(asked) else {
            return ReplyReading::unclear("it gives no interpolant");
        };
        if let Some(why) = repetition(asked) {
            return ReplyReading::Repeats(format!("its next interpolant {why}"));
        }
        let flat = asked.flat();
        if let Some(name) = foreign_symbol(asked, conjecture, result) {
            return ReplyReading::Wrong(format!(
                "its interpolant {} has {name}, which is not shared",
                shown(result)
            ));
        }
        let (negated, rejected) =
            (flat.assertion(&format!("(not {result})")), flat.assertion(&format!("(not {conjecture})")));
        let claim = |text: String, what: &str| Claim {
            text,
            answer: Answer::Unsat,
            otherwise: format!("its interpolant {} {what}", shown(result)),
        };
        ReplyReading::Claims(vec![
            claim(flat.with(&negated), "does not follow from the assertions"),
            claim(
                flat.with_some(|_| false, &(flat.assertion(result) + &rejected)),
                "does not imply the conjecture",
            ),
        ])
    }
}

/// The parts of a script that is asked for a formula.
pub(super) struct AssertedParts {
    /// The commands before the first assertion.
    pub head: String,
    /// The conjuncts of all assertions.
    pub conjuncts: Vec<String>,
    /// Its Boolean terms without free variables.
    pub formulas: Vec<String>,
}

impl AssertedParts {
    /// `None` if the script goes on, asks something, or declares something after its first assertion.
    pub fn of(script: &Script) -> Option<AssertedParts> {
        let is_plain = !script.is_horn()
            && !super::is_asked(script)
            && !super::goes_on(script)
            && !script.has_opaque()
            && script.commands.iter().any(|command| matches!(command, Command::CheckSat));
        let arena = script.arena();
        let first = script.commands.iter().position(|one| matches!(one, Command::Term(Word::Assert, ..)))?;
        let (before, rest) = script.commands.split_at(first);
        if !is_plain || rest.iter().any(Command::is_declaration) {
            return None;
        }
        let head = before.iter().map(|one| gainsay_smt::print::command_text(arena, one) + "\n").collect();
        let conjuncts: Vec<String> = script
            .assertions()
            .flat_map(|term| super::core::conjuncts(arena, term))
            .map(|term| term_text(arena, term))
            .collect();
        let boolean = |term: &Term| arena.sort_of(*term) == Sort::BOOL;
        let formulas = closed_terms(script).into_iter().filter(boolean).map(|term| term_text(arena, term));
        let is_named = conjuncts.iter().any(|text| text.contains(":named"));
        (!is_named).then(|| AssertedParts { head, conjuncts, formulas: formulas.collect() })
    }
}

pub(super) fn conjunction(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        several => format!("(and {})", several.join(" ")),
    }
}

/// Commands that ask for one more result, or none.
pub(super) fn next_commands(name: &str, rng: &mut Rng) -> String {
    let count = if rng.chance(1, 3) { 1 + rng.below(MAX_NEXT_COMMANDS) } else { 0 };
    format!("({name})\n").repeat(count)
}

/// The formula of the command `(get-… NAME FORMULA)`, or of the one that it continues, and that of the reply `(define-fun NAME () Bool RESULT)`.
pub(super) fn conjecture_and_result<'a>(asked: &AskedCommand<'a>) -> Option<(&'a str, &'a str)> {
    let arena = asked.script.arena();
    let arguments = |command: &'a Command| match command {
        Command::Plain(_, text) => expressions(arena.text(*text)),
        _ => Vec::new(),
    };
    let first = asked.script.commands[..=asked.place].iter().rev().find(|one| !is_next(asked.script, one))?;
    let &[name, conjecture] = arguments(first).as_slice() else { return None };
    match items(asked.reply).as_slice() {
        &["define-fun", defined, "()", "Bool", result] if defined == name => Some((conjecture, result)),
        _ => None,
    }
}

/// Returns true if a command asks for one more result of the command before it.
fn is_next(script: &Script, command: &Command) -> bool {
    matches!(command, Command::Plain(name, _) if script.arena().text(*name).ends_with("-next"))
}

/// Says that a reply to `get-…-next` is the reply to the command before it, if it is.
pub(super) fn repetition(asked: &AskedCommand<'_>) -> Option<String> {
    let before = asked.before.filter(|_| is_next(asked.script, asked.command))?;
    (items(before) == items(asked.reply)).then(|| "is the one before it again".to_owned())
}

/// A declared symbol of the result that the assertions or the conjecture do not have; `None` as well if a formula cannot be read, or
/// if definitions may hide symbols.
fn foreign_symbol(asked: &AskedCommand<'_>, conjecture: &str, result: &str) -> Option<String> {
    let flat = asked.flat();
    let declarations = flat.declarations(|_| false);
    if declarations.contains("(define-") {
        return None;
    }
    let signature = asked.script.arena().signature();
    let with = |formula: &str| symbols(&(declarations.clone() + &flat.assertion(formula)), signature);
    let asserted = symbols(&flat.with(""), signature)?;
    let (conjecture, result) = (with(conjecture)?, with(result)?);
    result.into_iter().find(|name| !asserted.contains(name) || !conjecture.contains(name))
}

/// The declared functions and constants in the assertions of a text.
pub(super) fn symbols(text: &str, signature: &std::sync::Arc<Signature>) -> Option<BTreeSet<String>> {
    let script = Script::parse(text, signature).ok()?;
    let arena: &Arena = script.arena();
    // Constructors and selectors are known wherever their sort is.
    let name = |command: &Command| match command {
        Command::Declare(_, name, ..) => Some(*name),
        _ => None,
    };
    let declared: Vec<_> = script.commands.iter().filter_map(name).collect();
    let name = |term: Term| match arena.view(term) {
        TermView::Application(head, _) if declared.contains(&head.symbol) => {
            Some(arena.text(head.symbol).to_owned())
        }
        _ => None,
    };
    Some(arena.reachable(script.assertions()).filter_map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading, reading_after};

    const INTERPOLANT_SCRIPT: &str = "(declare-const x Int)(declare-const y Int)(declare-const z Int)(assert (> x (+ y 1)))(check-sat)\
        (get-interpolant middle (> (+ x z) (+ y z)))";

    #[test]
    fn an_interpolant_lies_between_the_assertions_and_the_conjecture() {
        let reply = "(define-fun middle () Bool (< y x))";
        let ReplyReading::Claims(claims) =
            reading(&InterpolantQuestion, INTERPOLANT_SCRIPT, Answer::Sat, reply)
        else {
            panic!()
        };
        assert!(claims[0].text.ends_with("(assert (> x (+ y 1)))\n(assert (not (< y x)))\n(check-sat)\n"));
        let expected = "(assert (< y x))\n(assert (not (> (+ x z) (+ y z))))\n(check-sat)\n";
        assert!(
            claims[1].text.ends_with(expected) && !claims[1].text.contains("(+ y 1)"),
            "{}",
            claims[1].text
        );
    }

    #[test]
    fn a_symbol_of_one_side_only_is_wrong() {
        let reply = "(define-fun middle () Bool (< y (+ x (* 0 z))))";
        let read = reading(&InterpolantQuestion, INTERPOLANT_SCRIPT, Answer::Sat, reply);
        assert!(matches!(&read, ReplyReading::Wrong(why) if why.contains("has z")), "{read:?}");
    }

    #[test]
    fn constructors_are_no_symbols_of_one_side() {
        let script = "(declare-datatype T ((none) (some (get Int))))(declare-const t T)(assert (= t (some 1)))(check-sat)\
            (get-interpolant middle (not ((_ is none) t)))";
        let read = reading(
            &InterpolantQuestion,
            script,
            Answer::Sat,
            "(define-fun middle () Bool (not (= t none)))",
        );
        assert!(matches!(read, ReplyReading::Claims(_)), "{read:?}");
    }

    #[test]
    fn other_replies_claim_nothing() {
        for reply in ["fail", "none", "(define-fun other () Bool true)", "(define-fun middle () Int 3)"] {
            let read = reading(&InterpolantQuestion, INTERPOLANT_SCRIPT, Answer::Sat, reply);
            assert!(matches!(read, ReplyReading::Unclear(_)), "{reply}: {read:?}");
        }
    }

    #[test]
    fn the_next_interpolant_is_another_one() {
        let text = INTERPOLANT_SCRIPT.to_owned() + "(get-interpolant-next)(get-interpolant-next)";
        let first = "(define-fun middle () Bool (< y x))";
        let read = |reply| reading_after(&InterpolantQuestion, &text, Answer::Sat, Some(first), reply);
        let repeated = read("(define-fun middle ()  Bool (< y x))");
        assert!(matches!(&repeated, ReplyReading::Repeats(why) if why.contains("again")), "{repeated:?}");
        let ReplyReading::Claims(claims) = read("(define-fun middle () Bool (<= (+ y 1) x))") else {
            panic!()
        };
        assert!(claims[1].text.ends_with("(assert (not (> (+ x z) (+ y z))))\n(check-sat)\n"));
        assert!(matches!(read("fail"), ReplyReading::Unclear(_)));
        // The first command may give what another solver gave before.
        let same = reading_after(&InterpolantQuestion, INTERPOLANT_SCRIPT, Answer::Sat, Some(first), first);
        assert!(matches!(same, ReplyReading::Claims(_)), "{same:?}");
    }

    #[test]
    fn the_rest_of_a_script_becomes_a_conjecture() {
        let text = "(declare-const x Int)(assert (and (> x 3) (< x 2)))(check-sat)";
        let made: Vec<String> = (0..40).filter_map(|seed| asked(&InterpolantQuestion, text, seed)).collect();
        let expected = "(assert (> x 3))\n(check-sat)\n(get-interpolant middle (not (< x 2)))";
        assert!(made.iter().any(|text| text.contains(expected)), "{made:?}");
    }
}
