//! `gainsay bisect FILE --solver z3=build/z3 --repository DIR --build CMD --good REV`: which commit made a solver wrong.
//!
//! git chooses the commits (`git bisect`, in a worktree of its own, so that the user's checkout stays as it is), the build
//! command builds each, and `gainsay check` judges the script. A commit that does not build, or whose solver cannot run, is
//! skipped. A commit is bad if the check has a finding of the kind that the bad commit shows.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;
use gainsay_engine::solver::name::{Origin, SolverName};
use serde_json::Value;

use super::BisectArgs;
use crate::console;
use crate::exit::{self, UsageError};
use crate::json;
use crate::json::scripts::{BisectedCommits, TestedCommit};
use crate::report::format::visible;
use crate::stop::StopRequest;

/// The name of the worktree inside of the temporary folder.
const WORKTREE_NAME: &str = "commits";

/// The heading of these flags in the help.
const COMMITS_HEADING: &str = "Commits instead of releases";

/// The flags of a bisection of commits.
#[derive(Debug, clap::Args)]
pub struct CommitArgs {
    /// Bisect the commits of this git repository; --solver NAME=COMMAND is the program that a build makes, relative to it.
    #[arg(long, value_name = "DIR", help_heading = COMMITS_HEADING, requires_all = ["build", "good"], conflicts_with_all = ["versions", "all", "installed"])]
    repository: Option<PathBuf>,
    /// The command that builds a commit, run by sh in a worktree of the repository.
    #[arg(long, value_name = "COMMAND", help_heading = COMMITS_HEADING, requires = "repository")]
    build: Option<String>,
    /// A commit without the bug.
    #[arg(long, value_name = "REVISION", help_heading = COMMITS_HEADING, requires = "repository")]
    good: Option<String>,
    /// A commit with the bug [default: HEAD].
    #[arg(long, value_name = "REVISION", help_heading = COMMITS_HEADING, requires = "repository")]
    bad: Option<String>,
}

impl CommitArgs {
    /// Returns true if commits are to be bisected, and not releases.
    pub fn is_given(&self) -> bool {
        self.repository.is_some()
    }
}

/// How a commit fared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CommitVerdict {
    /// Kinds of findings of the build.
    Checked(Vec<String>),
    /// It cannot be judged, and why.
    Skipped(String),
}

/// A bisection under way.
struct CommitBisection<'a> {
    args: &'a BisectArgs,
    name: SolverName,
    command: String,
    build: &'a str,
    worktree: PathBuf,
    /// The tested commits: commit, verdict, subject.
    log: Vec<TestedCommit>,
}

/// Runs the command.
pub fn run(args: &BisectArgs) -> anyhow::Result<ExitCode> {
    let stop = StopRequest::on_signals()?;
    let commits = &args.commits;
    let (repository, good) = (commits.repository.as_deref(), commits.good.as_deref());
    let (Some(repository), Some(good)) = (repository, good) else {
        return Err(UsageError("--repository needs --build and --good".to_owned()).into());
    };
    let name: SolverName = args.solver.parse()?;
    let Origin::Command(command) = name.origin.clone() else {
        let line =
            format!("{name} is not the program of a build: write --solver {}=build/PROGRAM", name.profile);
        return Err(UsageError(line).into());
    };
    let bad = commit(repository, commits.bad.as_deref().unwrap_or("HEAD"))?;
    let good = commit(repository, good)?;
    let folder = TemporaryWorktree::new(repository, &bad)?;
    let mut bisection = CommitBisection {
        args,
        name,
        command,
        build: commits.build.as_deref().unwrap_or_default(),
        worktree: folder.path(),
        log: Vec::new(),
    };
    let kind = bisection.check_ends(&bad, &good)?;
    let first = bisection.search(&kind, &bad, &good, &stop)?;
    bisection.show(&kind, &first, stop.is_requested());
    Ok(ExitCode::from(exit::EXIT_FINDINGS))
}

