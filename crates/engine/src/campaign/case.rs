//! One case: made, prepared, run, judged; and one seed, which is run before its first mutant.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gainsay_smt::{Script, logic};

use super::belief::{Belief, made_for, trusted};
use super::chain::{self, Chain, Joined, Made, Step};
use super::judge::{Inquiry, Models, Take, Trial, believable, finer, judge, witness};
use super::once::Halted;
use super::probe::Probe;
use super::team::{Member, Way, generous, limits};
use super::watch::{Watched, came, exhausted};
use super::worker::{Report, Shared, Worker};
use crate::event::{CaseNumber, Event, RunReport};
use crate::feedback::chain_end::{ChainDecision, ChainLimits, ChainProgress, MutantOutcome};
use crate::oracle::{Evidence, Finding, Promise, Witness};
use crate::prepare::{Preparation, Prepared};
use crate::seeds::{self, Seed};
use crate::solver::run::{Answer, Ask, Query, Run};
use crate::store::{Exhibit, ExhibitRun, SeedRecord};

/// The strategy of what is found in a seed itself.
pub const SEED: &str = "seed";

/// A chain being run.
pub(super) struct Leg<'a> {
    pub chain: Chain<'a>,
    /// What the steps did that made something.
    pub steps: Vec<String>,
    pub seed: &'a Seed,
    pub probe: &'a Probe,
    /// For each member, why it is out until the chain ends or starts from its seed again.
    pub out: Vec<Option<String>>,
    /// What says that the chain has no more to show; nothing if all its steps are run.
    pub progress: Option<ChainProgress>,
}

impl Leg<'_> {
    /// Takes the next step of the chain: who was drawn for it, and what came of it.
    pub fn step(&mut self) -> Step {
        let step = self.chain.next().expect("a chain has as many steps as the plan says");
        if let chain::Outcome::Made(made) = &step.outcome {
            self.steps.push(format!("{}: {}", step.strategy, made.step));
        }
        step
    }

    /// Whether the chain goes on after a case of which this came.
    fn goes_on(&mut self, outcome: MutantOutcome, limits: &ChainLimits) -> bool {
        match &mut self.progress {
            None => outcome != MutantOutcome::Bug,
            Some(progress) => progress.record(outcome, limits) == ChainDecision::Continue,
        }
    }
}

/// What became of a case.
pub(super) enum Outcome {
    /// It is done.
    Done(Report),
    /// It is done, and the chain ends with it.
    Last(Report, &'static str),
    /// Nobody is left to run it: it is not done.
    Void,
    /// The campaign is to end before it could be made: it is done when the campaign goes on.
    Halted,
}

/// A script that was run.
pub(super) struct Matter<'a> {
    script: &'a Script,
    text: &'a str,
    promise: Promise,
    /// How often it asks for an answer.
    questions: usize,
    /// What is known of the seeds that it comes from; nothing for a seed itself.
    probes: &'a [&'a Probe],
    /// The seeds that were joined with the first one.
    joined: &'a [Joined],
    /// The model that it was made to have, once somebody says that it has none.
    made_for: Option<Witness>,
    /// How many times the CPU time of its seed it may take.
    patience: u32,
    /// Which models are looked at.
    models: Models,
    /// Whether the ways of solvers are looked at.
    watched: Watched,
}

impl Matter<'_> {
    /// What is asked of solvers beside the script.
    fn ask(&self) -> Ask {
        if self.models == Models::All { Ask::MODEL } else { Ask::NOTHING }
    }

    /// The same for one solver, which may be able to tell what it did.
    fn ask_of(&self, member: &Member) -> Ask {
        Ask { behaviour: self.watched == Watched::Yes && member.tells(), ..self.ask() }
    }

    fn trial<'t>(&'t self, team: &'t [Member]) -> Trial<'t> {
        let made_for = self.made_for.as_ref();
        Trial { team, script: self.script, promise: self.promise, made_for, models: self.models }
    }

    /// The CPU time that a solver gets for it, if that is limited.
    fn allowance(&self, member: usize) -> Option<Duration> {
        let allowances: Option<Duration> =
            self.probes.iter().map(|probe| probe.allowance(member, self.patience)).sum();
        allowances.filter(|_| !self.probes.is_empty())
    }

    /// The model that it was made to have, if these runs contradict that it has one.
    fn made_for(&self, takes: &[Take]) -> Option<Witness> {
        let denied = takes.iter().any(|take| take.run.answers.contains(&Answer::Unsat));
        let is_wanted = denied && self.promise == Promise::Known(Answer::Sat) && !self.joined.is_empty();
        let beliefs: Vec<&Belief> = self.probes.iter().map(|probe| probe.belief()).collect();
        is_wanted.then(|| made_for(self.script, self.joined, &beliefs)).flatten()
    }

    /// Why a solver is spared it, if so.
    fn spares(&self, member: usize) -> Option<String> {
        self.probes.iter().find_map(|probe| probe.spares(member))
    }
}

