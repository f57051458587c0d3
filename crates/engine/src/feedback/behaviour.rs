//! What a run showed, as an identity: whether a solver did something that it had not done before.
//!
//! The finest signal that is stable is taken, down a ladder:
//!
//! | rung | of | what counts |
//! |---|---|---|
//! | trace | a solver that tells its steps | the sequence of states |
//! | statistics | one that counts, or whose trace cannot be read | the class of each counter, and the answers |
//! | answers | any other | the answers, what was wrong, the class of the CPU time |
//! | stopped | a run that a limit ended | nothing: how far it came is chance |
//!
//! Beside the rung itself, every run has a finer identity, of rung and statistics together: measured on stock z3, mutations that
//! leave the trace as it is often move a counter to another class.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::solver::run::{Exit, Run};
use crate::solver::statistics::Statistics;
use crate::solver::trace::{Identity, Trace};

/// Where an identity comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rung {
    /// The trace.
    Trace,
    /// The statistics.
    Statistics,
    /// The answers, and the class of the CPU time.
    Answers,
    /// Nowhere: the run was stopped.
    Stopped,
}

impl Rung {
    /// All of them, from the best.
    pub const ALL: [Rung; 4] = [Rung::Trace, Rung::Statistics, Rung::Answers, Rung::Stopped];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Rung::Trace => "trace",
            Rung::Statistics => "statistics",
            Rung::Answers => "answers",
            Rung::Stopped => "stopped",
        }
    }
}

/// What a run showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behaviour {
    /// Where the identity comes from.
    pub rung: Rung,
    /// The identity of the trace, or of what stands for it.
    pub identity: Identity,
    /// The same without the preparations, where there is a trace.
    pub core: Identity,
    /// The same with the statistics.
    pub fine: Identity,
    /// Whether there was a trace that could not be read: the solver is none that its profile knows.
    pub foreign: bool,
}

impl Behaviour {
    /// What a run showed. It has to be one that was asked for its behaviour, else it shows its answers alone.
    pub fn of(run: &Run) -> Self {
        Behaviour::with(run, run.trace.as_ref())
    }

    /// The same for a solver whose trace comes from elsewhere, such as a file of points.
    pub fn with(run: &Run, trace: Option<&Trace>) -> Self {
        let trace_of_use = trace.filter(|trace| trace.is_usable());
        let (rung, identity) = match (trace_of_use, &run.statistics) {
            _ if was_stopped(run) => (Rung::Stopped, Identity::of(answers(run).iter().map(String::as_str))),
            (Some(trace), _) => (Rung::Trace, trace.identity()),
            (None, Some(_)) => (Rung::Statistics, identity(&[answers(run), classes(run)])),
            (None, None) => (Rung::Answers, identity(&[answers(run), vec![pace(run.cpu).to_string()]])),
        };
        Behaviour {
            rung,
            identity,
            core: trace_of_use.filter(|_| rung == Rung::Trace).map_or(identity, Trace::core),
            fine: self::identity(&[vec![identity.to_string()], answers(run), classes(run)]),
            // The last record of a run that was stopped may be cut anywhere.
            foreign: rung != Rung::Stopped && trace.is_some_and(Trace::is_foreign),
        }
    }
}

/// Whether a limit ended the run: then what it did up to there depends on how busy the machine was.
fn was_stopped(run: &Run) -> bool {
    let by_us = !matches!(run.exit, Exit::Code(_) | Exit::Signal(_));
    by_us || run.trouble.as_ref().is_some_and(|trouble| trouble.kind.is_limit())
}

fn answers(run: &Run) -> Vec<String> {
    let trouble = run.trouble.iter().map(|trouble| trouble.kind.name().to_owned());
    run.answers.iter().map(|answer| answer.name().to_owned()).chain(trouble).collect()
}

fn classes(run: &Run) -> Vec<String> {
    let classes = run.statistics.iter().flat_map(Statistics::classes);
    classes.map(|(name, class)| format!("{name} {class}")).collect()
}

/// The class of a CPU time, in steps of four: below 4 ms, 16 ms, 64 ms, … Finer ones would be noise.
fn pace(cpu: Duration) -> u32 {
    cpu.as_millis().max(1).ilog2() / 2
}

fn identity(parts: &[Vec<String>]) -> Identity {
    // The number of words of each part keeps the end of one from the start of the next.
    let words =
        parts.iter().flat_map(|part| [part.len().to_string()].into_iter().chain(part.iter().cloned()));
    Identity::of(words.collect::<Vec<_>>().iter().map(String::as_str))
}

/// What was seen so far. Serializable, and a set: the order in which runs are told changes nothing but who was first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    identities: BTreeSet<Identity>,
    cores: BTreeSet<Identity>,
    fine: BTreeSet<Identity>,
    /// Runs by rung, in the order of [`Rung::ALL`].
    runs: [u64; 4],
    foreign: u64,
}

/// What of a run was new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct News {
    /// The trace, or what stands for it.
    pub trace: bool,
    /// Its core.
    pub core: bool,
    /// It together with the statistics.
    pub fine: bool,
}

impl Seen {
    /// Takes over an identity of an earlier session, and nothing else of it.
    pub fn recall(&mut self, identity: Identity) {
        self.identities.insert(identity);
    }

