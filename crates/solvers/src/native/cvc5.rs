//! A command line for libcvc5: options, files, standard input, models, errors and exit codes as cvc5's own program has them.
//!
//! The `cvc5` wheel holds the libraries but no program. What the program adds to the library is little, and is here:
//!
//! - `incremental` is off unless asked for (the library's default is on);
//! - a parse error, or a command that fails, ends the run with code 1; asking for a model that is not there does not;
//! - `--tlimit` ends the program by SIGABRT with `cvc5 interrupted by timeout.`;
//! - `--dump-models` and its like ask after every answer; `--stats` prints at the end.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::path::Path;

use super::cvc5_api::{Cvc5, Cvc5Command, Cvc5Solver, Language};
use super::cvc5_options::{CommandLine, apply, read_command_line};
use super::fork_server::{ForkServer, PreloadedSolver};
use super::resident::make_resident;
use crate::helper::{WorkFolder, serve};
use crate::outline::{outline, position};
use crate::sys;

/// Runs like `cvc5 ARGUMENTS…`, with the libraries in `folder`, and gives the exit code.
pub fn main(folder: &Path, arguments: &[OsString]) -> i32 {
    sys::default_signals();
    match Cvc5::load(folder) {
        Ok(library) => run(&library, arguments),
        Err(error) => cannot_load(&error),
    }
}

fn run(library: &Cvc5, arguments: &[OsString]) -> i32 {
    let prepared = match PreparedSolver::new(library, arguments) {
        Ok(prepared) => prepared,
        Err(code) => return code,
    };
    let (bytes, name) = match prepared.command_line.files.as_slice() {
        [] => (sys::read_all(0), "<stdin>"),
        [file] if file == "-" => (sys::read_all(0), "<stdin>"),
        [file] => (std::fs::read(file), file.as_str()),
        _ => return refuse(&mut io::stdout(), "Too many input files specified."),
    };
    match bytes {
        // Freeing what the solver holds would take longer than some scripts.
        Ok(bytes) => sys::leave(prepared.run(&bytes, name)),
        Err(_) => refuse(&mut io::stdout(), &format!("Couldn't open file: {name}")),
    }
}

/// Runs script after script from standard input, each in a new solver. A line `(echo "END")` ends a script, and a line
/// `END CODE` its output.
pub fn session(end: &[u8], folder: &Path, arguments: &[OsString]) -> i32 {
    sys::default_signals();
    let library = match Cvc5::load(folder) {
        Ok(library) => library,
        Err(error) => return cannot_load(&error),
    };
    let last_line = [b"(echo \"", end, b"\")\n"].concat();
    let mut input = io::stdin().lock();
    let mut script = Vec::new();
    while input.read_until(b'\n', &mut script).is_ok_and(|read| read > 0) {
        let Some(text) = script.strip_suffix(last_line.as_slice()) else { continue };
        let code = match PreparedSolver::new(&library, arguments) {
            Ok(prepared) => prepared.run(text, "<stdin>"),
            Err(code) => code,
        };
        let line = [end, format!(" {code}\n").as_bytes()].concat();
        if io::stdout().write_all(&line).and_then(|()| io::stdout().flush()).is_err() {
            return 1;
        }
        script.clear();
    }
    0
}

/// Serves scripts with the libraries in `folder`: a fork per script of a solver with its options set.
pub fn serve_forks(folder: &Path, arguments: &[OsString], work_folder: &WorkFolder) -> io::Result<()> {
    let library = Cvc5::load(folder)?;
    warm_up(&library);
    let prepared = PreparedSolver::new(&library, arguments)
        .map_err(|code| io::Error::other(format!("exit code {code}")))?;
    make_resident(folder);
    serve(&mut ForkServer(prepared), work_folder)
}

/// Runs a script in a solver that is thrown away, for what cvc5 and GMP do once in a process.
fn warm_up(library: &Cvc5) {
    let solver = library.solver();
    let mut parser = solver.parse(Language::SmtLib, b"(set-logic QF_UF)(check-sat)", "<start>");
    while let Ok(Some(command)) = parser.next_command() {
        command.invoke();
    }
}

impl PreloadedSolver for PreparedSolver<'_> {
    fn run(&mut self, script: &[u8]) -> i32 {
        PreparedSolver::run(self, script, "<stdin>")
    }
}

/// Says so; the exit code is 127, as a shell's for a program that is not there.
fn cannot_load(error: &io::Error) -> i32 {
    let _ = writeln!(io::stderr(), "cannot load cvc5: {error}");
    127
}

/// A solver with its options set, ready for one script.
pub struct PreparedSolver<'a> {
    solver: Cvc5Solver<'a>,
    command_line: CommandLine,
}

/// Something to ask for after an answer.
#[derive(Debug, Clone, Copy)]
struct AnswerDump {
    option: &'static str,
    after: &'static [&'static str],
    command: &'static str,
}

const OPTION_ERROR_PREFIX: &str = "Error in option parsing: ";

const ANSWER_DUMPS: &[AnswerDump] = &[
    AnswerDump { option: "dump-models", after: &["sat", "unknown"], command: "(get-model)" },
    AnswerDump { option: "dump-proofs", after: &["unsat"], command: "(get-proof)" },
    AnswerDump {
        option: "dump-instantiations",
        after: &["unsat", "unknown"],
        command: "(get-instantiations)",
    },
    AnswerDump { option: "dump-unsat-cores", after: &["unsat"], command: "(get-unsat-core)" },
    AnswerDump {
        option: "dump-difficulty",
        after: &["sat", "unsat", "unknown"],
        command: "(get-difficulty)",
    },
];