/// Who made a case.
#[derive(Clone, Copy)]
struct Maker {
    strategy: &'static str,
    mutation: Option<&'static str>,
}

/// Where a script came from, for its exhibit.
struct Source<'a> {
    case: Option<CaseNumber>,
    strategy: &'static str,
    seed: &'a Seed,
    steps: &'a [String],
}

/// What a judgement came to.
struct Found {
    flaky: Vec<Event>,
    sightings: Vec<Exhibit>,
}

/// Asks solvers on behalf of the oracles.
struct Asking<'w, 'a, 'm> {
    worker: &'w mut Worker<'a>,
    prepared: &'m [Prepared],
    matter: &'m Matter<'m>,
    way: Way,
}

impl Inquiry for Asking<'_, '_, '_> {
    fn solver(&mut self, member: usize) -> Option<Take> {
        self.worker.take(member, &[], self.prepared.get(member)?, self.matter)
    }

    fn model(&mut self, take: &Take, check: usize) -> Witness {
        let shared = self.worker.shared;
        let limits = generous(limits(shared.limits, None));
        witness(shared.preparation, take, check, limits, |query| {
            self.worker.run(take.member, self.way, &take.options, query)
        })
    }

    fn aside(&mut self, member: usize, text: &str, ask: Ask) -> Option<Run> {
        let query = Query { script: text, limits: limits(self.worker.shared.limits, None), ask };
        self.worker.run(member, self.way, &[], &query)
    }
}

impl<'a> Worker<'a> {
    /// Makes, runs and judges the next case of a chain.
    pub fn case(&mut self, leg: &mut Leg<'_>, case: CaseNumber) -> Outcome {
        self.try_case(leg, case).unwrap_or(Outcome::Halted)
    }

    fn try_case(&mut self, leg: &mut Leg<'_>, case: CaseNumber) -> Result<Outcome, Halted> {
        while let Some(seed) = leg.chain.unasked() {
            self.find_status(seed)?;
        }
        let Step { strategy, partner, outcome, .. } = leg.step();
        // Whatever comes of it: who makes it again needs the text of both.
        if let Some(partner) = partner {
            self.partner(partner)?;
        }
        Ok(match outcome {
            chain::Outcome::Skipped(why) => {
                let (strategy, why) = (Some(strategy), why.name().to_owned());
                Outcome::Done(Report::of(Event::Skipped { case, count: 1, strategy, why }))
            }
            chain::Outcome::OurBug(message) => Outcome::Done(Report::of(Event::OurBug { case, message })),
            chain::Outcome::Made(Made { script, text, promise, step, joined, is_anew }) => {
                if is_anew {
                    // What was too much is no part of it any more.
                    leg.out.fill(None);
                }
                let questions = seeds::questions(&script);
                let mut probes = vec![leg.probe];
                for joined in &joined {
                    probes.extend(self.partner(joined.seed)?);
                }
                let matter = Matter {
                    script: &script,
                    text: &text,
                    promise: trusted(promise, probes.iter().map(|probe| probe.belief())),
                    questions,
                    probes: &probes,
                    joined: &joined,
                    made_for: None,
                    patience: self.shared.limits.patience,
                    models: self.shared.models(case, strategy),
                    watched: self.shared.watched(strategy),
                };
                let maker = Maker { strategy, mutation: step.mutation };
                self.run_case(leg, case, maker, &matter)
            }
        })
    }