    /// Takes note of a run, and says what of it is new. A run that was stopped has nothing new.
    pub fn note(&mut self, behaviour: &Behaviour) -> News {
        self.runs[behaviour.rung as usize] += 1;
        self.foreign += u64::from(behaviour.foreign);
        if behaviour.rung == Rung::Stopped {
            return News::default();
        }
        News {
            trace: self.identities.insert(behaviour.identity),
            core: self.cores.insert(behaviour.core),
            fine: self.fine.insert(behaviour.fine),
        }
    }

    /// How many different traces there were.
    pub fn traces(&self) -> usize {
        self.identities.len()
    }

    /// How many different cores of traces there were.
    pub fn cores(&self) -> usize {
        self.cores.len()
    }

    /// How many different behaviours there were, statistics included.
    pub fn behaviours(&self) -> usize {
        self.fine.len()
    }

    /// How many runs were known by what is on this rung.
    pub fn runs(&self, rung: Rung) -> u64 {
        self.runs[rung as usize]
    }

    /// How many runs had a trace that could not be read.
    pub fn foreign(&self) -> u64 {
        self.foreign
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::profiles::Profiles;
    use crate::solver::run::Answer;
    use crate::solver::trace::Part;

    fn run(answer: Answer, trace: Option<&str>, statistics: Option<&str>) -> Run {
        let z3 = Profiles::built_in();
        let counters = z3.get("z3").unwrap().statistics.clone().unwrap();
        let trace = trace.map(|states| {
            let mut trace = Trace::default();
            for state in states.split_whitespace() {
                match state {
                    "?" => trace.push_unread(),
                    "x" => trace.push(state, Part::Prelude),
                    _ => trace.push(state, Part::Core),
                }
            }
            trace
        });
        Run {
            answers: vec![answer],
            output: Vec::new(),
            errors: Vec::new(),
            messages: Vec::new(),
            model: None,
            exit: Exit::Code(0),
            cpu: Duration::from_millis(20),
            wall: Duration::from_millis(20),
            peak_memory: 0,
            work: None,
            trace,
            statistics: statistics.and_then(|text| Statistics::read(&counters, text)),
            remarks: Vec::new(),
            removed: Vec::new(),
            trouble: None,
        }
    }

    /// What of each run is new, as letters: trace, core, fine.
    fn check(runs: &[Run], expected: &[&str]) -> Seen {
        let mut seen = Seen::default();
        let news = runs.iter().map(|run| {
            let news = seen.note(&Behaviour::of(run));
            let letter = |new, letter| if new { letter } else { "" };
            [letter(news.trace, "t"), letter(news.core, "c"), letter(news.fine, "f")].concat()
        });
        assert_eq!(news.collect::<Vec<_>>(), expected);
        seen
    }

    #[test]
    fn a_trace_is_new_once_and_counters_are_the_finer_signal() {
        let sat = |trace, counters| run(Answer::Sat, Some(trace), Some(counters));
        let runs = [
            sat("x a b", "(:n 4)"),
            sat("x a b", "(:n 7)"),
            sat("x a b", "(:n 8)"),
            sat("x x a b", "(:n 8)"),
            sat("x a b b", "(:n 8)"),
        ];
        let seen = check(&runs, &["tcf", "", "f", "tf", "tcf"]);
        assert_eq!((seen.traces(), seen.cores(), seen.behaviours()), (3, 2, 4));
        assert_eq!((seen.runs(Rung::Trace), seen.foreign()), (5, 0));
    }

    #[test]
    fn a_trace_that_cannot_be_read_gives_way_to_statistics_and_is_counted() {
        let runs = [
            run(Answer::Sat, Some("a ?"), Some("(:n 4)")),
            run(Answer::Sat, Some("b b ?"), Some("(:n 5)")),
            run(Answer::Unsat, Some("?"), Some("(:n 5)")),
        ];
        let seen = check(&runs, &["tcf", "", "tcf"]);
        assert_eq!((seen.runs(Rung::Statistics), seen.foreign()), (3, 3));
    }

    #[test]
    fn a_solver_that_tells_nothing_is_known_by_answers_and_pace() {
        let slow = Run { cpu: Duration::from_millis(200), ..run(Answer::Sat, None, None) };
        let alike = Run { cpu: Duration::from_millis(30), ..run(Answer::Sat, None, None) };
        let runs = [run(Answer::Sat, None, None), alike, slow, run(Answer::Unknown, None, None)];
        assert_eq!(check(&runs, &["tcf", "", "tcf", "tcf"]).runs(Rung::Answers), 4);
    }

    #[test]
    fn a_run_that_was_stopped_shows_nothing_new() {
        let stopped = Run { exit: Exit::CpuLimit, ..run(Answer::Sat, Some("a b"), None) };
        let cut = Run { exit: Exit::WallLimit, ..run(Answer::Sat, Some("a ?"), None) };
        let seen = check(&[stopped, cut, run(Answer::Sat, Some("a b"), None)], &["", "", "tcf"]);
        assert_eq!((seen.runs(Rung::Stopped), seen.traces(), seen.foreign()), (2, 1, 0));
    }

    #[test]
    fn what_was_seen_survives_being_written() {
        let seen = check(&[run(Answer::Sat, Some("a b"), Some("(:n 4)"))], &["tcf"]);
        let again: Seen = serde_json::from_str(&serde_json::to_string(&seen).unwrap()).unwrap();
        assert_eq!(again, seen);
    }
}
