//! The sandbox: which files a solver may read and write, and in which folder it runs.
//!
//! Scripts can make solvers write files (`(set-option :regular-output-channel "PATH")`), and a solver with a memory error
//! may do anything. So a helper process confines itself before it starts a solver; solvers inherit that at no cost per
//! start:
//!
//! - Landlock: read and execute the system's programs and the solver's own installation; write to a private folder only;
//!   no TCP; no signals to processes outside;
//! - seccomp: no sockets at all, and no system call that administers the machine (`sys/confine.rs` has the list);
//! - `PR_SET_NO_NEW_PRIVS`.
//!
//! The guard above the helper is not confined: it removes the private folder.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::profile::Profile;
use super::resolve::{Program, Solver};
use super::runner::Launcher;
use super::sys::{self, Tracing};

/// Which processes are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sandbox {
    /// None.
    Off,
    /// Solvers, but not commands of the user.
    #[default]
    Solvers,
    /// Solvers and commands of the user.
    All,
}

/// The files that a confined process may access besides those of the system.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccessRules {
    /// Files and folders that it may read and execute.
    pub readable: Vec<PathBuf>,
    /// Files and folders that it may read and write.
    pub writable: Vec<PathBuf>,
    /// Where it runs.
    pub working_folder: WorkingFolder,
    /// Whether it may trace its children, as a debugger does.
    pub may_trace: bool,
}

/// Where a confined process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorkingFolder {
    /// In the private folder, which is empty when it starts.
    #[default]
    Private,
    /// Where gainsay runs. It cannot write there.
    Current,
}

/// Files and folders of the system that every confined process may read and execute; those that do not exist are left out.
///
/// `/proc` as a whole, because a rule for `/proc/self` would apply to the helper. Landlock denies access to the private entries
/// of other processes (environment, memory, descriptors).
pub const SYSTEM_READABLE: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    "/proc",
    "/sys",
    "/dev/random",
    "/dev/urandom",
];

/// Devices that every confined process may read and write.
pub const SYSTEM_WRITABLE: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// Programs that wrapper scripts of solvers start.
const SCRIPT_INTERPRETERS: [&str; 2] = ["java", "python3"];

/// Folders beside `bin` that contain what its programs need.
const LIBRARY_FOLDERS: [&str; 3] = ["lib", "lib64", "libexec"];

/// The name of the profile for commands of the user.
const GENERIC_PROFILE: &str = "generic";

impl AccessRules {
    /// The access rules of a solver; `None` if it is not confined.
    pub fn of_solver(solver: &Solver, launcher: &Launcher) -> Option<Self> {
        let is_own_command = solver.profile.name == GENERIC_PROFILE;
        match (launcher.host.sandbox, &solver.program) {
            (Sandbox::Off, _) => None,
            (Sandbox::Solvers, _) if is_own_command => None,
            (_, Program::Binary { path, .. }) if is_own_command => Self::of_command(path, launcher),
            _ => Some(Self::of_profiled(solver, launcher)),
        }
    }

    /// The access rules of a command of the user; `None` if it is not confined.
    ///
    /// It runs in gainsay's folder, because its arguments may name files there.
    pub fn of_command(program: &Path, launcher: &Launcher) -> Option<Self> {
        if launcher.host.sandbox != Sandbox::All {
            return None;
        }
        let mut readable = ProgramLocations::new(launcher).of_program(program);
        readable.extend(std::env::current_dir());
        let working_folder = WorkingFolder::Current;
        Some(AccessRules { readable, working_folder, ..AccessRules::default() })
    }

    /// The same rules for a program that runs beside the solver.
    #[must_use]
    pub fn with_program(mut self, program: &Path, launcher: &Launcher) -> Self {
        self.readable.extend(ProgramLocations::new(launcher).of_program(program));
        self
    }

    fn of_profiled(solver: &Solver, launcher: &Launcher) -> Self {
        let locations = ProgramLocations::new(launcher);
        let mut readable = vec![launcher.host.program.clone()];
        let library = match &solver.program {
            Program::Binary { path, library } => {
                readable.extend(locations.of_program(path));
                library.as_ref()
            }
            Program::Library(library) => {
                readable.extend(locations.variables());
                Some(library)
            }
        };
        if let Some(library) = library {
            readable.extend(locations.of_library(&library.path));
        }
        let Profile { sandbox, .. } = &*solver.profile;
        let expand = |paths: &[String]| paths.iter().map(|path| locations.expand(path)).collect::<Vec<_>>();
        readable.extend(expand(&sandbox.readable));
        AccessRules { readable, writable: expand(&sandbox.writable), ..AccessRules::default() }
    }
}

