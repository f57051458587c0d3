//! Gainsay's side of a helper process: starts it, sends it requests, and waits for its end.
//!
//! Output goes to memory files, not pipes: that needs no reader threads, cannot deadlock, and the kernel's file size limit
//! stops a solver that floods its output. The files are made once per driver and passed to the helper once; a script then
//! costs one packet each way.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use gainsay_coverage::channel::CoverageChannel;
use rustix::fs::{MemfdFlags, OFlags, SeekFrom, fcntl_setfl, fstat, ftruncate, memfd_create, seek};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::helper::COVERAGE_WORD;
use super::protocol::{HelperReport, HelperRequest, ProcessEnd, receive_report, send_request};
use super::run::{Exit, Limits, TRUNCATION_NOTICE};
use super::sandbox::{AccessRules, Confinement, Sandbox, WorkingFolder, work_folder};
use super::shortage::{SHORTAGE_MARK, is_shortage};

/// How to start helper processes: the program that contains them, and the arguments that select them.
///
/// For gainsay itself this is its own binary with the hidden command `driver`.
#[derive(Debug, Clone)]
pub struct HelperProgram {
    /// The program.
    pub program: PathBuf,
    /// The arguments before those of the helper.
    pub arguments: Vec<OsString>,
    /// A folder for the private folders of helpers, best in memory.
    pub scratch: PathBuf,
    /// Which processes are confined.
    pub sandbox: Sandbox,
}

/// The environment failed: the solver could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The solver's program cannot be executed.
    #[error("cannot run {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The program that checks the solver's proofs does not exist.
    #[error(
        "no program `{program}`, which checks the proofs of {solver}; install it, or change `proof_checker` in the profile of {solver}"
    )]
    NoProofChecker {
        /// The program.
        program: String,
        /// The profile that names it.
        solver: String,
    },
    /// The helper process cannot be started.
    #[error("cannot start a helper process ({program}): {source}")]
    Helper {
        /// The program that contains it.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The helper process ended unexpectedly, twice.
    #[error("a helper process ended before its time: {0}")]
    HelperGone(String),
    /// The helper process ended because the machine lacks something for a moment.
    #[error("a helper process cannot start: {0}")]
    HelperShortage(String),
    /// A memory file, socket or temporary file failed.
    #[error("cannot exchange data with a solver: {0}")]
    Exchange(#[from] io::Error),
}

impl RunError {
    /// Returns true if the machine lacks something for a moment, so that another attempt may succeed.
    pub fn is_shortage(&self) -> bool {
        match self {
            RunError::Start { source, .. } | RunError::Helper { source, .. } | RunError::Exchange(source) => {
                is_shortage(source)
            }
            RunError::HelperShortage(_) => true,
            RunError::HelperGone(_) | RunError::NoProofChecker { .. } => false,
        }
    }
}

impl From<rustix::io::Errno> for RunError {
    fn from(error: rustix::io::Errno) -> Self {
        RunError::Exchange(error.into())
    }
}

/// A running helper process.
#[derive(Debug)]
pub struct Helper {
    process: Child,
    /// `None` only during drop.
    control: Option<OwnedFd>,
    /// Error messages of the helper itself.
    complaints: MemoryFile,
    folder: Option<PrivateFolder>,
}

/// The command line of a helper, its environment and its access rights.
#[derive(Debug, Clone, Copy)]
pub struct HelperCommand<'a> {
    /// Its command line. [`HelperCommand::SCRIPT_PLACEHOLDER`] stands for the path of the script.
    pub words: &'a [OsString],
    /// Its environment, and that of solvers.
    pub environment: &'a [(String, String)],
    /// Files that it and its solvers may access; `None` for all.
    pub access: Option<&'a AccessRules>,
    /// The channel that it reports coverage by, if it does.
    pub coverage: Option<&'a CoverageChannel>,
}

