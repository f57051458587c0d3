//! Quantifier elimination of cvc5: `get-qe` must give an equivalent formula, `get-qe-disjunct` one that implies the input, or follows
//! from it if the input is universal.
//!
//! ```text
//! (get-qe (exists ((y Int)) (and (< x y) (< y z))))        reply (>= z (+ x 2))
//!        claims that   (assert (not (= (exists ((y Int)) (and (< x y) (< y z))) (>= z (+ x 2))))) (check-sat)   is unsat
//! ```
//!
//! Both hold together with the assertions before the command, by cvc5's documentation. It also says that the result has no quantifiers
//! and no other variables than the formula, and that it eliminates those of linear arithmetic: there a result with quantifiers is wrong,
//! elsewhere it is no elimination. z3's elimination is a tactic (`tactic.rs`), which claims no more than equivalence.

use gainsay_smt::logic;
use gainsay_smt::print::{command_text, term_text};
use gainsay_smt::{
    Arena, Binder, Command, Error, ErrorKind, Script, Symbol, Term, TermView, Word, variables,
};

use super::core::shown;
use super::{AskedCommand, Question};
use crate::plain_terms::{PlainTerms, applied};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};

/// Asks for formulas without quantifiers.
pub struct EliminationQuestion;

impl Question for EliminationQuestion {
    fn name(&self) -> &'static str {
        "elimination"
    }

    fn about(&self) -> &'static str {
        "a formula after quantifier elimination must be equivalent"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Elimination
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-qe", "get-qe-disjunct"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        if script.is_horn() || super::is_asked(script) || super::goes_on(script) || script.has_opaque() {
            return None;
        }
        let quantified = quantified(script);
        let term = *rng.choose(&quantified)?;
        let command = if rng.chance(1, 4) { "get-qe-disjunct" } else { "get-qe" };
        let first = script.commands.iter().position(|one| matches!(one, Command::Term(Word::Assert, ..)))?;
        if script.commands[first..].iter().any(Command::is_declaration) {
            return None;
        }
        let mut text = String::new();
        for (place, one) in script.commands.iter().enumerate() {
            if place == first {
                text.push_str(&format!("({command} {})\n", term_text(script.arena(), term)));
            }
            text.push_str(&command_text(script.arena(), one));
            text.push('\n');
        }
        Some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        let Command::Term(word @ (Word::GetQe | Word::GetQeDisjunct), term, _) = asked.command else {
            return ReplyReading::unclear("it asks for no elimination");
        };
        let is_forall = matches!(asked.script.arena().view(*term), TermView::Bind(Binder::Forall, ..));
        let (term, reply) = (term_text(asked.script.arena(), *term), asked.reply);
        let differ = match word {
            Word::GetQe => format!("(not (= {term} {reply}))"),
            // The interface of cvc5 says so: the part of a universal formula follows from it, that of an existential implies it.
            _ if is_forall => format!("(and {term} (not {reply}))"),
            _ => format!("(and {reply} (not {term}))"),
        };
        if let Some(reading) = shape(asked, &term) {
            return reading;
        }
        let flat = asked.flat();
        ReplyReading::Claims(vec![Claim {
            text: flat.with_some(|place| place < asked.place, &flat.assertion(&differ)),
            answer: Answer::Unsat,
            otherwise: format!("its result {} of {} is wrong", shown(reply), word.text()),
        }])
    }
}

/// What follows from the variables and the quantifiers of a result alone; `None` if it has the form that is claimed.
fn shape(asked: &AskedCommand<'_>, term: &str) -> Option<ReplyReading> {
    let flat = asked.flat();
    let before = flat.declarations(|place| place < asked.place);
    let read = |more: &str| Script::parse(&(before.clone() + more), asked.script.arena().signature());
    let mut script = match read(&(flat.assertion(term) + &flat.assertion(asked.reply))) {
        Ok(script) => script,
        Err(error) => return unknown_variable(&error).map(|name| has_variable(asked, name)),
    };
    let is_linear = matches!(logic::smallest(&script), "LIA" | "LRA" | "QF_LIA" | "QF_LRA");
    let asserted: Vec<Term> = script.assertions().collect();
    let &[.., formula, result] = asserted.as_slice() else { return None };
    let mut terms = PlainTerms::of(&mut script);
    let (Some(formula), Some(result)) = (terms.plain(formula), terms.plain(result)) else {
        return Some(ReplyReading::unclear("the formulas are too large"));
    };
    let script = terms.script();
    let arena = script.arena();
    let known = applied(arena, formula);
    if let Some(new) = applied(arena, result).difference(&known).find(|name| is_variable(script, **name)) {
        return Some(has_variable(asked, arena.text(*new)));
    }
    match (is_quantified(arena, result), matrix(arena, formula)) {
        (false, _) => None,
        (true, matrix) if is_linear && !is_quantified(arena, matrix) => {
            Some(ReplyReading::Wrong(format!("its result {} has quantifiers", shown(asked.reply))))
        }
        (true, _) if formula == result => Some(ReplyReading::unclear("it eliminates no quantifier")),
        (true, _) => None,
    }
}

/// Returns true if a name is that of a declared constant or function. Constructors and selectors are known wherever their sort is.
fn is_variable(script: &Script, name: Symbol) -> bool {
    script
        .commands
        .iter()
        .any(|command| matches!(command, Command::Declare(_, declared, ..) if *declared == name))
}

fn has_variable(asked: &AskedCommand<'_>, name: &str) -> ReplyReading {
    ReplyReading::Wrong(format!("its result {} has {name}, which is not in the formula", shown(asked.reply)))
}

