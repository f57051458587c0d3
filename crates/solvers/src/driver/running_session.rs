//! A running session: a solver process with a pipe each way, and the time that it uses.
//!
//! The helper reports when the process ends. Time limits are checked here, since the helper does not know when a script begins.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use super::LaunchSpec;
use crate::process::{Helper, MemoryFile, RunError, exit_of};
use crate::protocol::{HelperReport, HelperRequest, ProcessEnd, StopReason};
use crate::run::{Exit, Limits, TRUNCATION_NOTICE};
use crate::run_clock::RunClock;
use crate::sys;

/// A running session.
pub struct RunningSession {
    pid: i32,
    /// To its standard input.
    input: OwnedFd,
    /// From its standard output.
    output: OwnedFd,
    errors: MemoryFile,
    status: Option<File>,
    memory: Option<u64>,
    output_limit: u64,
    cpu_before: Duration,
    /// Lines sent so far.
    pub lines: usize,
    /// Scripts sent so far.
    pub scripts: u32,
}

/// Output and resource usage of one script.
pub struct SessionReply {
    /// Standard output.
    pub output: Vec<u8>,
    /// Standard error.
    pub errors: Vec<u8>,
    /// The exit code that the session printed for the script, or how the session ended; `None` if it continues and printed none.
    pub exit: Option<Exit>,
    /// CPU time.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Largest resident set so far, in bytes.
    pub peak_memory: u64,
}

/// A session that must end: its output so far, and the limit that it hit.
pub struct BrokenSession {
    output: Vec<u8>,
    why: Option<Exit>,
    started: Instant,
}

impl RunningSession {
    /// Starts a session under a helper.
    pub fn start(helper: &Helper, launch: &LaunchSpec, limits: &Limits) -> Result<Self, RunError> {
        let (their_input, input) = pipe_with(PipeFlags::CLOEXEC)?;
        let (output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
        fcntl_setfl(&input, OFlags::NONBLOCK)?;
        fcntl_setfl(&output, OFlags::NONBLOCK)?;
        let errors = MemoryFile::output()?;
        helper
            .send(HelperRequest::Start(*limits), &[their_input.as_fd(), their_output.as_fd(), errors.fd()])?;
        let pid = match helper.receive_report()? {
            HelperReport::Started(pid) => pid,
            HelperReport::Failed(error) => {
                let program = launch.program.display().to_string();
                return Err(RunError::Start { program, source: std::io::Error::from_raw_os_error(error) });
            }
            HelperReport::Ended(_) => return Err(RunError::HelperGone("it answers out of turn".to_owned())),
        };
        Ok(RunningSession {
            pid,
            input,
            output,
            errors,
            status: File::open(format!("/proc/{pid}/status")).ok(),
            memory: limits.memory,
            output_limit: limits.output,
            cpu_before: Duration::ZERO,
            lines: 0,
            scripts: 0,
        })
    }

    /// Returns true if the limits that were set at its start suit another script.
    pub fn limits_fit(&self, limits: &Limits) -> bool {
        self.memory == limits.memory && self.output_limit == limits.output
    }

    /// Sends a text and reads up to the end marker; `Err` if the marker does not come.
    pub fn exchange(
        &mut self,
        text: &str,
        end: &str,
        limits: &Limits,
    ) -> Result<SessionReply, BrokenSession> {
        let waited = sys::waited_time(self.pid).unwrap_or_default();
        let clock = RunClock::of_script(self.pid, self.cpu_before, waited);
        let mut exchange = Exchange { text: text.as_bytes(), output: Vec::new(), clock };
        self.scripts += 1;
        self.lines += text.bytes().filter(|&byte| byte == b'\n').count();
        let why = loop {
            match exchange.step(self, limits) {
                Ok(()) => {}
                Err(why) => break why,
            }
            if let Some((at, exit)) = find_end(&exchange.output, end) {
                exchange.output.truncate(at);
                return Ok(self.reply(exchange, exit));
            }
        };
        Err(BrokenSession { output: exchange.output, why, started: exchange.clock.started() })
    }

    fn reply(&mut self, exchange: Exchange<'_>, exit: Option<Exit>) -> SessionReply {
        let now = sys::cpu_time(self.pid).unwrap_or(self.cpu_before);
        let cpu = now.saturating_sub(self.cpu_before);
        self.cpu_before = now;
        let mut errors = Vec::new();
        if !self.errors.is_empty().unwrap_or(true) {
            errors = self.errors.read(self.output_limit).unwrap_or_default();
            let _ = self.errors.empty();
        }
        let (output, wall) = (exchange.output, exchange.clock.started().elapsed());
        SessionReply { output, errors, exit, cpu, wall, peak_memory: self.peak_memory() }
    }

    /// The largest resident set of the process so far.
    fn peak_memory(&self) -> u64 {
        let mut text = [0; 2048];
        let read = self.status.as_ref().and_then(|file| file.read_at(&mut text, 0).ok()).unwrap_or(0);
        let text = String::from_utf8_lossy(&text[..read]);
        let value = text
            .split_once("VmHWM:")
            .and_then(|(_, rest)| rest.split_whitespace().next()?.parse::<u64>().ok());
        value.unwrap_or(0) * 1024
    }

    /// Ends a session whose last script is complete.
    pub fn end(self, helper: &Helper) {
        if helper.send(HelperRequest::Stop(Duration::ZERO), &[]).is_ok() {
            let _ = helper.receive_report();
        }
    }

    /// Ends a broken session and collects its output and resource usage.
    pub fn collect(
        self,
        broken: BrokenSession,
        helper: &Helper,
        limits: &Limits,
    ) -> Result<SessionReply, RunError> {
        let BrokenSession { mut output, why, started } = broken;
        if why.is_some() {
            helper.send(HelperRequest::Stop(limits.grace), &[])?;
        }
        let end = match self.wait_for_end(helper, &mut output, limits) {
            Ok(Some(end)) => end,
            // It closed its output but still runs.
            Ok(None) => {
                helper.send(HelperRequest::Stop(limits.grace), &[])?;
                ended(helper)?
            }
            // The helper was killed, and the session with it.
            Err(RunError::HelperGone(_)) => ProcessEnd::killed(libc::SIGKILL),
            Err(error) => return Err(error),
        };
        let _ = read_some(&self.output, &mut output);
        let errors = self.errors.read(limits.output)?;
        let unlimited = Limits { output: 0, cpu: None, ..*limits };
        let mut exit = why.unwrap_or_else(|| exit_of(&end, &unlimited, 0));
        if output.len() as u64 >= limits.output {
            output.truncate(usize::try_from(limits.output).unwrap_or(usize::MAX));
            output.extend_from_slice(TRUNCATION_NOTICE.as_bytes());
            exit = why.unwrap_or(Exit::OutputLimit);
        }
        let cpu = end.cpu.saturating_sub(self.cpu_before);
        let (wall, peak_memory) = (started.elapsed(), end.peak_memory);
        Ok(SessionReply { output, errors, exit: Some(exit), cpu, wall, peak_memory })
    }

    /// Reads until the helper reports the end; `None` if the wall-clock limit passes first.
    fn wait_for_end(
        &self,
        helper: &Helper,
        output: &mut Vec<u8>,
        limits: &Limits,
    ) -> Result<Option<ProcessEnd>, RunError> {
        let deadline = Instant::now() + limits.wall + limits.grace;
        let mut open = true;
        loop {
            let left = sys::timespec(deadline.saturating_duration_since(Instant::now()));
            let mut fds =
                [PollFd::new(helper.control(), PollFlags::IN), PollFd::new(&self.output, PollFlags::IN)];
            let watched = if open { 2 } else { 1 };
            match poll(&mut fds[..watched], Some(&left)) {
                Ok(0) => return Ok(None),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if !fds[0].revents().is_empty() {
                return ended(helper).map(Some);
            }
            if open && !fds[1].revents().is_empty() {
                let kept = output.len();
                open = read_some(&self.output, output).unwrap_or(false);
                if kept as u64 > limits.output {
                    output.truncate(kept);
                }
            }
        }
    }
}

/// Receives the report of the end.
fn ended(helper: &Helper) -> Result<ProcessEnd, RunError> {
    match helper.receive_report()? {
        HelperReport::Ended(end) => Ok(end),
        _ => Err(RunError::HelperGone("it answers out of turn".to_owned())),
    }
}

/// One script on its way through a session.
struct Exchange<'a> {
    text: &'a [u8],
    output: Vec<u8>,
    clock: RunClock,
}

impl Exchange<'_> {
    /// Writes and reads without blocking, then waits for the next event; `Err` when the session must end, with the limit
    /// that it hit, or `None` if it ended by itself.
    fn step(&mut self, running: &RunningSession, limits: &Limits) -> Result<(), Option<Exit>> {
        if !self.text.is_empty() {
            match rustix::io::write(&running.input, self.text) {
                Ok(written) => self.text = &self.text[written..],
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return Err(None),
            }
        }
        let left = self
            .clock
            .time_left(limits)
            .map_err(|limit| Some(if limit == StopReason::Cpu { Exit::CpuLimit } else { Exit::WallLimit }))?;
        let mut fds =
            [PollFd::new(&running.output, PollFlags::IN), PollFd::new(&running.input, PollFlags::OUT)];
        let watched = if self.text.is_empty() { 1 } else { 2 };
        match poll(&mut fds[..watched], Some(&sys::timespec(left))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return Err(None),
        }
        if fds[0].revents().is_empty() {
            return Ok(());
        }
        match read_some(&running.output, &mut self.output) {
            Ok(true) if self.output.len() as u64 > limits.output => Err(Some(Exit::OutputLimit)),
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(None),
        }
    }
}

