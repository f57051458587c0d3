//! A dialogue: one solver process that keeps its state between commands.
//!
//! ```text
//! (push 1) (assert p) (check-sat)        sat
//! (get-value (x))                        ((x 3))
//! (pop 1)
//! ```
//!
//! Drivers run whole scripts; a dialogue asks many questions about one script. It ends with the solver's process: to continue,
//! open another dialogue and send everything again.

use std::ffi::OsString;
use std::time::Duration;

use super::driver::SessionSpec;
use super::driver::running_session::{RunningSession, SessionReply};
use super::process::{Helper, HelperCommand, RunError};
use super::resolve::Solver;
use super::run::{Exit, Limits};
use super::runner::{Launcher, launch_spec};
use super::shortage::wait_out;

/// A running solver that answers commands one by one.
pub struct Dialogue {
    helper: Helper,
    running: Option<RunningSession>,
    limits: Limits,
    end: String,
}

/// A solver's reply to commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogueReply {
    /// Its output, as text.
    pub text: String,
    /// CPU time that it took.
    pub cpu: Duration,
    /// How the dialogue ended, if it did.
    pub exit: Option<Exit>,
}

impl Dialogue {
    /// Starts a dialogue; `None` if the solver reads all its input before it answers.
    ///
    /// Limits apply to each call of [`Dialogue::say`], except for memory, which applies to the process.
    pub fn open(solver: &Solver, launcher: &Launcher, limits: Limits) -> Result<Option<Dialogue>, RunError> {
        let launch = launch_spec(solver, launcher);
        let Some(session) = launch.session.as_ref().filter(|session| !session.support.library_only) else {
            return Ok(None);
        };
        let end = launch.token.line("said");
        let mut command: Vec<OsString> = vec!["keep".into(), "--".into(), session.program.clone().into()];
        command.extend(
            session.arguments.iter().map(|word| word.replace(SessionSpec::END_PLACEHOLDER, &end).into()),
        );
        let helper_command = HelperCommand {
            words: &command,
            environment: &launch.environment,
            access: launch.access.as_ref(),
            coverage: None,
        };
        let start = || {
            let helper = Helper::start(&launcher.host, helper_command)?;
            let running = RunningSession::start(&helper, &launch, &limits)?;
            Ok((helper, Some(running)))
        };
        let ((helper, running), _) = wait_out(start)?;
        Ok(Some(Dialogue { helper, running, limits, end }))
    }

    /// Sends commands and waits until the solver has answered them.
    pub fn say(&mut self, text: &str) -> Result<DialogueReply, RunError> {
        let Some(mut running) = self.running.take() else {
            return Ok(DialogueReply { text: String::new(), cpu: Duration::ZERO, exit: Some(Exit::Code(0)) });
        };
        let text = format!("{text}\n(echo \"{}\")\n", self.end);
        let reply = match running.exchange(&text, &self.end, &self.limits) {
            Ok(reply) => {
                self.running = Some(running);
                SessionReply { exit: None, ..reply }
            }
            Err(broken) => running.collect(broken, &self.helper, &self.limits)?,
        };
        let text = String::from_utf8_lossy(&reply.output).into_owned();
        Ok(DialogueReply { text, cpu: reply.cpu, exit: reply.exit })
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.end(&self.helper);
        }
    }
}
