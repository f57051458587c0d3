//! The tally counts the events of a campaign.
//!
//! The screen, the report and the end of `--json` read it. A tally is a sum, so the tallies of several sessions add up, and a
//! resumed campaign continues with the tally in its store.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_coverage::reached::ReachedRecord;
use gainsay_coverage::report::CoverageSummary;
use gainsay_coverage::target::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{BehaviourReport, Event, Opinion, RunReport};
use crate::finding::fingerprint;
use crate::solver::run::Answer;
use crate::strategy::value::CoercionCounts;

mod coverage;
pub mod sum;

pub use coverage::{ChangedTally, CoverageTally, GrowthPoint};

/// Different reasons that are counted for each solver; the rest are counted as "others".
const MAX_REASONS: usize = 40;

/// The oracle that judges replies to questions.
const REPLY_ORACLE: &str = "reply";

/// The oracle that says in which cases gainsay knows the answer itself.
const EXHAUSTION_ORACLE: &str = "exhaustion";

/// The counts of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct Tally {
    /// Cases that were run and judged.
    pub cases: u64,
    /// Bytes of their texts.
    pub bytes: u64,
    /// Cases that were not run, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Seeds without a claimed status that solvers were asked about.
    #[serde(default)]
    pub classified: u64,
    /// Those whose status was determined.
    #[serde(default)]
    pub found_status: u64,
    /// Seeds that were run on the solvers.
    pub probed: u64,
    /// The outcomes of the queries for values of constants.
    #[serde(default)]
    pub values: ValueTally,
    /// CPU seconds of the solver that rewrites clauses of seeds.
    #[serde(default)]
    pub phrases_cpu: f64,
    /// The behaviours of solvers.
    #[serde(default)]
    pub traces: TraceTally,
    /// By strategy.
    pub strategies: BTreeMap<String, StrategyTally>,
    /// Cases that ask a question beyond sat and unsat, by question, with the opinion of the oracle on the replies.
    #[serde(default)]
    pub questions: BTreeMap<String, OracleTally>,
    /// By solver.
    pub solvers: BTreeMap<String, SolverTally>,
    /// By oracle.
    pub oracles: BTreeMap<String, OracleTally>,
    /// Cases that gainsay decided by exhaustion (fine) and cases that it did not decide, by theory; a case counts for each of its
    /// theories.
    #[serde(default)]
    pub theories: BTreeMap<String, OracleTally>,
    /// The code of each solver that was reached, if it is measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub coverage: BTreeMap<String, CoverageTally>,
    /// The changed functions of a solver, if a change leads the campaign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<ChangedTally>,
    /// Sightings of findings, repeated ones included.
    pub sightings: u64,
    /// Findings that did not show again.
    pub flaky: u64,
    /// Cases lost to bugs of gainsay.
    pub our_bugs: u64,
    /// Wall-clock seconds, all sessions together.
    pub seconds: f64,
    /// CPU seconds of gainsay and its helpers, without solvers.
    pub own_cpu: f64,
}

/// Counts of the queries for values of constants.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct ValueTally {
    /// Seeds that were asked about.
    pub seeds: u64,
    /// Assignments of values to all constants of a seed.
    pub found: u64,
    /// Seeds without any, by reason.
    #[serde(rename = "barren")]
    pub without_values: BTreeMap<String, u64>,
    /// The outcomes of the queries.
    pub account: CoercionCounts,
}

/// Counts of the behaviours of solvers, by traces or by statistics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct TraceTally {
    /// Runs whose behaviour was tracked, including those of seeds.
    pub runs: u64,
    /// Different behaviours.
    pub unique: u64,
    /// Runs with an unreadable trace, for which statistics are used.
    pub unreadable: u64,
    /// Runs by the signal that identifies their behaviour.
    pub by: BTreeMap<String, u64>,
}

/// Counts of one strategy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct StrategyTally {
    /// Cases that it made and that were run.
    pub cases: u64,
    /// Cases that it could not make.
    pub skipped: u64,
    /// Sightings of findings in its cases.
    pub sightings: u64,
}

/// Counts of one solver.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct SolverTally {
    /// Runs, those of seeds included.
    pub runs: u64,
    /// Runs whose last answer was sat.
    pub sat: u64,
    /// Runs whose last answer was unsat.
    pub unsat: u64,
    /// Runs whose last answer was unknown.
    pub unknown: u64,
    /// Troubles, by kind.
    pub troubles: BTreeMap<String, u64>,
    /// Its messages when it rejected a script, without numbers.
    pub reasons: BTreeMap<String, u64>,
    /// Cases that it did not get, by reason.
    pub spared: BTreeMap<String, u64>,
    /// Commands that were removed from its scripts, because they name files or are options of another solver.
    #[serde(default)]
    pub removed: BTreeMap<String, u64>,
    /// CPU seconds.
    pub cpu: f64,
}

