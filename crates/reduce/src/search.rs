//! Which candidates are tested, and in which order: a state machine that proposes a candidate, is told the result of its test,
//! and proposes the next.
//!
//! It is a value that is cheap to clone. A clone that is told the expected result proposes the next probable candidate;
//! that keeps threads busy. The machine itself is told only true results, one by one, so the outcome does not depend on threads.
//!
//! The changes of a batch are tried from first to last, in groups: half as many after a failure, twice as many after a success.
//! So a long run of changes that all succeed needs few tests, and one of changes that all fail needs one test each. In the first
//! round, commands are dropped by halves, then quarters, and so on: candidates soon become short and their tests fast.
//! A change that failed alone is not tried again until something next to it changes, or in the final retry.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gainsay_smt::Script;
use rustc_hash::FxHashMap;

use crate::accepted::AcceptedChanges;
use crate::apply::apply_changes;
use crate::change::ScriptChange;
use crate::change_key::{change_keys, hash};
use crate::pass::{Pass, Phase};
use crate::preprocess::preprocess;
use crate::script_view::ScriptView;
use crate::size_order::is_smaller;
use crate::speculate::{Proposed, Search};
use crate::unused_declarations::drop_unused_declarations;

/// How many changes of terms are made together at first.
const INITIAL_GROUP_SIZE: usize = 4;

/// A script longer than this first loses whole commands: tests of all of it are slow.
const LONG_SCRIPT_BYTES: usize = 4096;

/// Rounds in which all passes retry everything that failed.
const MAX_RETRY_ROUNDS: u32 = 1;

/// A script that was printed and parsed again, so that it is known to be well-sorted.
#[derive(Debug)]
pub struct PrintedScript {
    /// The parsed script.
    pub script: Script,
    /// Its text.
    pub text: Arc<str>,
    /// The hash of the text.
    pub key: u64,
}

impl PrintedScript {
    /// Prints a script and parses it again; `None` if it is ill-sorted.
    pub fn of(script: &Script) -> Option<PrintedScript> {
        let text = script.to_string();
        let script = Script::parse(&text, script.arena().signature()).ok()?;
        Some(PrintedScript { key: hash(&text), text: text.into(), script })
    }
}

/// The state of a reduction.
#[derive(Clone)]
pub struct CandidateSearch {
    passes: &'static [&'static dyn Pass],
    /// The smallest interesting script so far.
    best: Arc<PrintedScript>,
    current: Arc<CurrentPass>,
    /// The current batch of the pass.
    batch: usize,
    /// How many changes are tried together.
    group_size: usize,
    /// The first change that was not tried yet, and the end of the group that is being tried.
    next_change: usize,
    group_end: usize,
    /// The changes of this pass that succeeded.
    accepted: Arc<AcceptedChanges>,
    /// The changes that are being tried, by their positions in the batch.
    group: Arc<Vec<usize>>,
    /// Whether this round made anything smaller.
    has_progressed: bool,
    round: usize,
    /// Rounds in which everything was retried.
    retry_rounds: u32,
    /// Whether the passes of the last phase are running.
    is_restyling: bool,
    /// Keys of changes that failed, with the phase of their pass.
    failed: Arc<FxHashMap<u64, Phase>>,
    /// Keys of changes of this pass that failed.
    recently_failed: Vec<u64>,
    /// Whether the last candidate was interesting.
    last_was_interesting: bool,
    /// Whether changes drop the declarations that they leave unused.
    drops_unused: bool,
    preliminary: Preliminary,
    /// Candidates that were ill-sorted.
    pub ill_sorted: u64,
    /// For each pass, its tested and its interesting candidates.
    counts: Vec<(u32, u32)>,
}

/// The preliminary test: before the first pass, or after the first passes of a long script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preliminary {
    /// Whether the script without unused declarations is interesting.
    DropUnused,
    /// Nothing until a long script has lost whole commands; if it has, unused declarations do not matter.
    AfterCommands,
    /// Whether the preprocessed script is interesting.
    Preprocess,
    /// Nothing.
    Done,
}

