//! Making a case again: from the plan, the store's list of seeds and its copies of their texts, and the number.
//!
//! The files that the seeds were read from are not looked at, so a case can be made again after they are gone.

use std::collections::BTreeMap;
use std::sync::Arc;

use gainsay_smt::{Script, Signature};

use super::advice::SeedAdvice;
use super::chain::{Chain, MadeScript, Reread, StepOutcome};
use super::intended_model::intended_model;
use super::partners::{PartnerDraw, PartnerLibrary, PartnerPools};
use super::recipe::Recipe;
use crate::campaign::plan::CampaignPlan;
use crate::event::{CaseNumber, RunReport};
use crate::finding::Finding;
use crate::prepare::{Preparation, Prepared};
use crate::solver::run::{Answer, Ask, Query};
use crate::solver::runner::Setting;
use crate::store::{SeedEntry, SeedRecord, StartRecord, Store, StoreError};
use crate::strategy::fusion::DecomposedFusion;
use crate::trial::Promise;
use crate::trial::evidence::{Belief, promise_of_fusion};
use crate::trial::panel::{PanelSolver, RunMode, SolverPool, confirmation_limits, run_limits};
use crate::trial::session::{ModelPolicy, PoolAccess, SolverRun, TrialSession};
use crate::trial::status_panel::StatusPanel;

/// A case that was made again.
#[derive(Debug, Clone)]
pub struct Remade {
    /// Its number.
    pub case: CaseNumber,
    /// Who was drawn to make it.
    pub strategy: &'static str,
    /// The seed of its chain.
    pub seed: SeedEntry,
    /// The seeds that were joined with it, in order.
    pub partners: Vec<SeedEntry>,
    /// The texts of all of these, that of its own first.
    pub parents: Vec<String>,
    /// What the steps before it did that made something, and its own.
    pub steps: Vec<String>,
    /// What came of it.
    pub outcome: StepOutcome,
}

/// Why a case cannot be made again.
#[derive(Debug, thiserror::Error)]
pub enum RemakeError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The campaign has not begun.
    #[error("the campaign has made no cases yet")]
    NotBegun,
    /// The campaign has not come so far.
    #[error("the campaign has not come to case {case}: its seed {seed} was not used yet")]
    NotYet {
        /// The case.
        case: CaseNumber,
        /// The seed.
        seed: String,
    },
    /// The campaign has not come so far, and nothing says what the chain will begin with.
    #[error("the campaign has not come to case {case}: its chain {chain} was not begun yet")]
    NotBegunYet {
        /// The case.
        case: CaseNumber,
        /// Its chain.
        chain: u64,
    },
    /// The copy of a seed is no script.
    #[error("the copy of the seed {seed} in the store cannot be read: {why}")]
    Seed {
        /// Its name.
        seed: String,
        /// What is wrong.
        why: String,
    },
}

/// Makes a case again.
pub fn remake(
    store: &dyn Store,
    recipe: &Recipe,
    signature: &Arc<Signature>,
    case: CaseNumber,
) -> Result<Remade, RemakeError> {
    remake_by(store, recipe, signature, case, &recipe.steps_to(case))
}

/// Makes a case by some of the steps of its chain, itself the last of them. A step draws from a stream of its own, so that
/// it does not depend on those before it but for the script that it gets; where that is another, so may be what it does.
pub fn remake_by(
    store: &dyn Store,
    recipe: &Recipe,
    signature: &Arc<Signature>,
    case: CaseNumber,
    kept: &[CaseNumber],
) -> Result<Remade, RemakeError> {
    walk(store, recipe, signature, (case, kept), &mut |_| {})
}

/// The same, and the case taken apart if it joins two parents.
pub fn remake_apart(
    store: &dyn Store,
    recipe: &Recipe,
    signature: &Arc<Signature>,
    case: CaseNumber,
    kept: &[CaseNumber],
) -> Result<(Remade, Option<DecomposedFusion>), RemakeError> {
    let mut apart = None;
    let remade = walk(store, recipe, signature, (case, kept), &mut |chain| apart = chain.apart())?;
    Ok((remade, apart))
}

