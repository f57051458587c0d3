//! The identity of a solver's behaviour in a run, to recognise new behaviours.
//!
//! The identity is built from the finest stable signal that the run offers:
//!
//! | signal | available for | identity |
//! |---|---|---|
//! | trace | a solver that prints its steps | the sequence of states |
//! | statistics | a solver that prints counters, or whose trace cannot be read | the size class of each counter, and the answers |
//! | answers | any other solver | the answers, the failure, and the class of the CPU time |
//! | stopped | a run that hit a limit | none: how far it got depends on the load of the machine |

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::solver::run::{Exit, Run};
use crate::solver::statistics::Statistics;
use crate::solver::trace::{Identity, Trace};

/// The signal that identifies the behaviour of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BehaviourSignal {
    /// The trace.
    Trace,
    /// The statistics.
    Statistics,
    /// The answers, and the class of the CPU time.
    Answers,
    /// None: a limit stopped the run.
    Stopped,
}

impl BehaviourSignal {
    /// All signals, the finest first.
    pub const ALL: [BehaviourSignal; 4] = [
        BehaviourSignal::Trace,
        BehaviourSignal::Statistics,
        BehaviourSignal::Answers,
        BehaviourSignal::Stopped,
    ];

    /// The name in records and messages.
    pub fn name(self) -> &'static str {
        match self {
            BehaviourSignal::Trace => "trace",
            BehaviourSignal::Statistics => "statistics",
            BehaviourSignal::Answers => "answers",
            BehaviourSignal::Stopped => "stopped",
        }
    }
}

/// The behaviour of a solver in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunBehaviour {
    /// The signal behind the identity.
    pub signal: BehaviourSignal,
    /// The identity of the trace, or of the signal that stands in for it.
    pub identity: Identity,
    /// Whether the run had a trace that could not be read: its solver is not one that the profile describes.
    pub has_unreadable_trace: bool,
}

impl RunBehaviour {
    /// The behaviour of a run. A run whose query did not ask for behaviour is identified by its answers alone.
    pub fn of(run: &Run) -> Self {
        let usable_trace = run.trace.as_ref().filter(|trace| trace.is_usable());
        let (signal, identity) = match (usable_trace, &run.statistics) {
            _ if was_stopped(run) => {
                (BehaviourSignal::Stopped, Identity::of(answers(run).iter().map(String::as_str)))
            }
            (Some(trace), _) => (BehaviourSignal::Trace, trace.identity()),
            (None, Some(_)) => (BehaviourSignal::Statistics, identity(&[answers(run), counter_classes(run)])),
            (None, None) => {
                (BehaviourSignal::Answers, identity(&[answers(run), vec![cpu_class(run.cpu).to_string()]]))
            }
        };
        // The last record of a stopped run may be cut anywhere.
        let has_unreadable_trace =
            signal != BehaviourSignal::Stopped && run.trace.as_ref().is_some_and(Trace::is_foreign);
        RunBehaviour { signal, identity, has_unreadable_trace }
    }
}

/// Whether a limit ended the run, so that its progress depends on the load of the machine.
fn was_stopped(run: &Run) -> bool {
    let was_killed = !matches!(run.exit, Exit::Code(_) | Exit::Signal(_));
    was_killed || run.trouble.as_ref().is_some_and(|trouble| trouble.kind.is_limit())
}

fn answers(run: &Run) -> Vec<String> {
    let trouble = run.trouble.iter().map(|trouble| trouble.kind.name().to_owned());
    run.answers.iter().map(|answer| answer.name().to_owned()).chain(trouble).collect()
}

fn counter_classes(run: &Run) -> Vec<String> {
    let classes = run.statistics.iter().flat_map(Statistics::classes);
    classes.map(|(name, class)| format!("{name} {class}")).collect()
}

/// The class of a CPU time, in factors of four: below 4 ms, 16 ms, 64 ms, … Finer classes would be noise.
fn cpu_class(cpu: Duration) -> u32 {
    cpu.as_millis().max(1).ilog2() / 2
}

fn identity(parts: &[Vec<String>]) -> Identity {
    // The length of each part separates the end of one part from the start of the next.
    let words =
        parts.iter().flat_map(|part| [part.len().to_string()].into_iter().chain(part.iter().cloned()));
    Identity::of(words.collect::<Vec<_>>().iter().map(String::as_str))
}

/// The identities of all runs so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeenBehaviours {
    identities: BTreeSet<Identity>,
}

impl SeenBehaviours {
    /// Adds an identity that an earlier session recorded.
    pub fn recall(&mut self, identity: Identity) {
        self.identities.insert(identity);
    }

