//! The origin of a finding: how to reproduce it, as `origin.toml` in its folder.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::event::CaseNumber;
use crate::finding::{Evidence, FindingKind, Suspects};
use crate::run_limits::RunLimits;
use crate::solver::version::Version;
use crate::store::FindingDetails;
use crate::store::folder::CASE_FILE;

/// The format of `origin.toml`.
pub const ORIGIN_FORMAT: u32 = 1;

/// The origin of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingOrigin {
    /// The format of this record: [`ORIGIN_FORMAT`].
    pub format: u32,
    /// The fingerprint: equal for two sightings of one bug.
    pub fingerprint: String,
    /// The kind of bug.
    pub kind: FindingKind,
    /// The suspects.
    #[serde(rename = "suspect")]
    pub suspects: Suspects,
    /// The strength of the evidence.
    pub evidence: Evidence,
    /// The reason, in one line.
    pub explanation: String,
    /// The case that shows it; `None` if a seed itself does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<CaseNumber>,
    /// The strategy of that case.
    pub strategy: String,
    /// The random seed of the campaign, as text: TOML's integers are smaller.
    pub rng_seed: String,
    /// What each step of the chain did, in order.
    pub steps: Vec<String>,
    /// The version of gainsay.
    pub gainsay: String,
    /// The seed of the chain.
    pub seed: SeedName,
    /// The seeds that were fused with it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partners: Vec<SeedName>,
    /// The limits of each run.
    pub limits: RunLimits,
    /// Commands that reproduce it.
    pub again: ReproduceCommands,
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

impl SeedName {
    fn new((name, hash): &(String, String)) -> SeedName {
        SeedName { name: name.clone(), hash: hash.clone() }
    }
}

/// Commands that reproduce a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReproduceCommands {
    /// Runs the solvers on the saved script.
    pub check: String,
    /// Remakes the case and runs it; `None` for a seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// A solver as it was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverUse {
    /// Its name, with the options that were drawn for this case.
    pub name: String,
    /// Its version, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl FindingOrigin {
    /// The origin of an details that will be in `folder`, below the folder `campaign`.
    pub fn new(details: &FindingDetails, campaign: &Path, folder: &Path) -> Self {
        let finding = &details.finding;
        let version = |version: &Version| version.to_string();
        let solvers = details
            .runs
            .iter()
            .map(|run| SolverUse { name: run.solver.clone(), version: run.version.as_ref().map(version) });
        FindingOrigin {
            format: ORIGIN_FORMAT,
            fingerprint: finding.fingerprint.to_string(),
            kind: finding.kind,
            suspects: finding.suspects.clone(),
            evidence: finding.evidence,
            explanation: finding.explanation.clone(),
            case: details.case,
            strategy: details.strategy.to_owned(),
            rng_seed: details.rng_seed.to_string(),
            steps: details.steps.clone(),
            gainsay: env!("CARGO_PKG_VERSION").to_owned(),
            seed: SeedName::new(&details.seed),
            partners: details.partners.iter().map(SeedName::new).collect(),
            limits: details.limits,
            again: ReproduceCommands::new(
                details.runs.iter().map(|run| run.solver.as_str()),
                (details.limits, details.case),
                (campaign, folder),
            ),
            solvers: solvers.collect(),
        }
    }

    /// The same origin in another campaign: its commands name the new folders.
    #[must_use]
    pub fn moved(self, campaign: &Path, folder: &Path) -> Self {
        let solvers = self.solvers.iter().map(|solver| solver.name.as_str());
        let again = ReproduceCommands::new(solvers, (self.limits, self.case), (campaign, folder));
        FindingOrigin { again, ..self }
    }

    /// Reads an origin; or returns its error.
    pub fn read(text: &str) -> Result<FindingOrigin, String> {
        let origin: FindingOrigin = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        match origin.format {
            ORIGIN_FORMAT => Ok(origin),
            found => Err(format!("it has format {found}, and this gainsay knows format {ORIGIN_FORMAT}")),
        }
    }

    /// The origin as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("an origin is made of what TOML can write")
    }

    /// The rank of a sighting; the lowest is kept: seeds before cases, low numbers before high.
    pub fn rank(&self) -> (Option<CaseNumber>, &str) {
        (self.case, &self.seed.name)
    }
}

impl ReproduceCommands {
    fn new<'a>(
        solvers: impl Iterator<Item = &'a str>,
        (limits, case): (RunLimits, Option<CaseNumber>),
        (campaign, folder): (&Path, &Path),
    ) -> Self {
        let mut check = format!("gainsay check {}", shell(&folder.join(CASE_FILE).display().to_string()));
        for solver in solvers {
            check = format!("{check} --solver {}", shell(solver));
        }
        check = format!("{check} --timeout {} --memory {}", limits.seconds, limits.memory);
        let replay = |case| format!("gainsay replay {} {case}", shell(&campaign.display().to_string()));
        ReproduceCommands { check, replay: case.map(replay) }
    }
}

