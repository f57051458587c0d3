//! Displays a campaign: a live screen on a terminal, plain lines elsewhere, or one JSON object per line.
//!
//! All three depend only on events and the tally. The screen and the lines share the [`view::CampaignView`]; the screen is a
//! pure function of it.

pub mod draw;
pub mod format;
pub mod json;
pub mod lines;
pub mod screen;
pub mod summary;
pub mod view;

use gainsay_engine::event::Event;
use gainsay_engine::tally::Tally;

/// Displays nothing.
pub struct NoDisplay;

impl CampaignDisplay for NoDisplay {
    fn event(&mut self, _: &Event, _: &Tally) {}
}

/// Displays the events of a campaign.
pub trait CampaignDisplay {
    /// Displays an event, which the tally already counts.
    fn event(&mut self, event: &Event, tally: &Tally);
    /// Restores the terminal at the end of the campaign.
    fn close(&mut self) {}
}
