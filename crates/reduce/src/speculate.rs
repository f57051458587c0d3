//! The driver: tests the candidates of the search, with threads that test speculatively.
//!
//! ```text
//! the search          c1 ──no──▶ c2 ──no──▶ c3 …        the expected results
//! tested by threads   c1         c2         c3          at the same time
//! c1 is interesting   c1 ──yes─▶ c2'                    c2 and c3 are cancelled
//! ```
//!
//! Results are remembered by text. The timeout of a test is a small multiple of the time of recent interesting candidates.
//! Tests of candidates that are no longer on the expected path are cancelled at once, which frees their threads.

use std::collections::{VecDeque, hash_map};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use gainsay_smt::Script;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::ALL;
use crate::search::{CandidateSearch, PrintedScript};
use crate::tree_search::{self, PrintedTree, TreeSearch};
use crate::{Candidate, CandidateText, InterestingnessTest, TestOutcome};

/// How to run a reduction.
#[derive(Debug, Clone, Copy)]
pub struct ReductionSettings {
    /// How many candidates are tested at the same time.
    pub jobs: usize,
    /// How long the test of the original script took, if known: candidates get a small multiple of it.
    pub first_test: Option<Duration>,
    /// The timeout of a test, at most.
    pub max_timeout: Duration,
}

/// The progress of a reduction.
#[derive(Debug, Clone, Copy)]
pub struct ReductionProgress<'a> {
    /// The smallest interesting text so far.
    pub text: &'a str,
    /// Tests so far.
    pub checks: u64,
    /// The name of the current pass.
    pub pass: &'static str,
}

/// The result of a reduction.
#[derive(Debug)]
pub struct Reduced {
    /// The smallest interesting script.
    pub script: Script,
    /// Its text.
    pub text: String,
    /// How many candidates were tested.
    pub checks: u64,
    /// How many of these tests timed out.
    pub timeouts: u64,
    /// How many candidates were ill-sorted and therefore not tested.
    pub ill_sorted: u64,
    /// The tests of each pass.
    pub passes: Vec<PassCount>,
    /// Whether everything was tried, or why not.
    pub end: ReductionEnd,
}

/// The result of the reduction of a text, which may be no script.
#[derive(Debug)]
pub struct ReducedText {
    /// The smallest interesting text.
    pub text: String,
    /// How many candidates were tested.
    pub checks: u64,
    /// How many of these tests timed out.
    pub timeouts: u64,
    /// The tests of each pass.
    pub passes: Vec<PassCount>,
    /// Whether everything was tried, or why not.
    pub end: ReductionEnd,
}

impl From<Reduced> for ReducedText {
    fn from(Reduced { text, checks, timeouts, passes, end, .. }: Reduced) -> ReducedText {
        ReducedText { text, checks, timeouts, passes, end }
    }
}

/// How many candidates of a pass were tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassCount {
    /// The name of the pass.
    pub pass: &'static str,
    /// Candidates that were tested.
    pub tested: u32,
    /// Those of them that were interesting.
    pub interesting: u32,
}

/// Why a reduction ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReductionEnd {
    /// There was nothing left to try.
    Done,
    /// The caller asked to stop.
    Stopped,
    /// The interestingness test failed, for this reason.
    TestFailed(String),
}

