//! Chains: which script a case is.
//!
//! A case is a function of the campaign's random seed, its own number and the seeds. Case n is step n % length of chain
//! n / length. A chain starts with a seed: all seeds are visited in rounds, each round in its own random order. A step mutates
//! the script of the step before it, with a strategy and choices that are drawn from the stream of the case. A step that fails
//! leaves the script unchanged. None of this depends on the solvers, so campaigns, `mutate` and `replay` make the same bytes,
//! with any number of jobs. There are two exceptions: if every strategy preserves the answer (horn), earlier runs decide the seed
//! of a chain and the weights of mutations (`guide.rs`); if a bandit leads, it chooses the seed of a chain and the strategies of
//! its steps (`steering.rs`). These choices are recorded, and `replay` reads the record.
//!
//! A strategy of two parents fuses the script with a seed of the same status (`partners.rs`). It needs to know that status, so it
//! restarts from the seed of the chain after a mutation that does not preserve the answer; and also after two fusions in a row,
//! so that scripts do not grow without bound.
//!
//! The next step starts from the script before a side step: a fusion, a script over several checks, a generated script. Mutants of such a
//! script cost several times as much, and are far from the seed. If a campaign has no other strategies, they go on from each other.
//!
//! A chain in small scope starts from a shrunk seed (`small_seed.rs`), but for fusions. The bounds of its constants stay as they are:
//! exhaustion needs them, and a changed bound often contradicts all else. Half of the chains start from their seed under another logic
//! (`drawn_logic.rs`) if the campaign draws logics.

mod chain_seed;
mod parents;
mod step;
mod text_change;

use std::hash::Hasher as _;
use std::panic::{self, AssertUnwindSafe};

use gainsay_smt::print::command_text;
use gainsay_smt::{CommandReader, Script};
use rustc_hash::{FxHashSet, FxHasher};

use crate::event::CaseNumber;
use crate::known_answers::KnownAnswers;
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::store::StartRecord;
use crate::strategy::{Parent, Proposal, SeedValues, Skip, Strategy};
use crate::trial::{Promise, claimed_statuses, question_count};

use super::advice::SeedAdvice;
use super::partners::PartnerLibrary;
use super::recipe::Recipe;

pub use step::{JoinedSeed, MadeScript, Step, StepOutcome};

use chain_seed::ChainSeed;
use step::FailedStep;
use text_change::{TextChange, declare_alike};

/// Unused terms that steps may leave in the arena of a script before it is parsed again: a chain may be long.
const MAX_UNUSED_TERMS: usize = 4096;

/// Proposals that are drawn in the place of one that changes a bound.
const MAX_REDRAWS: usize = 8;

/// Seeds that are fused with the seed of a chain in a row.
const MAX_JOINS_IN_A_ROW: usize = 2;

/// Whether the text of each case is parsed again, which finds bugs of our printer and strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reread {
    /// It is parsed again, as in campaigns.
    Yes,
    /// It is not; for measuring the cost of the check.
    No,
}

/// A chain of cases, made one after the other.
#[derive(Debug)]
pub struct Chain<'a> {
    recipe: &'a Recipe,
    cases: std::ops::Range<CaseNumber>,
    reread: Reread,
    script: Script,
    /// The answer of the script, where known.
    status: Option<Answer>,
    /// The answers that the last strategy guaranteed for some checks of the script.
    known: KnownAnswers,
    /// The seed of the chain, for steps that restart from it.
    seed: ChainSeed<'a>,
    /// The seeds that were fused into the script, in order.
    joined: Vec<JoinedSeed>,
    /// The text of each command of the script.
    pieces: Vec<String>,
    bytes: usize,
    /// Parses changed pieces again.
    reader: CommandReader,
    /// Whether the text of the script was parsed again; then a step is checked by its change alone.
    is_read: bool,
    /// Terms that the arena may have before the script is parsed again.
    room: usize,
    /// The texts of its seed and of its cases so far, by their hashes.
    seen: FxHashSet<u64>,
}

/// The script that a step of one parent starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepSource {
    /// The script of the step before it.
    Script,
    /// The seed of the chain.
    Seed,
}

