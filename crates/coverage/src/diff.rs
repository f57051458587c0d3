//! Reads a unified diff: which lines of which files a change adds or edits.
//!
//! Diffs without context lines (`git diff -U0`) name exactly those. Lines that are only removed leave nothing behind, so the lines on
//! both sides of the gap stand for them.

use std::ops::RangeInclusive;

/// Lines of a file that a change adds or edits, as the new version numbers them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLines {
    /// The file, relative to the repository.
    pub file: String,
    /// The lines, from 1.
    pub lines: RangeInclusive<u64>,
}

impl ChangedLines {
    /// Returns true if a line of the file at this path, as the compiler was given it, is among them.
    pub fn has(&self, path: &str, line: u64) -> bool {
        let is_same =
            path.strip_suffix(&self.file).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        is_same && self.lines.contains(&line)
    }
}

/// The changed lines of a diff, in its order; files that the change removes have none.
pub fn read(text: &str) -> Vec<ChangedLines> {
    let mut changed = Vec::new();
    let mut file = None;
    // Rows of the hunk that are still to come: a line of code may look like the name of a file (`+++ i;` adds `++ i;`).
    let mut rows = 0;
    for row in text.lines() {
        if rows > 0 && row.starts_with(['+', '-']) {
            rows -= 1;
        } else if let Some(name) = row.strip_prefix("+++ ") {
            let name = name.split('\t').next().unwrap_or(name).trim_matches('"');
            file = (name != "/dev/null").then(|| name.strip_prefix("b/").unwrap_or(name));
        } else if let Some((lines, length)) = row.strip_prefix("@@ ").and_then(hunk) {
            rows = length;
            changed.extend(file.map(|file| ChangedLines { file: file.to_owned(), lines }));
        }
    }
    changed
}

/// The new lines of `-12,3 +14,2 @@ …`, and the number of rows that follow.
fn hunk(header: &str) -> Option<(RangeInclusive<u64>, u64)> {
    let part = |sign| -> Option<(u64, u64)> {
        let range = header.split(' ').find_map(|word| word.strip_prefix(sign))?;
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((_, removed), (start, added)) = (part('-')?, part('+')?);
    // Of a removal, `start` is the line before the gap.
    let lines = if added == 0 {
        start.max(1)..=start.saturating_add(1)
    } else {
        start..=start.saturating_add(added - 1)
    };
    Some((lines, removed.saturating_add(added)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_the_lines_that_are_new_or_around_a_gap() {
        let text = "diff --git a/src/a.cpp b/src/a.cpp\n--- a/src/a.cpp\n+++ b/src/a.cpp\n\
                    @@ -3 +3,2 @@ int f() {\n-x\n+y\n+z\n@@ -10,2 +11,0 @@\n-gone\n--- i;\n\
                    --- a/old.cpp\n+++ /dev/null\n@@ -1,9 +0,0 @@\n";
        let of = |lines| ChangedLines { file: "src/a.cpp".to_owned(), lines };
        assert_eq!(read(text), [of(3..=4), of(11..=12)]);
    }

    #[test]
    fn a_line_of_code_is_not_taken_for_the_name_of_a_file() {
        let text =
            "+++ b/a.cpp\n@@ -1,0 +2 @@\n+++ i;\n\\ No newline at end of file\n@@ -8 +9 @@\n--- j;\n+++ j;\n";
        let lines: Vec<_> = read(text).into_iter().map(|changed| (changed.file, changed.lines)).collect();
        assert_eq!(lines, [("a.cpp".to_owned(), 2..=2), ("a.cpp".to_owned(), 9..=9)]);
    }

    #[test]
    fn files_are_matched_by_the_end_of_their_path() {
        let changed = ChangedLines { file: "src/a.cpp".to_owned(), lines: 3..=4 };
        assert!(changed.has("/build/z3/src/a.cpp", 3) && changed.has("src/a.cpp", 4));
        assert!(!changed.has("/build/other_src/a.cpp", 3) && !changed.has("/build/src/a.cpp", 5));
    }
}
