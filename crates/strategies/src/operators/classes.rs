//! Classes of operators that may replace each other, in the format of opfuzz's `operator_mutations.txt`.
//!
//! ```text
//! ; a comment
//! and,or,=> :arity 2+        each may replace each, with two arguments or more
//! not -> and,or              one way only
//! ```
//!
//! An arity is `2` (exactly two), `2+` (two or more) or `1-` (at most one).

use super::OperatorFileError;

/// Which operators may replace which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorClasses {
    classes: Vec<OperatorClass>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OperatorClass {
    from: Vec<String>,
    to: Vec<String>,
    /// The smallest and the largest number of arguments.
    arity: (usize, usize),
}

impl OperatorClasses {
    /// Reads a file of classes, one per line.
    pub fn read(file: &str, text: &str) -> Result<OperatorClasses, OperatorFileError> {
        let lines = text.lines().enumerate();
        let lines = lines.map(|(number, line)| (number + 1, line.split(';').next().unwrap_or("").trim()));
        let classes = lines.filter(|(_, line)| !line.is_empty()).map(|(line, text)| {
            class(text).map_err(|what| OperatorFileError { file: file.to_owned(), line, what })
        });
        Ok(OperatorClasses { classes: classes.collect::<Result<_, _>>()? })
    }

    /// Adds the classes of another file.
    pub fn extend(&mut self, other: OperatorClasses) {
        self.classes.extend(other.classes);
    }

    /// Whether an operator with `count` arguments may be replaced by another.
    pub fn allow(&self, old: &str, new: &str, count: usize) -> bool {
        self.classes.iter().any(|class| {
            (class.arity.0..=class.arity.1).contains(&count)
                && class.from.iter().any(|name| name == old)
                && class.to.iter().any(|name| name == new)
        })
    }
}

fn class(line: &str) -> Result<OperatorClass, String> {
    // opfuzz's own examples write `: arity:`.
    let line = line.replace(": arity:", ":arity");
    let (operators, arity) = match line.split_once(":arity") {
        Some((operators, number)) => (operators, arity(number.trim())?),
        None => (line.as_str(), (0, usize::MAX)),
    };
    let (from, to) = match operators.split_once("->") {
        Some((from, to)) => (names(from), names(to)),
        None => (names(operators), names(operators)),
    };
    if from.is_empty() || to.is_empty() {
        return Err("expected operators, such as `and,or` or `not -> and,or`".to_owned());
    }
    if let Some(name) = from.iter().chain(&to).find(|name| name.contains(char::is_whitespace)) {
        return Err(format!("put commas between operators: `{name}`"));
    }
    Ok(OperatorClass { from, to, arity })
}

fn names(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn arity(text: &str) -> Result<(usize, usize), String> {
    let wrong = || format!("expected an arity such as 2, 2+ or 1-, found `{text}`");
    let (number, ending) = text.split_at(text.find(['+', '-']).unwrap_or(text.len()));
    let number: usize = number.trim().parse().map_err(|_| wrong())?;
    match ending {
        "" => Ok((number, number)),
        "+" => Ok((number, usize::MAX)),
        "-" => Ok((0, number)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_go_both_ways_rules_one_way_and_arities_count() {
        let text = "; core\nand,or,=> :arity 3+\nxor,and :arity 2\nnot -> and,or\n-,abs :arity 1-\n";
        let classes = OperatorClasses::read("c.txt", text).unwrap();
        for (old, new, count, allowed) in [
            ("and", "or", 3, true),
            ("and", "or", 2, false),
            ("and", "xor", 2, true),
            ("and", "xor", 3, false),
            ("not", "and", 1, true),
            ("and", "not", 1, false),
            ("-", "abs", 1, true),
            ("-", "abs", 2, false),
        ] {
            assert_eq!(classes.allow(old, new, count), allowed, "{old} to {new} with {count}");
        }
    }

    #[test]
    fn a_mistake_is_named_with_its_line_and_what_to_write() {
        let error = |text: &str| OperatorClasses::read("c.txt", text).unwrap_err().to_string();
        assert_eq!(error("a,b\nand or"), "c.txt:2: put commas between operators: `and or`");
        assert_eq!(error("a,b :arity two"), "c.txt:1: expected an arity such as 2, 2+ or 1-, found `two`");
        assert_eq!(error("\n-> b"), "c.txt:2: expected operators, such as `and,or` or `not -> and,or`");
    }
}
