//! The session driver: one process for many scripts, with `(reset)` between them.
//!
//! ```text
//! …the script, up to its (exit)…
//! (reset)
//! (echo "gainsay-41c6-session-end")     marks the end of the script's output
//! ```
//!
//! The cheapest driver, and the least faithful: `(reset)` does not undo everything. z3 keeps every option and even
//! `(set-info :status …)`. The plain driver runs scripts with options that the profile cannot reset, and scripts that would end
//! or confuse a session. The process is replaced after a number of scripts, and after any trouble.

use std::ffi::OsString;
use std::fmt::Write as _;

use gainsay_coverage::channel::CoverageChannel;

use super::extra_commands::ExtraCommands;
use super::plain::PlainDriver;
use super::running_session::{RunningSession, SessionReply};
use super::{Driver, DriverKind, LaunchSpec, SessionSpec};
use crate::outline::{self, ScriptCommand};
use crate::output_reader::read_output;
use crate::process::{Helper, HelperCommand, HelperProgram, RunError};
use crate::profile::LineNumbering;
use crate::run::{Exit, Query, Run};

/// The entry in the list of drivers.
pub const SESSION_DRIVER: DriverKind = DriverKind {
    name: "session",
    about: "one process for many scripts, (reset) between them",
    fits: |launch| launch.session.is_some(),
    open: |host, launch| Ok(Box::new(SessionDriver::open(host, launch)?)),
};

/// One process for many scripts.
pub struct SessionDriver {
    host: HelperProgram,
    launch: LaunchSpec,
    session: SessionSpec,
    /// For scripts that cannot run in a session; opened with the first of them.
    plain: Option<PlainDriver>,
    /// The line that ends a script's output, which no script can guess.
    end: String,
    helper: Option<Helper>,
    running: Option<RunningSession>,
    coverage: Option<CoverageChannel>,
}

impl SessionDriver {
    /// A driver for this solver, which must support sessions.
    pub fn open(host: &HelperProgram, launch: &LaunchSpec) -> Result<Self, RunError> {
        let session = launch.session.clone().ok_or_else(|| RunError::HelperGone("no session".to_owned()))?;
        let end = launch.token.line("session-end");
        Ok(SessionDriver {
            host: host.clone(),
            launch: launch.clone(),
            session,
            plain: None,
            end,
            helper: None,
            running: None,
            coverage: launch.open_channel()?,
        })
    }

    /// The text to send for a script; `None` if it cannot run in a session.
    fn text(&self, query: &Query<'_>) -> Option<String> {
        let extra = ExtraCommands::new(&self.launch, query);
        let outline = outline::outline(query.script);
        if !outline.clean {
            return None;
        }
        let run = outline.before_exit();
        let end = outline.commands.get(run.commands.len()).map_or(query.script.len(), |exit| exit.start);
        let script = extra.marked(&query.script[..end], &run);
        let mut undo = String::new();
        self.undo(&outline::outline(extra.head()).commands, &mut undo)?;
        self.undo(&run.commands, &mut undo)?;
        let (lead, head, tail, end) = (self.lead(), extra.head(), extra.tail(), &self.end);
        Some(format!("{lead}{head}{script}\n{tail}{}\n{undo}(echo \"{end}\")\n", self.session.support.undo))
    }

    /// Writes commands that reset the options set by `commands`; `None` if one of them cannot be reset.
    fn undo(&self, commands: &[ScriptCommand<'_>], undo: &mut String) -> Option<()> {
        let support = &self.session.support;
        for command in commands {
            match command.name {
                "reset" => return None,
                "set-option" if !support.undo.is_empty() => {
                    let default = support.options.get(command.argument())?;
                    let _ = writeln!(undo, "(set-option {} {default})", command.argument());
                }
                _ => {}
            }
        }
        Some(())
    }

    /// The text before a script. z3 counts columns of the first line of its input from 1 and of all others from 0, so every script
    /// starts on a later line, shifted by one column.
    fn lead(&self) -> &'static str {
        match self.session.support.positions {
            LineNumbering::Continue => "\n ",
            LineNumbering::Restart => "",
        }
    }

