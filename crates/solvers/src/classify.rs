//! From how a run ended and what it printed to what was wrong with it, by the patterns of the profile.
//!
//! The order matters more than the patterns: cvc5 dies of SIGABRT on its own time limit, cvc4 on floating-point
//! numbers that it was built without, and z3 goes on after an error and may crash later. So, first that fits:
//!
//! 1. a limit that we set;
//! 2. output that explains away what looks like a crash (`excuses_abort`);
//! 3. output that shows a crash: it is one even if memory runs out after it;
//! 4. output that says a limit was hit, then a signal that is a crash;
//! 5. everything else that output shows, then the exit code, then output that is no text.
//!
//! Within each, rows of the profile come before those of any solver, and in the order of the file.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::profile::{Common, Pattern, Profile, Stream};
use super::run::Exit;
use super::trouble::{Trouble, TroubleKind};

/// A line kept as evidence is at most this long.
const MAX_SAID: usize = 300;

/// The patterns of one solver. They are compiled when they are first needed: a command needs one or two profiles of
/// many, and most output is so plain that only `Compiled::any` is ever asked.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    rows: Vec<Pattern>,
    harmless: Vec<String>,
    exits: Vec<(i32, TroubleKind)>,
    signals: Vec<(i32, TroubleKind)>,
    compiled: OnceLock<Compiled>,
}

#[derive(Debug, Clone)]
struct Compiled {
    /// All rows at once, to see in one pass that none fits.
    any: RegexSet,
    rows: Vec<Row>,
    harmless: Vec<Regex>,
}

#[derive(Debug, Clone)]
struct Row {
    class: TroubleKind,
    on: Stream,
    regex: Regex,
    unless: Option<Regex>,
    rank: u8,
}

/// How a run ended and what it printed.
#[derive(Debug, Clone, Copy)]
pub struct Ending<'a> {
    /// How it ended.
    pub exit: Exit,
    /// Standard output.
    pub output: &'a [u8],
    /// Standard error.
    pub errors: &'a [u8],
}

const EXCUSE: u8 = 0;
const CRASH: u8 = 1;
const LIMIT: u8 = 2;
const REST: u8 = 3;

impl Patterns {
    /// The rows of a profile, of the one that it is like, and of any solver. The error holds what is wrong, and why.
    pub fn new(profile: &Profile, like: Option<&Profile>, common: &Common) -> Result<Self, (String, String)> {
        let own = || std::iter::once(profile).chain(like);
        let harmless = own().flat_map(|profile| &profile.harmless).chain(&common.harmless);
        let exits = own().flat_map(|profile| &profile.exit).chain(&common.exit);
        Ok(Patterns {
            rows: own().flat_map(|profile| &profile.pattern).chain(&common.pattern).cloned().collect(),
            harmless: harmless.map(|harmless| harmless.regex.clone()).collect(),
            exits: exits.map(numbered).collect::<Result<_, _>>()?,
            signals: common.signal.iter().map(numbered).collect::<Result<_, _>>()?,
            compiled: OnceLock::new(),
        })
    }

    /// Whether all expressions can be compiled. The error holds the one that cannot, and why.
    pub fn check(&self) -> Result<(), (String, String)> {
        Compiled::new(&self.rows, &self.harmless).map(drop)
    }

    /// What was wrong with a run that ended like this; None if nothing was.
    pub fn classify(&self, ending: Ending<'_>) -> Option<Trouble> {
        if let Some(trouble) = our_limit(ending.exit) {
            return Some(trouble);
        }
        let compiled = self.compiled.get_or_init(|| {
            Compiled::new(&self.rows, &self.harmless).expect("expressions are checked when a profile is read")
        });
        if !compiled.any.is_match(ending.output) && !compiled.any.is_match(ending.errors) {
            return self
                .by_exit(ending.exit, CRASH)
                .or_else(|| self.by_exit(ending.exit, REST))
                .or_else(|| garbage(ending.output));
        }
        let (output, errors) = (compiled.lines(ending.output), compiled.lines(ending.errors));
        let found = |rank: u8| {
            let mut rows = compiled.rows.iter().filter(|row| row.rank == rank);
            rows.find_map(|row| row.find(&output, &errors))
        };
        found(EXCUSE)
            .or_else(|| found(CRASH))
            .or_else(|| found(LIMIT))
            .or_else(|| self.by_exit(ending.exit, CRASH))
            .or_else(|| found(REST))
            .or_else(|| self.by_exit(ending.exit, REST))
            .or_else(|| garbage(ending.output))
    }

