//! Traces that a solver of one's own writes to a file: a line a point of its program that it passed, as HornFuzz's z3 does.
//!
//! ```text
//! log_expand_pob muz/spacer/spacer_context.cpp:3079
//! is_reachable muz/spacer/spacer_context.cpp:1340
//! -------- [spacer] expand_pob ../src/muz/spacer/spacer_context.cpp:3576 ---------
//! ```
//!
//! The last line is how a z3 with tracing built in writes a point by itself; what it has to say there follows, up to a line of
//! dashes, and is not a part of the trace.

use crate::solver::trace::{Part, Trace};

/// Reads the text of a file of points. Lines that are none are unread, but for those that belong to a point between dashes.
pub fn read(text: &[u8]) -> Trace {
    let mut trace = Trace::default();
    let mut inside = false;
    for line in String::from_utf8_lossy(text).lines().map(str::trim).filter(|line| !line.is_empty()) {
        let dashes = line.starts_with("----");
        if let Some(point) = point(line) {
            trace.push(&point, Part::Core);
            inside = dashes;
        } else if dashes {
            inside = false;
        } else if !inside {
            trace.push_unread();
        }
    }
    trace
}

/// The point that a line is: a function and its place, between dashes or alone.
fn point(line: &str) -> Option<String> {
    let bare = line.trim_matches('-').trim();
    let bare = if bare.len() < line.len() { bare.strip_prefix('[')?.split_once("] ")?.1 } else { bare };
    let (function, place) = bare.split_once(' ')?;
    let (file, number) = place.rsplit_once(':')?;
    let is_place = !file.is_empty() && !file.contains(' ') && number.parse::<u32>().is_ok();
    (is_place && !function.is_empty()).then(|| format!("{function} {place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, states: &[&str], unread: usize) {
        let trace = read(text.as_bytes());
        assert_eq!((trace.states().collect::<Vec<_>>(), trace.unread()), (states.to_vec(), unread));
    }

    #[test]
    fn a_line_of_a_patched_solver_is_a_state() {
        let text =
            "reset muz/spacer/spacer_context.cpp:2365\nis_reachable muz/spacer/spacer_context.cpp:1340\r\n";
        let states =
            ["reset muz/spacer/spacer_context.cpp:2365", "is_reachable muz/spacer/spacer_context.cpp:1340"];
        check(text, &states, 0);
    }

    #[test]
    fn what_is_said_at_a_point_is_no_part_of_the_trace() {
        let text = "-------- [spacer] expand_pob a.cpp:1 ---------\nexpand-pob: inv level: 1\n(= x 0)\n\
            ------------------------------------------------\n-------- [spacer] operator() b.cpp:2 ---------\n";
        check(text, &["expand_pob a.cpp:1", "operator() b.cpp:2"], 0);
    }

    #[test]
    fn other_lines_are_unread_and_make_no_trace() {
        check("sat\nexpand_pob a.cpp\n", &[], 2);
        assert!(!read(b"sat\n").is_usable());
    }
}
