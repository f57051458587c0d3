//! Charts as standalone SVG files: lines, and confidence intervals.

use std::fmt::Write;

use super::plot::escape;

const CHART_WIDTH: f64 = 720.0;
const CHART_HEIGHT: f64 = 360.0;
const CHART_LEFT_MARGIN: f64 = 70.0;
const CHART_RIGHT_MARGIN: f64 = 16.0;
const CHART_TOP_MARGIN: f64 = 34.0;
const CHART_BOTTOM_MARGIN: f64 = 46.0;
const CHART_COLOURS: [&str; 6] = ["#0b6bcb", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#525252"];

/// A line of a chart.
pub struct ChartLine {
    /// Its label.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// An estimated probability with its 95 % interval.
#[derive(Debug, Clone, Copy)]
pub struct ProbabilityInterval {
    /// The lower end.
    pub low: f64,
    /// The estimate.
    pub mean: f64,
    /// The upper end.
    pub high: f64,
}

/// A row of an interval chart.
pub struct IntervalRow {
    /// Its label.
    pub name: String,
    /// Its probability.
    pub interval: ProbabilityInterval,
}

/// Draws a line chart.
pub fn lines(title: &str, (across, up): (&str, &str), lines: &[ChartLine]) -> String {
    let all = || lines.iter().flat_map(|line| &line.points);
    let right = all().map(|point| point.0).fold(0.0, f64::max).max(1e-9);
    let top = all().map(|point| point.1).fold(0.0, f64::max).max(1e-9) * 1.05;
    let x = |value: f64| {
        CHART_LEFT_MARGIN + value / right * (CHART_WIDTH - CHART_LEFT_MARGIN - CHART_RIGHT_MARGIN)
    };
    let y = |value: f64| {
        CHART_HEIGHT
            - CHART_BOTTOM_MARGIN
            - value.max(0.0) / top * (CHART_HEIGHT - CHART_TOP_MARGIN - CHART_BOTTOM_MARGIN)
    };
    let mut body = String::new();
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (height, place) = (y(top * tick), x(right * tick));
        put(
            &mut body,
            format_args!(
                "<line class=\"grid\" x1=\"{CHART_LEFT_MARGIN}\" x2=\"{}\" y1=\"{height:.1}\" y2=\"{height:.1}\"/>",
                CHART_WIDTH - CHART_RIGHT_MARGIN
            ),
        );
        text(&mut body, (CHART_LEFT_MARGIN - 6.0, height + 4.0), "end", &short(top * tick));
        text(&mut body, (place, CHART_HEIGHT - CHART_BOTTOM_MARGIN + 16.0), "middle", &short(right * tick));
    }
    for (number, line) in lines.iter().enumerate() {
        let colour = CHART_COLOURS[number % CHART_COLOURS.len()];
        let points: Vec<String> =
            line.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
        put(
            &mut body,
            format_args!(
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
                points.join(" ")
            ),
        );
        let height = CHART_TOP_MARGIN + 16.0 * (number as f64 + 1.0);
        put(
            &mut body,
            format_args!(
                "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"4\" fill=\"{colour}\"/>",
                CHART_LEFT_MARGIN + 12.0,
                height - 6.0
            ),
        );
        text(&mut body, (CHART_LEFT_MARGIN + 30.0, height), "start", &line.name);
    }
    text(&mut body, (CHART_WIDTH / 2.0, CHART_HEIGHT - 8.0), "middle", across);
    let told = format!(
        "{up} over {across}: {}",
        lines.iter().map(|line| line.name.as_str()).collect::<Vec<_>>().join(", ")
    );
    text(&mut body, (CHART_LEFT_MARGIN, 18.0), "start", &format!("{title} ({up})"));
    svg(title, &told, CHART_HEIGHT, &body)
}

/// Draws a chart of intervals between 0 and 1.
pub fn intervals(title: &str, rows: &[IntervalRow]) -> String {
    let left = 220.0;
    let height = CHART_TOP_MARGIN + 20.0 * rows.len() as f64 + CHART_BOTTOM_MARGIN;
    let x = |value: f64| left + value * (CHART_WIDTH - left - CHART_RIGHT_MARGIN);
    let mut body = String::new();
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let place = x(tick);
        put(
            &mut body,
            format_args!(
                "<line class=\"grid\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{CHART_TOP_MARGIN}\" y2=\"{:.1}\"/>",
                height - CHART_BOTTOM_MARGIN
            ),
        );
        text(&mut body, (place, height - CHART_BOTTOM_MARGIN + 16.0), "middle", &short(tick));
    }
    for (number, row) in rows.iter().enumerate() {
        let middle = CHART_TOP_MARGIN + 20.0 * number as f64 + 12.0;
        let ProbabilityInterval { low, mean, high } = row.interval;
        text(&mut body, (left - 8.0, middle + 4.0), "end", &row.name);
        put(
            &mut body,
            format_args!(
                "<line stroke=\"{}\" stroke-width=\"2\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{middle}\" y2=\"{middle}\"/>",
                CHART_COLOURS[0],
                x(low),
                x(high)
            ),
        );
        put(
            &mut body,
            format_args!(
                "<circle fill=\"{}\" r=\"4\" cx=\"{:.1}\" cy=\"{middle}\"/>",
                CHART_COLOURS[0],
                x(mean)
            ),
        );
    }
    text(&mut body, (8.0, 18.0), "start", title);
    let told = rows.first().map_or_else(
        || "nothing".to_owned(),
        |row| format!("{} is first, {:.2}", row.name, row.interval.mean),
    );
    svg(title, &told, height, &body)
}

fn svg(title: &str, told: &str, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{CHART_WIDTH}\" height=\"{height}\" viewBox=\"0 0 {CHART_WIDTH} {height}\">\
         <title>{}</title><desc>{}</desc><style>text{{font:12px sans-serif;fill:#333}}.grid{{stroke:#ddd}}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>{body}</svg>\n",
        escape(title),
        escape(told)
    )
}

fn text(body: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    put(
        body,
        format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escape(words)),
    );
}

fn put(body: &mut String, text: std::fmt::Arguments<'_>) {
    body.write_fmt(text).expect("writing to a string does not fail");
}

/// Formats a number in a few digits.
fn short(value: f64) -> String {
    match value {
        value if value >= 100.0 || value == value.round() => format!("{value:.0}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_nothing_is_a_picture_and_names_are_escaped() {
        let line = |points| ChartLine { name: "a<b".to_owned(), points };
        for picture in [
            lines("t", ("queries", "seconds"), &[]),
            lines("t", ("queries", "seconds"), &[line(vec![])]),
            lines("t", ("queries", "seconds"), &[line(vec![(1.0, -2.0), (2.0, 3.0)])]),
            intervals("t", &[]),
            intervals(
                "t",
                &[IntervalRow {
                    name: "str.<".to_owned(),
                    interval: ProbabilityInterval { low: 0.1, mean: 0.2, high: 0.5 },
                }],
            ),
        ] {
            assert!(
                !picture.contains("NaN") && !picture.contains("inf") && !picture.contains("a<b"),
                "{picture}"
            );
            assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        }
    }
}
