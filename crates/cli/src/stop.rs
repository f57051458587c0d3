//! Requests to stop: Ctrl-C, SIGTERM, a key.
//!
//! After the first request the running cases finish and everything is written. The second one ends the program immediately,
//! which loses nothing either: a campaign that is killed at any time resumes from its records.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::display::screen;
use crate::{console, exit};

/// Whether the user has asked to stop.
#[derive(Debug, Default)]
pub struct StopRequest {
    asked: AtomicBool,
    /// Whether nothing has begun yet, so that the first request ends the program.
    is_early: AtomicBool,
    times: AtomicU32,
    messages: StopMessages,
}

/// The messages that answer a request to stop.
#[derive(Debug, Clone, Copy)]
pub struct StopMessages {
    /// After the first request.
    pub first: &'static str,
    /// After the second request.
    pub second: &'static str,
}

impl Default for StopMessages {
    fn default() -> Self {
        StopMessages {
            first: "gainsay: stopping after the running cases; press Ctrl-C again to stop immediately",
            second: "gainsay: stopped immediately; --resume continues and repeats the unfinished cases",
        }
    }
}

impl StopRequest {
    /// A request that signals can make, too.
    pub fn on_signals() -> anyhow::Result<Arc<Self>> {
        StopRequest::with_messages(&StopMessages::default())
    }

    /// The same with other messages.
    pub fn with_messages(messages: &StopMessages) -> anyhow::Result<Arc<Self>> {
        let switch = Arc::new(StopRequest { messages: *messages, ..StopRequest::default() });
        let pressed = Arc::clone(&switch);
        ctrlc::set_handler(move || pressed.request())?;
        Ok(switch)
    }

    /// From now on until [`StopRequest::begin`], the first request ends the program: reading a large file cannot be interrupted, and
    /// nothing is lost.
    pub fn before_begin(&self) {
        self.is_early.store(true, Ordering::Relaxed);
    }

    /// The work has begun: the first request lets it finish what is under way.
    pub fn begin(&self) {
        self.is_early.store(false, Ordering::Relaxed);
    }

    /// Records a request to stop; the second one ends the program.
    pub fn request(&self) {
        self.asked.store(true, Ordering::Relaxed);
        if self.is_early.load(Ordering::Relaxed) {
            console::err("gainsay: stopped before the first case");
            std::process::exit(exit::EXIT_INTERRUPTED.into());
        }
        if self.times.fetch_add(1, Ordering::Relaxed) > 0 {
            screen::restore();
            console::err(self.messages.second);
            std::process::exit(exit::EXIT_INTERRUPTED.into());
        }
        if !screen::is_shown() {
            console::err(self.messages.first);
        }
    }

    /// Returns true after the first request.
    pub fn is_requested(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The flag for the engine.
    pub fn flag(&self) -> &AtomicBool {
        &self.asked
    }
}
