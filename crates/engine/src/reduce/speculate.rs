//! The driver: asks what the search proposes, with threads that answer ahead of it.
//!
//! ```text
//! the search        q1 ──no──▶ q2 ──no──▶ q3 …        what is expected
//! asked by threads  q1         q2         q3          at the same time
//! q1 is yes         q1 ──yes─▶ q2'                     q2, q3 are no longer wanted
//! ```
//!
//! Answers are remembered by text. An answer is waited for a small multiple of what the last yeses took. What is on no path any
//! more is ended at once, so that its thread is free for what is.

use std::collections::{VecDeque, hash_map};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use gainsay_smt::Script;
use rustc_hash::{FxHashMap, FxHashSet};

use super::search::{Proposal, Search};
use super::{ALL, Candidate, Question, Reply};

/// How a reduction is run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How many candidates are asked about at the same time.
    pub jobs: usize,
    /// How long the first answer took, if that is known: candidates get a small multiple of it.
    pub first: Option<Duration>,
    /// How long an answer is waited for at most.
    pub longest: Duration,
}

/// How far a reduction is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The smallest text so far.
    pub text: &'a str,
    /// Answers so far.
    pub checks: u64,
    /// The pass at work.
    pub pass: &'static str,
}

/// What came of a reduction.
#[derive(Debug)]
pub struct Reduced {
    /// The smallest script that shows.
    pub script: Script,
    /// Its text.
    pub text: String,
    /// How many candidates were asked about.
    pub checks: u64,
    /// How many of them could not be answered in time.
    pub slow: u64,
    /// How many candidates were not well-sorted and so not asked about.
    pub unfit: u64,
    /// For each pass, how many candidates were asked about and how many of them were taken.
    pub passes: Vec<(&'static str, u32, u32)>,
    /// Whether everything was tried, or why not.
    pub end: End,
}

/// Why a reduction ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// There was nothing left to try.
    Done,
    /// Somebody asked to stop.
    Stopped,
    /// The question cannot be answered any more.
    Broken(String),
}

/// What an answer may take, in terms of what the last few yeses took at most,
const PATIENCE: u32 = 2;
/// and beside it: processes start slowly on a busy machine.
const EXTRA: Duration = Duration::from_millis(80);
/// So many yeses are looked at for that.
const RECENT: usize = 6;

/// Makes a script that shows smaller, until nothing helps or `stop` is set.
pub fn run(
    start: &Script,
    question: &dyn Question,
    settings: Settings,
    stop: &AtomicBool,
    listener: &mut dyn FnMut(Progress<'_>),
) -> Reduced {
    let first = Arc::new(Proposal::of(start).expect("what is printed can be read again"));
    let board = &Board::default();
    let (say, hear) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1) {
            let say = say.clone();
            scope.spawn(move || board.work(question, &say));
        }
        let mut driver = Driver {
            board,
            hear,
            settings,
            search: Search::new(Arc::clone(&first), ALL),
            path: VecDeque::new(),
            known: FxHashMap::default(),
            pending: FxHashMap::default(),
            times: settings.first.into_iter().collect(),
            told: FxHashSet::default(),
            counts: vec![(0, 0); ALL.len()],
            checks: 0,
            slow: 0,
        };
        let end = driver.drive(stop, listener);
        board.close();
        // What was made plain in vain may be longer.
        let best = driver.search.best();
        let best = if best.text.len() > first.text.len() { first } else { Arc::clone(best) };
        Reduced {
            script: best.script.clone(),
            text: best.text.to_string(),
            checks: driver.checks,
            slow: driver.slow,
            unfit: driver.search.unfit,
            passes: ALL
                .iter()
                .zip(&driver.counts)
                .map(|(pass, count)| (pass.name(), count.0, count.1))
                .collect(),
            end,
        }
    })
}

/// The text that a reduction of a script asks about first, if it asks anything.
pub fn first_candidate(start: &Script) -> Option<Arc<str>> {
    let mut search = Search::new(Arc::new(Proposal::of(start)?), ALL);
    search.propose().map(|proposal| Arc::clone(&proposal.text))
}

struct Driver<'a> {
    board: &'a Board,
    hear: mpsc::Receiver<Answer>,
    settings: Settings,
    search: Search,
    /// What is asked now, then what will probably be asked after it: the search before the answer, and the proposal.
    path: VecDeque<(Search, Arc<Proposal>)>,
    known: FxHashMap<u64, Reply>,
    pending: FxHashMap<u64, Arc<AtomicBool>>,
    /// What the last yeses took, the newest first.
    times: VecDeque<Duration>,
    /// What the search was told the answers to, and how many of them by pass, all and yeses.
    told: FxHashSet<u64>,
    counts: Vec<(u32, u32)>,
    checks: u64,
    slow: u64,
}

struct Answer {
    key: u64,
    stop: Arc<AtomicBool>,
    reply: Reply,
    took: Duration,
}

