//! The interestingness test of a user's command: it behaves on a candidate as on the first script.
//!
//! The path of the script is put after the words of the command, as other reducers do. Equal means the same exit code or signal, and
//! the same text on standard output and on standard error, unless something else is asked for.
//!
//! Detecting a flaky command need not run the first script twice, which may take long: one candidate with the same behaviour
//! shows that the command is repeatable. Only if no early candidate does is the first script run again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::reduce::{Candidate, CandidateText, InterestingnessTest, TestOutcome};
use crate::solver::driver::{Driver, LaunchSpec};
use crate::solver::process::RunError;
use crate::solver::run::{Ask, Exit, Limits, Query, Run};
use crate::solver::runner::{self, Launcher};
use crate::solver::sandbox::AccessRules;

/// A command, and the part of its behaviour that counts.
pub struct UserCommand {
    launch: LaunchSpec,
    launcher: Launcher,
    limits: Limits,
    compare: ComparedOutputs,
    drivers: Mutex<Vec<Box<dyn Driver>>>,
}

/// The outputs that are compared, in addition to exit code and signal.
#[derive(Debug, Clone, Default)]
pub struct ComparedOutputs {
    /// Standard output.
    pub output: Stream,
    /// Standard error.
    pub errors: Stream,
}

/// The part of an output that is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stream {
    /// All of it.
    #[default]
    Equal,
    /// Nothing.
    Ignored,
    /// Whether it contains this text.
    Holds(String),
}

/// The behaviour of a command on a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error.
    pub errors: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

impl UserCommand {
    /// A program with the arguments that come before the path of the script.
    pub fn new(
        program: PathBuf,
        arguments: &[String],
        launcher: &Launcher,
        limits: Limits,
        compare: ComparedOutputs,
    ) -> Self {
        let environment =
            launcher.variables.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let arguments =
            arguments.iter().cloned().chain([LaunchSpec::SCRIPT_PLACEHOLDER.to_owned()]).collect();
        let access = AccessRules::of_command(&program, launcher);
        let launch = LaunchSpec { program, arguments, environment, access, ..LaunchSpec::default() };
        UserCommand { launch, launcher: launcher.clone(), limits, compare, drivers: Mutex::default() }
    }

    /// Runs it on a script.
    pub fn run(&self, text: &str) -> Result<Behaviour, RunError> {
        self.run_unless(text, self.limits.wall, &AtomicBool::new(false))
    }

    /// Runs it on a script, until a timeout or until `stop` is set.
    fn run_unless(&self, text: &str, time: Duration, stop: &AtomicBool) -> Result<Behaviour, RunError> {
        let lent = self.drivers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut driver = match lent {
            Some(driver) => driver,
            None => (runner::plain().open)(&self.launcher.host, &self.launch)?,
        };
        // Output after the timeout is not read.
        let limits = Limits { wall: time.min(self.limits.wall), grace: Duration::ZERO, ..self.limits };
        let run = driver.run_unless(&Query { script: text, limits, ask: Ask::ANSWERS_ONLY }, stop)?;
        self.drivers.lock().unwrap_or_else(PoisonError::into_inner).push(driver);
        let Run { exit, output, errors, wall, .. } = run;
        Ok(Behaviour { exit, output, errors, took: wall })
    }

    /// Returns true if two behaviours are equal in the parts that count.
    pub fn is_same(&self, one: &Behaviour, other: &Behaviour) -> bool {
        let stream = |compare: &Stream, one: &[u8], other: &[u8]| match compare {
            Stream::Ignored => true,
            Stream::Equal => one == other,
            Stream::Holds(text) => holds(one, text),
        };
        one.exit == other.exit
            && stream(&self.compare.output, &one.output, &other.output)
            && stream(&self.compare.errors, &one.errors, &other.errors)
    }

    /// The test for the behaviour on the first script.
    pub fn question<'a>(
        &'a self,
        first: (&'a str, Behaviour),
        known: Vec<(Arc<str>, Behaviour)>,
    ) -> SameBehaviour<'a> {
        let (text, first) = first;
        SameBehaviour {
            command: self,
            text,
            first,
            known,
            missed: AtomicUsize::new(0),
            flaky: AtomicBool::new(false),
        }
    }
}

/// Returns true if an output contains a text.
fn holds(written: &[u8], text: &str) -> bool {
    text.is_empty() || written.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Candidates in a row, from the first on, that may behave differently before the first script is run again.
const MAX_MISSES: usize = 6;

/// Tests that a command behaves on a script as on the first one.
pub struct SameBehaviour<'a> {
    command: &'a UserCommand,
    text: &'a str,
    first: Behaviour,
    known: Vec<(Arc<str>, Behaviour)>,
    /// Candidates with another behaviour; set far beyond the limit once one has the same.
    missed: AtomicUsize,
    flaky: AtomicBool,
}

impl SameBehaviour<'_> {
    /// Returns true if the command was seen to behave differently on the first script.
    pub fn is_flaky(&self) -> bool {
        self.flaky.load(Ordering::Relaxed)
    }

    /// Tests a text, which need not be a script.
    pub fn test_text(&self, candidate: &CandidateText<'_>) -> TestOutcome {
        if candidate.stop.load(Ordering::Relaxed) {
            return TestOutcome::Uninteresting;
        }
        let reply = match self.behaviour(candidate) {
            Ok(behaviour) if self.command.is_same(&behaviour, &self.first) => TestOutcome::Interesting,
            Ok(behaviour) if matches!(behaviour.exit, Exit::WallLimit | Exit::CpuLimit) => {
                TestOutcome::TimedOut
            }
            Ok(_) => TestOutcome::Uninteresting,
            Err(error) => return TestOutcome::Failed(error.to_string()),
        };
        // A run that was stopped tells nothing.
        if candidate.stop.load(Ordering::Relaxed) && reply != TestOutcome::Interesting {
            reply
        } else {
            self.note(reply)
        }
    }

    fn behaviour(&self, candidate: &CandidateText<'_>) -> Result<Behaviour, RunError> {
        if let Some((_, known)) = self.known.iter().find(|(text, _)| **text == *candidate.text) {
            return Ok(known.clone());
        }
        let time = candidate.timeout.unwrap_or(self.command.limits.wall);
        self.command.run_unless(candidate.text, time, candidate.stop)
    }

    /// Counts a candidate, and runs the first script again after too many with another behaviour.
    fn note(&self, reply: TestOutcome) -> TestOutcome {
        if reply == TestOutcome::Interesting {
            self.missed.store(2 * MAX_MISSES, Ordering::Relaxed);
            return reply;
        }
        if self.missed.fetch_add(1, Ordering::Relaxed) + 1 != MAX_MISSES {
            return reply;
        }
        match self.command.run(self.text) {
            Ok(again) if self.command.is_same(&again, &self.first) => reply,
            Ok(_) => {
                self.flaky.store(true, Ordering::Relaxed);
                TestOutcome::Failed("the command behaves differently from run to run".to_owned())
            }
            Err(error) => TestOutcome::Failed(error.to_string()),
        }
    }
}

impl InterestingnessTest for SameBehaviour<'_> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
        let Candidate { text, timeout, stop, .. } = *candidate;
        self.test_text(&CandidateText { text, timeout, stop })
    }
}
