//! The release boundary of a bug: the releases between which it appears and disappears. A reduction must keep it.
//!
//! ```text
//!              4.8.6  4.8.7  4.8.8  4.8.10  4.8.12  5.4.0
//! as found       ✓      ✗      ✗      ✗       ✓       ✓
//! candidate      ✓                    ✗       ✓             taken only if these three say the same
//! ```
//!
//! A solver may have many bugs of one kind, and the smallest script with a finding of that kind often shows another bug than
//! the one that was found. Two bugs seldom disappear at the same release, so a script that shows on the last bad release and not
//! on the good ones around it most likely shows the same bug. If no good release is known, there is no boundary to keep.

use super::bisect::{Bisection, Release, ReleaseResult};
use crate::reduce::{Candidate, InterestingnessTest, TestOutcome};
use crate::solver::version::Version;

/// Releases that tell a bug from its neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseBoundary {
    /// The newest release that has it.
    bad: Version,
    /// The nearest good release before all bad ones, and the nearest after them; one of them may be missing.
    good: Vec<Version>,
}

impl ReleaseBoundary {
    /// The boundary of a bisection; `None` if no release is known to be good.
    pub fn of(bisection: &Bisection) -> Option<ReleaseBoundary> {
        let (first, last) = (bisection.first_bad()?, bisection.last_bad()?);
        let good = bisection.versions.iter().filter(|entry| entry.firm() == Some(false));
        let good = good.map(|entry| &entry.version);
        let before = good.clone().take_while(|version| *version < first).last();
        let after = good.clone().find(|version| *version > last);
        let good: Vec<Version> = before.into_iter().chain(after).cloned().collect();
        (!good.is_empty()).then(|| ReleaseBoundary { bad: last.clone(), good })
    }

    /// The releases to run, oldest first.
    pub fn releases(&self) -> Vec<Release> {
        let mut versions: Vec<&Version> = self.good.iter().chain([&self.bad]).collect();
        versions.sort();
        versions.into_iter().map(|version| Release { version: version.clone(), installed: true }).collect()
    }

    /// Returns true if another bisection has this boundary, too.
    pub fn holds(&self, bisection: &Bisection) -> bool {
        firm(bisection, &self.bad) == Some(true)
            && self.good.iter().all(|version| firm(bisection, version) == Some(false))
    }
}

fn firm(bisection: &Bisection, version: &Version) -> Option<bool> {
    bisection.versions.iter().find(|entry| entry.version == *version).and_then(ReleaseResult::firm)
}

/// Returns true if a reduction has slipped to another bug, judged by the bisections before and after it.
pub fn has_slipped(before: &Bisection, after: &Bisection) -> bool {
    let is_bad = |version: &Version| firm(after, version) == Some(true);
    let was_good = ReleaseBoundary::of(before).map(|boundary| boundary.good).unwrap_or_default();
    was_good.iter().any(is_bad) || last_shared_bad(before, after) != last_shared_bad(after, before)
}

/// The newest release that has the bug by a bisection, of those that another bisection asked as well: more releases may have been
/// asked after a reduction than before it.
fn last_shared_bad<'b>(bisection: &'b Bisection, other: &Bisection) -> Option<&'b Version> {
    let bad = bisection.versions.iter().filter(|entry| entry.firm() == Some(true));
    bad.map(|entry| &entry.version).rfind(|version| other.has_asked(version))
}

/// A test that also runs the releases of a boundary, after an inner test has passed.
pub struct KeepsBoundary<'a> {
    /// The inner test.
    pub question: &'a dyn InterestingnessTest,
    /// The boundary.
    pub boundary: &'a ReleaseBoundary,
    /// Bisects a candidate over the releases of the boundary; the error names a solver that cannot be run.
    pub bisect: &'a (dyn Fn(&Candidate<'_>) -> Result<Bisection, String> + Sync),
}

