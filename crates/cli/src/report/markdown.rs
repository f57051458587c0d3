//! The report as Markdown, for terminals, pull requests and mails.
//!
//! Untrusted text is fenced, with a fence that it cannot close, or escaped.

use std::fmt::Write;

use gainsay_engine::event::ArmReport;
use gainsay_engine::tally::{GrowthPoint, Tally};

use super::format::{number, percent, share, time, visible, visible_lines};
use super::{CampaignReport, ReportedFinding};
use crate::command::triage::lines;
use crate::display;

/// Points of the growth of coverage that are shown.
const MAX_GROWTH_ROWS: usize = 20;

/// Renders the report as Markdown.
pub fn render(report: &CampaignReport) -> String {
    let mut page = format!("# gainsay: {}\n\n", cell(&report.folder));
    table(
        &mut page,
        &["", ""],
        report.figures.iter().map(|figure| vec![figure.name.to_owned(), figure.value.clone()]),
    );
    if let Some(triage) = &report.triage {
        page.push_str("\n## Groups\n\n");
        lines(triage).iter().for_each(|line| page.push_str(&format!("- {}\n", cell(line))));
    }
    page.push_str("\n## Findings\n\n");
    list(&mut page, &report.findings, "No new findings.\n");
    if !report.known.is_empty() {
        page.push_str("\n### Known findings\n\n");
        list(&mut page, &report.known, "");
    }
    solvers(&mut page, &report.tally);
    counts(&mut page, &report.tally);
    coverage(&mut page, &report.tally);
    arms(&mut page, &report.arms);
    report.findings.iter().for_each(|finding| detail(&mut page, finding));
    page.push_str("\n## Machine and versions\n\n");
    table(&mut page, &["", ""], report.facts.iter().map(|(name, value)| vec![cell(name), cell(value)]));
    page.push_str("\n## Plan\n\n");
    fence(&mut page, "toml", &report.plan);
    page
}

fn list(page: &mut String, findings: &[ReportedFinding], nothing: &str) {
    if findings.is_empty() {
        page.push_str(nothing);
        return;
    }
    let row = |finding: &ReportedFinding| {
        let record = &finding.record;
        let words = [
            record.kind.name(),
            record.evidence.name(),
            &record.suspects.to_string(),
            &record.strategy,
            &finding.id,
        ];
        let mut row: Vec<String> = words.iter().map(|word| cell(word)).collect();
        row.insert(3, number(record.count));
        row.insert(4, finding.first_case());
        row
    };
    let heads = ["kind", "evidence", "suspect", "seen", "first case", "strategy", "folder"];
    table(page, &heads, findings.iter().map(row));
}

fn solvers(page: &mut String, tally: &Tally) {
    page.push_str("\n## Solvers\n\n");
    let heads = ["solver", "runs", "sat", "unsat", "unknown", "no answer", "not run", "CPU"];
    let row = |(name, solver): (&String, &gainsay_engine::tally::SolverTally)| {
        let answered = solver.sat + solver.unsat + solver.unknown;
        let counts =
            [solver.runs, solver.sat, solver.unsat, solver.unknown, solver.runs.saturating_sub(answered)];
        let mut row = vec![cell(name)];
        row.extend(counts.map(number));
        row.push(number(solver.spared.values().sum()));
        row.push(time(solver.cpu));
        row
    };
    table(page, &heads, tally.solvers.iter().map(row));
    for (name, solver) in &tally.solvers {
        let parts = [
            ("trouble", &solver.troubles),
            ("error messages", &solver.reasons),
            ("not run because", &solver.spared),
            ("commands not sent", &solver.removed),
        ];
        for (what, counts) in parts.into_iter().filter(|(_, counts)| !counts.is_empty()) {
            writeln!(page, "\n{}: {what}\n", cell(name)).expect("writing to a string does not fail");
            table(page, &["", "times"], counts.iter().map(|(word, count)| vec![cell(word), number(*count)]));
        }
    }
}

