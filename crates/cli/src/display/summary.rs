//! The summary of a campaign: statistics, findings, and suggested commands.

use std::path::Path;

use gainsay_engine::coverage::report::CoverageSummary;
use gainsay_engine::coverage::target::Level;
use gainsay_engine::event::ArmReport;
use gainsay_engine::feedback::behaviour::BehaviourSignal;
use gainsay_engine::shell;
use gainsay_engine::solver::trouble::TroubleKind;
use gainsay_engine::store::postgres::StoreAddress;
use gainsay_engine::tally::{CoverageTally, SolverTally};
use gainsay_engine::time_span;

use super::view::{CampaignView, FindingView};
use super::{format, lines};

/// Findings that are listed with their explanation.
const MAX_FINDINGS_LISTED: usize = 20;

/// Changed functions that were never reached and are listed.
const MAX_MISSED_LISTED: usize = 10;
/// Arms that are listed.
const MAX_ARMS_LISTED: usize = 10;

/// The summary of a campaign.
pub fn lines(view: &CampaignView) -> Vec<String> {
    let found = by_severity(view);
    let mut lines = work_lines(view);
    lines.push(findings_headline(view));
    lines.extend(list_findings(view, &found));
    lines.extend(next_commands(view));
    lines
}

/// Statistics of cases and runs.
pub fn work_lines(view: &CampaignView) -> Vec<String> {
    let mut lines = vec![work_line(view)];
    lines.extend(values(view));
    lines.extend(traces(view));
    lines.extend(coverage(view));
    lines.extend(arms(view));
    lines.extend(wasted_runs(view));
    lines
}

/// The new findings, the most severe first.
pub fn by_severity(view: &CampaignView) -> Vec<&FindingView> {
    let mut found: Vec<&FindingView> = view.new_findings().collect();
    found.sort_by_key(|found| found.kind.severity());
    found
}

/// The number of findings.
pub fn findings_headline(view: &CampaignView) -> String {
    let fresh = view.new_findings().count();
    let known = match view.findings.len() - fresh {
        0 => String::new(),
        known => format!(" (not counting {})", format::plural(known as u64, "known finding")),
    };
    let times = format::plural(view.tally.sightings, "time");
    match fresh {
        0 if view.tally.cases == 0 => format!("no cases were run{known}"),
        0 => format!("no findings{known}"),
        _ => format!("{}, seen {times}{known}:", format::plural(fresh as u64, "finding")),
    }
}

/// Why there was no case, and what to do about it; `None` if there was one.
pub fn no_case(view: &CampaignView) -> Option<String> {
    let tally = &view.tally;
    if tally.cases > 0 {
        return None;
    }
    let mut reasons = Vec::new();
    if tally.skipped_in_all() > 0 {
        reasons.push(format!("skipped: {}", format::most_frequent(&tally.skipped, 3)));
    }
    if tally.classified > 0 {
        reasons.push(lines::classification_progress(view));
    }
    if tally.probed > 0 {
        reasons.push(format!(
            "ran {} of {}",
            format::thousands(tally.probed),
            format::plural(view.seeds as u64, "seed")
        ));
    }
    if view.abandoned > 0 {
        reasons.push(format!("{} still running at the end", format::plural(view.abandoned, "seed")));
    }
    let trouble = |(name, solver): (&String, &SolverTally)| {
        (!solver.troubles.is_empty())
            .then(|| format!("{name}: {}", format::most_frequent(&solver.troubles, 2)))
    };
    reasons.extend(tally.solvers.iter().filter_map(trouble));
    let reasons =
        if reasons.is_empty() { "it ended before the first case".to_owned() } else { reasons.join("; ") };
    let is_limited = |solver: &SolverTally| solver.troubles.contains_key(TroubleKind::TimeOut.name());
    let advice = match view.abandoned > 0 || tally.solvers.values().any(is_limited) {
        true => "increase --time or --timeout, or use seeds that are easier to solve",
        false => "increase --time or --cases, or use other seeds or strategies",
    };
    Some(format!("no cases were run in {}: {reasons}; {advice}", format::clock(tally.seconds)))
}

/// Lists findings, two lines each, up to [`MAX_FINDINGS_LISTED`].
pub fn list_findings(view: &CampaignView, found: &[&FindingView]) -> Vec<String> {
    let mut lines: Vec<String> =
        found.iter().take(MAX_FINDINGS_LISTED).flat_map(|found| finding_lines(view, found)).collect();
    if found.len() > MAX_FINDINGS_LISTED {
        lines.push(format!("  … and {} more", format::thousands((found.len() - MAX_FINDINGS_LISTED) as u64)));
    }
    lines
}

