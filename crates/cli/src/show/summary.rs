//! The last words of a campaign: what was done, what was found, where it is, and what to do next.

use std::path::Path;

use gainsay_engine::campaign::span;
use gainsay_engine::event::ArmReport;
use gainsay_engine::feedback::behaviour::BehaviourSignal;
use gainsay_engine::solver::trouble::TroubleKind;
use gainsay_engine::tally::SolverTally;

use super::board::{Board, Found};
use super::{lines, words};

/// Findings that are told in full.
const TOLD: usize = 20;

/// Arms that are told.
const ARMS: usize = 10;

/// The lines that end a campaign.
pub fn lines(board: &Board) -> Vec<String> {
    let found = by_severity(board);
    let mut lines = done(board);
    lines.push(counted(board));
    lines.extend(told(board, &found));
    lines.extend(next(board));
    lines
}

/// How much was done, and what was of no use.
pub fn done(board: &Board) -> Vec<String> {
    let mut lines = vec![work(board)];
    lines.extend(values(board));
    lines.extend(traces(board));
    lines.extend(arms(board));
    lines.extend(waste(board));
    lines
}

/// The findings that are not known, the gravest first.
pub fn by_severity(board: &Board) -> Vec<&Found> {
    let mut found: Vec<&Found> = board.fresh().collect();
    found.sort_by_key(|found| found.kind.severity());
    found
}

/// How much was found.
pub fn counted(board: &Board) -> String {
    let fresh = board.fresh().count();
    let known = match board.findings.len() - fresh {
        0 => String::new(),
        known => format!(" ({} known ones left out)", words::count(known as u64)),
    };
    let times = words::some(board.tally.sightings, "time");
    match fresh {
        0 if board.tally.cases == 0 => format!("no case was made, so nothing was tested{known}"),
        0 => format!("nothing found{known}"),
        _ => format!("{}, seen {times}{known}:", words::some(fresh as u64, "finding")),
    }
}

/// Why no case was made, and what to do about it; `None` if there is one.
pub fn no_case(board: &Board) -> Option<String> {
    let tally = &board.tally;
    if tally.cases > 0 {
        return None;
    }
    let mut reasons = Vec::new();
    if tally.skipped_in_all() > 0 {
        reasons.push(format!("skipped: {}", words::top(&tally.skipped, 3)));
    }
    if tally.classified > 0 {
        reasons.push(lines::classifying(board));
    }
    if tally.probed > 0 {
        reasons.push(format!(
            "{} of {} run",
            words::count(tally.probed),
            words::some(board.seeds as u64, "seed")
        ));
    }
    if board.abandoned > 0 {
        reasons.push(format!("{} still being run at the end", words::some(board.abandoned, "seed")));
    }
    let trouble = |(name, solver): (&String, &SolverTally)| {
        (!solver.troubles.is_empty()).then(|| format!("{name}: {}", words::top(&solver.troubles, 2)))
    };
    reasons.extend(tally.solvers.iter().filter_map(trouble));
    let reasons =
        if reasons.is_empty() { "it ended before the first one".to_owned() } else { reasons.join("; ") };
    let is_limited = |solver: &SolverTally| solver.troubles.contains_key(TroubleKind::TimeOut.name());
    let advice = match board.abandoned > 0 || tally.solvers.values().any(is_limited) {
        true => "raise --time or --timeout, or give seeds that solvers answer sooner",
        false => "raise --time or --cases, or give other seeds or strategies",
    };
    Some(format!("no case was made in {}: {reasons}; {advice}", words::clock(tally.seconds)))
}

/// Findings, two lines each; of very many, the first.
pub fn told(board: &Board, found: &[&Found]) -> Vec<String> {
    let mut lines: Vec<String> = found.iter().take(TOLD).flat_map(|found| tell(board, found)).collect();
    if found.len() > TOLD {
        lines.push(format!("  … and {} more", words::count((found.len() - TOLD) as u64)));
    }
    lines
}

/// How much was done, and at what cost.
fn work(board: &Board) -> String {
    let tally = &board.tally;
    let pace = board.mean_pace().map(|pace| format!(" ({}/s)", words::rate(pace))).unwrap_or_default();
    let cpu = tally.own_share().map(|own| format!("; {} of CPU went to solvers", words::percent(1.0 - own)));
    let skipped = match tally.skipped_in_all() {
        0 => String::new(),
        all => format!(", {} skipped: {}", words::count(all), words::top(&tally.skipped, 3)),
    };
    format!(
        "{} in {}{pace}{}{skipped}",
        words::some(tally.cases, "case"),
        words::clock(tally.seconds),
        cpu.unwrap_or_default()
    )
}

/// What a helper gave for constants, if one was asked.
fn values(board: &Board) -> Option<String> {
    let values = &board.tally.values;
    let account = &values.account;
    let barren = match values.barren.is_empty() {
        true => String::new(),
        false => format!("; none for {}", words::top(&values.barren, 3)),
    };
    (values.seeds > 0).then(|| {
        format!(
            "  values for the constants of {}: {} in {} ({} sat, {} unsat, {} unknown, {} out of time, {} failed){barren}",
            words::some(values.seeds, "seed"),
            words::count(values.found),
            words::some(u64::from(account.asked), "question"),
            account.sat,
            account.unsat,
            account.unknown,
            account.timeouts,
            account.failed,
        )
    })
}

