//! The wish to stop: Ctrl-C, a polite kill, a key.
//!
//! The first wish lets the cases in flight end and everything be written. The second ends the program at once, which
//! loses nothing either: a campaign that is killed at any instant goes on where its records end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::console;
use crate::display::screen;

/// The exit code of a program that was told twice to stop.
const EXIT_INTERRUPTED: i32 = 130;

/// Whether somebody wishes to stop.
#[derive(Debug, Default)]
pub struct StopRequest {
    asked: AtomicBool,
    times: AtomicU32,
    messages: StopMessages,
}

pub use StopRequest as Switch;

/// What is said to who asks to stop.
#[derive(Debug, Clone, Copy)]
pub struct StopMessages {
    /// The first time.
    pub first: &'static str,
    /// The second time.
    pub second: &'static str,
}

impl Default for StopMessages {
    fn default() -> Self {
        StopMessages {
            first: "gainsay: stopping when the cases in flight are done; once more stops at once",
            second: "gainsay: stopped at once; --resume goes on, and makes the cases in flight again",
        }
    }
}

impl StopRequest {
    /// A switch that signals press, too.
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

    /// Asks to stop; the second time, stops.
    pub fn request(&self) {
        self.asked.store(true, Ordering::Relaxed);
        if self.times.fetch_add(1, Ordering::Relaxed) > 0 {
            screen::restore();
            console::err(self.messages.second);
            std::process::exit(EXIT_INTERRUPTED);
        }
        if !screen::is_shown() {
            console::err(self.messages.first);
        }
    }

    /// Whether somebody has asked.
    pub fn is_requested(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The flag that the campaign looks at.
    pub fn flag(&self) -> &AtomicBool {
        &self.asked
    }
}
