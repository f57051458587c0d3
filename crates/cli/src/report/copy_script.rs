//! The script of report pages, which puts a copy button before each block of code.
//!
//! It is the only script that the pages' content security policy allows, by its checksum: text of solvers and scripts cannot
//! run, even if it were not escaped.

/// The script.
pub const COPY_SCRIPT: &str = include_str!("copy.js");

/// The content security policy of a page: no network, styles of the page, and this script.
pub const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-l/VVmRRVyYP3bP5oYHzU+jt1rWIxuzIT9REa4C9AwZs='";

#[cfg(test)]
pub mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    const BASE64_DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// Bytes as a policy writes them.
    pub fn base64(bytes: &[u8]) -> String {
        let group = |group: &[u8]| -> String {
            let word =
                group.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
            let digit = |place: usize| char::from(BASE64_DIGITS[(word >> (18 - 6 * place) & 63) as usize]);
            (0..4).map(|place| if place <= group.len() { digit(place) } else { '=' }).collect()
        };
        bytes.chunks(3).map(group).collect()
    }

    #[test]
    fn the_policy_allows_the_script_and_no_other() {
        assert_eq!(base64(b"light wor"), "bGlnaHQgd29y");
        let checksum = base64(&Sha256::digest(COPY_SCRIPT.as_bytes()));
        assert!(PAGE_POLICY.ends_with(&format!("script-src 'sha256-{checksum}'")), "write {checksum}");
    }
}
