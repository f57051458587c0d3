//! Classifies runs: what went wrong, by exit status and output, according to the patterns of the profile.
//!
//! The order matters more than the patterns: cvc5 dies of SIGABRT on its own time limit, cvc4 on floating-point
//! numbers that it was built without, and z3 continues after an error and may crash later. The first match counts:
//!
//! 1. a limit that gainsay set;
//! 2. output that explains away what looks like a crash (`excuses_abort`);
//! 3. output that shows a crash, even if memory runs out after it;
//! 4. output that says a limit was hit, then a signal that is a crash;
//! 5. any other pattern, then the exit code, then output that is not text.
//!
//! Within each step, rows of the profile come before those for any solver, in the order of the file.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::profile::{CommonRules, OutputPattern, OutputStream, Profile};
use super::run::Exit;
use super::trouble::{Trouble, TroubleKind};

/// Evidence keeps at most this many characters of a line.
const MAX_EVIDENCE_CHARS: usize = 300;

/// The patterns of one solver, compiled on first use: a command needs one or two of many profiles, and for most output
/// `CompiledPatterns::any` suffices.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    rows: Vec<OutputPattern>,
    harmless: Vec<String>,
    exits: Vec<(i32, TroubleKind)>,
    signals: Vec<(i32, TroubleKind)>,
    compiled: OnceLock<CompiledPatterns>,
}

#[derive(Debug, Clone)]
struct CompiledPatterns {
    /// All rows as one set, to see in one pass that none matches.
    any: RegexSet,
    rows: Vec<CompiledPattern>,
    harmless: Vec<Regex>,
}

#[derive(Debug, Clone)]
struct CompiledPattern {
    class: TroubleKind,
    on: OutputStream,
    regex: Regex,
    unless: Option<Regex>,
    rank: PatternRank,
}

/// The exit status and the output of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunOutput<'a> {
    /// How it ended.
    pub exit: Exit,
    /// Standard output.
    pub output: &'a [u8],
    /// Standard error.
    pub errors: &'a [u8],
}

/// The order in which patterns are tried; see the module documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PatternRank {
    Excuse,
    Crash,
    Limit,
    Other,
}

impl Patterns {
    /// The rows of a profile, of the profile that it is like, and for any solver. The error holds the wrong text and the reason.
    pub fn new(
        profile: &Profile,
        like: Option<&Profile>,
        common: &CommonRules,
    ) -> Result<Self, (String, String)> {
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

    /// Compiles all expressions. The error holds the invalid one and the reason.
    pub fn check(&self) -> Result<(), (String, String)> {
        CompiledPatterns::new(&self.rows, &self.harmless).map(drop)
    }

    /// What went wrong in a run; `None` if nothing did.
    pub fn classify(&self, run: RunOutput<'_>) -> Option<Trouble> {
        if let Some(trouble) = our_limit(run.exit) {
            return Some(trouble);
        }
        let compiled = self.compiled.get_or_init(|| {
            CompiledPatterns::new(&self.rows, &self.harmless)
                .expect("expressions are checked when a profile is read")
        });
        if !compiled.any.is_match(run.output) && !compiled.any.is_match(run.errors) {
            return self
                .by_exit(run.exit, PatternRank::Crash)
                .or_else(|| self.by_exit(run.exit, PatternRank::Other))
                .or_else(|| garbage(run.output));
        }
        let (output, errors) = (compiled.lines(run.output), compiled.lines(run.errors));
        let found = |rank: PatternRank| {
            let mut rows = compiled.rows.iter().filter(|row| row.rank == rank);
            rows.find_map(|row| row.find(&output, &errors))
        };
        found(PatternRank::Excuse)
            .or_else(|| found(PatternRank::Crash))
            .or_else(|| found(PatternRank::Limit))
            .or_else(|| self.by_exit(run.exit, PatternRank::Crash))
            .or_else(|| found(PatternRank::Other))
            .or_else(|| self.by_exit(run.exit, PatternRank::Other))
            .or_else(|| garbage(run.output))
    }

    fn by_exit(&self, exit: Exit, rank: PatternRank) -> Option<Trouble> {
        let (number, known, word) = match exit {
            Exit::Code(code) => (code, &self.exits, "exit code"),
            Exit::Signal(signal) => (signal, &self.signals, "signal"),
            _ => return None,
        };
        let (_, class) = known.iter().find(|(known, _)| *known == number)?;
        let crash = class.is_crash();
        (crash == (rank == PatternRank::Crash)).then(|| Trouble::new(*class, format!("{word} {number}")))
    }
}

impl CompiledPatterns {
    fn new(rows: &[OutputPattern], harmless: &[String]) -> Result<Self, (String, String)> {
        let texts = rows.iter().map(|row| &row.regex);
        let mut rows: Vec<CompiledPattern> =
            rows.iter().map(CompiledPattern::new).collect::<Result<_, _>>()?;
        // A stable sort: the order of the files stays within a rank.
        rows.sort_by_key(|row| row.rank);
        let harmless: Result<_, _> = harmless.iter().map(|harmless| expression(harmless)).collect();
        let any = RegexSetBuilder::new(texts).multi_line(true).crlf(true).unicode(false).build();
        let any = any.map_err(|error| (String::new(), error.to_string()))?;
        Ok(CompiledPatterns { any, rows, harmless: harmless? })
    }

    /// The lines that are not empty and not harmless.
    fn lines<'a>(&self, text: &'a [u8]) -> Vec<&'a [u8]> {
        let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let harmless = |line: &[u8]| self.harmless.iter().any(|harmless| harmless.is_match(line));
        lines.filter(|line| !line.is_empty() && !harmless(line)).collect()
    }
}

impl CompiledPattern {
    fn new(pattern: &OutputPattern) -> Result<Self, (String, String)> {
        let rank = match pattern.class {
            _ if pattern.excuses_abort => PatternRank::Excuse,
            class if class.is_crash() => PatternRank::Crash,
            class if class.is_limit() => PatternRank::Limit,
            _ => PatternRank::Other,
        };
        Ok(CompiledPattern {
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
        let in_output = || (self.on != OutputStream::Stderr).then(|| line(output)).flatten();
        let in_errors = || (self.on != OutputStream::Stdout).then(|| line(errors)).flatten();
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

/// Solvers print text: other output shows memory corruption, or that the program is not a solver.
fn garbage(output: &[u8]) -> Option<Trouble> {
    let text = std::str::from_utf8(output).is_ok_and(|text| !text.contains('\0'));
    (!text).then(|| Trouble::new(TroubleKind::Garbage, "output that is no text"))
}

fn said(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim().chars().take(MAX_EVIDENCE_CHARS).collect()
}

fn expression(text: &str) -> Result<Regex, (String, String)> {
    let built = RegexBuilder::new(text).multi_line(true).crlf(true).unicode(false).build();
    built.map_err(|error| (text.to_owned(), error.to_string()))
}

fn numbered((number, class): (&String, &TroubleKind)) -> Result<(i32, TroubleKind), (String, String)> {
    let wrong = |_| (number.clone(), format!("`{number}` is not an exit code or signal; write a number"));
    number.parse().map(|number| (number, *class)).map_err(wrong)
}
