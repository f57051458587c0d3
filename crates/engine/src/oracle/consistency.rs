//! The consistency oracle: a solver that contradicts itself within one script.
//!
//! ```text
//! (assert (> x 3)) (check-sat)      unsat
//! (assert (> y 3)) (check-sat)      sat      more assertions cannot make a script satisfiable
//! ```
//!
//! ```text
//! (assert (> x 3)) (check-sat)                                      sat
//! (push 1) (assert p) (check-sat) (pop 1)                           unsat
//! (push 1) (assert (not p)) (check-sat) (pop 1)                     unsat      every model satisfies p or its negation
//! ```
//!
//! If some assertions are unsatisfiable, so is every set that contains them. A solver that answers unsat to a question and
//! sat to one whose assertions and assumptions include all of those is wrong once, and no other solver is needed to prove it.
//! The declarations of the first question must be in force at the second: after `pop`, a name may be defined differently.
//!
//! If the votes of others already show which of the two answers is wrong, the agreement oracle reports the bug.

use std::collections::BTreeSet;

use gainsay_smt::{SatQuery, Script, Term, TermView, sat_queries};

use super::{Oracle, Verdict};
use crate::finding::{Evidence, Finding, FindingKind, Fingerprint};
use crate::solver::run::Answer;
use crate::trial::evidence::{VoteCount, VoteOutcome};
use crate::trial::{SolverIdentity, Statement, Trial};

/// Questions of a script that are compared with each other: the number of pairs grows with its square.
const MAX_COMPARED_QUESTIONS: usize = 200;

/// Looks for solvers that contradict themselves.
pub struct ConsistencyOracle;

impl Oracle for ConsistencyOracle {
    fn name(&self) -> &'static str {
        "consistency"
    }

    fn about(&self) -> &'static str {
        "answers of one solver in one script that cannot all be right: unsat, and sat after more assertions"
    }

    fn applies(&self, trial: &Trial) -> bool {
        trial.questions.len() > 1
    }

    fn judge(&self, trial: &Trial, _: &[SolverIdentity]) -> Verdict {
        let Some(script) = &trial.script else {
            return Verdict::Undecided("gainsay cannot read the script".to_owned());
        };
        let questions = QuestionTerms::of_script(script);
        if questions.len() != trial.questions.len() {
            return Verdict::Undecided("not every question is a check-sat".to_owned());
        }
        let pairs: Vec<(usize, usize)> = comparable(&questions);
        let covers = covers(script, &questions, &pairs);
        let contradictions = trial
            .statements
            .iter()
            .filter_map(|one| contradiction(trial, one, &pairs).or_else(|| uncovered(trial, one, &covers)));
        let findings: Vec<Finding> = contradictions.collect();
        let is_compared =
            |one: &Statement| pairs.iter().any(|&(few, many)| decided(one, few) && decided(one, many));
        match (findings.is_empty(), trial.statements.iter().any(is_compared)) {
            (false, _) => Verdict::Bug(findings),
            (true, true) => Verdict::Fine,
            (true, false) => {
                Verdict::Undecided("no solver decided two questions that can be compared".to_owned())
            }
        }
    }
}

/// The declarations and the terms that must hold at one question.
struct QuestionTerms {
    declarations: BTreeSet<usize>,
    terms: BTreeSet<Term>,
}

impl QuestionTerms {
    fn of_script(script: &Script) -> Vec<QuestionTerms> {
        let terms = |query: &SatQuery| query.assertions.iter().chain(&query.assumptions).copied().collect();
        let declarations = |query: &SatQuery| query.declarations.iter().copied().collect();
        let queries = sat_queries(script);
        queries
            .iter()
            .map(|query| QuestionTerms { declarations: declarations(query), terms: terms(query) })
            .collect()
    }
}

/// The pairs of questions such that the terms of the second one include those of the first.
fn comparable(questions: &[QuestionTerms]) -> Vec<(usize, usize)> {
    let compared = &questions[..questions.len().min(MAX_COMPARED_QUESTIONS)];
    let includes = |few: &QuestionTerms, many: &QuestionTerms| {
        few.terms.len() <= many.terms.len()
            && few.declarations.is_subset(&many.declarations)
            && few.terms.is_subset(&many.terms)
    };
    let pairs = (0..compared.len()).flat_map(|few| (0..compared.len()).map(move |many| (few, many)));
    pairs.filter(|&(few, many)| few != many && includes(&compared[few], &compared[many])).collect()
}

