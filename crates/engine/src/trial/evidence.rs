//! The rules of evidence: which answer to a question is right, which solvers are wrong, and how strong the evidence is.
//!
//! All rules stand here, and nowhere else. From the strongest down:
//!
//! | evidence | the answer | because |
//! |---|---|---|
//! | proved | A | gainsay tries every assignment, or finds one that satisfies the script, without any solver |
//! | proved | unsat | our evaluator follows a derivation of `false` from Horn clauses |
//! | proved | sat | our evaluator finds every assertion true under a model, whichever solver gave it |
//! | corroborated | A | the promise is A, and at least one solver answers A |
//! | corroborated | unsat | a code base answers unsat, every solver that answers sat is of another one and gave an invalid model, and no promise speaks for sat |
//! | corroborated | A | solvers of two code bases answer A (or one does, and another upholds its model clause by clause), the other answer comes from one code base only, and no promise speaks for it; a sat with an invalid model does not count |
//! | disagreement | ? | solvers answer sat and unsat, or contradict the promise, and nothing above applies |
//!
//! A reply to another question claims an answer for a plain script. It is wrong if that script has the other answer, by the
//! same rules; if only one other code base says so, and none supports the claim, both are suspected.
//!
//! A vote counts unless the solver refused the script or has an excuse. A code base has one vote, however many of its
//! releases answer. A proof against the promise disproves the promise, not the solver that contradicts it.
//!
//! The file is long because its table tests stand beside the rules that they check.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::exhaustion::ExhaustionEvidence;
use super::{DerivationSearch, ModelCheck, Promise, SolverIdentity, Statement, Trial};
use crate::finding::Evidence;
use crate::solver::run::Answer;

/// The votes on one question, by answer.
#[derive(Debug)]
pub struct VoteCount<'t> {
    promise: Promise,
    /// The solvers that answer sat.
    pub sat: Vec<&'t SolverIdentity>,
    /// The solvers that answer unsat.
    pub unsat: Vec<&'t SolverIdentity>,
    /// Code bases that uphold every clause under the model of a solver that answers sat.
    pub upheld_by: Vec<&'t str>,
    /// The solvers that answer sat and gave an invalid model, so that their answer speaks for nothing.
    refuted: Vec<&'t SolverIdentity>,
    /// The proof that the question has an answer, if there is one.
    proof: Option<Proof<'t>>,
}

/// A proof of an answer, checked by our own evaluator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof<'t> {
    /// `false` is derived from the clauses in so many steps: unsat.
    Derivation(usize),
    /// All assignments, so many, were evaluated: unsat.
    Exhaustion(u64),
    /// Exhaustion found an assignment that satisfies it: sat.
    Assignment,
    /// The model that the script was made to have satisfies it: sat.
    IntendedModel,
    /// The model of this solver satisfies it: sat.
    ModelOf(&'t SolverIdentity),
}

impl Proof<'_> {
    /// The answer that it proves.
    pub fn answer(self) -> Answer {
        match self {
            Proof::Derivation(_) | Proof::Exhaustion(_) => Answer::Unsat,
            Proof::Assignment | Proof::IntendedModel | Proof::ModelOf(_) => Answer::Sat,
        }
    }
}

/// The conclusion from the votes on a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VoteOutcome<'t> {
    /// Nothing contradicts anything.
    Uncontested,
    /// These solvers are wrong: their answer is not the right one.
    Wrong {
        /// The solvers.
        solvers: Vec<&'t SolverIdentity>,
        /// The right answer.
        right: Answer,
        /// The proof, if there is one; the evidence is corroborated otherwise.
        proof: Option<Proof<'t>>,
    },
    /// The promise is wrong: a proof contradicts it, and every solver that decides the question is right.
    PromiseDisproved(Proof<'t>),
    /// The votes, or the votes and the promise, contradict each other, and nothing tells which are right.
    Disputed,
}

