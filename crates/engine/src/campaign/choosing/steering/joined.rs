//! Joins the records of bandits that led parts of a campaign: their lessons are added.
//!
//! A bandit that goes on from the joined record plans the chains that no part has made; those that have ended are neither planned nor rewarded again.

use super::kept::ScriptQueue;
use super::{LearnedArm, SteeringRecord};
use crate::store::QueueRecord;
use crate::tally::sum::add_seconds as add_exactly;

/// Joins the records of the bandits of all parts, as JSON, with the queues that processes shared; `None` if no part has a record. All chains below `ended_below`
/// have ended, and those in `ended`.
pub fn joined_schedule(
    schedules: &[String],
    queue: &[QueueRecord],
    ended_below: u64,
    ended: &[u64],
) -> Option<String> {
    let mut records = schedules.iter().filter_map(|text| serde_json::from_str::<SteeringRecord>(text).ok());
    let mut sum = records.next()?;
    // Sums must not depend on the order of parts, so the first is rounded, too.
    sum.arms.iter_mut().for_each(|arm| arm.add(0, 0.0, 0.0));
    for record in records {
        sum.lag = sum.lag.max(record.lag);
        for more in record.arms {
            match sum.arms.iter_mut().find(|known| known.arm == more.arm) {
                Some(known) => known.add(more.cases, more.successes, more.failures),
                None => sum.arms.push(more),
            }
        }
        sum.promising.join(record.promising);
        sum.kept.join(record.kept);
        record.turns.into_iter().for_each(|(theory, turns)| *sum.turns.entry(theory).or_default() += turns);
    }
    sum.kept.join(ScriptQueue::shared(queue));
    let ended = ended.iter().copied().filter(|chain| *chain >= ended_below).collect();
    let applied = ended_below;
    let SteeringRecord { lag, arms, turns, promising, kept, .. } = sum;
    let joined =
        SteeringRecord { lag, applied, arms, turns, ended, promising, kept, ..SteeringRecord::default() };
    Some(serde_json::to_string(&joined).expect("a record is made of what JSON can write"))
}

impl LearnedArm {
    fn add(&mut self, cases: u64, successes: f64, failures: f64) {
        self.cases += cases;
        self.successes = add_exactly(self.successes, successes);
        self.failures = add_exactly(self.failures, failures);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(cases: u64, successes: f64) -> String {
        format!(
            r#"{{"lag":16,"applied":4,"arms":[{{"strategy":"operator","theory":null,"cases":{cases},"successes":{successes},
            "failures":0.1}}],"turns":{{"all":{cases}}},"kept":[{{"case":{cases},"seed":0,"status":null,"text":"","chains":0}}],"promising":{{"seeds":{{"{cases}":{{"worth":0.5,"chains":1}}}}}},"planned":{{}},"lessons":{{}},"ended":[5]}}"#
        )
    }

    #[test]
    fn the_lessons_of_parts_are_added_in_any_order_and_ended_chains_are_known() {
        let [a, b, c] = [record(3, 0.7), record(4, 0.2), record(5, 0.1)];
        let join = |parts: &[&String]| {
            let parts: Vec<String> = parts.iter().copied().cloned().collect();
            joined_schedule(&parts, &[], 8, &[3, 9, 11]).unwrap()
        };
        let joined = join(&[&join(&[&a, &b]), &c]);
        assert_eq!(joined, join(&[&a, &join(&[&b, &c])]));
        let read: SteeringRecord = serde_json::from_str(&joined).unwrap();
        assert_eq!((read.applied, read.arms[0].cases, read.turns["all"]), (8, 12, 12));
        assert_eq!(serde_json::to_value(&read.kept).unwrap().as_array().map(Vec::len), Some(3), "the queues");
        assert_eq!(serde_json::to_value(&read.promising).unwrap()["seeds"].as_object().unwrap().len(), 3);
        assert_eq!(read.ended.into_iter().collect::<Vec<_>>(), [9, 11]);
        assert_eq!(joined_schedule(&["".to_owned()], &[], 0, &[]), None);
    }
}
