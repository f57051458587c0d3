//! Progress of installations and loops: a bar on a terminal; otherwise a line per installation.

use gainsay_engine::solver::install::{InstallPlan, InstallStep};
use indicatif::{ProgressBar, ProgressStyle};

use crate::console;

/// Shows the progress of one installation on standard error.
pub struct InstallProgress {
    name: String,
    bar: Option<ProgressBar>,
}

impl InstallProgress {
    /// For the release that this plan installs.
    pub fn new(plan: &InstallPlan) -> Self {
        let name = match plan {
            InstallPlan::Present(installed) => installed.name(),
            InstallPlan::Fetch(profile, choice) => format!("{}@{}", profile.name, choice.version),
        };
        InstallProgress { name, bar: None }
    }

    /// Shows a step.
    pub fn show(&mut self, progress: InstallStep) {
        match (progress, &self.bar) {
            (InstallStep::Waiting, _) => {
                console::progress(format_args!(
                    "{}: waiting for another gainsay process that is installing it",
                    self.name
                ));
            }
            (InstallStep::Started(length), _) if console::shows_bars() => {
                self.bar = Some(bar(&self.name, length));
            }
            (InstallStep::Started(length), _) => {
                let size = length.map(|length| format!(" {:.1} MB", length as f64 / 1e6)).unwrap_or_default();
                console::progress(format_args!("{}: downloading{size}", self.name));
            }
            (InstallStep::Received(bytes), Some(bar)) => bar.inc(bytes),
            (InstallStep::Unpacking, Some(bar)) => bar.set_message("unpacking"),
            (InstallStep::Received(_) | InstallStep::Unpacking, None) => {}
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl Drop for InstallProgress {
    fn drop(&mut self) {
        self.finish();
    }
}

fn bar(name: &str, length: Option<u64>) -> ProgressBar {
    let template = match length {
        Some(_) => "{prefix:16} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {msg}",
        None => "{prefix:16} {spinner} {bytes} {bytes_per_sec} {msg}",
    };
    let style =
        ProgressStyle::with_template(template).expect("the templates are constants").progress_chars("=> ");
    let bar = length.map_or_else(ProgressBar::new_spinner, ProgressBar::new).with_style(style);
    bar.with_prefix(name.to_owned())
}

/// The progress of a loop: a bar on a terminal.
pub struct LoopProgress(Option<ProgressBar>);

impl LoopProgress {
    /// For `total` steps.
    pub fn new(what: &'static str, total: u64) -> Self {
        let style = ProgressStyle::with_template("{msg:10} [{bar:30}] {pos}/{len} {per_sec} {eta}")
            .expect("the template is a constant")
            .progress_chars("=> ");
        let shown = console::shows_bars();
        LoopProgress(shown.then(|| ProgressBar::new(total).with_style(style).with_message(what)))
    }

    /// Shows how many steps are done.
    pub fn show(&mut self, done: u64) {
        self.0.iter().for_each(|bar| bar.set_position(done));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
    }
}
