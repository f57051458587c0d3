//! Chains: which script a case is.
//!
//! A case is a function of the campaign's seed number, its own number and the seeds. Case n is step n % length of chain
//! n / length. A chain begins with a seed: all seeds are visited in rounds, each in an order of its own. A step mutates
//! what the step before it made, by a strategy and choices that are drawn from the stream of the case. A step that cannot be
//! made leaves the script as it was. Nothing that solvers do changes any of this, so that campaigns, `mutate` and `replay`
//! make the same bytes, at any number of jobs.

use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};

use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Reader, Script, Word};

use crate::event::CaseNumber;
use crate::oracle::Promise;
use crate::random::{Rng, Stream};
use crate::solver::run::Answer;
use crate::strategy::{Kit, Parent, Proposal, Skip, Strategy};

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
        Chain { recipe, cases, reread, script, status, pieces, bytes, reader, is_read: false }
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
            return outcome;
        }
        old.swap(&mut self.pieces);
        // It may have seen what is in no script.
        self.reader = Reader::default();
        outcome
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

/// Other texts for the pieces of a script.
enum Change {
    /// For one command, of which only the bytes in the range are new (or were, if this is what was before).
    Place(usize, String, Range<usize>),
    /// For one command.
    Command(usize, String),
    /// For all.
    All(Vec<String>),
}

impl Change {
    /// What a proposal changes in the pieces of a script.
    fn of(proposal: &Proposal, before: &Script, pieces: &[String]) -> Change {
        let (arena, commands) = (proposal.script.arena(), &proposal.script.commands);
        let Some(edit) = &proposal.edit else {
            return Change::All(commands.iter().map(|command| command_text(arena, command)).collect());
        };
        let number = edit.command;
        match edit.text(arena, &before.commands[number], &pieces[number]) {
            Some((text, range)) => Change::Place(number, text, range),
            None => Change::Command(number, command_text(arena, &commands[number])),
        }
    }