/// A question and the two that split it by a formula and its negation.
type Cover = (usize, [usize; 2]);

/// The questions that others split.
fn covers(script: &Script, questions: &[QuestionTerms], pairs: &[(usize, usize)]) -> Vec<Cover> {
    let arena = script.arena();
    let extra = |&(few, many): &(usize, usize)| -> Option<(usize, usize, Term)> {
        let mut more = questions[many].terms.difference(&questions[few].terms);
        let term = *more.next()?;
        more.next().is_none().then_some((few, many, term))
    };
    let split: Vec<(usize, usize, Term)> = pairs.iter().filter_map(extra).collect();
    let is_negation = |not: Term, term: Term| matches!(arena.view(not), TermView::Application(head, &[inner]) if arena.text(head.symbol) == "not" && inner == term);
    let halves = |one: &(usize, usize, Term)| {
        let same = split.iter().filter(|other| other.0 == one.0 && is_negation(other.2, one.2));
        same.map(|other| (one.0, [one.1, other.1])).collect::<Vec<_>>()
    };
    split.iter().flat_map(halves).collect()
}

/// The finding that a solver calls a question satisfiable and both halves of it not.
fn uncovered(trial: &Trial, statement: &Statement, covers: &[Cover]) -> Option<Finding> {
    let says = |question, answer| statement.answer(question) == Some(answer);
    let is_contradiction = |&&(whole, [half, other]): &&Cover| {
        says(whole, Answer::Sat)
            && says(half, Answer::Unsat)
            && says(other, Answer::Unsat)
            && ![whole, half, other].iter().any(|&question| is_known_wrong(trial, statement, question))
    };
    let &(whole, [half, other]) = covers.iter().find(is_contradiction)?;
    let words = format!(
        "says sat to question {} and unsat to questions {} and {}, which split it by a formula and its negation",
        whole + 1,
        half + 1,
        other + 1
    );
    Some(finding(statement, &words))
}

/// Returns true if the votes of others show that a solver's answer is wrong.
fn is_known_wrong(trial: &Trial, statement: &Statement, question: usize) -> bool {
    let outcome = VoteCount::of(trial, question).outcome();
    matches!(outcome, VoteOutcome::Wrong { solvers, .. } if solvers.contains(&&statement.solver))
}

fn decided(statement: &Statement, question: usize) -> bool {
    matches!(statement.answer(question), Some(Answer::Sat | Answer::Unsat))
}

/// The finding that a solver contradicts itself at one of the pairs.
fn contradiction(trial: &Trial, statement: &Statement, pairs: &[(usize, usize)]) -> Option<Finding> {
    let says = |question, answer| statement.answer(question) == Some(answer);
    let is_contradiction = |&&(few, many): &&(usize, usize)| {
        says(few, Answer::Unsat)
            && says(many, Answer::Sat)
            && ![few, many].iter().any(|&question| is_known_wrong(trial, statement, question))
    };
    let &(few, many) = pairs.iter().find(is_contradiction)?;
    let words = format!(
        "says unsat to question {} and sat to question {}, which has all of its assertions",
        few + 1,
        many + 1
    );
    Some(finding(statement, &words))
}

