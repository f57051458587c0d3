//! The file of known bugs: fingerprints that need no attention.
//!
//! ```text
//! # https://github.com/Z3Prover/z3/issues/1
//! crash z3 assertion: ASSERTION VIOLATION File: ast.cpp *
//! refutation z3 QF_S
//! ```

/// Fingerprints that the user knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownBugs {
    whole: Vec<String>,
    beginnings: Vec<String>,
}

impl KnownBugs {
    /// Reads a list: one fingerprint, or a prefix followed by `*`, per line; `#` starts a comment.
    pub fn read(text: &str) -> Self {
        let mut known = KnownBugs::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_suffix('*') {
                Some(beginning) => known.beginnings.push(beginning.to_owned()),
                None => known.whole.push(line.to_owned()),
            }
        }
        known
    }

    /// Returns true if a finding with this fingerprint is known.
    pub fn contain(&self, fingerprint: &str) -> bool {
        self.whole.iter().any(|known| known == fingerprint)
            || self.beginnings.iter().any(|beginning| fingerprint.starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_bug_is_named_whole_or_by_its_beginning() {
        let known = KnownBugs::read("# remarks\n\n  refutation z3 QF_S \r\ncrash z3 assertion:*\n");
        assert!(known.contain("refutation z3 QF_S"));
        assert!(!known.contain("refutation z3 QF_SLIA"));
        assert!(known.contain("crash z3 assertion: ASSERTION VIOLATION"));
        assert!(!known.contain("crash cvc5 assertion: x"));
        assert!(!KnownBugs::read("# *\n").contain("anything"));
    }
}