impl HelperCommand<'_> {
    /// The placeholder for the path of the script.
    pub const SCRIPT_PLACEHOLDER: &'static str = "{script}";

    /// Returns true if solvers read the script from a file.
    pub fn takes_file(&self) -> bool {
        self.words.iter().any(|word| word.to_string_lossy().contains(Self::SCRIPT_PLACEHOLDER))
    }

    /// The command line with the path of the script.
    fn words_with(&self, script: Option<&Path>) -> Vec<OsString> {
        let Some(script) = script else { return self.words.to_vec() };
        let script = script.display().to_string();
        let fill = |word: &OsString| match word.to_str() {
            Some(text) => text.replace(Self::SCRIPT_PLACEHOLDER, &script).into(),
            None => word.clone(),
        };
        self.words.iter().map(fill).collect()
    }
}

impl Helper {
    /// Starts a helper in exactly this environment, with a private folder if it is confined or if solvers read scripts from files.
    pub fn start(host: &HelperProgram, helper_command: HelperCommand<'_>) -> Result<Self, RunError> {
        let needs_folder = helper_command.access.is_some() || helper_command.takes_file();
        let folder = needs_folder.then(|| PrivateFolder::new(&host.scratch)).transpose()?;
        let confinement = Confinement {
            folder: folder.as_ref().map(|folder| folder.path.clone()),
            access: helper_command.access.cloned(),
        };
        let script = folder.as_ref().map(PrivateFolder::script);
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let complaints = MemoryFile::output()?;
        let mut command = Command::new(&host.program);
        command
            .arg0("solver-keeper")
            .args(&host.arguments)
            .args(confinement.words())
            .args(helper_command.coverage.map(|_| COVERAGE_WORD))
            .args(helper_command.words_with(script.as_deref()))
            .env_clear()
            .envs(
                helper_command.environment.iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value))),
            )
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(complaints.file.try_clone()?)
            // Ctrl-C must reach gainsay alone: it needs its helpers to end the campaign.
            .process_group(0);
        if let Some(work) = confinement.work_folder() {
            command.env("TMPDIR", &work);
            if helper_command.access.is_some_and(|access| access.working_folder == WorkingFolder::Private) {
                command.current_dir(&work);
            }
        }
        let process = command
            .spawn()
            .map_err(|source| RunError::Helper { program: host.program.display().to_string(), source })?;
        let helper = Helper { process, control: Some(ours), complaints, folder };
        if let Some(coverage) = helper_command.coverage {
            // The request means nothing: it carries the descriptors.
            helper.send(HelperRequest::Stop(Duration::ZERO), &coverage.descriptors())?;
        }
        Ok(helper)
    }

    /// Sends a request with the solver's standard input, output and error.
    pub fn send_with_stdio(&self, request: HelperRequest, stdio: [&MemoryFile; 3]) -> Result<(), RunError> {
        self.send(request, &stdio.map(|file| file.file.as_fd()))
    }

    /// Sends a request with descriptors; with none if the helper has them already.
    pub fn send(
        &self,
        request: HelperRequest,
        stdio: &[std::os::fd::BorrowedFd<'_>],
    ) -> Result<(), RunError> {
        Ok(send_request(self.control(), request, stdio)?)
    }

    /// Waits for a report of the helper.
    pub fn receive_report(&self) -> Result<HelperReport, RunError> {
        loop {
            match receive_report(self.control()) {
                Ok(Some(report)) => return Ok(report),
                Err(rustix::io::Errno::INTR) => {}
                Ok(None) | Err(_) => return Err(self.gone()),
            }
        }
    }

    /// Waits for the end of the helper and returns the signal that ended it, if any.
    pub fn killed_by(mut self) -> Option<i32> {
        self.control = None;
        self.process.wait().ok().and_then(|status| status.signal())
    }

    /// The path of the script, if solvers read it from a file.
    pub fn script(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(PrivateFolder::script)
    }

    /// The socket, for `poll`.
    pub fn control(&self) -> &OwnedFd {
        self.control.as_ref().expect("the socket is taken only by drop")
    }

    /// The error after the end of the helper, by its complaint.
    fn gone(&self) -> RunError {
        let text = self.complaints.read(4096).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        match text.strip_prefix(SHORTAGE_MARK) {
            Some(what) => RunError::HelperShortage(what.to_owned()),
            None => RunError::HelperGone(text),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // The helper sees the end of the stream, kills its solver and exits; waiting for it leaves no zombie.
        self.control = None;
        let _ = self.process.wait();
    }
}

/// A folder for one helper: the script, if solvers read it from a file, and a folder that they may write to.
///
/// The guard of the helper removes it, even if gainsay is killed; so does `drop`, in case the guard was killed or never
/// started.
#[derive(Debug)]
struct PrivateFolder {
    path: PathBuf,
}

/// The start of the name of every private folder; then come the process, its namespace and a random number.
const FOLDER_PREFIX: &str = "gainsay-";

/// The number of the namespace of process ids that this process is in: in another one, the same number is another process.
fn process_namespace() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().chars().filter(char::is_ascii_digit).collect()
}

