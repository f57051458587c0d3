//! `--changed OLD..NEW`: finds the functions of a solver that changed, for campaigns that a change leads.
//!
//! OLD and NEW are two builds, compared by symbol and code; or, with `--repository`, two revisions, whose diff is mapped to functions by the
//! line table of the first solver. What cannot be told is no error: the campaign says why, and goes on without.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use gainsay_engine::campaign::plan::{CampaignPlan, ChangePlan};
use gainsay_engine::coverage::diff;
use gainsay_engine::schedule::Schedule;
use gainsay_engine::session::coverage::ChangedCode;
use gainsay_engine::solver::coverage;
use gainsay_engine::solver::resolve::Solver;

use crate::environment::Environment;
use crate::exit::UsageError;
use crate::solver_lookup;

/// The bandit that leads if no schedule is named: without one, nothing would be led.
const DEFAULT_BANDIT: &str = "thompson";

/// Splits `OLD..NEW`. Two dots beside a slash or after `=` belong to a path: `z3=../old/z3..z3=../new/z3`.
pub fn split(text: &str) -> Result<(String, String), String> {
    let is_split = |&(at, _): &(usize, &str)| {
        let (old, new) = (&text[..at], &text[at + 2..]);
        !old.is_empty() && !old.ends_with(['/', '=', '.']) && !new.is_empty() && !new.starts_with(['/', '.'])
    };
    let parts: Vec<usize> = text.match_indices("..").filter(is_split).map(|(at, _)| at).collect();
    match parts[..] {
        [at] => Ok((text[..at].to_owned(), text[at + 2..].to_owned())),
        _ => Err("write OLD..NEW: two solvers, or two revisions with --repository".to_owned()),
    }
}

/// Sets the change in a plan. If it names no solvers, both builds are solvers, so that they are compared; if it has no schedule, a bandit leads.
pub fn plan_change(plan: &mut CampaignPlan, (old, new): &(String, String), repository: Option<&Path>) {
    if repository.is_none() {
        if plan.solvers.is_empty() {
            plan.solvers = vec![new.clone(), old.clone()];
        } else if !plan.solvers.contains(new) {
            plan.solvers.insert(0, new.clone());
        }
    }
    let repository = repository.map(Path::to_owned);
    plan.changed = Some(ChangePlan { old: old.clone(), new: new.clone(), repository });
}

/// Lets a bandit lead a campaign with a change and without a schedule.
pub fn set_schedule(plan: &mut CampaignPlan) {
    if plan.changed.is_some() && plan.schedule.agent().is_none() {
        plan.schedule = Schedule::find(DEFAULT_BANDIT).unwrap_or_default();
    }
}

/// The number of the changed solver in a plan.
pub fn changed_solver(plan: &CampaignPlan) -> Result<Option<usize>, UsageError> {
    let Some(change) = &plan.changed else { return Ok(None) };
    let position = match change.repository {
        Some(_) => Some(0),
        None => plan.solvers.iter().position(|solver| *solver == change.new),
    };
    let missing =
        || UsageError(format!("changed.new: {} is not one of the solvers; add --solver {0}", change.new));
    position.map(Some).ok_or_else(missing)
}

/// Finds the changed functions of a solver, and replaces the names in the plan by exact versions or commits.
pub fn changed_code(
    plan: &mut CampaignPlan,
    environment: &Environment,
    (number, solver): (usize, &Solver),
) -> anyhow::Result<Option<ChangedCode>> {
    let Some(change) = &mut plan.changed else { return Ok(None) };
    let (since, symbols) = match &change.repository {
        Some(repository) => {
            // A resumed campaign has the same targets, wherever branches are by then.
            (change.old, change.new) = (commit(repository, &change.old)?, commit(repository, &change.new)?);
            let range = format!("{}..{}", change.old, change.new);
            let lines = diff::read(&git_diff(repository, &range)?);
            (range, coverage::symbols_of_lines(solver, &lines))
        }
        None => {
            let old =
                solver_lookup::find_or_install(environment, std::slice::from_ref(&change.old))?.remove(0);
            (change.old, change.new) = (old.name.to_string(), solver.name.to_string());
            (change.old.clone(), coverage::changed_symbols(&old, solver))
        }
    };
    let symbols: Result<BTreeSet<String>, String> = symbols.map_err(|error| error.to_string());
    Ok(Some(ChangedCode { solver: number, since, symbols }))
}

/// The commit that a revision names.
fn commit(repository: &Path, revision: &str) -> Result<String, UsageError> {
    let exact = format!("{revision}^{{commit}}");
    let words = ["rev-parse", "--verify", "--short=12", "--end-of-options", &exact];
    Ok(git(repository, &words, revision)?.trim().to_owned())
}

/// The diff of two revisions, without context lines.
fn git_diff(repository: &Path, range: &str) -> Result<String, UsageError> {
    let flags = ["--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"];
    git(repository, &[&["diff", "-U0"], &flags[..], &["--end-of-options", range, "--"]].concat(), range)
}

/// What git prints in a repository.
fn git(repository: &Path, words: &[&str], revisions: &str) -> Result<String, UsageError> {
    let mut git = Command::new("git");
    git.args(["-c", "core.quotePath=false", "-C"]).arg(repository).args(words);
    let output = git.output();
    let output =
        output.map_err(|error| UsageError(format!("--repository needs git, which cannot run: {error}")))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(UsageError(format!(
            "--changed: git does not know {revisions} in {}: {}",
            repository.display(),
            String::from_utf8_lossy(&output.stderr).trim().lines().next().unwrap_or_default()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dots_between_two_builds_are_told_from_those_of_paths() {
        let pair = |old: &str, new: &str| Ok((old.to_owned(), new.to_owned()));
        assert_eq!(split("z3@4.16.0..z3@5.4.0"), pair("z3@4.16.0", "z3@5.4.0"));
        assert_eq!(split("z3=../old/z3..z3=../new/z3"), pair("z3=../old/z3", "z3=../new/z3"));
        assert_eq!(split("v1.2..main"), pair("v1.2", "main"));
        assert!(split("main").is_err() && split("..main").is_err() && split("main..").is_err());
        assert!(split("a..b..c").is_err());
    }

    #[test]
    fn a_change_without_solvers_compares_both_builds_by_a_bandit() {
        let change = ("z3@4.16.0".to_owned(), "z3@5.4.0".to_owned());
        let mut plan = CampaignPlan::default();
        plan_change(&mut plan, &change, None);
        set_schedule(&mut plan);
        assert_eq!(
            (&plan.solvers[..], plan.schedule.name()),
            (&[change.1.clone(), change.0.clone()][..], "thompson")
        );
        let mut plan = CampaignPlan { solvers: vec!["cvc5@1.4.2".to_owned()], ..CampaignPlan::default() };
        plan_change(&mut plan, &change, None);
        assert_eq!(plan.solvers, ["z3@5.4.0", "cvc5@1.4.2"]);
        assert_eq!(changed_solver(&plan).unwrap(), Some(0));
        plan.solvers.remove(0);
        assert!(changed_solver(&plan).is_err());
    }
}
