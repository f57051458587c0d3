//! A fork server for libz3.
//!
//! Commands are given to the library one by one, so that an answer is out before the next command may hang; blank lines
//! before each keep the positions in z3's messages as they are in the script.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use super::fork::{Server, Warm};
use super::resident::make_resident;
use super::z3_api::Z3;
use crate::solver::helper::serve;
use crate::solver::outline::{outline, position};
use crate::solver::sys;

/// Serves scripts with the library at `path`, under parameters `name=value`.
pub fn serve_forks(path: &Path, arguments: &[OsString]) -> io::Result<()> {
    let mut parameters = Vec::new();
    for word in arguments {
        match word.to_str().and_then(|word| word.split_once('=')) {
            Some((name, value)) => parameters.push((name.to_owned(), value.to_owned())),
            None if word == "-in" || word == "-smt2" => {}
            None => return Err(io::Error::other(format!("libz3 has no option {}", word.display()))),
        }
    }
    let z3 = Z3::load(path, &parameters)?;
    // The command context is made at the first use.
    z3.eval(b"");
    make_resident(path.parent().unwrap_or(path));
    serve(&mut Server(z3))
}

impl Warm for Z3 {
    fn run(&mut self, script: &[u8]) -> i32 {
        let text = String::from_utf8_lossy(script);
        let outline = outline(&text);
        let mut done = 0;
        let mut code = 0;
        let mut eval = |from: usize, to: usize| {
            let (line, column) = position(&text, from);
            let mut padded = vec![b'\n'; line - 1];
            padded.resize(line + column - 2, b' ');
            padded.extend_from_slice(&text.as_bytes()[from..to]);
            let output = self.eval(&padded);
            let is_error = output.starts_with(b"(error") || output.windows(7).any(|part| part == b"\n(error");
            code = i32::from(is_error || code == 1);
            sys::flush();
            let _ = io::stdout().write_all(&output).and_then(|()| io::stdout().flush());
        };
        for command in &outline.commands {
            if command.name == "exit" {
                return code;
            }
            eval(command.start, command.start + command.text.len());
            done = command.start + command.text.len();
        }
        if !outline.clean {
            eval(done, text.len());
        }
        code
    }
}