    fn run_case(
        &mut self,
        leg: &mut Leg<'_>,
        case: CaseNumber,
        Maker { strategy, mutation }: Maker,
        matter: &Matter<'_>,
    ) -> Outcome {
        let prepared = self.shared.preparation.prepare(matter.script, matter.text);
        let mut report = Report::default();
        let (mut asked, mut spare) = (Vec::new(), Vec::new());
        for (member, prepared) in prepared.iter().enumerate().filter(|(member, _)| !self.is_lost(*member)) {
            let why = match (matter.spares(member), prepared, &leg.out[member]) {
                (Some(why), ..) => why,
                (None, Prepared::Spared(why), _) => why.clone(),
                (None, Prepared::Text { .. }, Some(why)) => {
                    spare.push(member);
                    why.clone()
                }
                (None, Prepared::Text { .. }, None) => {
                    asked.push(member);
                    continue;
                }
            };
            let solver = self.shared.team[member].subject.name.clone();
            report.events.push(Event::Spared { case, solver, why });
        }
        if asked.is_empty() {
            return self.nobody(leg, case);
        }
        let drawn = |member: usize| self.shared.draw(case, strategy, member);
        let drawn: Vec<Vec<String>> = (0..self.shared.team.len()).map(drawn).collect();
        let mut takes: Vec<Take> = asked
            .iter()
            .filter_map(|&member| self.take(member, &drawn[member], &prepared[member], matter))
            .collect();
        if takes.is_empty() {
            return Outcome::Void;
        }
        // What it cannot do with options of this case it may do without them in the next.
        let plain = takes.iter().filter(|take| take.options.is_empty());
        plain.for_each(|take| leg.out[take.member] = exhausted(&take.run));
        let shared = self.shared;
        let matter = &Matter { made_for: matter.made_for(&takes), ..*matter };
        let mut asking = Asking { worker: self, prepared: &prepared, matter, way: Way::Fast };
        let mut judgement = judge(&matter.trial(shared.team), &mut takes, &mut spare, &mut asking);
        let runs: Vec<RunReport> = takes.iter().map(|take| shared.report(take, matter.watched)).collect();
        let came = came(&takes, &runs);
        let (seed, bytes) = (leg.seed.name.clone(), matter.text.len());
        let oracles = std::mem::take(&mut judgement.opinions);
        report.events.push(Event::Case { case, strategy, mutation, seed, bytes, runs, oracles });
        let source = Source { case: Some(case), strategy, seed: leg.seed, steps: &leg.steps };
        let found = self.confirm(matter, &takes, judgement.findings, &source);
        report.events.extend(found.flaky);
        report.sightings = found.sightings;
        let came = if report.sightings.is_empty() { came } else { MutantOutcome::Bug };
        match (leg.goes_on(came, &shared.chain_limits()), came) {
            (true, _) => Outcome::Done(report),
            (false, MutantOutcome::Bug) => Outcome::Last(report, "chain ended with a finding"),
            (false, _) => Outcome::Last(report, "chain ended: it shows nothing new any more"),
        }
    }

    /// Nobody can be asked: for this case, or for the rest of the chain.
    fn nobody(&self, leg: &Leg<'_>, case: CaseNumber) -> Outcome {
        // A strategy of two parents may start from the seed again, with others for partners.
        let is_in = |member: usize| leg.out[member].is_none() || self.shared.recipe.joins();
        let can_go_on = |member: &usize| is_in(*member) && leg.probe.spares(*member).is_none();
        let members = (0..self.shared.team.len()).filter(|member| !self.is_lost(*member));
        let left: Vec<usize> = members.clone().filter(can_go_on).collect();
        let skipped =
            |why: &str| Report::of(Event::Skipped { case, count: 1, strategy: None, why: why.to_owned() });
        match (members.count(), left.is_empty()) {
            (0, _) => Outcome::Void,
            (_, true) => Outcome::Last(skipped(NOBODY), NOBODY),
            (_, false) => Outcome::Done(skipped("no solver can do the case")),
        }
    }

