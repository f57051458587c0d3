//! What is asked, in which order: a machine that proposes a candidate, is told the answer, and proposes the next.
//!
//! It is a value that is cheap to copy. A copy that is told what the answer probably is proposes what will probably be
//! asked next, and that is how threads are kept busy; the machine itself is told the true answers only, one by one, so that
//! the result does not depend on them.
//!
//! The changes of a batch are tried from the first to the last, several at a time: half as many after a no, twice as many after a
//! yes. So a long run of changes that all help costs few questions, and so does one of which none does, for each costs one then.
//! Commands are left out by halves, then by quarters, and so on at first: what is asked about gets short soon, and its answers quick.
//! A change that failed alone is not tried again until something next to it is another, or in the last round before the end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gainsay_smt::Script;
use rustc_hash::FxHashMap;

use super::apply::apply;
use super::marks::{hash, marks};
use super::measure::is_smaller;
use super::opening::plain;
use super::taken::Taken;
use super::tidy::tidy;
use super::{COARSE, Change, FINE, LAST, Pass, View, WHOLE};

/// How many changes of terms are first made together.
const FIRST: usize = 4;

/// A script with more bytes than this loses whole commands first: questions about all of it take their time.
const LONG: usize = 4096;

/// Rounds in which everything coarse is tried once more, whatever failed before.
const THOROUGH: u32 = 1;

/// A script that could be asked about.
#[derive(Debug)]
pub struct Proposal {
    /// The script, read again from its text.
    pub script: Script,
    /// Its text.
    pub text: Arc<str>,
    /// The hash of the text.
    pub key: u64,
}

impl Proposal {
    /// Prints a script and reads it again; nothing if it is not well-sorted.
    pub fn of(script: &Script) -> Option<Proposal> {
        let text = script.to_string();
        let script = Script::parse(&text, script.arena().signature()).ok()?;
        Some(Proposal { key: hash(&text), text: text.into(), script })
    }
}

/// The state of a reduction.
#[derive(Clone)]
pub struct Search {
    passes: &'static [&'static dyn Pass],
    /// The smallest script that shows.
    best: Arc<Proposal>,
    ground: Arc<Ground>,
    /// Which batch of the pass.
    batch: usize,
    /// How many changes are made together, from which one, and where those end.
    length: usize,
    at: usize,
    until: usize,
    /// The changes of this pass that were taken.
    taken: Arc<Taken>,
    /// The changes that are proposed, by number in the batch.
    tried: Arc<Vec<usize>>,
    /// Whether this round made anything smaller.
    progress: bool,
    round: usize,
    /// Rounds in which everything was tried.
    thorough: u32,
    /// Whether the last passes are at work, which come once.
    ending: bool,
    /// Changes that failed, and the pass that made them.
    failed: Arc<FxHashMap<u64, usize>>,
    /// Failures of this pass.
    recent: Vec<u64>,
    /// Whether the last answer was yes.
    lucky: bool,
    /// Whether declarations that nothing uses go with what used them.
    tidy: bool,
    /// What is still to be found out before the first pass.
    opening: Opening,
    /// Candidates that were not well-sorted.
    pub unfit: u64,
    /// Answers of each pass: how many, and how many of them yes.
    counts: Vec<(u32, u32)>,
}

/// What is asked before the first pass, or after the first few.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// Whether declarations that nothing uses matter.
    Tidy,
    /// Nothing, until it is seen whether a long script loses whole commands; if it does, such declarations do not matter.
    Later,
    /// Whether the script can be made plain.
    Plain,
    /// Nothing.
    Done,
}

/// What a pass works on.
struct Ground {
    pass: usize,
    script: Script,
    view: View,
    batches: Vec<Vec<Change>>,
    /// What identifies each change by itself and what is next to it.
    marks: Vec<Vec<u64>>,
}