impl CommitBisection<'_> {
    /// The kind of finding that the bad commit shows and the good one does not.
    fn check_ends(&mut self, bad: &str, good: &str) -> anyhow::Result<String> {
        let file = self.args.file.display();
        let (short_bad, short_good) = (short(bad), short(good));
        let kind = match self.judge(bad)? {
            CommitVerdict::Skipped(why) => {
                return Err(UsageError(format!("the bad commit {short_bad} cannot be judged: {why}")).into());
            }
            CommitVerdict::Checked(kinds) => kinds.into_iter().next().ok_or_else(|| {
                UsageError(format!(
                    "the bad commit {short_bad} shows no bug on {file}; add --reference or --expect"
                ))
            })?,
        };
        match self.judge(good)? {
            CommitVerdict::Skipped(why) => {
                Err(UsageError(format!("the good commit {short_good} cannot be judged: {why}")).into())
            }
            CommitVerdict::Checked(kinds) if kinds.contains(&kind) => Err(UsageError(format!(
                "the good commit {short_good} shows the {kind}, too; name an older one"
            ))
            .into()),
            CommitVerdict::Checked(_) => Ok(kind),
        }
    }

    /// Follows `git bisect` to its end; returns its last words.
    fn search(&mut self, kind: &str, bad: &str, good: &str, stop: &StopRequest) -> anyhow::Result<String> {
        let mut said = self.git(&["bisect", "start", bad, good])?;
        while !is_over(&said) && !stop.is_requested() {
            let head = self.git(&["rev-parse", "HEAD"])?.trim().to_owned();
            said = match self.judge(&head)? {
                CommitVerdict::Skipped(_) => self.git(&["bisect", "skip"])?,
                CommitVerdict::Checked(kinds) if kinds.iter().any(|one| one == kind) => {
                    self.git(&["bisect", "bad"])?
                }
                CommitVerdict::Checked(_) => self.git(&["bisect", "good"])?,
            };
        }
        Ok(said)
    }

    /// Builds a commit and checks the script with it.
    fn judge(&mut self, commit: &str) -> anyhow::Result<CommitVerdict> {
        self.git(&["checkout", "--quiet", "--detach", commit])?;
        let subject = self.git(&["log", "-1", "--format=%cs %s"])?.trim().to_owned();
        let verdict = match self.build_commit()? {
            Some(why) => CommitVerdict::Skipped(format!("the build failed: {why}")),
            None => self.check()?,
        };
        let told = match &verdict {
            CommitVerdict::Checked(kinds) if kinds.is_empty() => "fine".to_owned(),
            CommitVerdict::Checked(kinds) => kinds.join(", "),
            CommitVerdict::Skipped(why) => format!("skipped: {why}"),
        };
        console::progress(visible(&format!("{} {subject}: {told}", short(commit))));
        self.log.push(TestedCommit { commit: commit.to_owned(), subject, said: told });
        Ok(verdict)
    }

    /// Runs the build command; returns its last line if it fails.
    fn build_commit(&self) -> anyhow::Result<Option<String>> {
        let output = Command::new("sh")
            .args(["-c", self.build])
            .current_dir(&self.worktree)
            .stdin(Stdio::null())
            .output()
            .context("cannot run sh")?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output");
        Ok((!output.status.success()).then(|| last.trim().to_owned()))
    }

    /// Asks `gainsay check` about the build in the worktree.
    fn check(&self) -> anyhow::Result<CommitVerdict> {
        let program = self.worktree.join(&self.command);
        if !program.is_file() {
            return Ok(CommitVerdict::Skipped(format!("the build made no {}", self.command)));
        }
        let origin = Origin::Command(program.display().to_string());
        let solver = SolverName { origin, ..self.name.clone() }.to_string();
        let mut check =
            Command::new(std::env::current_exe().context("cannot find gainsay's own executable")?);
        check.args(["check", "--json", "--solver", &solver]).stdin(Stdio::null());
        for reference in &self.args.references {
            check.args(["--solver", reference]);
        }
        if let Some(expected) = self.args.expect {
            check.args(["--expect", expected.name()]);
        }
        check.args(["--timeout", &self.args.timeout.as_secs_f64().to_string()]);
        check.args(["--memory", &self.args.memory.to_string()]).arg(&self.args.file);
        let output = check.output().context("cannot run gainsay check")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().unwrap_or_default();
        let Ok(report) = serde_json::from_str::<Value>(last) else {
            let errors = String::from_utf8_lossy(&output.stderr);
            let why = errors.lines().last().unwrap_or("gainsay check printed nothing").to_owned();
            return Ok(CommitVerdict::Skipped(why));
        };
        let findings = report["findings"].as_array().cloned().unwrap_or_default();
        let is_ours =
            |finding: &&Value| finding["suspect"].as_str().is_some_and(|names| names.contains(&solver));
        let kinds = findings.iter().filter(is_ours).filter_map(|finding| finding["kind"].as_str());
        Ok(CommitVerdict::Checked(kinds.map(str::to_owned).collect()))
    }

    fn git(&self, arguments: &[&str]) -> anyhow::Result<String> {
        git(&self.worktree, arguments)
    }

    fn show(&self, kind: &str, said: &str, stopped: bool) {
        let first = said.lines().find_map(|line| line.strip_suffix(" is the first bad commit"));
        let candidates: Vec<&str> = said.lines().filter(|line| is_hash(line)).collect();
        if self.args.json {
            json::print(&BisectedCommits { kind, first_bad: first, candidates, commits: &self.log, stopped });
            return;
        }
        console::out(format_args!("wrong      {kind}"));
        match (first, candidates.is_empty()) {
            (Some(first), _) => {
                let about = self.git(&["log", "-1", "--format=%cs %an: %s", first]).unwrap_or_default();
                console::out(visible(&format!("first bad  {} {}", short(first), about.trim())));
            }
            (None, false) => {
                let names: Vec<&str> = candidates.iter().map(|name| short(name)).collect();
                console::out(format_args!(
                    "first bad  one of {}; the others could not be judged",
                    names.join(", ")
                ));
            }
            (None, true) => console::out("first bad  unknown: stopped before the end"),
        }
    }
}

