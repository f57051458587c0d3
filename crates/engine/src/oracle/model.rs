//! The model oracle: a solver says sat, and its own model makes an assertion false, or it crashes when it is asked for one.
//!
//! Solvers' own validators are hints, no more: they raise false alarms and stay silent about real ones. Here the model is
//! evaluated by us, and what cannot be evaluated exactly is undecided.

use super::crash::{AT_MODEL, Crashed};
use super::witness::{Clauses, Failure, Weight};
use super::{
    Evidence, Finding, FindingKind, Fingerprint, Observation, Oracle, Request, Sight, Verdict, counts,
};
use crate::solver::run::Answer;

/// Checks of one script whose models are asked for: the last ones.
const CHECKS: usize = 4;

/// Looks for models that do not satisfy.
pub struct Model;

impl Oracle for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn about(&self) -> &'static str {
        "a model that makes an assertion false"
    }

    fn looks_at_models(&self) -> bool {
        true
    }

    fn judge(&self, case: &Observation<'_>) -> Verdict {
        let Some(script) = case.script else {
            return Verdict::Undecided("the script cannot be read by us".to_owned());
        };
        let mut requests = Vec::new();
        let (mut findings, mut doubts, mut holding) = (Vec::new(), Vec::new(), 0);
        for (index, sight) in case.runs.iter().enumerate() {
            for check in satisfied(sight) {
                let witness = sight.witness(check);
                if let Some(crash) = witness.and_then(|witness| witness.crash.as_ref()) {
                    // A run that crashed by itself is told by the crash oracle.
                    if Crashed::of(sight.run).is_none() {
                        findings.push(crash.finding(sight.subject, AT_MODEL));
                    }
                    continue;
                }
                let is_upheld =
                    witness.is_some_and(|witness| matches!(witness.clauses, Some(Clauses::Upheld(_))));
                match witness.map(|witness| witness.weigh(script)) {
                    None => requests.push(Request::Model { run: index, check }),
                    Some(Weight::Holds) => holding += 1,
                    // No evaluator can say so; that nobody finds a clause that fails is as good as it gets.
                    Some(Weight::Unclear(_)) if is_upheld => holding += 1,
                    Some(Weight::Fails(failure)) => findings.push(finding(sight, check, &failure)),
                    Some(Weight::Unclear(why)) => doubts.push(format!("{}: {why}", sight.subject.name)),
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

/// The checks that a run answered by sat, the last ones first to be looked at.
fn satisfied(sight: &Sight<'_>) -> Vec<usize> {
    if !counts(sight) {
        return Vec::new();
    }
    let answers = sight.run.answers.iter().enumerate();
    let sat = answers.filter(|(_, answer)| **answer == Answer::Sat).map(|(check, _)| check);
    sat.rev().take(CHECKS).collect()
}

fn finding(sight: &Sight<'_>, check: usize, failure: &Failure) -> Finding {
    let place = if sight.run.answers.len() > 1 { format!(" of check {}", check + 1) } else { String::new() };
    Finding {
        kind: FindingKind::Model,
        suspect: sight.subject.name.clone(),
        evidence: Evidence::Proved,
        fingerprint: Fingerprint::new("model", &sight.subject.family, &failure.operator),
        explanation: format!("{} says sat, and under its model{place} {}", sight.subject.name, failure.why),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{run, subject, troubled};
    use super::super::{Promise, Search, Witness};
    use super::*;
    use crate::solver::trouble::{Trouble, TroubleKind};
    use gainsay_smt::{Script, Signature};

    fn judge(answers: &[Answer], models: &[Option<&str>]) -> Verdict {
        let text = "(declare-const x Int)(assert (< 3 x))(check-sat)(assert (< x 9))(check-sat)";
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let (subject, run) = (subject("z3@4.8.10"), run(answers));
        let model = |(check, model): (usize, &Option<&str>)| Witness {
            check,
            model: model.map(str::to_owned),
            ..Witness::default()
        };
        let witnesses: Vec<Witness> = models.iter().enumerate().map(model).collect();
        let runs = [Sight { subject: &subject, run: &run, excuse: None, witnesses: &witnesses }];
        Model.judge(&Observation {
            script: Some(&script),
            promise: Promise::Nothing,
            made_for: None,
            derivation: Search::NotYet,
            runs: &runs,
            spare: &[],
        })
    }

    #[test]
    fn a_crash_in_the_place_of_a_model_is_a_crash() {
        let script = Script::parse("(declare-const x Int)(check-sat)", &Signature::standard()).unwrap();
        let (subject, run) = (subject("yices@2.6.5"), run(&[Answer::Sat]));
        let died = troubled(&[Answer::Sat], Trouble::new(TroubleKind::Crash, "signal 11"), "");
        let witnesses = [Witness { crash: Crashed::of(&died), ..Witness::default() }];
        let runs = [Sight { subject: &subject, run: &run, excuse: None, witnesses: &witnesses }];
        let case = Observation { script: Some(&script), runs: &runs, ..Observation::default() };
        let Verdict::Bug(findings) = Model.judge(&case) else { panic!("it must be found") };
        assert_eq!((findings[0].kind, findings[0].evidence), (FindingKind::Crash, Evidence::Proved));
        assert!(findings[0].kind.needs_model(&findings[0].explanation), "{}", findings[0].explanation);
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
        assert_eq!(judge(&[Sat], &[]), Verdict::Ask(vec![Request::Model { run: 0, check: 0 }]));
        assert!(matches!(judge(&[Unsat], &[]), Verdict::Undecided(_)));
        assert!(matches!(judge(&[Sat], &[None]), Verdict::Undecided(_)), "no model is no verdict");
    }
}
