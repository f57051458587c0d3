//! The question of a command: does it end with a script as it ended with the first one?
//!
//! The path of the script is put after the words of the command, as other reducers do. Equal means the same exit code or signal, and
//! the same text on standard output and on standard error, unless something else is asked for.
//!
//! A command that does something else every time is found out without asking twice about the first script, which may take long:
//! a candidate with which it does the same shows that it can be repeated, and only if there is none soon is the first asked about again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::reduce::{Candidate, InterestingnessTest, TestOutcome};
use crate::solver::driver::{Driver, LaunchSpec};
use crate::solver::process::RunError;
use crate::solver::run::{Ask, Exit, Limits, Query, Run};
use crate::solver::runner::{self, Setting};
use crate::solver::sandbox::AccessRules;

/// A command and what of its behaviour counts.
pub struct UserCommand {
    launch: LaunchSpec,
    setting: Setting,
    limits: Limits,
    compare: ComparedOutputs,
    drivers: Mutex<Vec<Box<dyn Driver>>>,
}

/// What is compared of two runs beside how they end.
#[derive(Debug, Clone, Default)]
pub struct ComparedOutputs {
    /// Standard output.
    pub output: Stream,
    /// Standard error.
    pub errors: Stream,
}

/// What is compared of what a command writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stream {
    /// All of it.
    #[default]
    Equal,
    /// Nothing.
    Ignored,
    /// Whether this stands in it.
    Holds(String),
}

/// What a command did with a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// How it ended.
    pub exit: Exit,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// What it wrote to standard error.
    pub errors: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

impl UserCommand {
    /// A program with the arguments that come before the path of the script.
    pub fn new(
        program: PathBuf,
        arguments: &[String],
        setting: &Setting,
        limits: Limits,
        compare: ComparedOutputs,
    ) -> Self {
        let environment =
            setting.variables.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let arguments = arguments.iter().cloned().chain([LaunchSpec::SCRIPT.to_owned()]).collect();
        let access = AccessRules::of_command(&program, setting);
        let launch = LaunchSpec { program, arguments, environment, access, ..LaunchSpec::default() };
        UserCommand { launch, setting: setting.clone(), limits, compare, drivers: Mutex::default() }
    }

    /// What it does with a script.
    pub fn run(&self, text: &str) -> Result<Behaviour, RunError> {
        self.run_unless(text, self.limits.wall, &AtomicBool::new(false))
    }

    /// What it does with a script, for at most so long, as far as it comes before `stop` is set.
    fn run_unless(&self, text: &str, time: Duration, stop: &AtomicBool) -> Result<Behaviour, RunError> {
        let lent = self.drivers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut driver = match lent {
            Some(driver) => driver,
            None => (runner::plain().open)(&self.setting.host, &self.launch)?,
        };
        // Nobody reads what it may have to say when its time is over.
        let limits = Limits { wall: time.min(self.limits.wall), grace: Duration::ZERO, ..self.limits };
        let run = driver.run_unless(&Query { script: text, limits, ask: Ask::NOTHING }, stop)?;
        self.drivers.lock().unwrap_or_else(PoisonError::into_inner).push(driver);
        let Run { exit, output, errors, wall, .. } = run;
        Ok(Behaviour { exit, output, errors, took: wall })
    }

    /// Whether one behaviour is the same as another as far as it counts.
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

    /// The question whether it does with a script what it did with the first one, given what is known of others.
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

/// Whether a text stands in what was written.
fn holds(written: &[u8], text: &str) -> bool {
    text.is_empty() || written.windows(text.len()).any(|window| window == text.as_bytes())
}

/// So many candidates in a row from the first on may do something else before the first script is asked about again.
const MAX_MISSES: usize = 6;

/// Whether a command does the same with a script as with the first one.
pub struct SameBehaviour<'a> {
    command: &'a UserCommand,
    text: &'a str,
    first: Behaviour,
    known: Vec<(Arc<str>, Behaviour)>,
    /// Candidates that did something else; more than ever happen once one did the same.
    missed: AtomicUsize,
    flaky: AtomicBool,
}

impl SameBehaviour<'_> {
    /// Whether it was seen that the command does not do the same with the first script every time.
    pub fn is_flaky(&self) -> bool {
        self.flaky.load(Ordering::Relaxed)
    }

    fn behaviour(&self, candidate: &Candidate<'_>) -> Result<Behaviour, RunError> {
        if let Some((_, known)) = self.known.iter().find(|(text, _)| **text == *candidate.text) {
            return Ok(known.clone());
        }
        let time = candidate.timeout.unwrap_or(self.command.limits.wall);
        self.command.run_unless(candidate.text, time, candidate.stop)
    }

    /// Notes that the command did the same again, or that it did not, and whether it does so at all.
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
                TestOutcome::Failed("the command does not do the same with the script every time".to_owned())
            }
            Err(error) => TestOutcome::Failed(error.to_string()),
        }
    }
}

impl InterestingnessTest for SameBehaviour<'_> {
    fn test(&self, candidate: &Candidate<'_>) -> TestOutcome {
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
        // What was stopped says nothing.
        if candidate.stop.load(Ordering::Relaxed) && reply != TestOutcome::Interesting {
            reply
        } else {
            self.note(reply)
        }
    }
}