/// The ways that solvers took, if somebody looked.
fn traces(board: &Board) -> Option<String> {
    let traces = &board.tally.traces;
    let unreadable = match traces.unreadable {
        0 => String::new(),
        some => format!("; {} could not be read, statistics stand for them", words::some(some, "trace")),
    };
    let others: std::collections::BTreeMap<String, u64> = traces
        .by
        .iter()
        .filter(|(rung, _)| *rung != BehaviourSignal::Trace.name())
        .map(|(rung, runs)| (rung.clone(), *runs))
        .collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("; known by something else: {}", words::top(&others, 3)),
    };
    (traces.runs > 0).then(|| {
        let (unique, runs) = (words::some(traces.unique, "unique trace"), words::some(traces.runs, "run"));
        format!("  {unique} in {runs}{others}{unreadable}")
    })
}

/// What an agent has learnt, if one leads.
fn arms(board: &Board) -> Vec<String> {
    let Some(best) = board.arms.first() else { return Vec::new() };
    let all = words::some(board.arms.len() as u64, "arm");
    let name = |arm: &ArmReport| words::arm(&arm.strategy, arm.theory.as_deref());
    let mut lines = vec![format!("  most promising of {all}: {}", name(best))];
    lines.extend(board.arms.iter().take(ARMS).map(|arm| {
        let cases = words::some(arm.cases, "case");
        let [mean, low, high] = [arm.mean, arm.low, arm.high].map(words::percent);
        format!(
            "    {:<28} {cases:>12}  chance of something new in a case {mean} ({low} to {high})",
            name(arm)
        )
    }));
    lines
}

/// What was of no use, a line a solver; what looked wrong once; bugs of ours.
fn waste(board: &Board) -> Vec<String> {
    let tally = &board.tally;
    let solver = |(name, solver): (&String, &SolverTally)| {
        let spared: u64 = solver.spared.values().sum();
        let troubles: u64 = solver.troubles.values().sum();
        let mut parts = Vec::new();
        if troubles > 0 {
            parts.push(format!(
                "{} without a full answer ({})",
                words::count(troubles),
                words::top(&solver.troubles, 3)
            ));
        }
        if spared > 0 {
            parts.push(format!(
                "not asked {} ({})",
                words::some(spared, "time"),
                words::top(&solver.spared, 2)
            ));
        }
        if !solver.removed.is_empty() {
            parts.push(format!("commands not sent: {}", words::top(&solver.removed, 3)));
        }
        (!parts.is_empty())
            .then(|| format!("  {name}: {}, {}", words::some(solver.runs, "run"), parts.join(", ")))
    };
    let mut lines: Vec<String> = tally.solvers.iter().filter_map(solver).collect();
    lines.extend(
        board.lost.iter().map(|(solver, why)| format!("  {solver} could not be run any more: {why}")),
    );
    lines
        .extend((tally.flaky > 0).then(|| {
            format!("  {} looked wrong and did not happen again", words::some(tally.flaky, "case"))
        }));
    lines.extend((tally.our_bugs > 0).then(|| {
        format!(
            "  {} lost to bugs of gainsay itself: please report them",
            words::some(tally.our_bugs, "case")
        )
    }));
    lines
}

fn tell(board: &Board, found: &Found) -> [String; 2] {
    [
        format!(
            "  {} {} ×{} ({}): {}",
            found.kind.name(),
            found.suspect,
            words::count(found.count),
            found.evidence.name(),
            found.explanation
        ),
        format!("    {}", board.folder.join(&found.path).display()),
    ]
}

/// The commands that make sense now.
pub fn next(board: &Board) -> Vec<String> {
    let first = by_severity(board).first().copied();
    let folder = quoted(&board.folder);
    let mut lines = vec![format!("everything is in {folder}; what next:")];
    let mut offer = |command: String, what: &str| lines.push(format!("  {command:<44}  # {what}"));
    if first.is_some() {
        offer(format!("gainsay list {folder}"), "the findings");
        offer(format!("gainsay report {folder}"), "a page about them");
    }
    if let Some(case) = first.and_then(|found| found.case) {
        offer(format!("gainsay replay {folder} {case}"), "makes that case again, byte for byte");
    }
    offer(format!("gainsay fuzz --resume --out {folder}{}", more(board)), "goes on");
    lines
}

/// The flag without which a campaign that has used its budget up would end at once.
fn more(board: &Board) -> String {
    let (budget, tally) = (&board.budget, &board.tally);
    let cases = tally.cases + tally.skipped_in_all() + tally.our_bugs;
    let found = board.fresh().count() as u64;
    let seconds = budget.seconds.filter(|all| tally.seconds >= *all);
    let flags = [
        seconds.map(|all| format!(" --time {}", span::write(2.0 * all))),
        budget.cases.filter(|all| cases >= *all).map(|all| format!(" --cases {}", all.saturating_mul(2))),
        budget
            .findings
            .filter(|all| found >= *all)
            .map(|all| format!(" --findings {}", all.saturating_mul(2))),
    ];
    flags.into_iter().flatten().collect()
}

/// A path as a shell reads it.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.chars().all(|c| c.is_alphanumeric() || "/._-+,:@".contains(c));
    if plain && !text.is_empty() { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
