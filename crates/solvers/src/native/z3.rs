//! A fork server for libz3.
//!
//! The library gets commands one by one, so that each answer is printed before the next command may hang.
//!
//! This differs from z3's own program: the library does not check a script against its `set-logic`, and counts a few more units of
//! work. Decided answers are the same; the session driver is closer and faster.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use gainsay_coverage::handler;

use super::fork_server::{ForkServer, PreloadedSolver};
use super::resident::make_resident;
use super::z3_api::Z3;
use crate::helper::{HelperContext, serve};
use crate::outline::{outline, position};
use crate::profile::LineNumbering;
use crate::sys;

/// Serves scripts with the library at `path`, under parameters `name=value`.
pub fn serve_forks(path: &Path, arguments: &[OsString], context: HelperContext) -> io::Result<()> {
    let mut parameters = Vec::new();
    for word in arguments {
        match word.to_str().and_then(|word| word.split_once('=')) {
            Some((name, value)) => parameters.push((name.to_owned(), value.to_owned())),
            None if word == "-in" || word == "-smt2" => {}
            None => return Err(io::Error::other(format!("libz3 has no option {}", word.display()))),
        }
    }
    let z3 = Z3::load(path, &parameters)?;
    // The first call makes the command context.
    z3.eval(b"");
    make_resident(path.parent().unwrap_or(path));
    if let Some(files) = context.coverage {
        handler::arm(files)?;
    }
    serve(&mut ForkServer(z3), &context.work_folder)
}

impl PreloadedSolver for Z3 {
    fn run(&mut self, script: &[u8]) -> i32 {
        let text = String::from_utf8_lossy(script);
        let outline = outline(&text);
        let (mut done, mut failed) = (0, false);
        let ends = outline.commands.iter().map(|command| (command.name, command.start + command.text.len()));
        // An incomplete last command goes to z3, which reports the error.
        let rest = (!outline.clean).then_some(("", text.len()));
        for (name, end) in ends.chain(rest) {
            if name == "exit" {
                break;
            }
            let output = self.eval(&piece(&text, done, end, self.positions));
            failed |= output.starts_with(b"(error") || output.windows(7).any(|part| part == b"\n(error");
            print(&output);
            done = end;
        }
        i32::from(failed)
    }
}

/// A part of a script, padded so that positions in messages are those of the script.
fn piece(text: &str, from: usize, to: usize, positions: LineNumbering) -> Vec<u8> {
    let mut piece = Vec::new();
    if positions == LineNumbering::Restart {
        let (line, column) = position(text, from);
        piece.resize(line - 1, b'\n');
        piece.resize(line + column - 2, b' ');
    }
    piece.extend_from_slice(&text.as_bytes()[from..to]);
    piece
}

/// Prints at once; comments go to standard error, as in z3's own program.
fn print(output: &[u8]) {
    sys::flush();
    for line in output.split_inclusive(|&byte| byte == b'\n') {
        let _ =
            if line.starts_with(b";") { io::stderr().write_all(line) } else { io::stdout().write_all(line) };
    }
    let _ = io::stdout().flush();
}
