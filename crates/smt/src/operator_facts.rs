//! Facts about operators beside their ranks, read from the table `theories/operators.txt`.
//!
//! ```text
//! commutative + *
//! mirror > <
//! ```

use std::sync::LazyLock;

const OPERATOR_FACTS: &str = include_str!("../theories/operators.txt");

/// The rows of a fact, each without the name of the fact.
///
/// ```
/// use gainsay_smt::operator_facts;
///
/// assert!(operator_facts::lines("mirror").any(|row| row == [">", "<"]));
/// assert!(operator_facts::names("commutative").contains(&"bvadd"));
/// ```
pub fn lines(fact: &str) -> impl Iterator<Item = Vec<&'static str>> {
    FACT_ROWS.iter().filter(move |row| row[0] == fact).map(|row| row[1..].to_vec())
}

/// All words in the rows of a fact: the operators that it holds for.
pub fn names(fact: &str) -> Vec<&'static str> {
    lines(fact).flatten().collect()
}

/// The words of each row.
static FACT_ROWS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let lines = OPERATOR_FACTS.lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
    lines.map(|line| line.split_whitespace().collect()).collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;

    #[test]
    fn every_row_states_a_known_fact_about_known_operators() {
        let facts = [
            "commutative",
            "mirror",
            "twin",
            "value",
            "common",
            "useless",
            "unshared",
            "binary",
            "literal",
            "argument",
            "synonym",
            "unspecified",
            "open",
        ];
        let signature = Signature::standard();
        let is_operator =
            |name: &str| signature.find_symbol(name).is_some_and(|symbol| signature.is_operator(symbol));
        for row in FACT_ROWS.iter().cloned() {
            assert!(facts.contains(&row[0]) && row.len() > 1, "{row:?}");
            let names = match row[0] {
                "useless" => &row[2..],
                "unshared" | "argument" | "unspecified" => &row[1..2],
                _ => &row[1..],
            };
            // `(as const S)`, which makes constant arrays, has no rank of its own.
            let is_known = |name: &&str| is_operator(name) || *name == "const";
            assert!(names.iter().all(is_known), "{row:?}");
        }
        assert!(lines("mirror").chain(lines("twin")).chain(lines("synonym")).all(|line| line.len() == 2));
        let is_rank = |line: Vec<&str>| (2..=3).contains(&line.len()) && line[1].parse::<usize>().is_ok();
        assert!(lines("unshared").all(is_rank));
    }
}
