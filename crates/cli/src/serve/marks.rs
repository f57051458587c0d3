//! Marks of findings in the folder of a campaign: lines of `known.txt`, with a link as the comment above.
//!
//! ```text
//! # filed: https://github.com/Z3Prover/z3/issues/1
//! refutation z3 QF_S {=(str.replace)}
//! ```
//!
//! The file has the format of `--known`, and a campaign reads it when it begins or resumes.

use gainsay_engine::campaign::known_bugs::lines;
use gainsay_engine::store::postgres::overview::FindingMark;

/// Precedes a link in the file.
const LINK_COMMENT: &str = "# filed: ";

/// Reads the marks of a file.
pub fn read_marks(text: &str) -> Vec<FindingMark> {
    let mut link = String::new();
    let mut marks = Vec::new();
    for line in text.lines().map(str::trim) {
        match line.strip_prefix(LINK_COMMENT) {
            Some(address) => link = address.to_owned(),
            None if lines(line).next().is_none() => link.clear(),
            None => {
                let link = std::mem::take(&mut link);
                let mark = if link.is_empty() { "known" } else { "filed" }.to_owned();
                marks.push(FindingMark { fingerprint: line.to_owned(), mark, link });
            }
        }
    }
    marks
}

/// The text of the file with this mark of a finding, or with none; other lines stay.
pub fn edit_marks(text: &str, fingerprint: &str, mark: Option<&FindingMark>) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.trim() != fingerprint.trim() {
            kept.push(line);
        } else if kept.last().is_some_and(|last| last.starts_with(LINK_COMMENT)) {
            kept.pop();
        }
    }
    let mut text: String = kept.iter().map(|line| format!("{line}\n")).collect();
    if let Some(mark) = mark {
        if !mark.link.is_empty() {
            text += &format!("{LINK_COMMENT}{}\n", mark.link);
        }
        text += &format!("{fingerprint}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_added_changed_and_removed_and_other_lines_stay() {
        let filed = |link: &str| FindingMark {
            fingerprint: "crash z3 x".into(),
            mark: if link.is_empty() { "known" } else { "filed" }.into(),
            link: link.into(),
        };
        let before = "# mine\ncrash z3 y\n";
        let with_link = edit_marks(before, "crash z3 x", Some(&filed("https://a.example/1")));
        assert_eq!(with_link, "# mine\ncrash z3 y\n# filed: https://a.example/1\ncrash z3 x\n");
        assert_eq!(read_marks(&with_link)[1], filed("https://a.example/1"));
        let known = edit_marks(&with_link, "crash z3 x", Some(&filed("")));
        assert_eq!(known, "# mine\ncrash z3 y\ncrash z3 x\n");
        assert_eq!(edit_marks(&known, "crash z3 x", None), before);
    }
}
