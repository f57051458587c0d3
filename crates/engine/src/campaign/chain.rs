//! Chains: which script a case is.
//!
//! A case is a function of the campaign's seed number, its own number and the seeds. Case n is step n % length of chain
//! n / length. A chain begins with a seed: all seeds are visited in rounds, each in an order of its own. A step mutates
//! what the step before it made, by a strategy and choices that are drawn from the stream of the case. A step that cannot be
//! made leaves the script as it was. Nothing that solvers do changes any of this, so that campaigns, `mutate` and `replay`
//! make the same bytes, at any number of jobs.

mod change;

use std::panic::{self, AssertUnwindSafe};

use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Reader, Script, Word};

use crate::event::CaseNumber;
use crate::oracle::Promise;
use crate::random::{Rng, Stream};
use crate::solver::run::Answer;
use crate::strategy::{Kit, Parent, Proposal, Skip, Strategy};

use change::Change;

/// Terms that steps may leave behind in the arena of a script before it is read anew: a chain may be long.
const LEFT_BEHIND: usize = 4096;

/// What decides the scripts of a campaign, but for its seeds.
#[derive(Debug)]
pub struct Recipe {
    stream: Stream,
    length: u64,
    strategies: Vec<&'static dyn Strategy>,
    /// What strategies draw on.
    pub kit: Kit,
}

impl Recipe {
    /// A recipe with chains of `length` cases, at least one, and at least one strategy.
    pub fn new(rng_seed: u64, length: u64, strategies: Vec<&'static dyn Strategy>, kit: Kit) -> Recipe {
        assert!(length > 0 && !strategies.is_empty(), "a plan was checked");
        Recipe { stream: Stream::new(rng_seed), length, strategies, kit }
    }

    /// The chain of a case, and which of its steps the case is.
    pub fn place_of(&self, case: CaseNumber) -> (u64, u64) {
        (case / self.length, case % self.length)
    }

    /// The cases of a chain.
    pub fn cases_of(&self, chain: u64) -> std::ops::Range<CaseNumber> {
        chain * self.length..(chain + 1) * self.length
    }

    /// The random stream of a case.
    pub fn stream_of(&self, case: CaseNumber) -> Stream {
        self.stream.child("case", case)
    }

    /// The order in which so many seeds are visited.
    pub fn visits(&self, seeds: usize) -> Visits {
        Visits { stream: self.stream, order: (0..seeds).collect(), round: None }
    }
}

/// The order in which seeds are visited; each worker has its own.
#[derive(Debug, Clone)]
pub struct Visits {
    stream: Stream,
    /// The order of the round that was asked for last.
    order: Vec<usize>,
    round: Option<u64>,
}

impl Visits {
    /// The seed that a chain begins with.
    pub fn seed_of(&mut self, chain: u64) -> usize {
        let seeds = self.order.len() as u64;
        let round = chain / seeds;
        if self.round != Some(round) {
            self.order = (0..self.order.len()).collect();
            self.stream.child("round", round).rng().shuffle(&mut self.order);
            self.round = Some(round);
        }
        self.order[(chain % seeds) as usize]
    }
}

/// Whether a text is read again before it counts as made; without it a mistake of ours would go unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reread {
    /// It is, as in campaigns.
    Yes,
    /// It is not: for measuring what the check costs.
    No,
}

/// A chain in the making.
#[derive(Debug)]
pub struct Chain<'a> {
    recipe: &'a Recipe,
    cases: std::ops::Range<CaseNumber>,
    reread: Reread,
    script: Script,
    status: Option<Answer>,
    /// The text of each command of the script.
    pieces: Vec<String>,
    bytes: usize,
    /// Reads the pieces again; it follows the script from step to step.
    reader: Reader,
    /// Whether the text of the script was read again: a step is then checked by what it changes.
    is_read: bool,
    /// Terms that the arena may have before the script is read anew.
    room: usize,
}

/// One case of a chain.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its number.
    pub case: CaseNumber,
    /// The strategy that was drawn for it.
    pub strategy: &'static str,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a case.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// A script.
    Made(Made),
    /// The strategy can do nothing with what was there.
    Skipped(Skip),
    /// We are wrong: the strategy panicked, or what it made cannot be read. The script stays as it was.
    OurBug(String),
}

/// A script that was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// The script, which is what its text says.
    pub script: Script,
    /// Its text.
    pub text: String,
    /// What is known of its answer.
    pub promise: Promise,
    /// What was done, in a few words of SMT-LIB.
    pub step: String,
}

