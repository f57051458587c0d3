//! How a campaign is shown: a live screen on a terminal, plain lines elsewhere, one JSON object a line for programs.
//!
//! All three read events and the tally and nothing else. What they know in common is the [`view::CampaignView`]; the
//! screen is a pure function of it.

pub mod draw;
pub mod format;
pub mod json;
pub mod lines;
pub mod screen;
pub mod summary;
pub mod view;

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;

/// Shows what happens in a campaign.
pub trait CampaignDisplay {
    /// Something happened; the tally has counted it.
    fn event(&mut self, event: &Event, tally: &Tally);
    /// The campaign is over: leaves the terminal as it was.
    fn close(&mut self) {}
}