impl<'t> VoteCount<'t> {
    /// Counts the votes on a question of a trial.
    pub fn of(trial: &'t Trial, question: usize) -> Self {
        let statements = || trial.statements.iter().filter(|statement| statement.counts());
        let saying = |answer: Answer| {
            let saying = statements().filter(|statement| statement.answer(question) == Some(answer));
            saying.map(|statement| &statement.solver).collect()
        };
        let models = || statements().filter_map(|one| Some((&one.solver, one.model(question)?)));
        VoteCount {
            promise: trial.promise(question),
            sat: saying(Answer::Sat),
            unsat: saying(Answer::Unsat),
            upheld_by: models().filter_map(|(_, model)| model.upheld_by()).collect(),
            refuted: models().filter(|(_, model)| model.is_invalid()).map(|(one, _)| one).collect(),
            proof: proof(trial, question, models().find(|(_, model)| model.holds()).map(|(one, _)| one)),
        }
    }

    /// Returns true if the promise is this answer.
    pub fn is_promised(&self, answer: Answer) -> bool {
        self.promise == Promise::Known(answer)
    }

    /// Returns true if nothing was promised.
    pub fn is_unpromised(&self) -> bool {
        self.promise == Promise::Nothing
    }

    /// The solvers with this answer.
    pub fn voters(&self, answer: Answer) -> &[&'t SolverIdentity] {
        match answer {
            Answer::Sat => &self.sat,
            Answer::Unsat => &self.unsat,
            Answer::Unknown => &[],
        }
    }

    /// The answer by exhaustion, if there is one: it needs no solver.
    fn exact(&self) -> Option<Answer> {
        let is_exact = |proof: &Proof<'_>| matches!(proof, Proof::Exhaustion(_) | Proof::Assignment);
        self.proof.filter(is_exact).map(Proof::answer)
    }

    /// Returns true if both answers are given, promises and exhaustion included, and at least one of them by a solver.
    pub fn is_contradiction(&self) -> bool {
        let given = |answer| {
            !self.voters(answer).is_empty() || self.is_promised(answer) || self.exact() == Some(answer)
        };
        given(Answer::Sat) && given(Answer::Unsat) && self.is_decided()
    }

    /// Returns true if there is something to compare: two votes, or one and a promise or an exact answer.
    pub fn is_comparison(&self) -> bool {
        let others = usize::from(!self.is_unpromised()) + usize::from(self.exact().is_some());
        let votes = self.sat.len() + self.unsat.len() + others;
        votes > 1 && self.is_decided()
    }

    /// Returns true if another vote could tell whether an answer is right: nothing proves or supports it, or something contradicts it
    /// without a proof.
    fn wants_vote(&self) -> bool {
        let is_supported = self.is_comparison() && !self.is_contradiction();
        self.is_decided() && self.proof.is_none() && !is_supported
    }

    fn is_decided(&self) -> bool {
        !(self.sat.is_empty() && self.unsat.is_empty())
    }

    /// The solvers that are wrong, and the evidence.
    pub fn outcome(&self) -> VoteOutcome<'t> {
        if !self.is_contradiction() {
            return VoteOutcome::Uncontested;
        }
        if let Some(proof) = self.proof {
            let right = proof.answer();
            return match self.voters(opposite(right)) {
                [] => VoteOutcome::PromiseDisproved(proof),
                solvers => VoteOutcome::Wrong { solvers: solvers.to_vec(), right, proof: Some(proof) },
            };
        }
        let right = [Answer::Unsat, Answer::Sat].into_iter().find(|&answer| self.is_corroborated(answer));
        match right {
            Some(right) => {
                VoteOutcome::Wrong { solvers: self.voters(opposite(right)).to_vec(), right, proof: None }
            }
            None => VoteOutcome::Disputed,
        }
    }

    /// Returns true if an answer is corroborated against solvers that give the other one.
    fn is_corroborated(&self, answer: Answer) -> bool {
        self.is_outvoted(answer) || self.is_unbacked(answer)
    }

    /// Returns true if the promise and a solver, or two code bases, contradict the solvers that do not give this answer.
    pub fn is_outvoted(&self, answer: Answer) -> bool {
        let (suspects, others) = (self.voters(opposite(answer)), self.voters(answer));
        let is_backed = self.is_promised(answer) && !others.is_empty();
        let is_opposed = !self.is_unpromised() && !self.is_promised(answer);
        let mut against = families(others);
        if answer == Answer::Sat {
            let backed: Vec<_> = others.iter().copied().filter(|one| !self.refuted.contains(one)).collect();
            against = families(&backed);
            against.extend(&self.upheld_by);
        }
        let is_outnumbered =
            against.len() > 1 && !others.is_empty() && families(suspects).len() == 1 && !is_opposed;
        !suspects.is_empty() && (is_backed || is_outnumbered)
    }

    /// Returns true if this answer is unsat and sat has nothing to show: another code base contradicts it, and every model
    /// given for it is invalid.
    pub fn is_unbacked(&self, answer: Answer) -> bool {
        let (with, against) = (families(&self.sat), families(&self.unsat));
        answer == Answer::Unsat
            && !self.is_promised(Answer::Sat)
            && !self.sat.is_empty()
            && self.refuted.len() == self.sat.len()
            && !against.is_empty()
            && with.is_disjoint(&against)
    }
}

