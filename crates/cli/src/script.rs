//! Reads the files that a command names: scripts and models. `-` is standard input; gzip files are decompressed.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gainsay_engine::bounded::{self, MAX_SCRIPT_BYTES};
use gainsay_engine::{question, seeds};
use gainsay_smt::{Script, ScriptPrefix, Signature};

use crate::exit;

/// The argument that means standard input.
const STANDARD_INPUT: &str = "-";

/// Returns true if the argument means standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// Reads a file or standard input.
pub fn bytes(path: &Path) -> Result<Vec<u8>, exit::NoInput> {
    let read = match is_standard_input(path) {
        true => unpacked(io::stdin().lock()),
        false => File::open(path).and_then(unpacked),
    };
    read.map_err(|source| exit::NoInput { path: path.to_owned(), source })
}

fn unpacked(reader: impl Read) -> io::Result<Vec<u8>> {
    let too_large = || {
        let what = format!("it has more than {} MB", MAX_SCRIPT_BYTES >> 20);
        io::Error::new(io::ErrorKind::FileTooLarge, what)
    };
    bounded::unpacked(reader, MAX_SCRIPT_BYTES)?.ok_or_else(too_large)
}

/// Parses and sort-checks a script of which these are the bytes.
pub fn parse(path: &Path, bytes: &[u8]) -> anyhow::Result<(String, Script)> {
    let text = gainsay_smt::decode(bytes).map_err(|error| bad(path, &error.to_string()))?.into_owned();
    let script =
        Script::parse(&text, &Signature::standard()).map_err(|error| bad(path, &error.to_string()))?;
    Ok((text, script))
}

/// The part of a script before its first error, if there is an error and a check before it.
pub fn before_error(text: &str) -> Option<ScriptPrefix> {
    Script::parse_before_error(text, &Signature::standard()).filter(ScriptPrefix::has_query)
}

/// Reads a well-sorted script with at least one `(check-sat)`, and its text.
pub fn read(path: &Path) -> anyhow::Result<(String, Script)> {
    let (text, script) = parse(path, &bytes(path)?)?;
    if seeds::questions(&script) == 0 {
        return Err(bad(path, "the script has no (check-sat)").into());
    }
    Ok((text, script))
}

/// The same for a script that may ask another question instead, such as `(apply simplify)`.
pub fn read_asking(path: &Path) -> anyhow::Result<(String, Script)> {
    let (text, script) = parse(path, &bytes(path)?)?;
    check_asks(path, &script)?;
    Ok((text, script))
}

/// Fails if a script has neither a `(check-sat)` nor another question.
pub fn check_asks(path: &Path, script: &Script) -> Result<(), exit::BadInput> {
    if seeds::questions(script) == 0 && !question::is_asked(script) {
        return Err(bad(path, "the script has no (check-sat)"));
    }
    Ok(())
}

fn bad(path: &Path, message: &str) -> exit::BadInput {
    exit::BadInput { path: path.to_owned(), message: message.to_owned() }
}