impl<'a> Chain<'a> {
    /// Chain number `chain`, which begins with this seed. The seed's own `:status` is dropped: it will not be
    /// true of the mutants. What it says of each of several checks holds where the same is asked again.
    pub fn new(
        recipe: &'a Recipe,
        chain: u64,
        seed: &Script,
        status: Option<Answer>,
        reread: Reread,
    ) -> Chain<'a> {
        let plain = seed.without_status();
        let under_logic = recipe.under_drawn_logic(chain, &plain);
        let small = recipe.small_seed(chain, under_logic.as_ref().unwrap_or(&plain));
        // A shrunk seed has the words of the seed, but not its sorts, and so not its answers.
        let known = match question_count(seed) {
            2.. if small.is_none() => KnownAnswers::of(seed, &claimed_statuses(seed)),
            _ => KnownAnswers::default(),
        };
        let seed = ChainSeed {
            script: plain,
            small,
            under_logic,
            status,
            known,
            partners: None,
            advice: None,
            weights: None,
            strategies: Vec::new(),
        };
        let (script, status) = seed.start();
        let script = script.clone();
        let pieces: Vec<String> =
            script.commands.iter().map(|command| command_text(script.arena(), command)).collect();
        let bytes = pieces.iter().map(|piece| piece.len() + 1).sum();
        let (cases, reader) = (recipe.cases_of(chain), CommandReader::default());
        let room = script.arena().term_count() + MAX_UNUSED_TERMS;
        let (joined, seen) = (Vec::new(), FxHashSet::from_iter([text_hash(&join(&pieces, bytes))]));
        let (is_read, known) = (false, KnownAnswers::default());
        Chain {
            recipe,
            cases,
            reread,
            script,
            status,
            known,
            seed,
            joined,
            pieces,
            bytes,
            reader,
            is_read,
            room,
            seen,
        }
    }

    /// Adds the library of partners; `seed` is the number of the chain's own seed.
    #[must_use]
    pub fn with_partners(mut self, seed: usize, library: &'a PartnerLibrary<'a>) -> Chain<'a> {
        self.seed.partners = Some((seed, library));
        self
    }

    /// Adds the advice about its seed, and how often that was visited before.
    #[must_use]
    pub fn with_advice(mut self, advised: &'a SeedAdvice, visits: u64) -> Chain<'a> {
        self.seed.advice = Some((advised, visits * self.recipe.length()));
        self
    }

    /// Adds the recorded start of the chain.
    #[must_use]
    pub fn with_start(mut self, start: &StartRecord) -> Chain<'a> {
        self.seed.weights = serde_json::from_str(&start.weights).ok();
        self.seed.strategies.clone_from(&start.strategies);
        self
    }

    /// The script that the next step starts from.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// The seed as it was read, without its status.
    pub fn seed(&self) -> &Script {
        &self.seed.script
    }

    /// Descriptions of the changes that the seed had before the first step.
    pub fn origin(&self) -> Vec<String> {
        let logic = self.seed.under_logic.as_ref().map(|script| match script.logic() {
            Some(name) => format!("logic: {name}"),
            None => "logic: none".to_owned(),
        });
        let scope = self.seed.small.is_some().then(|| "scope: the seed with few values".to_owned());
        logic.into_iter().chain(scope).collect()
    }

    /// The text of that script.
    pub fn text(&self) -> String {
        join(&self.pieces, self.bytes)
    }

    /// The number of the next case; `None` at the end of the chain.
    pub fn next_case(&self) -> Option<CaseNumber> {
        (!self.cases.is_empty()).then_some(self.cases.start)
    }

    /// The strategy that a bandit chose for a case.
    fn chosen(&self, case: CaseNumber) -> Option<&'static dyn Strategy> {
        self.recipe.chosen(case, &self.seed.strategies)
    }

    /// Skips the next step: the script stays unchanged.
    pub fn leave_out(&mut self) {
        self.cases.next();
    }

    /// Makes another case from the seed of the chain, with values for its constants if the strategy takes any.
    fn vary(&self, strategy: &dyn Strategy, case: CaseNumber, rng: &mut Rng) -> Result<Proposal, FailedStep> {
        let (_, step) = self.recipe.place_of(case);
        let advice = self.seed.advice.filter(|_| strategy.varies_seed() && self.recipe.takes_values());
        let values =
            advice.map(|(advised, before)| SeedValues { fillings: &advised.values, turn: before + step });
        let (script, status) = match values {
            Some(_) => (&self.seed.script, self.seed.status),
            None => self.seed.start(),
        };
        self.propose(strategy, &[Parent { values, case, ..Parent::new(script, status) }], rng)
    }

    /// The known answers to the checks of the script.
    fn answers(&self) -> Vec<Option<Answer>> {
        self.known.clone().and(&self.seed.known).of_each(&self.script)
    }

    /// Returns true if a fusion starts from the script, not from the seed of the chain.
    fn goes_on(&self) -> bool {
        self.status == self.seed.status && self.joined.len() < MAX_JOINS_IN_A_ROW
    }

    fn propose(
        &self,
        strategy: &dyn Strategy,
        parents: &[Parent<'_>],
        rng: &mut Rng,
    ) -> Result<Proposal, FailedStep> {
        let made =
            panic::catch_unwind(AssertUnwindSafe(|| strategy.propose(parents, &self.recipe.settings, rng)));
        match made {
            Ok(proposal) => proposal.map_err(FailedStep::Skipped),
            Err(panic) => {
                Err(FailedStep::OurBug(format!("{} panicked: {}", strategy.name(), panic_message(&*panic))))
            }
        }
    }

    /// Makes a proposal the case, if it can be parsed, and the script that the next step starts from, unless it is a side step.
    fn accept(
        &mut self,
        mut proposal: Proposal,
        partner: Option<usize>,
        start: StepSource,
        strategy: &dyn Strategy,
    ) -> StepOutcome {
        let is_anew = start == StepSource::Seed || partner.is_some() && !self.goes_on();
        let mut joined = if is_anew { Vec::new() } else { self.joined.clone() };
        if let (Some(seed), Some(join)) = (partner, &proposal.join) {
            joined.push(JoinedSeed { seed, join: join.clone() });
        }
        if partner.is_none() {
            self.restore_bounds(&mut proposal);
        }
        let change = TextChange::of(&proposal, &self.script, &self.pieces);
        if let TextChange::Command(command, piece) | TextChange::Place(command, piece, _) = &change
            && *piece == self.pieces[*command]
        {
            return StepOutcome::OurBug(format!("nothing was changed: {}", proposal.step));
        }
        let old = change.swap(&mut self.pieces);
        let mut outcome = self.judge(proposal, &old, strategy);
        if let StepOutcome::Made(made) = &mut outcome {
            let is_side_step = self.recipe.is_side_step(strategy, &made.script);
            // An answer belongs to what is asserted: those of earlier steps count where it is asserted still.
            let is_known_anew = !made.known.is_empty() || is_anew;
            let known = if is_known_anew { made.known.clone() } else { self.known.clone() };
            made.known = known.clone().and(&self.seed.known);
            made.joined.clone_from(&joined);
            (made.is_anew, made.is_side_step) = (is_anew, is_side_step);
            if !is_side_step {
                (self.joined, self.known) = (joined, known);
                self.go_on_from(made);
                return outcome;
            }
        }
        old.swap(&mut self.pieces);
        // Unless the step was skipped before its text was parsed, the reader may have seen commands that the script does not have.
        if !matches!(outcome, StepOutcome::Skipped(_)) {
            self.reader = CommandReader::default();
        }
        outcome
    }

    /// Returns true if a proposal changes nothing but a bound of a seed in small scope.
    fn changes_bound(&self, proposal: &Result<Proposal, FailedStep>) -> bool {
        let (Some(small), Ok(Proposal { edit: Some(edit), .. })) = (&self.seed.small, proposal) else {
            return false;
        };
        small.is_bound(&self.pieces[edit.command])
    }

    /// Restores the bounds of a seed in small scope that a proposal changes, unless it promises an answer.
    fn restore_bounds(&self, proposal: &mut Proposal) {
        let Some(small) = &self.seed.small else { return };
        let is_elsewhere =
            proposal.edit.as_ref().is_some_and(|edit| !small.is_bound(&self.pieces[edit.command]));
        if is_elsewhere || proposal.promise != Promise::Nothing || !proposal.known.is_empty() {
            return;
        }
        let arena = proposal.script.arena();
        let commands: Vec<String> =
            proposal.script.commands.iter().map(|command| command_text(arena, command)).collect();
        let restored =
            small.restored(&commands).and_then(|text| Script::parse(&text, arena.signature()).ok());
        if let Some(script) = restored {
            (proposal.script, proposal.edit) = (script, None);
        }
    }

    /// Makes a case the script that the next step starts from.
    fn go_on_from(&mut self, made: &MadeScript) {
        self.script = made.script.clone();
        self.status = made.promise.answer();
        self.bytes = made.text.len();
        self.is_read = self.reread == Reread::Yes;
        self.renew(&made.text);
    }

    /// Parses the script again if its arena has become large, to drop the terms of earlier scripts.
    fn renew(&mut self, text: &str) {
        if self.script.arena().term_count() <= self.room {
            return;
        }
        // Without the check, the text may not be parsable.
        if let Ok(script) = Script::parse(text, self.script.arena().signature()) {
            self.script = script;
            self.reader = CommandReader::default();
        }
        self.room = self.script.arena().term_count() + MAX_UNUSED_TERMS;
    }

    /// Makes a script of a proposal, whose text is in the pieces. Skips it before parsing, if at all: a text that the chain had before was
    /// parsed then.
    fn judge(&mut self, mut proposal: Proposal, old: &TextChange, strategy: &dyn Strategy) -> StepOutcome {
        let bytes = self.pieces.iter().map(|piece| piece.len() + 1).sum();
        if bytes > self.recipe.settings.bounds.bytes {
            return StepOutcome::Skipped(Skip::TooLarge);
        }
        let text = join(&self.pieces, bytes);
        let hash = text_hash(&text);
        if self.seen.contains(&hash) && !strategy.may_repeat() {
            return StepOutcome::Skipped(Skip::Repeated);
        }
        let means = match self.reread {
            Reread::No => Ok(true),
            Reread::Yes => self.means(&mut proposal, &text, old),
        };
        match means {
            Ok(true) => {}
            Ok(false) => match self.as_read(&proposal.script, &text) {
                Some(read) => proposal.script = read,
                None => {
                    return StepOutcome::OurBug(format!("the text means something else ({})", proposal.step));
                }
            },
            Err(error) => {
                return StepOutcome::OurBug(format!("{error}: {} ({})", error.excerpt, proposal.step));
            }
        }
        self.seen.insert(hash);
        StepOutcome::Made(MadeScript::new(proposal, text))
    }

    /// The script that a text means, if it differs from the one that was printed only in sorts that no text shows.
    fn as_read(&mut self, printed: &Script, text: &str) -> Option<Script> {
        self.reader = CommandReader::default();
        let read = Script::parse(text, printed.arena().signature()).ok()?;
        read.seems_like(printed).then_some(read)
    }

    /// Returns true if the text parses to the script; parses only the part that may have changed meaning.
    fn means(
        &mut self,
        proposal: &mut Proposal,
        text: &str,
        old: &TextChange,
    ) -> Result<bool, gainsay_smt::Error> {
        let script = &mut proposal.script;
        if let TextChange::Command(command, before) | TextChange::Place(command, before, _) = old
            && self.is_read
        {
            let names = |piece: &str| piece.contains(":named");
            let (a, b) = (&self.script.commands[*command], &script.commands[*command]);
            let piece = &self.pieces[*command];
            if declare_alike(a, b) && !names(before) && !names(piece) {
                return match (&proposal.edit, old) {
                    (Some(edit), TextChange::Place(_, _, range)) => {
                        self.reader.means_edit(script, &self.pieces, edit, &piece[range.clone()])
                    }
                    _ => self.reader.means(script, &self.pieces, *command),
                };
            }
        }
        // The reader has the old declarations, which may have changed.
        self.reader = CommandReader::default();
        Ok(Script::parse(text, script.arena().signature())? == *script)
    }
}