/// Returns true if the vote of one more solver could tell whether an answer to a question of the trial is right.
pub fn wants_vote(trial: &Trial) -> bool {
    (0..trial.answered()).any(|question| VoteCount::of(trial, question).wants_vote())
}

fn opposite(answer: Answer) -> Answer {
    match answer {
        Answer::Sat => Answer::Unsat,
        Answer::Unsat => Answer::Sat,
        Answer::Unknown => Answer::Unknown,
    }
}

fn families<'t>(solvers: &[&'t SolverIdentity]) -> BTreeSet<&'t str> {
    solvers.iter().map(|solver| solver.family.as_str()).collect()
}

fn proof<'t>(trial: &'t Trial, question: usize, model: Option<&'t SolverIdentity>) -> Option<Proof<'t>> {
    let derivation = match (&trial.derivation, &trial.script) {
        (DerivationSearch::Found(derivation), Some(script)) if derivation.holds(script) => {
            Some(Proof::Derivation(derivation.steps))
        }
        _ => None,
    };
    let exact = trial.exhaustion.get(question).and_then(|evidence| match evidence.answer? {
        Answer::Sat => Some(Proof::Assignment),
        Answer::Unsat => Some(Proof::Exhaustion(evidence.assignments)),
        Answer::Unknown => None,
    });
    let intended = trial.intended_model.as_ref().filter(|model| question == 0 && model.holds());
    exact.or(derivation).or(intended.map(|_| Proof::IntendedModel)).or(model.map(Proof::ModelOf))
}

/// The right answer to a question, by the votes of solvers other than the suspect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RightAnswer {
    /// The answer.
    pub answer: Answer,
    /// How sure it is.
    pub evidence: Evidence,
    /// The solvers that say so.
    #[serde(rename = "voices", alias = "supporters")]
    pub supporters: Vec<String>,
}

/// The right answer to a question about which a code base is suspected to be wrong.
///
/// Statements of `references` vote, those of the suspect's own code base only where no other code base does. Statements of
/// `releases` of the suspect do not vote, but their models may prove something. One code base alone is a disagreement.
pub fn right_answer(
    question: usize,
    suspect: &str,
    references: &[&Statement],
    releases: &[&Statement],
) -> Option<RightAnswer> {
    let all = || references.iter().chain(releases);
    if let Some(prover) = all().find(|one| one.model(question).is_some_and(super::ModelEvidence::holds)) {
        let supporters = vec![prover.solver.name.clone()];
        return Some(RightAnswer { answer: Answer::Sat, evidence: Evidence::Proved, supporters });
    }
    let upheld = all().find_map(|one| {
        let by = one.model(question)?.upheld_by().filter(|by| *by != suspect)?;
        Some(format!("{}, whose model makes every clause true by {by}", one.solver.name))
    });
    if let Some(supporter) = upheld {
        let supporters = vec![supporter];
        return Some(RightAnswer { answer: Answer::Sat, evidence: Evidence::Corroborated, supporters });
    }
    let saying = |answer: Answer| -> Vec<&SolverIdentity> {
        let saying = references.iter().filter(|one| one.answer(question) == Some(answer));
        // A sat with an invalid model is no vote for sat.
        let saying = saying.filter(|one| answer != Answer::Sat || one.invalid_model().is_none());
        saying.map(|one| &one.solver).collect()
    };
    let (sat, unsat) = (saying(Answer::Sat), saying(Answer::Unsat));
    let has_others = |voters: &[&SolverIdentity]| voters.iter().any(|solver| solver.family != suspect);
    let (answer, voters) = match (has_others(&sat), has_others(&unsat)) {
        (true, true) => return None,
        (true, false) => (Answer::Sat, sat),
        (false, true) => (Answer::Unsat, unsat),
        (false, false) if unsat.is_empty() && !sat.is_empty() => (Answer::Sat, sat),
        (false, false) if sat.is_empty() && !unsat.is_empty() => (Answer::Unsat, unsat),
        (false, false) => return None,
    };
    // Beside another code base, an invalid model of the suspect itself speaks against its sat.
    let is_refuted = |one: &&&Statement| {
        one.solver.family == suspect && one.model(question).is_some_and(super::ModelEvidence::is_invalid)
    };
    let is_unbacked = answer == Answer::Unsat && has_others(&voters) && all().any(|one| is_refuted(&one));
    let is_corroborated = families(&voters).len() > 1 || is_unbacked;
    let evidence = if is_corroborated { Evidence::Corroborated } else { Evidence::Disagreement };
    Some(RightAnswer { answer, evidence, supporters: voters.iter().map(|one| one.name.clone()).collect() })
}

