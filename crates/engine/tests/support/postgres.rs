//! A server of PostgreSQL for tests: a cluster of its own in a private folder, reached by a socket there, without TCP.
//!
//! One server serves all tests of a process, each with databases of its own. `initdb` refuses to run as root, so root runs it as
//! the user `postgres`, which the package makes. A watcher ends the server when the test process has ended, however that ended.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use gainsay_engine::store::postgres::StoreAddress;
use tempfile::TempDir;

/// Where Debian installs the programs of a server.
const DEBIAN_PROGRAMS: &str = "/usr/lib/postgresql";

/// A running server.
pub struct TemporaryServer {
    folder: PathBuf,
    programs: PathBuf,
    /// The user that the server runs as, if this process is root.
    user: Option<(u32, u32)>,
    _folder: TempDir,
}

impl TemporaryServer {
    /// The server of this process; `None` on a machine without PostgreSQL, which is told once.
    pub fn shared() -> Option<&'static TemporaryServer> {
        static SERVER: OnceLock<Option<TemporaryServer>> = OnceLock::new();
        SERVER.get_or_init(TemporaryServer::start).as_ref()
    }

    /// Starts a server.
    pub fn start() -> Option<TemporaryServer> {
        let Some(programs) = programs() else {
            eprintln!(
                "not run, for want of PostgreSQL (.ci/packages installs it): tests of the shared store"
            );
            return None;
        };
        let is_root = own_uid() == 0;
        let user = is_root.then(|| user_of("postgres")).flatten();
        if is_root && user.is_none() {
            eprintln!("not run, for want of the user `postgres`: tests of the shared store");
            return None;
        }
        let own = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").unwrap();
        fs::set_permissions(own.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let folder = own.path().join("server");
        fs::create_dir(&folder).unwrap();
        if let Some((uid, gid)) = user {
            chown(&folder, Some(uid), Some(gid)).unwrap();
        }
        let server = TemporaryServer { folder, programs, user, _folder: own };
        server.run(
            "initdb",
            &["-A", "trust", "-U", "gainsay", "-E", "UTF8", "--no-locale", "--no-sync", "-D", "data"],
        );
        // A role of this name needs its password.
        let rules = server.folder.join("data/pg_hba.conf");
        let trusted = fs::read_to_string(&rules).unwrap();
        fs::write(&rules, format!("local all guarded scram-sha-256\n{trusted}")).unwrap();
        server.start_again();
        watch(std::process::id(), &server.folder);
        Some(server)
    }

    /// Starts the server after it was stopped or killed.
    pub fn start_again(&self) {
        self.start_with("-c listen_addresses=");
    }

    /// Starts the server after it was stopped, with these options.
    pub fn start_with(&self, options: &str) {
        let options = format!(
            "-c unix_socket_directories={} -c fsync=off -c max_connections=200 {options}",
            self.folder.display()
        );
        self.run("pg_ctl", &["-D", "data", "-l", "log", "-w", "-s", "-o", &options, "start"]);
    }

    /// The address of a database of this name, which is made unless it is there.
    pub fn database(&self, name: &str) -> StoreAddress {
        let text = self.address(name);
        let there = format!("select 1 from pg_database where datname = '{name}'");
        if self.sql("postgres", &there).trim().is_empty() {
            self.sql("postgres", &format!("create database \"{name}\""));
        }
        StoreAddress::read(&text, &|_| None).unwrap()
    }

    /// The address of a database, as a user writes it.
    pub fn address(&self, name: &str) -> String {
        format!("postgres://gainsay@{}/{name}", self.folder.display().to_string().replace('/', "%2F"))
    }

    /// The folder of the server, with its socket.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a statement, and returns its rows as lines.
    pub fn sql(&self, database: &str, statement: &str) -> String {
        let host = self.folder.display().to_string();
        self.run("psql", &["-h", &host, "-U", "gainsay", "-d", database, "-At", "-c", statement])
    }

    /// Runs a program of PostgreSQL in the folder of the server, and returns what it prints.
    pub fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Writes a file that only the server can read, and returns its path.
    pub fn write_private(&self, name: &str, text: &[u8]) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        if let Some((uid, gid)) = self.user {
            chown(&path, Some(uid), Some(gid)).unwrap();
        }
        path
    }

    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match self.user {
            None => Command::new(program),
            Some(_) => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--"]).arg(program);
                command
            }
        };
        command.current_dir(&self.folder).stdin(Stdio::null()).env_remove("PGPASSFILE");
        // A server that holds the pipes of this process would keep a waiting reader for ever.
        command
    }
}

/// Ends the server when this process has ended.
fn watch(process: u32, folder: &Path) {
    let script = "while kill -0 \"$1\" 2>/dev/null; do sleep 1; done; \
                  read -r server <\"$2/data/postmaster.pid\" && kill -QUIT \"$server\"; rm -rf \"${2%/server}\"";
    let (process, folder) = (process.to_string(), folder.display().to_string());
    let mut command = Command::new("setsid");
    command.args(["sh", "-c", script, "sh", &process, &folder]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(command.spawn().unwrap());
}

/// The folder of the newest server that Debian has installed, or of another one on PATH.
fn programs() -> Option<PathBuf> {
    let is_whole =
        |folder: &PathBuf| ["initdb", "pg_ctl", "psql"].iter().all(|name| folder.join(name).exists());
    let versions = fs::read_dir(DEBIAN_PROGRAMS).into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin")).filter(is_whole).max();
    let path = std::env::var_os("PATH").unwrap_or_default();
    debian.or_else(|| std::env::split_paths(&path).find(is_whole))
}

fn own_uid() -> u32 {
    fs::metadata("/proc/self").map_or(0, |metadata| std::os::unix::fs::MetadataExt::uid(&metadata))
}

/// The numbers of a user and of its group.
fn user_of(name: &str) -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let fields: Vec<&str> =
        users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| fields[0] == name)?;
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}
