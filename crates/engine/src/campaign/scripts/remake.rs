//! Remakes a case from the plan, the store's roster and copies of the seeds, and the number of the case.
//!
//! The original files of the seeds are not needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use gainsay_smt::{Script, Signature};

use super::advice::SeedAdvice;
use super::chain::{Chain, MadeScript, Reread, Step, StepOutcome};
use super::intended_model::intended_model;
use super::partners::{PartnerDraw, PartnerLibrary, PartnerPools};
use super::recipe::Recipe;
use crate::campaign::choosing::steering::kept::QueuedScript;
use crate::campaign::plan::CampaignPlan;
use crate::event::{CaseNumber, RunReport};
use crate::finding::Finding;
use crate::prepare::Prepared;
use crate::session::panel::{PanelSolver, RunMode, SolverPool, confirmation_limits, run_limits};
use crate::session::status_panel::StatusPanel;
use crate::session::{ModelPolicy, PoolAccess, SolverRun, TrialSession};
use crate::solver::run::{Answer, Ask, Query};
use crate::solver::runner::Launcher;
use crate::store::{SeedEntry, SeedRecord, StartRecord, Store, StoreError, StoredProgress};
use crate::strategy::fusion::DecomposedFusion;
use crate::trial::Promise;
use crate::trial::evidence::{Belief, promise_of_fusion};

/// A case that was remade.
#[derive(Debug, Clone)]
pub struct Remade {
    /// Its number.
    pub case: CaseNumber,
    /// Its strategy.
    pub strategy: &'static str,
    /// The seed of its chain.
    pub seed: SeedEntry,
    /// The seeds that were fused with it, in order.
    pub partners: Vec<SeedEntry>,
    /// The texts of all these seeds, its own first.
    pub parents: Vec<String>,
    /// Descriptions of its own step and of those before it that made a script.
    pub steps: Vec<String>,
    /// Its outcome.
    pub outcome: StepOutcome,
}

/// Why a case cannot be remade.
#[derive(Debug, thiserror::Error)]
pub enum RemakeError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The campaign has not begun.
    #[error("the campaign has made no cases yet")]
    NotBegun,
    /// The campaign has not run the case.
    #[error("the campaign has not run case {case}{}", last.map(|last| format!("; the last one is case {last}")).unwrap_or_default())]
    NeverRun {
        /// The case.
        case: CaseNumber,
        /// The highest number of a case that was run.
        last: Option<CaseNumber>,
    },
    /// The campaign has not reached the case.
    #[error("the campaign has not reached case {case}: its seed {seed} was not used yet")]
    NotYet {
        /// The case.
        case: CaseNumber,
        /// The seed.
        seed: String,
    },
    /// The campaign has not reached the case, and the start of its chain is not recorded.
    #[error("the campaign has not reached case {case}: its chain {chain} has not started")]
    NotBegunYet {
        /// The case.
        case: CaseNumber,
        /// Its chain.
        chain: u64,
    },
    /// The copy of a seed cannot be parsed.
    #[error("the copy of the seed {seed} in the store cannot be read: {why}")]
    Seed {
        /// Its name.
        seed: String,
        /// The reason.
        why: String,
    },
}

/// Remakes a case that the campaign has run.
pub fn remake(
    store: &dyn Store,
    recipe: &Recipe,
    signature: &Arc<Signature>,
    case: CaseNumber,
) -> Result<Remade, RemakeError> {
    let progress = store.standing()?;
    if !has_run(&progress, recipe, case) {
        return Err(match last_case(&progress, recipe) {
            None => RemakeError::NotBegun,
            last => RemakeError::NeverRun { case, last },
        });
    }
    remake_by(store, recipe, signature, case, &recipe.steps_to(case))
}

/// Returns true if a campaign has come to a case. Cases that are skipped because their chain ended early count, too.
fn has_run(progress: &StoredProgress, recipe: &Recipe, case: CaseNumber) -> bool {
    let (chain, step) = recipe.place_of(case);
    if !recipe.shard().owns(chain) {
        return false;
    }
    let place = recipe.shard().place_of(chain);
    let record = progress.chains.iter().find(|record| record.chain == place);
    place < progress.ended_below || record.is_some_and(|record| record.next.is_none_or(|next| step < next))
}

