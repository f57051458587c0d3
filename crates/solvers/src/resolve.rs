//! Finds the program or library for the name of a solver, and checks it before it runs.
//!
//! The check reads the first bytes of a binary, since the errors of `exec` (`No such file or directory` for a missing
//! loader, `Exec format error`) do not explain the cause.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cache::{Cache, Installed};
use super::driver::SolverLibrary;
use super::name::{Origin, SolverName};
use super::profile::{Excuse, Profile};
use super::profiles::{Profiles, UnknownSolver};
use super::version::Version;

/// A solver that can be started.
#[derive(Debug, Clone)]
pub struct Solver {
    /// The name that the user gave, with `@latest` replaced by the version.
    pub name: SolverName,
    /// Its profile.
    pub profile: Arc<Profile>,
    /// Its version, if known without running it.
    pub version: Option<Version>,
    /// The program or library.
    pub program: Program,
}

impl Solver {
    /// The same solver with more options, unless it has all of them.
    #[must_use]
    pub fn with_options(&self, more: &[String]) -> Self {
        let mut solver = self.clone();
        if !more.iter().all(|option| self.name.options.contains(option)) {
            solver.name.options.extend_from_slice(more);
        }
        solver
    }

    /// The same solver for scripts that declare a function to synthesise: some solvers have another language for these.
    #[must_use]
    pub fn for_synthesis(&self) -> Self {
        let mut solver = self.clone();
        if let Some(arguments) = &self.profile.input.synthesis {
            let input = &mut Arc::make_mut(&mut solver.profile).input;
            input.stdin = input.stdin.is_some().then(|| arguments.clone());
            input.file.clone_from(arguments);
        }
        solver
    }

    /// Why its answers to a text must not be compared with those of others, if so: a quirk of its profile, or an option that changes
    /// the meaning of the text, there or on its command line.
    pub fn answer_excuse(&self, text: &str, version: Option<&Version>) -> Option<String> {
        let mut quirks = self.profile.quirks(text, version);
        let quirk = quirks.find(|quirk| quirk.excuses == Excuse::Answers).map(|quirk| quirk.what.clone());
        quirk.or_else(|| {
            let arguments = [&self.profile.command[1..], &self.name.options].concat();
            self.profile.meaning_excuse(&self.profile.filter.filter(text).text, &arguments)
        })
    }

    /// The same solver with options to check its own answers; `None` if it has none.
    pub fn checking_itself(&self) -> Option<Self> {
        let options = &self.profile.self_check;
        (!options.is_empty()).then(|| self.with_options(options))
    }
}

/// The program or library of a solver.
#[derive(Debug, Clone)]
pub enum Program {
    /// A program, and the same solver as a library, if there is one.
    Binary {
        /// The program.
        path: PathBuf,
        /// The library.
        library: Option<SolverLibrary>,
    },
    /// Only a library, which a helper process loads.
    Library(SolverLibrary),
}

/// Why a solver cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// No profile of that name.
    #[error(transparent)]
    Unknown(#[from] UnknownSolver),
    /// A version that is not installed.
    #[error("{name} is not installed{hint}")]
    NotInstalled {
        /// The solver and version.
        name: String,
        /// The nearest installed release.
        hint: String,
    },
    /// Not on PATH.
    #[error("no program `{program}` on PATH; {remedy}")]
    NotOnPath {
        /// The program.
        program: String,
        /// What to do.
        remedy: String,
    },
    /// The program is not there, or cannot be one.
    #[error("{path} {what}", path = path.display())]
    Program {
        /// The program.
        path: PathBuf,
        /// The error, and the remedy.
        what: String,
    },
}

/// Where to look for programs and installed solvers.
#[derive(Debug, Clone)]
pub struct Places<'a> {
    /// The profiles.
    pub profiles: &'a Profiles,
    /// The installed solvers.
    pub cache: &'a Cache,
    /// The folders of PATH.
    pub path: &'a [PathBuf],
}