impl Driver<'_> {
    fn drive(&mut self, stop: &AtomicBool, listener: &mut dyn FnMut(Progress<'_>)) -> End {
        loop {
            self.look_ahead();
            let Some((_, proposal)) = self.path.front() else { return End::Done };
            let key = proposal.key;
            while !self.known.contains_key(&key) {
                if stop.load(Ordering::Relaxed) {
                    self.pending.values().for_each(|wanted| wanted.store(true, Ordering::Relaxed));
                    return End::Stopped;
                }
                match self.hear.recv_timeout(Duration::from_millis(50)) {
                    Ok(answer) => {
                        self.note(answer);
                        // The first on the path may take long: the others go on.
                        self.look_ahead();
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        return End::Broken("no thread is left".to_owned());
                    }
                }
            }
            if let Reply::Broken(why) = &self.known[&key] {
                return End::Broken(why.clone());
            }
            self.take(key);
            listener(Progress {
                text: &self.search.best().text,
                checks: self.checks,
                pass: ALL[self.search.pass()].name(),
            });
        }
    }

    /// Tells the search the answer to what it proposed.
    fn take(&mut self, key: u64) {
        let shows = self.known[&key] == Reply::Shows;
        let (mut search, proposal) = self.path.pop_front().expect("something was asked");
        if shows != search.expects() {
            self.path.clear();
        }
        if self.told.insert(key) {
            let (asked, taken) = &mut self.counts[search.pass()];
            *asked += 1;
            *taken += u32::from(shows);
        }
        search.tell(&proposal, shows);
        self.search = search;
    }

    /// Fills the path with what will probably be asked, until every thread has something to do.
    fn look_ahead(&mut self) {
        let mut open =
            self.path.iter().filter(|(_, proposal)| !self.known.contains_key(&proposal.key)).count();
        while open < self.settings.jobs.max(1) {
            let mut next = match self.path.back() {
                None => self.search.clone(),
                Some((before, proposal)) => {
                    let mut search = before.clone();
                    let expected = match self.known.get(&proposal.key) {
                        Some(reply) => *reply == Reply::Shows,
                        None => before.expects(),
                    };
                    search.tell(proposal, expected);
                    search
                }
            };
            let Some(proposal) = next.propose() else {
                if self.path.is_empty() {
                    self.search = next;
                }
                break;
            };
            if !self.known.contains_key(&proposal.key) {
                open += 1;
                self.ask(&proposal);
            }
            self.path.push_back((next, proposal));
        }
        self.give_up();
    }

    fn ask(&mut self, proposal: &Arc<Proposal>) {
        let hash_map::Entry::Vacant(entry) = self.pending.entry(proposal.key) else { return };
        let stop = Arc::new(AtomicBool::new(false));
        entry.insert(Arc::clone(&stop));
        let time = self.times.iter().max().map(|&time| (time * PATIENCE + EXTRA).min(self.settings.longest));
        self.board.put(Job { proposal: Arc::clone(proposal), stop, time });
    }

    /// Ends what is asked about and on the path no more.
    fn give_up(&mut self) {
        let path = &self.path;
        self.pending.retain(|key, stop| {
            let wanted = path.iter().any(|(_, proposal)| proposal.key == *key);
            if !wanted {
                stop.store(true, Ordering::Relaxed);
            }
            wanted
        });
    }

    fn note(&mut self, answer: Answer) {
        let wanted = !answer.stop.load(Ordering::Relaxed);
        if wanted {
            self.pending.remove(&answer.key);
            self.checks += 1;
            self.slow += u64::from(answer.reply == Reply::Slow);
        }
        if answer.reply == Reply::Shows {
            self.times.truncate(RECENT - 1);
            self.times.push_front(answer.took);
        }
        // An answer that was given up may be wrong; one that says yes is not.
        if wanted || answer.reply == Reply::Shows {
            self.known.insert(answer.key, answer.reply);
        }
    }
}

struct Job {
    proposal: Arc<Proposal>,
    stop: Arc<AtomicBool>,
    time: Option<Duration>,
}

/// Where threads find their work.
#[derive(Default)]
struct Board {
    state: Mutex<(VecDeque<Job>, bool)>,
    changed: Condvar,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, (VecDeque<Job>, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, job: Job) {
        self.lock().0.push_back(job);
        self.changed.notify_one();
    }

    fn close(&self) {
        let mut state = self.lock();
        state.0.clear();
        state.1 = true;
        self.changed.notify_all();
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.1 {
                return None;
            }
            if let Some(job) = state.0.pop_front() {
                return Some(job);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self, question: &dyn Question, say: &mpsc::Sender<Answer>) {
        while let Some(Job { proposal, stop, time }) = self.next() {
            let begin = Instant::now();
            let candidate = Candidate { script: &proposal.script, text: &proposal.text, time, stop: &stop };
            let asked = catch_unwind(AssertUnwindSafe(|| question.ask(&candidate)));
            // Nobody else would tell that there is no answer.
            let reply = asked.unwrap_or_else(|_| {
                Reply::Broken("the question failed; this is a bug of gainsay".to_owned())
            });
            let answer = Answer { key: proposal.key, stop, reply, took: begin.elapsed() };
            if say.send(answer).is_err() {
                return;
            }
        }
    }
}