    /// Changes the pieces; gives what takes the change back.
    fn swap(self, pieces: &mut Vec<String>) -> Change {
        match self {
            Change::Place(number, text, range) => {
                Change::Place(number, std::mem::replace(&mut pieces[number], text), range)
            }
            Change::Command(number, text) => {
                Change::Command(number, std::mem::replace(&mut pieces[number], text))
            }
            Change::All(texts) => Change::All(std::mem::replace(pieces, texts)),
        }
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
mod tests {
    use super::*;
    use crate::strategy::operators::Operators;
    use crate::strategy::{self, Bounds};
    use gainsay_smt::Signature;

    const SEED: &str = "(set-info :status sat)(declare-const x Int)(declare-const y Int)\
                        (assert (< x (+ y 1)))(assert (or (= x 0) (> y 3)))(check-sat)";

    fn recipe(length: u64) -> Recipe {
        let operators = Operators::standard(&Signature::standard());
        let kit = Kit { bounds: Bounds { bytes: 1000, depth: 30 }, operators };
        Recipe::new(7, length, strategy::ALL.to_vec(), kit)
    }

    fn texts(chain: Chain<'_>) -> Vec<String> {
        chain
            .map(|step| match step.outcome {
                Outcome::Made(made) => made.text,
                Outcome::Skipped(skip) => skip.name().to_owned(),
                Outcome::OurBug(bug) => panic!("{bug}"),
            })
            .collect()
    }

    #[test]
    fn a_chain_is_known_by_its_number_and_is_made_again_alike() {
        let (recipe, seed) = (recipe(20), Script::parse(SEED, &Signature::standard()).unwrap());
        let chain = |number, reread| texts(Chain::new(&recipe, number, &seed, None, reread));
        let first = chain(3, Reread::Yes);
        assert_eq!(first, chain(3, Reread::Yes));
        assert_eq!(first, chain(3, Reread::No), "reading again changes nothing");
        assert_ne!(first, chain(4, Reread::Yes));
        assert_eq!(first.len(), 20);
    }

    #[test]
    fn a_step_changes_what_the_step_before_made() {
        let (recipe, seed) = (recipe(30), Script::parse(SEED, &Signature::standard()).unwrap());
        let mut chain = Chain::new(&recipe, 0, &seed, None, Reread::Yes);
        assert!(!chain.text().contains(":status"), "the status of the seed is not that of its mutants");
        let mut before = chain.text();
        while let Some(step) = chain.next() {
            let Outcome::Made(made) = step.outcome else { continue };
            let changed = before.lines().zip(made.text.lines()).filter(|(a, b)| a != b).count();
            assert_eq!(changed, 1, "{before}{}", made.text);
            assert_eq!(
                (made.text.as_str(), made.script.to_string()),
                (chain.text().as_str(), made.text.clone())
            );
            assert!(made.text.len() <= 1000, "{} bytes", made.text.len());
            before = made.text;
        }
    }

    /// Puts `new` in the place of the first child of an assertion, as if it were well-sorted.
    #[derive(Debug)]
    struct Careless(&'static str);

    impl Strategy for Careless {
        fn name(&self) -> &'static str {
            "careless"
        }

        fn about(&self) -> &'static str {
            "gets it wrong"
        }

        fn propose(&self, parents: &[Parent<'_>], _: &Kit, rng: &mut Rng) -> Result<Proposal, Skip> {
            let mut script = parents[0].script.clone();
            let command = 2 + rng.below(2);
            let root = script.commands[command].term(0);
            let Some(&old) = script.arena().children(root).first() else { return Err(Skip::NothingToDo) };
            let (name, sort) = (script.arena_mut().symbol(self.0), script.arena().sort_of(old));
            let new = script.arena_mut().application(gainsay_smt::Head::plain(name), &[], sort);
            let edit = gainsay_smt::Edit { command, position: 0, path: vec![(root, 0)], old, new };
            edit.make(&mut script);
            Ok(Proposal { script, promise: Promise::Nothing, step: self.0.to_owned(), edit: Some(edit) })
        }
    }

    #[test]
    fn a_proposal_that_is_ill_sorted_or_out_of_scope_is_caught_at_any_step() {
        let seed = Script::parse(SEED, &Signature::standard()).unwrap();
        let [wrong, unknown, right]: [&'static dyn Strategy; 3] =
            [&Careless("re.none"), &Careless("z"), strategy::ALL[0]];
        let kit = || recipe(1).kit;
        for (careless, words) in [(wrong, "something else"), (unknown, "unknown function or constant z")] {
            let recipe = Recipe::new(1, 60, vec![careless, right], kit());
            let mut caught = 0;
            let mut chain = Chain::new(&recipe, 0, &seed, None, Reread::Yes);
            while let Some(step) = chain.next() {
                match step.outcome {
                    Outcome::OurBug(bug) => {
                        assert!(bug.contains(words) || bug.contains("expected"), "{bug}");
                        caught += 1;
                    }
                    Outcome::Made(_) => assert_eq!(step.strategy, "generative", "{}", chain.text()),
                    Outcome::Skipped(_) => {}
                }
                let again = Script::parse(&chain.text(), &Signature::standard()).unwrap();
                assert!(again == *chain.script(), "{}", chain.text());
            }
            assert!(caught > 10, "{caught}");
        }
    }

    #[test]
    fn a_round_visits_every_seed_once_and_no_round_is_like_another() {
        let recipe = recipe(10);
        let mut visits = recipe.visits(50);
        let mut round = |number: u64| (0..50).map(|n| visits.seed_of(number * 50 + n)).collect::<Vec<_>>();
        let (first, second) = (round(0), round(1));
        assert_ne!(first, second);
        assert_eq!(first, round(0));
        for mut round in [first, second] {
            round.sort_unstable();
            assert_eq!(round, (0..50).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_case_knows_its_chain() {
        let recipe = recipe(10);
        assert_eq!((recipe.place_of(37), recipe.cases_of(3)), ((3, 7), 30..40));
    }
}
