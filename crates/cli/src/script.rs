//! Reads the script argument of a command: it must be readable and well-sorted, and contain a `(check-sat)`.

use std::path::Path;

use gainsay_engine::seeds;
use gainsay_smt::{Script, Signature};

use crate::exit;

/// Reads a script and its text.
pub fn read(path: &Path) -> anyhow::Result<(String, Script)> {
    let bytes = std::fs::read(path).map_err(|source| exit::NoInput { path: path.to_owned(), source })?;
    let text = gainsay_smt::decode(&bytes).map_err(|error| bad(path, &error.to_string()))?.into_owned();
    let script =
        Script::parse(&text, &Signature::standard()).map_err(|error| bad(path, &error.to_string()))?;
    if seeds::questions(&script) == 0 {
        return Err(bad(path, "the script has no (check-sat)").into());
    }
    Ok((text, script))
}

fn bad(path: &Path, message: &str) -> exit::BadInput {
    exit::BadInput { path: path.to_owned(), message: message.to_owned() }
}
