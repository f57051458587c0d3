//! Pictures that stand by themselves: lines over a number, and intervals. Each is an SVG file with its own style.

use std::fmt::Write;

use super::plot::escape;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
const COLOURS: [&str; 6] = ["#0b6bcb", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#525252"];

/// A line with its name.
pub struct Line {
    /// What it is.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A row of a picture of intervals.
pub struct Row {
    /// What it is.
    pub name: String,
    /// The lower end, the mean, the upper end.
    pub interval: (f64, f64, f64),
}

/// Lines over a number.
pub fn lines(title: &str, (across, up): (&str, &str), lines: &[Line]) -> String {
    let all = || lines.iter().flat_map(|line| &line.points);
    let right = all().map(|point| point.0).fold(0.0, f64::max).max(1e-9);
    let top = all().map(|point| point.1).fold(0.0, f64::max).max(1e-9) * 1.05;
    let x = |value: f64| LEFT + value / right * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - value.max(0.0) / top * (HEIGHT - TOP - BOTTOM);
    let mut body = String::new();
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (height, place) = (y(top * tick), x(right * tick));
        put(
            &mut body,
            format_args!(
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{height:.1}\" y2=\"{height:.1}\"/>",
                WIDTH - RIGHT
            ),
        );
        text(&mut body, (LEFT - 6.0, height + 4.0), "end", &short(top * tick));
        text(&mut body, (place, HEIGHT - BOTTOM + 16.0), "middle", &short(right * tick));
    }
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<String> =
            line.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
        put(
            &mut body,
            format_args!(
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
                points.join(" ")
            ),
        );
        let height = TOP + 16.0 * (number as f64 + 1.0);
        put(
            &mut body,
            format_args!(
                "<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"4\" fill=\"{colour}\"/>",
                LEFT + 12.0,
                height - 6.0
            ),
        );
        text(&mut body, (LEFT + 30.0, height), "start", &line.name);
    }
    text(&mut body, (WIDTH / 2.0, HEIGHT - 8.0), "middle", across);
    let told = format!(
        "{up} over {across}: {}",
        lines.iter().map(|line| line.name.as_str()).collect::<Vec<_>>().join(", ")
    );
    text(&mut body, (LEFT, 18.0), "start", &format!("{title} ({up})"));
    svg(title, &told, HEIGHT, &body)
}

/// Intervals between 0 and 1, one below the other.
pub fn intervals(title: &str, rows: &[Row]) -> String {
    let left = 220.0;
    let height = TOP + 20.0 * rows.len() as f64 + BOTTOM;
    let x = |value: f64| left + value * (WIDTH - left - RIGHT);
    let mut body = String::new();
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let place = x(tick);
        put(
            &mut body,
            format_args!(
                "<line class=\"grid\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>",
                height - BOTTOM
            ),
        );
        text(&mut body, (place, height - BOTTOM + 16.0), "middle", &short(tick));
    }
    for (number, row) in rows.iter().enumerate() {
        let middle = TOP + 20.0 * number as f64 + 12.0;
        let (low, mean, high) = row.interval;
        text(&mut body, (left - 8.0, middle + 4.0), "end", &row.name);
        put(
            &mut body,
            format_args!(
                "<line stroke=\"{}\" stroke-width=\"2\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{middle}\" y2=\"{middle}\"/>",
                COLOURS[0],
                x(low),
                x(high)
            ),
        );
        put(
            &mut body,
            format_args!("<circle fill=\"{}\" r=\"4\" cx=\"{:.1}\" cy=\"{middle}\"/>", COLOURS[0], x(mean)),
        );
    }
    text(&mut body, (8.0, 18.0), "start", title);
    let told = rows
        .first()
        .map_or_else(|| "nothing".to_owned(), |row| format!("{} is first, {:.2}", row.name, row.interval.1));
    svg(title, &told, height, &body)
}

fn svg(title: &str, told: &str, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\
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

/// A number in a few digits.
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
        let line = |points| Line { name: "a<b".to_owned(), points };
        for picture in [
            lines("t", ("queries", "seconds"), &[]),
            lines("t", ("queries", "seconds"), &[line(vec![])]),
            lines("t", ("queries", "seconds"), &[line(vec![(1.0, -2.0), (2.0, 3.0)])]),
            intervals("t", &[]),
            intervals("t", &[Row { name: "str.<".to_owned(), interval: (0.1, 0.2, 0.5) }]),
        ] {
            assert!(
                !picture.contains("NaN") && !picture.contains("inf") && !picture.contains("a<b"),
                "{picture}"
            );
            assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        }
    }
}