/// Cases, speed and CPU time.
fn work_line(view: &CampaignView) -> String {
    let tally = &view.tally;
    let pace = view.mean_rate().map(|pace| format!(" ({}/s)", format::rate(pace))).unwrap_or_default();
    let cpu =
        tally.own_share().map(|own| format!("; {} of CPU time used by solvers", format::percent(1.0 - own)));
    let skipped = match tally.skipped_in_all() {
        0 => String::new(),
        all => format!(", {} skipped: {}", format::thousands(all), format::most_frequent(&tally.skipped, 3)),
    };
    format!(
        "{} in {}{pace}{}{skipped}",
        format::plural(tally.cases, "case"),
        format::clock(tally.seconds),
        cpu.unwrap_or_default()
    )
}

/// Values that the helper proposed for constants, if there is a helper.
fn values(view: &CampaignView) -> Option<String> {
    let values = &view.tally.values;
    let account = &values.account;
    let without_values = match values.without_values.is_empty() {
        true => String::new(),
        false => format!("; no values for {}", format::most_frequent(&values.without_values, 3)),
    };
    (values.seeds > 0).then(|| {
        format!(
            "  values for constants of {}: {} from {} ({} sat, {} unsat, {} unknown, {} timeouts, {} failed){without_values}",
            format::plural(values.seeds, "seed"),
            format::thousands(values.found),
            format::plural(u64::from(account.asked), "question"),
            account.sat,
            account.unsat,
            account.unknown,
            account.timeouts,
            account.failed,
        )
    })
}

/// The code that was reached, if it is measured.
fn coverage(view: &CampaignView) -> Vec<String> {
    let line = |(solver, known): (&String, &CoverageTally)| {
        let CoverageSummary { functions_reached, functions, sites_reached, sites, .. } = known.summary;
        let finer = match known.level {
            Level::Functions => String::new(),
            Level::Blocks => format!(
                ", {} of {} blocks",
                format::thousands(sites_reached as u64),
                format::thousands(sites as u64)
            ),
            Level::Lines => format!(
                ", {} of {} lines",
                format::thousands(known.summary.lines_reached as u64),
                format::thousands(known.summary.lines as u64)
            ),
        };
        let (reached, all) =
            (format::thousands(functions_reached as u64), format::thousands(functions as u64));
        format!("  {solver}: {reached} of {all} functions reached{finer}")
    };
    let mut lines: Vec<String> = view.tally.coverage.iter().map(line).collect();
    if let Some(changed) = &view.tally.changed {
        lines.push(format!("  functions of {} that changed since {}", changed.solver, changed.since));
        let missed = changed.missed.iter().take(MAX_MISSED_LISTED);
        lines.extend(missed.map(|name| format!("    never reached: {name}")));
        let more = changed.missed.len().saturating_sub(MAX_MISSED_LISTED) as u64;
        if more > 0 {
            lines.push(format!("    and {} more; `gainsay report` lists them", format::thousands(more)));
        }
    }
    lines
}

/// Unique traces, if traces were recorded.
fn traces(view: &CampaignView) -> Option<String> {
    let traces = &view.tally.traces;
    let unreadable = match traces.unreadable {
        0 => String::new(),
        some => {
            format!("; {} could not be read; statistics were used instead", format::plural(some, "trace"))
        }
    };
    let others: std::collections::BTreeMap<String, u64> = traces
        .by
        .iter()
        .filter(|(rung, _)| *rung != BehaviourSignal::Trace.name())
        .map(|(rung, runs)| (rung.clone(), *runs))
        .collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("; identified by other signals: {}", format::most_frequent(&others, 3)),
    };
    (traces.runs > 0).then(|| {
        let (unique, runs) =
            (format::plural(traces.unique, "unique trace"), format::plural(traces.runs, "run"));
        format!("  {unique} in {runs}{others}{unreadable}")
    })
}

/// The bandit's arms, if a bandit schedules.
fn arms(view: &CampaignView) -> Vec<String> {
    let Some(best) = view.arms.first() else { return Vec::new() };
    let all = format::plural(view.arms.len() as u64, "arm");
    let name = |arm: &ArmReport| format::arm(&arm.strategy, arm.theory.as_deref());
    let mut lines = vec![format!("  most promising of {all}: {}", name(best))];
    lines.extend(view.arms.iter().take(MAX_ARMS_LISTED).map(|arm| {
        let cases = format::plural(arm.cases, "case");
        let [mean, low, high] = [arm.mean, arm.low, arm.high].map(format::percent);
        format!(
            "    {:<28} {cases:>12}  chance of something new per case {mean} ({low} to {high})",
            name(arm)
        )
    }));
    lines
}