fn finding(statement: &Statement, words: &str) -> Finding {
    let SolverIdentity { name, family, .. } = &statement.solver;
    let kind = FindingKind::Disagreement;
    Finding {
        kind,
        suspects: name.as_str().into(),
        evidence: Evidence::Proved,
        fingerprint: Fingerprint::new(kind, family, ""),
        explanation: format!("{name} {words}"),
        needs_model: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Promise;
    use crate::trial::tests::statement;
    use gainsay_smt::Signature;

    const INCREMENTAL_SCRIPT: &str =
        "(declare-const x Int)(assert (> x 3))(check-sat)(assert (> x 5))(check-sat)";

    fn judge(script: &str, statements: &str) -> Verdict {
        let script = Script::parse(script, &Signature::standard()).unwrap();
        let statements = statements.split(' ').map(statement).collect();
        let trial = Trial { statements, ..Trial::new(Some(script), "", Promise::Nothing) };
        ConsistencyOracle.judge(&trial, &[])
    }

    fn suspects(script: &str, statements: &str) -> Vec<String> {
        match judge(script, statements) {
            Verdict::Bug(findings) => findings.iter().map(|finding| finding.suspects.to_string()).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn unsat_and_then_sat_to_more_assertions_is_a_bug_of_that_solver() {
        assert_eq!(suspects(INCREMENTAL_SCRIPT, "z3=unsat,sat"), ["z3"]);
        assert_eq!(suspects(INCREMENTAL_SCRIPT, "z3=unsat,sat cvc5=unknown,sat"), ["z3"]);
        let Verdict::Bug(findings) = judge(INCREMENTAL_SCRIPT, "z3=unsat,sat") else { panic!("it is a bug") };
        assert_eq!((findings[0].kind, findings[0].evidence), (FindingKind::Disagreement, Evidence::Proved));
        assert_eq!(findings[0].fingerprint.to_string(), "disagreement z3");
    }

    #[test]
    fn answers_that_can_both_be_right_are_fine() {
        for answers in ["z3=sat,unsat", "z3=sat,sat", "z3=unsat,unsat"] {
            assert_eq!(judge(INCREMENTAL_SCRIPT, answers), Verdict::Fine, "{answers}");
        }
        // Different solvers are the business of the agreement oracle.
        assert!(matches!(judge(INCREMENTAL_SCRIPT, "z3=unsat cvc5=unknown,sat"), Verdict::Undecided(_)));
        assert!(matches!(judge(INCREMENTAL_SCRIPT, "z3=unsat,unknown"), Verdict::Undecided(_)));
    }

    #[test]
    fn equal_questions_and_assumptions_are_compared_in_both_directions() {
        let twice = "(declare-const p Bool)(assert p)(check-sat)(check-sat)";
        assert_eq!(suspects(twice, "z3=sat,unsat"), ["z3"]);
        let assuming =
            "(declare-const p Bool)(declare-const q Bool)(check-sat-assuming (p q))(check-sat-assuming (p))";
        assert_eq!(suspects(assuming, "z3=sat,unsat"), ["z3"]);
        assert_eq!(judge(assuming, "z3=unsat,sat"), Verdict::Fine);
    }

    #[test]
    fn a_question_whose_halves_are_unsat_is_not_sat() {
        let split = "(declare-const p Bool)(declare-const q Bool)(assert q)(check-sat)(push)(assert p)(check-sat)(pop)\
            (push)(assert (not p))(check-sat)(pop)";
        assert_eq!(suspects(split, "z3=sat,unsat,unsat"), ["z3"]);
        for answers in
            ["z3=sat,unsat,sat", "z3=sat,sat,unsat", "z3=unsat,unsat,unsat", "z3=sat,unsat,unknown"]
        {
            assert_eq!(suspects(split, answers), [""; 0], "{answers}");
        }
        let other = split.replace("(not p)", "(not q)");
        assert_eq!(suspects(&other, "z3=sat,unsat,unsat"), [""; 0], "they do not cover it");
        assert_eq!(suspects(split, "z3=sat,unsat,unsat cvc5=sat,sat!,unsat"), [""; 0], "known to be wrong");
    }

    #[test]
    fn a_name_that_is_defined_anew_after_pop_is_another_name() {
        let scopes = "(push 1)(define-fun p () Bool false)(assert p)(check-sat)(pop 1)\
                      (push 1)(define-fun p () Bool true)(assert p)(check-sat)(pop 1)";
        assert!(matches!(judge(scopes, "z3=unsat,sat"), Verdict::Undecided(_)));
    }

    #[test]
    fn a_solver_that_others_prove_wrong_is_left_to_the_agreement_oracle() {
        assert_eq!(suspects(INCREMENTAL_SCRIPT, "z3=unsat,sat cvc5=sat!,sat"), [""; 0]);
    }
}
