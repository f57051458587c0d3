//! Runs the command of a report as its reader will: the script in a file, the options on the command line.
//!
//! gainsay sends scripts to a solver on standard input and asks for models by commands of its own. A report shows none of
//! that: what it claims is what this command printed, and a command that does not show the bug is said not to.

use std::sync::Arc;
use std::time::Duration;

use gainsay_smt::Script;
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::record::{ConfirmedFinding, TriageRecord};
use super::releases;
use super::settle::bisected_name;
use super::triager::{Triager, read};
use super::truth::Truth;
use crate::finding::FindingKind;
use crate::prepare::{Preparation, Prepared};
use crate::seeds;
use crate::solver::backtrace::{DEBUGGER_PROGRAM, backtrace};
use crate::solver::name::Origin;
use crate::solver::resolve::Solver;
use crate::solver::run::{Answer, Ask, Exit, Limits, Query, Run};
use crate::solver::runner::{self, Runner};
use crate::trial::{ModelEvidence, SolverIdentity, Statement};

/// The name of the script beside a report.
pub const SCRIPT_FILE: &str = "bug.smt2";

/// Bytes of each output stream that are kept.
const MAX_OUTPUT_BYTES: usize = 16 << 10;

/// Time that a debugger may take besides the solver.
const DEBUGGER_EXTRA_TIME: Duration = Duration::from_secs(30);

/// What the command of a report printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reproduction {
    /// The solver that ran.
    pub solver: String,
    /// The command, in the folder of the script.
    pub command: Vec<String>,
    /// The script, in the dialect of the solver.
    pub script: String,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
    /// How it ended: `exit code 0`, `SIGSEGV (signal 11)`.
    pub exit: String,
    /// Whether it shows the bug.
    pub shows: bool,
    /// The stack of the crash, if a debugger tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backtrace: Option<String>,
}

impl Triager<'_> {
    /// Runs the command of the report on a trigger; `None` if its solver or script cannot be had.
    pub fn reproduce(&self, record: &TriageRecord) -> Result<Option<Reproduction>, String> {
        let Some(found) = &record.found else { return Ok(None) };
        let Some(solver) = self.reported_solver(record, found) else { return Ok(None) };
        let identity = releases::identity(&solver, self.launcher).map_err(|error| error.to_string())?;
        let script = read(record.best())?;
        let Some(text) = dialect(&solver, &identity, &script, record.best()) else { return Ok(None) };
        let text = with_model_request(found, &solver, &text);
        let run = self.run_file(found, &solver, &text)?;
        let questions = seeds::questions(&script);
        let statement = statement(found, &solver, &identity, (&script, questions), &run);
        let truth = record.bisection.as_ref().map(|bisection| &bisection.truth);
        let words =
            runner::file_command(&solver.with_options(&model_arguments(found, &solver)), &text, SCRIPT_FILE);
        let shows = shows(found, truth, &statement);
        Ok(Some(Reproduction {
            backtrace: self.backtrace(&solver, &text, &run).filter(|_| shows),
            solver: identity.name,
            command: words,
            script: text,
            output: shown(&run.output),
            errors: shown(&run.errors),
            exit: run.exit.described(),
            shows,
        }))
    }

    /// The stack of a solver that a signal ended; `None` without a debugger.
    fn backtrace(&self, solver: &Solver, text: &str, run: &Run) -> Option<String> {
        if !matches!(run.exit, Exit::Signal(_)) {
            return None;
        }
        let debugger = self.places.find_on_path(DEBUGGER_PROGRAM)?;
        // The debugger reads symbols and starts the solver: both take longer than the solver.
        let limits = Limits {
            wall: self.limits.wall + DEBUGGER_EXTRA_TIME,
            cpu: self.limits.cpu.map(|cpu| cpu + DEBUGGER_EXTRA_TIME),
            ..self.limits
        };
        // A report without a stack is better than no report.
        backtrace(&debugger, solver, self.launcher, (text, limits)).unwrap_or_default()
    }

    /// The solver that a report names: the newest affected release, else the suspect itself.
    pub fn reported_solver(&self, record: &TriageRecord, found: &ConfirmedFinding) -> Option<Solver> {
        let name = bisected_name(found)?;
        let is_release = matches!(name.origin, Origin::Managed(_) | Origin::Latest);
        let affected = record.bisection.as_ref().and_then(|bisection| bisection.last_bad());
        match affected.filter(|_| is_release) {
            Some(version) => releases::release(&self.places, &name, version).ok(),
            None => self.places.resolve(&name).ok(),
        }
    }

    fn run_file(&self, found: &ConfirmedFinding, solver: &Solver, text: &str) -> Result<Run, String> {
        let mut profile = (*solver.profile).clone();
        profile.input.stdin = None;
        let solver =
            Solver { profile: Arc::new(profile), ..solver.with_options(&model_arguments(found, solver)) };
        let query = Query { script: text, limits: self.limits, ask: Ask::ANSWERS_ONLY };
        let runner = Runner::open(&solver, runner::plain(), self.launcher);
        runner.and_then(|mut runner| runner.run(&query)).map_err(|error| error.to_string())
    }
}

/// Arguments that make a solver print models, if the report needs one.
fn model_arguments(found: &ConfirmedFinding, solver: &Solver) -> Vec<String> {
    let models = solver.profile.models.iter().filter(|_| found.needs_model);
    models.flat_map(|models| models.arguments.iter().cloned()).collect()
}

