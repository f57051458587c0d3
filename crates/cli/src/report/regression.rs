//! Regression tests in the format of the solver's own test suite, each of which fails on the release that has the bug.
//!
//! A wrong answer fails by itself. A wrong model does not: the answer `sat` is right. So several forms are tried, the simplest
//! first, and the first one is kept that fails on the affected release and, if one is known, passes on a release that is not:
//!
//! 1. the script and its answers;
//! 2. the same with the solver's own check of models;
//! 3. the same with `(get-value (all-assertions))`, whose value must be `true`.
//!
//! A script that prints more than answers (an unsat core, goals) has many right replies, of which gainsay can write down none. Its
//! test expects the output of a release whose replies were found right; without such a release there is no test.

use gainsay_engine::finding::{Evidence, FindingKind};
use gainsay_engine::solver::outline::outline;
use gainsay_engine::solver::profile::Profile;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Answer, Ask, Exit, Limits, Query};
use gainsay_engine::solver::runner::{self, Launcher, Runner};
use gainsay_engine::triage::queue::Bug;
use gainsay_engine::triage::record::ConfirmedFinding;

use super::bug;

/// The name of the term whose value must be true.
const ALL_ASSERTIONS: &str = "all-assertions";

/// A regression test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegressionTest {
    /// The script.
    pub script: String,
    /// Options on the command line.
    pub options: Vec<String>,
    /// The lines that it must print.
    pub expected: Vec<String>,
}

impl RegressionTest {
    /// Returns true if a solver prints what is expected and ends without an error; `None` if it cannot be run.
    fn passes(&self, solver: &Solver, launcher: &Launcher, limits: Limits) -> Option<bool> {
        let (lines, exit) = self.printed(solver, launcher, limits)?;
        Some(lines == self.expected && exit == Exit::Code(0))
    }

    /// The lines that a solver prints, and its exit; `None` if it cannot be run.
    fn printed(&self, solver: &Solver, launcher: &Launcher, limits: Limits) -> Option<(Vec<String>, Exit)> {
        let mut solver = solver.clone();
        solver.name.options.clone_from(&self.options);
        let query = Query { script: &self.script, limits, ask: Ask::ANSWERS_ONLY };
        let run = Runner::open(&solver, runner::plain(), launcher).ok()?.run(&query).ok()?;
        let text = String::from_utf8_lossy(&run.output).into_owned();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
        Some((lines.collect(), run.exit))
    }

    /// Returns true if the script prints more than the answers of its checks.
    fn prints_more(&self) -> bool {
        outline(&self.script).before_exit().printing().any(|one| !one.is_question())
    }

    /// Its files, in the format of the solver's test suite: names and texts.
    pub fn files(&self, name: &str, profile: &Profile) -> Vec<(String, String)> {
        let script = self.script.trim_end();
        let file = format!("{name}.smt2");
        let lines =
            |head: &str| self.expected.iter().map(|line| format!("{head}{line}\n")).collect::<String>();
        if profile.family != "cvc" {
            return vec![(file, format!("{script}\n")), (format!("{name}.expected.out"), lines(""))];
        }
        let mut options = self.options.clone();
        if runner::asks_more_than_once(script) {
            options.extend(profile.incremental.iter().cloned());
        }
        let options = match options.is_empty() {
            true => String::new(),
            false => format!("; COMMAND-LINE: {}\n", options.join(" ")),
        };
        vec![(file, format!("{options}{}{script}\n", lines("; EXPECT: ")))]
    }
}

/// Why a bug has no regression test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRegressionTest {
    /// The affected solver cannot be run.
    NoSolver,
    /// It is not certain what the script must print.
    UnsureAnswer,
    /// The script prints more than answers, and no release is known to print all of it right.
    NoRightOutput,
    /// The affected solver prints what is right in every form: its wrong model is not in what a test compares.
    Passes,
    /// A form fails on the affected solver, but on the release without the bug as well.
    FailsElsewhere,
}

impl NoRegressionTest {
    /// The reason, for people.
    pub fn words(self) -> &'static str {
        match self {
            NoRegressionTest::NoSolver => "the affected solver cannot be run",
            NoRegressionTest::UnsureAnswer => "the right answer is not certain",
            NoRegressionTest::NoRightOutput => "no release is known to print the right output",
            NoRegressionTest::Passes => "the affected solver passes every form of it",
            NoRegressionTest::FailsElsewhere => "it fails on a release without the bug, too",
        }
    }
}

