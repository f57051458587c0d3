//! Operators replaced by simpler ones, as the rows of `rules/simpler.smt2` say.
//!
//! ```text
//! (bvsdiv x y)   becomes   (bvudiv x y)
//! ```

use gainsay_smt::{Arena, Command, Head, Script, Sort, Symbol, Term, View as TermView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Phase};
use crate::change::Change;
use crate::contents::{bound_names, terms_of};
use crate::script_view::ScriptView;

/// The pass.
pub struct SimplifyOperators;

/// The rows.
const RULES: &str = include_str!("../../rules/simpler.smt2");

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

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let rules = rules();
        let mut by_operator: FxHashMap<&str, Vec<&Row>> = FxHashMap::default();
        rules.iter().for_each(|rule| by_operator.entry(&rule.operator).or_default().push(rule));
        let terms = terms_of(script);
        let other = other_meanings(script, &terms);
        let arena = script.arena_mut();
        let mut batches: Vec<Vec<Change>> = Vec::new();
        for &term in terms.iter().rev() {
            let TermView::Application(head, arguments) = arena.view(term) else { continue };
            if !head.indices.is_empty() || head.qualifier.is_some() {
                continue;
            }
            let Some(rules) = by_operator.get(arena.text(head.symbol)) else { continue };
            let arguments = arguments.to_vec();
            let fitting: Vec<(&Row, Vec<Term>)> = rules
                .iter()
                .filter_map(|&rule| Some((rule, rule.bind(arena, &arguments, &other)?)))
                .collect();
            for (turn, (rule, bindings)) in fitting.into_iter().enumerate() {
                let new = build(arena, &rule.new, &bindings, arena.sort_of(term));
                if batches.len() == turn {
                    batches.push(Vec::new());
                }
                batches[turn].push(Change::ReplaceEverywhere(term, new));
            }
        }
        batches
    }
}

