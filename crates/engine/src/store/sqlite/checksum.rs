//! Checksums of what a store shows to people.
//!
//! SQLite notices a damaged page by its structure only: a flipped bit inside of a text would be listed as if it had been recorded. So
//! findings, the plan and the counts carry a checksum. It detects damage, but not a deliberate change that updates the checksum.

use sha2::{Digest, Sha256};

use crate::store::FindingRecord;

/// The digits of a checksum.
const CHECKSUM_DIGITS: usize = 16;

/// The checksum of a text.
pub fn of_text(text: &str) -> String {
    of_parts(&[text])
}

/// The checksum of a finding.
pub fn of_finding(finding: &FindingRecord) -> String {
    let case = finding.case.map_or_else(String::new, |case| case.to_string());
    of_parts(&[
        &finding.fingerprint,
        finding.kind.name(),
        &finding.suspects.to_record(),
        finding.evidence.name(),
        &finding.explanation,
        &finding.count.to_string(),
        &case,
        &finding.strategy,
        &finding.seed,
        &finding.seconds.to_string(),
        if finding.known { "known" } else { "new" },
        &finding.path.to_string_lossy(),
    ])
}

/// Each part counts with its length, so that no part can take from the next.
fn of_parts(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digits = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    digits[..CHECKSUM_DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        assert_ne!(of_parts(&["ab", "c"]), of_parts(&["a", "bc"]));
        assert_ne!(of_text("a"), of_text("b"));
        assert_eq!(of_text("a"), of_text("a"));
    }
}
