//! One request to a helper per script: what the plain driver and the fork server have in common.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use super::Launch;
use super::questions::Questions;
use crate::process::{Helper, HelperOrder, Host, MemoryFile, RunError, exit_of};
use crate::protocol::{End, Report, Request};
use crate::reading::read;
use crate::run::{Exit, Limits, Query, Run};
use crate::sys::timespec;

/// A helper with memory files for the script and what comes back.
pub struct OneShot {
    host: Host,
    command: Vec<OsString>,
    launch: Launch,
    stdio: [MemoryFile; 3],
    helper: Option<Helper>,
}

impl OneShot {
    /// Scripts for the helper with this command; it starts with the first script.
    pub fn new(host: &Host, launch: &Launch, command: Vec<OsString>) -> Result<Self, RunError> {
        let stdio = [MemoryFile::input()?, MemoryFile::output()?, MemoryFile::output()?];
        Ok(OneShot { host: host.clone(), command, launch: launch.clone(), stdio, helper: None })
    }

    /// Runs one script, to its end or until `stop` is set.
    pub fn run(&mut self, query: &Query<'_>, stop: Option<&AtomicBool>) -> Result<Run, RunError> {
        let [_, output, errors] = &self.stdio;
        let text = Questions::new(&self.launch, query).around(query.script);
        output.clear()?;
        errors.clear()?;
        // The kernel limits the size of files, which hold what scripts before this one wrote, too.
        let before = if query.limits.output > 0 { output.start().max(errors.start()) } else { 0 };
        let limits = Limits { output: query.limits.output + before, ..query.limits };
        match self.ask(&text, Request::Run(limits), stop)? {
            Report::Ended(end) => self.collect(query, &end),
            Report::Failed(error) => {
                let program = self.launch.program.display().to_string();
                Err(RunError::Start { program, source: std::io::Error::from_raw_os_error(error) })
            }
            Report::Started(_) => Err(RunError::HelperGone("it answers out of turn".to_owned())),
        }
    }

    /// Asks the helper; a new one if there is none, or if the one there was killed while nothing ran.
    fn ask(&mut self, text: &str, request: Request, stop: Option<&AtomicBool>) -> Result<Report, RunError> {
        if let Some(helper) = self.helper.take() {
            self.place_script(text, &helper)?;
            if helper.ask_with(request, &[]).is_ok() {
                return self.hear(helper, stop);
            }
        }
        let helper = Helper::start(&self.host, self.order())?;
        self.place_script(text, &helper)?;
        let [script, output, errors] = &self.stdio;
        helper.ask(request, [script, output, errors])?;
        self.hear(helper, stop)
    }

    fn order(&self) -> HelperOrder<'_> {
        let Launch { environment, reach, .. } = &self.launch;
        HelperOrder { words: &self.command, environment, reach: reach.as_ref() }
    }

    /// Puts a script where the solver reads it: into its file, or into the memory file that is its standard input.
    fn place_script(&self, text: &str, helper: &Helper) -> Result<(), RunError> {
        match helper.script().filter(|_| self.order().takes_file()) {
            Some(path) => Ok(std::fs::write(path, text)?),
            None => self.stdio[0].fill(text.as_bytes()),
        }
    }

    /// Waits for the report. A helper that is killed while a solver runs takes the solver with it: that is a run, too.
    fn hear(&mut self, helper: Helper, stop: Option<&AtomicBool>) -> Result<Report, RunError> {
        if let Some(stop) = stop {
            wait(&helper, stop)?;
        }
        match helper.listen() {
            Ok(report) => {
                self.helper = Some(helper);
                Ok(report)
            }
            Err(error) => helper.killed_by().map(End::killed).map(Report::Ended).ok_or(error),
        }
    }

    fn collect(&self, query: &Query<'_>, end: &End) -> Result<Run, RunError> {
        let [_, output, errors] = &self.stdio;
        let (mut output, errors) = (output.read(query.limits.output)?, errors.read(query.limits.output)?);
        let exit = exit_of(end, &query.limits, output.len().max(errors.len()) as u64);
        let replies = Questions::new(&self.launch, query).take(&mut output, exit);
        let mut reading = read(&output, exit);
        // A solver that has no model to give ends with an error code, which says nothing of the script.
        let excused = replies.refused && reading.messages.is_empty() && exit == Exit::Code(1);
        let exit = if excused { Exit::Code(0) } else { exit };
        reading.messages.extend(read(&errors, exit).messages);
        Ok(Run {
            answers: replies.answers.unwrap_or(reading.answers),
            messages: reading.messages,
            output,
            errors,
            model: replies.model,
            exit,
            cpu: end.cpu,
            wall: end.wall,
            peak_memory: end.peak_memory,
            work: replies.work,
            trace: None,
            statistics: replies.statistics,
            remarks: replies.remarks,
            removed: Vec::new(),
            trouble: None,
        })
    }
}

/// How often it is looked whether a run is still wanted.
const LOOK: Duration = Duration::from_millis(5);

/// Waits until there is a report; ends the run when `stop` is set.
fn wait(helper: &Helper, stop: &AtomicBool) -> Result<(), RunError> {
    loop {
        if stop.load(Ordering::Relaxed) {
            // A helper that has nothing to stop any more takes no notice.
            return helper.ask_with(Request::Stop(Duration::ZERO), &[]);
        }
        let mut fds = [PollFd::new(helper.control(), PollFlags::IN | PollFlags::HUP)];
        match poll(&mut fds, Some(&timespec(LOOK))) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
