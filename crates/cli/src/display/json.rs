//! A campaign as JSON: one event per line, and one object with the totals at the end.

use std::io::Write;
use std::sync::Arc;

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;
use serde_json::{Value, json};

use super::view::CampaignView;
use super::{CampaignDisplay, summary};
use crate::console::harmless;
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
        let line = serde_json::to_string(event).expect("events are serializable");
        let written = writeln!(self.out, "{}", harmless(&line)).and_then(|()| self.out.flush());
        // A second request would end the program immediately.
        if written.is_err() && !self.stop.is_requested() {
            self.stop.request();
        }
    }
}

/// The last line of the output: the totals.
pub fn summary_object(view: &CampaignView) -> Value {
    let tally = &view.tally;
    let findings: Vec<Value> = view
        .findings
        .iter()
        .map(|found| {
            json!({
                "kind": found.kind,
                "suspect": found.suspect,
                "evidence": found.evidence,
                "fingerprint": found.fingerprint,
                "explanation": found.explanation,
                "count": found.count,
                "case": found.case,
                "known": found.known,
                "path": view.folder.join(&found.path),
            })
        })
        .collect();
    let undecided: serde_json::Map<String, Value> =
        tally.oracles.iter().map(|(name, oracle)| (name.clone(), oracle.undecided.into())).collect();
    json!({
        "cases": tally.cases,
        "findings": findings,
        "skipped": tally.skipped_in_all(),
        "undecided": tally.oracles.values().map(|oracle| oracle.undecided).max().unwrap_or(0),
        "cpu": { "own": tally.own_cpu, "solvers": tally.solver_cpu() },
        "seconds": tally.seconds,
        "folder": view.folder,
        "no_case": summary::no_case(view),
        "statuses": { "unclaimed": view.unclaimed, "asked": tally.classified, "found": tally.found_status },
        "skipped_by_reason": tally.skipped,
        "undecided_by_oracle": undecided,
        "solvers": tally.solvers,
        "strategies": tally.strategies,
        "questions": tally.questions,
        "values": tally.values,
        "traces": tally.traces,
        "arms": view.arms,
        "flaky": tally.flaky,
        "our_bugs": tally.our_bugs,
    })
}
