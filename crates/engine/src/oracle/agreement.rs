//! The agreement oracle: of two solvers (or versions, or options of one), one answers sat and the other unsat.
//!
//! Answers are compared question by question. The rules of evidence (`trial/evidence.rs`) say which solver is wrong; this oracle
//! requests the evidence: a model of a solver that answers sat, a derivation of `false` from Horn clauses, and the vote of another
//! code base where nothing else tells.

use std::collections::BTreeSet;

use gainsay_smt::exhaust::exhaustion_words;
use gainsay_smt::horn::System;

use super::{Oracle, OracleRequest, Verdict};
use crate::finding::{Evidence, Finding, FindingKind, Fingerprint};
use crate::solver::run::Answer;
use crate::trial::evidence::{Proof, VoteCount, VoteOutcome};
use crate::trial::{DerivationSearch, Silence, SolverIdentity, Statement, Trial};

/// Looks for contradictions.
pub struct AgreementOracle;

impl Oracle for AgreementOracle {
    fn name(&self) -> &'static str {
        "agreement"
    }

    fn about(&self) -> &'static str {
        "sat against unsat, across solvers, versions or options"
    }

    fn judge(&self, trial: &Trial, spare: &[SolverIdentity]) -> Verdict {
        let counts: Vec<VoteCount<'_>> =
            (0..trial.answered()).map(|question| VoteCount::of(trial, question)).collect();
        match counts.iter().position(VoteCount::is_contradiction) {
            Some(question) => contradiction(trial, question, &counts[question], spare),
            None if counts.iter().any(VoteCount::is_comparison) => Verdict::Fine,
            None => Verdict::Undecided(nothing_to_compare(trial)),
        }
    }
}

fn contradiction(trial: &Trial, question: usize, count: &VoteCount<'_>, spare: &[SolverIdentity]) -> Verdict {
    let outcome = count.outcome();
    let is_proved = matches!(outcome, VoteOutcome::Wrong { proof: Some(_), .. });
    if !is_proved || trial.derivation == DerivationSearch::NotAsked {
        let missing = missing_evidence(trial, question, count, is_proved);
        if !missing.is_empty() {
            return Verdict::Ask(missing);
        }
    }
    match outcome {
        VoteOutcome::Wrong { solvers, proof: Some(proof), .. } => {
            Verdict::Bug(solvers.iter().map(|solver| proved(solver, proof)).collect())
        }
        // An invalid model says less than a vote: a third code base is asked first.
        VoteOutcome::Wrong { right, proof: None, .. }
            if !count.is_outvoted(right) && !referees(count, spare).is_empty() =>
        {
            Verdict::Ask(referees(count, spare))
        }
        VoteOutcome::PromiseDisproved(proof) => {
            Verdict::Undecided(promise_disproved("expected answer", proof))
        }
        VoteOutcome::Wrong { solvers, right, proof: None } => {
            Verdict::Bug(solvers.iter().map(|solver| corroborated(count, solver, right)).collect())
        }
        VoteOutcome::Disputed | VoteOutcome::Uncontested => {
            let referees = referees(count, spare);
            if referees.is_empty() { Verdict::Bug(vec![disagreement(count)]) } else { Verdict::Ask(referees) }
        }
    }
}

/// Requests for evidence that could prove which solver is wrong: a derivation first, then models.
fn missing_evidence(
    trial: &Trial,
    question: usize,
    count: &VoteCount<'_>,
    is_proved: bool,
) -> Vec<OracleRequest> {
    let Some(script) = &trial.script else { return Vec::new() };
    if !count.sat.is_empty() && trial.derivation == DerivationSearch::NotAsked && System::read(script).is_ok()
    {
        return vec![OracleRequest::Derivation];
    }
    let lacks_model =
        |one: &Statement| one.answer(question) == Some(Answer::Sat) && one.model(question).is_none();
    let lacking = trial.statements.iter().enumerate().filter(|(_, one)| !is_proved && lacks_model(one));
    lacking.map(|(statement, _)| OracleRequest::Model { statement, question }).collect()
}

/// Spare solvers of code bases that did not vote.
fn referees(count: &VoteCount<'_>, spare: &[SolverIdentity]) -> Vec<OracleRequest> {
    let known: BTreeSet<&str> =
        count.sat.iter().chain(&count.unsat).map(|solver| solver.family.as_str()).collect();
    let fresh = spare.iter().enumerate().filter(|(_, spare)| !known.contains(spare.family.as_str()));
    fresh.map(|(index, _)| OracleRequest::Vote(index)).collect()
}

