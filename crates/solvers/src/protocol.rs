//! The few words that gainsay and a helper process say to each other.
//!
//! Packets of eight numbers on a Unix socket (`SOCK_SEQPACKET`): one send and one receive per script, nothing to parse,
//! and the end of either side is seen by the other as the end of the stream. Descriptors travel with a packet.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::io::Result;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, send, sendmsg,
};

use super::run::Limits;

/// Numbers in a packet.
const WORDS: usize = 8;
/// Bytes in a packet.
const BYTES: usize = WORDS * 8;

/// What gainsay says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Run the program once, under these limits, and tell how it ended.
    Run(Limits),
    /// Start the program, tell its process id, and tell when it has ended. Only memory and output are limited: the
    /// one who talks to it keeps the time.
    Start(Limits),
    /// End what was started, with this much grace.
    Stop(Duration),
}

/// What a helper says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// The started program runs as this process.
    Started(i32),
    /// The program has ended and everything below it is gone.
    Ended(End),
    /// The program could not be started: the error number.
    Failed(i32),
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// As `wait` gives it.
    pub status: i32,
    /// What the helper stopped it for, if it did.
    pub stopped: Option<Stop>,
    /// CPU time of it and everything below it.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Largest resident set in bytes.
    pub peak_memory: u64,
    /// Processes that it left behind and that had to be killed.
    pub strays: u64,
}

impl End {
    /// The end of a program whose helper was killed by a signal, and of which nothing else is known.
    pub fn killed(signal: i32) -> Self {
        End {
            status: signal,
            stopped: None,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            peak_memory: 0,
            strays: 0,
        }
    }
}

/// Why a helper stopped a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The wall-clock limit.
    Wall,
    /// The CPU limit.
    Cpu,
    /// It was told to.
    Asked,
}

const NONE: u64 = u64::MAX;

impl Request {
    fn words(self) -> [u64; WORDS] {
        let limits = |kind, limits: Limits| {
            let cpu = limits.cpu.map_or(NONE, nanos);
            [
                kind,
                nanos(limits.wall),
                nanos(limits.grace),
                cpu,
                limits.memory.unwrap_or(NONE),
                limits.output,
                0,
                0,
            ]
        };
        match self {
            Request::Run(all) => limits(1, all),
            Request::Start(all) => limits(2, all),
            Request::Stop(grace) => [3, 0, nanos(grace), 0, 0, 0, 0, 0],
        }
    }

    fn from_words(words: [u64; WORDS]) -> Option<Self> {
        let [kind, wall, grace, cpu, memory, output, ..] = words;
        let limits = Limits {
            wall: Duration::from_nanos(wall),
            grace: Duration::from_nanos(grace),
            cpu: (cpu != NONE).then(|| Duration::from_nanos(cpu)),
            memory: (memory != NONE).then_some(memory),
            output,
        };
        match kind {
            1 => Some(Request::Run(limits)),
            2 => Some(Request::Start(limits)),
            3 => Some(Request::Stop(limits.grace)),
            _ => None,
        }
    }
}

impl Report {
    fn words(self) -> [u64; WORDS] {
        match self {
            Report::Started(pid) => [1, u64::from(pid.unsigned_abs()), 0, 0, 0, 0, 0, 0],
            Report::Failed(error) => [2, u64::from(error.unsigned_abs()), 0, 0, 0, 0, 0, 0],
            Report::Ended(end) => {
                let stopped = match end.stopped {
                    None => 0,
                    Some(Stop::Wall) => 1,
                    Some(Stop::Cpu) => 2,
                    Some(Stop::Asked) => 3,
                };
                let status = u64::from(end.status.cast_unsigned());
                [3, status, stopped, nanos(end.cpu), nanos(end.wall), end.peak_memory, end.strays, 0]
            }
        }
    }

    fn from_words(words: [u64; WORDS]) -> Option<Self> {
        let [kind, first, stopped, cpu, wall, peak_memory, strays, _] = words;
        let number = (first as u32).cast_signed();
        match kind {
            1 => Some(Report::Started(number)),
            2 => Some(Report::Failed(number)),
            3 => Some(Report::Ended(End {
                status: number,
                stopped: [None, Some(Stop::Wall), Some(Stop::Cpu), Some(Stop::Asked)]
                    [stopped.min(3) as usize],
                cpu: Duration::from_nanos(cpu),
                wall: Duration::from_nanos(wall),
                peak_memory,
                strays,
            })),
            _ => None,
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(NONE - 1)
}

fn to_bytes(words: [u64; WORDS]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn to_words(bytes: &[u8; BYTES]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        *word = u64::from_le_bytes(eight);
    }
    words
}

/// Sends a request, with the descriptors that shall be the program's standard input, output and error from now on.
pub fn ask(socket: impl AsFd, request: Request, stdio: &[BorrowedFd<'_>]) -> Result<()> {
    let bytes = to_bytes(request.words());
    if stdio.is_empty() {
        return send(socket, &bytes, SendFlags::NOSIGNAL).map(drop);
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(stdio));
    sendmsg(socket, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL).map(drop)
}

/// Receives a request and its descriptors; `None` when gainsay is gone (or speaks nonsense, which ends us as well).
pub fn hear(socket: impl AsFd) -> Result<Option<(Request, Vec<OwnedFd>)>> {
    let mut bytes = [0; BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut stdio = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = message {
            stdio.extend(fds);
        }
    }
    let request = if got.bytes == BYTES { Request::from_words(to_words(&bytes)) } else { None };
    Ok(request.map(|request| (request, stdio)))
}

/// Sends a report.
pub fn tell(socket: impl AsFd, report: Report) -> Result<()> {
    send(socket, &to_bytes(report.words()), SendFlags::NOSIGNAL).map(drop)
}

/// Receives a report; `None` when the helper is gone.
pub fn listen(socket: impl AsFd) -> Result<Option<Report>> {
    let mut bytes = [0; BYTES];
    let (_, got) = rustix::net::recv(socket, &mut bytes[..], RecvFlags::empty())?;
    Ok(if got == BYTES { Report::from_words(to_words(&bytes)) } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let limits = Limits { cpu: Some(Duration::from_millis(1500)), memory: None, ..Limits::default() };
        for request in
            [Request::Run(limits), Request::Start(Limits::default()), Request::Stop(Duration::ZERO)]
        {
            let there = Request::from_words(to_words(&to_bytes(request.words())));
            let same_stop = matches!((there, request), (Some(Request::Stop(a)), Request::Stop(b)) if a == b);
            assert!(there == Some(request) || same_stop, "{there:?} {request:?}");
        }
    }

    #[test]
    fn a_report_arrives_as_it_was_sent() {
        let end = End {
            status: 0x8b,
            stopped: Some(Stop::Cpu),
            cpu: Duration::from_micros(17),
            wall: Duration::from_secs(3),
            peak_memory: 1 << 40,
            strays: 2,
        };
        for report in [Report::Started(77), Report::Failed(2), Report::Ended(end)] {
            assert_eq!(Report::from_words(to_words(&to_bytes(report.words()))), Some(report));
        }
    }
}
