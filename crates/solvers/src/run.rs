//! Queries, limits and runs: the requests to a solver, and their results.
//!
//! A [`Run`] is the same value whichever driver made it, so that nothing above the drivers can tell a session from a
//! fresh process. Whatever a solver does wrong is part of a run; errors are failures of the environment.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use gainsay_coverage::change::ChangedReach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::script_filter::RemovedCommand;
use super::statistics::Statistics;
use super::trace::Trace;
use super::trouble::Trouble;

/// A script for one solver, under limits.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The script for the solver.
    pub script: &'a str,
    /// Resource limits.
    pub limits: Limits,
    /// What to ask for besides the answers.
    pub ask: Ask,
}

/// What to ask a solver for besides its answers, if it supports that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ask {
    /// A model after the last answer, if that is `sat`.
    pub model: bool,
    /// The solver's deterministic work count (z3's rlimit, cvc5's resource units).
    pub work: bool,
    /// Its trace and its statistics. The script then gets a process of its own, since a session mixes the traces of its scripts
    /// and adds up their counters.
    pub behaviour: bool,
    /// Whether the script is gainsay's own, so that the solver gets every command of it, `echo` included.
    pub unfiltered: bool,
    /// Whether the text is a proof of the solver, which goes to the proof checker of its profile instead of the solver.
    pub checks_proof: bool,
}

impl Ask {
    /// Leave the script exactly as it is.
    pub const ANSWERS_ONLY: Ask =
        Ask { model: false, work: false, behaviour: false, unfiltered: false, checks_proof: false };
    /// Ask for a model.
    pub const WITH_MODEL: Ask = Ask { model: true, ..Ask::ANSWERS_ONLY };
    /// Ask for the work count.
    pub const WITH_WORK: Ask = Ask { work: true, ..Ask::ANSWERS_ONLY };
    /// Ask for trace and statistics.
    pub const WITH_BEHAVIOUR: Ask = Ask { behaviour: true, ..Ask::ANSWERS_ONLY };
    /// Ask for nothing beside a script of gainsay's own.
    pub const OWN_SCRIPT: Ask = Ask { unfiltered: true, ..Ask::ANSWERS_ONLY };
    /// Ask the checker of proofs about a proof.
    pub const PROOF_CHECK: Ask = Ask { checks_proof: true, ..Ask::ANSWERS_ONLY };
}

/// Resource limits of one run; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time, after which the solver's process group gets SIGTERM. Time for which the solver waits for a processor
    /// does not count, up to 99 times the limit.
    pub wall: Duration,
    /// Whether waiting for a processor counts, too: for a limit that is a deadline.
    pub counts_waiting: bool,
    /// Time between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// CPU time of the process.
    pub cpu: Option<Duration>,
    /// Address space of the process, in bytes.
    pub memory: Option<u64>,
    /// Bytes of standard output, and of standard error, that are kept; writing more stops the solver.
    pub output: u64,
}

impl Limits {
    /// Enough for most scripts.
    pub const DEFAULT: Limits = Limits {
        wall: Duration::from_secs(10),
        counts_waiting: false,
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

/// One run of a solver on a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The answers in order, as printed; kept even if a limit was hit later.
    pub answers: Vec<Answer>,
    /// Where they are in the output, and where replies are that concern no answer.
    pub places: OutputPlaces,
    /// Standard output, bounded; ends with [`TRUNCATION_NOTICE`] if there was more.
    pub output: Vec<u8>,
    /// Standard error, bounded in the same way, without the trace.
    pub errors: Vec<u8>,
    /// The texts of `(error "…")`.
    pub messages: Vec<String>,
    /// The model as the solver printed it, if requested and available.
    pub model: Option<String>,
    /// How it ended.
    pub exit: Exit,
    /// CPU time, user and system, of the solver and of its children, and of making its process.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Largest resident set, in bytes.
    pub peak_memory: u64,
    /// The solver's work count, if requested and available.
    pub work: Option<u64>,
    /// The trace, if requested and available.
    pub trace: Option<Trace>,
    /// The statistics, if requested and available.
    pub statistics: Option<Statistics>,
    /// Remarks about options that it lacks, which do not affect its answers.
    pub remarks: Vec<String>,
    /// Commands of the script that it was not sent.
    pub removed: Vec<RemovedCommand>,
    /// The sites of the covered program that it reached first, by number; empty unless coverage is measured.
    pub reached: Vec<u32>,
    /// How much changed code it reached; `None` unless a campaign is led by a change.
    pub changed: Option<ChangedReach>,
    /// What the machine lacked before this run could be made, if anything.
    pub shortage: Option<String>,
    /// What went wrong; `None` if nothing did.
    pub trouble: Option<Trouble>,
    /// Which answers count all the same, if the trouble is that the solver rejected the script or a part of it.
    pub rejection: Option<Rejection>,
}

/// Where an output has answers, and replies that concern no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputPlaces {
    /// The bytes up to the end of each answer, in order.
    pub answer_ends: Vec<usize>,
    /// The replies to commands that change no later answer, errors included.
    pub inert: Vec<Range<usize>>,
}

