//! The file of known bugs: fingerprints that need no attention.
//!
//! ```text
//! # https://github.com/Z3Prover/z3/issues/1
//! crash z3 assertion: ASSERTION VIOLATION File: ast.cpp *
//! refutation z3 QF_S {=(str.replace)}
//! ```
//!
//! A fingerprint with features names one bug: a finding is that bug if its script has all of the features. Such a finding is
//! recorded under the fingerprint of the known bug, so that others of the same kind and logic stay new. A fingerprint without
//! features (`refutation z3 QF_S`) hides every wrong answer of that kind in that logic; [`KnownBugs::broad`] lists these.

use std::collections::BTreeSet;

use gainsay_smt::{Script, Signature};

use crate::finding::Fingerprint;
use crate::triage::shape::features;

/// Fingerprints that the user knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownBugs {
    whole: Vec<String>,
    beginnings: Vec<String>,
    featured: Vec<Fingerprint>,
}

impl KnownBugs {
    /// Reads a list: one fingerprint, or a prefix followed by `*`, per line; `#` starts a comment.
    pub fn read(text: &str) -> Self {
        let mut known = KnownBugs::default();
        for line in lines(text) {
            let featured = Fingerprint::parse(line).filter(|fingerprint| !fingerprint.features().is_empty());
            match (featured, line.strip_suffix('*')) {
                (Some(fingerprint), _) => known.featured.push(fingerprint),
                (None, Some(beginning)) => known.beginnings.push(beginning.to_owned()),
                (None, None) => known.whole.push(line.to_owned()),
            }
        }
        known
    }

    /// The fingerprint under which a finding on a script is known; `None` if it is new.
    pub fn find(&self, fingerprint: &Fingerprint, script: &str) -> Option<Fingerprint> {
        let text = fingerprint.to_string();
        let is_listed = self.whole.contains(&text)
            || self.beginnings.iter().any(|beginning| text.starts_with(beginning.as_str()));
        if is_listed {
            return Some(fingerprint.clone());
        }
        let mut alike = self.featured.iter().filter(|known| known.is_same_bug(fingerprint)).peekable();
        alike.peek()?;
        let script = Script::parse(script, &Signature::standard()).ok()?;
        let features: BTreeSet<String> = features(&script);
        alike.find(|known| known.features().iter().all(|feature| features.contains(feature))).cloned()
    }

    /// The fingerprints that hide every finding of a kind in a code base and logic.
    pub fn broad(&self) -> impl Iterator<Item = &str> {
        let is_broad = |line: &&String| Fingerprint::parse(line).is_some_and(|known| known.is_broad());
        self.whole.iter().filter(is_broad).map(String::as_str)
    }
}

/// The fingerprints of a list, without comments.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_known(known: &KnownBugs, fingerprint: &str) -> bool {
        known.find(&Fingerprint::parse(fingerprint).unwrap(), "(check-sat)").is_some()
    }

    #[test]
    fn a_known_bug_is_named_whole_or_by_its_beginning() {
        let known = KnownBugs::read("# remarks\n\n  refutation z3 QF_S \r\ncrash z3 assertion:*\n");
        assert!(is_known(&known, "refutation z3 QF_S"));
        assert!(!is_known(&known, "refutation z3 QF_SLIA"));
        assert!(is_known(&known, "crash z3 assertion: ASSERTION VIOLATION"));
        assert!(!is_known(&known, "crash cvc5 assertion: x"));
        assert!(!is_known(&KnownBugs::read("# *\n"), "crash z3 anything"));
        assert_eq!(known.broad().collect::<Vec<_>>(), ["refutation z3 QF_S"]);
    }

    #[test]
    fn a_known_bug_with_features_hides_no_other_bug_of_its_logic() {
        let line = "refutation z3 QF_NRA {=(*) =(/)}";
        let known = KnownBugs::read(line);
        let seen = Fingerprint::parse("refutation z3 QF_NRA").unwrap();
        let script = |term: &str| {
            format!(
                "(declare-const a Real)(declare-const b Real)(assert (= {term} (/ a b)))(assert (< a b))(check-sat)"
            )
        };
        let found = known.find(&seen, &script("(* a b)")).map(|known| known.to_string());
        assert_eq!(found.as_deref(), Some(line), "it is recorded under the known fingerprint");
        assert_eq!(known.find(&seen, &script("(+ a b)")), None, "another bug of the same logic stays new");
        let other = Fingerprint::parse("solution z3 QF_NRA").unwrap();
        assert_eq!(known.find(&other, &script("(* a b)")), None);
        assert_eq!(known.broad().count(), 0);
    }
}
