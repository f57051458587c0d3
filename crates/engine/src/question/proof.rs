//! Proofs: a solver is asked for a proof of unsat, and cvc5 also checks every step of its own proof.
//!
//! ```text
//! (assert a) (assert (not a)) (check-sat)
//!        becomes      (set-option :produce-proofs true) (set-option :check-proofs true) (set-option :proof-check eager)
//!                     (assert a) (assert (not a)) (check-sat) (get-proof)
//! ```
//!
//! A proof step that cvc5 itself finds wrong ends its process, which is a crash. Of the proof as text, its goal and its premises are
//! read (`proof/premises.rs`): it must mention `false`, each premise must be an assertion or follow from one, and the premises must
//! contradict each other (`proof/origins.rs`). No checker of proofs comes with the solvers, so nothing else follows from it; a proof
//! whose premises cannot be read proves nothing.

use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Script, Word};

use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::ReplyReading;

mod origins;
mod premises;

use premises::premises;

/// Asks for proofs.
pub struct ProofQuestion;

impl Question for ProofQuestion {
    fn name(&self) -> &'static str {
        "proof"
    }

    fn about(&self) -> &'static str {
        "a proof of unsat must pass the solver's own checker, and start from the assertions"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Proof
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-proof"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let is_plain = script.commands.iter().any(|command| matches!(command, Command::CheckSat));
        if !is_plain || script.is_horn() || super::is_asked(script) || super::goes_on(script) {
            return None;
        }
        let mut text = String::from("(set-option :produce-proofs true)\n(set-option :check-proofs true)\n");
        if rng.chance(1, 2) {
            text.push_str("(set-option :proof-check eager)\n");
        }
        for command in &script.commands {
            text.push_str(&command_text(script.arena(), command));
            text.push('\n');
            if matches!(command, Command::CheckSat) {
                text.push_str("(get-proof)\n");
            }
        }
        Some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        match (asked.answer, asked.reply.contains("false")) {
            (Some(Answer::Unsat), true) => from_assertions(asked),
            (Some(Answer::Unsat), false) => ReplyReading::unclear("the goal of the proof cannot be found"),
            _ => ReplyReading::unclear("the check before it is not unsat"),
        }
    }
}

/// Compares the premises of a proof with the assertions.
fn from_assertions(asked: &AskedCommand<'_>) -> ReplyReading {
    // Assumptions of steps inside, as Alethe has them, are no premises.
    if asked.reply.contains("(anchor") {
        return ReplyReading::unclear("the proof is in a format whose premises are not read");
    }
    if let Some(why) = joins_assertions(asked.script) {
        return ReplyReading::unclear(why);
    }
    match premises(asked.reply).as_deref() {
        None => ReplyReading::unclear("the premises of the proof cannot be read"),
        Some([]) => ReplyReading::unclear("the proof has no premises"),
        Some(premises) => origins::reading(asked, premises),
    }
}