    /// The running process, or a new one if none runs or its limits or age do not suit.
    fn running(&mut self, query: &Query<'_>) -> Result<&mut RunningSession, RunError> {
        let old = self.running.take();
        let fits = |running: &RunningSession| {
            running.scripts < self.session.support.scripts && running.limits_fit(&query.limits)
        };
        if let Some(running) = old {
            if fits(&running) {
                return Ok(self.running.insert(running));
            }
            running.end(self.helper.as_ref().expect("a session runs under a helper"));
        }
        let running = match self
            .helper
            .as_ref()
            .map(|helper| RunningSession::start(helper, &self.launch, &query.limits))
        {
            Some(Ok(running)) => running,
            // No helper yet, or it was killed.
            _ => {
                let words = self.command();
                let LaunchSpec { environment, access, .. } = &self.launch;
                let helper_command = HelperCommand {
                    words: &words,
                    environment,
                    access: access.as_ref(),
                    coverage: self.coverage.as_ref(),
                };
                let helper = self.helper.insert(Helper::start(&self.host, helper_command)?);
                RunningSession::start(helper, &self.launch, &query.limits)?
            }
        };
        Ok(self.running.insert(running))
    }

    /// The driver for scripts that cannot run in a session.
    fn plain(&mut self) -> Result<&mut PlainDriver, RunError> {
        let plain = match self.plain.take() {
            Some(plain) => plain,
            None => PlainDriver::open(&self.host, &self.launch)?,
        };
        Ok(self.plain.insert(plain))
    }

    fn command(&self) -> Vec<OsString> {
        let mut command: Vec<OsString> =
            vec!["keep".into(), "--".into(), self.session.program.clone().into()];
        command.extend(
            self.session
                .arguments
                .iter()
                .map(|word| word.replace(SessionSpec::END_PLACEHOLDER, &self.end).into()),
        );
        command
    }
}

impl Driver for SessionDriver {
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        let Some(text) = self.text(query) else { return self.plain()?.run(query) };
        let end = self.end.clone();
        let running = self.running(query)?;
        let lines_before = running.lines;
        let reply = running.exchange(&text, &end, &query.limits);
        let helper = self.helper.as_ref().expect("a session runs under a helper");
        let running = self.running.take().expect("it was just used");
        let (reply, running) = match reply {
            Ok(reply) => (reply, Some(running)),
            Err(broken) => (running.collect(broken, helper, &query.limits)?, None),
        };
        self.running = running;
        let mut run = self.understand(query, reply, lines_before);
        run.reached = self.coverage.as_mut().map(CoverageChannel::take).unwrap_or_default();
        Ok(run)
    }
}

impl SessionDriver {
    fn understand(&self, query: &Query<'_>, mut reply: SessionReply, lines_before: usize) -> Run {
        if self.session.support.positions == LineNumbering::Continue {
            shift_lines(&mut reply.output, b"(error \"line ", lines_before + 1);
            shift_lines(&mut reply.errors, b" line: ", lines_before + 1);
        }
        let first = reply.exit.unwrap_or(Exit::Code(0));
        let replies = ExtraCommands::new(&self.launch, query).take_replies(&mut reply.output, first);
        let mut reading = read_output(&reply.output, first);
        let exit = reply.exit.unwrap_or(Exit::Code(i32::from(!reading.messages.is_empty())));
        reading.messages.extend(read_output(&reply.errors, first).messages);
        Run {
            answers: replies.answers.unwrap_or(reading.answers),
            places: replies.places.unwrap_or(reading.places),
            messages: reading.messages,
            output: reply.output,
            errors: reply.errors,
            model: replies.model,
            cpu: reply.cpu,
            wall: reply.wall,
            peak_memory: reply.peak_memory,
            work: replies.work,
            statistics: replies.statistics,
            remarks: replies.remarks,
            ..Run::ended(exit)
        }
    }
}

/// Changes line numbers in messages to count from the start of the script, not of the session.
fn shift_lines(output: &mut Vec<u8>, before: &[u8], lines: usize) {
    let mut at = 0;
    while let Some(found) = output[at..].windows(before.len()).position(|part| part == before) {
        let start = at + found + before.len();
        let length = output[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&output[start..start + length])
            .ok()
            .and_then(|text| text.parse::<usize>().ok());
        if let Some(number) = number.filter(|&number| number > lines) {
            output.splice(start..start + length, (number - lines).to_string().into_bytes());
        }
        at = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_the_start_of_the_script() {
        let mut output = b"sat\n(error \"line 12 column 3: no\")\n(error \"line 4 column 1\")\n".to_vec();
        shift_lines(&mut output, b"(error \"line ", 9);
        assert_eq!(output, b"sat\n(error \"line 3 column 3: no\")\n(error \"line 4 column 1\")\n");
    }
}