/// A worktree of a repository in a temporary folder; it goes with this value.
struct TemporaryWorktree {
    repository: PathBuf,
    folder: PathBuf,
}

impl TemporaryWorktree {
    fn new(repository: &Path, commit: &str) -> anyhow::Result<Self> {
        let unique = format!("gainsay-bisect-{}", std::process::id());
        let folder = std::env::temp_dir().join(unique);
        let worktree = TemporaryWorktree { repository: repository.to_owned(), folder };
        let path = worktree.path().display().to_string();
        git(repository, &["worktree", "add", "--quiet", "--detach", &path, commit])?;
        Ok(worktree)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(WORKTREE_NAME)
    }
}

impl Drop for TemporaryWorktree {
    fn drop(&mut self) {
        let path = self.path().display().to_string();
        // What cannot be removed here is in a temporary folder, and `git worktree prune` forgets it.
        let _ = git(&self.repository, &["worktree", "remove", "--force", &path]);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The full name of a commit.
fn commit(repository: &Path, revision: &str) -> anyhow::Result<String> {
    if !repository.is_dir() {
        return Err(UsageError(format!("--repository {} is not a folder", repository.display())).into());
    }
    let named = git(
        repository,
        &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")],
    );
    let unknown = || UsageError(format!("{} has no commit {revision}", repository.display()));
    Ok(named.map_err(|_| unknown())?.trim().to_owned())
}

/// The output of git in a folder; an error holds its message.
fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .context("cannot run git; install it")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // `git bisect skip` fails when nothing but skipped commits is left, and says so on standard output.
    if output.status.success() || is_over(&text) {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let line = format!("git {}: {}", arguments.join(" "), errors.lines().next().unwrap_or("failed"));
    Err(UsageError(visible(&line)).into())
}

/// Returns true if `git bisect` has nothing more to test.
fn is_over(said: &str) -> bool {
    said.contains("is the first bad commit") || said.contains("The first bad commit could be any of")
}

fn is_hash(line: &str) -> bool {
    line.len() >= 40 && line.chars().all(|c| c.is_ascii_hexdigit())
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}
