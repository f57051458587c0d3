//! Replaces operators by simpler ones, by the rows of `rules/simpler.smt2`.
//!
//! ```text
//! (bvsdiv x y)   becomes   (bvudiv x y)
//! ```

use gainsay_smt::{Arena, Command, Head, Script, Sort, Symbol, Term, TermView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::contents::{bound_names, terms_of};
use crate::script_view::ScriptView;

/// Replaces operators by simpler ones.
pub struct SimplifyOperators;

const SIMPLER_OPERATORS: &str = include_str!("../../rules/simpler.smt2");

impl Pass for SimplifyOperators {
    fn name(&self) -> &'static str {
        "simplify-operators"
    }

    fn about(&self) -> &'static str {
        "replaces operators by simpler ones"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let rules = simpler_rows();
        let mut by_operator: FxHashMap<&str, Vec<&SimplerRow>> = FxHashMap::default();
        rules.iter().for_each(|rule| by_operator.entry(&rule.operator).or_default().push(rule));
        let terms = terms_of(script);
        let redefined = redefined_symbols(script, &terms);
        let arena = script.arena_mut();
        let mut batches: Vec<Vec<ScriptChange>> = Vec::new();
        for &term in terms.iter().rev() {
            let TermView::Application(head, arguments) = arena.view(term) else { continue };
            if !head.indices.is_empty() || head.qualifier.is_some() {
                continue;
            }
            let Some(rules) = by_operator.get(arena.text(head.symbol)) else { continue };
            let arguments = arguments.to_vec();
            let fitting: Vec<(&SimplerRow, Vec<Term>)> = rules
                .iter()
                .filter_map(|&rule| Some((rule, rule.bind(arena, &arguments, &redefined)?)))
                .collect();
            for (turn, (rule, bindings)) in fitting.into_iter().enumerate() {
                let new = instantiate(arena, &rule.replacement, &bindings, arena.sort_of(term));
                if batches.len() == turn {
                    batches.push(Vec::new());
                }
                batches[turn].push(ScriptChange::ReplaceEverywhere(term, new));
            }
        }
        batches
    }
}

/// Symbols that a script declares or binds: they are not operators of a theory.
fn redefined_symbols(script: &Script, terms: &[Term]) -> FxHashSet<Symbol> {
    let mut names = bound_names(script, terms);
    for command in &script.commands {
        match command {
            Command::Declare(_, name, ..) => drop(names.insert(*name)),
            Command::Define(_, definition) => drop(names.insert(definition.name)),
            Command::DefineFunsRec(definitions) => names.extend(definitions.iter().map(|d| d.name)),
            _ => {}
        }
    }
    names
}

/// One row of the table.
struct SimplerRow {
    operator: String,
    arguments: Vec<PatternTerm>,
    /// For each variable, the name of its sort without indices and arguments; `None` for any sort.
    sorts: Vec<Option<String>>,
    replacement: PatternTerm,
}

/// A term of a row: one of its variables, or an application.
#[derive(PartialEq)]
enum PatternTerm {
    Variable(usize),
    Application(String, Vec<PatternTerm>),
}

impl SimplerRow {
    /// Matches the row with the arguments of its operator: the terms that its variables stand for.
    fn bind(&self, arena: &Arena, arguments: &[Term], redefined: &FxHashSet<Symbol>) -> Option<Vec<Term>> {
        let mut bindings: Vec<Option<Term>> = vec![None; self.sorts.len()];
        let mut open: Vec<(&[PatternTerm], &[Term])> = vec![(&self.arguments, arguments)];
        while let Some((parts, terms)) = open.pop() {
            if parts.len() != terms.len() {
                return None;
            }
            for (part, &term) in parts.iter().zip(terms) {
                match (part, arena.view(term)) {
                    (PatternTerm::Variable(number), _)
                        if bindings[*number].is_none_or(|bound| bound == term) =>
                    {
                        bindings[*number] = Some(term);
                    }
                    (PatternTerm::Application(name, parts), TermView::Application(head, terms))
                        if arena.text(head.symbol) == name && head.indices.is_empty() =>
                    {
                        open.push((parts, terms));
                    }
                    _ => return None,
                }
            }
        }
        let bindings: Vec<Term> = bindings.into_iter().collect::<Option<_>>()?;
        let has_sort = |(term, wanted): (&Term, &Option<String>)| {
            let head = arena.view_sort(arena.sort_of(*term)).head;
            wanted.as_ref().is_none_or(|wanted| arena.text(head) == wanted)
        };
        let is_known = |name: &str| arena.find_symbol(name).is_some_and(|name| !redefined.contains(&name));
        let fits = bindings.iter().zip(&self.sorts).all(has_sort) && self.names().into_iter().all(is_known);
        fits.then_some(bindings)
    }