/// Removes private folders of processes that have ended: gainsay may be killed after it has made a folder, and before the guard runs
/// that would remove it.
pub fn sweep_private_folders(scratch: &Path) {
    let (namespace, user) = (process_namespace(), rustix::process::getuid().as_raw());
    for entry in std::fs::read_dir(scratch).into_iter().flatten().filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix(FOLDER_PREFIX) else { continue };
        let [process, its_namespace, _] = rest.split('-').collect::<Vec<_>>()[..] else { continue };
        let is_ours = its_namespace == namespace && process.parse::<u32>().is_ok();
        let is_users = entry.metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == user);
        if is_ours && is_users && !Path::new("/proc").join(process).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl PrivateFolder {
    /// Makes a folder below `scratch` that only the user can enter.
    fn new(scratch: &Path) -> Result<Self, RunError> {
        let mut builder = std::fs::DirBuilder::new();
        builder.mode(0o700);
        loop {
            // A name is never reused: the guard and `drop` both remove the folder, and the second of them must not
            // remove another helper's.
            let number = RandomState::new().build_hasher().finish();
            let name = format!("{FOLDER_PREFIX}{}-{}-{number:016x}", std::process::id(), process_namespace());
            let path = scratch.join(name);
            match builder.create(&path) {
                Ok(()) => {
                    let folder = PrivateFolder { path };
                    builder.create(work_folder(&folder.path))?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn script(&self) -> PathBuf {
        self.path.join("script.smt2")
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Output files are truncated when they are this long.
const MAX_REUSED_FILE_BYTES: u64 = 1 << 20;

/// A file in memory that a solver reads or writes, reused for every script.
///
/// Every script pays for every system call here, and `ftruncate` is the most expensive. So the output of a script is appended to
/// that of earlier ones, and the file is truncated now and then.
#[derive(Debug)]
pub struct MemoryFile {
    file: OwnedFd,
    /// Where the output of the current script begins.
    start: Cell<u64>,
    /// Its length when it was last checked.
    length: Cell<u64>,
}

impl MemoryFile {
    /// An empty file that solvers read.
    pub fn input() -> Result<Self, RunError> {
        let file = memfd_create("gainsay", MemfdFlags::CLOEXEC)?;
        Ok(MemoryFile { file, start: Cell::new(0), length: Cell::new(0) })
    }

    /// An empty file that solvers append to.
    pub fn output() -> Result<Self, RunError> {
        let file = Self::input()?;
        fcntl_setfl(&file.file, OFlags::APPEND)?;
        Ok(file)
    }

    /// Starts the output of the next script at the end of the file.
    pub fn clear(&self) -> Result<(), RunError> {
        if self.length.get() >= MAX_REUSED_FILE_BYTES {
            return self.empty();
        }
        self.start.set(self.length.get());
        Ok(())
    }

    /// Truncates it.
    pub fn empty(&self) -> Result<(), RunError> {
        ftruncate(&self.file, 0)?;
        self.start.set(0);
        self.length.set(0);
        Ok(())
    }

    /// Replaces its contents and rewinds it for the next reader.
    pub fn fill(&self, bytes: &[u8]) -> Result<(), RunError> {
        let length = bytes.len() as u64;
        if self.length.replace(length) > length {
            ftruncate(&self.file, length)?;
        }
        let mut done = 0;
        while done < bytes.len() {
            done += rustix::io::pwrite(&self.file, &bytes[done..], done as u64)?;
        }
        seek(&self.file, SeekFrom::Start(0))?;
        Ok(())
    }

    /// Bytes in it before the output of the current script.
    pub fn start(&self) -> u64 {
        self.start.get()
    }

    /// Bytes written since it was cleared.
    pub fn len(&self) -> Result<u64, RunError> {
        self.length.set(fstat(&self.file)?.st_size.unsigned_abs());
        Ok(self.length.get().saturating_sub(self.start.get()))
    }

    /// Returns true if nothing was written since it was cleared.
    pub fn is_empty(&self) -> Result<bool, RunError> {
        Ok(self.len()? == 0)
    }

    /// The output since it was cleared, at most `limit` bytes, with a notice if the limit was reached.
    pub fn read(&self, limit: u64) -> Result<Vec<u8>, RunError> {
        let length = self.len()?;
        let mut bytes = vec![0; usize::try_from(length.min(limit)).unwrap_or(usize::MAX)];
        let mut done = 0;
        while done < bytes.len() {
            match rustix::io::pread(&self.file, &mut bytes[done..], self.start.get() + done as u64)? {
                0 => break,
                more => done += more,
            }
        }
        bytes.truncate(done);
        if length >= limit {
            bytes.extend_from_slice(TRUNCATION_NOTICE.as_bytes());
        }
        Ok(bytes)
    }

    /// Its descriptor.
    pub fn fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// How a run ended, by the helper's report and the number of bytes written.
pub fn exit_of(end: &ProcessEnd, limits: &Limits, written: u64) -> Exit {
    use super::protocol::StopReason;
    let exit = plain_exit(ExitStatus::from_raw(end.status));
    match end.stopped {
        Some(StopReason::Cpu) => return Exit::CpuLimit,
        Some(StopReason::Wall | StopReason::Asked) => return Exit::WallLimit,
        None => {}
    }
    let over_cpu = limits.cpu.is_some_and(|cpu| end.cpu >= cpu);
    let near_memory = limits.memory.is_some_and(|memory| end.peak_memory >= memory - memory / 8);
    match exit {
        Exit::Signal(libc::SIGXFSZ) => Exit::OutputLimit,
        _ if limits.output > 0 && written >= limits.output => Exit::OutputLimit,
        Exit::Signal(libc::SIGXCPU) => Exit::CpuLimit,
        Exit::Signal(libc::SIGKILL) if over_cpu => Exit::CpuLimit,
        Exit::Code(0) => exit,
        _ if near_memory => Exit::MemoryLimit,
        _ => exit,
    }
}

fn plain_exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(-1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_ended_processes_are_removed_and_others_left_alone() {
        let scratch = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("true").spawn().expect("it runs");
        child.wait().expect("it ends");
        let name = |process: u32, namespace: &str| format!("gainsay-{process}-{namespace}-0123456789abcdef");
        let (own, other) = (process_namespace(), "1");
        let stale = name(child.id(), &own);
        let kept = [name(std::process::id(), &own), name(child.id(), other), "gainsay-x".to_owned()];
        for name in kept.iter().chain([&stale]) {
            std::fs::create_dir_all(scratch.path().join(name).join("work")).expect("a folder");
        }
        sweep_private_folders(scratch.path());
        assert!(!scratch.path().join(stale).exists());
        assert!(kept.iter().all(|name| scratch.path().join(name).exists()));
    }

    #[test]
    fn the_name_of_a_private_folder_is_never_used_again() {
        let scratch = tempfile::tempdir().expect("a folder");
        let path = |folder: &PrivateFolder| folder.path.clone();
        let first = PrivateFolder::new(scratch.path()).expect("a folder");
        // As the guard does, before `drop`.
        std::fs::remove_dir_all(&first.path).expect("it was there");
        let second = PrivateFolder::new(scratch.path()).expect("a folder");
        assert_ne!(path(&first), path(&second));
        drop(first);
        assert!(second.path.exists() && work_folder(&second.path).exists());
    }
}