/// What remains of the answers of a run whose solver rejected the script or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejection {
    /// The answers before the rejection of a command that may change later answers.
    pub counted: usize,
    /// Whether these are the answers to all checks.
    pub is_harmless: bool,
}

impl Run {
    /// A run that ended like this, without any output.
    pub fn ended(exit: Exit) -> Self {
        Run {
            answers: Vec::new(),
            places: OutputPlaces::default(),
            output: Vec::new(),
            errors: Vec::new(),
            messages: Vec::new(),
            model: None,
            exit,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            peak_memory: 0,
            work: None,
            trace: None,
            statistics: None,
            remarks: Vec::new(),
            removed: Vec::new(),
            reached: Vec::new(),
            changed: None,
            shortage: None,
            trouble: None,
            rejection: None,
        }
    }

    /// The answers that are about the script as it is: those before the solver rejected a part that may change later ones.
    pub fn counted_answers(&self) -> &[Answer] {
        let is_rejected = self.trouble.as_ref().is_some_and(|trouble| trouble.kind.is_rejection());
        let counted = match (is_rejected, self.rejection) {
            (false, _) => self.answers.len(),
            (true, rejection) => rejection.map_or(0, |rejection| rejection.counted),
        };
        &self.answers[..counted.min(self.answers.len())]
    }

    /// Returns true if the solver rejected only what changes no answer: a command after the last check, or one that merely
    /// asks for something.
    pub fn is_harmlessly_rejected(&self) -> bool {
        self.rejection.is_some_and(|rejection| rejection.is_harmless)
    }

    /// Why the answers do not match this number of checks, if so: the solver printed too many, or skipped a check without
    /// an error.
    pub fn mismatch(&self, questions: usize) -> Option<String> {
        let answers = self.answers.len();
        (answers > questions || answers < questions && self.trouble.is_none())
            .then(|| format!("{answers} answers to {questions} questions"))
    }
}

/// The notice at the end of truncated output.
pub const TRUNCATION_NOTICE: &str = "\n; cut by gainsay: there was more output than the limit\n";

/// One answer to one `(check-sat)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema, Deserialize)]
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

    /// The answer that a word stands for, if any.
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
    /// By this signal, which gainsay did not send.
    Signal(i32),
    /// Stopped by gainsay at the wall-clock limit.
    WallLimit,
    /// Stopped by gainsay or the kernel at the CPU limit.
    CpuLimit,
    /// Died close to its memory limit.
    MemoryLimit,
    /// Stopped by the kernel at the output limit.
    OutputLimit,
}

/// The names of signals that end a process, as `kill -l` prints them.
const SIGNAL_NAMES: &[(i32, &str)] = &[
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ"),
    (31, "SIGSYS"),
];

/// A signal by its name, for people: `SIGSEGV (signal 11)`.
pub fn signal_words(signal: i32) -> String {
    match SIGNAL_NAMES.iter().find(|(number, _)| *number == signal) {
        Some((_, name)) => format!("{name} (signal {signal})"),
        None => format!("signal {signal}"),
    }
}

impl Exit {
    /// How it ended, for people: `exit code 1`, `SIGSEGV (signal 11)`.
    pub fn described(&self) -> String {
        match self {
            Exit::Code(code) => format!("exit code {code}"),
            Exit::Signal(signal) => signal_words(*signal),
            other => other.to_string(),
        }
    }
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