impl Places<'_> {
    /// Finds the solver behind a name.
    ///
    /// Does not use the package index: `@latest` is the newest installed release, and the solver's name has its version.
    pub fn resolve(&self, name: &SolverName) -> Result<Solver, ResolveError> {
        let profile = self.profiles.get(&name.profile)?;
        let solver =
            |version, program| Solver { name: name.clone(), profile: Arc::clone(profile), version, program };
        let binary = |path| Program::Binary { path, library: None };
        match &name.origin {
            Origin::Path => Ok(solver(None, binary(self.on_path(&profile.command[0], profile)?))),
            Origin::Command(command) if command.contains('/') => {
                let path = fs::canonicalize(command).unwrap_or_else(|_| PathBuf::from(command));
                check_program(&path)?;
                Ok(solver(None, binary(path)))
            }
            Origin::Command(command) => Ok(solver(None, binary(self.on_path(command, profile)?))),
            Origin::Managed(version) => self.managed(profile, Some(version)).map(|(v, p)| solver(Some(v), p)),
            Origin::Latest => self.managed(profile, None).map(|(version, program)| {
                let name = SolverName { origin: Origin::Managed(version.clone()), ..name.clone() };
                Solver { name, ..solver(Some(version), program) }
            }),
        }
    }

    /// The program of that name in the first folder of PATH that has it.
    pub fn find_on_path(&self, program: &str) -> Option<PathBuf> {
        let found = self.path.iter().map(|folder| folder.join(program)).find(|path| path.is_file());
        // Solvers run in another folder than gainsay.
        found.map(|path| std::path::absolute(&path).unwrap_or(path))
    }

    fn on_path(&self, program: &str, profile: &Profile) -> Result<PathBuf, ResolveError> {
        let path = self.find_on_path(program).ok_or_else(|| ResolveError::NotOnPath {
            program: program.to_owned(),
            remedy: match self.profiles.installed_as(&Arc::new(profile.clone())).install {
                Some(_) => format!("run `gainsay solvers install {0}` and name it {0}@latest", profile.name),
                None => format!("install {} and name it {}=/path/to/it", profile.title, profile.name),
            },
        })?;
        check_program(&path)?;
        Ok(path)
    }

    fn managed(
        &self,
        profile: &Arc<Profile>,
        version: Option<&Version>,
    ) -> Result<(Version, Program), ResolveError> {
        let owner = self.profiles.installed_as(profile);
        let mut known = self.cache.list();
        known.retain(|installed| installed.record.solver == owner.name);
        let found = match version {
            Some(version) => known.iter().find(|installed| installed.record.version == *version),
            None => known.last(),
        };
        let found = found.ok_or_else(|| {
            let known: Vec<Version> =
                known.iter().map(|installed| installed.record.version.clone()).collect();
            let nearest = version.and_then(|version| version.nearest(&known));
            let hint = nearest
                .map(|nearest| format!(" (the nearest installed release is {nearest})"))
                .unwrap_or_default();
            let version = version.map_or_else(|| "latest".to_owned(), Version::to_string);
            ResolveError::NotInstalled { name: format!("{}@{version}", owner.name), hint }
        })?;
        Ok((found.record.version.clone(), installed_program(owner, found)?))
    }
}

fn installed_program(owner: &Profile, installed: &Installed) -> Result<Program, ResolveError> {
    let install = owner.install.as_ref();
    let place = |file: &String| installed.folder.join(file);
    let library =
        install.and_then(|install| install.library.as_ref()).filter(|library| place(&library.path).exists());
    let library = library.map(|library| SolverLibrary {
        api: library.api,
        path: place(&library.path),
        arguments: Vec::new(),
    });
    match (install.and_then(|install| install.program.as_ref()).map(place), library) {
        (Some(path), library) => {
            check_program(&path)?;
            Ok(Program::Binary { path, library })
        }
        (None, Some(library)) => Ok(Program::Library(library)),
        (None, None) => Err(ResolveError::Program {
            path: installed.folder.clone(),
            what: "holds neither a program nor a library; its profile must name one under [install]"
                .to_owned(),
        }),
    }
}

/// Checks that a file can be a program on this machine.
pub fn check_program(path: &Path) -> Result<(), ResolveError> {
    let wrong = |what: String| Err(ResolveError::Program { path: path.to_owned(), what });
    let Ok(metadata) = fs::metadata(path) else {
        return wrong("does not exist; check the path of the solver".to_owned());
    };
    if metadata.is_dir() {
        return wrong("is a folder; name the program inside it".to_owned());
    }
    if !is_executable(&metadata) {
        return wrong(format!("is not executable; run `chmod +x {}`", path.display()));
    }
    let mut head = [0; 20];
    let length = File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    match foreign(&head[..length]) {
        Some(what) => {
            wrong(format!("{what}; get a build for {} {}", std::env::consts::OS, std::env::consts::ARCH))
        }
        None => Ok(()),
    }
}