/// The timeout of a test is the longest time of recent interesting candidates, times this factor,
const TIMEOUT_FACTOR: u32 = 2;
/// plus this margin: processes start slowly on a busy machine.
const TIMEOUT_MARGIN: Duration = Duration::from_millis(80);
/// Interesting candidates that count as recent.
const RECENT_SUCCESSES: usize = 6;
/// How often the driver looks at the stop flag while it waits for a result.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Makes an interesting script smaller, until nothing helps or `stop` is set.
pub fn run(
    start: &Script,
    test: &dyn InterestingnessTest,
    settings: ReductionSettings,
    stop: &AtomicBool,
    listener: &mut dyn FnMut(ReductionProgress<'_>),
) -> Reduced {
    let original = Arc::new(PrintedScript::of(start).expect("a printed script can be parsed"));
    let names = ALL.iter().map(|pass| pass.name()).collect();
    let test = |candidate: &PrintedScript, CandidateText { text, timeout, stop }: &CandidateText<'_>| {
        test.test(&Candidate { script: &candidate.script, text, timeout: *timeout, stop })
    };
    let search = CandidateSearch::new(Arc::clone(&original), ALL);
    let driven = drive(search, names, &test, settings, stop, listener);
    // A preprocessed script that could not be reduced may be longer than the original.
    let best = driven.search.best();
    let best = if best.text.len() > original.text.len() { original } else { Arc::clone(best) };
    Reduced {
        script: best.script.clone(),
        text: best.text.to_string(),
        checks: driven.checks,
        timeouts: driven.timeouts,
        ill_sorted: driven.search.ill_sorted,
        passes: driven.passes,
        end: driven.end,
    }
}

/// Makes an interesting text smaller that need not be a script: its lists and words are dropped and replaced without a
/// regard to sorts.
pub fn run_on_text(
    start: &str,
    test: &(dyn Fn(&CandidateText<'_>) -> TestOutcome + Sync),
    settings: ReductionSettings,
    stop: &AtomicBool,
    listener: &mut dyn FnMut(ReductionProgress<'_>),
) -> ReducedText {
    let names = tree_search::ALL.iter().map(|pass| pass.name()).collect();
    let test = |_: &PrintedTree, text: &CandidateText<'_>| test(text);
    let driven = drive(TreeSearch::new(start), names, &test, settings, stop, listener);
    ReducedText {
        text: driven.search.best_text().to_owned(),
        checks: driven.checks,
        timeouts: driven.timeouts,
        passes: driven.passes,
        end: driven.end,
    }
}

/// Runs a search with the threads that test its candidates.
fn drive<S: Search>(
    search: S,
    names: Vec<&'static str>,
    test: &ItemTest<'_, S::Item>,
    settings: ReductionSettings,
    stop: &AtomicBool,
    listener: &mut dyn FnMut(ReductionProgress<'_>),
) -> DrivenSearch<S> {
    let queue = &TestQueue::default();
    let (sender, reports) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1) {
            let sender = sender.clone();
            scope.spawn(move || queue.work(test, &sender));
        }
        let mut driver = SpeculativeDriver {
            queue,
            reports,
            settings,
            search,
            path: VecDeque::new(),
            outcomes: FxHashMap::default(),
            pending: FxHashMap::default(),
            recent_times: settings.first_test.into_iter().collect(),
            counted: FxHashSet::default(),
            passes: names.into_iter().map(|pass| PassCount { pass, tested: 0, interesting: 0 }).collect(),
            checks: 0,
            timeouts: 0,
        };
        let end = driver.drive(stop, listener);
        queue.close();
        let SpeculativeDriver { search, checks, timeouts, passes, .. } = driver;
        DrivenSearch { search, checks, timeouts, passes, end }
    })
}

/// A state machine that proposes candidates and is told the results of their tests, one by one.
pub(crate) trait Search: Clone {
    /// A candidate.
    type Item: Proposed;
    /// The next candidate; `None` at the end of the reduction.
    fn propose(&mut self) -> Option<Arc<Self::Item>>;
    /// Records the result of the test of a proposed candidate.
    fn tell(&mut self, item: &Arc<Self::Item>, is_interesting: bool);
    /// Returns true if the next candidate is probably interesting.
    fn expects_interesting(&self) -> bool;
    /// The position of the current pass in the list of passes.
    fn pass_number(&self) -> usize;
    /// The smallest interesting text so far.
    fn best_text(&self) -> &str;
}

/// A candidate as the driver sees it.
pub(crate) trait Proposed: Send + Sync {
    /// Its text.
    fn text(&self) -> &str;
    /// The hash of its text.
    fn key(&self) -> u64;
}

/// The test of a candidate and its text.
type ItemTest<'a, Item> = dyn Fn(&Item, &CandidateText<'_>) -> TestOutcome + Sync + 'a;

