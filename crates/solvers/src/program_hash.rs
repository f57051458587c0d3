//! The SHA-256 of a solver's program, which tells whether a local build is still the one that a campaign started with.
//!
//! Only the program itself is hashed: not the libraries that it loads, nor the program that a wrapper script starts.

use std::fs::File;
use std::io;

use sha2::{Digest, Sha256};

use super::name::Origin;
use super::resolve::{Program, Solver};

/// The hash of a program that gainsay did not install, as hexadecimal digits; `None` for an installed release, which its
/// version identifies.
pub fn local_program_hash(solver: &Solver) -> io::Result<Option<String>> {
    let (Origin::Path | Origin::Command(_), Program::Binary { path, .. }) =
        (&solver.name.origin, &solver.program)
    else {
        return Ok(None);
    };
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path)?, &mut HashWriter(&mut hash))?;
    Ok(Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Hashes the bytes that are written to it.
struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