/// The highest number of a case that a campaign has come to.
fn last_case(progress: &StoredProgress, recipe: &Recipe) -> Option<CaseNumber> {
    let cases_at = |place| recipe.cases_of(recipe.shard().chain_at(place));
    let ended = progress.ended_below.checked_sub(1).map(|place| cases_at(place).end);
    let open = progress.chains.iter().map(|record| {
        let cases = cases_at(record.chain);
        record.next.map_or(cases.end, |next| cases.start + next)
    });
    open.chain(ended).max()?.checked_sub(1)
}

/// Remakes a case by some of the steps of its chain, its own step last. A step draws from its own stream, so it depends on the
/// steps before it only through the script that it gets.
pub fn remake_by(
    store: &dyn Store,
    recipe: &Recipe,
    signature: &Arc<Signature>,
    case: CaseNumber,
    kept: &[CaseNumber],
) -> Result<Remade, RemakeError> {
    walk(store, recipe, signature, (case, kept), &mut |_| {})
}

/// The same, with the decomposition of the case if it is a fusion.
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

/// Follows a chain to a case, and calls `show` right before the case is made.
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
    let first = FirstScript::of_chain(store, recipe, &roster, (case, chain))?;
    let FirstScript { start, number, status, origin, text, values } = first;
    let seed = &roster[number];
    let script = Script::parse(&text, signature)
        .map_err(|error| RemakeError::Seed { seed: seed.name.clone(), why: error.to_string() })?;
    let chosen = start.as_ref().map_or(&[][..], |start| &start.strategies);
    let wanted = WantedPartners { case, own: number, strategies: chosen };
    let partners = PartnerTexts { texts: partner_texts(store, recipe, &roster, wanted)?, signature };
    let library = library(&roster, |number| partners.script(number));
    let visits = start.as_ref().map_or(chain / roster.len() as u64, |start| start.visits);
    let mut chain = Chain::new(recipe, chain, &script, status, Reread::Yes);
    if let Some(start) = &start {
        chain = chain.with_start(start);
    }
    let advised: Option<SeedAdvice> = serde_json::from_str(&values).ok();
    let mut chain = chain.with_partners(number, &library);
    if let Some(advised) = &advised {
        chain = chain.with_advice(advised, visits);
    }
    let mut steps: Vec<String> = origin.into_iter().chain(chain.origin()).collect();
    let last = follow(&mut chain, (&recipe.steps_to(case), kept), &mut steps, show);
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

/// The script that a chain starts from.
struct FirstScript {
    /// The recorded start, if starts are recorded.
    start: Option<StartRecord>,
    /// The number of the seed.
    number: usize,
    /// The answer of the script, if it is known.
    status: Option<Answer>,
    /// Where the script comes from, if it is not the seed itself.
    origin: Option<String>,
    text: String,
    /// Recorded values for its constants.
    values: String,
}

impl FirstScript {
    fn of_chain(
        store: &dyn Store,
        recipe: &Recipe,
        roster: &[SeedEntry],
        (case, chain): (CaseNumber, u64),
    ) -> Result<FirstScript, RemakeError> {
        let start =
            if recipe.records_starts() { Some(start(store, roster.len(), (case, chain))?) } else { None };
        let number = match &start {
            Some(start) => start.seed,
            None => recipe.visits(roster.len()).seed_of(chain),
        };
        let seed = &roster[number];
        let queued = if start.is_some() { store.seed(&QueuedScript::key(chain))? } else { None };
        let queued = queued.and_then(|record| QueuedScript::read(record, number));
        let status = queued.as_ref().map_or_else(|| seed.status.answer(), |queued| queued.status);
        let origin = queued.as_ref().map(QueuedScript::description);
        let (text, values) = match queued {
            Some(queued) => (queued.text, String::new()),
            None => copy(store, seed, case).map(|SeedRecord { text, values, .. }| (text, values))?,
        };
        Ok(FirstScript { start, number, status, origin, text, values })
    }
}

