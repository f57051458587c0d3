//! A campaign as JSON: one event per line, and one object with the totals at the end.

use std::io::Write;
use std::sync::Arc;

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;

use super::view::{CampaignView, FindingView};
use super::{CampaignDisplay, summary};
use crate::console::harmless;
use crate::json;
use crate::json::campaigns::{CampaignFinding, CampaignSummary, CpuSeconds, SeedStatuses};
use crate::stop::StopRequest;

/// Writes events as JSON.
pub struct JsonEvents<W> {
    out: W,
    stop: Arc<StopRequest>,
}

impl<W: Write> JsonEvents<W> {
    /// Writes to this output; stops the campaign if the reader is gone.
    pub fn new(out: W, stop: Arc<StopRequest>) -> Self {
        JsonEvents { out, stop }
    }
}

impl<W: Write> CampaignDisplay for JsonEvents<W> {
    fn event(&mut self, event: &Event, _: &Tally) {
        let line = json::line(event);
        let written = writeln!(self.out, "{}", harmless(&line)).and_then(|()| self.out.flush());
        // A second request would end the program immediately.
        if written.is_err() && !self.stop.is_requested() {
            self.stop.request();
        }
    }
}

/// The last line of the output: the totals.
pub fn summary_object(view: &CampaignView) -> CampaignSummary {
    let tally = &view.tally;
    let finding = |found: &FindingView| CampaignFinding {
        kind: found.kind,
        suspect: found.suspect.clone(),
        evidence: found.evidence,
        fingerprint: found.fingerprint.clone(),
        explanation: found.explanation.clone(),
        count: found.count,
        case: found.case,
        known: found.known,
        path: view.folder.join(&found.path),
    };
    let undecided = tally.oracles.iter().map(|(name, oracle)| (name.clone(), oracle.undecided));
    CampaignSummary {
        cases: tally.cases,
        findings: view.findings.iter().map(finding).collect(),
        skipped: tally.skipped_in_all(),
        undecided: tally.oracles.values().map(|oracle| oracle.undecided).max().unwrap_or(0),
        cpu: CpuSeconds { own: tally.own_cpu, solvers: tally.solver_cpu() },
        seconds: tally.seconds,
        folder: view.folder.clone(),
        no_case: summary::no_case(view),
        statuses: SeedStatuses {
            unclaimed: view.unclaimed,
            asked: tally.classified,
            found: tally.found_status,
        },
        skipped_by_reason: tally.skipped.clone(),
        undecided_by_oracle: undecided.collect(),
        solvers: tally.solvers.clone(),
        strategies: tally.strategies.clone(),
        questions: tally.questions.clone(),
        values: tally.values.clone(),
        traces: tally.traces.clone(),
        arms: view.arms.clone(),
        flaky: tally.flaky,
        our_bugs: tally.our_bugs,
    }
}