/// The position of the end marker in an output, its opening quote included, and the exit code after it, if any.
fn find_end(output: &[u8], end: &str) -> Option<(usize, Option<Exit>)> {
    let line = output.strip_suffix(b"\n")?;
    let start = line.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let found = line[start..].windows(end.len()).position(|part| part == end.as_bytes())? + start;
    let quoted = found > 0 && output[found - 1] == b'"';
    let rest = std::str::from_utf8(&line[found + end.len()..]).unwrap_or_default();
    let exit = rest.trim_start_matches('"').trim().parse().ok().map(Exit::Code);
    Some((found - usize::from(quoted), exit))
}

/// Reads what is available; `false` at the end of the stream.
fn read_some(fd: &OwnedFd, output: &mut Vec<u8>) -> Result<bool, Errno> {
    let mut buffer = [0; 16 * 1024];
    match rustix::io::read(fd, &mut buffer) {
        Ok(0) => Ok(false),
        Ok(read) => {
            output.extend_from_slice(&buffer[..read]);
            Ok(true)
        }
        Err(Errno::AGAIN | Errno::INTR) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_marker_is_found_quoted_or_not_and_with_its_code() {
        assert_eq!(find_end(b"sat\nthe-end\n", "the-end"), Some((4, None)));
        assert_eq!(find_end(b"sat\n\"the-end\"\n", "the-end"), Some((4, None)));
        assert_eq!(find_end(b"the-end 1\n", "the-end"), Some((0, Some(Exit::Code(1)))));
        assert_eq!(find_end(b"sat\nthe-e", "the-end"), None);
        assert_eq!(find_end(b"sat\nthe-end", "the-end"), None);
    }
}