/// Names of operators that mean something else in a script.
fn other_meanings(script: &Script, terms: &[Term]) -> FxHashSet<Symbol> {
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
struct Row {
    operator: String,
    old: Vec<Part>,
    /// For each variable, the name of its sort without indices and arguments, or nothing for any sort.
    sorts: Vec<Option<String>>,
    new: Part,
}

/// A part of a row: one of its variables, or an application.
#[derive(PartialEq)]
enum Part {
    Variable(usize),
    Application(String, Vec<Part>),
}

impl Row {
    /// What the variables of a row stand for in an application to these arguments, if the row is about it.
    fn bind(&self, arena: &Arena, arguments: &[Term], other: &FxHashSet<Symbol>) -> Option<Vec<Term>> {
        let mut bindings: Vec<Option<Term>> = vec![None; self.sorts.len()];
        let mut open: Vec<(&[Part], &[Term])> = vec![(&self.old, arguments)];
        while let Some((parts, terms)) = open.pop() {
            if parts.len() != terms.len() {
                return None;
            }
            for (part, &term) in parts.iter().zip(terms) {
                match (part, arena.view(term)) {
                    (Part::Variable(number), _) if bindings[*number].is_none_or(|bound| bound == term) => {
                        bindings[*number] = Some(term);
                    }
                    (Part::Application(name, parts), TermView::Application(head, terms))
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
        let is_known = |name: &str| arena.find_symbol(name).is_some_and(|name| !other.contains(&name));
        let fits = bindings.iter().zip(&self.sorts).all(has_sort) && self.names().into_iter().all(is_known);
        fits.then_some(bindings)
    }

    /// The operators of the row, its own first.
    fn names(&self) -> Vec<&str> {
        let mut names = vec![self.operator.as_str()];
        let mut open: Vec<&Part> = self.old.iter().chain([&self.new]).collect();
        while let Some(part) = open.pop() {
            if let Part::Application(name, parts) = part {
                names.push(name);
                open.extend(parts);
            }
        }
        names
    }
}

/// Recursion is on the depth of a row of the table, which is two.
fn build(arena: &mut Arena, part: &Part, bindings: &[Term], sort: Sort) -> Term {
    match part {
        Part::Variable(number) => bindings[*number],
        Part::Application(name, parts) => {
            let parts: Vec<Term> =
                parts.iter().map(|part| build(arena, part, bindings, Sort::BOOL)).collect();
            let name = arena.symbol(name);
            arena.application(Head::plain(name), &parts, sort)
        }
    }
}

/// An expression of the table.
#[derive(Debug, PartialEq)]
enum Expression {
    Word(String),
    List(Vec<Expression>),
}

/// All rows of the table.
fn rules() -> Vec<Row> {
    expressions(RULES).iter().map(|row| read(row).expect("the table is checked by a test")).collect()
}

fn expressions(text: &str) -> Vec<Expression> {
    let mut open = vec![Vec::new()];
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or("").replace('(', " ( ").replace(')', " ) ");
        for word in line.split_whitespace() {
            match word {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = Expression::List(open.pop().unwrap_or_default());
                    open.last_mut().expect("a row closes what it opens").push(list);
                }
                word => open
                    .last_mut()
                    .expect("the first list stays open")
                    .push(Expression::Word(word.to_string())),
            }
        }
    }
    open.pop().unwrap_or_default()
}

/// `(simpler ((variable sort)…) (operator part…) part)`
fn read(row: &Expression) -> Option<Row> {
    let Expression::List(parts) = row else { return None };
    let [_, Expression::List(variables), old, new] = parts.as_slice() else { return None };
    let mut names = Vec::new();
    let mut sorts = Vec::new();
    for variable in variables {
        let Expression::List(pair) = variable else { return None };
        names.push(word(pair.first()?)?);
        sorts.push(sort_name(pair.get(1)?));
    }
    let Part::Application(operator, old) = read_part(old, &names)? else { return None };
    Some(Row { operator, old, sorts, new: read_part(new, &names)? })
}

fn word(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Word(word) => Some(word),
        Expression::List(_) => None,
    }
}

/// The name that a sort of the table has in a script; nothing for a sort that stands for all.
fn sort_name(sort: &Expression) -> Option<String> {
    let name = match sort {
        Expression::Word(name) => name.as_str(),
        Expression::List(parts) => parts.iter().filter_map(word).find(|word| *word != "_")?,
    };
    match name {
        "S" | "T" => None,
        "Float16" => Some("FloatingPoint".to_string()),
        name => Some(name.to_string()),
    }
}

fn read_part(part: &Expression, variables: &[&str]) -> Option<Part> {
    match part {
        Expression::Word(name) => Some(match variables.iter().position(|other| other == name) {
            Some(number) => Part::Variable(number),
            None => Part::Application(name.clone(), Vec::new()),
        }),
        Expression::List(parts) => {
            let (Expression::Word(name), arguments) = parts.split_first()? else { return None };
            let arguments: Option<Vec<Part>> =
                arguments.iter().map(|part| read_part(part, variables)).collect();
            Some(Part::Application(name.clone(), arguments?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};
    use gainsay_smt::Signature;

    fn text(expression: &Expression) -> String {
        match expression {
            Expression::Word(word) => word.clone(),
            Expression::List(parts) => format!("({})", parts.iter().map(text).collect::<Vec<_>>().join(" ")),
        }
    }

    #[test]
    fn every_row_is_well_sorted_and_keeps_the_sort() {
        for row in expressions(RULES) {
            assert!(read(&row).is_some(), "{row:?}");
            let Expression::List(parts) = &row else { continue };
            let Expression::List(variables) = &parts[1] else { continue };
            let mut script = "(declare-sort S 0)(declare-sort T 0)".to_string();
            for variable in variables {
                let Expression::List(pair) = variable else { continue };
                script += &format!("(declare-const {} {})", text(&pair[0]), text(&pair[1]));
            }
            script += &format!("(assert (= {} {}))", text(&parts[2]), text(&parts[3]));
            if let Err(error) = Script::parse(&script, &Signature::standard()) {
                panic!("{script}\n{error}");
            }
        }
    }

    #[test]
    fn no_row_leads_back() {
        let rules = rules();
        let is_flat = |row: &&Row| row.old.iter().all(|part| matches!(part, Part::Variable(_)));
        let next = |name: &str| -> Vec<&str> {
            let rows = rules.iter().filter(is_flat).filter(|rule| rule.operator == name);
            rows.flat_map(|rule| rule.names().into_iter().skip(1)).filter(|new| *new != name).collect()
        };
        for rule in &rules {
            let (mut open, mut seen) = (next(&rule.operator), FxHashSet::default());
            while let Some(name) = open.pop() {
                assert_ne!(name, rule.operator, "{name} leads back to itself");
                if seen.insert(name) {
                    open.extend(next(name));
                }
            }
        }
    }

    #[test]
    fn a_row_of_more_than_one_operator_makes_the_text_shorter() {
        for row in expressions(RULES) {
            let Expression::List(parts) = &row else { continue };
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
    fn a_function_of_the_script_is_no_operator() {
        check_nothing(&SimplifyOperators, "(declare-fun bvsdiv (Int Int) Bool)(assert (bvsdiv 1 2))");
    }
}
