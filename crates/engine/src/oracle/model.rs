//! The model oracle: a solver answers sat, and its own model makes an assertion false, or it crashes when it is asked for one.
//!
//! Solvers' own validators are hints, no more: they raise false alarms and stay silent about real ones. Our evaluator checks
//! the model; a model that it cannot evaluate exactly is undecided.

use super::{Oracle, OracleRequest, Verdict};
use crate::finding::{Evidence, Finding, FindingKind, Fingerprint};
use crate::solver::run::Answer;
use crate::trial::{ModelCheck, ModelFailure, SolverIdentity, Statement, Trial};

/// Questions of one script whose models are asked for: the last ones.
const MAX_MODELS_PER_SCRIPT: usize = 4;

/// Looks for invalid models.
pub struct ModelOracle;

impl Oracle for ModelOracle {
    fn name(&self) -> &'static str {
        "model"
    }

    fn about(&self) -> &'static str {
        "a model that makes an assertion false"
    }

    fn looks_at_models(&self) -> bool {
        true
    }

    fn judge(&self, trial: &Trial, _: &[SolverIdentity]) -> Verdict {
        if trial.script.is_none() {
            return Verdict::Undecided("gainsay cannot read the script".to_owned());
        }
        let mut requests = Vec::new();
        let (mut findings, mut doubts, mut holding) = (Vec::new(), Vec::new(), 0);
        for (index, statement) in trial.statements.iter().enumerate() {
            for question in satisfied(statement) {
                let Some(model) = statement.model(question) else {
                    requests.push(OracleRequest::Model { statement: index, question });
                    continue;
                };
                if let Some(crash) = &model.crash {
                    // The crash oracle reports a run that crashed by itself.
                    findings
                        .extend(statement.crash.is_none().then(|| crash.finding_at_model(&statement.solver)));
                    continue;
                }
                match &model.check {
                    ModelCheck::Holds => holding += 1,
                    // No evaluator can decide the quantifiers; a solver that finds no failing clause is as good as it gets.
                    ModelCheck::Unclear(_) if model.upheld_by().is_some() => holding += 1,
                    ModelCheck::Fails(failure) => findings.push(finding(statement, question, failure)),
                    ModelCheck::Unclear(why) => doubts.push(format!("{}: {why}", statement.solver.name)),
                    ModelCheck::Pending => doubts.push(format!("{}: not evaluated", statement.solver.name)),
                }
            }
        }
        match () {
            () if !requests.is_empty() => Verdict::Ask(requests),
            () if !findings.is_empty() => Verdict::Bug(findings),
            () if holding > 0 && doubts.is_empty() => Verdict::Fine,
            () if doubts.is_empty() => Verdict::Undecided("no solver says sat".to_owned()),
            () => Verdict::Undecided(doubts.join("; ")),
        }
    }
}

/// The questions that a solver answered by sat, from the last one down.
fn satisfied(statement: &Statement) -> Vec<usize> {
    let sat = (0..statement.votes.len()).filter(|&question| statement.answer(question) == Some(Answer::Sat));
    sat.rev().take(MAX_MODELS_PER_SCRIPT).collect()
}

fn finding(statement: &Statement, question: usize, failure: &ModelFailure) -> Finding {
    let place = if statement.votes.len() > 1 { format!(" of check {}", question + 1) } else { String::new() };
    let SolverIdentity { name, family, .. } = &statement.solver;
    Finding {
        kind: FindingKind::Model,
        suspects: name.as_str().into(),
        evidence: Evidence::Proved,
        fingerprint: Fingerprint::new(FindingKind::Model, family, &failure.operator),
        explanation: format!("{name} says sat, and under its model{place} {}", failure.why),
        needs_model: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::trouble::{Trouble, TroubleKind};
    use crate::trial::tests::{run, solver, troubled};
    use crate::trial::{CrashReport, ModelEvidence, Promise};
    use gainsay_smt::{Script, Signature};

    fn trial(text: &str, name: &str, answers: &[Answer]) -> Trial {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let trial = Trial::new(Some(script), text, Promise::Nothing);
        let statements = vec![Statement::of(solver(name), &run(answers), answers.len(), None)];
        Trial { statements, ..trial }
    }

    fn judge(answers: &[Answer], models: &[Option<&str>]) -> Verdict {
        let text = "(declare-const x Int)(assert (< 3 x))(check-sat)(assert (< x 9))(check-sat)";
        let mut trial = trial(text, "z3@4.8.10", answers);
        for (question, model) in models.iter().enumerate() {
            let mut evidence = ModelEvidence { text: model.map(str::to_owned), ..ModelEvidence::default() };
            evidence.check(trial.script.as_ref().unwrap(), question);
            trial.statements[0].votes[question].model = Some(evidence);
        }
        ModelOracle.judge(&trial, &[])
    }

    #[test]
    fn a_crash_in_the_place_of_a_model_is_a_crash() {
        let mut trial = trial("(declare-const x Int)(check-sat)", "yices@2.6.5", &[Answer::Sat]);
        let died = troubled(&[Answer::Sat], Trouble::new(TroubleKind::Crash, "signal 11"), "");
        let model = ModelEvidence { crash: CrashReport::of(&died), ..ModelEvidence::default() };
        trial.statements[0].votes[0].model = Some(model);
        let Verdict::Bug(findings) = ModelOracle.judge(&trial, &[]) else { panic!("it must be found") };
        assert_eq!((findings[0].kind, findings[0].evidence), (FindingKind::Crash, Evidence::Proved));
        assert!(findings[0].needs_model);
        assert_eq!(findings[0].fingerprint.to_string(), "crash yices crash: signal_11");
    }

    #[test]
    fn a_model_is_judged_in_the_context_of_its_own_check() {
        use Answer::Sat;
        let (ten, four) = (Some("((define-fun x () Int 10))"), Some("((define-fun x () Int 4))"));
        assert_eq!(judge(&[Sat, Sat], &[ten, four]), Verdict::Fine);
        let Verdict::Bug(findings) = judge(&[Sat, Sat], &[four, ten]) else { panic!("10 is not below 9") };
        assert_eq!(
            (findings.len(), findings[0].kind, findings[0].evidence),
            (1, FindingKind::Model, Evidence::Proved)
        );
        assert!(
            findings[0].explanation.contains("of check 2 (< x 9) is false"),
            "{}",
            findings[0].explanation
        );
    }

    #[test]
    fn a_model_that_was_not_asked_for_is_asked_for_and_unsat_needs_none() {
        use Answer::{Sat, Unsat};
        let request = OracleRequest::Model { statement: 0, question: 0 };
        assert_eq!(judge(&[Sat], &[]), Verdict::Ask(vec![request]));
        assert!(matches!(judge(&[Unsat], &[]), Verdict::Undecided(_)));
        assert!(matches!(judge(&[Sat], &[None]), Verdict::Undecided(_)), "no model is no verdict");
    }
}