/// Why a premise may follow from several assertions together, if so: other parts of the solver change them before the proof begins.
fn joins_assertions(script: &Script) -> Option<&'static str> {
    let is_tactical = |command: &Command| match command {
        Command::Plain(name, text) => match script.arena().text(*name) {
            "set-simplifier" | "check-sat-using" => true,
            "set-option" => script.arena().text(*text).starts_with(":tactic."),
            _ => false,
        },
        _ => false,
    };
    let is_recursive = |command: &Command| match command {
        Command::Define(word, _) => *word == Word::DefineFunRec,
        Command::DefineFunsRec(_) => true,
        _ => false,
    };
    match () {
        () if script.is_horn() => Some("proofs of Horn clauses start from joined clauses"),
        () if script.commands.iter().any(is_tactical) => {
            Some("a tactic joins assertions before the proof begins")
        }
        () if script.commands.iter().any(is_recursive) => {
            Some("premises about recursive functions are not compared")
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    #[test]
    fn a_script_is_made_to_ask_for_its_proof() {
        let made = asked(&ProofQuestion, "(declare-const p Bool)(assert p)(check-sat)", 1).unwrap();
        assert!(made.starts_with("(set-option :produce-proofs true)"), "{made}");
        assert!(made.ends_with("(check-sat)\n(get-proof)\n"), "{made}");
    }

    const ONE: &str = "(declare-const p Bool)(assert p)(check-sat)(get-proof)";
    const TWO: &str = "(declare-const p Bool)(declare-const q Bool)(define-fun f ((x Bool)) Bool (not x))
        (assert (! p :named n))(assert (and q (f n)))(check-sat)(get-proof)";

    fn read(text: &str, proof: &str) -> ReplyReading {
        reading(&ProofQuestion, text, Answer::Unsat, proof)
    }

    #[test]
    fn a_proof_proves_false_from_premises_of_an_unsat_check() {
        let unclear =
            |answer, proof| matches!(reading(&ProofQuestion, ONE, answer, proof), ReplyReading::Unclear(_));
        assert!(unclear(Answer::Sat, "((assume @p1 p)(step @p2 false :rule x))"));
        assert!(unclear(Answer::Unsat, "((assume @p1 p))"), "it does not end in false");
        assert!(unclear(Answer::Unsat, "((step @p1 false :rule x))"), "nothing is compared");
        assert!(unclear(Answer::Unsat, "((assume @p1 (sk p))(step @p2 false :rule x))"), "sk is unknown");
        assert!(unclear(
            Answer::Unsat,
            "((assume a0 p)(anchor :step t1)(assume t1.a0 q)(step t2 (cl) :rule false))"
        ));
    }

    #[test]
    fn nothing_is_compared_where_solvers_join_assertions_first() {
        let proof = "((proof (mp (asserted q) (rewrite x) false)))";
        for head in
            ["(set-logic HORN)", "(set-simplifier solve-eqs)", "(define-fun-rec f ((x Int)) Int (f x))"]
        {
            assert!(matches!(read(&format!("{head}{TWO}"), proof), ReplyReading::Unclear(_)), "{head}");
        }
        let using = TWO.replace("(check-sat)", "(check-sat-using (then solve-eqs smt))");
        assert!(matches!(read(&using, proof), ReplyReading::Unclear(_)));
    }

    #[test]
    fn premises_that_are_the_assertions_are_right() {
        assert_eq!(read(ONE, "((assume @p1 p)(step @p2 false :rule x))"), ReplyReading::Right);
        let proof =
            "((proof (let (($x1 (not p))) (unit-resolution (asserted p) (asserted (and q $x1)) false))))";
        assert_eq!(read(TWO, proof), ReplyReading::Right, "names and definitions are expanded");
    }

    #[test]
    fn a_premise_must_follow_from_one_assertion_alone() {
        let ReplyReading::OneOfEach(groups) =
            read(TWO, "((assume @p1 p)(assume @p2 (or q p))(step @p3 false :rule x))")
        else {
            panic!("a premise is no assertion")
        };
        assert_eq!(groups.len(), 2, "the other one is that the premises contradict each other");
        let texts: Vec<&str> =
            groups[0].iter().map(|claim| claim.text.rsplit("(define-fun").next().unwrap()).collect();
        assert_eq!(texts.len(), 2);
        assert!(
            texts.iter().any(|text| text.ends_with("(assert p)\n(assert (not (or q p)))\n(check-sat)\n")),
            "{texts:?}"
        );
        assert!(
            texts[0].contains("(assert (and q (not p)))\n(assert (not (or q p)))"),
            "q and p are in it: {texts:?}"
        );
        assert!(
            groups[1][0].text.ends_with("(assert p)\n(assert (or q p))\n(check-sat)\n"),
            "{}",
            groups[1][0].text
        );
        assert!(groups.iter().flatten().all(|claim| claim.answer == Answer::Unsat));
    }

    #[test]
    fn premises_that_are_some_assertions_must_contradict_each_other() {
        let ReplyReading::OneOfEach(groups) = read(TWO, "((assume @p1 p)(step @p2 false :rule x))") else {
            panic!()
        };
        assert_eq!(groups.len(), 1);
        assert!(groups[0][0].text.ends_with("(assert p)\n(check-sat)\n"), "{}", groups[0][0].text);
    }
}
