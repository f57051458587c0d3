//! When to go on with a seed and its mutants, and when to leave it (HornFuzz, section 4.1).
//!
//! A seed and its mutants are a group. What is mutated next is its last mutant, or the seed where there is none. A group is left
//!
//! - after 100 runs in a row,
//! - after so many bugs in a row of runs: more of them would be the same bug,
//! - after so many runs without an answer: further mutants would have none either,
//! - after 5·n runs without a new trace, where n is the number of clauses.
//!
//! A mutant that a solver takes too long for is dropped with all before it: the group is rolled back to its seed. So is a group that is left for the
//! second time in a row without a new trace. Mutants that show a bug or get no answer are not mutated further.

use serde::{Deserialize, Serialize};

/// When a group is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Runs in a row.
    pub runs: u64,
    /// Bugs in one visit.
    pub bugs: u64,
    /// Runs without an answer in one visit.
    pub unknowns: u64,
    /// Runs in a row without a new trace, for each clause.
    pub stale: u64,
    /// Visits in a row without a new trace, after which a group is rolled back.
    pub stale_visits: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { runs: 100, bugs: 10, unknowns: 10, stale: 5, stale_visits: 2 }
    }
}

/// What came of the run of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// An answer that is right as far as anybody knows, and a new trace.
    New,
    /// Such an answer, and a trace that was seen before.
    Known,
    /// No answer.
    Unknown,
    /// Nothing in time, or an answer that took too long.
    Slow,
    /// A bug.
    Bug,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The group goes on with its last mutant.
    GoOn,
    /// The group goes on with its seed: its mutants are dropped.
    RollBack,
    /// Another group has its turn.
    Change,
}

/// A seed and its mutants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The number of the seed.
    pub seed: usize,
    /// How many clauses the seed has.
    pub clauses: u64,
    /// The number of the case that is its last mutant; none where the seed is to be mutated.
    pub last: Option<u64>,
    /// Visits in a row that ended without a new trace.
    stale_visits: u64,
    visit: Visit,
}

/// What happened in one visit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Visit {
    runs: u64,
    bugs: u64,
    unknowns: u64,
    /// Runs since the last new trace.
    stale: u64,
    /// Whether there was one.
    new: bool,
}

impl Group {
    /// A seed without mutants.
    pub fn new(seed: usize, clauses: u64) -> Self {
        Group { seed, clauses, last: None, stale_visits: 0, visit: Visit::default() }
    }

    /// Takes note of the run of mutant `case`, and says what comes next.
    pub fn told(&mut self, case: u64, outcome: Outcome, limits: &Limits) -> Next {
        self.visit.count(outcome);
        match outcome {
            Outcome::New | Outcome::Known => self.last = Some(case),
            Outcome::Slow => self.last = None,
            Outcome::Unknown | Outcome::Bug => {}
        }
        if self.is_over(limits) {
            self.leave(limits);
            return Next::Change;
        }
        if outcome == Outcome::Slow { Next::RollBack } else { Next::GoOn }
    }

    fn is_over(&self, limits: &Limits) -> bool {
        let Visit { runs, bugs, unknowns, stale, .. } = self.visit;
        runs >= limits.runs
            || bugs >= limits.bugs
            || unknowns >= limits.unknowns
            || stale >= limits.stale * self.clauses.max(1)
    }

    fn leave(&mut self, limits: &Limits) {
        let visit = std::mem::take(&mut self.visit);
        self.stale_visits = if visit.new { 0 } else { self.stale_visits + 1 };
        if self.stale_visits >= limits.stale_visits {
            self.stale_visits = 0;
            self.last = None;
        }
    }
}

impl Visit {
    fn count(&mut self, outcome: Outcome) {
        self.runs += 1;
        self.bugs += u64::from(outcome == Outcome::Bug);
        self.unknowns += u64::from(matches!(outcome, Outcome::Unknown | Outcome::Slow));
        if outcome == Outcome::New {
            (self.stale, self.new) = (0, true);
        } else {
            self.stale += 1;
        }
    }
}