    /// Runs a seed itself on every solver and judges it by its status, which is found out if the seed claims none.
    pub fn probe(&mut self, number: usize, script: &Script, text: String) -> Result<Probe, Halted> {
        let shared = self.shared;
        let seed = &shared.seeds[number];
        let questions = seeds::questions(script);
        let prepared = shared.preparation.prepare(script, &text);
        let (promise, models) = (Promise::Nothing, Models::All);
        let (probes, joined): (&[&Probe], &[Joined]) = (&[], &[]);
        let (made_for, patience) = (None, 0);
        let watched = if shared.recipe.is_guided() { Watched::Yes } else { Watched::No };
        let mut matter = Matter {
            script,
            text: &text,
            promise,
            questions,
            probes,
            joined,
            made_for,
            patience,
            models,
            watched,
        };
        let members = 0..shared.team.len();
        let mut takes = self.take_seed(number, &prepared, &matter)?;
        let run = |member| takes.iter().find(|take| take.member == member).map(|take| &take.run);
        let mut probe = Probe::new(&members.map(run).collect::<Vec<_>>());
        if shared.recipe.needs_statuses() {
            let belief = Belief::of(script, shared.statuses.get(number).answer(), &takes);
            // What solvers say of one of several questions is not the status of the seed.
            let answer = belief.answer.filter(|_| questions == 1);
            probe = probe.believing(belief);
            self.learn_status(number, answer);
        }
        if shared.guide.leads() {
            shared.guide.learn(number, script, &takes.iter().map(|take| &take.run).collect::<Vec<_>>());
        }
        if shared.probes.is_recorded(number) {
            return Ok(probe);
        }
        matter.promise = believable(shared.team, seed.status, &takes);
        let mut asking = Asking { worker: self, prepared: &prepared, matter: &matter, way: Way::Fast };
        let judgement = judge(&matter.trial(shared.team), &mut takes, &mut Vec::new(), &mut asking);
        let runs = takes.iter().map(|take| shared.report(take, watched)).collect();
        let source = Source { case: None, strategy: SEED, seed, steps: &[] };
        let found = self.confirm(&matter, &takes, judgement.findings, &source);
        let mut report = Report::of(Event::Probed { seed: seed.name.clone(), runs });
        report.events.extend(found.flaky);
        report.sightings = found.sightings;
        let (name, hash) = (seed.name.clone(), seed.hash.clone());
        report.seed = Some(SeedRecord { name, hash, text, values: String::new() });
        // If nobody listens, nobody will miss it.
        let _ = self.send(report);
        Ok(probe)
    }

