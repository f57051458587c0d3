//! Operators from the user's files: theory tables, lists in typefuzz's format, classes in opfuzz's format.
//!
//! A list has one signature per line, such as `(str.substr String Int Int String)`. Its pseudo-operator `(par (A) (id A
//! A))` allows replacing a term by another term of the script. Unlike in typefuzz, sorts may be any that tables can
//! express, and attributes such as `:left-assoc` are respected.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gainsay_smt::Signature;
use gainsay_smt::signature::STANDARD_THEORIES;

use super::{OperatorClasses, Operators};
use gainsay_solvers::bounded;
use gainsay_solvers::profile::Profile;
use gainsay_solvers::version::Version;

/// An error in a file of operators.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", if *line > 0 { format!(":{line}") } else { String::new() })]
pub struct OperatorFileError {
    /// The file.
    pub file: String,
    /// The line; 0 if the file cannot be read.
    pub line: usize,
    /// The error, and the correction.
    pub what: String,
}

/// The operators that files of signatures and classes allow, and the signature to read scripts with, which includes
/// operators that only the files define.
///
/// Without files of signatures, these are the operators that all solvers know.
pub fn load(
    signatures: &[PathBuf],
    classes: &[PathBuf],
    solvers: &[(&Profile, Option<&Version>)],
) -> Result<(Arc<Signature>, Operators), OperatorFileError> {
    let mut allowed: Option<OperatorClasses> = None;
    for path in classes {
        let (file, text) = contents(path)?;
        allowed.get_or_insert_default().extend(OperatorClasses::read(&file, &text)?);
    }
    let signatures: Result<Vec<(String, String)>, _> = signatures.iter().map(|path| contents(path)).collect();
    let (signature, mut operators) = match signatures?.as_slice() {
        [] => {
            let signature = Signature::standard();
            let operators = Operators::known_to(&signature, solvers);
            (signature, operators)
        }
        files => read(files)?,
    };
    operators.classes = allowed;
    Ok((signature, operators))
}

/// The operators of these files (name and text) only.
pub fn read(files: &[(String, String)]) -> Result<(Arc<Signature>, Operators), OperatorFileError> {
    let mut identity = false;
    let mut tables: Vec<(&str, String)> =
        STANDARD_THEORIES.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    for (file, text) in files {
        let table = if is_table(text) { text.clone() } else { table_of(file, text, &mut identity)? };
        tables.push((file, table));
    }
    let tables: Vec<(&str, &str)> = tables.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let signature = Arc::new(Signature::read(&tables).map_err(|(file, error)| OperatorFileError {
        file,
        line: error.line,
        what: error.message,
    })?);
    let own = Signature::standard().theories().len();
    let mut operators = Operators::chosen(&signature, |rank| rank.theory >= own);
    operators.identity = identity;
    Ok((signature, operators))
}

/// Whether a text is a theory table.
fn is_table(text: &str) -> bool {
    let code = text.lines().map(|line| line.split(';').next().unwrap_or("").trim());
    code.into_iter().find(|line| !line.is_empty()).is_some_and(|line| line.starts_with("(theory"))
}

/// Converts a list of signatures to a table with the same lines.
fn table_of(file: &str, text: &str, identity: &mut bool) -> Result<String, OperatorFileError> {
    let mut table = String::from("(theory List :funs (");
    for (number, line) in text.lines().enumerate() {
        let code = line.split(';').next().unwrap_or("").trim();
        let words: Vec<&str> = code.split(['(', ')', ' ']).filter(|word| !word.is_empty()).collect();
        if matches!(words.as_slice(), ["par", "A", "id", "A", "A"] | ["id", ..]) {
            *identity = true;
        } else if code.is_empty() || is_whole(code) {
            table.push_str(code);
        } else {
            let what = "expected one signature a line, such as (str.len String Int)".to_owned();
            return Err(OperatorFileError { file: file.to_owned(), line: number + 1, what });
        }
        table.push('\n');
    }
    table.push_str("))");
    Ok(table)
}

/// Whether a line is exactly one parenthesised list.
fn is_whole(line: &str) -> bool {
    let mut open = 0i64;
    let ends = line.char_indices().filter_map(|(position, character)| {
        open += match character {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (open <= 0).then_some(position)
    });
    ends.take(1).eq([line.len() - 1])
}

fn contents(path: &Path) -> Result<(String, String), OperatorFileError> {
    let file = path.display().to_string();
    match bounded::read_text(path, bounded::MAX_SETTINGS_BYTES) {
        Ok(text) => Ok((file, text)),
        Err(error) => Err(OperatorFileError { file, line: 0, what: format!("cannot be read: {error}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::value::ConstantSource;
    use crate::{CaseBounds, Parent, StrategySettings, find};
    use gainsay_smt::Script;

    fn read_one(text: &str) -> Result<(Arc<Signature>, Operators), OperatorFileError> {
        read(&[("ops.txt".to_owned(), text.to_owned())])
    }

    /// The terms that mutations with the operators of a file put in place of `x`.
    fn replacements(text: &str, sort: &str) -> Vec<String> {
        let (signature, operators) = read_one(text).unwrap();
        let script =
            format!("(declare-const x {sort})(declare-const y {sort})(assert (and (= x x) (= y y)))");
        let script = Script::parse(&script, &signature).unwrap();
        let (bounds, fusion) = (CaseBounds { bytes: 1000, depth: 20 }, crate::FusionSettings::default());
        let settings = StrategySettings {
            bounds,
            operators,
            fusion,
            values: ConstantSource::Random,
            scope: crate::ScopeChoice::default(),
            formats: Default::default(),
            enumerations: Default::default(),
        };
        let parents = [Parent::new(&script, None)];
        let made = (0..400).filter_map(|number| {
            let proposal = find("generative")?
                .propose(&parents, &settings, &mut RandomStream::new(number).rng())
                .ok()?;
            proposal.step.description.strip_prefix("x -> ").map(str::to_owned)
        });
        let mut made: Vec<String> = made.collect();
        made.sort();
        made.dedup();
        made
    }

    #[test]
    fn a_list_of_typefuzz_is_all_that_may_be_used_and_its_attributes_count() {
        let list = "; integers\n(abs Int Int)\n(par (A) (id A A)) ; copy\n";
        assert_eq!(replacements(list, "Int"), ["(abs x)", "(abs y)", "y"]);
        let sums = replacements("(+ Int Int Int :left-assoc)", "Int");
        assert!(sums.contains(&"(+ y x)".to_owned()) && sums.contains(&"(+ x y x)".to_owned()), "{sums:?}");
        assert!(sums.iter().all(|sum| sum.starts_with("(+ ")), "{sums:?}");
    }

    #[test]
    fn a_table_may_say_what_typefuzz_cannot() {
        let table = "(theory Mine :funs ((bvnot (_ BitVec m) (_ BitVec m))))";
        assert_eq!(replacements(table, "(_ BitVec 8)"), ["(bvnot x)", "(bvnot y)"]);
    }

    #[test]
    fn a_mistake_is_named_with_its_line_and_what_to_write() {
        let error = |text: &str| read_one(text).unwrap_err().to_string();
        let expected = "expected one signature a line, such as (str.len String Int)";
        assert_eq!(error("(abs Int Int)\nabs Int Int"), format!("ops.txt:2: {expected}"));
        assert_eq!(error("(abs Int Int) (abs Int Int)"), format!("ops.txt:1: {expected}"));
        assert_eq!(error("(abs Int Int)\n\n(+ Int Int Int :left)"), "ops.txt:3: unknown attribute :left");
    }
}
