//! What to believe of a seed's answer, before other scripts are made of it that must have the same.
//!
//! A seed may claim the wrong status, or none. What solvers say of the seed itself tells: a claim that nobody contradicts is
//! believed, and so is a model that satisfies it, by our own evaluator, whoever contradicts that. Where nothing is claimed,
//! it takes such a model, or two code bases that agree (one, for Horn clauses) and nobody who does not.
//!
//! If the checked models of two parents make a model of their fusion, that model is a witness: it proves a solver wrong that
//! says unsat, and the finding's folder keeps it as `model.smt2`. If solvers contradict a parent's status, the case promises nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use gainsay_smt::Script;

use super::chain::Joined;
use super::judge::Take;
use super::team::{Bench, Member, Way};
use crate::oracle::witness::Weight;
use crate::oracle::{Promise, Witness};
use crate::prepare::{Preparation, Prepared};
use crate::solver::run::{Answer, Ask, Limits, Query};
use crate::solver::runner::Setting;
use crate::solver::trouble::TroubleKind;

/// Bytes of a model that is remembered: there may be a hundred thousand seeds.
const LONGEST_MODEL: usize = 1 << 16;

/// What to believe of a seed's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Belief {
    /// The answer, where one is believed.
    pub answer: Option<Answer>,
    /// A model that satisfies it, as a solver printed it, checked by us.
    pub model: Option<Box<str>>,
}

impl Belief {
    /// By its claim and by what solvers did with it.
    pub fn of(script: &Script, claim: Option<Answer>, takes: &[Take]) -> Belief {
        let holds = |witness: &&Witness| witness.weigh(script) == Weight::Holds;
        let model = takes.iter().flat_map(|take| &take.witnesses).find(holds);
        let counted = takes.iter().filter(|take| {
            let kind = take.run.trouble.as_ref().map(|trouble| trouble.kind);
            take.excuse.is_none() && !kind.is_some_and(TroubleKind::is_rejection)
        });
        let saying = |answer: Answer| -> usize {
            let saying = counted.clone().filter(|take| take.run.answers.contains(&answer));
            saying.map(|take| take.subject.family.as_str()).collect::<BTreeSet<_>>().len()
        };
        let (sat, unsat) = (saying(Answer::Sat), saying(Answer::Unsat));
        // There are few solvers for Horn clauses; what one says of a mutant is held against what it said of the seed.
        let enough = if script.is_horn() { 1 } else { 2 };
        let answer = match claim {
            _ if model.is_some() => Some(Answer::Sat).filter(|sat| claim.is_none_or(|claim| claim == *sat)),
            Some(Answer::Sat) if unsat == 0 => Some(Answer::Sat),
            Some(Answer::Unsat) if sat == 0 => Some(Answer::Unsat),
            None if sat >= enough && unsat == 0 => Some(Answer::Sat),
            None if unsat >= enough && sat == 0 => Some(Answer::Unsat),
            _ => None,
        };
        let model = model.and_then(|witness| witness.model.as_deref());
        Belief { answer, model: model.filter(|text| text.len() <= LONGEST_MODEL).map(Box::from) }
    }
}

/// What is promised of a script that was joined from seeds: nothing, unless each of them is believed to have that answer.
pub fn trusted<'a>(promise: Promise, beliefs: impl Iterator<Item = &'a Belief>) -> Promise {
    let Promise::Known(answer) = promise else { return Promise::Nothing };
    let mut answers = beliefs.map(|belief| belief.answer);
    if answers.all(|believed| believed == Some(answer)) { promise } else { Promise::Nothing }
}

/// The model that a joined script was made to have: the models of its seeds, in order, and the values of what is new.
pub fn made_for(script: &Script, joined: &[Joined], beliefs: &[&Belief]) -> Option<Witness> {
    let (first, others) = beliefs.split_first()?;
    let mut text = first.model.as_deref()?.to_owned();
    for (joined, belief) in joined.iter().zip(others) {
        text = joined.join.model(&text, belief.model.as_deref()?, script.arena())?;
    }
    (joined.len() == others.len()).then(|| Witness::plain(text))
}

/// Solvers that are asked about seeds.
#[derive(Clone, Copy)]
pub struct Panel<'a> {
    /// The solvers.
    pub team: &'a [Member],
    /// How they are started.
    pub setting: &'a Setting,
    /// How scripts are put to them.
    pub preparation: &'a Preparation,
    /// What each may use.
    pub limits: Limits,
}

impl<'a> Panel<'a> {
    /// What to believe of a script that asks once.
    pub fn ask(&self, bench: &mut Bench<'a>, script: &Script, text: &str, claim: Option<Answer>) -> Belief {
        Belief::of(script, claim, &self.takes(bench, script, text))
    }