/// The first form of a regression test that fails on the affected solver and passes on the other one.
pub fn failing(
    bug: &Bug<'_>,
    found: &ConfirmedFinding,
    (affected, unaffected): (&Solver, Option<&Solver>),
    (launcher, limits): (&Launcher, Limits),
) -> Result<RegressionTest, NoRegressionTest> {
    let profile = &affected.profile;
    let script = without_model_request(bug::script(bug), profile);
    let plain = RegressionTest { script, options: affected.name.options.clone(), expected: Vec::new() };
    let forms = match plain.prints_more() {
        true => {
            let printed = unaffected.and_then(|solver| plain.printed(solver, launcher, limits));
            let is_sure = found.evidence > Evidence::Disagreement;
            let right = printed.filter(|(_, exit)| is_sure && *exit == Exit::Code(0));
            let (expected, _) = right.ok_or(NoRegressionTest::NoRightOutput)?;
            vec![RegressionTest { expected, ..plain }]
        }
        false => forms(bug, found, profile, plain),
    };
    if forms.is_empty() {
        return Err(NoRegressionTest::UnsureAnswer);
    }
    let fails = |test: &RegressionTest| test.passes(affected, launcher, limits) == Some(false);
    let mut failing = forms.into_iter().filter(fails).peekable();
    failing.peek().ok_or(NoRegressionTest::Passes)?;
    let passes = |test: &RegressionTest| {
        unaffected.is_none_or(|solver| test.passes(solver, launcher, limits) == Some(true))
    };
    failing.find(passes).ok_or(NoRegressionTest::FailsElsewhere)
}

/// The forms of a regression test, the simplest first; none if the right answer is not certain.
fn forms(
    bug: &Bug<'_>,
    found: &ConfirmedFinding,
    profile: &Profile,
    plain: RegressionTest,
) -> Vec<RegressionTest> {
    let Some(expected) = answers(bug, found) else { return Vec::new() };
    let plain = RegressionTest { expected, ..plain };
    let needs_model = matches!(found.kind, FindingKind::Model) || found.needs_model;
    let more = [checking_itself(&plain, profile), with_value(&plain, profile)];
    let more: Vec<RegressionTest> = more.into_iter().flatten().filter(|_| needs_model).collect();
    std::iter::once(plain).chain(more).collect()
}

/// The right answers, if all of them are known and sure.
fn answers(bug: &Bug<'_>, found: &ConfirmedFinding) -> Option<Vec<String>> {
    let known = &bug.lead.bisection.as_ref()?.truth.checks;
    let is_crash = found.kind == FindingKind::Crash;
    let answer = |right: &Option<gainsay_engine::trial::evidence::RightAnswer>| {
        let right = right.as_ref().filter(|right| is_crash || right.evidence > Evidence::Disagreement)?;
        Some(right.answer.name().to_owned())
    };
    let answers: Option<Vec<String>> = known.iter().map(answer).collect();
    let answers = answers.or_else(|| proved_answer(found, known.len()))?;
    (!answers.is_empty() && found.evidence > Evidence::Disagreement).then_some(answers)
}

/// The answer that the finding itself proves, if the script has one question.
fn proved_answer(found: &ConfirmedFinding, questions: usize) -> Option<Vec<String>> {
    let answer = match found.kind {
        FindingKind::Refutation => Answer::Sat,
        FindingKind::Solution => Answer::Unsat,
        _ => return None,
    };
    (found.evidence == Evidence::Proved && questions == 1).then(|| vec![answer.name().to_owned()])
}

