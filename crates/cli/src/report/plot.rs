//! Plots of the HTML report as inline SVG.
//!
//! Colours and fonts come from the style sheet of the page, which has a light and a dark scheme; each plot has a text
//! description for screen readers.

use std::fmt::Write;

use super::format::{number, share, time};

const PLOT_WIDTH: f64 = 400.0;
const PLOT_HEIGHT: f64 = 190.0;
const PLOT_LEFT_MARGIN: f64 = 52.0;
const PLOT_RIGHT_MARGIN: f64 = 12.0;
const PLOT_TOP_MARGIN: f64 = 10.0;
const PLOT_BOTTOM_MARGIN: f64 = 26.0;

/// One line of a plot: a class of the style sheet, and values over time.
pub struct PlotLine<'a> {
    /// The class.
    pub class: &'a str,
    /// Seconds and value, in order of time.
    pub points: Vec<(f64, f64)>,
}

/// A part of a bar: a class of the style sheet, a name, and a count.
pub struct BarPart<'a> {
    /// The class.
    pub class: &'a str,
    /// Its name.
    pub name: &'a str,
    /// How many.
    pub count: f64,
}

/// Plots values over time.
pub fn lines(title: &str, unit: &str, lines: &[PlotLine<'_>]) -> String {
    lines_over(PlotAxis::Time, title, unit, lines)
}

/// What the horizontal axis of a plot measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotAxis {
    /// Seconds.
    Time,
    /// Cases.
    Cases,
}

impl PlotAxis {
    fn text(self, value: f64) -> String {
        match self {
            PlotAxis::Time => time(value),
            PlotAxis::Cases => format!("{} cases", number(value as u64)),
        }
    }
}

/// Draws lines over this axis.
pub fn lines_over(axis: PlotAxis, title: &str, unit: &str, lines: &[PlotLine<'_>]) -> String {
    let all = || lines.iter().flat_map(|line| &line.points);
    let end = all().map(|point| point.0).fold(0.0, f64::max).max(1e-9);
    let top = ceiling(all().map(|point| point.1).fold(0.0, f64::max));
    let last = lines.iter().filter_map(|line| line.points.last()).map(|point| number(point.1 as u64));
    let told = format!("{} {unit} after {}", last.collect::<Vec<_>>().join(" and "), axis.text(end));
    let x =
        |seconds: f64| PLOT_LEFT_MARGIN + seconds / end * (PLOT_WIDTH - PLOT_LEFT_MARGIN - PLOT_RIGHT_MARGIN);
    let y = |value: f64| {
        PLOT_HEIGHT - PLOT_BOTTOM_MARGIN - value / top * (PLOT_HEIGHT - PLOT_TOP_MARGIN - PLOT_BOTTOM_MARGIN)
    };
    let mut body = String::new();
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (height, value) = (y(top * tick), tick_text(top * tick));
        let (end, text, base) = (PLOT_WIDTH - PLOT_RIGHT_MARGIN, PLOT_LEFT_MARGIN - 6.0, height + 4.0);
        put(
            &mut body,
            format_args!(
                "<line class=\"grid\" x1=\"{PLOT_LEFT_MARGIN}\" x2=\"{end}\" y1=\"{height:.1}\" y2=\"{height:.1}\"/>\
                 <text class=\"tick\" x=\"{text}\" y=\"{base:.1}\" text-anchor=\"end\">{value}</text>"
            ),
        );
    }
    for (tick, anchor) in [(0.0, "start"), (0.5, "middle"), (1.0, "end")] {
        let (place, base, moment) = (x(end * tick), PLOT_HEIGHT - 6.0, axis.text(end * tick));
        put(
            &mut body,
            format_args!(
                "<text class=\"tick\" x=\"{place:.1}\" y=\"{base}\" text-anchor=\"{anchor}\">{moment}</text>"
            ),
        );
    }
    for line in lines {
        let point = |point: &(f64, f64)| format!("{:.1},{:.1}", x(point.0), y(point.1));
        let points: Vec<String> = line.points.iter().map(point).collect();
        put(
            &mut body,
            format_args!("<polyline class=\"line {}\" points=\"{}\"/>", line.class, points.join(" ")),
        );
    }
    svg(title, &told, PLOT_HEIGHT, &body)
}

/// Draws parts of a whole as one bar.
pub fn bar(title: &str, parts: &[BarPart<'_>]) -> String {
    let all: f64 = parts.iter().map(|part| part.count).sum();
    let told: Vec<String> = parts
        .iter()
        .map(|part| format!("{} {}", part.name, share((part.count * 1000.0) as u64, (all * 1000.0) as u64)))
        .collect();
    let mut body = String::new();
    let mut x = 0.0;
    for part in parts.iter().filter(|part| part.count > 0.0) {
        let width = part.count / all * PLOT_WIDTH;
        put(
            &mut body,
            format_args!(
                "<rect class=\"{}\" x=\"{x:.1}\" y=\"0\" width=\"{width:.1}\" height=\"22\"/>",
                part.class
            ),
        );
        x += width;
    }
    svg(title, &told.join(", "), 22.0, &body)
}

/// An SVG element with its title and description.
fn svg(title: &str, told: &str, height: f64, body: &str) -> String {
    format!(
        "<svg role=\"img\" viewBox=\"0 0 {PLOT_WIDTH} {height}\" preserveAspectRatio=\"{}\"><title>{}</title><desc>{}</desc>{body}</svg>",
        if height < 50.0 { "none" } else { "xMidYMid meet" },
        escape(title),
        escape(told),
    )
}

fn put(body: &mut String, text: std::fmt::Arguments<'_>) {
    body.write_fmt(text).expect("writing to a string does not fail");
}

/// The next round number, so that the ticks are round.
fn ceiling(value: f64) -> f64 {
    let value = value.max(4.0);
    let scale = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 6.0, 8.0, 10.0];
    let top = steps.into_iter().map(|step| step * scale).find(|&top| top >= value);
    // For small values the ticks are whole numbers only if the top is a multiple of four.
    let top = top.unwrap_or(value);
    if top < 40.0 { (top / 4.0).ceil() * 4.0 } else { top }
}

fn tick_text(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{} M", (value / 1e5).round() / 10.0),
        value if value >= 1e4 => format!("{} k", (value / 1e2).round() / 10.0),
        value => format!("{}", value.round()),
    }
}

/// Escapes text for SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let tops = [0.0, 1.0, 5.0, 17.0, 99.0, 101.0, 12_345.0].map(ceiling);
        assert_eq!(tops, [4.0, 4.0, 8.0, 20.0, 100.0, 120.0, 16_000.0]);
    }

    #[test]
    fn a_plot_of_nothing_or_of_one_point_is_a_plot() {
        for points in [vec![], vec![(0.0, 0.0)], vec![(5.0, 3.0)]] {
            let plot = lines("cases", "cases", &[PlotLine { class: "a", points }]);
            assert!(!plot.contains("NaN") && !plot.contains("inf"), "{plot}");
        }
        let nothing = bar("x", &[BarPart { class: "a", name: "b", count: 0.0 }]);
        assert!(!nothing.contains("NaN"), "{nothing}");
    }

    #[test]
    fn a_plot_says_in_words_what_it_shows() {
        let plot = lines(
            "Cases <over> time",
            "cases",
            &[PlotLine { class: "a", points: vec![(0.0, 0.0), (60.0, 1200.0)] }],
        );
        assert!(
            plot.contains(
                "<title>Cases &lt;over&gt; time</title><desc>1\u{202f}200 cases after 1 min 0 s</desc>"
            ),
            "{plot}"
        );
    }
}
