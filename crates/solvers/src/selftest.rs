//! A self-test for one solver behind one driver: does it answer, give models, report errors, and stop at limits?
//!
//! The scripts use the smallest logic that the solver supports.

use std::time::Duration;

use super::process::RunError;
use super::profile::Profile;
use super::run::{Answer, Ask, Limits, Query, Run};
use super::runner::Runner;
use super::trouble::TroubleKind;

/// A check of one ability of a solver.
pub struct Probe {
    /// The ability: `sat`, `models`, `errors`, `limits`.
    pub name: &'static str,
    script: fn(&Profile) -> Option<String>,
    limits: fn() -> Limits,
    ask: Ask,
    judge: fn(&Run) -> Result<(), String>,
}

/// The outcome of one probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeOutcome {
    /// The solver passes.
    Passed,
    /// The probe does not apply to the solver.
    Skipped,
    /// The solver fails, with this output.
    Failed(String),
}

/// A probe with default limits that asks for answers only.
const fn probe(
    name: &'static str,
    script: fn(&Profile) -> Option<String>,
    judge: fn(&Run) -> Result<(), String>,
) -> Probe {
    Probe { name, script, limits: Limits::default, ask: Ask::ANSWERS_ONLY, judge }
}

/// Every probe.
pub const ALL: &[Probe] = &[
    probe("sat", satisfiable, |run| answered(run, &[Answer::Sat])),
    probe("unsat", unsatisfiable, |run| answered(run, &[Answer::Unsat])),
    probe("twice", twice, |run| answered(run, &[Answer::Unsat, Answer::Sat])),
    Probe { ask: Ask::WITH_MODEL, ..probe("models", modelled, has_model) },
    probe("errors", ill_sorted, refused),
    Probe { limits: short, ..probe("limits", hard, stopped) },
];

impl Probe {
    /// Runs it.
    pub fn run(&self, runner: &mut Runner) -> Result<ProbeOutcome, RunError> {
        let Some(script) = (self.script)(&runner.solver().profile) else { return Ok(ProbeOutcome::Skipped) };
        let run = runner.run(&Query { script: &script, limits: (self.limits)(), ask: self.ask })?;
        Ok((self.judge)(&run).map_or_else(ProbeOutcome::Failed, |()| ProbeOutcome::Passed))
    }
}

/// The smallest logic for the probes that the solver supports.
fn ground(profile: &Profile) -> Option<&'static str> {
    ["QF_UF", "QF_BV", "QF_LRA"].into_iter().find(|logic| profile.supports(logic))
}

fn script(profile: &Profile, rest: &str) -> Option<String> {
    let logic = ground(profile)?;
    let sort = match logic {
        "QF_UF" => "Bool",
        "QF_BV" => "(_ BitVec 4)",
        _ => "Real",
    };
    Some(format!("(set-logic {logic})\n(declare-fun x () {sort})\n(declare-fun y () {sort})\n{rest}"))
}

const HORN_PREFIX: &str =
    "(set-logic HORN)\n(declare-fun P (Int) Bool)\n(assert (forall ((i Int)) (=> (= i 0) (P i))))\n";

fn satisfiable(profile: &Profile) -> Option<String> {
    if profile.logics == ["HORN"] {
        return Some(format!(
            "{HORN_PREFIX}(assert (forall ((i Int)) (=> (and (P i) (< i 0)) false)))\n(check-sat)\n"
        ));
    }
    script(profile, "(assert (= x y))\n(check-sat)\n")
}

fn unsatisfiable(profile: &Profile) -> Option<String> {
    if profile.logics == ["HORN"] {
        return Some(format!(
            "{HORN_PREFIX}(assert (forall ((i Int)) (=> (and (P i) (< i 1)) false)))\n(check-sat)\n"
        ));
    }
    script(profile, "(assert (= x y))\n(assert (not (= x y)))\n(check-sat)\n")
}

fn twice(profile: &Profile) -> Option<String> {
    let refuted = "(push 1)\n(assert (= x y))\n(assert (not (= x y)))\n(check-sat)\n(pop 1)\n(check-sat)\n";
    script(profile, refuted)
}

fn modelled(profile: &Profile) -> Option<String> {
    profile.models.as_ref().and_then(|_| satisfiable(profile))
}

fn ill_sorted(profile: &Profile) -> Option<String> {
    script(profile, "(assert (= x undeclared))\n(check-sat)\n")
}

/// Factors a product of two primes of 64 bits: out of reach for every solver within the limit.
fn hard(profile: &Profile) -> Option<String> {
    let head = "(set-logic QF_BV)\n(declare-fun a () (_ BitVec 128))\n(declare-fun b () (_ BitVec 128))\n";
    let product = "(assert (= (bvmul a b) (_ bv223310303291865867959864258369689748731 128)))\n";
    let bounds = "(assert (bvult a (_ bv18446744073709551616 128)))\n(assert (bvult b (_ bv18446744073709551616 128)))\n\
                  (assert (bvugt a (_ bv1 128)))\n(assert (bvugt b (_ bv1 128)))\n(check-sat)\n";
    profile.supports("QF_BV").then(|| format!("{head}{product}{bounds}"))
}

fn short() -> Limits {
    Limits { wall: Duration::from_millis(500), ..Limits::default() }
}

fn answered(run: &Run, expected: &[Answer]) -> Result<(), String> {
    if run.answers == expected && run.trouble.is_none() {
        return Ok(());
    }
    Err(format!("expected {}, got {}", words(expected), describe(run)))
}

fn has_model(run: &Run) -> Result<(), String> {
    answered(run, &[Answer::Sat])?;
    match &run.model {
        Some(model) if model.contains("(define-fun ") => Ok(()),
        _ => Err(format!("no model in {:?}", String::from_utf8_lossy(&run.output).trim())),
    }
}

fn refused(run: &Run) -> Result<(), String> {
    match &run.trouble {
        Some(trouble) if trouble.kind == TroubleKind::SortError => Ok(()),
        _ => Err(format!("expected a sort error, got {}", describe(run))),
    }
}

fn stopped(run: &Run) -> Result<(), String> {
    match &run.trouble {
        Some(trouble) if trouble.kind == TroubleKind::TimeOut => Ok(()),
        _ => Err(format!("expected a time-out, got {}", describe(run))),
    }
}

fn describe(run: &Run) -> String {
    let answers = words(&run.answers);
    run.trouble.as_ref().map_or(answers.clone(), |trouble| format!("{answers} and {trouble}"))
}

fn words(answers: &[Answer]) -> String {
    let answers: Vec<&str> = answers.iter().map(|answer| answer.name()).collect();
    if answers.is_empty() { "no answer".to_owned() } else { answers.join(" ") }
}
