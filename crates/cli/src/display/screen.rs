//! The terminal of the live screen: draws four frames per second, reads keys, and always restores the terminal.
//!
//! A separate thread draws, so that the screen reacts to keys and resizing while the campaign waits for solvers. It only
//! reads the view; an unchanged frame costs a comparison.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::CampaignDisplay;
use super::draw::draw;
use super::view::{CampaignPhase, CampaignView};
use crate::console;
use crate::stop::StopRequest;

/// Time between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(250);
/// Time between two updates of the counts.
const TALLY_UPDATE_INTERVAL: Duration = Duration::from_millis(200);

/// Whether the live screen has the terminal; global because the signal handler must restore it.
static TERMINAL_TAKEN: AtomicBool = AtomicBool::new(false);

/// Shows a campaign on the terminal.
pub struct Screen {
    shared: Arc<ScreenState>,
    thread: Option<JoinHandle<()>>,
    counted: Option<Instant>,
}

struct ScreenState {
    view: Mutex<CampaignView>,
    /// When the counts were last updated; the clock on the screen continues from there.
    since: Mutex<Instant>,
    over: AtomicBool,
    stop: Arc<StopRequest>,
    /// Panic messages that could not be printed over the screen.
    panics: Mutex<Vec<String>>,
}

/// Returns true if there is a terminal to draw on.
pub fn is_possible() -> bool {
    let draws = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
    draws && std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// Returns true while the live screen has the terminal.
pub fn is_shown() -> bool {
    TERMINAL_TAKEN.load(Ordering::SeqCst)
}

/// Restores the terminal if the live screen has it.
pub fn restore() {
    if TERMINAL_TAKEN.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
        let _ = execute!(std::io::stdout(), LeaveAlternateScreen, cursor::Show);
        let _ = std::io::stdout().flush();
    }
}

impl Screen {
    /// Takes the terminal and starts to draw.
    pub fn open(view: CampaignView, stop: Arc<StopRequest>) -> std::io::Result<Self> {
        let shared = Arc::new(ScreenState {
            view: Mutex::new(view),
            since: Mutex::new(Instant::now()),
            over: AtomicBool::new(false),
            stop,
            panics: Mutex::default(),
        });
        take()?;
        quiet_panics(&shared);
        let drawn = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("screen".to_owned()).spawn(move || {
            let _back = RestoreTerminal;
            // If the terminal is gone the campaign continues.
            let _ = show(&drawn);
        })?;
        Ok(Screen { shared, thread: Some(thread), counted: None })
    }
}

impl CampaignDisplay for Screen {
    fn event(&mut self, event: &Event, tally: &Tally) {
        let mut view = lock(&self.shared.view);
        view.record_event(event, tally.seconds);
        let due = self.counted.is_none_or(|then| then.elapsed() >= TALLY_UPDATE_INTERVAL);
        if due || matches!(event, Event::Closed { .. } | Event::Found { .. }) {
            view.update_tally(tally);
            *lock(&self.shared.since) = Instant::now();
            self.counted = Some(Instant::now());
        }
    }

    fn close(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
            restore();
            drop(std::panic::take_hook());
            // A panic that lost one case was counted. One that ends the program must be printed.
            if std::thread::panicking() {
                lock(&self.shared.panics).iter().for_each(console::err);
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.close();
    }
}

/// Restores the terminal on drop.
struct RestoreTerminal;

impl Drop for RestoreTerminal {
    fn drop(&mut self) {
        restore();
    }
}

fn take() -> std::io::Result<()> {
    TERMINAL_TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(std::io::stdout(), EnterAlternateScreen, cursor::Hide)
}

/// Collects panic messages instead of printing them over the screen.
fn quiet_panics(shared: &Arc<ScreenState>) {
    let shared = Arc::clone(shared);
    std::panic::set_hook(Box::new(move |panic| lock(&shared.panics).push(panic.to_string())));
}

fn show(shared: &ScreenState) -> std::io::Result<()> {
    let mut terminal = Terminal::new(CrosstermBackend::new(std::io::stdout()))?;
    // `terminal.clear()` would query the cursor position, which some terminals never answer.
    execute!(std::io::stdout(), Clear(ClearType::All))?;
    while !shared.over.load(Ordering::SeqCst) {
        let view = current(shared);
        terminal.draw(|frame| draw(frame, &view))?;
        wait(shared)?;
    }
    Ok(())
}

/// The view with its clock advanced to the current time.
fn current(shared: &ScreenState) -> CampaignView {
    let mut view = lock(&shared.view).clone();
    if view.state == CampaignPhase::Running {
        view.tally.seconds += lock(&shared.since).elapsed().as_secs_f64();
        if shared.stop.is_requested() {
            view.state = CampaignPhase::Stopping;
        }
    }
    view
}

/// Waits for the next frame, a key, or a resize.
fn wait(shared: &ScreenState) -> std::io::Result<()> {
    let end = Instant::now() + FRAME_INTERVAL;
    while !shared.over.load(Ordering::SeqCst) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        watch(left.min(FRAME_INTERVAL / 2))?;
        if !event::poll(Duration::ZERO)? {
            continue;
        }
        match event::read()? {
            Input::Key(key) if is_stop_key(key) => {
                shared.stop.request();
                return Ok(());
            }
            Input::Resize(..) => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

/// Waits for keys. A closed terminal is an error: crossterm would read its end of file forever.
fn watch(time: Duration) -> std::io::Result<()> {
    let stdin = std::io::stdin();
    let mut keys = [PollFd::new(&stdin, PollFlags::IN)];
    let time = Timespec::try_from(time).map_err(std::io::Error::other)?;
    match poll(&mut keys, Some(&time)) {
        // A resize interrupts the poll.
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    match keys[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        true => Err(ErrorKind::UnexpectedEof.into()),
        false => Ok(()),
    }
}

fn is_stop_key(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let stop = matches!(key.code, KeyCode::Char('q' | 'Q')) || (control && key.code == KeyCode::Char('c'));
    key.kind == KeyEventKind::Press && stop
}

/// Locks the mutex, even if a thread panicked while holding it.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
