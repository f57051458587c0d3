//! How a campaign is shown: a live screen on a terminal, plain lines elsewhere, one JSON object a line for programs.
//!
//! All three read events and the tally and nothing else. What they know in common is the [`board::Board`]; the
//! screen is a pure function of it.

pub mod board;
pub mod draw;
pub mod json;
pub mod lines;
pub mod screen;
pub mod summary;
pub mod words;

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;

/// Shows what happens in a campaign.
pub trait Show {
    /// Something happened; the tally has counted it.
    fn event(&mut self, event: &Event, tally: &Tally);
    /// The campaign is over: leaves the terminal as it was.
    fn close(&mut self) {}
}
