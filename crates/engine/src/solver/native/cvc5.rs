//! A command line for libcvc5: options, files, standard input, models, errors and exit codes as cvc5's own program has them.
//!
//! The `cvc5` wheel holds the libraries but no program. What the program adds to the library is little, and is here:
//!
//! - `incremental` is off unless asked for (the library's default is on);
//! - a parse error, or a command that fails, ends the run with code 1; asking for a model that is not there does not;
//! - `--tlimit` ends the program by SIGABRT with `cvc5 interrupted by timeout.`;
//! - `--dump-models` and its like ask after every answer; `--stats` prints at the end.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use super::cvc5_api::{Command, Cvc5, Language, OptionKind, Solver};
use super::fork::{Server, Warm};
use super::resident::make_resident;
use crate::solver::helper::serve;
use crate::solver::outline::{outline, position};
use crate::solver::sys;

/// What the command line says.
#[derive(Debug, Default)]
struct CommandLine {
    /// Options by name, in order.
    options: Vec<(String, String)>,
    files: Vec<String>,
}

/// Runs like `cvc5 ARGUMENTS…`, with the libraries in `folder`, and gives the exit code.
pub fn main(folder: &Path, arguments: &[OsString]) -> i32 {
    sys::default_signals();
    match Cvc5::load(folder) {
        Ok(library) => run(&library, arguments),
        Err(error) => {
            let _ = writeln!(io::stderr(), "cannot load cvc5: {error}");
            LOAD_FAILED
        }
    }
}

/// Serves scripts with the libraries in `folder`: a fork per script of a solver with its options set.
pub fn serve_forks(folder: &Path, arguments: &[OsString]) -> io::Result<()> {
    let library = Cvc5::load(folder)?;
    warm_up(&library);
    let session =
        Session::new(&library, arguments).map_err(|code| io::Error::other(format!("exit code {code}")))?;
    make_resident(folder);
    serve(&mut Server(session))
}

/// Runs a script in a solver that is thrown away, for what cvc5 and GMP do once in a process.
fn warm_up(library: &Cvc5) {
    let solver = library.solver();
    let mut parser = solver.parse(Language::SmtLib, b"(set-logic QF_UF)(check-sat)", "<start>");
    while let Ok(Some(command)) = parser.next_command() {
        command.invoke();
    }
}

impl Warm for Session<'_> {
    fn run(&mut self, script: &[u8]) -> i32 {
        Session::run(self, script, "<stdin>")
    }
}

/// The exit code for libraries that cannot be loaded: 127, as a shell says for a program that is not there.
const LOAD_FAILED: i32 = 127;

fn run(library: &Cvc5, arguments: &[OsString]) -> i32 {
    let session = match Session::new(library, arguments) {
        Ok(session) => session,
        Err(code) => return code,
    };
    let name = match session.command_line.files.as_slice() {
        [] => "-",
        [file] => file,
        _ => return refuse(&mut io::stdout(), "Too many input files specified."),
    };
    let (bytes, name) = match name {
        "-" => (io::read_to_string(io::stdin()).map(String::into_bytes), "<stdin>"),
        file => (std::fs::read(file), file),
    };
    match bytes {
        Ok(bytes) => session.run(&bytes, name),
        Err(_) => refuse(&mut io::stdout(), &format!("Couldn't open file: {name}")),
    }
}

/// A solver with its options set, ready for one script.
pub struct Session<'a> {
    solver: Solver<'a>,
    command_line: CommandLine,
    dumps: Vec<Dump>,
    statistics: bool,
    parse_only: bool,
}

/// Something to ask for after an answer.
#[derive(Debug, Clone, Copy)]
struct Dump {
    option: &'static str,
    after: &'static [&'static str],
    command: &'static str,
}

const OPTION_ERROR: &str = "Error in option parsing: ";

const DUMPS: &[Dump] = &[
    Dump { option: "dump-models", after: &["sat", "unknown"], command: "(get-model)" },
    Dump { option: "dump-proofs", after: &["unsat"], command: "(get-proof)" },
    Dump { option: "dump-instantiations", after: &["unsat", "unknown"], command: "(get-instantiations)" },
    Dump { option: "dump-unsat-cores", after: &["unsat"], command: "(get-unsat-core)" },
    Dump { option: "dump-difficulty", after: &["sat", "unsat", "unknown"], command: "(get-difficulty)" },
];

/// Commands that are executed under `--parse-only` because later ones cannot be read without them.
const PARSED: &[&str] = &["set-logic", "set-option", "reset", "declare-", "define-"];