fn counts(page: &mut String, tally: &Tally) {
    page.push_str("\n## Oracles\n\n");
    let oracles = tally.oracles.iter().map(|(name, oracle)| {
        vec![cell(name), number(oracle.fine), number(oracle.undecided), number(oracle.bug)]
    });
    table(page, &["oracle", "fine", "undecided", "wrong"], oracles);
    if !tally.questions.is_empty() {
        page.push_str("\n## Questions beyond sat and unsat\n\n");
        let questions = tally.questions.iter().map(|(name, question)| {
            vec![cell(name), number(question.fine), number(question.undecided), number(question.bug)]
        });
        table(page, &["question", "right", "undecided", "wrong"], questions);
    }
    if !tally.theories.is_empty() {
        page.push_str("\n## Cases decided by exhaustion, by theory\n\n");
        let theories = tally.theories.iter().map(|(name, theory)| {
            let (decided, all) = (theory.fine, theory.fine + theory.undecided + theory.bug);
            vec![cell(name), number(all), number(decided), share(decided, all)]
        });
        table(page, &["theory", "cases", "decided", "share"], theories);
    }
    page.push_str("\n## Strategies\n\n");
    let strategies = tally.strategies.iter().map(|(name, strategy)| {
        let (cases, skipped) = (number(strategy.cases), number(strategy.skipped));
        vec![cell(name), cases, share(strategy.cases, tally.cases), skipped, number(strategy.sightings)]
    });
    table(page, &["strategy", "cases", "share", "not applicable", "sightings"], strategies);
    if !tally.skipped.is_empty() {
        page.push_str("\n## Skipped cases\n\n");
        table(page, &["", "cases"], tally.skipped.iter().map(|(why, count)| vec![cell(why), number(*count)]));
    }
    let ours = tally.own_share().map_or_else(|| "–".to_owned(), percent);
    writeln!(page, "\nCPU: solvers {}, gainsay {} ({ours}).", time(tally.solver_cpu()), time(tally.own_cpu))
        .expect("writing to a string does not fail");
}

/// The growth of coverage, and the changed functions that were reached or missed.
fn coverage(page: &mut String, tally: &Tally) {
    for (solver, known) in tally.coverage.iter().filter(|(_, known)| !known.growth.is_empty()) {
        writeln!(page, "\n## Coverage of {}\n", cell(solver)).expect("writing to a string does not fail");
        let row = |point: &GrowthPoint| {
            let reached = point.reached as u64;
            let part = share(reached, known.summary.sites as u64);
            vec![number(point.cases), time(point.solver_cpu), number(reached), part]
        };
        let heads = ["cases", "CPU of solvers", &format!("{} reached", known.level), "share"];
        table(page, &heads, selected(&known.growth).map(row));
    }
    let Some(changed) = &tally.changed else { return };
    let title = format!("Functions of {} that changed since {}", changed.solver, changed.since);
    writeln!(page, "\n## {}\n", cell(&title)).expect("writing to a string does not fail");
    let names = changed.reached.len() + changed.missed.len();
    let told = format!(
        "{} changed; of {} that are named here, {} were reached and {} never.",
        number(changed.functions as u64),
        number(names as u64),
        number(changed.reached.len() as u64),
        number(changed.missed.len() as u64)
    );
    writeln!(page, "{told}\n").expect("writing to a string does not fail");
    let rows = changed.missed.iter().map(|name| vec![cell(name), "never".to_owned()]);
    let rows = rows.chain(changed.reached.iter().map(|name| vec![cell(name), "yes".to_owned()]));
    table(page, &["function", "reached"], rows);
}

/// At most [`MAX_GROWTH_ROWS`] points, evenly spaced; the last one is always there.
fn selected(growth: &[GrowthPoint]) -> impl Iterator<Item = &GrowthPoint> {
    let (last, step) = (growth.len().saturating_sub(1), growth.len().div_ceil(MAX_GROWTH_ROWS).max(1));
    growth.iter().enumerate().filter(move |(place, _)| (last - place) % step == 0).map(|(_, point)| point)
}

