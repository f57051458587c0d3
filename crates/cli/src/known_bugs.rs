//! The file of known bugs, read for campaigns and edited by `gainsay known`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gainsay_engine::bounded;
use gainsay_engine::finding::Fingerprint;
use gainsay_engine::store::folder::read_finding;
use gainsay_engine::triage::shape::telling_features;
use gainsay_smt::{Script, Signature};

use crate::exit::{NoInput, UsageError};

/// The file with the fingerprint of a bug, in its folder of triage.
pub const FINGERPRINT_FILE: &str = "fingerprint.txt";

/// The file in the folder of a campaign with the findings that were marked on its page.
pub const MARKS_FILE: &str = "known.txt";

/// Reads the file; one that does not exist holds no bug.
pub fn read(path: &Path) -> Result<String, NoInput> {
    match bounded::read_text(path, bounded::MAX_SETTINGS_BYTES) {
        Err(source) if source.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|source| NoInput { path: path.to_owned(), source }),
    }
}

/// The fingerprint that a text names: itself, or that of a folder of triage or of a finding.
pub fn fingerprint(text: &str) -> anyhow::Result<String> {
    let folder = PathBuf::from(text);
    if !folder.is_dir() {
        return match Fingerprint::parse(text.trim_end_matches('*')) {
            Some(_) => Ok(text.to_owned()),
            None => {
                let words =
                    "is neither a fingerprint nor the folder of a finding; `gainsay list DIR` prints both";
                Err(UsageError(format!("`{text}` {words}")).into())
            }
        };
    }
    if let Ok(kept) = std::fs::read_to_string(folder.join(FINGERPRINT_FILE)) {
        return Ok(kept.trim().to_owned());
    }
    let kept = read_finding(&folder, Path::new(""))?;
    let fingerprint = Fingerprint::parse(&kept.origin.fingerprint);
    let script = Script::parse(&kept.case, &Signature::standard());
    Ok(match (fingerprint, script) {
        (Some(fingerprint), Ok(script)) => fingerprint.with_features(telling_features(&script)).to_string(),
        _ => kept.origin.fingerprint,
    })
}
