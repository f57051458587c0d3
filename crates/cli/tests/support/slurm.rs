//! A Slurm of one node on this machine, with its own keys, ports and folder: Debian's munge, slurmctld, slurmd and slurm-client.

use std::fmt::Write as _;
use std::fs::{self, File, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a daemon or a job may take before the test fails.
const MAX_WAIT: Duration = Duration::from_secs(600);
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const DAEMONS: [&str; 3] = ["munged", "slurmctld", "slurmd"];

/// Running daemons, which end with the value.
pub struct PrivateSlurm {
    daemons: Vec<Child>,
    folder: TempDir,
}

impl PrivateSlurm {
    /// Starts the daemons; `None` on a machine without Slurm and for users other than root, which is told in one line.
    pub fn start() -> Option<PrivateSlurm> {
        let programs: Option<Vec<PathBuf>> = DAEMONS.iter().map(|name| program(name)).collect();
        let Some(programs) = programs else {
            eprintln!(
                "not run, for want of Slurm (.ci/packages installs it): shards as jobs of a real Slurm"
            );
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        if fs::metadata(&folder).unwrap().uid() != 0 {
            eprintln!("not run, because slurmd must be started by root: shards as jobs of a real Slurm");
            return None;
        }
        let place = |name: &str| folder.path().join(name);
        for name in ["state", "spool"] {
            fs::create_dir(place(name)).unwrap();
        }
        fs::write(place("munge.key"), random_bytes()).unwrap();
        fs::set_permissions(place("munge.key"), Permissions::from_mode(0o400)).unwrap();
        fs::write(place("slurm.conf"), configuration(folder.path())).unwrap();
        let mut slurm = PrivateSlurm { daemons: Vec::new(), folder };
        let files = ["key", "socket", "pid", "log", "seed"];
        let flags = ["--key-file", "--socket", "--pid-file", "--log-file", "--seed-file"];
        let files = flags.iter().zip(files).map(|(flag, name)| {
            format!("{flag}={}", slurm.folder.path().join(format!("munge.{name}")).display())
        });
        let words: Vec<String> =
            ["--foreground", "--force"].map(str::to_owned).into_iter().chain(files).collect();
        slurm.start_daemon(&programs[0], &words);
        slurm.wait("munged", |slurm| slurm.folder.path().join("munge.socket").exists());
        for program in &programs[1..] {
            slurm.start_daemon(program, &["-D".to_owned()]);
        }
        slurm.wait("the node", |slurm| slurm.ask("sinfo", &["-h", "-o", "%t"]).contains("idle"));
        Some(slurm)
    }

    /// A command that talks to this Slurm.
    pub fn prepare<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf"))
    }

    /// What a program of Slurm prints.
    pub fn ask(&self, program: &str, words: &[&str]) -> String {
        let output = self.prepare(Command::new(program).args(words)).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until something holds; fails with the logs of the daemons if it does not.
    pub fn wait(&self, what: &str, holds: impl Fn(&PrivateSlurm) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < MAX_WAIT, "waited for {what}:\n{}", self.logs());
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn start_daemon(&mut self, program: &Path, words: &[String]) {
        let name = program.file_name().unwrap().to_string_lossy();
        let log = File::create(self.folder.path().join(format!("{name}.out"))).unwrap();
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let daemon = self.prepare(&mut command).spawn().unwrap();
        self.daemons.push(daemon);
    }

    fn logs(&self) -> String {
        let mut text = String::new();
        for name in DAEMONS {
            let log = fs::read_to_string(self.folder.path().join(format!("{name}.out"))).unwrap_or_default();
            let last = log.lines().rev().take(10).collect::<Vec<_>>().into_iter().rev();
            writeln!(text, "{name}:\n{}", last.collect::<Vec<_>>().join("\n")).unwrap();
        }
        text
    }
}

impl Drop for PrivateSlurm {
    fn drop(&mut self) {
        for daemon in self.daemons.iter_mut().rev() {
            let _ = Command::new("kill").arg(daemon.id().to_string()).status();
            let _ = daemon.wait();
        }
    }
}

/// Where a daemon is installed.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|program| program.exists())
}

fn random_bytes() -> Vec<u8> {
    use std::io::Read as _;
    let mut bytes = vec![0; 1024];
    File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    bytes
}

/// Ports that are free at the moment.
fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

fn configuration(folder: &Path) -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let (host, folder, [controller, node]) = (host.trim(), folder.display(), free_ports());
    format!(
        "ClusterName=private\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\n\
         AuthType=auth/munge\nAuthInfo=socket={folder}/munge.socket\nCredType=cred/munge\n\
         SlurmctldPort={controller}\nSlurmdPort={node}\nStateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\n\
         SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd.pid\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n\
         SchedulerType=sched/backfill\nSchedulerParameters=sched_interval=2\nSelectType=select/cons_tres\n\
         SelectTypeParameters=CR_Core\nSlurmdParameters=config_overrides\nJobRequeue=1\nKillWait=5\nReturnToService=2\n\
         NodeName={host} NodeAddr=127.0.0.1 CPUs=6 RealMemory=100000 State=UNKNOWN\n\
         PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP\n"
    )
}
