//! The equations of `rules/equivalences.smt2`, for the sorts of a script.
//!
//! A row is a definition whose body is an equation. Words in capitals stand for sorts and numbers, so a row is read once for every
//! sort of the script that fits.

use gainsay_smt::import::{Import, Renaming};
use gainsay_smt::print::sort_text;
use gainsay_smt::{Arena, Command, Script, Sort, Symbol, Term, TermView};
use std::sync::Arc;

const EQUIVALENCE_TABLE: &str = include_str!("../../rules/equivalences.smt2");

/// Sorts of a script that rows are read for.
const MAX_SORTS_READ: usize = 12;

/// The widest bit-vectors that rows are read for: a script may declare wider ones than solvers can write.
const MAX_WIDTH: u32 = 4096;

/// Words of a row that stand for something.
const SCHEMA_WORDS: [&str; 9] = ["T", "W", "V", "F", "E", "S", "A", "I", "J"];

/// An equation in the arena of a script.
#[derive(Debug)]
pub struct Equation {
    /// The name of its row.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<(Symbol, Sort)>,
    /// Its sides.
    pub sides: (Term, Term),
}

/// The equations that fit a script.
#[derive(Debug, Default)]
pub struct EquationTable {
    /// In the order of the table.
    pub equations: Vec<Equation>,
}

impl EquationTable {
    /// Reads the rows for some sorts into the arena of a script.
    pub fn for_sorts(script: &mut Script, sorts: &[Sort]) -> EquationTable {
        let signature = Arc::clone(script.arena().signature());
        let names: Vec<String> = sorts.iter().map(|&sort| sort_text(script.arena(), sort)).collect();
        // In a logic without integers, a numeral would be read as a real number.
        let has_integers = script.arena().has_int_numerals();
        let is_used = |row: &&str| {
            let is_integer = matches!(first_sort(row), "Int" | "String");
            schema_words(row).is_empty()
                && names.iter().any(|name| first_sort(row) == name)
                && (has_integers || !is_integer)
        };
        let mut text = rows().filter(is_used).collect::<Vec<_>>().join("\n") + "\n";
        for (number, &sort) in sorts.iter().take(MAX_SORTS_READ).enumerate() {
            let meanings = meanings(script.arena(), sort);
            let fits = |row: &&str| {
                let words = schema_words(row);
                !words.is_empty() && words.iter().all(|word| meanings.iter().any(|(known, _)| known == word))
            };
            for row in rows().filter(fits) {
                text.push_str(&renamed(&filled(row, &meanings), number));
            }
        }
        let table = Script::parse(&text, &signature).expect("the rows of the table are definitions");
        EquationTable { equations: imported(&table, script) }
    }
}

/// The rows at one width of bit-vectors, one format and one array sort, as a script of definitions. For tests of the table.
pub fn equations_at(width: u32, sorts: &[&str]) -> String {
    let mut text = String::new();
    let array = ["(Array Int Bool)", "Int", "Bool"];
    for row in rows() {
        let words = schema_words(row);
        let generic: &[&str] = if words.contains(&"T") { sorts } else { &[""] };
        for (number, sort) in generic.iter().enumerate() {
            let meanings: Vec<(&str, String)> = vec![
                ("T", (*sort).to_owned()),
                ("W", width.to_string()),
                ("V", (width - 1).to_string()),
                ("F", "(_ FloatingPoint 3 4)".to_owned()),
                ("E", "3".to_owned()),
                ("S", "4".to_owned()),
                ("A", array[0].to_owned()),
                ("I", array[1].to_owned()),
                ("J", array[2].to_owned()),
            ];
            text.push_str(&renamed(&filled(row, &meanings), number));
        }
    }
    text
}

/// The names of the rows.
pub fn row_names() -> Vec<&'static str> {
    rows().map(row_name).collect()
}

fn rows() -> impl Iterator<Item = &'static str> {
    EQUIVALENCE_TABLE.lines().filter(|line| line.starts_with("(define-fun "))
}

fn row_name(row: &str) -> &str {
    row.split_whitespace().nth(1).unwrap_or_default()
}

/// The sort of the first parameter of a row, if it is one word.
fn first_sort(row: &str) -> &str {
    let parameter = row.split("((").nth(1).unwrap_or_default();
    parameter.split([' ', ')']).nth(1).unwrap_or_default()
}

/// A definition with a number after its name, so that a row may be read for several sorts.
fn renamed(row: &str, number: usize) -> String {
    let name = row_name(row);
    row.replacen(name, &format!("{name}.{number}"), 1) + "\n"
}

/// The words of a row that stand for something.
fn schema_words(row: &str) -> Vec<&'static str> {
    let words: Vec<&str> = row.split([' ', '(', ')']).collect();
    SCHEMA_WORDS.into_iter().filter(|word| words.contains(word)).collect()
}

/// A row with the words replaced by their meanings.
fn filled(row: &str, meanings: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(row.len() * 2);
    for piece in row.split_inclusive([' ', '(', ')']) {
        let word = piece.trim_end_matches([' ', '(', ')']);
        match meanings.iter().find(|(known, _)| *known == word) {
            Some((_, meaning)) => {
                text.push_str(meaning);
                text.push_str(&piece[word.len()..]);
            }
            None => text.push_str(piece),
        }
    }
    text
}

