//! Counts of the code that a campaign reached.

use std::collections::BTreeSet;

use gainsay_coverage::reached::ReachedRecord;
use gainsay_coverage::report::CoverageSummary;
use gainsay_coverage::target::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Points of growth that are kept; beyond that, every other one is dropped.
const MAX_GROWTH_POINTS: usize = 400;

/// The code of one solver that was reached.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct CoverageTally {
    /// What is counted.
    pub level: Level,
    /// How much of it was reached.
    pub summary: CoverageSummary,
    /// Its growth.
    pub growth: Vec<GrowthPoint>,
    /// The sites themselves, so that a resumed campaign counts none twice.
    #[schemars(with = "serde_json::Value")]
    pub record: ReachedRecord,
}

impl CoverageTally {
    /// Adds a point to the growth; of very many points, every other one is dropped.
    pub fn add_growth(&mut self, point: GrowthPoint) {
        if self.growth.len() >= MAX_GROWTH_POINTS {
            let mut number = 0_usize;
            self.growth.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        self.growth.push(point);
    }
}

/// The changed functions of a solver that were reached, and those that were not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct ChangedTally {
    /// The solver.
    pub solver: String,
    /// What it is compared with: an older build, or revisions of its sources.
    pub since: String,
    /// The number of changed functions.
    pub functions: usize,
    /// Names of those that were reached, sorted; of very many changed functions, only the largest are named.
    pub reached: BTreeSet<String>,
    /// Names of those that were never reached.
    pub missed: BTreeSet<String>,
}

/// The sites that were reached after some cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct GrowthPoint {
    /// Cases.
    pub cases: u64,
    /// CPU seconds of all solvers.
    pub solver_cpu: f64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Sites.
    pub reached: usize,
}