impl<'a> Chain<'a> {
    /// Chain number `chain`, which begins with this seed. What the seed says of its own status is dropped: it will not be
    /// true of the mutants.
    pub fn new(
        recipe: &'a Recipe,
        chain: u64,
        seed: &Script,
        status: Option<Answer>,
        reread: Reread,
    ) -> Chain<'a> {
        let mut script = seed.clone();
        script.commands.retain(|command| !is_status(seed, command));
        let pieces: Vec<String> =
            script.commands.iter().map(|command| command_text(script.arena(), command)).collect();
        let bytes = pieces.iter().map(|piece| piece.len() + 1).sum();
        let (cases, reader) = (recipe.cases_of(chain), Reader::default());
        let room = script.arena().term_count() + LEFT_BEHIND;
        Chain { recipe, cases, reread, script, status, pieces, bytes, reader, is_read: false, room }
    }

    /// The script that the next step starts from.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// The text of that script.
    pub fn text(&self) -> String {
        join(&self.pieces, self.bytes)
    }

    /// The number of the next case; nothing at the end of the chain.
    pub fn next_case(&self) -> Option<CaseNumber> {
        (!self.cases.is_empty()).then_some(self.cases.start)
    }

    fn propose(&self, strategy: &dyn Strategy, rng: &mut Rng) -> Result<Proposal, Outcome> {
        let parents = [Parent { script: &self.script, status: self.status }];
        let made =
            panic::catch_unwind(AssertUnwindSafe(|| strategy.propose(&parents, &self.recipe.kit, rng)));
        match made {
            Ok(proposal) => proposal.map_err(Outcome::Skipped),
            Err(panic) => {
                Err(Outcome::OurBug(format!("{} panicked: {}", strategy.name(), words_of(&*panic))))
            }
        }
    }

    /// Makes a proposal the script that the next step starts from, if it can be read.
    fn accept(&mut self, proposal: Proposal) -> Outcome {
        let change = Change::of(&proposal, &self.script, &self.pieces);
        if let Change::Command(command, piece) | Change::Place(command, piece, _) = &change
            && *piece == self.pieces[*command]
        {
            return Outcome::OurBug(format!("nothing was changed: {}", proposal.step));
        }
        let old = change.swap(&mut self.pieces);
        let outcome = self.judge(proposal, &old);
        if let Outcome::Made(made) = &outcome {
            self.script = made.script.clone();
            self.bytes = made.text.len();
            self.is_read = self.reread == Reread::Yes;
            self.renew(&made.text);
            return outcome;
        }
        old.swap(&mut self.pieces);
        // It may have seen what is in no script.
        self.reader = Reader::default();
        outcome
    }

    /// Reads the script anew if its arena has become large: with the terms of the script, and none of earlier ones.
    fn renew(&mut self, text: &str) {
        if self.script.arena().term_count() <= self.room {
            return;
        }
        // Without the check a text may be one that cannot be read.
        if let Ok(script) = Script::parse(text, self.script.arena().signature()) {
            self.script = script;
            self.reader = Reader::default();
        }
        self.room = self.script.arena().term_count() + LEFT_BEHIND;
    }

    fn judge(&mut self, mut proposal: Proposal, old: &Change) -> Outcome {
        let bytes = self.pieces.iter().map(|piece| piece.len() + 1).sum();
        if bytes > self.recipe.kit.bounds.bytes.max(self.bytes) {
            return Outcome::Skipped(Skip::TooLarge);
        }
        let text = join(&self.pieces, bytes);
        let means = match self.reread {
            Reread::No => Ok(true),
            Reread::Yes => self.means(&mut proposal, &text, old),
        };
        match means {
            Ok(true) => {}
            Ok(false) => {
                return Outcome::OurBug(format!("the text means something else ({})", proposal.step));
            }
            Err(error) => {
                return Outcome::OurBug(format!("{error}: {} ({})", error.excerpt, proposal.step));
            }
        }
        let Proposal { script, promise, step, .. } = proposal;
        Outcome::Made(Made { script, text, promise, step })
    }

    /// Whether the text means the script: by as little of it as can mean something else than before.
    fn means(
        &mut self,
        proposal: &mut Proposal,
        text: &str,
        old: &Change,
    ) -> Result<bool, gainsay_smt::Error> {
        let script = &mut proposal.script;
        if let Change::Command(command, before) | Change::Place(command, before, _) = old
            && self.is_read
        {
            let names = |piece: &str| piece.contains(":named");
            let (a, b) = (&self.script.commands[*command], &script.commands[*command]);
            let piece = &self.pieces[*command];
            if declare_alike(a, b) && !names(before) && !names(piece) {
                return match (&proposal.edit, old) {
                    (Some(edit), Change::Place(_, _, range)) => {
                        self.reader.means_edit(script, &self.pieces, edit, &piece[range.clone()])
                    }
                    _ => self.reader.means(script, &self.pieces, *command),
                };
            }
        }
        // The reader goes by what the commands before a command declare, which may be something else now.
        self.reader = Reader::default();
        Ok(Script::parse(text, script.arena().signature())? == *script)
    }
}

/// Whether two commands of unnamed terms declare the same, and are of the kinds that strategies change.
fn declare_alike(a: &Command, b: &Command) -> bool {
    match (a, b) {
        (Command::Term(Word::Assert, ..), Command::Term(Word::Assert, ..)) => true,
        (Command::Define(word, a), Command::Define(other, b)) => {
            (word, a.name, &a.parameters, a.result) == (other, b.name, &b.parameters, b.result)
        }
        _ => false,
    }
}

impl Iterator for Chain<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let case = self.cases.next()?;
        let mut rng = self.recipe.stream_of(case).rng();
        let strategy = self.recipe.strategies[rng.below(self.recipe.strategies.len())];
        let outcome = match self.propose(strategy, &mut rng) {
            Ok(proposal) => self.accept(proposal),
            Err(outcome) => outcome,
        };
        Some(Step { case, strategy: strategy.name(), outcome })
    }
}

fn join(pieces: &[String], bytes: usize) -> String {
    let mut text = String::with_capacity(bytes);
    for piece in pieces {
        text.push_str(piece);
        text.push('\n');
    }
    text
}

/// Whether a command is `(set-info :status …)`.
fn is_status(script: &Script, command: &Command) -> bool {
    let text = |symbol| script.arena().text(symbol);
    matches!(command, Command::Plain(name, value)
        if text(*name) == "set-info" && text(*value).split_whitespace().next() == Some(":status"))
}

/// What a panic said.
pub fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(ToString::to_string);
    words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no words".to_owned())
}

#[cfg(test)]
mod tests;
