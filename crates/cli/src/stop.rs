//! The wish to stop: Ctrl-C, a polite kill, a key.
//!
//! The first wish lets the cases in flight end and everything be written. The second ends the program at once, which
//! loses nothing either: a campaign that is killed at any instant goes on where its records end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::say;
use crate::show::screen;

/// The exit code of a program that was told twice to stop.
const AT_ONCE: i32 = 130;

/// Whether somebody wishes to stop.
#[derive(Debug, Default)]
pub struct Switch {
    asked: AtomicBool,
    times: AtomicU32,
    words: Words,
}

/// What is said to who asks to stop.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// The first time.
    pub first: &'static str,
    /// The second time.
    pub second: &'static str,
}

impl Default for Words {
    fn default() -> Self {
        Words {
            first: "gainsay: stopping when the cases in flight are done; once more stops at once",
            second: "gainsay: stopped at once; --resume goes on, and makes the cases in flight again",
        }
    }
}

impl Switch {
    /// A switch that signals press, too.
    pub fn on_signals() -> anyhow::Result<Arc<Self>> {
        Switch::with_words(&Words::default())
    }

    /// The same with other words.
    pub fn with_words(words: &Words) -> anyhow::Result<Arc<Self>> {
        let switch = Arc::new(Switch { words: *words, ..Switch::default() });
        let pressed = Arc::clone(&switch);
        ctrlc::set_handler(move || pressed.ask())?;
        Ok(switch)
    }

    /// Asks to stop; the second time, stops.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
        if self.times.fetch_add(1, Ordering::Relaxed) > 0 {
            screen::restore();
            say::err(self.words.second);
            std::process::exit(AT_ONCE);
        }
        if !screen::is_shown() {
            say::err(self.words.first);
        }
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The flag that the campaign looks at.
    pub fn flag(&self) -> &AtomicBool {
        &self.asked
    }
}
