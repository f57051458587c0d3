//! The protocol between gainsay and a helper process.
//!
//! Packets of eight numbers on a Unix socket (`SOCK_SEQPACKET`): one send and one receive per script, nothing to parse,
//! and each side sees the end of the other as the end of the stream. Descriptors travel with a packet.

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
const PACKET_WORDS: usize = 8;
/// Bytes in a packet.
const PACKET_BYTES: usize = PACKET_WORDS * 8;

/// A request of gainsay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelperRequest {
    /// Run the program once, under these limits, and report how it ended.
    Run(Limits),
    /// Start the program, report its process id, and report when it has ended. The helper limits only memory and output:
    /// gainsay limits the time of each script.
    Start(Limits),
    /// Stop the running program, with this much time between SIGTERM and SIGKILL.
    Stop(Duration),
}

/// A report of a helper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelperReport {
    /// The started program runs as this process.
    Started(i32),
    /// The program and all its descendants have ended.
    Ended(ProcessEnd),
    /// The program could not be started: the error number.
    Failed(i32),
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEnd {
    /// The status of `wait`.
    pub status: i32,
    /// Why the helper stopped it, if it did.
    pub stopped: Option<StopReason>,
    /// CPU time of it and all its descendants.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Largest resident set in bytes.
    pub peak_memory: u64,
    /// Processes that it left behind and the helper killed.
    pub strays: u64,
}