impl InterestingnessTest for KeepsBoundary<'_> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
        match self.question.test(candidate) {
            TestOutcome::Interesting => match (self.bisect)(candidate) {
                Ok(bisection) if self.boundary.holds(&bisection) => TestOutcome::Interesting,
                Ok(_) => TestOutcome::Uninteresting,
                Err(why) => TestOutcome::Failed(why),
            },
            other => other,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::finding::FindingKind;
    use crate::reduce::{self, ReductionEnd, ReductionSettings};
    use crate::triage::bisect::ReleaseList;
    use crate::triage::truth::Truth;
    use gainsay_smt::{Script, Signature};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// Releases 1, 2, …: `X` has it, `.` has it not, `u` is undecided, `-` said nothing, `?` was not asked.
    pub fn bisection(releases: &str) -> Bisection {
        let entry = |(at, letter): (usize, char)| ReleaseResult {
            version: (at + 1).to_string().parse().unwrap(),
            affected: match letter {
                'X' => Some(true),
                '.' | 'u' => Some(false),
                _ => None,
            },
            said: match letter {
                'X' => "unsat".into(),
                '.' => "sat".into(),
                'u' => "unknown".into(),
                '-' => "-".into(),
                _ => String::new(),
            },
            why: String::new(),
        };
        Bisection {
            kind: Some(FindingKind::Refutation),
            evidence: None,
            truth: Truth::default(),
            versions: releases.chars().enumerate().map(entry).collect(),
            listed: ReleaseList::Installed,
            witness: None,
            stopped: false,
        }
    }

    #[test]
    fn the_edge_is_the_last_bad_release_and_the_good_ones_about_it() {
        let check = |releases: &str, expected: &str| {
            let boundary = ReleaseBoundary::of(&bisection(releases));
            let asked = boundary.map(|boundary| {
                let asked = boundary.releases();
                asked.iter().map(|release| release.version.to_string()).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(asked.unwrap_or_default(), expected, "{releases}");
        };
        check("..XXX..", "2 5 6");
        check(".X.X..", "1 4 5");
        check("XXX?-u..", "3 7");
        check(".uXX", "1 4");
        check("XXXu-?", "");
        check("...", "");
    }

    #[test]
    fn what_goes_at_another_release_or_is_undecided_there_is_not_kept() {
        let boundary = ReleaseBoundary::of(&bisection(".XXX..")).unwrap();
        let kept = |releases: &str| boundary.holds(&bisection(releases));
        assert!(kept(".?-X.X"), "only the releases of the boundary are looked at");
        assert!(!kept(".XX..."));
        assert!(!kept(".XXXX."));
        assert!(!kept("XXXX.."));
        assert!(!kept(".XXXu."));
        assert!(has_slipped(&bisection(".XXX.."), &bisection(".XX...")));
        assert!(has_slipped(&bisection(".XXX.."), &bisection(".XXX.X")));
        assert!(has_slipped(&bisection(".XXX.."), &bisection("XXXX..")));
        assert!(!has_slipped(&bisection(".XXX.."), &bisection("uX.Xu.")));
        assert!(has_slipped(&bisection("XXX"), &bisection("XX.")));
        assert!(!has_slipped(&bisection("XXX"), &bisection(".XX")));
        assert!(!has_slipped(&bisection(".XX???"), &bisection(".XXXX.")), "more releases were asked later");
    }

    /// Shows where `div` or `mod` is: two bugs of one kind.
    struct Either;

    impl InterestingnessTest for Either {
        fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
            let shows = candidate.text.contains("(div") || candidate.text.contains("(mod");
            if shows { TestOutcome::Interesting } else { TestOutcome::Uninteresting }
        }
    }

    #[test]
    fn a_reduction_that_could_slip_to_a_smaller_bug_does_not() {
        let text = "(declare-const x Int)(declare-const y Int)\
                    (assert (= (div (+ x 1 y) 7 (* y y)) 3))(assert (= (mod x 2) 1))(check-sat)";
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let settings = ReductionSettings { jobs: 1, first_test: None, max_timeout: Duration::from_secs(60) };
        let reduce = |question: &dyn InterestingnessTest| {
            let stop = AtomicBool::new(false);
            let reduced = reduce::run(&script, question, settings, &stop, &mut |_| {});
            assert_eq!(reduced.end, ReductionEnd::Done);
            reduced.text
        };
        // Without the boundary one of the two is left; the other is the finding.
        let (found, slipped_to) =
            if reduce(&Either).contains("(div") { ("(mod", "(div") } else { ("(div", "(mod") };
        let boundary = ReleaseBoundary::of(&bisection("XXXX.")).unwrap();
        let asked = Mutex::new(0_u64);
        // The finding disappears at the fifth release, the other alone at the third.
        let bisect = |candidate: &Candidate<'_>| {
            *asked.lock().unwrap() += 1;
            assert_eq!(Either.test(candidate), TestOutcome::Interesting, "releases are asked last");
            Ok(bisection(if candidate.text.contains(found) { "XXXX." } else { "XX..." }))
        };
        let reduced = reduce(&KeepsBoundary { question: &Either, boundary: &boundary, bisect: &bisect });
        assert!(reduced.contains(found) && !reduced.contains(slipped_to), "{reduced}");
        assert!(*asked.lock().unwrap() > 0);
        let broken = |_: &Candidate<'_>| Err("it cannot be started".to_owned());
        let kept = KeepsBoundary { question: &Either, boundary: &boundary, bisect: &broken };
        let stop = AtomicBool::new(false);
        let reduced = reduce::run(&script, &kept, settings, &stop, &mut |_| {});
        assert_eq!(reduced.end, ReductionEnd::TestFailed("it cannot be started".to_owned()));
    }
}