/// A search that has ended, and what it took.
struct DrivenSearch<S> {
    search: S,
    checks: u64,
    timeouts: u64,
    passes: Vec<PassCount>,
    end: ReductionEnd,
}

/// The text that a reduction of a script tests first; `None` if it tests nothing.
pub fn first_candidate(start: &Script) -> Option<Arc<str>> {
    let mut search = CandidateSearch::new(Arc::new(PrintedScript::of(start)?), ALL);
    search.propose().map(|candidate| Arc::clone(&candidate.text))
}

struct SpeculativeDriver<'a, S: Search> {
    queue: &'a TestQueue<S::Item>,
    reports: mpsc::Receiver<TestReport>,
    settings: ReductionSettings,
    search: S,
    /// The candidate that is tested now, then those that will probably be: each with the search before its result.
    path: VecDeque<(S, Arc<S::Item>)>,
    outcomes: FxHashMap<u64, TestOutcome>,
    pending: FxHashMap<u64, Arc<AtomicBool>>,
    /// How long recent interesting candidates took, the newest first.
    recent_times: VecDeque<Duration>,
    /// Candidates that are in the counts of passes.
    counted: FxHashSet<u64>,
    passes: Vec<PassCount>,
    checks: u64,
    timeouts: u64,
}

struct TestReport {
    key: u64,
    stop: Arc<AtomicBool>,
    outcome: TestOutcome,
    took: Duration,
}

impl<S: Search> SpeculativeDriver<'_, S> {
    fn drive(&mut self, stop: &AtomicBool, listener: &mut dyn FnMut(ReductionProgress<'_>)) -> ReductionEnd {
        loop {
            self.look_ahead();
            let Some((_, candidate)) = self.path.front() else { return ReductionEnd::Done };
            let key = candidate.key();
            while !self.outcomes.contains_key(&key) {
                if stop.load(Ordering::Relaxed) {
                    self.pending.values().for_each(|stop| stop.store(true, Ordering::Relaxed));
                    return ReductionEnd::Stopped;
                }
                match self.reports.recv_timeout(STOP_POLL_INTERVAL) {
                    Ok(report) => {
                        self.note(report);
                        // The first test on the path may take long: the other threads go on.
                        self.look_ahead();
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        return ReductionEnd::TestFailed("no thread is left".to_owned());
                    }
                }
            }
            if let TestOutcome::Failed(why) = &self.outcomes[&key] {
                return ReductionEnd::TestFailed(why.clone());
            }
            self.tell_search(key);
            listener(ReductionProgress {
                text: self.search.best_text(),
                checks: self.checks,
                pass: self.passes[self.search.pass_number()].pass,
            });
        }
    }

    /// Tells the search the result of the first candidate on the path.
    fn tell_search(&mut self, key: u64) {
        let is_interesting = self.outcomes[&key] == TestOutcome::Interesting;
        let (mut search, candidate) = self.path.pop_front().expect("a candidate was tested");
        if is_interesting != search.expects_interesting() {
            self.path.clear();
        }
        if self.counted.insert(key) {
            let count = &mut self.passes[search.pass_number()];
            count.tested += 1;
            count.interesting += u32::from(is_interesting);
        }
        search.tell(&candidate, is_interesting);
        self.search = search;
    }

    /// Extends the path with probable candidates until every thread has a test to run.
    fn look_ahead(&mut self) {
        let is_open = |candidate: &S::Item| !self.outcomes.contains_key(&candidate.key());
        let mut open = self.path.iter().filter(|(_, candidate)| is_open(candidate)).count();
        while open < self.settings.jobs.max(1) {
            let mut next = match self.path.back() {
                None => self.search.clone(),
                Some((before, candidate)) => {
                    let mut search = before.clone();
                    let expected = match self.outcomes.get(&candidate.key()) {
                        Some(outcome) => *outcome == TestOutcome::Interesting,
                        None => before.expects_interesting(),
                    };
                    search.tell(candidate, expected);
                    search
                }
            };
            let Some(candidate) = next.propose() else {
                if self.path.is_empty() {
                    self.search = next;
                }
                break;
            };
            if !self.outcomes.contains_key(&candidate.key()) {
                open += 1;
                self.start_test(&candidate);
            }
            self.path.push_back((next, candidate));
        }
        self.cancel_unneeded();
    }

    fn start_test(&mut self, candidate: &Arc<S::Item>) {
        let hash_map::Entry::Vacant(entry) = self.pending.entry(candidate.key()) else { return };
        let stop = Arc::new(AtomicBool::new(false));
        entry.insert(Arc::clone(&stop));
        let longest = self.recent_times.iter().max();
        let timeout =
            longest.map(|&time| (time * TIMEOUT_FACTOR + TIMEOUT_MARGIN).min(self.settings.max_timeout));
        self.queue.push(TestJob { candidate: Arc::clone(candidate), stop, timeout });
    }

    /// Cancels the tests of candidates that are no longer on the path.
    fn cancel_unneeded(&mut self) {
        let path = &self.path;
        self.pending.retain(|key, stop| {
            let is_needed = path.iter().any(|(_, candidate)| candidate.key() == *key);
            if !is_needed {
                stop.store(true, Ordering::Relaxed);
            }
            is_needed
        });
    }

    fn note(&mut self, report: TestReport) {
        let is_needed = !report.stop.load(Ordering::Relaxed);
        if is_needed {
            self.pending.remove(&report.key);
            self.checks += 1;
            self.timeouts += u64::from(report.outcome == TestOutcome::TimedOut);
        }
        if report.outcome == TestOutcome::Interesting {
            self.recent_times.truncate(RECENT_SUCCESSES - 1);
            self.recent_times.push_front(report.took);
        }
        // The result of a cancelled test may be wrong, unless the candidate was interesting.
        if is_needed || report.outcome == TestOutcome::Interesting {
            self.outcomes.insert(report.key, report.outcome);
        }
    }
}

