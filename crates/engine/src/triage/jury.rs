//! A jury: solvers that say whether a script that was made smaller still has the answer that it had.
//!
//! Nobody claims an answer of such a script. It takes a model that our evaluator finds true, or two code bases that agree and
//! nobody who does not (`belief.rs`). So the jury is one solver whose model of the first script holds, else one solver of
//! each code base that was right about it: never the suspect's word alone. Who is chosen follows from the order of the
//! solvers, not from how fast they were, so that a reduction ends alike each time.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gainsay_smt::Script;

use crate::campaign::belief::{Belief, Panel};
use crate::campaign::judge::Take;
use crate::campaign::team::{Bench, Member};
use crate::oracle::witness::Weight;
use crate::prepare::Preparation;
use crate::solver::run::{Answer, Limits};
use crate::solver::runner::Setting;

/// Code bases of a jury that has no model.
const VOICES: usize = 3;
/// What a juror may take for a candidate in any case, and in terms of what the slowest took for the first script.
const LEAST: Duration = Duration::from_secs(1);
const TIMES_LONGER: u32 = 4;

/// Solvers that can tell the answer of a script, and what the slowest took for it.
pub struct Jurors {
    members: Vec<Member>,
    slowest: Duration,
}

impl Jurors {
    /// Chooses from a team by what each did with the first script; nothing if they are too few.
    pub fn choose(team: &[Member], script: &Script, status: Answer, takes: &[Take]) -> Option<Jurors> {
        let chosen = chosen(script, status, takes)?;
        let slowest = chosen.iter().map(|take| take.run.wall).max()?;
        Some(Jurors { members: chosen.iter().map(|take| team[take.member].clone()).collect(), slowest })
    }

    /// The solvers.
    pub fn members(&self) -> &[Member] {
        &self.members
    }
}

/// The solvers at work.
pub struct Jury<'a> {
    panel: Panel<'a>,
    bench: Mutex<Bench<'a>>,
    status: Answer,
}

impl<'a> Jury<'a> {
    /// Of these jurors, who get scripts by this preparation.
    pub fn new(
        jurors: &'a Jurors,
        (setting, preparation): (&'a Setting, &'a Preparation),
        limits: Limits,
        status: Answer,
    ) -> Jury<'a> {
        let wall = limits.wall.min(LEAST.max(jurors.slowest * TIMES_LONGER));
        let team = jurors.members();
        let panel = Panel { team, setting, preparation, limits: Limits { wall, ..limits } };
        Jury { panel, bench: Mutex::new(Bench::new(team, setting)), status }
    }

    /// Whether a script has the answer.
    pub fn believes(&self, script: &Script) -> bool {
        let text = script.to_string();
        let mut bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
        self.panel.ask(&mut bench, script, &text, None).answer == Some(self.status)
    }
}

fn chosen<'t>(script: &Script, status: Answer, takes: &'t [Take]) -> Option<Vec<&'t Take>> {
    let holds = |take: &&Take| take.witnesses.iter().any(|witness| witness.weigh(script) == Weight::Holds);
    let mut chosen: Vec<&Take> = takes.iter().filter(holds).take(1).collect();
    if chosen.is_empty() {
        let mut families = BTreeSet::new();
        let right = takes.iter().filter(|take| take.run.answers == [status]);
        chosen = right.filter(|take| families.insert(&take.subject.family)).take(VOICES).collect();
    }
    let said: Vec<Take> = chosen.iter().map(|take| (*take).clone()).collect();
    (Belief::of(script, None, &said).answer == Some(status)).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use gainsay_smt::Signature;

    use super::*;
    use crate::oracle::Witness;
    use crate::oracle::tests::{run, subject};

    const SCRIPT: &str = "(declare-const x Int)(assert (< 3 x))(check-sat)";

    /// Who is chosen, of solvers that say this, each with a value of `x` or none.
    fn check(status: Answer, said: &[(&str, Answer, Option<u32>)], expected: &[&str]) {
        let script = Script::parse(SCRIPT, &Signature::standard()).unwrap();
        let take = |(member, &(name, answer, value)): (usize, &(&str, Answer, Option<u32>))| Take {
            member,
            options: Vec::new(),
            subject: subject(name),
            text: SCRIPT.into(),
            excuse: None,
            run: run(&[answer]),
            witnesses: vec![Witness {
                model: value.map(|value| format!("((define-fun x () Int {value}))")),
                ..Witness::default()
            }],
        };
        let takes: Vec<Take> = said.iter().enumerate().map(take).collect();
        let chosen = chosen(&script, status, &takes).unwrap_or_default();
        let names: Vec<&str> = chosen.iter().map(|take| take.subject.name.as_str()).collect();
        assert_eq!(names, expected, "{status:?} {said:?}");
    }

    #[test]
    fn one_model_that_holds_is_enough_and_one_that_does_not_is_nothing() {
        use Answer::Sat;
        check(Sat, &[("z3", Sat, Some(3)), ("cvc5", Sat, Some(4)), ("yices", Sat, Some(5))], &["cvc5"]);
        check(Sat, &[("z3", Sat, Some(3))], &[]);
    }

    #[test]
    fn without_a_model_it_takes_two_code_bases_that_agree() {
        use Answer::{Sat, Unknown, Unsat};
        check(Unsat, &[("z3", Unsat, None)], &[]);
        check(Unsat, &[("z3@4.8.10", Unsat, None), ("z3@5.4.0", Unsat, None)], &[]);
        let three = [("z3@4.8.10", Unsat, None), ("z3@5.4.0", Unsat, None), ("cvc5", Unsat, None)];
        check(Unsat, &three, &["z3@4.8.10", "cvc5"]);
        check(Sat, &[("z3", Sat, None), ("cvc5", Unknown, None), ("yices", Sat, None)], &["z3", "yices"]);
    }
}
