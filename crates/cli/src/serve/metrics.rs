//! The figures of a campaign in the text format of Prometheus.

use std::fmt::Write;

use gainsay_engine::store::postgres::overview::StoreOverview;

use super::live::is_alive;

/// Writes the metrics of a campaign.
pub fn write(overview: &StoreOverview) -> String {
    let StoreOverview { tally, findings, known, workers } = overview;
    let mut out = Metrics(String::new());
    out.family("gainsay_cases_total", "counter", "Cases that were run and judged.");
    out.value("", tally.cases as f64);
    out.family("gainsay_skipped_cases_total", "counter", "Cases that were not run, by reason.");
    tally.skipped.iter().for_each(|(why, count)| out.value(&label("reason", why), *count as f64));
    out.family("gainsay_findings", "gauge", "Distinct findings.");
    out.value(&label("state", "new"), findings.saturating_sub(*known) as f64);
    out.value(&label("state", "known"), *known as f64);
    out.family("gainsay_sightings_total", "counter", "Sightings of findings, repeated ones included.");
    out.value("", tally.sightings as f64);
    out.family("gainsay_own_bugs_total", "counter", "Cases lost to bugs of gainsay.");
    out.value("", tally.our_bugs as f64);
    out.family("gainsay_solver_runs_total", "counter", "Runs of solvers, by answer.");
    for (solver, counts) in &tally.solvers {
        let rest = counts.runs.saturating_sub(counts.sat + counts.unsat + counts.unknown);
        let answers =
            [("sat", counts.sat), ("unsat", counts.unsat), ("unknown", counts.unknown), ("none", rest)];
        for (answer, count) in answers {
            out.value(&format!("{},{}", label("solver", solver), label("answer", answer)), count as f64);
        }
    }
    out.family("gainsay_solver_cpu_seconds_total", "counter", "CPU time of solvers.");
    tally.solvers.iter().for_each(|(solver, counts)| out.value(&label("solver", solver), counts.cpu));
    out.family("gainsay_own_cpu_seconds_total", "counter", "CPU time of gainsay itself.");
    out.value("", tally.own_cpu);
    out.family("gainsay_reached_sites", "gauge", "Sites of the solver's code that were reached.");
    for (solver, coverage) in &tally.coverage {
        out.value(&label("solver", solver), coverage.summary.sites_reached as f64);
    }
    out.family("gainsay_workers", "gauge", "Workers of a shared store that were heard of lately.");
    out.value("", workers.iter().filter(|worker| is_alive(worker)).count() as f64);
    out.family("gainsay_leased_chains", "gauge", "Chains that workers hold.");
    out.value("", workers.iter().map(|worker| worker.leases).sum::<u64>() as f64);
    out.0
}

struct Metrics(String);

impl Metrics {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    /// Adds a value to the family that was begun last.
    fn value(&mut self, labels: &str, value: f64) {
        let name =
            self.0.rsplit("# TYPE ").next().and_then(|rest| rest.split(' ').next()).unwrap_or_default();
        let name = name.to_owned();
        match labels {
            "" => self.line(format_args!("{name} {value}")),
            labels => self.line(format_args!("{name}{{{labels}}} {value}")),
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{line}").expect("a string takes all text");
    }
}

/// A label with its value, quoted.
fn label(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{name}=\"{value}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_engine::tally::{SolverTally, Tally};

    #[test]
    fn every_value_follows_its_family_and_labels_are_quoted() {
        let mut tally = Tally { cases: 7, ..Tally::default() };
        tally.skipped.insert("a \"b\"\n\\".into(), 2);
        let z3 = SolverTally { runs: 5, sat: 2, unsat: 1, cpu: 0.5, ..SolverTally::default() };
        tally.solvers.insert("z3@5".into(), z3);
        let text = write(&StoreOverview { tally, findings: 3, known: 1, ..StoreOverview::default() });
        for line in [
            "gainsay_cases_total 7",
            "gainsay_skipped_cases_total{reason=\"a \\\"b\\\"\\n\\\\\"} 2",
            "gainsay_solver_runs_total{solver=\"z3@5\",answer=\"none\"} 2",
            "gainsay_solver_cpu_seconds_total{solver=\"z3@5\"} 0.5",
            "gainsay_findings{state=\"new\"} 2",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}: {text}");
        }
        let names = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(['{', ' ']).next().unwrap().to_owned());
        for name in names {
            assert!(text.contains(&format!("# TYPE {name} ")), "{name}");
        }
    }
}