    /// The operators of the row, its own first.
    fn names(&self) -> Vec<&str> {
        let mut names = vec![self.operator.as_str()];
        let mut open: Vec<&PatternTerm> = self.arguments.iter().chain([&self.replacement]).collect();
        while let Some(part) = open.pop() {
            if let PatternTerm::Application(name, parts) = part {
                names.push(name);
                open.extend(parts);
            }
        }
        names
    }
}

/// The term of a pattern. It recurses as deep as a row of the table, which is two.
fn instantiate(arena: &mut Arena, pattern: &PatternTerm, bindings: &[Term], sort: Sort) -> Term {
    match pattern {
        PatternTerm::Variable(number) => bindings[*number],
        PatternTerm::Application(name, parts) => {
            let parts: Vec<Term> =
                parts.iter().map(|part| instantiate(arena, part, bindings, Sort::BOOL)).collect();
            let name = arena.symbol(name);
            arena.application(Head::plain(name), &parts, sort)
        }
    }
}

/// An s-expression of the table.
#[derive(Debug, PartialEq)]
enum TableExpression {
    Word(String),
    List(Vec<TableExpression>),
}

/// All rows of the table.
fn simpler_rows() -> Vec<SimplerRow> {
    expressions(SIMPLER_OPERATORS)
        .iter()
        .map(|row| read_row(row).expect("the table is checked by a test"))
        .collect()
}

fn expressions(text: &str) -> Vec<TableExpression> {
    let mut open = vec![Vec::new()];
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or("").replace('(', " ( ").replace(')', " ) ");
        for word in line.split_whitespace() {
            match word {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = TableExpression::List(open.pop().unwrap_or_default());
                    open.last_mut().expect("a row closes what it opens").push(list);
                }
                word => open
                    .last_mut()
                    .expect("the first list stays open")
                    .push(TableExpression::Word(word.to_string())),
            }
        }
    }
    open.pop().unwrap_or_default()
}

/// Reads `(simpler ((variable sort)…) (operator term…) term)`.
fn read_row(row: &TableExpression) -> Option<SimplerRow> {
    let TableExpression::List(parts) = row else { return None };
    let [_, TableExpression::List(variables), old, new] = parts.as_slice() else { return None };
    let mut names = Vec::new();
    let mut sorts = Vec::new();
    for variable in variables {
        let TableExpression::List(pair) = variable else { return None };
        names.push(word(pair.first()?)?);
        sorts.push(sort_name(pair.get(1)?));
    }
    let PatternTerm::Application(operator, arguments) = read_pattern(old, &names)? else { return None };
    Some(SimplerRow { operator, arguments, sorts, replacement: read_pattern(new, &names)? })
}

fn word(expression: &TableExpression) -> Option<&str> {
    match expression {
        TableExpression::Word(word) => Some(word),
        TableExpression::List(_) => None,
    }
}

/// The name that a sort of the table has in a script; `None` for a sort variable.
fn sort_name(sort: &TableExpression) -> Option<String> {
    let name = match sort {
        TableExpression::Word(name) => name.as_str(),
        TableExpression::List(parts) => parts.iter().filter_map(word).find(|word| *word != "_")?,
    };
    match name {
        "S" | "T" => None,
        "Float16" => Some("FloatingPoint".to_string()),
        name => Some(name.to_string()),
    }
}

