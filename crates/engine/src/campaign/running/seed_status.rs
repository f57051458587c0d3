//! The statuses of seeds: claimed by the seed, or determined by running the seed when a chain first needs it.
//!
//! A corpus may hold thousands of seeds without a status, and solvers may time out on most of them, so nothing is asked before
//! it is needed: when a chain begins with the seed, or when the seed is drawn as a second parent (`partners.rs`). The run that
//! measures the time of the seed (`seed_probe.rs`) also gives its status. The answer is recorded before any case that depends on
//! it, even if there is none, and the first recorded answer is kept.

use std::sync::OnceLock;

use crate::campaign::scripts::recipe::Recipe;
use crate::seeds::Seed;
use crate::solver::run::Answer;
use crate::store::{SeedEntry, SeedStatus};

/// The statuses of the seeds of a campaign, in the order of its roster.
#[derive(Debug)]
pub struct Statuses {
    seeds: Vec<KnownStatus>,
}

#[derive(Debug)]
struct KnownStatus {
    claim: Option<Answer>,
    /// Whether a strategy needs the status and the seed claims none.
    is_needed: bool,
    /// The answers of solvers; empty before they ran.
    found: OnceLock<Option<Answer>>,
}

impl Statuses {
    /// The claims of the seeds, or the statuses in the roster if the campaign is resumed.
    pub fn new(seeds: &[Seed], roster: &[SeedEntry], recipe: &Recipe) -> Statuses {
        let (joins, keeps) = (recipe.uses_statuses(), recipe.keeps_answers());
        let status = |(place, seed): (usize, &Seed)| {
            let recorded =
                roster.get(place).map_or_else(|| SeedStatus::claimed(seed.status), |entry| entry.status);
            let claim = recorded.claim();
            let is_needed = joins && !seed.sorts.is_empty() || keeps && seed.is_horn;
            let found = OnceLock::new();
            if let SeedStatus::Asked(answer) = recorded {
                let _ = found.set(answer);
            }
            KnownStatus { claim, is_needed: is_needed && claim.is_none(), found }
        };
        Statuses { seeds: seeds.iter().enumerate().map(status).collect() }
    }

    /// The status of a seed, as far as known.
    pub fn get(&self, place: usize) -> SeedStatus {
        let KnownStatus { claim, found, .. } = &self.seeds[place];
        match (claim, found.get()) {
            (Some(claim), _) => SeedStatus::Claimed(*claim),
            (None, Some(answer)) => SeedStatus::Asked(*answer),
            (None, None) => SeedStatus::Unasked,
        }
    }

    /// Returns true if a strategy needs the status of a seed that claims none and that was not asked about.
    pub fn is_open(&self, place: usize) -> bool {
        self.seeds[place].is_needed && self.seeds[place].found.get().is_none()
    }

    /// Seeds that claim no status and whose status a strategy needs, asked about or not.
    pub fn needed(&self) -> usize {
        self.seeds.iter().filter(|seed| seed.is_needed).count()
    }

    /// Stores the answer of solvers to a seed; the first answer is kept.
    pub fn learn(&self, place: usize, answer: Option<Answer>) {
        let _ = self.seeds[place].found.set(answer);
    }
}