/// A pass and its changes of the best script.
struct CurrentPass {
    number: usize,
    script: Script,
    view: ScriptView,
    batches: Vec<Vec<ScriptChange>>,
    /// The key of each change.
    keys: Vec<Vec<u64>>,
}

impl Proposed for PrintedScript {
    fn text(&self) -> &str {
        &self.text
    }

    fn key(&self) -> u64 {
        self.key
    }
}

impl Search for CandidateSearch {
    type Item = PrintedScript;

    fn propose(&mut self) -> Option<Arc<PrintedScript>> {
        loop {
            if let Some(candidate) = self.propose_preliminary() {
                return Some(candidate);
            }
            if self.next_change >= self.changes().len() {
                if !self.sweep_again() && !self.advance() {
                    return None;
                }
                continue;
            }
            self.gather_group();
            if self.group.is_empty() {
                self.next_change = self.group_end;
            } else if let Some(candidate) = self.candidate() {
                return Some(candidate);
            } else {
                self.reject();
            }
        }
    }

    fn tell(&mut self, candidate: &Arc<PrintedScript>, is_interesting: bool) {
        if matches!(self.preliminary, Preliminary::DropUnused | Preliminary::Preprocess) {
            return self.tell_preliminary(candidate, is_interesting);
        }
        self.counts[self.current.number].0 += 1;
        if !is_interesting {
            return self.reject();
        }
        self.counts[self.current.number].1 += 1;
        self.best = Arc::clone(candidate);
        self.has_progressed = true;
        let batch = self.batch;
        let (current, accepted) = (Arc::clone(&self.current), Arc::make_mut(&mut self.accepted));
        self.group.iter().for_each(|&number| accepted.add((batch, number), &current.batches[batch][number]));
        self.last_was_interesting = true;
        if !self.is_sweeping() {
            self.group_size = 2 * self.group.len();
        }
        if matches!(self.changes().first(), Some(ScriptChange::RewriteScript(..))) {
            // Earlier changes failed already; the list is made again, and this position in it comes next.
            let position = *self.group.first().expect("a candidate has at least one change");
            self.begin_pass(self.current.number);
            self.enter_batch(batch);
            let starts_over = self.passes[self.current.number].starts_over();
            self.next_change = if starts_over { 0 } else { position };
        } else {
            self.next_change = self.group_end;
        }
    }

    fn expects_interesting(&self) -> bool {
        let (tested, interesting) = self.counts[self.current.number];
        self.last_was_interesting && 3 * interesting >= tested
    }

    fn pass_number(&self) -> usize {
        self.current.number
    }

    fn best_text(&self) -> &str {
        &self.best().text
    }
}