    fn by_exit(&self, exit: Exit, rank: u8) -> Option<Trouble> {
        let (number, known, word) = match exit {
            Exit::Code(code) => (code, &self.exits, "exit code"),
            Exit::Signal(signal) => (signal, &self.signals, "signal"),
            _ => return None,
        };
        let (_, class) = known.iter().find(|(known, _)| *known == number)?;
        let crash = class.is_crash();
        (crash == (rank == CRASH)).then(|| Trouble::new(*class, format!("{word} {number}")))
    }
}

impl Compiled {
    fn new(rows: &[Pattern], harmless: &[String]) -> Result<Self, (String, String)> {
        let texts = rows.iter().map(|row| &row.regex);
        let mut rows: Vec<Row> = rows.iter().map(Row::new).collect::<Result<_, _>>()?;
        // A stable sort: the order of the files stays within a rank.
        rows.sort_by_key(|row| row.rank);
        let harmless: Result<_, _> = harmless.iter().map(|harmless| expression(harmless)).collect();
        let any = RegexSetBuilder::new(texts).multi_line(true).crlf(true).unicode(false).build();
        let any = any.map_err(|error| (String::new(), error.to_string()))?;
        Ok(Compiled { any, rows, harmless: harmless? })
    }

    /// The lines that are neither empty nor harmless.
    fn lines<'a>(&self, text: &'a [u8]) -> Vec<&'a [u8]> {
        let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let harmless = |line: &[u8]| self.harmless.iter().any(|harmless| harmless.is_match(line));
        lines.filter(|line| !line.is_empty() && !harmless(line)).collect()
    }
}

impl Row {
    fn new(pattern: &Pattern) -> Result<Self, (String, String)> {
        let rank = match pattern.class {
            _ if pattern.excuses_abort => EXCUSE,
            class if class.is_crash() => CRASH,
            class if class.is_limit() => LIMIT,
            _ => REST,
        };
        Ok(Row {
            class: pattern.class,
            on: pattern.on,
            regex: expression(&pattern.regex)?,
            unless: pattern.unless.as_deref().map(expression).transpose()?,
            rank,
        })
    }

    fn find(&self, output: &[&[u8]], errors: &[&[u8]]) -> Option<Trouble> {
        let line =
            |lines: &[&[u8]]| lines.iter().find(|line| self.regex.is_match(line)).map(|line| said(line));
        let in_output = || (self.on != Stream::Stderr).then(|| line(output)).flatten();
        let in_errors = || (self.on != Stream::Stdout).then(|| line(errors)).flatten();
        let said = in_errors().or_else(in_output)?;
        let excluded = |regex: &Regex| output.iter().chain(errors).any(|line| regex.is_match(line));
        let excluded = self.unless.as_ref().is_some_and(excluded);
        (!excluded).then(|| Trouble::new(self.class, said))
    }
}

fn our_limit(exit: Exit) -> Option<Trouble> {
    let (class, said) = match exit {
        Exit::WallLimit => (TroubleKind::TimeOut, "wall-clock limit"),
        Exit::CpuLimit => (TroubleKind::TimeOut, "CPU limit"),
        Exit::MemoryLimit => (TroubleKind::MemoryOut, "memory limit"),
        Exit::OutputLimit => (TroubleKind::Flood, "output limit"),
        Exit::Code(_) | Exit::Signal(_) => return None,
    };
    Some(Trouble::new(class, said))
}

/// Solvers print text: what is none shows that memory was overwritten, or that this is no solver.
fn garbage(output: &[u8]) -> Option<Trouble> {
    let text = std::str::from_utf8(output).is_ok_and(|text| !text.contains('\0'));
    (!text).then(|| Trouble::new(TroubleKind::Garbage, "output that is no text"))
}

fn said(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim().chars().take(MAX_SAID).collect()
}

fn expression(text: &str) -> Result<Regex, (String, String)> {
    let built = RegexBuilder::new(text).multi_line(true).crlf(true).unicode(false).build();
    built.map_err(|error| (text.to_owned(), error.to_string()))
}

fn numbered((number, class): (&String, &TroubleKind)) -> Result<(i32, TroubleKind), (String, String)> {
    let wrong = |_| (number.clone(), format!("`{number}` is no exit code or signal; write a number"));
    number.parse().map(|number| (number, *class)).map_err(wrong)
}
