//! The crash oracle: a solver that dies of a fault, fails an assertion of its own, is caught by a sanitizer, or admits an
//! internal error.
//!
//! The patterns of the solver's profile tell crashes from output that only looks like one (cvc5 aborts on its own time
//! limit); the oracle takes the trouble of a run as it is.

use super::{Oracle, Verdict};
use crate::finding::Finding;
use crate::trial::{SolverIdentity, Statement, Trial};

/// Looks for crashes.
pub struct CrashOracle;

impl Oracle for CrashOracle {
    fn name(&self) -> &'static str {
        "crash"
    }

    fn about(&self) -> &'static str {
        "a fault, a failed assertion, a sanitizer report or an internal error"
    }

    fn judge(&self, trial: &Trial, _: &[SolverIdentity]) -> Verdict {
        let finding = |statement: &Statement| Some(statement.crash.as_ref()?.finding(&statement.solver));
        let findings: Vec<Finding> = trial.statements.iter().filter_map(finding).collect();
        if findings.is_empty() { Verdict::Fine } else { Verdict::Bug(findings) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Evidence;
    use crate::solver::run::{Answer, Run};
    use crate::solver::trouble::{Trouble, TroubleKind};
    use crate::trial::tests::{run, solver, troubled};

    fn judge(name: &str, run: &Run) -> Verdict {
        let statements = vec![Statement::of(solver(name), run, 1, None)];
        CrashOracle.judge(&Trial { statements, ..Trial::default() }, &[])
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
    fn an_explanation_names_the_signal_or_the_place() {
        let check = |run: &Run, expected: &str| match judge("z3@4.8.10", run) {
            Verdict::Bug(findings) => assert_eq!(findings[0].explanation, expected),
            other => panic!("{other:?}"),
        };
        check(
            &assertion("../src/ast/ast.cpp", 431),
            "z3@4.8.10 ends in assertion: ASSERTION VIOLATION (ast.cpp:431)",
        );
        let signal = troubled(&[], Trouble::new(TroubleKind::Crash, "signal 11"), "");
        check(&signal, "z3@4.8.10 ends in crash: SIGSEGV (signal 11)");
        let failure = "Fatal failure within void f() at sets.cpp:118";
        let whole = troubled(&[], Trouble::new(TroubleKind::Assertion, failure), failure);
        check(&whole, &format!("z3@4.8.10 ends in assertion: {failure}"));
        let bare = troubled(&[], Trouble::new(TroubleKind::Assertion, "x"), "x\n");
        check(&bare, "z3@4.8.10 ends in assertion: x");
    }

    #[test]
    fn signals_are_told_apart() {
        let of =
            |signal: &str| fingerprint("z3", &troubled(&[], Trouble::new(TroubleKind::Crash, signal), ""));
        assert_ne!(of("signal 11"), of("signal 8"));
    }
}