/// Makes those of the cases that are kept, and the last one; adds their descriptions to `steps` and returns the last step. Calls `show`
/// right before that.
fn follow(
    chain: &mut Chain<'_>,
    (cases, kept): (&[CaseNumber], &[CaseNumber]),
    steps: &mut Vec<String>,
    show: &mut dyn FnMut(&Chain<'_>),
) -> Step {
    let mut last = None;
    for (place, earlier) in cases.iter().enumerate() {
        let is_last = place + 1 == cases.len();
        if is_last {
            show(chain);
        }
        if is_last || kept.contains(earlier) {
            let step = chain.next().expect("a chain has as many steps as the plan says");
            if let StepOutcome::Made(made) = &step.outcome
                && (is_last || !made.is_side_step)
            {
                steps.push(made.description(step.strategy));
            }
            last = Some(step);
        } else {
            chain.leave_out();
        }
    }
    last.expect("the case is the last of its steps")
}

/// The recorded start of a chain.
fn start(
    store: &dyn Store,
    seeds: usize,
    (case, chain): (CaseNumber, u64),
) -> Result<StartRecord, RemakeError> {
    let start = store.start(chain)?.filter(|start| start.seed < seeds);
    start.ok_or(RemakeError::NotBegunYet { case, chain })
}

/// The library of second parents, from the records of a campaign.
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

/// The cases of a chain whose partners are needed.
#[derive(Clone, Copy)]
struct WantedPartners<'a> {
    /// The last case.
    case: CaseNumber,
    /// The number of the chain's own seed.
    own: usize,
    /// The strategies that the chain was started with, if they are recorded.
    strategies: &'a [String],
}

/// The texts of the partners of a chain's cases, up to the last one wanted.
fn partner_texts(
    store: &dyn Store,
    recipe: &Recipe,
    roster: &[SeedEntry],
    WantedPartners { case, own, strategies }: WantedPartners<'_>,
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
            PartnerDraw::NoPartner => {}
        }
    }
    Ok(texts)
}

/// Texts of second parents, from the store's copies.
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
    /// Asks solvers for the answers of the seeds of a fusion; empty for other cases.
    fn beliefs<'a>(
        &self,
        panel: &StatusPanel<'a>,
        pool: &mut SolverPool<'a>,
        made: &MadeScript,
    ) -> Vec<Belief> {
        if made.promise == Promise::Nothing && made.known.is_empty() {
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

impl Remade {
    /// Returns true if each seed with one check is believed to have its status. Seeds with several checks are believed.
    fn upholds_claims(&self, beliefs: &[Belief]) -> bool {
        let seeds = std::iter::once(&self.seed).chain(&self.partners).zip(beliefs);
        seeds
            .map(|(seed, belief)| (seed.status.answer(), belief.answer))
            .all(|(status, believed)| status.is_none() || believed == status)
    }
}

/// The runs of a remade case.
#[derive(Debug, Clone)]
pub struct Rerun {
    /// The runs.
    pub runs: Vec<RunReport>,
    /// Solvers that were not run, with the reason.
    pub spared: Vec<(String, String)>,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// Runs a case on the solvers, each in a fresh process and with the options that were drawn for it, and judges it as the
/// campaign does.
pub fn rerun(
    (remade, made): (&Remade, &MadeScript),
    (plan, recipe): (&CampaignPlan, &Recipe),
    panel: &[PanelSolver],
    launcher: &Launcher,
) -> Rerun {
    let preparation = PanelSolver::preparation(panel, made.script.arena().signature());
    let limits = confirmation_limits(run_limits(plan.limits, None));
    let mut pool = SolverPool::new(panel, launcher);
    let status_panel = StatusPanel { panel, launcher, preparation: &preparation, limits };
    let beliefs = remade.beliefs(&status_panel, &mut pool, made);
    let promise = promise_of_fusion(made.promise, beliefs.iter());
    let script = Some(made.script.clone());
    let mut session = TrialSession::new(panel, script, made.text.as_str(), promise, ModelPolicy::All)
        .with_exhaustion_steps(plan.limits.exhaustion);
    if remade.upholds_claims(&beliefs) {
        session.trial.add_known(&made.known);
    }
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
                let query = Query { script: &text, limits, ask: Ask::ANSWERS_ONLY };
                match pool.run_with(solver, RunMode::Fresh, &options, &query) {
                    Ok(run) => {
                        session.add(SolverRun { solver, options, text, excuse, asked_model: false, run });
                    }
                    Err(failure) => spared.push((name, failure.why)),
                }
            }
        }
    }
    let mut access = PoolAccess { pool: &mut pool, mode: RunMode::Fresh, limits: &|_| limits };
    let findings = session.judge(&mut Vec::new(), &mut access).findings;
    Rerun { runs: session.runs.iter().map(|run| run.report(panel)).collect(), spared, findings }
}
