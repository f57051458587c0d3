//! When a chain of Horn mutants ends before its last step (HornFuzz, section 4.1).
//!
//! A chain ends after
//!
//! - `runs` runs,
//! - `bugs` bugs: more of them would be the same bug,
//! - `unknowns` runs without an answer: further mutants would have none either,
//! - `stale` runs per clause without a new trace.

/// When a chain of Horn mutants ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainLimits {
    /// Runs.
    pub runs: u64,
    /// Bugs.
    pub bugs: u64,
    /// Runs without an answer.
    pub unknowns: u64,
    /// Consecutive runs without a new trace, per clause of the seed.
    pub stale: u64,
}

/// The result of running a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutantOutcome {
    /// An answer that no oracle contradicts, and a new trace.
    NewTrace,
    /// An answer that no oracle contradicts, and a trace seen before.
    KnownTrace,
    /// No answer, or a timeout.
    NoAnswer,
    /// A bug.
    Bug,
}

/// Whether a chain continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainDecision {
    /// The next step mutates the last mutant.
    Continue,
    /// The chain has ended.
    End,
}

/// The outcomes of a chain so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainProgress {
    /// Clauses of the seed.
    clauses: u64,
    runs: u64,
    bugs: u64,
    unknowns: u64,
    /// Runs since the last new trace.
    stale: u64,
}

impl ChainProgress {
    /// A chain that has run nothing yet; its seed has `clauses` clauses.
    pub fn new(clauses: u64) -> Self {
        ChainProgress { clauses, runs: 0, bugs: 0, unknowns: 0, stale: 0 }
    }

    /// Counts the outcome of a mutant and decides whether the chain continues.
    pub fn record(&mut self, outcome: MutantOutcome, limits: &ChainLimits) -> ChainDecision {
        self.runs += 1;
        self.bugs += u64::from(outcome == MutantOutcome::Bug);
        self.unknowns += u64::from(outcome == MutantOutcome::NoAnswer);
        self.stale = if outcome == MutantOutcome::NewTrace { 0 } else { self.stale + 1 };
        let is_over = self.runs >= limits.runs
            || self.bugs >= limits.bugs
            || self.unknowns >= limits.unknowns
            || self.stale >= limits.stale * self.clauses.max(1);
        if is_over { ChainDecision::End } else { ChainDecision::Continue }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST_LIMITS: ChainLimits = ChainLimits { runs: 100, bugs: 10, unknowns: 10, stale: 5 };

    /// Runs with this outcome until the chain ends.
    fn runs_until_end(chain: &mut ChainProgress, outcome: MutantOutcome) -> u64 {
        let mut runs = 1;
        while chain.record(outcome, &TEST_LIMITS) == ChainDecision::Continue {
            runs += 1;
        }
        runs
    }

    #[test]
    fn a_chain_that_finds_new_traces_ends_after_the_run_limit() {
        assert_eq!(runs_until_end(&mut ChainProgress::new(3), MutantOutcome::NewTrace), 100);
    }

    #[test]
    fn a_chain_ends_after_five_runs_per_clause_without_a_new_trace() {
        let mut chain = ChainProgress::new(3);
        chain.record(MutantOutcome::NewTrace, &TEST_LIMITS);
        assert_eq!(runs_until_end(&mut chain, MutantOutcome::KnownTrace), 15);
        assert_eq!(runs_until_end(&mut ChainProgress::new(0), MutantOutcome::KnownTrace), 5);
    }

    #[test]
    fn bugs_and_missing_answers_are_limited() {
        for outcome in [MutantOutcome::Bug, MutantOutcome::NoAnswer] {
            let mut chain = ChainProgress::new(9);
            chain.record(MutantOutcome::NewTrace, &TEST_LIMITS);
            assert_eq!(runs_until_end(&mut chain, outcome), 10);
        }
    }
}