/// Goes along a chain to a case, and shows the chain right before it is made.
fn walk(
    store: &dyn Store,
    recipe: &Recipe,
    signature: &Arc<Signature>,
    (case, kept): (CaseNumber, &[CaseNumber]),
    show: &mut dyn FnMut(&Chain<'_>),
) -> Result<Remade, RemakeError> {
    let roster = store.roster()?;
    if roster.is_empty() {
        return Err(RemakeError::NotBegun);
    }
    let (chain, _) = recipe.place_of(case);
    let start = if recipe.records_starts() { Some(start(store, roster.len(), (case, chain))?) } else { None };
    let number = match &start {
        Some(start) => start.seed,
        None => recipe.visits(roster.len()).seed_of(chain),
    };
    let seed = &roster[number];
    let SeedRecord { text, values, .. } = copy(store, seed, case)?;
    let script = Script::parse(&text, signature)
        .map_err(|error| RemakeError::Seed { seed: seed.name.clone(), why: error.to_string() })?;
    let chosen = start.as_ref().map_or(&[][..], |start| &start.strategies);
    let partners =
        PartnerTexts { texts: partner_texts(store, recipe, &roster, (case, number, chosen))?, signature };
    let library = library(&roster, |number| partners.script(number));
    let visits = start.as_ref().map_or(chain / roster.len() as u64, |start| start.visits);
    let mut chain = Chain::new(recipe, chain, &script, seed.status.answer(), Reread::Yes);
    if let Some(start) = &start {
        chain = chain.with_start(start);
    }
    let advised: Option<SeedAdvice> = serde_json::from_str(&values).ok();
    let mut chain = chain.with_partners(number, &library);
    if let Some(advised) = &advised {
        chain = chain.with_advice(advised, visits);
    }
    let (mut steps, mut last) = (Vec::new(), None);
    for earlier in recipe.steps_to(case) {
        if earlier == case {
            show(&chain);
        }
        if earlier == case || kept.contains(&earlier) {
            let step = chain.next().expect("a chain has as many steps as the plan says");
            if let StepOutcome::Made(made) = &step.outcome {
                steps.push(format!("{}: {}", step.strategy, made.step));
            }
            last = Some(step);
        } else {
            chain.leave_out();
        }
    }
    let last = last.expect("the case is the last of its steps");
    let joined: Vec<usize> = match &last.outcome {
        StepOutcome::Made(made) => made.joined.iter().map(|joined| joined.seed).collect(),
        _ => last.partner.into_iter().collect(),
    };
    let mut parents = vec![text];
    parents.extend(joined.iter().filter_map(|number| partners.texts.get(number).cloned()));
    Ok(Remade {
        case,
        strategy: last.strategy,
        seed: seed.clone(),
        partners: joined.iter().map(|&number| roster[number].clone()).collect(),
        parents,
        steps,
        outcome: last.outcome,
    })
}

/// What a chain was begun with, by the record of it.
fn start(
    store: &dyn Store,
    seeds: usize,
    (case, chain): (CaseNumber, u64),
) -> Result<StartRecord, RemakeError> {
    let start = store.start(chain)?.filter(|start| start.seed < seeds);
    start.ok_or(RemakeError::NotBegunYet { case, chain })
}

/// Second parents by the records of a campaign.
fn library<'a>(
    roster: &'a [SeedEntry],
    read: impl Fn(usize) -> Option<Script> + Send + Sync + 'a,
) -> PartnerLibrary<'a> {
    let claims = roster.iter().map(|entry| (entry.status.claim(), entry.sorts.as_str()));
    PartnerLibrary::new(PartnerPools::with_unclaimed(claims), read)
        .with_statuses(|number| roster[number].status)
}

/// The store's copy of a seed.
fn copy(store: &dyn Store, seed: &SeedEntry, case: CaseNumber) -> Result<SeedRecord, RemakeError> {
    let not_yet = || RemakeError::NotYet { case, seed: seed.name.clone() };
    store.seed(&seed.hash)?.ok_or_else(not_yet)
}

