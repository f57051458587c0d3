//! One request to a helper per script: shared by the plain and the fork driver.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gainsay_coverage::channel::CoverageChannel;
use rustix::event::{PollFd, PollFlags, poll};

use super::LaunchSpec;
use super::extra_commands::ExtraCommands;
use crate::output_reader::read_output;
use crate::process::{Helper, HelperCommand, HelperProgram, MemoryFile, RunError, exit_of};
use crate::protocol::{HelperReport, HelperRequest, ProcessEnd};
use crate::run::{Exit, Limits, Query, Run};
use crate::sys::timespec;

/// A helper with memory files for the script, its output and its errors.
pub struct OneShot {
    host: HelperProgram,
    command: Vec<OsString>,
    launch: LaunchSpec,
    stdio: [MemoryFile; 3],
    helper: Option<Helper>,
    coverage: Option<CoverageChannel>,
}

impl OneShot {
    /// Runs scripts by a helper with this command line, which starts with the first script.
    pub fn new(host: &HelperProgram, launch: &LaunchSpec, command: Vec<OsString>) -> Result<Self, RunError> {
        let stdio = [MemoryFile::input()?, MemoryFile::output()?, MemoryFile::output()?];
        let coverage = launch.open_channel()?;
        Ok(OneShot { host: host.clone(), command, launch: launch.clone(), stdio, helper: None, coverage })
    }

    /// Runs one script, to its end or until `stop` is set.
    pub fn run(&mut self, query: &Query<'_>, stop: Option<&AtomicBool>) -> Result<Run, RunError> {
        let [_, output, errors] = &self.stdio;
        let text = ExtraCommands::new(&self.launch, query).wrap(query.script);
        output.clear()?;
        errors.clear()?;
        // The kernel limits the size of the files, which still contain the output of earlier scripts.
        let before = if query.limits.output > 0 { output.start().max(errors.start()) } else { 0 };
        let limits = Limits { output: query.limits.output + before, ..query.limits };
        match self.request(&text, HelperRequest::Run(limits), stop)? {
            HelperReport::Ended(end) => self.collect(query, &end),
            HelperReport::Failed(error) => {
                let program = self.launch.program.display().to_string();
                Err(RunError::Start { program, source: std::io::Error::from_raw_os_error(error) })
            }
            HelperReport::Started(_) => Err(RunError::HelperGone("it answers out of turn".to_owned())),
        }
    }

    /// Sends a request to the helper, and to a new one if it does not run or was killed between scripts.
    fn request(
        &mut self,
        text: &str,
        request: HelperRequest,
        stop: Option<&AtomicBool>,
    ) -> Result<HelperReport, RunError> {
        // The folder of a helper that was killed is gone, so its script cannot be written either.
        if let Some(helper) = self.helper.take()
            && self.place_script(text, &helper).is_ok()
            && helper.send(request, &[]).is_ok()
        {
            return self.wait_for_report(helper, stop);
        }
        let helper = Helper::start(&self.host, self.helper_command())?;
        self.place_script(text, &helper)?;
        let [script, output, errors] = &self.stdio;
        helper.send_with_stdio(request, [script, output, errors])?;
        self.wait_for_report(helper, stop)
    }

    fn helper_command(&self) -> HelperCommand<'_> {
        let LaunchSpec { environment, access, .. } = &self.launch;
        let coverage = self.coverage.as_ref();
        HelperCommand { words: &self.command, environment, access: access.as_ref(), coverage }
    }

    /// Writes the script to the solver's file, or to the memory file that is its standard input.
    fn place_script(&self, text: &str, helper: &Helper) -> Result<(), RunError> {
        match helper.script().filter(|_| self.helper_command().takes_file()) {
            Some(path) => Ok(std::fs::write(path, text)?),
            None => self.stdio[0].fill(text.as_bytes()),
        }
    }

    /// Waits for the report. If the helper is killed, the solver dies with it, which is a run that a signal ended.
    fn wait_for_report(
        &mut self,
        helper: Helper,
        stop: Option<&AtomicBool>,
    ) -> Result<HelperReport, RunError> {
        if let Some(stop) = stop {
            wait(&helper, stop)?;
        }
        match helper.receive_report() {
            Ok(report) => {
                self.helper = Some(helper);
                Ok(report)
            }
            Err(error) => helper.killed_by().map(ProcessEnd::killed).map(HelperReport::Ended).ok_or(error),
        }
    }

    fn collect(&mut self, query: &Query<'_>, end: &ProcessEnd) -> Result<Run, RunError> {
        let reached = self.coverage.as_mut().map(CoverageChannel::take).unwrap_or_default();
        let [_, output, errors] = &self.stdio;
        let (mut output, errors) = (output.read(query.limits.output)?, errors.read(query.limits.output)?);
        let exit = exit_of(end, &query.limits, output.len().max(errors.len()) as u64);
        let replies = ExtraCommands::new(&self.launch, query).take_replies(&mut output, exit);
        let mut reading = read_output(&output, exit);
        // A solver without a model exits with an error code, which does not concern the script.
        let excused = replies.refused && reading.messages.is_empty() && exit == Exit::Code(1);
        let exit = if excused { Exit::Code(0) } else { exit };
        reading.messages.extend(read_output(&errors, exit).messages);
        Ok(Run {
            answers: replies.answers.unwrap_or(reading.answers),
            places: replies.places.unwrap_or(reading.places),
            messages: reading.messages,
            output,
            errors,
            model: replies.model,
            cpu: end.cpu,
            wall: end.wall,
            peak_memory: end.peak_memory,
            work: replies.work,
            statistics: replies.statistics,
            remarks: replies.remarks,
            reached,
            ..Run::ended(exit)
        })
    }
}

/// How often to check whether the run shall stop.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Waits for a report; ends the run when `stop` is set.
fn wait(helper: &Helper, stop: &AtomicBool) -> Result<(), RunError> {
    loop {
        if stop.load(Ordering::Relaxed) {
            // The helper ignores this if the solver has ended meanwhile.
            return helper.send(HelperRequest::Stop(Duration::ZERO), &[]);
        }
        let mut fds = [PollFd::new(helper.control(), PollFlags::IN | PollFlags::HUP)];
        match poll(&mut fds, Some(&timespec(STOP_POLL_INTERVAL))) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