/// The right answer after an expected one counts as one more vote: beside others it corroborates, alone it is a mere claim,
/// and against a proof it is nothing.
pub fn with_expected(right: Option<RightAnswer>, expected: Option<Answer>) -> Option<RightAnswer> {
    let Some(answer) = expected else { return right };
    match right {
        Some(right) if right.answer == answer => {
            Some(RightAnswer { evidence: right.evidence.max(Evidence::Corroborated), ..right })
        }
        Some(right) if right.evidence == Evidence::Proved => Some(right),
        _ => Some(RightAnswer {
            answer,
            evidence: Evidence::Disagreement,
            supporters: vec!["the expected answer".to_owned()],
        }),
    }
}

/// What solvers say of a script for which a reply of a solver claims an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimRuling {
    /// It has that answer, as far as anybody says.
    Holds,
    /// Nothing tells, and why.
    Open(String),
    /// It has the other answer.
    Refuted {
        /// How sure that is.
        evidence: Evidence,
        /// The solvers of other code bases that say so, if the one that replied may be right.
        voices: Vec<String>,
        /// Their code bases.
        families: Vec<String>,
        /// Who says so, in words.
        by: String,
    },
}

/// Rules on a script for which a reply of the code base `suspect` claims an answer. The statements are those of solvers that
/// were asked about that script; the suspect's own ones count against the reply like those of others.
pub fn rule_on_claim(claimed: Answer, suspect: &str, statements: &[Statement]) -> ClaimRuling {
    let references: Vec<&Statement> = statements.iter().collect();
    let Some(right) = right_answer(0, suspect, &references, &[]) else {
        return ClaimRuling::Open("no solver decides the claim, or solvers contradict each other".to_owned());
    };
    if right.answer == claimed {
        return ClaimRuling::Holds;
    }
    let is_open = right.evidence == Evidence::Disagreement;
    let others = statements.iter().map(|one| &one.solver).filter(|one| right.supporters.contains(&one.name));
    let others: Vec<&SolverIdentity> = others.filter(|one| is_open && one.family != suspect).collect();
    let families = families(&others).into_iter().map(str::to_owned).collect();
    let proof = if right.evidence == Evidence::Proved { ", by a model that gainsay finds true" } else { "" };
    ClaimRuling::Refuted {
        evidence: right.evidence,
        voices: others.iter().map(|one| one.name.clone()).collect(),
        families,
        by: format!("{} {}{proof}", right.answer.name(), by(&right.supporters)),
    }
}

/// Rules on a claimed answer by the answer that gainsay computed itself; `None` if exhaustion decided nothing.
pub fn rule_on_claim_exactly(claimed: Answer, exact: &ExhaustionEvidence) -> Option<ClaimRuling> {
    let answer = exact.answer?;
    if answer == claimed {
        return Some(ClaimRuling::Holds);
    }
    let (evidence, by) = (Evidence::Proved, format!("{}, {}", answer.name(), exact.reason()));
    Some(ClaimRuling::Refuted { evidence, voices: Vec::new(), families: Vec::new(), by })
}

/// `by z3@5.4.0 and cvc5@1.4.2`
fn by(voices: &[String]) -> String {
    format!("by {}", voices.join(" and "))
}

