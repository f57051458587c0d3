//! Reads traces from a solver's output, by the rows of its profile.

use super::{Trace, TracePart};
use crate::profile::{TraceRecordRule, TraceRules};

/// A trace and the rest of the output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceReading {
    /// The trace.
    pub trace: Trace,
    /// The lines that are not part of it, such as errors.
    pub rest: Vec<u8>,
}

/// After this many unread lines, the rest of an output without a usable trace is not read: it may have millions of lines.
const MAX_UNREAD_LINES: usize = 1000;

/// Reads a trace.
pub fn read_trace(tracing: &TraceRules, text: &[u8]) -> TraceReading {
    let mut reading = TraceReading::default();
    let mut left = text;
    while !left.is_empty() {
        if reading.trace.unread() > MAX_UNREAD_LINES && !reading.trace.is_usable() {
            reading.rest.extend_from_slice(left);
            break;
        }
        let taken = skip(tracing, left).or_else(|| record(tracing, left, &mut reading.trace));
        let length = taken.unwrap_or_else(|| {
            let line = left.iter().position(|byte| *byte == b'\n').map_or(left.len(), |end| end + 1);
            reading.trace.push_unread();
            reading.rest.extend_from_slice(&left[..line]);
            line
        });
        left = &left[length..];
    }
    reading
}

/// The length of text to skip at the start, if any.
fn skip(tracing: &TraceRules, text: &[u8]) -> Option<usize> {
    let starts = tracing.skip.iter().filter_map(|row| row.regex().find(text));
    let mut lengths = starts.filter(|found| found.start() == 0).map(|found| found.end());
    lengths.find(|length| *length > 0)
}

/// Adds the record at the start of a text, if any, and returns its length.
fn record(tracing: &TraceRules, text: &[u8], trace: &mut Trace) -> Option<usize> {
    tracing.record.iter().find_map(|row| {
        let groups = row.regex.regex().captures(text)?;
        let whole = groups.get(0).filter(|whole| whole.start() == 0 && !whole.is_empty())?;
        let words = groups.iter().skip(1).flatten().map(|group| String::from_utf8_lossy(group.as_bytes()));
        trace.push(&name(row, words), if row.prelude { TracePart::Prelude } else { TracePart::Core });
        Some(whole.end())
    })
}

fn name<T: AsRef<str>>(row: &TraceRecordRule, words: impl Iterator<Item = T>) -> String {
    words.fold(row.state.clone(), |mut name, word| {
        name.push(':');
        name.push_str(word.as_ref().trim());
        name
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::Profiles;

    /// Traces of z3 on seeds of the corpus.
    const BOUNDED_TRACE: &str = include_str!("../../tests/traces/counter_is_bounded.z3-4.8.10.txt");
    const OVERFLOW_TRACE: &str = include_str!("../../tests/traces/counter_overflows.z3-5.4.0.txt");
    const WORD_COUNTER_TRACE: &str = include_str!("../../tests/traces/word_counter.z3-5.4.0.txt");

    fn read_as(profile: &str, text: &str) -> TraceReading {
        let profiles = Profiles::built_in();
        read_trace(profiles.get(profile).unwrap().trace.as_ref().unwrap(), text.as_bytes())
    }

    fn check(text: &str, states: &str, rest: &str) {
        let reading = read_as("z3", text);
        let expected: Vec<&str> = states.split_whitespace().collect();
        assert_eq!(reading.trace.states().collect::<Vec<_>>(), expected);
        assert_eq!(String::from_utf8_lossy(&reading.rest), rest);
        assert_eq!(reading.trace.unread(), rest.lines().count());
    }

    /// The states after the preparations, of which there are 24.
    fn check_search(text: &str, states: &str) {
        let reading = read_as("spacer", text);
        let expected: Vec<&str> = states.split_whitespace().collect();
        let all: Vec<&str> = reading.trace.states().collect();
        assert!(all[..24].iter().all(|state| state.starts_with("xform:mk_")), "{all:?}");
        assert_eq!(all[24..], expected);
        assert!(reading.rest.is_empty() && reading.trace.is_usable());
    }

    #[test]
    fn records_are_found_where_the_solver_below_interrupts_them() {
        let deeper = "level expand:FAR child:FAR out:U expand:FAR out:F expand:FAR out:F end:check_reachability propagate";
        check_search(
            BOUNDED_TRACE,
            &format!(
                "expand:FAR out:F end:check_reachability {deeper} propagate:beyond end:propagate {deeper} end:propagate"
            ),
        );
    }

    #[test]
    fn a_counterexample_is_reached_from_child_to_parent() {
        let deeper = "level expand:FAR child:FAR out:U expand:FAR out:F expand:FAR out:F end:check_reachability \
            propagate propagate:beyond end:propagate ";
        let last = "expand:FAR child:FAR out:U ".repeat(4);
        let reached = "reach:FAR out:T ".repeat(4);
        check_search(
            OVERFLOW_TRACE,
            &format!(
                "expand:FAR out:F end:check_reachability {} level {last} expand:FAR out:T {reached} end:check_reachability",
                deeper.repeat(4)
            ),
        );
    }

    #[test]
    fn an_engine_that_is_not_spacer_has_records_of_its_own() {
        let reading = read_as("z3", WORD_COUNTER_TRACE);
        assert!(reading.trace.is_usable() && reading.rest.is_empty());
        assert_eq!(reading.trace.states().last(), Some("relation:join_project"));
    }

    #[test]
    fn numbers_names_and_times_are_dropped_and_all_else_is_kept() {
        check(
            "expand: a b (0, 7) SUB CONJ  SUBS w(0) 1. UNDEF 12.34\n",
            "expand:SUB:CONJ:SUBS out:UNDEF",
            "",
        );
        check("expand: inv (0, 7) FAR  w(3) 1. K 0.00\n", "expand:weak:FAR out:K", "");
        check("(restarting :lemmas 12 :restart_threshold 20)\n", "restart", "");
        check("Deleting closed node: inv(3, 4) 77\n", "closed", "");
        check("(transform N7datalog8mk_sliceE...3 rules 0s)\n", "xform:mk_slice", "");
        check("(transform N7datalog8mk_sliceE...no-op 0.01s)\n", "xform:mk_slice:no-op", "");
    }

    #[test]
    fn what_is_no_record_is_kept_for_those_who_look_for_trouble() {
        let text = "Entering level 1\nASSERTION VIOLATION\nFile: a.cpp\nPropagating: 0 1  ! 2 \n";
        check(text, "level propagate propagate:beyond", "ASSERTION VIOLATION\nFile: a.cpp\n");
    }

    #[test]
    fn a_flood_is_no_trace_and_nothing_of_it_is_lost() {
        let flood = "x\n".repeat(1 << 20) + "ASSERTION VIOLATION\n";
        let reading = read_as("z3", &flood);
        assert!(reading.trace.is_foreign() && reading.trace.unread() < 2000);
        assert_eq!(reading.rest, flood.as_bytes());
    }

    #[test]
    fn a_version_that_writes_otherwise_has_no_usable_trace() {
        let changed = BOUNDED_TRACE.replace("expand: ", "expanding ").replace("create_child: ", "child ");
        let trace = read_as("z3", &changed).trace;
        assert!(!trace.is_usable() && trace.is_foreign() && !trace.is_empty(), "{}", trace.unread());
        assert!(read_as("z3", "spacer: step 1\n").trace.is_foreign());
        assert!(!read_as("z3", "").trace.is_usable());
    }
}