/// The script without the request for a model that a report has.
fn without_model_request(script: &str, profile: &Profile) -> String {
    let Some(models) = &profile.models else { return script.to_owned() };
    let is_request = |line: &str| !line.is_empty() && (line == models.head || line == models.ask);
    let lines = script.lines().filter(|line| !is_request(line.trim()));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The test with the solver's own check of models: as options of the script, or of the command line.
fn checking_itself(test: &RegressionTest, profile: &Profile) -> Option<RegressionTest> {
    if profile.self_check.is_empty() {
        return None;
    }
    if profile.self_check.iter().any(|option| option.starts_with('-')) {
        let options = [test.options.clone(), profile.self_check.clone()].concat();
        return Some(RegressionTest { options, ..test.clone() });
    }
    let set = |option: &String| {
        let (name, value) = option.split_once('=')?;
        Some(format!("(set-option :{name} {value})\n"))
    };
    let head: String = profile.self_check.iter().map(set).collect::<Option<_>>()?;
    Some(RegressionTest { script: head + &test.script, ..test.clone() })
}

/// The test with a request for the value of the conjunction of all assertions, if the script has one plain question.
fn with_value(test: &RegressionTest, profile: &Profile) -> Option<RegressionTest> {
    let outline = outline(&test.script);
    let is_plain =
        |name: &str| !matches!(name, "push" | "pop" | "reset" | "reset-assertions" | "check-sat-assuming");
    let is_sat = test.expected == ["sat"];
    if !is_sat || test.script.contains(":named") || !outline.commands.iter().all(|one| is_plain(one.name)) {
        return None;
    }
    let body = |text: &str| {
        let text = text.trim().strip_prefix('(')?.trim_start().strip_prefix("assert")?;
        Some(text.trim().strip_suffix(')')?.trim().to_owned())
    };
    let asserted = outline.commands.iter().filter(|one| one.name == "assert").map(|one| body(one.text));
    let asserted: Vec<String> = asserted.collect::<Option<_>>()?;
    let all = match asserted.as_slice() {
        [] => return None,
        [one] => one.clone(),
        more => format!("(and {})", more.join(" ")),
    };
    let check = test.script.find("(check-sat)")?;
    let (before, after) = test.script.split_at(check);
    let head = profile.models.as_ref().map(|models| models.head.as_str()).filter(|head| !head.is_empty());
    let head = head.map(|head| format!("{head}\n")).unwrap_or_default();
    let script = format!(
        "{head}{before}(define-fun {ALL_ASSERTIONS} () Bool {all})\n{}\n(get-value ({ALL_ASSERTIONS}))\n",
        after.trim_end()
    );
    let expected = vec!["sat".to_owned(), format!("(({ALL_ASSERTIONS} true))")];
    Some(RegressionTest { script, options: test.options.clone(), expected })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_engine::solver::profiles::Profiles;

    fn plain(script: &str) -> RegressionTest {
        RegressionTest { script: script.to_owned(), options: Vec::new(), expected: vec!["sat".to_owned()] }
    }

    #[test]
    fn the_value_of_all_assertions_is_requested_after_the_check() {
        let profiles = Profiles::built_in();
        let z3 = profiles.get("z3").unwrap();
        let test = plain("(declare-const x Int)\n(assert (> x 1))\n(assert (< x 3))\n(check-sat)\n");
        assert_eq!(
            with_value(&test, z3).unwrap().script,
            "(set-option :produce-models true)\n(declare-const x Int)\n(assert (> x 1))\n(assert (< x 3))\n\
             (define-fun all-assertions () Bool (and (> x 1) (< x 3)))\n(check-sat)\n(get-value (all-assertions))\n"
        );
        assert_eq!(with_value(&plain("(push 1)\n(assert true)\n(check-sat)\n"), z3), None);
        assert_eq!(with_value(&plain("(assert (! true :named a))\n(check-sat)\n"), z3), None);
    }

    #[test]
    fn each_solver_checks_its_models_in_its_own_way() {
        let profiles = Profiles::built_in();
        let test = plain("(assert true)\n(check-sat)\n");
        let z3 = checking_itself(&test, profiles.get("z3").unwrap()).unwrap();
        assert!(z3.script.starts_with("(set-option :model_validate true)\n"), "{}", z3.script);
        let cvc5 = checking_itself(&test, profiles.get("cvc5").unwrap()).unwrap();
        let [(_, text)] = &cvc5.files("a", profiles.get("cvc5").unwrap())[..] else { panic!("one file") };
        assert!(text.starts_with("; COMMAND-LINE: --check-models\n; EXPECT: sat\n(assert"), "{text}");
    }
}
