//! A dialogue: one process that is told commands and asked questions, and remembers what it was told.
//!
//! ```text
//! (push 1) (assert p) (check-sat)        sat
//! (get-value (x))                        ((x 3))
//! (pop 1)
//! ```
//!
//! Drivers run whole scripts; who asks many questions about one script talks to the solver instead. A dialogue that ended,
//! for whatever reason, is over: who wants to go on opens another and says everything again.

use std::ffi::OsString;
use std::time::Duration;

use super::driver::live::{Live, Told};
use super::driver::{Launch, Session};
use super::process::{Helper, HelperOrder, RunError};
use super::resolve::Solver;
use super::run::{Exit, Limits};
use super::runner::{Setting, launch};

/// A solver that is being talked to.
pub struct Dialogue {
    helper: Helper,
    live: Option<Live>,
    limits: Limits,
    end: String,
}

/// What a solver said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Its output, as text.
    pub text: String,
    /// CPU time that it took.
    pub cpu: Duration,
    /// How the dialogue ended, if it did.
    pub exit: Option<Exit>,
}

impl Dialogue {
    /// Starts a dialogue; nothing for a solver that reads to the end of its input before it answers.
    ///
    /// The limits hold for each thing that is said to it, but for memory, which is that of the process.
    pub fn open(solver: &Solver, setting: &Setting, limits: Limits) -> Result<Option<Dialogue>, RunError> {
        let launch: Launch = launch(solver, setting);
        let Some(session) = launch.session.as_ref().filter(|session| !session.habits.library_only) else {
            return Ok(None);
        };
        let end = launch.token.line("said");
        let mut command: Vec<OsString> = vec!["keep".into(), "--".into(), session.program.clone().into()];
        command.extend(session.arguments.iter().map(|word| word.replace(Session::END, &end).into()));
        let order =
            HelperOrder { words: &command, environment: &launch.environment, reach: launch.reach.as_ref() };
        let helper = Helper::start(&setting.host, order)?;
        let live = Some(Live::start(&helper, &launch, &limits)?);
        Ok(Some(Dialogue { helper, live, limits, end }))
    }

    /// Says something and listens until all of it was read and answered.
    pub fn say(&mut self, text: &str) -> Result<Said, RunError> {
        let Some(mut live) = self.live.take() else {
            return Ok(Said { text: String::new(), cpu: Duration::ZERO, exit: Some(Exit::Code(0)) });
        };
        let text = format!("{text}\n(echo \"{}\")\n", self.end);
        let told = match live.tell(&text, &self.end, &self.limits) {
            Ok(told) => {
                self.live = Some(live);
                Told { exit: None, ..told }
            }
            Err(broken) => live.collect(broken, &self.helper, &self.limits)?,
        };
        let text = String::from_utf8_lossy(&told.output).into_owned();
        Ok(Said { text, cpu: told.cpu, exit: told.exit })
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        if let Some(live) = self.live.take() {
            live.end(&self.helper);
        }
    }
}
