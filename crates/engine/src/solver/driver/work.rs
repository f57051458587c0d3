//! Asks a solver for its own count of its work, by commands after the script, and takes the answer out of the output.
//!
//! ```text
//! (check-sat)                      sat
//! (echo "gainsay-work")            gainsay-work
//! (get-info :rlimit)               (:rlimit 1234)
//! ```

use super::WorkCount;

/// The line before the count.
const MARK: &str = "gainsay-work";

/// The commands to put after a script.
pub fn commands(work: &WorkCount) -> String {
    format!("(echo \"{MARK}\")\n{}\n", work.command)
}

/// Takes the count, and everything from the mark on, out of an output.
pub fn take(work: &WorkCount, output: &mut Vec<u8>) -> Option<u64> {
    let at = output.windows(MARK.len()).rposition(|part| part == MARK.as_bytes())?;
    let tail = String::from_utf8_lossy(&output[at..]).into_owned();
    // Some solvers print the mark as a string, with its quotes.
    output.truncate(at - usize::from(at > 0 && output[at - 1] == b'"'));
    let number = tail.split_once(&work.before)?.1.trim_start_matches(|c: char| !c.is_ascii_digit());
    number[..number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, output: &str, count: Option<u64>, rest: &str) {
        let work = WorkCount { command: String::new(), before: before.to_owned() };
        let mut bytes = output.as_bytes().to_vec();
        assert_eq!(take(&work, &mut bytes), count, "{output}");
        assert_eq!(String::from_utf8_lossy(&bytes), rest);
    }

    #[test]
    fn the_count_leaves_no_trace_in_the_output() {
        check(":rlimit", "sat\ngainsay-work\n(:rlimit 219)\n", Some(219), "sat\n");
        let statistics = "sat\n\"gainsay-work\"\n(:all-statistics ((\"a\" 1) (\"resource::resourceUnitsUsed\" 162) (\"b\" 2)))\n";
        check("resource::resourceUnitsUsed", statistics, Some(162), "sat\n");
    }

    #[test]
    fn an_output_without_a_count_stays_as_it_is() {
        check(":rlimit", "sat\ntimeout\n", None, "sat\ntimeout\n");
        check(":rlimit", "sat\ngainsay-work\nunsupported\n", None, "sat\n");
    }
}