impl<'a> Session<'a> {
    /// Makes a solver as the command line says; `Err` is the exit code of one that asks for no run.
    pub fn new(library: &'a Cvc5, arguments: &[OsString]) -> Result<Self, i32> {
        let solver = library.solver();
        let read = read_command_line(&solver, arguments);
        let command_line = match read.and_then(|read| apply(&solver, &read).map(|()| read)) {
            Ok(command_line) => command_line,
            Err(message) => {
                let message = message.strip_prefix(OPTION_ERROR).unwrap_or(&message);
                let code = refuse(&mut io::stderr(), &format!("{OPTION_ERROR}{message}"));
                let _ = writeln!(io::stderr(), "\nPlease use --help to get help on command-line options.");
                return Err(code);
            }
        };
        if command_line.options.iter().any(|(name, _)| name == "version") {
            println!("This is cvc5 version {} [library]", solver.version());
            return Err(0);
        }
        let on =
            |name: &str| command_line.options.iter().any(|(option, value)| option == name && value == "true");
        let dumps = DUMPS.iter().filter(|dump| on(dump.option)).copied().collect();
        let (statistics, parse_only) = (on("stats"), on("parse-only"));
        Ok(Session { solver, command_line, dumps, statistics, parse_only })
    }

    /// Runs one script to its end and gives the exit code.
    pub fn run(&self, script: &[u8], name: &str) -> i32 {
        self.solver.set_info("filename", name);
        let code = self.commands(script, name);
        if self.statistics {
            let _ = write!(io::stderr(), "{}", self.solver.statistics());
        }
        sys::flush();
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
                    let skipped = self.parse_only && !PARSED.iter().any(|prefix| word.starts_with(prefix));
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
    fn invoke(&self, word: &str, command: &Command<'_>) -> bool {
        let output = command.invoke();
        if !print(&output) {
            return false;
        }
        let answer = output.trim_ascii();
        let due = |dump: &&Dump| {
            word.starts_with("check-sat") && dump.after.iter().any(|word| word.as_bytes() == answer)
        };
        self.dumps.iter().filter(due).all(|dump| {
            let mut parser = self.solver.parse(Language::SmtLib, dump.command.as_bytes(), "<option>");
            matches!(parser.next_command(), Ok(Some(command)) if print(&command.invoke()))
        })
    }

    fn language(&self, name: &str) -> Language {
        let named = self
            .command_line
            .options
            .iter()
            .rev()
            .find(|(option, _)| option == "lang" || option == "input-language");
        let sygus = match named {
            Some((_, value)) => value.starts_with("sygus"),
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

/// Short options and what they stand for, from cvc5's `--help`.
const SHORT: &[(&str, &str, Option<&str>)] = &[
    ("-i", "incremental", Some("true")),
    ("-q", "quiet", Some("true")),
    ("-v", "verbose", Some("true")),
    ("-V", "version", Some("true")),
    ("-L", "lang", None),
    ("-o", "output", None),
    ("-t", "trace", None),
    ("-d", "debug", None),
];

/// Reads options as getopt does: `--name`, `--no-name`, `--name=value`, `--name value`, and a few short ones.
fn read_command_line(solver: &Solver<'_>, arguments: &[OsString]) -> Result<CommandLine, String> {
    let names = solver.option_names();
    let mut read = CommandLine::default();
    let mut words = arguments.iter().map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        if let Some(&(_, name, value)) = SHORT.iter().find(|(short, ..)| *short == word) {
            let value = value.map(str::to_owned).or_else(|| words.next()).ok_or_else(|| missing(&word))?;
            read.options.push((name.to_owned(), value));
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value.to_owned())));
            if names.iter().any(|known| known == name) {
                let value = match (value, solver.option_kind(name)) {
                    (Some(value), _) => value,
                    (None, OptionKind::Value) => words.next().ok_or_else(|| missing(&word))?,
                    (None, OptionKind::Bool | OptionKind::Void) => "true".to_owned(),
                };
                read.options.push((name.to_owned(), value));
            } else if let Some(name) =
                name.strip_prefix("no-").filter(|name| names.iter().any(|known| known == name))
            {
                read.options.push((name.to_owned(), "false".to_owned()));
            } else {
                return Err(format!("can't understand option `{word}'"));
            }
        } else if word.starts_with('-') && word != "-" {
            return Err(format!("can't understand option `{word}'"));
        } else {
            read.files.push(word);
        }
    }
    Ok(read)
}

fn missing(option: &str) -> String {
    format!("option `{option}' missing its required argument")
}

/// Options that only cvc5's program knows.
const PROGRAM_ONLY: &[&str] = &["tlimit", "version", "interactive", "early-exit"];

fn apply(solver: &Solver<'_>, command_line: &CommandLine) -> Result<(), String> {
    if !command_line.options.iter().any(|(name, _)| name == "incremental") {
        solver.set_option("incremental", "false")?;
    }
    for (name, value) in &command_line.options {
        if !PROGRAM_ONLY.contains(&name.as_str()) {
            solver.set_option(name, value)?;
        }
    }
    let limit = command_line.options.iter().rev().find(|(name, _)| name == "tlimit");
    if let Some(milliseconds) = limit.and_then(|(_, value)| value.parse().ok()).filter(|&limit| limit > 0) {
        sys::abort_after(milliseconds);
    }
    Ok(())
}