/// Runs in trouble, one line per solver; flaky findings; bugs in gainsay.
fn wasted_runs(view: &CampaignView) -> Vec<String> {
    let tally = &view.tally;
    let solver = |(name, solver): (&String, &SolverTally)| {
        let spared: u64 = solver.spared.values().sum();
        let troubles: u64 = solver.troubles.values().sum();
        let mut parts = Vec::new();
        if troubles > 0 {
            parts.push(format!(
                "{} in trouble ({})",
                format::thousands(troubles),
                format::most_frequent(&solver.troubles, 3)
            ));
        }
        if spared > 0 {
            parts.push(format!(
                "not run {} ({})",
                format::plural(spared, "time"),
                format::most_frequent(&solver.spared, 2)
            ));
        }
        if !solver.removed.is_empty() {
            parts.push(format!("commands not sent: {}", format::most_frequent(&solver.removed, 3)));
        }
        (!parts.is_empty())
            .then(|| format!("  {name}: {}, {}", format::plural(solver.runs, "run"), parts.join(", ")))
    };
    let mut lines: Vec<String> = tally.solvers.iter().filter_map(solver).collect();
    lines.extend(view.lost.iter().map(|(solver, why)| format!("  {solver} failed: {why}")));
    lines.extend((tally.flaky > 0).then(|| {
        format!("  {} flaky (wrong once, but not reproducible)", format::plural(tally.flaky, "case"))
    }));
    lines.extend((tally.our_bugs > 0).then(|| {
        format!("  {} lost to bugs in gainsay: please report them", format::plural(tally.our_bugs, "case"))
    }));
    lines
}

fn finding_lines(view: &CampaignView, found: &FindingView) -> [String; 2] {
    [
        format!(
            "  {} {} ×{} ({}): {}",
            found.kind.name(),
            found.suspect,
            format::thousands(found.count),
            found.evidence.name(),
            found.explanation
        ),
        format!("    {}", view.folder.join(&found.path).display()),
    ]
}

/// Suggests what to run next.
pub fn next_commands(view: &CampaignView) -> Vec<String> {
    let first = by_severity(view).first().copied();
    let folder = shell_quoted(&view.folder);
    if view.folder.to_str().is_some_and(StoreAddress::is_address) {
        let merge = format!("gainsay merge OUT {folder}");
        return vec![
            format!("results are in {folder}; next steps:"),
            format!("  {merge:<44}  # copy them to a folder, for all other commands"),
        ];
    }
    let mut lines = vec![format!("results are in {folder}; next steps:")];
    let mut offer = |command: String, what: &str| lines.push(format!("  {command:<44}  # {what}"));
    if first.is_some() {
        offer(format!("gainsay list {folder}"), "list the findings");
        offer(format!("gainsay triage {folder}"), "reduce, bisect and group them; write bug reports");
        offer(format!("gainsay report {folder}"), "report on the campaign");
    }
    if let Some(case) = first.and_then(|found| found.case) {
        offer(format!("gainsay replay {folder} {case}"), "reproduce that case");
    }
    offer(
        format!("gainsay fuzz --resume --out {folder}{}", more_budget_flags(view)),
        "continue the campaign",
    );
    lines
}

/// The flags that extend an exhausted budget.
fn more_budget_flags(view: &CampaignView) -> String {
    let (budget, tally) = (&view.budget, &view.tally);
    let cases = tally.cases + tally.skipped_in_all() + tally.our_bugs;
    let found = view.new_findings().count() as u64;
    let seconds = budget.seconds.filter(|all| tally.seconds >= *all);
    let flags = [
        seconds.map(|all| format!(" --time {}", time_span::write(2.0 * all))),
        budget
            .cases
            .filter(|all| cases >= *all && view.shard.is_none())
            .map(|all| format!(" --cases {}", all.saturating_mul(2))),
        budget
            .findings
            .filter(|all| found >= *all)
            .map(|all| format!(" --findings {}", all.saturating_mul(2))),
    ];
    flags.into_iter().flatten().collect()
}

/// Quotes a path for a shell.
pub fn shell_quoted(path: &Path) -> String {
    shell::quoted(path)
}
