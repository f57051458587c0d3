//! A campaign for programs: one event a line, and at the end one object with the sums.

use std::io::Write;
use std::sync::Arc;

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;
use serde_json::{Value, json};

use super::board::Board;
use super::{Show, summary};
use crate::stop::Switch;

/// Writes events as JSON.
pub struct Json<W> {
    out: W,
    stop: Arc<Switch>,
}

impl<W: Write> Json<W> {
    /// To this output; when nobody reads it any more the campaign is stopped.
    pub fn new(out: W, stop: Arc<Switch>) -> Self {
        Json { out, stop }
    }
}

impl<W: Write> Show for Json<W> {
    fn event(&mut self, event: &Event, _: &Tally) {
        let line = serde_json::to_string(event).expect("an event is made of what JSON can write");
        let written = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        // Once is enough: asking twice would end it at once.
        if written.is_err() && !self.stop.is_asked() {
            self.stop.ask();
        }
    }
}

/// The object that ends the output.
pub fn sums(board: &Board) -> Value {
    let tally = &board.tally;
    let findings: Vec<Value> = board
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
                "path": board.folder.join(&found.path),
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
        "folder": board.folder,
        "no_case": summary::no_case(board),
        "statuses": { "unclaimed": board.unclaimed, "asked": tally.classified, "found": tally.found_status },
        "skipped_by_reason": tally.skipped,
        "undecided_by_oracle": undecided,
        "solvers": tally.solvers,
        "strategies": tally.strategies,
        "values": tally.values,
        "traces": tally.traces,
        "arms": board.arms,
        "flaky": tally.flaky,
        "our_bugs": tally.our_bugs,
    })
}
