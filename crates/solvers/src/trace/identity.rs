//! Identities of traces: short hashes that are the same in every process and on every machine, and never change.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A hash of words: the first half of their SHA-256. Written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Identity(u128);

/// A text that is not an identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the identity of a trace, which has 32 hexadecimal digits")]
pub struct InvalidIdentity(String);

impl Identity {
    /// The identity of words in order.
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hash = Sha256::new();
        for word in words {
            // No word contains a zero byte: one after each word keeps `a b` and `ab` apart.
            hash.update(word);
            hash.update([0]);
        }
        let bytes: [u8; 32] = hash.finalize().into();
        Identity(bytes[..16].iter().fold(0, |number, byte| number << 8 | u128::from(*byte)))
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Identity {
    type Err = InvalidIdentity;

    fn from_str(text: &str) -> Result<Self, InvalidIdentity> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        number.map(Identity).ok_or_else(|| InvalidIdentity(text.to_owned()))
    }
}

impl TryFrom<String> for Identity {
    type Error = InvalidIdentity;

    fn try_from(text: String) -> Result<Self, InvalidIdentity> {
        text.parse()
    }
}

impl From<Identity> for String {
    fn from(identity: Identity) -> Self {
        identity.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_the_same_for_ever() {
        let identity = Identity::of(["level", "out:F"]);
        assert_eq!(identity.to_string(), "42868fa2ff99e20c6b735dbb9f271220");
        assert_eq!(identity.to_string().parse(), Ok(identity));
        assert!("d4a2".parse::<Identity>().is_err() && "+".repeat(32).parse::<Identity>().is_err());
    }
}