fn arms(page: &mut String, arms: &[ArmReport]) {
    if arms.is_empty() {
        return;
    }
    page.push_str("\n## Bandit arms\n\n");
    let row = |arm: &ArmReport| {
        let [mean, low, high] = [arm.mean, arm.low, arm.high].map(percent);
        let name = cell(&display::format::arm(&arm.strategy, arm.theory.as_deref()));
        vec![name, number(arm.cases), mean, format!("{low} to {high}")]
    };
    table(page, &["arm", "cases", "chance of something new per case", "95 % interval"], arms.iter().map(row));
}

fn detail(page: &mut String, finding: &ReportedFinding) {
    let record = &finding.record;
    let (kind, evidence) = (record.kind.name(), record.evidence.name());
    let told = write!(
        page,
        "\n## {kind} of {}: {}\n\n{}\n\n",
        cell(&record.suspects.to_string()),
        cell(&finding.id),
        cell(&record.explanation)
    );
    told.expect("writing to a string does not fail");
    let case = finding.first_case();
    let mut facts = vec![
        ("evidence", evidence.to_owned()),
        ("fingerprint", cell(&record.fingerprint)),
        ("seen", format!("{} times, first after {}", number(record.count), time(record.seconds as f64))),
        ("first case", format!("{case}, by {}, from {}", cell(&record.strategy), cell(&record.seed))),
    ];
    facts.extend((!finding.cases.is_empty()).then(|| ("cases", finding.cases.clone())));
    table(page, &["", ""], facts.into_iter().map(|(name, value)| vec![name.to_owned(), value]));
    match &finding.folder {
        None => page.push_str("\nToo many findings to show all of them: see its folder.\n"),
        Some(Err(why)) => writeln!(page, "\n{}", cell(why)).expect("writing to a string does not fail"),
        Some(Ok(folder)) => {
            page.push('\n');
            fence(page, "smt2", &folder.case);
            page.push_str("\nTo reproduce:\n\n");
            let replay = folder.origin.again.replay.as_deref().unwrap_or_default();
            fence(page, "sh", format!("{}\n{replay}", folder.origin.again.check).trim_end());
        }
    }
}

fn table(page: &mut String, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let line =
        |cells: &mut dyn Iterator<Item = &str>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    page.push_str(&line(&mut heads.iter().copied()));
    page.push_str(&line(&mut heads.iter().map(|_| "---")));
    for row in rows {
        page.push_str(&line(&mut row.iter().map(String::as_str)));
    }
}

/// Escapes untrusted text for Markdown, in one line.
pub fn cell(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cell = String::new();
    for letter in visible(&one_line).chars() {
        match letter {
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '&' => cell.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' | '!' => cell.extend(['\\', letter]),
            _ => cell.push(letter),
        }
    }
    cell
}

/// Untrusted text as a code span, in one line: nothing in it is escaped, and nothing in it ends the span.
pub fn code(text: &str) -> String {
    let text = visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Fences untrusted text, with a fence longer than any inside.
pub fn fence(page: &mut String, language: &str, text: &str) {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest.max(2) + 1);
    let text = visible_lines(text);
    writeln!(page, "{ticks}{language}\n{text}\n{ticks}").expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_one_line_of_plain_words() {
        assert_eq!(
            cell("a|b\n`c` <img src=x> &amp; \x1b[1m"),
            "a\\|b \\`c\\` &lt;img src=x&gt; &amp;amp; \\\\u{1b}\\[1m"
        );
    }

    #[test]
    fn a_code_span_escapes_nothing_and_is_not_ended_by_its_text() {
        assert_eq!(code("(_ bv1 8) <b> *x*"), "`(_ bv1 8) <b> *x*`");
        assert_eq!(code("a\n`b` ``c"), "```a `b` ``c```");
        assert_eq!(code("`b`"), "`` `b` ``");
    }

    #[test]
    fn no_text_closes_its_fence() {
        let mut page = String::new();
        fence(&mut page, "smt2", "a\n````\n# b");
        assert_eq!(page, "`````smt2\na\n````\n# b\n`````\n");
    }
}