    /// What each of them does with a script that asks once, its model included.
    pub fn takes(&self, bench: &mut Bench<'a>, script: &Script, text: &str) -> Vec<Take> {
        let prepared = self.preparation.prepare(script, text);
        let take = |(member, prepared): (usize, &Prepared)| {
            let Prepared::Text { text, excuse } = prepared else { return None };
            let query = Query { script: text, limits: self.limits, ask: Ask::MODEL };
            let run = bench.run(member, Way::Fast, &query).ok()?;
            let is_sat = run.answers == [Answer::Sat];
            let witness = is_sat.then(|| self.preparation.witness(member, text, 0, run.model.clone()));
            let (subject, text) = (self.team[member].subject.clone(), Arc::clone(text));
            let witnesses = witness.into_iter().collect();
            let (options, excuse) = (Vec::new(), excuse.clone());
            Some(Take { member, options, subject, text, excuse, run, witnesses }.counted(1))
        };
        prepared.iter().enumerate().filter_map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::{run, subject};
    use gainsay_smt::Signature;

    const SCRIPT: &str = "(declare-const x Int)(assert (< 3 x))(check-sat)";

    /// What to believe of [`SCRIPT`] when solvers say this of it, each with a model or not.
    fn belief(claim: Option<Answer>, said: &[(&str, Answer, Option<&str>)]) -> Belief {
        let script = Script::parse(SCRIPT, &Signature::standard()).unwrap();
        let take = |(member, &(name, answer, model)): (usize, &(&str, Answer, Option<&str>))| Take {
            member,
            options: Vec::new(),
            subject: subject(name),
            text: SCRIPT.into(),
            excuse: None,
            run: run(&[answer]),
            witnesses: vec![Witness { model: model.map(str::to_owned), ..Witness::default() }],
        };
        let takes: Vec<Take> = said.iter().enumerate().map(take).collect();
        Belief::of(&script, claim, &takes)
    }

    #[test]
    fn a_claim_is_believed_until_somebody_contradicts_it() {
        use Answer::{Sat, Unknown, Unsat};
        assert_eq!(belief(Some(Unsat), &[("z3", Unknown, None)]).answer, Some(Unsat));
        assert_eq!(belief(Some(Unsat), &[("z3", Unsat, None), ("cvc5", Sat, None)]).answer, None);
        assert_eq!(belief(Some(Unsat), &[("z3", Sat, Some("((define-fun x () Int 4))"))]).answer, None);
        let sat = belief(Some(Sat), &[("z3", Unsat, None), ("cvc5", Sat, Some("((define-fun x () Int 4))"))]);
        assert_eq!(sat.answer, Some(Sat), "a model that holds is right, whoever contradicts it");
        assert_eq!(sat.model.as_deref(), Some("((define-fun x () Int 4))"));
        assert_eq!(belief(Some(Sat), &[("z3", Unsat, None)]).answer, None);
    }

    #[test]
    fn without_a_claim_it_takes_a_model_or_two_code_bases() {
        use Answer::{Sat, Unsat};
        let four = Some("((define-fun x () Int 4))");
        assert_eq!(belief(None, &[("z3", Sat, four)]).answer, Some(Sat));
        assert_eq!(belief(None, &[("z3", Sat, Some("((define-fun x () Int 3))"))]), Belief::default());
        assert_eq!(belief(None, &[("z3", Sat, None), ("cvc5", Sat, None)]).answer, Some(Sat));
        assert_eq!(belief(None, &[("z3", Unsat, None)]).answer, None);
        assert_eq!(belief(None, &[("z3@5.4.0", Unsat, None), ("z3@4.8.10", Unsat, None)]).answer, None);
        assert_eq!(belief(None, &[("z3", Unsat, None), ("cvc5", Unsat, None)]).answer, Some(Unsat));
        assert_eq!(belief(None, &[("z3", Unsat, None), ("cvc5", Sat, None)]).answer, None);
    }

    #[test]
    fn a_promise_holds_if_every_seed_is_believed() {
        let of = |answer| Belief { answer, model: None };
        let sat = Promise::Known(Answer::Sat);
        let (yes, no) = (of(Some(Answer::Sat)), of(None));
        assert_eq!(trusted(sat, [&yes, &yes].into_iter()), sat);
        assert_eq!(trusted(sat, [&yes, &no].into_iter()), Promise::Nothing);
        assert_eq!(trusted(Promise::Nothing, [&yes].into_iter()), Promise::Nothing);
    }
}