/// The texts of the seeds that the cases of a chain were joined with, up to this one.
fn partner_texts(
    store: &dyn Store,
    recipe: &Recipe,
    roster: &[SeedEntry],
    (case, own, strategies): (CaseNumber, usize, &[String]),
) -> Result<BTreeMap<usize, String>, RemakeError> {
    let (chain, _) = recipe.place_of(case);
    let status = roster[own].status.answer().filter(|_| recipe.joins());
    let Some(status) = status else { return Ok(BTreeMap::new()) };
    let library = library(roster, |_| None);
    let mut texts = BTreeMap::new();
    for earlier in recipe.cases_of(chain).start..=case {
        let chosen = recipe.chosen(earlier, strategies);
        match recipe.partner_of(earlier, chosen, (own, status), &library) {
            PartnerDraw::Partner(number) => {
                texts.insert(number, copy(store, &roster[number], case)?.text);
            }
            PartnerDraw::Unasked(number) => {
                return Err(RemakeError::NotYet { case, seed: roster[number].name.clone() });
            }
            PartnerDraw::Nobody => {}
        }
    }
    Ok(texts)
}

/// Second parents, from the store's copies.
struct PartnerTexts<'a> {
    texts: BTreeMap<usize, String>,
    signature: &'a Arc<Signature>,
}

impl PartnerTexts<'_> {
    fn script(&self, number: usize) -> Option<Script> {
        Script::parse(self.texts.get(&number)?, self.signature).ok()
    }
}

impl Remade {
    /// What to believe of the answers of the seeds that it was joined from, by asking solvers; nothing is asked of others.
    fn beliefs<'a>(
        &self,
        panel: &StatusPanel<'a>,
        pool: &mut SolverPool<'a>,
        made: &MadeScript,
    ) -> Vec<Belief> {
        if made.promise == Promise::Nothing {
            return Vec::new();
        }
        let signature = made.script.arena().signature();
        let entries = std::iter::once(&self.seed).chain(&self.partners);
        let mut belief = |(entry, text): (&SeedEntry, &String)| {
            let script = Script::parse(text, signature).ok()?;
            Some(panel.belief(pool, &script, text, entry.status.answer()))
        };
        entries.zip(&self.parents).map(|pair| belief(pair).unwrap_or_default()).collect()
    }
}

/// What solvers do with a case that was made again.
#[derive(Debug, Clone)]
pub struct Rerun {
    /// Those that were asked.
    pub runs: Vec<RunReport>,
    /// Those that were not, and why.
    pub spared: Vec<(String, String)>,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Puts a case to solvers, each in a process of its own and with the options that were drawn for it, and judges it as the
/// campaign does.
pub fn rerun(
    (remade, made): (&Remade, &MadeScript),
    (plan, recipe): (&CampaignPlan, &Recipe),
    panel: &[PanelSolver],
    setting: &Setting,
) -> Rerun {
    let preparation = Preparation::for_panel(panel, made.script.arena().signature());
    let limits = confirmation_limits(run_limits(plan.limits, None));
    let mut pool = SolverPool::new(panel, setting);
    let status_panel = StatusPanel { panel: panel, setting, preparation: &preparation, limits };
    let beliefs = remade.beliefs(&status_panel, &mut pool, made);
    let promise = promise_of_fusion(made.promise, beliefs.iter());
    let script = Some(made.script.clone());
    let mut session = TrialSession::new(panel, script, made.text.as_str(), promise, ModelPolicy::All);
    if promise == Promise::Known(Answer::Sat) {
        session.trial.intended_model =
            intended_model(&made.script, &made.joined, &beliefs.iter().collect::<Vec<_>>());
    }
    let mut spared = Vec::new();
    for (solver, prepared) in preparation.prepare(&made.script, &made.text).into_iter().enumerate() {
        let name = panel[solver].identity.name.clone();
        match prepared {
            Prepared::Spared(why) => spared.push((name, why)),
            Prepared::Text { text, excuse } => {
                let stream = recipe.stream_of(remade.case).child("options", solver as u64);
                let options = panel[solver].draw(plan.options_for(remade.strategy), &stream);
                let query = Query { script: &text, limits, ask: Ask::NOTHING };
                match pool.run_with(solver, RunMode::Fresh, &options, &query) {
                    Ok(run) => {
                        session.add(SolverRun { solver, options, text, excuse, asked_model: false, run });
                    }
                    Err(why) => spared.push((name, why)),
                }
            }
        }
    }
    let mut access = PoolAccess { pool: &mut pool, mode: RunMode::Fresh, limits: &|_| limits };
    let findings = session.judge(&mut Vec::new(), &mut access).findings;
    Rerun { runs: session.runs.iter().map(|run| run.report(panel)).collect(), spared, findings }
}
