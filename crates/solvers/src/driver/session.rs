//! The session driver: one process for many scripts, with `(reset)` between them.
//!
//! ```text
//! …the script, up to its (exit)…
//! (reset)
//! (echo "gainsay-41c6-session-end")     the solver has come this far
//! ```
//!
//! The cheapest driver, and the least faithful: `(reset)` does not undo everything. z3 keeps every option and even
//! `(set-info :status …)`, so what the profile does not know how to undo is run by the plain driver instead; so is a script
//! that would end or confuse a session. The process is replaced after some scripts, and after any trouble.

use std::ffi::OsString;
use std::fmt::Write as _;

use super::live::{Live, Told};
use super::plain::Plain;
use super::questions::Questions;
use super::{Driver, Kind, Launch, Session};
use crate::outline::{self, Command};
use crate::process::{Helper, HelperOrder, Host, RunError};
use crate::profile::Positions;
use crate::reading::read;
use crate::run::{Exit, Query, Run};

/// The entry in the list of drivers.
pub const KIND: Kind = Kind {
    name: "session",
    about: "one process for many scripts, (reset) between them",
    fits: |launch| launch.session.is_some(),
    open: |host, launch| Ok(Box::new(Sessions::open(host, launch)?)),
};

/// One process for many scripts.
pub struct Sessions {
    host: Host,
    launch: Launch,
    session: Session,
    plain: Plain,
    /// The line that ends a script's output. No script knows it.
    end: String,
    helper: Option<Helper>,
    live: Option<Live>,
}

impl Sessions {
    /// A driver for this solver, which must allow sessions.
    pub fn open(host: &Host, launch: &Launch) -> Result<Self, RunError> {
        let session = launch.session.clone().ok_or_else(|| RunError::HelperGone("no session".to_owned()))?;
        let plain = Plain::open(host, launch)?;
        let end = launch.token.line("session-end");
        Ok(Sessions {
            host: host.clone(),
            launch: launch.clone(),
            session,
            plain,
            end,
            helper: None,
            live: None,
        })
    }

    /// The text to send for a script, or `None` if a session is no place for it.
    fn text(&self, query: &Query<'_>) -> Option<String> {
        let questions = Questions::new(&self.launch, query);
        let outline = outline::outline(query.script);
        if !outline.clean {
            return None;
        }
        let run = outline.before_exit();
        let end = outline.commands.get(run.commands.len()).map_or(query.script.len(), |exit| exit.start);
        let script = questions.marked(&query.script[..end], &run);
        let mut undo = String::new();
        self.undo(&outline::outline(questions.head()).commands, &mut undo)?;
        self.undo(&run.commands, &mut undo)?;
        let (lead, head, tail, end) = (self.lead(), questions.head(), questions.tail(), &self.end);
        Some(format!("{lead}{head}{script}\n{tail}{}\n{undo}(echo \"{end}\")\n", self.session.habits.undo))
    }

    /// Writes what sets the options again that commands set; `None` if that cannot be undone.
    fn undo(&self, commands: &[Command<'_>], undo: &mut String) -> Option<()> {
        let habits = &self.session.habits;
        for command in commands {
            match command.name {
                "reset" => return None,
                "set-option" if !habits.undo.is_empty() => {
                    let default = habits.options.get(command.argument())?;
                    let _ = writeln!(undo, "(set-option {} {default})", command.argument());
                }
                _ => {}
            }
        }
        Some(())
    }

    /// What goes before a script: z3 counts the columns of a file's first line from 1 and of all others from 0, so the
    /// first line of every script is made one of the others, with its columns shifted.
    fn lead(&self) -> &'static str {
        match self.session.habits.positions {
            Positions::Continue => "\n ",
            Positions::Restart => "",
        }
    }

    /// The process, a new one if there is none that will do.
    fn live(&mut self, query: &Query<'_>) -> Result<&mut Live, RunError> {
        let old = self.live.take();
        let fits = |live: &Live| live.scripts < self.session.habits.scripts && live.limits_fit(&query.limits);
        if let Some(live) = old {
            if fits(&live) {
                return Ok(self.live.insert(live));
            }
            live.end(self.helper.as_ref().expect("a session runs under a helper"));
        }
        let live = match self.helper.as_ref().map(|helper| Live::start(helper, &self.launch, &query.limits)) {
            Some(Ok(live)) => live,
            // No helper yet, or one that was killed.
            _ => {
                let words = self.command();
                let Launch { environment, reach, .. } = &self.launch;
                let order = HelperOrder { words: &words, environment, reach: reach.as_ref() };
                let helper = self.helper.insert(Helper::start(&self.host, order)?);
                Live::start(helper, &self.launch, &query.limits)?
            }
        };
        Ok(self.live.insert(live))
    }

    fn command(&self) -> Vec<OsString> {
        let mut command: Vec<OsString> =
            vec!["keep".into(), "--".into(), self.session.program.clone().into()];
        command
            .extend(self.session.arguments.iter().map(|word| word.replace(Session::END, &self.end).into()));
        command
    }
}

impl Driver for Sessions {
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        let Some(text) = self.text(query) else { return self.plain.run(query) };
        let end = self.end.clone();
        let live = self.live(query)?;
        let lines_before = live.lines;
        let told = live.tell(&text, &end, &query.limits);
        let helper = self.helper.as_ref().expect("a session runs under a helper");
        let live = self.live.take().expect("it was just used");
        let (told, live) = match told {
            Ok(told) => (told, Some(live)),
            Err(broken) => (live.collect(broken, helper, &query.limits)?, None),
        };
        self.live = live;
        Ok(self.understand(query, told, lines_before))
    }
}

impl Sessions {
    fn understand(&self, query: &Query<'_>, mut told: Told, lines_before: usize) -> Run {
        if self.session.habits.positions == Positions::Continue {
            shift_lines(&mut told.output, b"(error \"line ", lines_before + 1);
            shift_lines(&mut told.errors, b" line: ", lines_before + 1);
        }
        let first = told.exit.unwrap_or(Exit::Code(0));
        let replies = Questions::new(&self.launch, query).take(&mut told.output, first);
        let mut reading = read(&told.output, first);
        let exit = told.exit.unwrap_or(Exit::Code(i32::from(!reading.messages.is_empty())));
        reading.messages.extend(read(&told.errors, first).messages);
        Run {
            answers: replies.answers.unwrap_or(reading.answers),
            messages: reading.messages,
            output: told.output,
            errors: told.errors,
            model: replies.model,
            exit,
            cpu: told.cpu,
            wall: told.wall,
            peak_memory: told.peak_memory,
            work: replies.work,
            trace: None,
            statistics: replies.statistics,
            remarks: replies.remarks,
            removed: Vec::new(),
            trouble: None,
        }
    }
}

/// Counts the lines in a solver's messages from the start of the script instead of the start of the session.
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