/// The finding that a solver's answer to a question is wrong.
fn wrong_answer(solver: &SolverIdentity, right: Answer, evidence: Evidence, explanation: String) -> Finding {
    let kind = if right == Answer::Sat { FindingKind::Refutation } else { FindingKind::Solution };
    Finding {
        kind,
        suspects: solver.name.as_str().into(),
        evidence,
        fingerprint: Fingerprint::new(kind, &solver.family, ""),
        explanation,
        needs_model: false,
    }
}

fn proved(suspect: &SolverIdentity, proof: Proof<'_>) -> Finding {
    let name = &suspect.name;
    let explanation = match proof {
        Proof::Derivation(steps) => {
            let plural = if steps == 1 { "" } else { "s" };
            format!("{name} says sat; false follows from the assertions in {steps} step{plural}")
        }
        Proof::Exhaustion(assignments) => {
            format!("{name} says sat; {}", exhaustion_words(assignments))
        }
        Proof::Assignment => {
            format!("{name} says unsat; by exhaustion: an assignment makes every assertion true")
        }
        Proof::IntendedModel => format!(
            "{name} says unsat; the model that the script was made to have makes every assertion true"
        ),
        Proof::ModelOf(giver) => {
            format!("{name} says unsat; the model that {} gives makes every assertion true", giver.name)
        }
    };
    wrong_answer(suspect, proof.answer(), Evidence::Proved, explanation)
}

/// Why the answer that was promised of a question, as an `expected answer` or otherwise, is wrong, by a proof of the other one.
pub fn promise_disproved(promise: &str, proof: Proof<'_>) -> String {
    let right = proof.answer().name();
    let expected = if proof.answer() == Answer::Sat { Answer::Unsat } else { Answer::Sat }.name();
    let why = match proof {
        Proof::Derivation(_) => "false follows from what is asserted".to_owned(),
        Proof::Exhaustion(assignments) => exhaustion_words(assignments),
        Proof::Assignment => "by exhaustion, an assignment makes every assertion true".to_owned(),
        Proof::IntendedModel => {
            "the model that the script was made to have makes every assertion true".to_owned()
        }
        Proof::ModelOf(giver) => format!("the model that {} gives makes every assertion true", giver.name),
    };
    format!("the {promise} {expected} is wrong, and {right} is right: {why}")
}

fn corroborated(count: &VoteCount<'_>, suspect: &SolverIdentity, right: Answer) -> Finding {
    let says = if right == Answer::Sat { Answer::Unsat } else { Answer::Sat };
    let promise = if count.is_unpromised() { "" } else { ", as was promised" };
    let upheld = match count.upheld_by.first() {
        Some(family) if right == Answer::Sat => {
            format!(", with a model under which {family} finds every clause true")
        }
        _ => String::new(),
    };
    let others = claim(count.voters(right), right.name());
    let invalid = if count.is_unbacked(right) { " with an invalid model" } else { "" };
    let explanation = format!("{} says {}{invalid}; {others}{promise}{upheld}", suspect.name, says.name());
    wrong_answer(suspect, right, Evidence::Corroborated, explanation)
}

/// `z3@5.4.0 and cvc5@1.4.2 say sat`
fn claim(solvers: &[&SolverIdentity], answer: &str) -> String {
    let names: Vec<&str> = solvers.iter().map(|solver| solver.name.as_str()).collect();
    format!("{} {} {answer}", names.join(" and "), if solvers.len() == 1 { "says" } else { "say" })
}

/// The evidence does not tell which solver is wrong: all of them are suspected, or the one that contradicts only the promise.
fn disagreement(count: &VoteCount<'_>) -> Finding {
    let all: Vec<&SolverIdentity> = count.sat.iter().chain(&count.unsat).copied().collect();
    let families: BTreeSet<&str> = all.iter().map(|solver| solver.family.as_str()).collect();
    let families = families.into_iter().collect::<Vec<_>>().join("/");
    let side = |answer: Answer| {
        let (solvers, name) = (count.voters(answer), answer.name());
        match (solvers.is_empty(), count.is_promised(answer)) {
            (true, _) => format!("{name} was promised"),
            (false, true) => format!("{}, as was promised", claim(solvers, name)),
            (false, false) => claim(solvers, name),
        }
    };
    let is_one_sided = count.sat.is_empty() || count.unsat.is_empty();
    let kind = if is_one_sided { FindingKind::Promise } else { FindingKind::Disagreement };
    Finding {
        kind,
        suspects: all.iter().map(|solver| solver.name.as_str()).collect(),
        evidence: Evidence::Disagreement,
        fingerprint: Fingerprint::new(kind, &families, ""),
        explanation: format!("{}; {}", side(Answer::Sat), side(Answer::Unsat)),
        needs_model: false,
    }
}