impl Search {
    /// Begins with a script that shows.
    pub fn new(start: Arc<Proposal>, passes: &'static [&'static dyn Pass]) -> Search {
        let ground = Ground {
            pass: 0,
            script: start.script.clone(),
            view: View::of(&start.script),
            batches: Vec::new(),
            marks: Vec::new(),
        };
        let opening = if start.text.len() > LONG { Opening::Later } else { Opening::Tidy };
        let mut search = Search {
            passes,
            best: start,
            ground: Arc::new(ground),
            batch: 0,
            length: 0,
            at: 0,
            until: 0,
            taken: Arc::default(),
            tried: Arc::default(),
            progress: false,
            round: 0,
            thorough: 0,
            ending: false,
            failed: Arc::default(),
            recent: Vec::new(),
            lucky: false,
            tidy: true,
            opening,
            unfit: 0,
            counts: vec![(0, 0); passes.len()],
        };
        search.begin(0);
        search
    }

    /// The smallest script that shows, so far.
    pub fn best(&self) -> &Arc<Proposal> {
        &self.best
    }

    /// The number of the pass at work.
    pub fn pass(&self) -> usize {
        self.ground.pass
    }

    /// What the next answer probably is.
    pub fn expects(&self) -> bool {
        let (asked, taken) = self.counts[self.ground.pass];
        self.lucky && 3 * taken >= asked
    }

    /// The next candidate; nothing when there is nothing left to try.
    pub fn propose(&mut self) -> Option<Arc<Proposal>> {
        loop {
            if let Some(proposal) = self.open() {
                return Some(proposal);
            }
            if self.at >= self.changes().len() {
                if !self.sweep_again() && !self.advance() {
                    return None;
                }
                continue;
            }
            self.gather();
            if self.tried.is_empty() {
                self.at = self.until;
            } else if let Some(proposal) = self.candidate() {
                return Some(proposal);
            } else {
                self.refuse();
            }
        }
    }

    /// What is to be found out beside all passes, if anything is.
    fn open(&mut self) -> Option<Arc<Proposal>> {
        if self.opening == Opening::Tidy {
            if let Some(proposal) = self.candidate() {
                return Some(proposal);
            }
            self.opening = Opening::Plain;
        }
        if self.opening == Opening::Plain {
            let best = Arc::clone(&self.best);
            let made = catch_unwind(AssertUnwindSafe(|| Proposal::of(&plain(&best.script)?)));
            if let Ok(Some(proposal)) = made {
                return Some(Arc::new(proposal));
            }
            self.opening = Opening::Done;
        }
        None
    }

    /// Notes what was found out beside all passes.
    fn opened(&mut self, proposal: &Arc<Proposal>, shows: bool) {
        if shows {
            self.best = Arc::clone(proposal);
        }
        if self.opening == Opening::Tidy {
            self.tidy = shows;
            self.opening = Opening::Plain;
            // What failed without them may help with them.
            Arc::make_mut(&mut self.failed).clear();
            self.recent.clear();
            self.begin(0);
        } else {
            self.opening = Opening::Done;
            if shows {
                // There are more commands to leave out now.
                self.begin(0);
            }
        }
    }

    /// Gathers the next changes that can be made.
    fn gather(&mut self) {
        let mut tried = Vec::new();
        self.until = self.at;
        while tried.len() < self.length && self.until < self.changes().len() {
            if self.is_open(self.until) {
                tried.push(self.until);
            }
            self.until += 1;
        }
        self.tried = Arc::new(tried);
    }

    /// Notes the answer to what was proposed.
    pub fn tell(&mut self, proposal: &Arc<Proposal>, shows: bool) {
        if matches!(self.opening, Opening::Tidy | Opening::Plain) {
            return self.opened(proposal, shows);
        }
        self.counts[self.ground.pass].0 += 1;
        if !shows {
            return self.refuse();
        }
        self.counts[self.ground.pass].1 += 1;
        self.best = Arc::clone(proposal);
        self.progress = true;
        let batch = self.batch;
        let (ground, taken) = (Arc::clone(&self.ground), Arc::make_mut(&mut self.taken));
        self.tried.iter().for_each(|&number| taken.add((batch, number), &ground.batches[batch][number]));
        self.lucky = true;
        if !self.sweeps() {
            self.length = 2 * self.tried.len();
        }
        if matches!(self.changes().first(), Some(Change::Whole(..))) {
            // What came before this one failed already; what is now in its place comes next.
            let tried = *self.tried.first().expect("something was tried");
            self.begin(self.ground.pass);
            self.enter(batch);
            self.at = if self.passes[self.ground.pass].starts_over() { 0 } else { tried };
        } else {
            self.at = self.until;
        }
    }

    fn refuse(&mut self) {
        self.lucky = false;
        match self.tried.as_slice() {
            [only] => {
                self.recent.push(self.ground.marks[self.batch][*only]);
                self.at = self.until;
            }
            _ if self.sweeps() => self.at = self.until,
            several => self.length = several.len().div_ceil(2),
        }
    }

    /// Whether the changes are gone through with groups of one size, then with groups of half that size, and so on.
    fn sweeps(&self) -> bool {
        self.round == 0 && matches!(self.changes().first(), Some(Change::Drop(_)))
    }

    /// Begins with groups of half the size, if it sweeps and the groups are not single changes yet.
    fn sweep_again(&mut self) -> bool {
        if !self.sweeps() || self.length <= 1 {
            return false;
        }
        let open = (0..self.changes().len()).filter(|&number| self.is_open(number)).count();
        self.length = self.length.min(open).div_ceil(2);
        self.at = 0;
        self.lucky = false;
        open > 0
    }

    fn changes(&self) -> &[Change] {
        self.ground.batches.get(self.batch).map_or(&[], Vec::as_slice)
    }

    /// Whether a change was not tried in vain before, and is still possible.
    fn is_open(&self, number: usize) -> bool {
        !self.failed.contains_key(&self.ground.marks[self.batch][number])
            && self.taken.leaves(&self.ground.view, &self.changes()[number])
    }

    /// The script with what was taken and what is tried.
    fn candidate(&mut self) -> Option<Arc<Proposal>> {
        let ground = Arc::clone(&self.ground);
        let taken = self.taken.list.iter().map(|&(batch, number)| &ground.batches[batch][number]);
        let tried = self.tried.iter().map(|&number| &ground.batches[self.batch][number]);
        let make = || {
            let changed = apply(&ground.script, &ground.view, taken.chain(tried))?;
            Some(if self.tidy { tidy(&changed) } else { changed })
        };
        let changed = catch_unwind(AssertUnwindSafe(make)).ok()??;
        let text = changed.to_string();
        if !is_smaller(&text, &self.best.text) {
            return None;
        }
        let Ok(script) = Script::parse(&text, changed.arena().signature()) else {
            self.unfit += 1;
            return None;
        };
        Some(Arc::new(Proposal { key: hash(&text), text: text.into(), script }))
    }

    /// Goes to the next batch, the next pass or the next round; says no at the end of all.
    fn advance(&mut self) -> bool {
        if self.batch + 1 < self.ground.batches.len() {
            self.enter(self.batch + 1);
            return true;
        }
        let next = self.ground.pass + 1;
        let again = next == COARSE && self.progress;
        if next == self.passes.len() {
            return false;
        }
        if self.ending || next < LAST && !again {
            self.begin(next);
            if self.opening == Opening::Later && next >= WHOLE {
                self.opening = if self.progress { Opening::Plain } else { Opening::Tidy };
                // What is asked then is about the script as it is.
                self.tried = Arc::default();
            }
            return true;
        }
        if !self.progress {
            // What failed next to something else may help now: all is tried once more before the end.
            if self.thorough == THOROUGH || self.failed.is_empty() && self.recent.is_empty() {
                self.ending = true;
                self.begin(LAST);
                return true;
            }
            self.thorough += 1;
            Arc::make_mut(&mut self.failed).retain(|_, pass| *pass >= FINE);
            self.recent.clear();
        }
        self.progress = false;
        self.round += 1;
        self.begin(0);
        true
    }

    /// Begins a pass on the smallest script.
    fn begin(&mut self, pass: usize) {
        if !self.recent.is_empty() {
            let pass = self.ground.pass;
            Arc::make_mut(&mut self.failed).extend(self.recent.drain(..).map(|mark| (mark, pass)));
        }
        let mut script = self.best.script.clone();
        let view = View::of(&script);
        // A pass that fails is our bug, and costs what it would have found.
        let changes = AssertUnwindSafe(|| self.passes[pass].changes(&mut script, &view));
        let batches = catch_unwind(changes).unwrap_or_default();
        let marks = marks(pass, &script, &view, &batches);
        self.ground = Arc::new(Ground { pass, script, view, batches, marks });
        self.taken = Arc::default();
        self.enter(0);
    }

    fn enter(&mut self, batch: usize) {
        self.batch = batch;
        self.at = 0;
        self.lucky = false;
        self.length = match self.changes() {
            // Most of a long script has usually nothing to do with it, but something has.
            changes @ [Change::Drop(_), ..] if self.round == 0 && batch == 0 => changes.len().div_ceil(2),
            changes @ [Change::Drop(_), ..] if self.round == 0 => changes.len(),
            [Change::Whole(..), ..] => 1,
            changes if self.round == 0 => FIRST.min(changes.len() / FIRST).max(1),
            _ => 1,
        };
    }
}