/// Finds the files that programs need, by their paths and the environment.
struct ProgramLocations<'a> {
    launcher: &'a Launcher,
    home: Option<PathBuf>,
}

impl<'a> ProgramLocations<'a> {
    fn new(launcher: &'a Launcher) -> Self {
        let home = launcher.variables.get("HOME").filter(|home| !home.is_empty());
        ProgramLocations {
            launcher,
            home: home.map(|home| fs::canonicalize(home).unwrap_or_else(|_| home.into())),
        }
    }

    /// The files of a program: its installation, that of its interpreter if it is a script, and folders that variables name.
    fn of_program(&self, program: &Path) -> Vec<PathBuf> {
        let mut paths = self.installation(program);
        if let Some(interpreter) = interpreter(program) {
            let names = [interpreter.as_path()].into_iter().chain(SCRIPT_INTERPRETERS.iter().map(Path::new));
            let found = names.filter_map(|name| self.find(name));
            paths.extend(found.flat_map(|found| self.installation(&found)));
        }
        paths.extend(self.variables());
        paths
    }

    /// The folder of a library file, or the folder of libraries itself.
    fn of_library(&self, path: &Path) -> Vec<PathBuf> {
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        vec![if self.holds_home(folder) { path.to_owned() } else { folder.to_owned() }]
    }

    /// The folders that variables name for programs and libraries.
    fn variables(&self) -> Vec<PathBuf> {
        let values = ["PATH", "LD_LIBRARY_PATH", "JAVA_HOME"].into_iter();
        let values = values.filter_map(|name| self.launcher.variables.get(name));
        let folders = values.flat_map(|value| std::env::split_paths(value).collect::<Vec<_>>());
        folders.filter(|folder| folder.is_absolute() && !self.holds_home(folder)).collect()
    }

    /// The folder of a program and the parent of a folder `bin`, for a path and its link target. Never the home folder of the
    /// user nor a parent of it: there, only the program itself.
    fn installation(&self, program: &Path) -> Vec<PathBuf> {
        let mut paths = vec![program.to_owned()];
        for program in [Some(program.to_owned()), fs::canonicalize(program).ok()].into_iter().flatten() {
            let Some(folder) = program.parent().filter(|folder| !self.holds_home(folder)) else { continue };
            paths.push(folder.to_owned());
            let is_bin = folder.file_name().is_some_and(|name| name == "bin" || name == "shims");
            let Some(root) = folder.parent().filter(|_| is_bin) else { continue };
            if self.holds_home(root) || self.is_shared(root) {
                paths.extend(LIBRARY_FOLDERS.map(|name| root.join(name)));
            } else {
                paths.push(root.to_owned());
            }
        }
        paths
    }

    /// Returns true for the home folder and the folders above it.
    fn holds_home(&self, folder: &Path) -> bool {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        folder.parent().is_none() || self.home.as_ref().is_some_and(|home| home.starts_with(&folder))
    }

    /// Returns true for folders in the home folder that contain programs of many origins and private files.
    fn is_shared(&self, folder: &Path) -> bool {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let is = |name: &str| self.home.as_ref().is_some_and(|home| folder == home.join(name));
        is(".local") || is(".cargo")
    }

    /// A program by its path, or by its name on PATH.
    fn find(&self, program: &Path) -> Option<PathBuf> {
        if program.is_absolute() {
            return Some(program.to_owned());
        }
        let path = self.launcher.variables.get("PATH")?;
        std::env::split_paths(path).map(|folder| folder.join(program)).find(|found| found.is_file())
    }

    /// A path of a profile, where `~/` stands for the home folder.
    fn expand(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => path.into(),
        }
    }
}

/// Returns true if a program is a script that names its interpreter.
pub fn is_script(program: &Path) -> bool {
    interpreter(program).is_some()
}

/// The interpreter that the first line of a script names: `#!/bin/sh`, `#!/usr/bin/env python3`.
fn interpreter(program: &Path) -> Option<PathBuf> {
    let mut head = [0; 256];
    let length = fs::File::open(program).and_then(|mut file| file.read(&mut head)).ok()?;
    let line = head[..length].strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split_whitespace();
    let first = Path::new(words.next()?);
    let name = match first.file_name() {
        Some(env) if env == "env" => words.find(|word| !word.starts_with('-') && !word.contains('='))?,
        _ => first.to_str()?,
    };
    Some(name.into())
}

