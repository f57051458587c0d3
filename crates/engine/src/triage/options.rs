//! Options of solvers that a finding does not need, left out.
//!
//! ```text
//! z3@4.8.10 rewriter.flat=false smt.arith.solver=2   becomes   z3@4.8.10 smt.arith.solver=2
//! ```

use crate::finding::Finding;
use crate::session::panel::PanelSolver;

/// The solvers with no more options than it takes to show a finding, and the finding under their new names.
///
/// `shows` says whether solvers show a finding. For each solver all options are left out first, then each by itself.
pub fn fewer(
    solvers: &[PanelSolver],
    target: &Finding,
    mut shows: impl FnMut(&[PanelSolver], &Finding) -> Result<bool, String>,
) -> Result<(Vec<PanelSolver>, Finding), String> {
    let (mut solvers, mut target) = (solvers.to_vec(), target.clone());
    for solver in 0..solvers.len() {
        let mut number = 0;
        // None of them, then all but the first, all but the second, and so on, of the remaining options.
        let mut attempt = Vec::new();
        while !solvers[solver].solver.name.options.is_empty() {
            let (fewer, renamed) = with(&solvers, &target, solver, attempt);
            if shows(&fewer, &renamed)? {
                (solvers, target) = (fewer, renamed);
            } else {
                number += 1;
            }
            attempt = solvers[solver].solver.name.options.clone();
            // The attempt with none came first, and counts as one.
            if number > attempt.len() || attempt.len() <= 1 {
                break;
            }
            attempt.remove(number.saturating_sub(1));
        }
    }
    Ok((solvers, target))
}

/// The solvers with other options for one of them.
fn with(
    solvers: &[PanelSolver],
    target: &Finding,
    solver: usize,
    options: Vec<String>,
) -> (Vec<PanelSolver>, Finding) {
    let (mut solvers, mut target) = (solvers.to_vec(), target.clone());
    let changed = &mut solvers[solver];
    changed.solver.name.options = options;
    let old = std::mem::replace(&mut changed.identity.name, changed.solver.name.to_string());
    let renamed =
        |suspect: &str| if suspect == old { changed.identity.name.clone() } else { suspect.to_owned() };
    target.suspects = target.suspects.iter().map(renamed).collect();
    (solvers, target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Evidence, FindingKind, Fingerprint};
    use crate::solver::name::SolverName;
    use crate::solver::profiles::Profiles;
    use crate::solver::resolve::{Program, Solver};
    use crate::trial::SolverIdentity;

    fn solver(name: &str) -> PanelSolver {
        let name: SolverName = name.parse().unwrap();
        let profile = Profiles::built_in().get(&name.profile).unwrap().clone();
        let program = Program::Binary { path: "z3".into(), library: None };
        let identity = SolverIdentity { name: name.to_string(), family: "z3".to_owned(), version: None };
        PanelSolver { solver: Solver { name, profile, version: None, program }, identity }
    }

    /// Asserts which name a solver has in the end if a finding needs some of its options.
    fn check(name: &str, needed: &[&str], after: &str) {
        let target = Finding {
            kind: FindingKind::Crash,
            suspects: name.into(),
            needs_model: false,
            evidence: Evidence::Disagreement,
            fingerprint: Fingerprint::new(FindingKind::Crash, "z3", ""),
            explanation: String::new(),
        };
        let mut asked = 0;
        let (solvers, found) = fewer(&[solver(name)], &target, |solvers, target| {
            asked += 1;
            assert_eq!(solvers[0].identity.name, target.suspects.to_string());
            Ok(needed.iter().all(|need| solvers[0].solver.name.options.iter().any(|option| option == need)))
        })
        .unwrap();
        assert_eq!((solvers[0].identity.name.as_str(), found.suspects.to_string().as_str()), (after, after));
        assert!(asked <= 1 + name.split(' ').count(), "{asked} questions");
    }

    #[test]
    fn only_what_is_needed_stays() {
        check("z3@4.8.10 a=1 b=2 c=3", &[], "z3@4.8.10");
        check("z3@4.8.10 a=1 b=2 c=3", &["a=1"], "z3@4.8.10 a=1");
        check("z3@4.8.10 a=1 b=2 c=3", &["b=2"], "z3@4.8.10 b=2");
        check("z3@4.8.10 a=1 b=2 c=3", &["c=3", "a=1"], "z3@4.8.10 a=1 c=3");
        check("z3@4.8.10 a=1 b=2 c=3", &["a=1", "b=2", "c=3"], "z3@4.8.10 a=1 b=2 c=3");
        check("z3@4.8.10 a=1", &["a=1"], "z3@4.8.10 a=1");
        check("z3@4.8.10", &[], "z3@4.8.10");
    }
}