/// The script in the dialect of a release: some need a logic, or other names; `None` if it cannot run the script.
fn dialect(solver: &Solver, identity: &SolverIdentity, script: &Script, text: &str) -> Option<String> {
    let signature = script.arena().signature();
    let preparation = Preparation::new(&[(solver.clone(), identity.version.clone())], signature);
    match preparation.prepare(script, text).swap_remove(0) {
        Prepared::Text { text, .. } => Some(text.to_string()),
        Prepared::Spared(_) => None,
    }
}

/// The script with a request for the model, if the bug shows only then.
fn with_model_request(found: &ConfirmedFinding, solver: &Solver, script: &str) -> String {
    let script = script.trim_end();
    match solver.profile.models.as_ref().filter(|_| found.needs_model) {
        Some(models) => {
            let lines = [models.head.as_str(), script, models.ask.as_str()].into_iter();
            lines.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n") + "\n"
        }
        None => format!("{script}\n"),
    }
}

/// What the run says, with the model that it printed after its last answer.
fn statement(
    found: &ConfirmedFinding,
    solver: &Solver,
    identity: &SolverIdentity,
    (script, questions): (&Script, usize),
    run: &Run,
) -> Statement {
    let mut statement = Statement::of(identity.clone(), run, questions, None);
    let output = String::from_utf8_lossy(&run.output);
    let model = output.rsplit_once("sat\n").map(|(_, model)| model.trim().to_owned());
    let last = statement.votes.len().checked_sub(1).filter(|_| found.needs_model);
    if let Some(last) = last.filter(|&last| statement.votes[last].answer == Answer::Sat) {
        let version = identity.version.as_ref();
        let mut evidence = ModelEvidence::given(&solver.profile, version, &script.to_string(), model);
        evidence.check(script, last);
        statement.votes[last].model = Some(evidence);
    }
    statement
}

/// Returns true if a statement shows a finding.
fn shows(found: &ConfirmedFinding, truth: Option<&Truth>, statement: &Statement) -> bool {
    let says = |answer: Answer| statement.counts() && statement.says(answer);
    match found.kind {
        FindingKind::Crash => {
            let crash = statement.crash.as_ref().map(|crash| crash.fingerprint(&statement.solver.family));
            crash.is_some_and(|crash| crash.is_same_bug(&found.fingerprint))
        }
        FindingKind::Model => statement.invalid_model().is_some(),
        FindingKind::Refutation | FindingKind::Solution => {
            let wrong = if found.kind == FindingKind::Refutation { Answer::Unsat } else { Answer::Sat };
            let is_known = truth.is_some_and(|truth| truth.checks.iter().any(Option::is_some));
            match truth.filter(|_| is_known) {
                Some(truth) => truth.mistakes(statement).iter().any(|mistake| mistake.kind == found.kind),
                None => says(wrong),
            }
        }
        FindingKind::Disagreement | FindingKind::Promise => says(Answer::Sat) || says(Answer::Unsat),
        // The command prints the reply for its reader; only a trial judges it.
        FindingKind::Reply => statement.crash.is_none() && statement.silence.is_none(),
        FindingKind::Performance => true,
    }
}

/// The output as the reader will see it: solvers name the file of the script, which is in a folder of ours.
fn shown(bytes: &[u8]) -> String {
    let own_file = Regex::new(r#"[^\s"']*/gainsay-[^\s/]+/script\.smt2"#).expect("it is an expression");
    let mut text = own_file.replace_all(&String::from_utf8_lossy(bytes), SCRIPT_FILE).into_owned();
    if text.len() > MAX_OUTPUT_BYTES {
        text.truncate(text.floor_char_boundary(MAX_OUTPUT_BYTES));
        text.push_str("\n; … cut: there is more output\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Evidence, Fingerprint};
    use crate::trial::tests::statement;

    #[test]
    fn output_names_the_script_of_the_report() {
        let said = b"unsat\n/dev/shm/gainsay-22-33-ab/script.smt2:2.2: No set-logic command\n(error \"/tmp/gainsay-1/script.smt2\")\n";
        assert_eq!(shown(said), "unsat\nbug.smt2:2.2: No set-logic command\n(error \"bug.smt2\")\n");
        assert_eq!(shown(b"see /srv/a/script.smt2"), "see /srv/a/script.smt2");
    }

    #[test]
    fn a_statement_shows_a_finding_if_it_is_wrong_in_the_same_way() {
        let check = |kind: FindingKind, right: &str, said: &str, expected: bool| {
            let found = ConfirmedFinding {
                kind,
                suspects: "z3@1".into(),
                family: "z3".into(),
                evidence: Evidence::Proved,
                fingerprint: Fingerprint::new(kind, "z3", "assertion: x"),
                explanation: String::new(),
                needs_model: kind == FindingKind::Model,
            };
            let right = statement(right);
            let truth = Truth::find(1, "z3", &[&right], &[], &[], &[]);
            assert_eq!(shows(&found, Some(&truth), &statement(said)), expected, "{kind:?} {said}");
        };
        check(FindingKind::Refutation, "cvc5=sat!", "z3@1=unsat", true);
        check(FindingKind::Refutation, "cvc5=sat!", "z3@1=unknown", false);
        check(FindingKind::Solution, "cvc5=unsat", "z3@1=sat", true);
        check(FindingKind::Solution, "cvc5=unsat", "z3@1=-", false);
        check(FindingKind::Solution, "cvc5=unknown", "z3@1=sat", true);
        check(FindingKind::Model, "cvc5=sat", "z3@1=sat?", true);
        check(FindingKind::Model, "cvc5=sat", "z3@1=sat!", false);
        check(FindingKind::Crash, "cvc5=sat", "z3@1=crash", true);
        check(FindingKind::Crash, "cvc5=sat", "z3@1=sat", false);
    }
}