/// Commands that are executed under `--parse-only` because later ones cannot be read without them.
const PARSE_ONLY_COMMANDS: &[&str] = &["set-logic", "set-option", "reset", "declare-", "define-"];

impl<'a> PreparedSolver<'a> {
    /// Makes a solver as the command line says; `Err` is the exit code of one that asks for no run.
    pub fn new(library: &'a Cvc5, arguments: &[OsString]) -> Result<Self, i32> {
        let solver = library.solver();
        let read = read_command_line(&solver, arguments);
        match read.and_then(|read| apply(&solver, &read).map(|()| read)) {
            Ok(command_line) if command_line.is_on("version") => {
                let _ = writeln!(io::stdout(), "This is cvc5 version {} [library]", solver.version());
                Err(0)
            }
            Ok(command_line) => Ok(PreparedSolver { solver, command_line }),
            Err(message) => {
                let message = message.strip_prefix(OPTION_ERROR_PREFIX).unwrap_or(&message);
                let code = refuse(&mut io::stderr(), &format!("{OPTION_ERROR_PREFIX}{message}"));
                let _ = writeln!(io::stderr(), "\nPlease use --help to get help on command-line options.");
                Err(code)
            }
        }
    }

    /// Runs one script to its end and gives the exit code.
    pub fn run(&self, script: &[u8], name: &str) -> i32 {
        sys::abort_after(self.command_line.time_limit());
        self.solver.set_info("filename", name);
        let code = self.commands(script, name);
        if self.command_line.is_on("stats") {
            let _ = write!(io::stderr(), "{}", self.solver.statistics());
        }
        sys::flush();
        sys::abort_after(0);
        code
    }

    fn commands(&self, script: &[u8], name: &str) -> i32 {
        let mut parser = self.solver.parse(self.language(name), script, name);
        let mut read = 0;
        loop {
            match parser.next_command() {
                Ok(None) => return 0,
                Ok(Some(command)) => {
                    let word = command.name();
                    let skipped = self.command_line.is_on("parse-only")
                        && !PARSE_ONLY_COMMANDS.iter().any(|prefix| word.starts_with(prefix));
                    if !skipped && !self.invoke(&word, &command) {
                        return 1;
                    }
                    if word == "exit" {
                        return 0;
                    }
                }
                Err(message) => {
                    let place = place(script, read);
                    return refuse(&mut io::stdout(), &format!("Parse Error: {name}:{place}: {message}"));
                }
            }
            read += 1;
        }
    }

    /// Executes a command, prints, and asks what the options say to ask after an answer; `false`: it failed.
    fn invoke(&self, word: &str, command: &Cvc5Command<'_>) -> bool {
        let output = without_reason(command.invoke());
        if !print(&output) {
            return false;
        }
        let answer = output.trim_ascii();
        let due = |dump: &&AnswerDump| {
            word.starts_with("check-sat")
                && self.command_line.is_on(dump.option)
                && dump.after.iter().any(|word| word.as_bytes() == answer)
        };
        ANSWER_DUMPS.iter().filter(due).all(|dump| {
            let mut parser = self.solver.parse(Language::SmtLib, dump.command.as_bytes(), "<option>");
            matches!(parser.next_command(), Ok(Some(command)) if print(&command.invoke()))
        })
    }

    fn language(&self, name: &str) -> Language {
        let sygus = match self.command_line.value(&["lang", "input-language"]) {
            Some(value) => value.starts_with("sygus"),
            None => name.ends_with(".sy") || name.ends_with(".sl"),
        };
        if sygus { Language::Sygus } else { Language::SmtLib }
    }
}

/// Prints what a command gave, at once: an answer must be out before the next command may hang. `false` if it is an
/// error that ends a run; asking for a model, value or the like that is not there does not.
fn print(output: &[u8]) -> bool {
    sys::flush();
    let _ = io::stdout().write_all(output).and_then(|()| io::stdout().flush());
    let Some(message) = output.strip_prefix(b"(error \"") else { return true };
    let message = String::from_utf8_lossy(message).to_lowercase();
    let not_enabled = ["unless explicitly enabled", "unless proofs are enabled"];
    message.starts_with("cannot get") && !not_enabled.iter().any(|text| message.contains(text))
}

/// The output as the program would print it: the library says behind `unknown` why, in parentheses.
fn without_reason(output: Vec<u8>) -> Vec<u8> {
    if output.starts_with(b"unknown (") { b"unknown\n".to_vec() } else { output }
}

/// Prints an error and gives the exit code for it.
fn refuse(stream: &mut dyn Write, message: &str) -> i32 {
    sys::flush();
    let _ = writeln!(stream, "(error \"{}\")", message.replace('"', "\"\"")).and_then(|()| stream.flush());
    1
}

/// Where the command after the first `read` ones begins, as `line.column`: the library does not say.
fn place(script: &[u8], read: usize) -> String {
    let text = String::from_utf8_lossy(script);
    let outline = outline(&text);
    let at = outline.commands.get(read).map_or_else(
        || {
            let end = outline.commands.last().map_or(0, |last| last.start + last.text.len());
            text.len() - text[end..].trim_start().len()
        },
        |command| command.start,
    );
    let (line, column) = position(&text, at);
    format!("{line}.{column}")
}