/// Features that the sandbox needs and the kernel lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKernelSupport {
    /// The version of Landlock, or why it is unavailable.
    landlock: Result<i32, String>,
    has_filters: bool,
}

/// The first version of Landlock that can forbid truncation of files.
const TRUNCATION_ABI: i32 = 3;

impl MissingKernelSupport {
    /// Asks the kernel; `None` if it has all features.
    pub fn of_kernel() -> Option<Self> {
        let landlock = sys::landlock_version().map_err(|error| error.to_string());
        let missing = MissingKernelSupport { landlock, has_filters: sys::has_filters() };
        let is_enough = matches!(missing.landlock, Ok(TRUNCATION_ABI..)) && missing.has_filters;
        (!is_enough).then_some(missing)
    }
}

impl fmt::Display for MissingKernelSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.landlock {
            Err(why) => {
                write!(f, "this kernel has no Landlock ({why}): solvers can read and write your files")
            }
            Ok(version) if *version < TRUNCATION_ABI => {
                write!(f, "this kernel has version {version} of Landlock: solvers can truncate your files")
            }
            Ok(_) => write!(f, "this kernel has no seccomp filters: solvers can use the network"),
        }
    }
}

/// How a helper process and its solvers are confined: the first arguments of the helper.
///
/// ```text
/// [--folder FOLDER] [--confine] [--stay] [--trace] [--read PATH]… [--write PATH]… WORDS…
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// The private folder of the helper, which its guard removes.
    pub folder: Option<PathBuf>,
    /// Files that the helper and its solvers may access; `None` for all.
    pub access: Option<AccessRules>,
}

impl Confinement {
    /// The arguments that [`Confinement::read`] reads.
    pub fn words(&self) -> Vec<OsString> {
        let pair = |flag: &str, path: &PathBuf| [OsString::from(flag), path.clone().into()];
        let mut words: Vec<OsString> =
            self.folder.iter().flat_map(|folder| pair("--folder", folder)).collect();
        if let Some(access) = &self.access {
            words.push("--confine".into());
            if access.working_folder == WorkingFolder::Current {
                words.push("--stay".into());
            }
            if access.may_trace {
                words.push("--trace".into());
            }
            words.extend(access.readable.iter().flat_map(|path| pair("--read", path)));
            words.extend(access.writable.iter().flat_map(|path| pair("--write", path)));
        }
        words
    }

    /// Reads the arguments of [`Confinement::words`] and returns the rest.
    pub fn read(mut words: &[OsString]) -> (Self, &[OsString]) {
        let mut confinement = Confinement::default();
        loop {
            words = match words {
                [flag, folder, rest @ ..] if flag == "--folder" => {
                    confinement.folder = Some(folder.into());
                    rest
                }
                [flag, rest @ ..] if flag == "--confine" => {
                    confinement.access.get_or_insert_default();
                    rest
                }
                [flag, rest @ ..] if flag == "--stay" => {
                    confinement.access.get_or_insert_default().working_folder = WorkingFolder::Current;
                    rest
                }
                [flag, rest @ ..] if flag == "--trace" => {
                    confinement.access.get_or_insert_default().may_trace = true;
                    rest
                }
                [flag, path, rest @ ..] if flag == "--read" => {
                    confinement.access.get_or_insert_default().readable.push(path.into());
                    rest
                }
                [flag, path, rest @ ..] if flag == "--write" => {
                    confinement.access.get_or_insert_default().writable.push(path.into());
                    rest
                }
                _ => return (confinement, words),
            };
        }
    }

    /// The folder that solvers may write to, if they have one.
    pub fn work_folder(&self) -> Option<PathBuf> {
        self.access.as_ref().and(self.folder.as_deref()).map(work_folder)
    }

    /// Confines the calling process and its future children, as far as the kernel supports. `tracing` is what the helper itself
    /// needs.
    pub fn confine(&self, tracing: Tracing) -> std::io::Result<()> {
        let Some(access) = &self.access else { return Ok(()) };
        let system = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let readable =
            [system(SYSTEM_READABLE), access.readable.clone(), Vec::from_iter(self.folder.clone())];
        let writable = [system(SYSTEM_WRITABLE), access.writable.clone(), Vec::from_iter(self.work_folder())];
        let tracing = if access.may_trace { Tracing::Allowed } else { tracing };
        sys::confine(&readable.concat(), &writable.concat(), tracing)
    }
}