/// Why a program cannot run here, by its first bytes; `None` if it can.
fn foreign(head: &[u8]) -> Option<String> {
    const MACH_O: [[u8; 4]; 3] =
        [[0xcf, 0xfa, 0xed, 0xfe], [0xce, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]];
    let mac = cfg!(target_os = "macos");
    match head {
        [] => Some("is empty".to_owned()),
        [b'M', b'Z', ..] => Some("is a Windows program".to_owned()),
        [b'#', b'!', ..] => None,
        [0x7f, b'E', b'L', b'F', ..] if mac => Some("is a Linux program".to_owned()),
        [0x7f, b'E', b'L', b'F', rest @ ..] => foreign_elf(rest),
        [a, b, c, d, ..] if MACH_O.contains(&[*a, *b, *c, *d]) => {
            (!mac).then(|| "is a macOS program".to_owned())
        }
        _ => Some("is not a program (neither an executable nor a script that begins with #!)".to_owned()),
    }
}

/// `rest` is what follows the magic bytes of an ELF file: byte order is at 1, the machine at 14.
fn foreign_elf(rest: &[u8]) -> Option<String> {
    const ELF_MACHINES: [(u16, &str); 6] =
        [(3, "x86"), (40, "arm"), (62, "x86_64"), (183, "aarch64"), (243, "riscv64"), (21, "powerpc64")];
    let (&[low, high], order) = (rest.get(14..16)?.first_chunk()?, rest[1]);
    let machine = if order == 2 { u16::from_be_bytes([low, high]) } else { u16::from_le_bytes([low, high]) };
    let name = ELF_MACHINES.iter().find(|(number, _)| *number == machine).map(|(_, name)| *name);
    // A 64-bit x86 kernel runs 32-bit programs, too.
    let runs =
        |name: &str| name == std::env::consts::ARCH || (name == "x86" && std::env::consts::ARCH == "x86_64");
    match name {
        Some(name) if runs(name) => None,
        Some(name) => Some(format!("is a program for {name} machines")),
        None => Some(format!("is a program for another machine (ELF machine {machine})")),
    }
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// The error for a folder with one program, given as a command.
    fn said_of(bytes: &[u8], mode: u32) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("z3");
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        resolve(&format!("z3={}", path.display()), &[])
            .map_or_else(|error| error.to_string(), |_| "fine".to_owned())
    }

    fn resolve(name: &str, path: &[PathBuf]) -> Result<Solver, ResolveError> {
        let cache = Cache::new("/nowhere");
        let profiles = Profiles::built_in();
        Places { profiles: &profiles, cache: &cache, path }.resolve(&name.parse().unwrap())
    }

    fn elf(machine: u16) -> Vec<u8> {
        let mut head = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0".to_vec();
        head.extend(machine.to_le_bytes());
        head
    }

    #[test]
    fn a_script_and_a_program_for_this_machine_are_fine() {
        assert_eq!(said_of(b"#!/bin/sh\n", 0o755), "fine");
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(said_of(&own[..64], 0o755), "fine");
    }

    #[test]
    fn what_cannot_be_run_is_said_with_its_remedy() {
        let cases: [(&[u8], u32, &str); 6] = [
            (b"#!/bin/sh\n", 0o644, "is not executable; run `chmod +x"),
            (&elf(21), 0o755, "is a program for powerpc64 machines; get a build for"),
            (&elf(999), 0o755, "is a program for another machine (ELF machine 999)"),
            (b"MZ\x90\0", 0o755, "is a Windows program"),
            (b"", 0o755, "is empty"),
            (b"(check-sat)", 0o755, "is not a program"),
        ];
        for (bytes, mode, expected) in cases {
            let said = said_of(bytes, mode);
            assert!(said.contains(expected) && said.lines().count() == 1, "{said}");
        }
    }

    #[test]
    fn what_is_not_there_is_said_with_its_remedy() {
        let cases = [
            ("z3=/nowhere/z3", "/nowhere/z3 does not exist; check the path"),
            ("z3=/", "/ is a folder; name the program inside it"),
            ("z3", "no program `z3` on PATH; run `gainsay solvers install z3` and name it z3@latest"),
            ("mathsat", "no program `mathsat` on PATH; install MathSAT and name it mathsat=/path/to/it"),
            // Whether the release exists is not known here, so it is not offered for installation.
            ("z3@4.8.5", "z3@4.8.5 is not installed"),
            ("spacer@4.8.5", "z3@4.8.5 is not installed"),
            ("zzz", "unknown solver `zzz`"),
        ];
        for (name, expected) in cases {
            let said = resolve(name, &[]).unwrap_err().to_string();
            assert!(said.starts_with(expected), "{said}");
        }
    }

    #[test]
    fn a_program_is_found_on_path() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("z3");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let solver = resolve("z3 model_validate=true", &[folder.path().to_owned()]).unwrap();
        assert!(matches!(solver.program, Program::Binary { path, library: None } if path == program));
    }
}