/// The believed answer of a script, before it is used to make scripts that must have the same answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Belief {
    /// The answer, if one is believed.
    pub answer: Option<Answer>,
    /// A model that satisfies the script, as a solver printed it, checked by us.
    pub model: Option<Box<str>>,
}

/// Bytes of a model that is remembered with a belief: there may be a hundred thousand seeds.
const MAX_BELIEVED_MODEL_BYTES: usize = 1 << 16;

impl Belief {
    /// The belief about the script of a trial, which may claim an answer. Models must have been checked.
    ///
    /// An exact answer is believed, unless the claim is another one. A claim that no solver contradicts is believed, and so is a model that satisfies the script. Without a claim it takes
    /// such a model, or two code bases that agree and none that does not. One is enough for Horn clauses: few solvers read
    /// them, and a mutant's answer is compared with the same solver's answer to the seed.
    pub fn of(trial: &Trial, claim: Option<Answer>) -> Belief {
        let models = || trial.statements.iter().flat_map(Statement::models);
        let model = models().map(|(_, model)| model).find(|model| model.check == ModelCheck::Holds);
        let saying = |answer: Answer| -> usize {
            let saying = trial.statements.iter().filter(|one| one.counts() && one.says(answer));
            saying.map(|one| one.solver.family.as_str()).collect::<BTreeSet<_>>().len()
        };
        let (sat, unsat) = (saying(Answer::Sat), saying(Answer::Unsat));
        let is_horn = trial.script.as_ref().is_some_and(gainsay_smt::Script::is_horn);
        let enough = if is_horn { 1 } else { 2 };
        let exact = trial.exact_answer(0).filter(|_| trial.questions.len() == 1);
        let answer = match claim {
            _ if exact.is_some() => exact.filter(|exact| claim.is_none_or(|claim| claim == *exact)),
            _ if model.is_some() => Some(Answer::Sat).filter(|sat| claim.is_none_or(|claim| claim == *sat)),
            Some(Answer::Sat) if unsat == 0 => Some(Answer::Sat),
            Some(Answer::Unsat) if sat == 0 => Some(Answer::Unsat),
            None if sat >= enough && unsat == 0 => Some(Answer::Sat),
            None if unsat >= enough && sat == 0 => Some(Answer::Unsat),
            _ => None,
        };
        let found = trial.exhaustion.first().and_then(|evidence| evidence.model.as_deref());
        let text = model.and_then(|model| model.text.as_deref()).or(found.filter(|_| exact.is_some()));
        Belief { answer, model: text.filter(|text| text.len() <= MAX_BELIEVED_MODEL_BYTES).map(Box::from) }
    }
}

/// The promise for a seed that claims a status: nothing if two code bases contradict it and none agrees.
pub fn promise_of_seed(trial: &Trial, status: Option<Answer>) -> Promise {
    let is_claimed = trial.script.as_ref().is_some_and(|script| script.info(":status").is_some());
    if trial.questions.len() > 1 && is_claimed {
        return Promise::Claimed;
    }
    let Some(status) = status else { return Promise::Nothing };
    if trial.questions.len() == 1 && trial.exact_answer(0).is_some_and(|exact| exact != status) {
        return Promise::Nothing;
    }
    let saying = |answer: Answer| {
        let saying = trial.statements.iter().filter(|one| one.counts() && one.says(answer));
        saying.map(|one| one.solver.family.as_str()).collect::<BTreeSet<_>>()
    };
    match saying(opposite(status)).len() > 1 && saying(status).is_empty() {
        true => Promise::Nothing,
        false => Promise::Known(status),
    }
}

/// The promise for a script that was made from seeds: nothing, unless each of them is believed to have that answer. An answer by
/// construction needs no belief.
pub fn promise_of_fusion<'a>(promise: Promise, beliefs: impl Iterator<Item = &'a Belief>) -> Promise {
    let answer = match promise {
        Promise::Nothing | Promise::Claimed => return Promise::Nothing,
        Promise::Constructed(answer) => return Promise::Known(answer),
        Promise::Known(answer) => answer,
    };
    let mut answers = beliefs.map(|belief| belief.answer);
    if answers.all(|believed| believed == Some(answer)) { promise } else { Promise::Nothing }
}

#[cfg(test)]
mod tests;
