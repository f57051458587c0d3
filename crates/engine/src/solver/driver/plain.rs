//! The plain driver: a fresh process per script, from the solver's own command line.
//!
//! The reference: what it says of a script is what a user of the solver sees. Cheap for what it is: the helper forks
//! nothing (vfork), the script and the output are memory files, and the environment lets malloc use huge pages.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Driver, Kind, Launch};
use crate::solver::process::{Helper, Host, MemoryFile, RunError, exit_of};
use crate::solver::protocol::{Report, Request};
use crate::solver::reading::read;
use crate::solver::run::{Query, Run};

/// The entry in the list of drivers.
pub const KIND: Kind = Kind {
    name: "plain",
    about: "a process per script, as a user would run the solver",
    fits: |_| true,
    open: |host, launch| Ok(Box::new(Plain::open(host, launch)?)),
};

/// A process per script.
pub struct Plain {
    host: Host,
    launch: Launch,
    stdio: [MemoryFile; 3],
    file: Option<ScriptFile>,
    helper: Option<Helper>,
}

impl Plain {
    /// A driver for this solver; its helper starts with the first script.
    pub fn open(host: &Host, launch: &Launch) -> Result<Self, RunError> {
        let by_file = launch.arguments.iter().any(|argument| argument.contains(Launch::SCRIPT));
        Ok(Plain {
            host: host.clone(),
            launch: launch.clone(),
            stdio: [MemoryFile::new()?, MemoryFile::new()?, MemoryFile::new()?],
            file: by_file.then(|| ScriptFile::new(&host.scratch)).transpose()?,
            helper: None,
        })
    }

    /// Asks a helper that is there, or else a new one; a helper that was killed is replaced once.
    fn ask(&mut self, request: Request) -> Result<Report, RunError> {
        if let Some(helper) = self.helper.take() {
            if let Ok(report) = helper.ask_with(request, &[]).and_then(|()| helper.listen()) {
                self.helper = Some(helper);
                return Ok(report);
            }
            for file in &self.stdio[1..] {
                file.clear()?;
            }
        }
        let helper = Helper::start(&self.host, &self.command(), &self.launch.environment)?;
        let [script, output, errors] = &self.stdio;
        helper.ask(request, [script, output, errors])?;
        let report = helper.listen()?;
        self.helper = Some(helper);
        Ok(report)
    }

    fn command(&self) -> Vec<OsString> {
        let mut command = vec![OsString::from("keep")];
        let mut path = String::new();
        if let Some(file) = &self.file {
            command.extend(["--remove".into(), file.folder.clone().into()]);
            path = file.path.display().to_string();
        }
        command.extend(["--".into(), self.launch.program.clone().into()]);
        command.extend(self.launch.arguments.iter().map(|word| word.replace(Launch::SCRIPT, &path).into()));
        command
    }
}

impl Driver for Plain {
    fn run(&mut self, query: &Query<'_>) -> Result<Run, RunError> {
        let [script, output, errors] = &self.stdio;
        match &self.file {
            Some(file) => std::fs::write(&file.path, query.script)?,
            None => script.fill(query.script.as_bytes())?,
        }
        output.clear()?;
        errors.clear()?;
        let end = match self.ask(Request::Run(query.limits))? {
            Report::Ended(end) => end,
            Report::Failed(error) => {
                let program = self.launch.program.display().to_string();
                return Err(RunError::Start { program, source: std::io::Error::from_raw_os_error(error) });
            }
            Report::Started(_) => return Err(RunError::HelperGone("it answers out of turn".to_owned())),
        };
        let [_, output, errors] = &self.stdio;
        let exit = exit_of(&end, &query.limits, output.len()?.max(errors.len()?));
        let (output, errors) = (output.read(query.limits.output)?, errors.read(query.limits.output)?);
        let mut reading = read(&output, exit);
        reading.messages.extend(read(&errors, exit).messages);
        Ok(Run {
            answers: reading.answers,
            messages: reading.messages,
            output,
            errors,
            exit,
            cpu: end.cpu,
            wall: end.wall,
            peak_memory: end.peak_memory,
            work: None,
            trouble: None,
        })
    }
}

/// A script on disk, for solvers that read no standard input. The helper removes it, so that it goes even if gainsay is
/// killed; so does our drop, in case there never was a helper.
struct ScriptFile {
    folder: PathBuf,
    path: PathBuf,
}

impl ScriptFile {
    fn new(scratch: &Path) -> Result<Self, RunError> {
        let mut number = 0_u32;
        loop {
            let folder = scratch.join(format!("gainsay-{}-{number}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(ScriptFile { path: folder.join("script.smt2"), folder }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for ScriptFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
