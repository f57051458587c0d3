//! The crash oracle: a solver that dies of a fault, fails an assertion of its own, is caught by a sanitizer, or admits an
//! internal error.
//!
//! What is a crash and what only looks like one (cvc5 aborts on its own time limit) is decided by the profile's
//! patterns; here the trouble is taken as it is.

use super::{Evidence, Finding, FindingKind, Fingerprint, Observation, Oracle, Sight, Subject, Verdict};
use crate::solver::run::Run;
use crate::solver::trouble::Trouble;

/// Lines after the telling one that say where and what: z3 prints file, line and condition below its headline.
const LINES: usize = 4;

/// What is said of a crash that only comes when the model is asked for.
pub(super) const AT_MODEL: &str = " when it is asked for its model";

/// Looks for crashes.
pub struct Crash;

impl Oracle for Crash {
    fn name(&self) -> &'static str {
        "crash"
    }

    fn about(&self) -> &'static str {
        "a fault, a failed assertion, a sanitizer report or an internal error"
    }

    fn judge(&self, case: &Observation<'_>) -> Verdict {
        let finding = |sight: &Sight<'_>| Some(Crashed::of(sight.run)?.finding(sight.subject, ""));
        let findings: Vec<Finding> = case.runs.iter().filter_map(finding).collect();
        if findings.is_empty() { Verdict::Fine } else { Verdict::Bug(findings) }
    }
}

/// A crash, as much as tells it from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crashed {
    trouble: Trouble,
    context: String,
}

impl Crashed {
    /// The crash that a run ended in, if it did.
    pub fn of(run: &Run) -> Option<Self> {
        let trouble = run.trouble.as_ref().filter(|trouble| trouble.kind.is_crash())?;
        Some(Crashed { trouble: trouble.clone(), context: context(run, trouble) })
    }

    /// What is wrong with the solver; `when` it happened, if not while the script was run.
    pub fn finding(&self, subject: &Subject, when: &str) -> Finding {
        let Crashed { trouble, context } = self;
        Finding {
            kind: FindingKind::Crash,
            suspect: subject.name.clone(),
            evidence: Evidence::Proved,
            fingerprint: Fingerprint::new("crash", &subject.family, &format!("{}: {context}", trouble.kind)),
            explanation: format!("{} ends in {trouble}{when}", subject.name),
        }
    }
}

/// The telling line and the few after it; the words of the trouble where no output shows it.
fn context(run: &Run, trouble: &Trouble) -> String {
    let found = [&run.errors, &run.output].into_iter().find_map(|text| {
        let text = String::from_utf8_lossy(text);
        let mut lines = text.lines().skip_while(|line| !line.contains(&trouble.said)).peekable();
        lines.peek()?;
        Some(lines.take(LINES).collect::<Vec<_>>().join(" "))
    });
    match found {
        Some(context) => context,
        // The number of a signal tells more than `#`.
        None => trouble.said.replace("signal ", "signal_"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{run, subject, troubled};
    use super::super::{Promise, Verdict};
    use super::*;
    use crate::solver::run::Answer;
    use crate::solver::trouble::TroubleKind;

    fn judge(name: &str, run: &Run) -> Verdict {
        let subject = subject(name);
        let runs = [Sight { subject: &subject, run, excuse: None, witnesses: &[] }];
        Crash.judge(&Observation {
            script: None,
            promise: Promise::Nothing,
            made_for: None,
            derivation: crate::oracle::Search::NotYet,
            runs: &runs,
            spare: &[],
        })
    }

    fn fingerprint(name: &str, run: &Run) -> String {
        match judge(name, run) {
            Verdict::Bug(findings) => findings[0].fingerprint.to_string(),
            other => panic!("{other:?}"),
        }
    }

    fn assertion(file: &str, line: u32) -> Run {
        let errors = format!("ASSERTION VIOLATION\nFile: {file}\nLine: {line}\nm_ref > 0\n(C)ontinue\n");
        troubled(&[], Trouble::new(TroubleKind::Assertion, "ASSERTION VIOLATION"), &errors)
    }

    #[test]
    fn each_kind_of_crash_is_a_proved_finding_and_nothing_else_is_one() {
        for kind in TroubleKind::ALL {
            let verdict = judge("z3@4.8.10", &troubled(&[Answer::Sat], Trouble::new(kind, "x"), ""));
            let proved = matches!(&verdict, Verdict::Bug(found) if found[0].evidence == Evidence::Proved);
            assert_eq!(proved, kind.is_crash(), "{kind}: {verdict:?}");
        }
        assert_eq!(judge("z3@4.8.10", &run(&[Answer::Sat])), Verdict::Fine);
    }

    #[test]
    fn two_sightings_of_one_assertion_have_one_fingerprint_across_versions() {
        let old = fingerprint("z3@4.8.10", &assertion("../src/ast/ast.cpp", 431));
        let new = fingerprint("z3@5.4.0", &assertion("/b/src/ast/ast.cpp", 502));
        assert_eq!(old, new);
        assert_eq!(old, "crash z3 assertion: ASSERTION VIOLATION File: ast.cpp Line: # m_ref > #");
        assert_ne!(old, fingerprint("z3@5.4.0", &assertion("/b/src/ast/other.cpp", 502)));
    }

    #[test]
    fn signals_are_told_apart() {
        let of =
            |signal: &str| fingerprint("z3", &troubled(&[], Trouble::new(TroubleKind::Crash, signal), ""));
        assert_ne!(of("signal 11"), of("signal 8"));
    }
}