/// What the words of rows mean for a sort of a script; empty for sorts that the script declares.
fn meanings(arena: &Arena, sort: Sort) -> Vec<(&'static str, String)> {
    let sort = arena.canonical(sort);
    if !is_built_in(arena, sort) {
        return Vec::new();
    }
    let (text, view) = (sort_text(arena, sort), arena.view_sort(sort));
    let index = |place: usize| view.indices.get(place).and_then(|index| index.numeral());
    let mut meanings = vec![("T", text.clone())];
    match (arena.text(view.head), view.arguments) {
        ("BitVec", _) => {
            let width = index(0).unwrap_or(1);
            if width > MAX_WIDTH {
                return meanings;
            }
            meanings.extend([("W", width.to_string()), ("V", width.saturating_sub(1).to_string())]);
        }
        ("FloatingPoint", _) => {
            let numbers = [index(0), index(1)].map(|number| number.unwrap_or(2).to_string());
            let [exponent, significand] = numbers;
            meanings.extend([("F", text), ("E", exponent), ("S", significand)]);
        }
        ("Array", &[key, element]) => {
            meanings.extend([("A", text), ("I", sort_text(arena, key)), ("J", sort_text(arena, element))]);
        }
        _ => {}
    }
    meanings
}

/// Returns true if the sort and its arguments are of theories.
fn is_built_in(arena: &Arena, sort: Sort) -> bool {
    const BUILT_IN: [&str; 8] =
        ["Bool", "Int", "Real", "String", "BitVec", "FloatingPoint", "RoundingMode", "Array"];
    let mut open = vec![sort];
    while let Some(sort) = open.pop() {
        let view = arena.view_sort(arena.canonical(sort));
        if !BUILT_IN.contains(&arena.text(view.head)) {
            return false;
        }
        open.extend(view.arguments);
    }
    true
}

/// The equations of a table, copied to the arena of a script.
fn imported(table: &Script, script: &mut Script) -> Vec<Equation> {
    let renaming = Renaming::default();
    let mut import = Import::new(table.arena(), &renaming, script.arena_mut());
    let mut copied = Vec::new();
    for command in &table.commands {
        let Command::Define(_, row) = command else { continue };
        let TermView::Application(_, &[left, right]) = table.arena().view(row.body) else { continue };
        let sides = (import.term(left), import.term(right));
        let sorts: Vec<Sort> = row.parameters.iter().map(|one| import.sort(one.sort)).collect();
        copied.push((row, sides, sorts));
    }
    let arena = script.arena_mut();
    let equation = |(row, sides, sorts): (&Arc<gainsay_smt::Definition>, (Term, Term), Vec<Sort>)| {
        let names = row.parameters.iter().map(|one| arena.symbol(table.arena().text(one.name)));
        let parameters = names.zip(sorts).collect();
        let name = table.arena().text(row.name).split('.').next().unwrap_or_default().to_owned();
        Equation { name, parameters, sides }
    };
    copied.into_iter().map(equation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget};
    use gainsay_smt::{Signature, sat_queries};

    fn parsed(text: &str) -> Script {
        Script::parse(text, &Signature::standard())
            .unwrap_or_else(|error| panic!("{error}: {}", error.excerpt))
    }

    /// The script that is unsatisfiable if a row holds.
    fn refutation(row: &str) -> String {
        let script = parsed(row);
        let Command::Define(_, definition) = &script.commands[0] else { panic!("{row}") };
        let mut text = format!("{row}\n");
        let mut names = String::new();
        for one in definition.parameters.iter() {
            let name = format!("arg_{}", script.arena().text(one.name));
            text.push_str(&format!("(declare-const {name} {})\n", sort_text(script.arena(), one.sort)));
            names.push_str(&format!(" {name}"));
        }
        let name = script.arena().text(definition.name);
        text + &format!("(assert (not ({name}{names})))\n(check-sat)\n")
    }

    #[test]
    fn exhaustion_proves_the_rows_over_small_sorts() {
        let mut proved = 0;
        for width in 1..=3 {
            for row in equations_at(width, &["Bool", "(_ BitVec 2)"]).lines() {
                let is_small = !["Int", "Real", "String", "Array", "T"].iter().any(|word| row.contains(word));
                if !is_small {
                    continue;
                }
                let script = parsed(&refutation(row));
                let queries = sat_queries(&script);
                let budget = ExhaustionBudget::of_steps(20_000_000);
                let decision = exhaust::decide(&script, &queries[0], budget);
                assert!(matches!(decision.answer, ExactAnswer::Unsat), "{row}: {:?}", decision.answer);
                proved += 1;
            }
        }
        assert!(proved > 150, "{proved}");
    }

    #[test]
    fn every_row_is_an_equation_with_a_name_of_its_own() {
        let mut names = row_names();
        let count = names.len();
        assert!(count > 90, "{count}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let table = parsed(&equations_at(4, &["Int"]));
        for command in &table.commands {
            let Command::Define(_, row) = command else { panic!("{command:?}") };
            let arena = table.arena();
            let TermView::Application(head, sides) = arena.view(row.body) else { panic!() };
            assert!(arena.text(head.symbol) == "=" && sides.len() == 2, "{}", arena.text(row.name));
        }
    }
}
