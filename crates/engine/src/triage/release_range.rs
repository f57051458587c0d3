//! Says where a bug appears and disappears, as far as releases were asked.
//!
//! ```text
//! 4.8.6 4.8.7 4.8.8 4.8.9 … 5.4.0
//!   ✓     ?     ?     ✗       ✓        introduced between 4.8.6 (not affected) and 4.8.9 (affected); not tested: 4.8.7, 4.8.8
//! ```
//!
//! A release that was not asked is never named as the first bad or the fixed one: a range says as much as is known. If only
//! installed releases are listed, others may lie between any two of them.

use super::bisect::{Bisection, ReleaseResult};
use crate::solver::version::Version;

/// Releases that are named one by one; more are counted.
const MAX_NAMED_RELEASES: usize = 6;

/// Where the bug appears; `None` if no release that was asked has it.
pub fn introduced(bisection: &Bisection) -> Option<String> {
    let first = bisection.first_bad()?;
    let at = place(bisection, first);
    let Some(good) = bisection.last_good() else {
        let oldest = bisection.listed.oldest_words();
        return Some(match gap(&bisection.versions[..at]) {
            Some(gap) => format!("in {first} or earlier; {gap}"),
            None => format!("in {first} or earlier ({first} is {oldest})"),
        });
    };
    let between = &bisection.versions[place(bisection, good) + 1..at];
    Some(match gap(between) {
        None if bisection.listed.has_no_gaps() => format!("in {first} ({good} is not affected)"),
        gap => format!("between {good} (not affected) and {first} (affected){}", tail(bisection, gap)),
    })
}

/// Where the bug disappears; `None` if no release that was asked has it.
pub fn fixed(bisection: &Bisection) -> Option<String> {
    let last = bisection.last_bad()?;
    let at = place(bisection, last);
    let Some(good) = bisection.fixed_in() else {
        let newest = bisection.listed.newest_words();
        return Some(match gap(&bisection.versions[at + 1..]) {
            Some(gap) => format!("not known: {last} is affected; {gap}"),
            None => format!("no ({last}, {newest}, is affected)"),
        });
    };
    let between = &bisection.versions[at + 1..place(bisection, good)];
    Some(match gap(between) {
        None if bisection.listed.has_no_gaps() => format!("in {good} ({last} is affected)"),
        gap => format!("between {last} (affected) and {good} (not affected){}", tail(bisection, gap)),
    })
}

fn place(bisection: &Bisection, version: &Version) -> usize {
    bisection.versions.iter().position(|entry| entry.version == *version).unwrap_or(0)
}

fn tail(bisection: &Bisection, gap: Option<String>) -> String {
    let installed =
        (!bisection.listed.has_no_gaps()).then(|| "only installed releases were tested".to_owned());
    gap.into_iter().chain(installed).map(|words| format!("; {words}")).collect()
}

/// The releases of a gap that were not asked, and those that do not decide the script; `None` if there are none.
fn gap(entries: &[ReleaseResult]) -> Option<String> {
    let (unasked, asked): (Vec<&ReleaseResult>, Vec<&ReleaseResult>) =
        entries.iter().filter(|entry| entry.firm().is_none()).partition(|entry| entry.said.is_empty());
    let words = [("not tested", unasked), ("undecided", asked)];
    let words = words.into_iter().filter(|(_, some)| !some.is_empty());
    let words: Vec<String> = words.map(|(word, some)| format!("{word}: {}", named(&some))).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

fn named(entries: &[&ReleaseResult]) -> String {
    match entries {
        [first, .., last] if entries.len() > MAX_NAMED_RELEASES => {
            format!("{} releases from {} to {}", entries.len(), first.version, last.version)
        }
        _ => entries.iter().map(|entry| entry.version.to_string()).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::bisect::ReleaseList;
    use super::super::release_boundary::tests::bisection;
    use super::*;

    fn check(releases: &str, appears: &str, disappears: &str) {
        let all = Bisection { listed: ReleaseList::All, ..bisection(releases) };
        let told = (introduced(&all).unwrap_or_default(), fixed(&all).unwrap_or_default());
        assert_eq!(told, (appears.to_owned(), disappears.to_owned()), "{releases}");
    }

    #[test]
    fn neighbours_are_named_and_everything_else_is_a_range() {
        check(".XX.", "in 2 (1 is not affected)", "in 4 (3 is affected)");
        check(
            ".?uX-??.",
            "between 1 (not affected) and 4 (affected); not tested: 2; undecided: 3",
            "between 4 (affected) and 8 (not affected); not tested: 6, 7; undecided: 5",
        );
        check(
            "XX",
            "in 1 or earlier (1 is the oldest release that can be installed)",
            "no (2, the newest release, is affected)",
        );
        check(
            "?-X",
            "in 3 or earlier; not tested: 1; undecided: 2",
            "no (3, the newest release, is affected)",
        );
        check(".Xu", "in 2 (1 is not affected)", "not known: 2 is affected; undecided: 3");
        check(
            "X????????.",
            "in 1 or earlier (1 is the oldest release that can be installed)",
            "between 1 (affected) and 10 (not affected); not tested: 8 releases from 2 to 9",
        );
        check("....", "", "");
    }

    #[test]
    fn installed_releases_are_never_called_neighbours() {
        let some = bisection(".XX.");
        let tested = "only installed releases were tested";
        assert_eq!(
            introduced(&some).unwrap(),
            format!("between 1 (not affected) and 2 (affected); {tested}")
        );
        assert_eq!(fixed(&some).unwrap(), format!("between 3 (affected) and 4 (not affected); {tested}"));
        let some = bisection("X");
        assert_eq!(introduced(&some).unwrap(), "in 1 or earlier (1 is the oldest release that was tested)");
        assert_eq!(fixed(&some).unwrap(), "no (1, the newest release that was tested, is affected)");
    }
    #[test]
    fn the_ends_of_a_range_are_not_those_of_all_releases() {
        let ranged = |releases: &str| {
            let some = Bisection { listed: ReleaseList::Range, ..bisection(releases) };
            (introduced(&some).unwrap(), fixed(&some).unwrap())
        };
        let told = |appears: &str, disappears: &str| (appears.to_owned(), disappears.to_owned());
        assert_eq!(ranged(".XX."), told("in 2 (1 is not affected)", "in 4 (3 is affected)"));
        let ends = told(
            "in 1 or earlier (1 is the oldest release of those asked)",
            "no (2, the newest release of those asked, is affected)",
        );
        assert_eq!(ranged("XX"), ends);
    }
}