fn read_pattern(part: &TableExpression, variables: &[&str]) -> Option<PatternTerm> {
    match part {
        TableExpression::Word(name) => Some(match variables.iter().position(|other| other == name) {
            Some(number) => PatternTerm::Variable(number),
            None => PatternTerm::Application(name.clone(), Vec::new()),
        }),
        TableExpression::List(parts) => {
            let (TableExpression::Word(name), arguments) = parts.split_first()? else { return None };
            let arguments: Option<Vec<PatternTerm>> =
                arguments.iter().map(|part| read_pattern(part, variables)).collect();
            Some(PatternTerm::Application(name.clone(), arguments?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};
    use gainsay_smt::Signature;

    fn text(expression: &TableExpression) -> String {
        match expression {
            TableExpression::Word(word) => word.clone(),
            TableExpression::List(parts) => {
                format!("({})", parts.iter().map(text).collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[test]
    fn every_row_is_well_sorted_and_keeps_the_sort() {
        for row in expressions(SIMPLER_OPERATORS) {
            assert!(read_row(&row).is_some(), "{row:?}");
            let TableExpression::List(parts) = &row else { continue };
            let TableExpression::List(variables) = &parts[1] else { continue };
            let mut script = "(declare-sort S 0)(declare-sort T 0)".to_string();
            for variable in variables {
                let TableExpression::List(pair) = variable else { continue };
                script += &format!("(declare-const {} {})", text(&pair[0]), text(&pair[1]));
            }
            script += &format!("(assert (= {} {}))", text(&parts[2]), text(&parts[3]));
            if let Err(error) = Script::parse(&script, &Signature::standard()) {
                panic!("{script}\n{error}");
            }
        }
    }

    #[test]
    fn rows_have_no_cycle() {
        let rules = simpler_rows();
        let is_flat =
            |row: &&SimplerRow| row.arguments.iter().all(|part| matches!(part, PatternTerm::Variable(_)));
        let next = |name: &str| -> Vec<&str> {
            let rows = rules.iter().filter(is_flat).filter(|rule| rule.operator == name);
            rows.flat_map(|rule| rule.names().into_iter().skip(1)).filter(|new| *new != name).collect()
        };
        for rule in &rules {
            let (mut open, mut seen) = (next(&rule.operator), FxHashSet::default());
            while let Some(name) = open.pop() {
                assert_ne!(name, rule.operator, "{name} is replaced by itself in the end");
                if seen.insert(name) {
                    open.extend(next(name));
                }
            }
        }
    }

    #[test]
    fn a_row_with_nested_operators_makes_the_text_shorter() {
        for row in expressions(SIMPLER_OPERATORS) {
            let TableExpression::List(parts) = &row else { continue };
            let is_nested = text(&parts[2]).matches('(').count() > 1;
            assert!(!is_nested || text(&parts[3]).len() < text(&parts[2]).len(), "{}", text(&row));
        }
    }

    #[test]
    fn an_operator_is_replaced() {
        let script = |term: &str| format!("(declare-const x (_ BitVec 4))(assert (= x {term}))");
        check(&SimplifyOperators, &script("(bvsdiv x #x3)"), &script("(bvudiv x #x3)"));
        let script = |term: &str| format!("(declare-const x Real)(assert {term})");
        check(&SimplifyOperators, &script("(distinct x 1.0)"), &script("(not (= x 1.0))"));
        check(&SimplifyOperators, &script("(not (< x 1.0))"), &script("(>= x 1.0)"));
        check(&SimplifyOperators, &script("(= (< x 1.0) false)"), &script("(not (< x 1.0))"));
    }

    #[test]
    fn a_function_of_the_script_is_not_an_operator() {
        check_nothing(&SimplifyOperators, "(declare-fun bvsdiv (Int Int) Bool)(assert (bvsdiv 1 2))");
    }
}