/// Counts of one oracle.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct OracleTally {
    /// Cases that it found nothing wrong with.
    pub fine: u64,
    /// Cases that it could not judge.
    pub undecided: u64,
    /// Cases that it found something wrong with.
    pub bug: u64,
}

impl OracleTally {
    fn count(&mut self, opinion: Opinion) {
        match opinion {
            Opinion::Fine => self.fine += 1,
            Opinion::Undecided => self.undecided += 1,
            Opinion::Bug => self.bug += 1,
        }
    }
}

impl Tally {
    /// Counts an event.
    pub fn count(&mut self, event: &Event) {
        match event {
            Event::Classified { status, .. } => {
                self.classified += 1;
                self.found_status += u64::from(status.is_some());
            }
            // They are run again when the campaign resumes, and counted then; only their time counts now.
            Event::Abandoned { runs, .. } => {
                let cpu = |run: &RunReport| (run.cpu + run.side_cpu).as_secs_f64();
                runs.iter().for_each(|run| self.solver(&run.solver).cpu += cpu(run));
            }
            Event::Phrased { cpu, .. } => self.phrases_cpu += cpu.as_secs_f64(),
            Event::Coerced { found, why, account, .. } => {
                self.values.seeds += 1;
                self.values.found += *found as u64;
                self.values.account.add(account);
                if let Some(why) = why {
                    *self.values.without_values.entry((*why).to_owned()).or_default() += 1;
                }
            }
            Event::Probed { runs, .. } => {
                self.probed += 1;
                runs.iter().for_each(|run| self.count_run(run));
            }
            Event::Case { strategy, question, bytes, theories, runs, oracles, .. } => {
                self.cases += 1;
                self.bytes += *bytes as u64;
                self.strategy(strategy).cases += 1;
                runs.iter().for_each(|run| self.count_run(run));
                oracles.iter().for_each(|(oracle, opinion)| self.count_opinion(oracle, *opinion));
                self.count_question(*question, oracles);
                self.count_exact(theories, oracles);
            }
            Event::Skipped { count, strategy, why, .. } => {
                *self.skipped.entry(why.clone()).or_default() += count;
                if let Some(strategy) = strategy {
                    self.strategy(strategy).skipped += count;
                }
            }
            Event::Spared { solver, why, .. } => {
                *self.solver(solver).spared.entry(why.clone()).or_default() += 1;
            }
            Event::Found { strategy, .. } => {
                self.sightings += 1;
                self.strategy(strategy).sightings += 1;
            }
            Event::Flaky { .. } => self.flaky += 1,
            Event::OurBug { .. } => self.our_bugs += 1,
            Event::Covered { solver, level, summary, record, changed } => {
                self.count_coverage(solver, *level, *summary, record);
                self.changed.iter_mut().for_each(|known| known.reach(changed));
            }
            Event::Targeted { solver, since, functions, names } => {
                self.target(ChangedTally {
                    solver: solver.clone(),
                    since: since.clone(),
                    functions: *functions,
                    reached: BTreeSet::new(),
                    missed: names.iter().cloned().collect(),
                });
            }
            Event::Opened { .. }
            | Event::NotCovered { .. }
            | Event::Classifying { .. }
            | Event::SolverLost { .. }
            | Event::Shortage { .. }
            | Event::Grouped { .. }
            | Event::Learnt { .. }
            | Event::Closed { .. } => {}
        }
    }

    /// Cases that were not run, all reasons together.
    pub fn skipped_in_all(&self) -> u64 {
        self.skipped.values().sum()
    }

    /// CPU seconds of all solvers.
    pub fn solver_cpu(&self) -> f64 {
        let helper = self.values.account.micros as f64 / 1e6;
        self.solvers.values().map(|solver| solver.cpu).sum::<f64>() + helper + self.phrases_cpu
    }

    /// The share of gainsay itself in the CPU time, from 0 to 1; `None` before any was used.
    pub fn own_share(&self) -> Option<f64> {
        let all = self.own_cpu + self.solver_cpu();
        (all > 0.0).then(|| self.own_cpu / all)
    }

    fn strategy(&mut self, name: &str) -> &mut StrategyTally {
        self.strategies.entry(name.to_owned()).or_default()
    }

    fn solver(&mut self, name: &str) -> &mut SolverTally {
        self.solvers.entry(name.to_owned()).or_default()
    }

