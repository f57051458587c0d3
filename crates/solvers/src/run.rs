//! What is asked of a solver, under which limits, and what came back.
//!
//! A [`Run`] is the same value whichever driver made it, so that nothing above the drivers can tell a session from a
//! fresh process. Whatever a solver does wrong is content of a run; only the world failing us is an error.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::script_filter::RemovedCommand;
use super::statistics::Statistics;
use super::trace::Trace;
use super::trouble::Trouble;

/// A script for one solver, under limits.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The script, as the solver shall read it.
    pub script: &'a str,
    /// What it may use.
    pub limits: Limits,
    /// What is asked beside it.
    pub ask: Ask,
}

/// What is asked of a solver beside its script, where it can tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ask {
    /// A model after the last answer, if that is `sat`.
    pub model: bool,
    /// The solver's deterministic work count (z3's rlimit, cvc5's resource units).
    pub work: bool,
    /// What it did: its trace and its statistics. The script then gets a process of its own, since what a session writes
    /// of one script cannot be told from what it writes of the next, and what it counts is of all of them.
    pub behaviour: bool,
}

impl Ask {
    /// Leave the script exactly as it is.
    pub const NOTHING: Ask = Ask { model: false, work: false, behaviour: false };
    /// Ask for a model.
    pub const MODEL: Ask = Ask { model: true, ..Ask::NOTHING };
    /// Ask for the work count.
    pub const WORK: Ask = Ask { work: true, ..Ask::NOTHING };
    /// Ask for what it did.
    pub const BEHAVIOUR: Ask = Ask { behaviour: true, ..Ask::NOTHING };
}

/// What one run may use. `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time: when it is over, the solver's process group is asked to stop.
    pub wall: Duration,
    /// Time between asking (SIGTERM) and killing (SIGKILL).
    pub grace: Duration,
    /// CPU time of the process.
    pub cpu: Option<Duration>,
    /// Address space of the process, in bytes.
    pub memory: Option<u64>,
    /// Bytes of standard output, and of standard error, that are kept; writing more stops the solver.
    pub output: u64,
}

impl Limits {
    /// What is enough for most scripts.
    pub const DEFAULT: Limits = Limits {
        wall: Duration::from_secs(10),
        grace: Duration::from_millis(200),
        cpu: None,
        memory: Some(4 << 30),
        output: 4 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The answers in order, as printed; kept even if a limit was hit later.
    pub answers: Vec<Answer>,
    /// Standard output, bounded; ends with [`CUT`] if there was more.
    pub output: Vec<u8>,
    /// Standard error, bounded in the same way, without what was read as the trace.
    pub errors: Vec<u8>,
    /// The texts of `(error "…")`.
    pub messages: Vec<String>,
    /// The model as the solver printed it, if it was asked for and given.
    pub model: Option<String>,
    /// How it ended.
    pub exit: Exit,
    /// CPU time, user and system, of the solver and of its children, and of making its process.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Largest resident set, in bytes.
    pub peak_memory: u64,
    /// The solver's own count of its work, if it was asked for and given.
    pub work: Option<u64>,
    /// What it did, step by step, if that was asked for and it can tell.
    pub trace: Option<Trace>,
    /// What it counted, if that was asked for and given.
    pub statistics: Option<Statistics>,
    /// What it said of options that it does not have: nothing that concerns its answers.
    pub remarks: Vec<String>,
    /// Commands of the script that it was not sent.
    pub removed: Vec<RemovedCommand>,
    /// What was wrong with it; `None`: it behaved.
    pub trouble: Option<Trouble>,
}

impl Run {
    /// Why the answers cannot be matched with so many questions, if so: the solver printed a word too many, or passed over a
    /// question without saying why.
    pub fn mismatch(&self, questions: usize) -> Option<String> {
        let answers = self.answers.len();
        (answers > questions || answers < questions && self.trouble.is_none())
            .then(|| format!("{answers} answers to {questions} questions"))
    }
}

/// The mark at the end of output that was cut.
pub const CUT: &str = "\n; cut by gainsay: there was more output than the limit\n";

/// One answer to one `(check-sat)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// `sat`
    Sat,
    /// `unsat`
    Unsat,
    /// `unknown`
    Unknown,
}

impl Answer {
    /// The word that solvers print.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown => "unknown",
        }
    }

    /// The answer that a word is, if it is one.
    pub fn from_word(word: &[u8]) -> Option<Self> {
        match word {
            b"sat" => Some(Answer::Sat),
            b"unsat" => Some(Answer::Unsat),
            b"unknown" => Some(Answer::Unknown),
            _ => None,
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal, which was not ours.
    Signal(i32),
    /// Stopped by us: the wall-clock limit.
    WallLimit,
    /// Stopped by us or by the kernel: the CPU limit.
    CpuLimit,
    /// Died with its memory limit all but used up.
    MemoryLimit,
    /// Stopped by the kernel: it wrote more than is kept.
    OutputLimit,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "code {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
            Exit::WallLimit => f.write_str("wall limit"),
            Exit::CpuLimit => f.write_str("CPU limit"),
            Exit::MemoryLimit => f.write_str("memory limit"),
            Exit::OutputLimit => f.write_str("output limit"),
        }
    }
}
