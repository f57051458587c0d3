//! The time and memory that each run of a solver may use, as a campaign file says it.

use serde::{Deserialize, Serialize};

use crate::time_span;

/// Limits of each run of a solver.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunLimits {
    /// Wall-clock seconds; in a file `timeout = "2s"`.
    #[serde(rename = "timeout", with = "time_span::seconds")]
    pub seconds: f64,
    /// Megabytes of memory.
    pub memory: u64,
    /// How many times the CPU time of its seed a mutant may take, at least a tenth of a second; 0: any time.
    pub patience: u32,
    /// The steps in which gainsay tries to decide each question by itself; 0: it does not try.
    pub exhaustion: u64,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits { seconds: 2.0, memory: 1024, patience: 5, exhaustion: 200_000 }
    }
}