    /// What is known of a seed that others are joined with; `None` if it cannot be read any more.
    pub(super) fn partner(&mut self, number: usize) -> Result<Option<&'a Probe>, Halted> {
        let shared: &'a Shared<'a> = self.shared;
        let Ok(text) = shared.seeds[number].read() else { return Ok(None) };
        let Ok(script) = Script::parse(&text, shared.signature) else { return Ok(None) };
        shared.probes.get(number, || self.probe(number, &script, text)).map(Some)
    }

    fn is_lost(&self, member: usize) -> bool {
        self.shared.lost[member].load(Ordering::Relaxed)
    }

    /// Puts a prepared text to a solver; nothing if it gets none, or is lost.
    pub(super) fn take(
        &mut self,
        member: usize,
        options: &[String],
        prepared: &Prepared,
        matter: &Matter<'_>,
    ) -> Option<Take> {
        let Prepared::Text { text, excuse } = prepared else { return None };
        let limits = limits(self.shared.limits, matter.allowance(member));
        let query = Query { script: text, limits, ask: matter.ask_of(&self.shared.team[member]) };
        let run = self.run(member, Way::Fast, options, &query)?;
        let subject = self.shared.team[member].subject_with(options);
        let (options, text, excuse) = (options.to_vec(), Arc::clone(text), excuse.clone());
        let take = Take { member, options, subject, text, excuse, run, witnesses: Vec::new() };
        Some(self.with_witness(take, matter).counted(matter.questions))
    }

    /// A take with the model that came with its last answer, if one was asked for.
    fn with_witness(&self, mut take: Take, matter: &Matter<'_>) -> Take {
        let is_last = take.run.answers.len() == matter.questions;
        if matter.models == Models::All && is_last && take.run.answers.last() == Some(&Answer::Sat) {
            let model = take.run.model.clone();
            let check = matter.questions - 1;
            take.witnesses = vec![self.shared.preparation.witness(take.member, &take.text, check, model)];
        }
        take
    }

    fn run(&mut self, member: usize, way: Way, options: &[String], query: &Query<'_>) -> Option<Run> {
        if self.is_lost(member) {
            return None;
        }
        let run = match options {
            [] => self.bench.run(member, way, query),
            options => self.bench.run_with(member, options, query),
        };
        run.map_err(|why| self.lose(member, why)).ok()
    }

    fn lose(&self, member: usize, why: String) {
        if !self.shared.lost[member].swap(true, Ordering::Relaxed) {
            let solver = self.shared.team[member].subject.name.clone();
            let _ = self.send(Report::of(Event::SolverLost { solver, why }));
        }
    }

    /// Whether a crash says something: a program that was damaged or half replaced crashes on everything.
    fn is_sound(&self, take: &Take) -> bool {
        if take.crashed() && !self.is_lost(take.member) {
            self.bench.works(take.member).unwrap_or_else(|why| self.lose(take.member, why));
        }
        !self.is_lost(take.member)
    }

    /// Runs what looks wrong again, each solver in a fresh process. What is seen again is a finding.
    fn confirm(
        &mut self,
        matter: &Matter<'_>,
        takes: &[Take],
        findings: Vec<Finding>,
        source: &Source<'_>,
    ) -> Found {
        let mut found = Found { flaky: Vec::new(), sightings: Vec::new() };
        if findings.is_empty() {
            return found;
        }
        let shared = self.shared;
        let limits = generous(limits(shared.limits, None));
        let mut fresh = Vec::new();
        for take in takes.iter().filter(|take| take.matters()) {
            if !self.is_sound(take) {
                continue;
            }
            let query = Query { script: &take.text, limits, ask: matter.ask() };
            if let Some(run) = self.run(take.member, Way::Fresh, &take.options, &query) {
                let excuse = shared.preparation.excuse(take.member, &take.text);
                let fresh_take = Take { excuse, run, witnesses: Vec::new(), ..take.clone() };
                fresh.push(self.with_witness(fresh_take, matter).counted(matter.questions));
            }
        }
        let mut asking = Asking { worker: self, prepared: &[], matter, way: Way::Fresh };
        let again = judge(&matter.trial(shared.team), &mut fresh, &mut Vec::new(), &mut asking);
        let logic = logic::smallest(matter.script);
        let again = finer(again.findings, logic);
        for finding in finer(findings, logic) {
            let same = |other: &&Finding| {
                other.fingerprint == finding.fingerprint && other.suspect == finding.suspect
            };
            match again.iter().find(same) {
                Some(seen) => found.sightings.push(self.exhibit(matter, &fresh, seen.clone(), source)),
                // What could not be run again is no finding, and nothing to wonder at either.
                None if takes.iter().any(|take| self.is_lost(take.member)) => {}
                None => found.flaky.push(Event::Flaky { case: source.case, finding }),
            }
        }
        found
    }

    fn exhibit(&self, matter: &Matter<'_>, fresh: &[Take], finding: Finding, source: &Source<'_>) -> Exhibit {
        let run = |take: &Take| {
            let member = &self.shared.team[take.member];
            ExhibitRun {
                solver: take.subject.name.clone(),
                version: member.subject.version.clone(),
                command: member.command(&take.options, self.shared.setting),
                script: take.text.to_string(),
                run: take.run.clone(),
            }
        };
        let proves = matter.made_for.as_ref().filter(|_| finding.evidence == Evidence::Proved);
        let model = proves.and_then(|witness| witness.model.clone());
        Exhibit {
            family: finding.fingerprint.family().to_owned(),
            finding,
            case: source.case,
            strategy: source.strategy,
            seed: name(source.seed),
            partners: matter.joined.iter().map(|joined| name(&self.shared.seeds[joined.seed])).collect(),
            model,
            rng_seed: self.shared.plan.rng_seed,
            steps: source.steps.to_vec(),
            limits: self.shared.limits,
            script: Preparation::standard(matter.script, matter.text),
            runs: fresh.iter().map(run).collect(),
        }
    }
}

/// A seed by name and by content.
fn name(seed: &Seed) -> (String, String) {
    (seed.name.clone(), seed.hash.clone())
}

const NOBODY: &str = "no solver is left for the rest of the chain";