impl ProcessEnd {
    /// The end of a program whose helper was killed by a signal; its resource usage is unknown.
    pub fn killed(signal: i32) -> Self {
        ProcessEnd {
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
pub enum StopReason {
    /// The wall-clock limit.
    Wall,
    /// The CPU limit.
    Cpu,
    /// Gainsay asked for it.
    Asked,
}

/// Stands for a limit of `None` in a packet.
const NO_LIMIT: u64 = u64::MAX;

impl HelperRequest {
    fn words(self) -> [u64; PACKET_WORDS] {
        let limits = |kind, limits: Limits| {
            let cpu = limits.cpu.map_or(NO_LIMIT, nanos);
            [
                kind,
                nanos(limits.wall),
                nanos(limits.grace),
                cpu,
                limits.memory.unwrap_or(NO_LIMIT),
                limits.output,
                u64::from(limits.counts_waiting),
                0,
            ]
        };
        match self {
            HelperRequest::Run(all) => limits(1, all),
            HelperRequest::Start(all) => limits(2, all),
            HelperRequest::Stop(grace) => [3, 0, nanos(grace), 0, 0, 0, 0, 0],
        }
    }

    fn from_words(words: [u64; PACKET_WORDS]) -> Option<Self> {
        let [kind, wall, grace, cpu, memory, output, counts_waiting, _] = words;
        let limits = Limits {
            wall: Duration::from_nanos(wall),
            counts_waiting: counts_waiting != 0,
            grace: Duration::from_nanos(grace),
            cpu: (cpu != NO_LIMIT).then(|| Duration::from_nanos(cpu)),
            memory: (memory != NO_LIMIT).then_some(memory),
            output,
        };
        match kind {
            1 => Some(HelperRequest::Run(limits)),
            2 => Some(HelperRequest::Start(limits)),
            3 => Some(HelperRequest::Stop(limits.grace)),
            _ => None,
        }
    }
}

impl HelperReport {
    fn words(self) -> [u64; PACKET_WORDS] {
        match self {
            HelperReport::Started(pid) => [1, u64::from(pid.unsigned_abs()), 0, 0, 0, 0, 0, 0],
            HelperReport::Failed(error) => [2, u64::from(error.unsigned_abs()), 0, 0, 0, 0, 0, 0],
            HelperReport::Ended(end) => {
                let stopped = match end.stopped {
                    None => 0,
                    Some(StopReason::Wall) => 1,
                    Some(StopReason::Cpu) => 2,
                    Some(StopReason::Asked) => 3,
                };
                let status = u64::from(end.status.cast_unsigned());
                [3, status, stopped, nanos(end.cpu), nanos(end.wall), end.peak_memory, end.strays, 0]
            }
        }
    }

    fn from_words(words: [u64; PACKET_WORDS]) -> Option<Self> {
        let [kind, first, stopped, cpu, wall, peak_memory, strays, _] = words;
        let number = (first as u32).cast_signed();
        match kind {
            1 => Some(HelperReport::Started(number)),
            2 => Some(HelperReport::Failed(number)),
            3 => Some(HelperReport::Ended(ProcessEnd {
                status: number,
                stopped: [None, Some(StopReason::Wall), Some(StopReason::Cpu), Some(StopReason::Asked)]
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
    u64::try_from(duration.as_nanos()).unwrap_or(NO_LIMIT - 1)
}

fn to_bytes(words: [u64; PACKET_WORDS]) -> [u8; PACKET_BYTES] {
    let mut bytes = [0; PACKET_BYTES];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn to_words(bytes: &[u8; PACKET_BYTES]) -> [u64; PACKET_WORDS] {
    let mut words = [0; PACKET_WORDS];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        *word = u64::from_le_bytes(eight);
    }
    words
}

/// Sends a request, with the descriptors that shall be the program's standard input, output and error from now on.
pub fn send_request(socket: impl AsFd, request: HelperRequest, stdio: &[BorrowedFd<'_>]) -> Result<()> {
    let bytes = to_bytes(request.words());
    if stdio.is_empty() {
        return send(socket, &bytes, SendFlags::NOSIGNAL).map(drop);
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(stdio));
    sendmsg(socket, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL).map(drop)
}

/// Receives a request and its descriptors; `None` when gainsay has ended (or sends an invalid packet, which ends the helper, too).
pub fn receive_request(socket: impl AsFd) -> Result<Option<(HelperRequest, Vec<OwnedFd>)>> {
    let mut bytes = [0; PACKET_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(socket, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut stdio = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = message {
            stdio.extend(fds);
        }
    }
    let request = if got.bytes == PACKET_BYTES { HelperRequest::from_words(to_words(&bytes)) } else { None };
    Ok(request.map(|request| (request, stdio)))
}

/// Sends a report.
pub fn send_report(socket: impl AsFd, report: HelperReport) -> Result<()> {
    send(socket, &to_bytes(report.words()), SendFlags::NOSIGNAL).map(drop)
}

/// Receives a report; `None` when the helper has ended.
pub fn receive_report(socket: impl AsFd) -> Result<Option<HelperReport>> {
    let mut bytes = [0; PACKET_BYTES];
    let (_, got) = rustix::net::recv(socket, &mut bytes[..], RecvFlags::empty())?;
    Ok(if got == PACKET_BYTES { HelperReport::from_words(to_words(&bytes)) } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let limits = Limits {
            cpu: Some(Duration::from_millis(1500)),
            memory: None,
            counts_waiting: true,
            ..Limits::default()
        };
        for request in [
            HelperRequest::Run(limits),
            HelperRequest::Start(Limits::default()),
            HelperRequest::Stop(Duration::ZERO),
        ] {
            let there = HelperRequest::from_words(to_words(&to_bytes(request.words())));
            let same_stop =
                matches!((there, request), (Some(HelperRequest::Stop(a)), HelperRequest::Stop(b)) if a == b);
            assert!(there == Some(request) || same_stop, "{there:?} {request:?}");
        }
    }

    #[test]
    fn a_report_arrives_as_it_was_sent() {
        let end = ProcessEnd {
            status: 0x8b,
            stopped: Some(StopReason::Cpu),
            cpu: Duration::from_micros(17),
            wall: Duration::from_secs(3),
            peak_memory: 1 << 40,
            strays: 2,
        };
        for report in [HelperReport::Started(77), HelperReport::Failed(2), HelperReport::Ended(end)] {
            assert_eq!(HelperReport::from_words(to_words(&to_bytes(report.words()))), Some(report));
        }
    }
}