/// The part of a private folder that solvers may write to. The script lies outside of it; otherwise a solver could replace it
/// by a link, through which gainsay would write the next script.
pub fn work_folder(folder: &Path) -> PathBuf {
    folder.join("work")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::cache::Cache;
    use crate::process::HelperProgram;
    use crate::profiles::Profiles;
    use crate::resolve::Places;

    fn launcher(sandbox: Sandbox, home: &Path) -> Launcher {
        let host = HelperProgram {
            program: "/gainsay".into(),
            arguments: Vec::new(),
            scratch: "/tmp".into(),
            sandbox,
        };
        let variables = [("HOME", home.display().to_string()), ("PATH", "/usr/bin:/".to_owned())];
        Launcher { host, variables: variables.map(|(name, value)| (name.to_owned(), value)).into() }
    }

    /// The files in the home folder that a solver may read whose program is this script at `place`.
    fn readable(place: &str, text: &str, solver: &str, sandbox: Sandbox) -> Option<Vec<String>> {
        let home = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(home.path()).unwrap();
        let program = home.join(place);
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let (profiles, cache) = (Profiles::built_in(), Cache::new("/nowhere"));
        let places = Places { profiles: &profiles, cache: &cache, path: &[] };
        let solver = places.resolve(&format!("{solver}={}", program.display()).parse().unwrap()).unwrap();
        let access = AccessRules::of_solver(&solver, &launcher(sandbox, &home));
        let below = |path: &PathBuf| Some(path.strip_prefix(&home).ok()?.display().to_string());
        let mut below: Vec<String> = access?.readable.iter().filter_map(below).collect();
        below.sort();
        below.dedup();
        fs::remove_dir_all(&home).unwrap();
        Some(below)
    }

    #[test]
    fn a_solver_may_read_its_installation_and_never_the_whole_home_folder() {
        let cases: [(&str, &[&str]); 5] = [
            ("z3", &["z3"]),
            ("build/z3", &["build", "build/z3"]),
            ("cvc5/bin/cvc5", &["cvc5", "cvc5/bin", "cvc5/bin/cvc5"]),
            ("bin/z3", &["bin", "bin/z3", "lib", "lib64", "libexec"]),
            (
                ".local/bin/z3",
                &[".local/bin", ".local/bin/z3", ".local/lib", ".local/lib64", ".local/libexec"],
            ),
        ];
        for (place, expected) in cases {
            let found = readable(place, "#!/bin/sh\n", "z3", Sandbox::Solvers).unwrap();
            assert_eq!(found, expected, "{place}");
        }
    }

    #[test]
    fn a_command_of_the_user_is_confined_only_if_asked() {
        let confined = |solver, sandbox| readable("build/z3", "#!/bin/sh\n", solver, sandbox).is_some();
        assert!(!confined("generic", Sandbox::Solvers) && confined("generic", Sandbox::All));
        assert!(confined("z3", Sandbox::Solvers) && confined("z3", Sandbox::All));
        assert!(!confined("z3", Sandbox::Off) && !confined("generic", Sandbox::Off));
    }

    #[test]
    fn a_path_on_path_that_holds_the_home_folder_is_not_readable() {
        let launcher = launcher(Sandbox::Solvers, Path::new("/people/me"));
        assert_eq!(ProgramLocations::new(&launcher).variables(), [PathBuf::from("/usr/bin")]);
    }

    #[test]
    fn the_interpreter_of_a_script_is_found_behind_env() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("script");
        for (text, expected) in [
            ("#!/bin/sh -e\n", Some("/bin/sh")),
            ("#! /usr/bin/env python3\nimport x\n", Some("python3")),
            ("#!/usr/bin/env -S A=1 java -jar\n", Some("java")),
            ("\x7fELF", None),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(interpreter(&file).as_deref(), expected.map(Path::new), "{text}");
        }
    }

    #[test]
    fn a_confinement_arrives_as_it_was_sent() {
        let access = AccessRules {
            readable: vec!["/a".into(), "--confine".into()],
            writable: vec!["/b".into()],
            working_folder: WorkingFolder::Current,
            may_trace: true,
        };
        for confinement in [
            Confinement::default(),
            Confinement { folder: Some("/f".into()), access: None },
            Confinement { folder: Some("/f".into()), access: Some(AccessRules::default()) },
            Confinement { folder: Some("/f".into()), access: Some(access) },
        ] {
            let words = [confinement.words(), vec!["keep".into(), "--".into(), "--read".into()]].concat();
            let (read, rest) = Confinement::read(&words);
            assert_eq!((read, rest), (confinement, &words[words.len() - 3..]));
        }
    }
}