impl CandidateSearch {
    /// Begins with an interesting script.
    pub fn new(start: Arc<PrintedScript>, passes: &'static [&'static dyn Pass]) -> CandidateSearch {
        let current = CurrentPass {
            number: 0,
            script: start.script.clone(),
            view: ScriptView::of(&start.script),
            batches: Vec::new(),
            keys: Vec::new(),
        };
        let is_long = start.text.len() > LONG_SCRIPT_BYTES;
        let mut search = CandidateSearch {
            passes,
            best: start,
            current: Arc::new(current),
            batch: 0,
            group_size: 0,
            next_change: 0,
            group_end: 0,
            accepted: Arc::default(),
            group: Arc::default(),
            has_progressed: false,
            round: 0,
            retry_rounds: 0,
            is_restyling: false,
            failed: Arc::default(),
            recently_failed: Vec::new(),
            last_was_interesting: false,
            drops_unused: true,
            preliminary: if is_long { Preliminary::AfterCommands } else { Preliminary::DropUnused },
            ill_sorted: 0,
            counts: vec![(0, 0); passes.len()],
        };
        search.begin_pass(0);
        search
    }

    /// The smallest interesting script so far.
    pub fn best(&self) -> &Arc<PrintedScript> {
        &self.best
    }

    fn propose_preliminary(&mut self) -> Option<Arc<PrintedScript>> {
        if self.preliminary == Preliminary::DropUnused {
            if let Some(candidate) = self.candidate() {
                return Some(candidate);
            }
            self.preliminary = Preliminary::Preprocess;
        }
        if self.preliminary == Preliminary::Preprocess {
            let best = Arc::clone(&self.best);
            let made = catch_unwind(AssertUnwindSafe(|| PrintedScript::of(&preprocess(&best.script)?)));
            if let Ok(Some(candidate)) = made {
                return Some(Arc::new(candidate));
            }
            self.preliminary = Preliminary::Done;
        }
        None
    }

    fn tell_preliminary(&mut self, candidate: &Arc<PrintedScript>, is_interesting: bool) {
        if is_interesting {
            self.best = Arc::clone(candidate);
        }
        if self.preliminary == Preliminary::DropUnused {
            self.drops_unused = is_interesting;
            self.preliminary = Preliminary::Preprocess;
            // Changes that failed without the unused declarations may succeed with them.
            Arc::make_mut(&mut self.failed).clear();
            self.recently_failed.clear();
            self.begin_pass(0);
        } else {
            self.preliminary = Preliminary::Done;
            if is_interesting {
                // There are more commands to drop now.
                self.begin_pass(0);
            }
        }
    }

    /// Selects the next group of changes.
    fn gather_group(&mut self) {
        let mut group = Vec::new();
        self.group_end = self.next_change;
        while group.len() < self.group_size && self.group_end < self.changes().len() {
            if self.is_open(self.group_end) {
                group.push(self.group_end);
            }
            self.group_end += 1;
        }
        self.group = Arc::new(group);
    }

    fn reject(&mut self) {
        self.last_was_interesting = false;
        match self.group.as_slice() {
            [only] => {
                self.recently_failed.push(self.current.keys[self.batch][*only]);
                self.next_change = self.group_end;
            }
            _ if self.is_sweeping() => self.next_change = self.group_end,
            several => self.group_size = several.len().div_ceil(2),
        }
    }

    /// Whether the batch is tried in groups of one size, then again in groups of half that size, and so on.
    fn is_sweeping(&self) -> bool {
        self.round == 0 && matches!(self.changes().first(), Some(ScriptChange::DropCommand(_)))
    }

    /// Starts the batch again with groups of half the size; returns false if it is not sweeping or the groups are single changes.
    fn sweep_again(&mut self) -> bool {
        if !self.is_sweeping() || self.group_size <= 1 {
            return false;
        }
        let open = (0..self.changes().len()).filter(|&number| self.is_open(number)).count();
        self.group_size = self.group_size.min(open).div_ceil(2);
        self.next_change = 0;
        self.last_was_interesting = false;
        open > 0
    }

    fn changes(&self) -> &[ScriptChange] {
        self.current.batches.get(self.batch).map_or(&[], Vec::as_slice)
    }

    /// Whether a change has not failed before and is still possible.
    fn is_open(&self, number: usize) -> bool {
        !self.failed.contains_key(&self.current.keys[self.batch][number])
            && self.accepted.leaves(&self.current.view, &self.changes()[number])
    }

    /// The script with the accepted changes and the group that is being tried.
    fn candidate(&mut self) -> Option<Arc<PrintedScript>> {
        let current = Arc::clone(&self.current);
        let accepted = self.accepted.list.iter().map(|&(batch, number)| &current.batches[batch][number]);
        let group = self.group.iter().map(|&number| &current.batches[self.batch][number]);
        let make = || {
            let changed = apply_changes(&current.script, &current.view, accepted.chain(group))?;
            Some(if self.drops_unused { drop_unused_declarations(&changed) } else { changed })
        };
        let changed = catch_unwind(AssertUnwindSafe(make)).ok()??;
        let text = changed.to_string();
        if !is_smaller(&text, &self.best.text) {
            return None;
        }
        let Ok(script) = Script::parse(&text, changed.arena().signature()) else {
            self.ill_sorted += 1;
            return None;
        };
        Some(Arc::new(PrintedScript { key: hash(&text), text: text.into(), script }))
    }

    /// Goes to the next batch, pass or round; returns false at the end of the reduction.
    fn advance(&mut self) -> bool {
        if self.batch + 1 < self.current.batches.len() {
            self.enter_batch(self.batch + 1);
            return true;
        }
        let next = self.current.number + 1;
        let Some(phase) = self.passes.get(next).map(|pass| pass.phase()) else { return false };
        let coarse_passes_end = self.passes[next - 1].phase() <= Phase::Coarse && phase > Phase::Coarse;
        let repeats = phase == Phase::Restyle || coarse_passes_end && self.has_progressed;
        if self.is_restyling || !repeats {
            self.begin_pass(next);
            if self.preliminary == Preliminary::AfterCommands && phase > Phase::Commands {
                self.preliminary =
                    if self.has_progressed { Preliminary::Preprocess } else { Preliminary::DropUnused };
                // The preliminary candidates contain no change of the pass.
                self.group = Arc::default();
            }
            return true;
        }
        self.begin_round();
        true
    }

    /// Begins with the first pass again; after a round without progress retries failed changes, and then goes to the last phase.
    fn begin_round(&mut self) {
        if !self.has_progressed {
            // Changes that failed next to something else may succeed now: all are retried once before the end.
            let has_failed = !self.failed.is_empty() || !self.recently_failed.is_empty();
            if self.retry_rounds == MAX_RETRY_ROUNDS || !has_failed {
                self.is_restyling = true;
                let first = self.passes.iter().position(|pass| pass.phase() == Phase::Restyle);
                return self.begin_pass(first.expect("the next pass restyles"));
            }
            self.retry_rounds += 1;
            Arc::make_mut(&mut self.failed).clear();
            self.recently_failed.clear();
        }
        self.has_progressed = false;
        self.round += 1;
        self.begin_pass(0);
    }

    /// Begins a pass on the best script.
    fn begin_pass(&mut self, number: usize) {
        if !self.recently_failed.is_empty() {
            let phase = self.passes[self.current.number].phase();
            Arc::make_mut(&mut self.failed).extend(self.recently_failed.drain(..).map(|key| (key, phase)));
        }
        let pass = self.passes[number];
        let mut script = self.best.script.clone();
        let view = ScriptView::of(&script);
        // A panic in a pass is a bug of gainsay; it costs the changes of that pass only.
        let batches = catch_unwind(AssertUnwindSafe(|| pass.changes(&mut script, &view))).unwrap_or_default();
        let keys = change_keys(pass, &script, &view, &batches);
        self.current = Arc::new(CurrentPass { number, script, view, batches, keys });
        self.accepted = Arc::default();
        self.enter_batch(0);
    }

    fn enter_batch(&mut self, batch: usize) {
        self.batch = batch;
        self.next_change = 0;
        self.last_was_interesting = false;
        self.group_size = match self.changes() {
            // Most assertions of a long script are usually irrelevant, but not all.
            changes @ [ScriptChange::DropCommand(_), ..] if self.round == 0 && batch == 0 => {
                changes.len().div_ceil(2)
            }
            changes @ [ScriptChange::DropCommand(_), ..] if self.round == 0 => changes.len(),
            [ScriptChange::RewriteScript(..), ..] => 1,
            changes if self.round == 0 => INITIAL_GROUP_SIZE.min(changes.len() / INITIAL_GROUP_SIZE).max(1),
            _ => 1,
        };
    }
}