    fn count_coverage(
        &mut self,
        solver: &str,
        level: Level,
        summary: CoverageSummary,
        record: &ReachedRecord,
    ) {
        let point = GrowthPoint {
            cases: self.cases,
            solver_cpu: self.solver_cpu(),
            seconds: self.seconds,
            reached: summary.sites_reached,
        };
        let known = self.coverage.remove(solver).filter(|known| known.level == level);
        let growth = known.map(|known| known.growth).unwrap_or_default();
        let mut tally = CoverageTally { level, summary, growth, record: record.clone() };
        tally.add_growth(point);
        self.coverage.insert(solver.to_owned(), tally);
    }

    /// Sets the targets, unless an earlier session has done so.
    fn target(&mut self, targets: ChangedTally) {
        let is_known =
            |known: &ChangedTally| (&known.solver, &known.since) == (&targets.solver, &targets.since);
        if !self.changed.as_ref().is_some_and(is_known) {
            self.changed = Some(targets);
        }
    }

    fn count_opinion(&mut self, oracle: &str, opinion: Opinion) {
        self.oracles.entry(oracle.to_owned()).or_default().count(opinion);
    }

    /// Counts the question of a case by what the reply oracle says; without replies, nothing was decided.
    fn count_question(&mut self, question: Option<&str>, oracles: &[(&'static str, Opinion)]) {
        let Some(question) = question else { return };
        let opinion = oracles.iter().find(|(oracle, _)| *oracle == REPLY_ORACLE);
        let opinion = opinion.map_or(Opinion::Undecided, |(_, opinion)| *opinion);
        self.questions.entry(question.to_owned()).or_default().count(opinion);
    }

    /// Counts whether a case was decided by exhaustion, for each of its theories.
    fn count_exact(&mut self, theories: &[&str], oracles: &[(&'static str, Opinion)]) {
        let Some((_, opinion)) = oracles.iter().find(|(oracle, _)| *oracle == EXHAUSTION_ORACLE) else {
            return;
        };
        for theory in theories {
            self.theories.entry((*theory).to_owned()).or_default().count(*opinion);
        }
    }

    fn count_behaviour(&mut self, behaviour: &BehaviourReport) {
        self.traces.runs += 1;
        self.traces.unique += u64::from(behaviour.new);
        self.traces.unreadable += u64::from(behaviour.unreadable);
        *self.traces.by.entry(behaviour.rung.name().to_owned()).or_default() += 1;
    }

    fn count_run(&mut self, run: &RunReport) {
        run.behaviour.iter().for_each(|behaviour| self.count_behaviour(behaviour));
        let solver = self.solver(&run.solver);
        solver.runs += 1;
        solver.cpu += (run.cpu + run.side_cpu).as_secs_f64();
        for command in &run.removed {
            count_reason(&mut solver.removed, command.clone());
        }
        match run.answers.last() {
            Some(Answer::Sat) => solver.sat += 1,
            Some(Answer::Unsat) => solver.unsat += 1,
            Some(Answer::Unknown) => solver.unknown += 1,
            None => {}
        }
        if let Some(trouble) = run.trouble {
            *solver.troubles.entry(trouble.name().to_owned()).or_default() += 1;
            if trouble.is_rejection() {
                count_reason(&mut solver.reasons, fingerprint::normalise(&run.said));
            }
        }
    }
}

/// Counts a reason; after too many different ones, as "others".
fn count_reason(reasons: &mut BTreeMap<String, u64>, reason: String) {
    let is_new = !reasons.contains_key(&reason);
    let reason = if is_new && reasons.len() >= MAX_REASONS { "others".to_owned() } else { reason };
    *reasons.entry(reason).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feedback::behaviour::BehaviourSignal;
    use crate::solver::trace::Identity;
    use crate::solver::trouble::TroubleKind;
    use std::time::Duration;

    fn run(answers: &[Answer], trouble: Option<TroubleKind>, said: &str) -> RunReport {
        RunReport {
            solver: "z3@1".into(),
            options: Vec::new(),
            answers: answers.to_vec(),
            trouble,
            said: said.into(),
            removed: Vec::new(),
            cpu: Duration::from_millis(500),
            side_cpu: Duration::ZERO,
            behaviour: None,
            new_code: 0,
            changed: None,
        }
    }

    fn case(runs: Vec<RunReport>) -> Event {
        Event::Case {
            case: 1,
            strategy: "generative",
            mutation: None,
            question: None,
            seed: "a".into(),
            bytes: 10,
            theories: vec!["bool", "int"],
            runs,
            oracles: vec![("agreement", Opinion::Undecided), ("exhaustion", Opinion::Fine)],
        }
    }

    #[test]
    fn a_case_is_counted_for_its_strategy_its_solvers_and_its_oracles() {
        let mut tally = Tally::default();
        tally.count(&case(vec![run(&[Answer::Sat, Answer::Unsat], None, "")]));
        tally.count(&case(vec![run(&[], Some(TroubleKind::ParseError), "(error \"line 7\")")]));
        tally.count(&case(vec![run(&[], Some(TroubleKind::ParseError), "(error \"line 9\")")]));
        let solver = &tally.solvers["z3@1"];
        assert_eq!((tally.cases, tally.bytes, tally.strategies["generative"].cases), (3, 30, 3));
        assert_eq!((solver.runs, solver.unsat, solver.sat), (3, 1, 0));
        assert_eq!(solver.troubles["parse-error"], 2);
        assert_eq!(
            solver.reasons.values().collect::<Vec<_>>(),
            [&2],
            "numbers do not make two reasons of one"
        );
        assert_eq!(tally.oracles["agreement"].undecided, 3);
        assert_eq!(tally.theories["int"], OracleTally { fine: 3, undecided: 0, bug: 0 });
        assert!((tally.solver_cpu() - 1.5).abs() < 1e-9);
    }

    #[test]
    fn time_spent_on_seeds_is_time_of_solvers() {
        let mut tally = Tally::default();
        let runs = vec![run(&[], Some(TroubleKind::TimeOut), "")];
        tally.count(&Event::Abandoned { seed: "a".into(), runs: runs.clone() });
        let solver = &tally.solvers["z3@1"];
        assert_eq!((solver.runs, solver.troubles.len(), tally.probed), (0, 0, 0), "they are run again");
        assert!((tally.solver_cpu() - 0.5).abs() < 1e-9);
        tally.count(&Event::Probed { seed: "a".into(), runs });
        tally.count(&Event::Phrased { seed: "a".into(), found: 0, cpu: Duration::from_secs(2) });
        assert!((tally.solver_cpu() - 3.0).abs() < 1e-9);
    }

    #[test]
    fn ways_of_solvers_are_counted_once_each_and_by_what_they_are_known_by() {
        let way = |rung, new, unreadable| RunReport {
            behaviour: Some(BehaviourReport { rung, identity: Identity::of(["level"]), new, unreadable }),
            ..run(&[Answer::Sat], None, "")
        };
        let mut tally = Tally::default();
        tally
            .count(&Event::Probed { seed: "a".into(), runs: vec![way(BehaviourSignal::Trace, true, false)] });
        tally.count(&case(vec![
            way(BehaviourSignal::Trace, false, false),
            way(BehaviourSignal::Statistics, true, true),
        ]));
        tally.count(&case(vec![run(&[Answer::Sat], None, "")]));
        let TraceTally { runs, unique, unreadable, by } = tally.traces;
        assert_eq!((runs, unique, unreadable), (3, 2, 1));
        assert_eq!((by["trace"], by["statistics"]), (2, 1));
    }

    #[test]
    fn reasons_without_end_are_kept_in_bounds() {
        let mut tally = Tally::default();
        for letter in 0..200u8 {
            let said = format!("{}{}", char::from(b'a' + letter % 26), "x".repeat(usize::from(letter)));
            tally.count(&case(vec![run(&[], Some(TroubleKind::Error), &said)]));
        }
        let reasons = &tally.solvers["z3@1"].reasons;
        assert_eq!(reasons.len(), MAX_REASONS + 1);
        assert_eq!(reasons.values().sum::<u64>(), 200);
    }

    #[test]
    fn coverage_keeps_its_growth_and_its_sites() {
        let mut tally = Tally::default();
        let summary = |sites_reached| CoverageSummary {
            functions_reached: sites_reached,
            functions: 9,
            sites_reached,
            sites: 9,
            lines_reached: 0,
            lines: 0,
            left_out: 0,
        };
        for sites in [&[1_u32, 70][..], &[1, 2, 70]] {
            let record = ReachedRecord::new(sites.iter().copied().collect());
            let (solver, level) = ("z3".to_owned(), Level::Functions);
            tally.count(&Event::Covered {
                solver,
                level,
                summary: summary(sites.len()),
                changed: Vec::new(),
                record,
            });
        }
        let text = serde_json::to_string(&tally).unwrap();
        let again: Tally = serde_json::from_str(&text).unwrap();
        assert_eq!(again, tally);
        let known = &again.coverage["z3"];
        assert_eq!(known.record.sites().iter().collect::<Vec<_>>(), [1, 2, 70]);
        assert_eq!(known.growth.iter().map(|point| point.reached).collect::<Vec<_>>(), [2, 3]);
    }
}