/// All groups, each in its turn, over and over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Groups {
    /// In the order of their turns.
    groups: Vec<Group>,
    at: usize,
    limits: Limits,
}

impl Groups {
    /// Groups in the order of their turns; there has to be one.
    pub fn new(groups: Vec<Group>, limits: Limits) -> Option<Self> {
        (!groups.is_empty()).then_some(Groups { groups, at: 0, limits })
    }

    /// The group whose turn it is.
    pub fn current(&self) -> &Group {
        &self.groups[self.at]
    }

    /// Takes note of the run of mutant `case` of the current group, and says what comes next.
    pub fn told(&mut self, case: u64, outcome: Outcome) -> Next {
        let next = self.groups[self.at].told(case, outcome, &self.limits);
        if next == Next::Change {
            self.at = (self.at + 1) % self.groups.len();
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many runs of this outcome there are until the group is left, and the last mutant then.
    fn until_change(group: &mut Group, outcome: Outcome) -> (u64, Option<u64>) {
        let mut runs = 1;
        while group.told(runs, outcome, &Limits::default()) != Next::Change {
            runs += 1;
        }
        (runs, group.last)
    }

    #[test]
    fn a_group_has_a_hundred_runs_in_a_row() {
        assert_eq!(until_change(&mut Group::new(0, 3), Outcome::New), (100, Some(100)));
    }

    #[test]
    fn a_group_is_left_after_five_runs_a_clause_without_a_new_trace() {
        let mut group = Group::new(0, 3);
        group.told(0, Outcome::New, &Limits::default());
        assert_eq!(until_change(&mut group, Outcome::Known), (15, Some(15)));
        assert_eq!(until_change(&mut Group::new(0, 0), Outcome::Known).0, 5);
    }

    #[test]
    fn a_group_that_is_stale_twice_goes_back_to_its_seed() {
        let mut group = Group::new(0, 3);
        assert_eq!(until_change(&mut group, Outcome::Known), (15, Some(15)));
        assert_eq!(until_change(&mut group, Outcome::Known), (15, None));
        assert_eq!(until_change(&mut group, Outcome::Known), (15, Some(15)));
        group.told(1, Outcome::New, &Limits::default());
        assert_eq!(until_change(&mut group, Outcome::Known), (15, Some(15)));
    }

    #[test]
    fn bugs_and_missing_answers_are_limited_and_not_mutated_further() {
        let mut group = Group::new(0, 9);
        group.told(7, Outcome::New, &Limits::default());
        assert_eq!(until_change(&mut group, Outcome::Bug), (10, Some(7)));
        group.told(8, Outcome::New, &Limits::default());
        assert_eq!(until_change(&mut group, Outcome::Unknown), (10, Some(8)));
    }

    #[test]
    fn a_mutant_that_takes_too_long_is_dropped_with_those_before_it() {
        let mut group = Group::new(0, 9);
        group.told(7, Outcome::New, &Limits::default());
        assert_eq!(group.told(8, Outcome::Slow, &Limits::default()), Next::RollBack);
        assert_eq!(group.last, None);
        assert_eq!(group.told(9, Outcome::Known, &Limits::default()), Next::GoOn);
        assert_eq!(group.last, Some(9));
    }

    #[test]
    fn groups_take_turns_and_survive_being_written() {
        let seeds = [4, 2].map(|seed| Group::new(seed, 1));
        let mut groups = Groups::new(seeds.to_vec(), Limits::default()).unwrap();
        let visits: Vec<usize> = (0..3)
            .map(|_| {
                let seed = groups.current().seed;
                while groups.told(1, Outcome::Known) != Next::Change {
                    groups = serde_json::from_str(&serde_json::to_string(&groups).unwrap()).unwrap();
                }
                seed
            })
            .collect();
        assert_eq!(visits, [4, 2, 4]);
        assert_eq!(Groups::new(Vec::new(), Limits::default()), None);
    }
}