    /// Returns true if no earlier run behaved like this one, and marks its behaviour as seen. A stopped run is never new.
    pub fn insert(&mut self, behaviour: &RunBehaviour) -> bool {
        behaviour.signal != BehaviourSignal::Stopped && self.identities.insert(behaviour.identity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::profiles::Profiles;
    use crate::solver::run::Answer;
    use crate::solver::trace::TracePart;

    fn run(answer: Answer, trace: Option<&str>, statistics: Option<&str>) -> Run {
        let z3 = Profiles::built_in();
        let counters = z3.get("z3").unwrap().statistics.clone().unwrap();
        let trace = trace.map(|states| {
            let mut trace = Trace::default();
            for state in states.split_whitespace() {
                match state {
                    "?" => trace.push_unread(),
                    "x" => trace.push(state, TracePart::Prelude),
                    _ => trace.push(state, TracePart::Core),
                }
            }
            trace
        });
        Run {
            answers: vec![answer],
            cpu: Duration::from_millis(20),
            wall: Duration::from_millis(20),
            trace,
            statistics: statistics.and_then(|text| Statistics::read(&counters, text)),
            ..Run::ended(Exit::Code(0))
        }
    }

    /// Checks which runs are new, and returns their signals and how many had an unreadable trace.
    fn check(runs: &[Run], expected: &[bool]) -> (BTreeSet<BehaviourSignal>, usize) {
        let mut seen = SeenBehaviours::default();
        let behaviours: Vec<RunBehaviour> = runs.iter().map(RunBehaviour::of).collect();
        let news: Vec<bool> = behaviours.iter().map(|behaviour| seen.insert(behaviour)).collect();
        assert_eq!(news, expected);
        let unreadable = behaviours.iter().filter(|behaviour| behaviour.has_unreadable_trace).count();
        (behaviours.iter().map(|behaviour| behaviour.signal).collect(), unreadable)
    }

    #[test]
    fn a_trace_is_new_once_whatever_the_counters_are() {
        let sat = |trace, counters| run(Answer::Sat, Some(trace), Some(counters));
        let runs = [
            sat("x a b", "(:n 4)"),
            sat("x a b", "(:n 8)"),
            sat("x x a b", "(:n 8)"),
            sat("x a b b", "(:n 8)"),
        ];
        let signals = BTreeSet::from([BehaviourSignal::Trace]);
        assert_eq!(check(&runs, &[true, false, true, true]), (signals, 0));
    }

    #[test]
    fn a_trace_that_cannot_be_read_gives_way_to_statistics_and_is_counted() {
        let runs = [
            run(Answer::Sat, Some("a ?"), Some("(:n 4)")),
            run(Answer::Sat, Some("b b ?"), Some("(:n 5)")),
            run(Answer::Unsat, Some("?"), Some("(:n 5)")),
        ];
        let signals = BTreeSet::from([BehaviourSignal::Statistics]);
        assert_eq!(check(&runs, &[true, false, true]), (signals, 3));
    }

    #[test]
    fn a_solver_without_traces_and_statistics_is_identified_by_answers_and_cpu_class() {
        let slow = Run { cpu: Duration::from_millis(200), ..run(Answer::Sat, None, None) };
        let alike = Run { cpu: Duration::from_millis(30), ..run(Answer::Sat, None, None) };
        let runs = [run(Answer::Sat, None, None), alike, slow, run(Answer::Unknown, None, None)];
        let signals = BTreeSet::from([BehaviourSignal::Answers]);
        assert_eq!(check(&runs, &[true, false, true, true]), (signals, 0));
    }

    #[test]
    fn a_stopped_run_is_never_new() {
        let stopped = Run { exit: Exit::CpuLimit, ..run(Answer::Sat, Some("a b"), None) };
        let cut = Run { exit: Exit::WallLimit, ..run(Answer::Sat, Some("a ?"), None) };
        let signals = BTreeSet::from([BehaviourSignal::Stopped, BehaviourSignal::Trace]);
        let finished = run(Answer::Sat, Some("a b"), None);
        assert_eq!(check(&[stopped, cut, finished], &[false, false, true]), (signals, 0));
    }

    #[test]
    fn a_recalled_identity_is_not_new() {
        let behaviour = RunBehaviour::of(&run(Answer::Sat, Some("a b"), None));
        let mut seen = SeenBehaviours::default();
        seen.recall(behaviour.identity);
        assert!(!seen.insert(&behaviour));
    }
}
