//! The place in a solver's source at which it reports that it failed.
//!
//! ```text
//! ASSERTION VIOLATION                                      Fatal failure within void f() at ../src/theory/sets.cpp:118
//! File: ../src/smt/theory_seq.cpp
//! Line: 118                         ⇒ theory_seq.cpp:118                                            ⇒ sets.cpp:118
//! ```
//!
//! Only the name of the file is kept: its folder is that of the machine on which the solver was built.

use std::fmt;

/// The endings of source files.
const SOURCE_SUFFIXES: [&str; 6] = [".cpp", ".cc", ".c", ".h", ".hpp", ".rs"];
/// Words between a file and its line: `Line:`.
const MAX_WORDS_TO_LINE: usize = 3;

/// A file and a line of a solver's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrashPlace<'a> {
    /// The name of the file, without its folder.
    pub file: &'a str,
    /// The line, if the text has it.
    pub line: Option<&'a str>,
}

impl<'a> CrashPlace<'a> {
    /// The first place in a text; `None` if it names no source file.
    pub fn find(text: &'a str) -> Option<Self> {
        let is_separator = |letter: char| letter.is_whitespace() || "():,\"'`".contains(letter);
        let mut words = text.split(is_separator).filter(|word| !word.is_empty());
        let is_source = |word: &&str| SOURCE_SUFFIXES.iter().any(|suffix| word.ends_with(suffix));
        let file = words.find(is_source)?.rsplit('/').next()?;
        let is_number = |word: &&str| word.bytes().all(|digit| digit.is_ascii_digit());
        Some(CrashPlace { file, line: words.take(MAX_WORDS_TO_LINE).find(is_number) })
    }
}

impl fmt::Display for CrashPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(self.file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_from_the_words_of_each_solver() {
        let check = |text: &str, expected: &str| {
            let place = CrashPlace::find(text).map(|place| place.to_string());
            assert_eq!(place.unwrap_or_default(), expected, "{text}");
        };
        check("ASSERTION VIOLATION\nFile: ../src/smt/theory_seq.cpp\nLine: 118\nm_a", "theory_seq.cpp:118");
        check("Fatal failure within void f() at /a/src/sets.cpp:118", "sets.cpp:118");
        check("yices: solver.c:7: f: Assertion `a == 2' failed.", "solver.c:7");
        check("thread 'main' panicked at src/main.rs:3:5:", "main.rs:3");
        check("Check failure in term.h", "term.h");
        check("a.cpp has a bug that 12 people know", "a.cpp");
        check("signal 11", "");
    }
}