impl Iterator for Chain<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let case = self.cases.next()?;
        let stream = self.recipe.stream_of(case);
        let mut rng = stream.rng();
        let strategy = match self.chosen(case) {
            Some(strategy) => strategy,
            None => self.recipe.suited(self.recipe.strategy(None, &mut rng), &self.script, &mut rng),
        };
        let partner = self.partner(case);
        let start = if strategy.takes_seed() { StepSource::Seed } else { StepSource::Script };
        let proposal = match strategy.parents() {
            2 => self.join(strategy, partner, &mut rng),
            _ if start == StepSource::Seed => self.vary(strategy, case, &mut rng),
            _ => {
                let phrases = self.seed.advice.map(|(advised, _)| &advised.phrases);
                let weights = self.seed.weights.as_ref();
                // Comparing assertions with known answers takes longer than most mutations.
                let answers = if strategy.uses_status() { self.answers() } else { Vec::new() };
                let parent = Parent::new(&self.script, self.status);
                let parent = Parent { horn_advice: phrases, weights, answers: &answers, ..parent };
                let mut proposal = self.propose(strategy, &[parent], &mut rng);
                for _ in 0..MAX_REDRAWS {
                    if !self.changes_bound(&proposal) {
                        break;
                    }
                    proposal = self.propose(strategy, &[parent], &mut rng);
                }
                proposal
            }
        };
        let outcome = match proposal {
            Ok(proposal) => self.accept(proposal, partner, start, strategy),
            Err(failed) => failed.into(),
        };
        let outcome = self.recipe.questions().apply(stream, outcome);
        Some(Step { case, strategy: strategy.name(), partner, outcome })
    }
}

/// The hash by which a chain recognises a text. Two texts with the same hash would cost one case, the same one in every run.
fn text_hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn join(pieces: &[String], bytes: usize) -> String {
    let mut text = String::with_capacity(bytes);
    for piece in pieces {
        text.push_str(piece);
        text.push('\n');
    }
    text
}

/// The message of a panic.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(ToString::to_string);
    words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no words".to_owned())
}

#[cfg(test)]
mod tests;
