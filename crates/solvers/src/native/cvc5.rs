//! A command line for libcvc5, with the options, input, models, errors and exit codes of cvc5's own program.
//!
//! The `cvc5` wheel contains the libraries but no program. The program adds little to the library:
//!
//! - `incremental` is off unless asked for (the library's default is on);
//! - a parse error or a failed command ends the run with code 1; asking for a model that does not exist does not;
//! - `--tlimit` ends the program by SIGABRT with `cvc5 interrupted by timeout.`;
//! - `--dump-models` and the like ask after every answer; `--stats` prints at the end.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use gainsay_coverage::handler;

use super::cvc5_api::{Cvc5, Cvc5Command, Cvc5Solver, InputLanguage};
use super::cvc5_options::{CommandLine, apply, read_command_line};
use super::fork_server::{ForkServer, PreloadedSolver};
use super::resident::make_resident;
use crate::helper::{HelperContext, serve};
use crate::outline::{outline, position};
use crate::sys;

/// What declares a function to synthesise.
const SYNTHESIS_COMMAND: &[u8] = b"(synth-fun ";

/// The libraries in `folder`.
pub fn library_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(Cvc5::files(folder)?.to_vec())
}

/// Runs like `cvc5 ARGUMENTS…`, with the libraries in `folder`, and returns the exit code.
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
        // Freeing the solver's memory would take longer than some scripts.
        Ok(bytes) => sys::leave(prepared.run(&bytes, name)),
        Err(_) => refuse(&mut io::stdout(), &format!("Couldn't open file: {name}")),
    }
}

/// Runs scripts from standard input, each in a new solver. A line `(echo "END")` ends a script, and a line `END CODE` its
/// output.
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

/// Serves scripts with the libraries in `folder`: for each script, forks a process with a solver whose options are set.
pub fn serve_forks(folder: &Path, arguments: &[OsString], context: HelperContext) -> io::Result<()> {
    let library = Cvc5::load(folder)?;
    warm_up(&library);
    let prepared = PreparedSolver::new(&library, arguments)
        .map_err(|code| io::Error::other(format!("exit code {code}")))?;
    make_resident(folder);
    if let Some(files) = context.coverage {
        handler::arm(files)?;
    }
    serve(&mut ForkServer(prepared), &context.work_folder)
}

/// Runs a script in a temporary solver, so that cvc5 and GMP do their one-time initialization.
fn warm_up(library: &Cvc5) {
    let solver = library.solver();
    let mut parser = solver.parse(InputLanguage::SmtLib, b"(set-logic QF_UF)(check-sat)", "<start>");
    while let Ok(Some(command)) = parser.next_command() {
        command.invoke();
    }
}

impl PreloadedSolver for PreparedSolver<'_> {
    fn run(&mut self, script: &[u8]) -> i32 {
        PreparedSolver::run(self, script, "<stdin>")
    }
}

/// Prints the error; returns 127, the exit code of shells for a missing program.
fn cannot_load(error: &io::Error) -> i32 {
    let _ = writeln!(io::stderr(), "cannot load cvc5: {error}");
    127
}

/// A solver with its options set, ready for one script.
pub struct PreparedSolver<'a> {
    solver: Cvc5Solver<'a>,
    command_line: CommandLine,
}

/// A command to run after an answer, if an option is set.
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

/// Commands that `--parse-only` executes because later ones cannot be parsed without them.
const PARSE_ONLY_COMMANDS: &[&str] = &["set-logic", "set-option", "reset", "declare-", "define-"];

impl<'a> PreparedSolver<'a> {
    /// Makes a solver by the command line; `Err` is the exit code of a command line that asks for no run.
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

    /// Runs one script and returns the exit code.
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
        let language = self.language(script, name);
        if language == InputLanguage::Sygus {
            // The program does so for this language. An option that is set already stays as it is.
            let _ = self.solver.set_option("sygus", "true");
        }
        let mut parser = self.solver.parse(language, script, name);
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

    /// Executes a command, prints its output, and runs the dumps that options ask for; `false` if it failed.
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
            let mut parser = self.solver.parse(InputLanguage::SmtLib, dump.command.as_bytes(), "<option>");
            matches!(parser.next_command(), Ok(Some(command)) if print(&command.invoke()))
        })
    }

    /// The language of the command line, or that of the file name. A script that declares a function to synthesise is SyGuS in any
    /// case: the parser of SMT-LIB refuses it.
    fn language(&self, script: &[u8], name: &str) -> InputLanguage {
        let synthesises = script.windows(SYNTHESIS_COMMAND.len()).any(|window| window == SYNTHESIS_COMMAND);
        let sygus = synthesises
            || match self.command_line.value(&["lang", "input-language"]) {
                Some(value) => value.starts_with("sygus"),
                None => name.ends_with(".sy") || name.ends_with(".sl"),
            };
        if sygus { InputLanguage::Sygus } else { InputLanguage::SmtLib }
    }
}

/// Prints the output of a command at once, since the next command may hang. Returns `false` if it is an error that ends a run;
/// asking for a model or value that does not exist does not.
fn print(output: &[u8]) -> bool {
    sys::flush();
    let _ = io::stdout().write_all(output).and_then(|()| io::stdout().flush());
    let Some(message) = output.strip_prefix(b"(error \"") else { return true };
    let message = String::from_utf8_lossy(message).to_lowercase();
    let not_enabled = ["unless explicitly enabled", "unless proofs are enabled"];
    message.starts_with("cannot get") && !not_enabled.iter().any(|text| message.contains(text))
}

/// Removes the reason that the library prints after `unknown`, as the program does.
fn without_reason(output: Vec<u8>) -> Vec<u8> {
    if output.starts_with(b"unknown (") { b"unknown\n".to_vec() } else { output }
}

/// Prints an error and returns its exit code.
fn refuse(stream: &mut dyn Write, message: &str) -> i32 {
    sys::flush();
    let _ = writeln!(stream, "(error \"{}\")", message.replace('"', "\"\"")).and_then(|()| stream.flush());
    1
}

/// The position of the command after the first `read` ones, as `line.column`; the library does not report it.
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
