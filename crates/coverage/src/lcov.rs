//! Writes lines in the format of lcov, which genhtml and editors read, and reads what gcov and llvm-cov export.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::reached::ReachedSites;
use crate::report;
use crate::target::CoverageTarget;

/// The lines of a target as an lcov tracefile. A reached line has the count 1: traps tell whether, not how often.
pub fn write(target: &CoverageTarget, reached: &ReachedSites) -> String {
    write_lines(
        report::lines(target, reached).into_iter().map(|((file, line), reached)| (file, line, reached)),
    )
}

/// Lines by file, and whether they were reached, as an lcov tracefile.
pub fn write_lines<'a>(lines: impl Iterator<Item = (&'a str, u64, bool)>) -> String {
    let mut files: BTreeMap<&str, Vec<(u64, bool)>> = BTreeMap::new();
    for (file, line, is_reached) in lines {
        files.entry(file).or_default().push((line, is_reached));
    }
    let mut text = String::new();
    for (file, lines) in files {
        let _ = writeln!(text, "TN:\nSF:{file}");
        for (line, is_reached) in &lines {
            let _ = writeln!(text, "DA:{line},{}", u8::from(*is_reached));
        }
        let hit = lines.iter().filter(|(_, is_reached)| *is_reached).count();
        let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
    }
    text
}

/// The lines of an lcov tracefile, and whether they were reached; lines of all records are joined.
pub fn read(text: &str) -> BTreeMap<(String, u64), bool> {
    let mut lines = BTreeMap::new();
    let mut file = "";
    for row in text.lines() {
        if let Some(name) = row.strip_prefix("SF:") {
            file = name;
        } else if let Some(data) = row.strip_prefix("DA:") {
            let mut fields = data.split(',');
            let line = fields.next().and_then(|line| line.parse().ok());
            let count = fields.next().and_then(|count| count.parse::<f64>().ok());
            if let (Some(line), Some(count)) = (line, count) {
                *lines.entry((file.to_owned(), line)).or_insert(false) |= count > 0.0;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_one_file_are_joined() {
        let text =
            "TN:\nSF:a.cpp\nDA:1,0\nDA:2,5\nend_of_record\nSF:a.cpp\nDA:1,1\nFNDA:1,f\nend_of_record\n";
        let lines = read(text);
        assert_eq!(lines.get(&("a.cpp".to_owned(), 1)), Some(&true));
        assert_eq!(lines.len(), 2);
    }
}
