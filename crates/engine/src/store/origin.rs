//! The origin of a finding: all that is known of how it came about, as `origin.toml` in its folder.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::campaign::plan::RunLimits;
use crate::event::CaseNumber;
use crate::oracle::{Evidence, Kind};

/// The format of `origin.toml`.
pub const FORMAT: u32 = 1;

/// How a finding came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The format of this record: [`FORMAT`].
    pub format: u32,
    /// Equal for two sightings of one bug.
    pub fingerprint: String,
    /// What is wrong.
    pub kind: Kind,
    /// Who is at fault.
    pub suspect: String,
    /// How sure we are.
    pub evidence: Evidence,
    /// The reason, in one line.
    pub explanation: String,
    /// The case that shows it; none if a seed itself does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<CaseNumber>,
    /// Who made that case.
    pub strategy: String,
    /// The number that all random choices of the campaign follow from, as text: TOML's integers are smaller.
    pub rng_seed: String,
    /// What each step of the chain did, the first one first.
    pub steps: Vec<String>,
    /// The version of gainsay.
    pub gainsay: String,
    /// The seed of the chain.
    pub seed: SeedName,
    /// What each run was allowed to use.
    pub limits: RunLimits,
    /// Commands that show it again.
    pub again: Again,
    /// The solvers that were asked.
    pub solvers: Vec<SolverUse>,
}

/// A seed, by name and by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedName {
    /// Its path as the user knows it.
    pub name: String,
    /// A hash of its text.
    pub hash: String,
}

/// Commands that show a finding again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {
    /// Judges the script that is kept.
    pub check: String,
    /// Makes the case anew and judges it; none for a seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// A solver as it was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverUse {
    /// Its name.
    pub name: String,
    /// Its version, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its options, those drawn for this case included.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Origin {
    /// Reads what was written; the words for what is wrong with it otherwise.
    pub fn read(text: &str) -> Result<Origin, String> {
        let origin: Origin = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        match origin.format {
            FORMAT => Ok(origin),
            found => Err(format!("it has format {found}, and this gainsay knows format {FORMAT}")),
        }
    }

    /// The origin as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("an origin is made of what TOML can write")
    }

    /// Of two sightings of one finding the one with the lower rank is kept: seeds before cases, low numbers before high.
    pub fn rank(&self) -> (Option<CaseNumber>, &str) {
        (self.case, &self.seed.name)
    }
}

/// A short name for a finding, fit for a folder: `refutation-z3-1f3a9c02`, made of nothing but its fingerprint.
pub fn slug(fingerprint: &str) -> String {
    let mut words = fingerprint.split_whitespace().map(plain);
    let mut word = || words.next().filter(|word| !word.is_empty()).unwrap_or_else(|| "some".to_owned());
    let hash = Sha256::digest(fingerprint);
    format!("{}-{}-{:02x}{:02x}{:02x}{:02x}", word(), word(), hash[0], hash[1], hash[2], hash[3])
}

/// A word with nothing in it that a file system or a shell could take amiss.
pub fn plain(word: &str) -> String {
    let keep = |letter: char| letter.is_ascii_alphanumeric() || "@._+-".contains(letter);
    let word: String = word.chars().take(60).map(|letter| if keep(letter) { letter } else { '_' }).collect();
    word.trim_start_matches(['.', '-']).to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The origin of a finding of that fingerprint in that case.
    pub fn origin(fingerprint: &str, case: Option<CaseNumber>) -> Origin {
        Origin {
            format: FORMAT,
            fingerprint: fingerprint.to_owned(),
            kind: Kind::Refutation,
            suspect: "z3@4.8.10".to_owned(),
            evidence: Evidence::Corroborated,
            explanation: "z3@4.8.10 says unsat, two others say \"sat\"\nand more".to_owned(),
            case,
            strategy: "generative".to_owned(),
            rng_seed: u64::MAX.to_string(),
            steps: vec!["x => (+ x 1)".to_owned()],
            gainsay: "0.1.0".to_owned(),
            seed: SeedName { name: "corpus/a.smt2".to_owned(), hash: "00".to_owned() },
            limits: RunLimits::default(),
            again: Again { check: "gainsay check case.smt2".to_owned(), replay: None },
            solvers: vec![SolverUse { name: "z3@4.8.10".to_owned(), version: None, options: Vec::new() }],
        }
    }

    #[test]
    fn an_origin_that_was_written_is_read_back() {
        for case in [None, Some(0), Some(71)] {
            let origin = origin("refutation z3", case);
            assert_eq!(Origin::read(&origin.to_toml()).unwrap(), origin);
        }
    }

    #[test]
    fn an_origin_of_another_format_is_not_guessed_at() {
        let other = Origin { format: 2, ..origin("refutation z3", None) };
        assert!(Origin::read(&other.to_toml()).unwrap_err().contains("format 2"));
    }

    #[test]
    fn a_slug_is_a_plain_name_whatever_the_fingerprint() {
        assert!(slug("refutation z3 QF_LIA").starts_with("refutation-z3-"));
        assert_ne!(slug("refutation z3 QF_LIA"), slug("refutation z3 QF_LRA"));
        for hostile in ["", " ", "../../x /etc/passwd", ". ..", "crash a/b\0c $(rm)", "-rf --", "é 中文"] {
            let slug = slug(hostile);
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "@._+-".contains(letter);
            assert!(slug.chars().all(is_plain) && !slug.starts_with(['.', '-']), "{slug}");
        }
    }
}