struct TestJob<Item> {
    candidate: Arc<Item>,
    stop: Arc<AtomicBool>,
    timeout: Option<Duration>,
}

/// The tests that threads are to run.
struct TestQueue<Item> {
    state: Mutex<TestQueueState<Item>>,
    changed: Condvar,
}

struct TestQueueState<Item> {
    jobs: VecDeque<TestJob<Item>>,
    is_closed: bool,
}

impl<Item> Default for TestQueue<Item> {
    fn default() -> Self {
        let state = TestQueueState { jobs: VecDeque::new(), is_closed: false };
        TestQueue { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl<Item: Proposed> TestQueue<Item> {
    fn lock(&self) -> MutexGuard<'_, TestQueueState<Item>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, job: TestJob<Item>) {
        self.lock().jobs.push_back(job);
        self.changed.notify_one();
    }

    fn close(&self) {
        let mut state = self.lock();
        state.jobs.clear();
        state.is_closed = true;
        self.changed.notify_all();
    }

    /// Waits for a job; `None` once the queue is closed.
    fn pop(&self) -> Option<TestJob<Item>> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self, test: &ItemTest<'_, Item>, sender: &mpsc::Sender<TestReport>) {
        while let Some(TestJob { candidate, stop, timeout }) = self.pop() {
            let begin = Instant::now();
            let text = CandidateText { text: candidate.text(), timeout, stop: &stop };
            let outcome = catch_unwind(AssertUnwindSafe(|| test(&candidate, &text)));
            // The driver waits for a report even if the test panics.
            let outcome = outcome.unwrap_or_else(|_| {
                TestOutcome::Failed("the interestingness test failed; this is a bug of gainsay".to_owned())
            });
            let report = TestReport { key: candidate.key(), stop, outcome, took: begin.elapsed() };
            if sender.send(report).is_err() {
                return;
            }
        }
    }
}
