//! The `--schedule` of a campaign: an agent, or none.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Agent;

/// No agent: the strategies of a chain follow from its number.
const UNIFORM_NAME: &str = "uniform";

/// The agents for campaigns; `random` is for experiments with constructs only.
const SCHEDULE_NAMES: &[&str] = &[UNIFORM_NAME, "thompson", "ucb", "epsilon"];

/// The agent of a campaign, if any.
#[derive(Debug, Clone, Copy, Default)]
pub struct Schedule(Option<&'static dyn Agent>);

impl Schedule {
    /// All schedules.
    pub fn all() -> impl Iterator<Item = Schedule> {
        SCHEDULE_NAMES.iter().filter_map(|name| Schedule::find(name))
    }

    /// The schedule with this name.
    pub fn find(name: &str) -> Option<Schedule> {
        SCHEDULE_NAMES.contains(&name).then(|| Schedule(super::find(name)))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.map_or(UNIFORM_NAME, Agent::name)
    }

    /// The agent, if any.
    pub fn agent(self) -> Option<&'static dyn Agent> {
        self.0
    }
}

impl PartialEq for Schedule {
    fn eq(&self, other: &Schedule) -> bool {
        self.name() == other.name()
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
        let name = String::deserialize(deserializer)?;
        Schedule::find(&name).ok_or_else(|| D::Error::unknown_variant(&name, SCHEDULE_NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schedule_is_found_by_its_name_and_all_but_the_first_have_an_agent() {
        let all: Vec<Schedule> = Schedule::all().collect();
        assert_eq!(all.iter().map(|schedule| schedule.name()).collect::<Vec<_>>(), SCHEDULE_NAMES);
        assert!(all[0].agent().is_none() && all[1..].iter().all(|schedule| schedule.agent().is_some()));
        assert_eq!(Schedule::default(), all[0]);
        assert_eq!(Schedule::find("random"), None);
    }
}