fn nothing_to_compare(trial: &Trial) -> String {
    let excused = trial.statements.iter().find_map(|one| match &one.silence {
        Some(Silence::Excused(why)) => Some(format!("{}: {why}", one.solver.name)),
        _ => None,
    });
    let refused = trial.statements.iter().find_map(|one| match &one.silence {
        Some(Silence::Refused(trouble)) => {
            Some(format!("{} refused the script ({})", one.solver.name, trouble.said))
        }
        _ => None,
    });
    let is_decided = |one: &&Statement| one.counts() && (one.says(Answer::Sat) || one.says(Answer::Unsat));
    let count = match trial.statements.iter().filter(is_decided).count() {
        0 => "no solver decided it".to_owned(),
        1 => "only one solver decided it".to_owned(),
        _ => "no two solvers decided the same question".to_owned(),
    };
    [Some(count), excused, refused].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::trouble::{Trouble, TroubleKind};
    use crate::trial::tests::{run, solver, statement, trial, troubled};
    use crate::trial::{ModelEvidence, Promise};

    fn judge(text: &str, promise: Promise) -> String {
        match AgreementOracle.judge(&trial(text, promise), &[]) {
            Verdict::Fine => "fine".to_owned(),
            Verdict::Undecided(_) => "undecided".to_owned(),
            Verdict::Ask(_) => "ask".to_owned(),
            Verdict::Bug(findings) => {
                let one = |finding: &Finding| {
                    format!("{} {} {}", finding.kind.name(), finding.evidence.name(), finding.suspects)
                };
                findings.iter().map(one).collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(judge(text, Promise::Nothing), expected, "{text}");
    }

    #[test]
    fn solvers_that_agree_are_fine_and_one_alone_is_undecided() {
        check("z3=sat cvc5=sat", "fine");
        check("z3=unsat cvc5=unsat yices=unknown", "fine");
        check("z3=sat cvc5=unknown", "undecided");
        check("z3=sat", "undecided");
        check("z3= cvc5=", "undecided");
        check("", "undecided");
    }

    #[test]
    fn agreement_reports_a_sat_unsat_pair() {
        check("z3=sat cvc5=unsat", "disagreement disagreement z3 and cvc5");
        check("z3@4.8.10=sat z3@5.4.0=unsat", "disagreement disagreement z3@4.8.10 and z3@5.4.0");
        check("cvc4=sat cvc5=sat z3=unsat", "disagreement disagreement cvc4 and cvc5 and z3");
    }

    #[test]
    fn each_wrong_solver_is_a_finding() {
        check("z3=sat cvc5=unsat yices=unsat", "solution corroborated z3");
        check("z3=unsat cvc5=sat yices=sat", "refutation corroborated z3");
        check("z3=sat! cvc5=unsat", "refutation proved cvc5");
        check(
            "z3@1.0=sat z3@2.0=sat cvc5=unsat yices=unsat",
            "solution corroborated z3@1.0, solution corroborated z3@2.0",
        );
    }

    #[test]
    fn a_promise_counts_as_a_vote_but_not_as_a_solver() {
        let sat = |text| judge(text, Promise::Known(Answer::Sat));
        assert_eq!(sat("z3=sat"), "fine");
        assert_eq!(sat("z3=unknown"), "undecided");
        assert_eq!(sat("z3=unsat"), "promise disagreement z3");
        assert_eq!(sat("z3=unsat cvc5=sat"), "refutation corroborated z3");
        assert_eq!(sat("z3=unsat cvc5=unsat"), "promise disagreement z3 and cvc5");
    }

    #[test]
    fn answers_are_compared_question_by_question() {
        check("z3=sat,unsat cvc5=sat,unsat", "fine");
        check("z3=sat,unsat cvc5=sat", "fine");
        check("z3=sat,unsat cvc5=sat,sat", "disagreement disagreement cvc5 and z3");
        check("z3=unknown,unsat cvc5=sat,unknown", "undecided");
    }

    #[test]
    fn answers_of_a_refused_script_do_not_count_and_those_before_a_limit_do() {
        let mut trial = trial("z3=sat cvc5=unsat", Promise::Nothing);
        let refused =
            troubled(&[Answer::Sat], Trouble::new(TroubleKind::SortError, "unknown constant x"), "");
        trial.statements[0] = Statement::of(solver("z3"), &refused, 1, None);
        let expected = "only one solver decided it; z3 refused the script (unknown constant x)";
        assert_eq!(AgreementOracle.judge(&trial, &[]), Verdict::Undecided(expected.to_owned()));
        let late = troubled(&[Answer::Sat], Trouble::new(TroubleKind::TimeOut, "wall-clock limit"), "");
        trial.statements[0] = Statement::of(solver("z3"), &late, 1, None);
        assert!(matches!(AgreementOracle.judge(&trial, &[]), Verdict::Bug(_)));
    }

    #[test]
    fn a_solver_with_an_excuse_accuses_no_other() {
        let mut trial = trial("z3=sat cvc5=unsat", Promise::Nothing);
        let excuse = Some("old escapes".to_owned());
        trial.statements[0] = Statement::of(solver("z3"), &run(&[Answer::Sat]), 1, excuse);
        let expected = "only one solver decided it; z3: old escapes";
        assert_eq!(AgreementOracle.judge(&trial, &[]), Verdict::Undecided(expected.to_owned()));
    }

    #[test]
    fn a_bare_disagreement_asks_for_a_referee_of_another_code_base() {
        let spare = [solver("z3@5.4.0"), solver("yices@2.6.5")];
        let verdict = AgreementOracle.judge(&trial("z3=sat cvc5=unsat", Promise::Nothing), &spare);
        assert_eq!(verdict, Verdict::Ask(vec![OracleRequest::Vote(1)]));
    }

    /// A satisfiable script, two solvers that contradict each other, and the model of the first.
    fn with_model(model: Option<&str>) -> Verdict {
        let text = "(declare-const x Int)(assert (< 3 x))(check-sat)";
        let script = gainsay_smt::Script::parse(text, &gainsay_smt::Signature::standard()).unwrap();
        let mut trial = Trial::new(Some(script.clone()), text, Promise::Nothing);
        trial.statements = vec![statement("cvc5=sat"), statement("z3=unsat")];
        trial.statements[0].votes[0].model =
            model.map(|model| ModelEvidence::checked(model.to_owned(), &script));
        AgreementOracle.judge(&trial, &[])
    }

    #[test]
    fn a_model_that_holds_proves_the_solver_wrong_that_says_unsat() {
        let request = OracleRequest::Model { statement: 0, question: 0 };
        assert_eq!(with_model(None), Verdict::Ask(vec![request]));
        let Verdict::Bug(findings) = with_model(Some("((define-fun x () Int 4))")) else {
            panic!("4 is above 3")
        };
        let finding = &findings[0];
        assert_eq!(
            (finding.kind, finding.evidence, finding.suspects.to_string().as_str()),
            (FindingKind::Refutation, Evidence::Proved, "z3")
        );
    }

    #[test]
    fn an_invalid_model_speaks_against_its_own_sat_and_not_against_the_solver_that_says_unsat() {
        let Verdict::Bug(findings) = with_model(Some("((define-fun x () Int 2))")) else {
            panic!("they contradict")
        };
        let told: Vec<String> = findings.iter().map(|one| format!("{} {one}", one.suspects)).collect();
        let expected = "cvc5 solution (corroborated): cvc5 says sat with an invalid model; z3 says unsat";
        assert_eq!(told, [expected]);
    }

    #[test]
    fn a_third_code_base_is_asked_before_an_invalid_model_counts_against_a_sat() {
        let spare = [solver("z3@5.4.0"), solver("yices@2.6.5")];
        let trial = trial("z3=sat? cvc5=unsat", Promise::Nothing);
        assert_eq!(AgreementOracle.judge(&trial, &spare), Verdict::Ask(vec![OracleRequest::Vote(1)]));
    }

    #[test]
    fn a_model_that_holds_disproves_the_promise_and_accuses_no_solver() {
        let trial = trial("z3=sat!", Promise::Known(Answer::Unsat));
        let expected = "the expected answer unsat is wrong, and sat is right: the model that z3 gives makes every assertion true";
        assert_eq!(AgreementOracle.judge(&trial, &[]), Verdict::Undecided(expected.to_owned()));
    }
}