/// The name of an unknown constant that keeps a reply from being read.
fn unknown_variable(error: &Error) -> Option<&str> {
    let name = error
        .message
        .strip_prefix("unknown function or constant ")
        .filter(|_| error.kind == ErrorKind::Sort)?;
    let name = name.split([' ', ';', ',', ':']).next()?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let before = error.excerpt.char_indices().nth(error.caret).map(|(at, _)| error.excerpt[..at].trim_end());
    (name.chars().all(is_plain) && before.is_some_and(|before| !before.ends_with('('))).then_some(name)
}

/// The part of a formula below its leading quantifiers.
fn matrix(arena: &Arena, mut term: Term) -> Term {
    while let TermView::Bind(Binder::Forall | Binder::Exists, _, [body]) = arena.view(term) {
        term = *body;
    }
    term
}

fn is_quantified(arena: &Arena, term: Term) -> bool {
    arena.reachable([term]).any(|part| matches!(arena.view(part), TermView::Bind(..)))
}

/// The quantified formulas of a script without free variables.
fn quantified(script: &Script) -> Vec<Term> {
    let arena = script.arena();
    let is_quantifier = |&term: &Term| {
        matches!(arena.view(term), TermView::Bind(Binder::Forall | Binder::Exists, ..))
            && variables::free(arena, term).is_empty()
    };
    arena.reachable(script.assertions()).filter(is_quantifier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::reading;

    #[test]
    fn an_elimination_claims_equivalence_and_a_disjunct_an_implication() {
        let script = |command: &str| {
            format!("(declare-const x Int)({command} (exists ((y Int)) (< x y)))(assert (> x 0))(check-sat)")
        };
        let claim = |command: &str| match reading(&EliminationQuestion, &script(command), Answer::Sat, "true")
        {
            ReplyReading::Claims(claims) => claims[0].text.clone(),
            other => panic!("{other:?}"),
        };
        let expected =
            "(declare-const x Int)\n(assert (not (= (exists ((y Int)) (< x y)) true)))\n(check-sat)\n";
        assert_eq!(claim("get-qe"), expected);
        assert!(claim("get-qe-disjunct").contains("(assert (and true (not (exists ((y Int)) (< x y)))))"));
    }

    #[test]
    fn a_part_of_a_universal_formula_follows_from_it() {
        let script = "(declare-const x Int)(get-qe-disjunct (forall ((y Int)) (< x y)))(check-sat)";
        let ReplyReading::Claims(claims) = reading(&EliminationQuestion, script, Answer::Sat, "(< x 0)")
        else {
            panic!()
        };
        let expected = "(assert (and (forall ((y Int)) (< x y)) (not (< x 0))))";
        assert!(claims[0].text.contains(expected), "{}", claims[0].text);
    }

    fn shape_of(command: &str, reply: &str) -> ReplyReading {
        let head = match command.contains("BitVec") {
            true => "(declare-const u (_ BitVec 3))(declare-const v (_ BitVec 3))",
            false => "(declare-const x Int)(declare-const y Int)",
        };
        let script = format!("{head}{command}(check-sat)");
        reading(&EliminationQuestion, &script, Answer::Sat, reply)
    }

    #[test]
    fn quantifiers_that_are_left_are_wrong_in_linear_arithmetic_and_no_elimination_elsewhere() {
        let linear = "(get-qe (exists ((z Int)) (< x z)))";
        for reply in ["(exists ((z Int)) (< x z))", "(forall ((w Int)) (or (< x w) true))"] {
            assert!(
                matches!(shape_of(linear, reply), ReplyReading::Wrong(why) if why.contains("has quantifiers"))
            );
        }
        let bits = "(get-qe (exists ((z (_ BitVec 3))) (bvult z u)))";
        assert_eq!(
            shape_of(bits, "(exists ((z (_ BitVec 3))) (bvult z u))"),
            ReplyReading::unclear("it eliminates no quantifier")
        );
        let other = "(exists ((z (_ BitVec 3))) (bvult u z))";
        assert!(matches!(shape_of(bits, other), ReplyReading::Claims(_)), "it must be equivalent");
        let nested = "(get-qe (exists ((z Int)) (or (< x z) (and true (forall ((w Int)) (< w z))))))";
        assert!(matches!(shape_of(nested, "(forall ((w Int)) (< w x))"), ReplyReading::Claims(_)));
    }

    #[test]
    fn a_variable_that_is_not_in_the_formula_is_wrong() {
        let is_wrong = |command: &str, reply: &str, name: &str| {
            let why = format!("has {name}, which is not in the formula");
            matches!(shape_of(command, reply), ReplyReading::Wrong(told) if told.contains(&why))
        };
        let bits = "(get-qe (exists ((z (_ BitVec 3))) (bvult z u)))";
        assert!(is_wrong(bits, "(= v u)", "v"));
        assert!(is_wrong(bits, "(= w u)", "w"));
        assert!(is_wrong("(get-qe-disjunct (exists ((z Int)) (< x z)))", "(< x y)", "y"));
        assert!(!is_wrong(bits, "(not (= u (bvfoo u)))", "bvfoo"), "an operator that is not known");
        let constructor =
            "(declare-datatype E ((one) (two)))(declare-fun p (E) Bool)(get-qe (forall ((z E)) (p z)))";
        assert!(matches!(shape_of(constructor, "(and (p one) (p two))"), ReplyReading::Claims(_)));
        let defined = "(define-fun f ((z Int)) Bool (< z y))(get-qe (exists ((z Int)) (and (< x z) (f z))))";
        assert!(matches!(shape_of(defined, "(< (+ x 1) y)"), ReplyReading::Claims(_)));
    }
}