/// Quotes a word for a shell.
pub fn shell(word: &str) -> String {
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "@%+=:,./_-".contains(letter);
    match !word.is_empty() && word.chars().all(is_safe) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A short folder name for a finding, made from its fingerprint alone: `refutation-z3-1f3a9c02`.
pub fn slug(fingerprint: &str) -> String {
    let mut words = fingerprint.split_whitespace().map(plain);
    let mut word = || words.next().filter(|word| !word.is_empty()).unwrap_or_else(|| "some".to_owned());
    let hash = Sha256::digest(fingerprint);
    format!("{}-{}-{:02x}{:02x}{:02x}{:02x}", word(), word(), hash[0], hash[1], hash[2], hash[3])
}

/// A word without characters that are special to file systems or shells.
pub fn plain(word: &str) -> String {
    let keep = |letter: char| letter.is_ascii_alphanumeric() || "@._+-".contains(letter);
    let word: String = word.chars().take(60).map(|letter| if keep(letter) { letter } else { '-' }).collect();
    word.trim_start_matches(['.', '-']).to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::finding::{Finding, Fingerprint};
    use crate::store::FindingRun;
    use crate::trial::tests::run;

    /// A finding of that fingerprint (kind z3 …) in that case.
    pub fn details(fingerprint: &str, case: Option<CaseNumber>) -> FindingDetails {
        let run = |solver: &str| FindingRun {
            solver: solver.to_owned(),
            version: "4.8.10".parse().ok(),
            command: "z3 -in".to_owned(),
            script: "(check-sat)\n".to_owned(),
            run: run(&[]),
        };
        FindingDetails {
            finding: Finding {
                kind: FindingKind::Refutation,
                suspects: "z3@4.8.10".into(),
                needs_model: false,
                evidence: Evidence::Corroborated,
                fingerprint: Fingerprint::new(FindingKind::Refutation, "z3", fingerprint),
                explanation: "z3@4.8.10 says unsat, two others say \"sat\"\nand more".to_owned(),
            },
            family: "z3".to_owned(),
            case,
            strategy: "generative",
            seed: ("corpus/a.smt2".to_owned(), "00".to_owned()),
            partners: vec![("corpus/b.smt2".to_owned(), "01".to_owned())],
            model: None,
            rng_seed: u64::MAX,
            steps: vec!["x => (+ x 1)".to_owned()],
            limits: RunLimits::default(),
            script: "(check-sat)\n".to_owned(),
            runs: vec![run("z3@4.8.10 a/b=1"), run("z3@4.8.10 a-b=1"), run("cvc5")],
        }
    }

    fn origin(case: Option<CaseNumber>) -> FindingOrigin {
        FindingOrigin::new(&details("QF_LIA", case), Path::new("out put"), Path::new("out put/findings/x"))
    }

    #[test]
    fn an_origin_that_was_written_is_read_back() {
        for case in [None, Some(0), Some(71)] {
            assert_eq!(FindingOrigin::read(&origin(case).to_toml()).unwrap(), origin(case));
        }
    }

    #[test]
    fn an_origin_says_how_to_see_it_again() {
        let again = origin(Some(71)).again;
        assert_eq!(
            again.check,
            "gainsay check 'out put/findings/x/case.smt2' --solver 'z3@4.8.10 a/b=1' --solver 'z3@4.8.10 a-b=1' \
             --solver cvc5 --timeout 2 --memory 1024"
        );
        assert_eq!(again.replay.unwrap(), "gainsay replay 'out put' 71");
        assert_eq!(shell("it's"), "'it'\\''s'");
    }

    #[test]
    fn an_origin_of_another_format_is_not_guessed_at() {
        let other = FindingOrigin { format: 2, ..origin(None) };
        assert!(FindingOrigin::read(&other.to_toml()).unwrap_err().contains("format 2"));
    }

    #[test]
    fn a_slug_is_a_plain_name_whatever_the_fingerprint() {
        assert!(slug("disagreement cvc/z3 QF_LIA").starts_with("disagreement-cvc-z3-"));
        assert_ne!(slug("refutation z3 QF_LIA"), slug("refutation z3 QF_LRA"));
        for hostile in ["", " ", "../../x /etc/passwd", ". ..", "crash a/b\0c $(rm)", "-rf --", "é 中文"] {
            let slug = slug(hostile);
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "@._+-".contains(letter);
            assert!(slug.chars().all(is_plain) && !slug.starts_with(['.', '-']), "{slug}");
        }
    }
}
