//! Operators replaced by simpler ones, as the rows of `rules/simpler.smt2` say.
//!
//! ```text
//! (bvsdiv x y)   becomes   (bvudiv x y)
//! ```

use gainsay_smt::{Arena, Command, Head, Script, Sort, Symbol, Term, View as TermView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rewrite::{bound_names, terms_of};
use super::{Change, Pass, View};

/// The pass.
pub struct Operators;

/// The rows.
const RULES: &str = include_str!("../../rules/simpler.smt2");

impl Pass for Operators {
    fn name(&self) -> &'static str {
        "operators"
    }

    fn about(&self) -> &'static str {
        "replaces operators by simpler ones"
    }

    fn changes(&self, script: &mut Script, _: &View) -> Vec<Vec<Change>> {
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
            let fitting = rules.iter().filter(|rule| rule.fits(arena, &arguments, &other));
            for (turn, rule) in fitting.copied().collect::<Vec<_>>().into_iter().enumerate() {
                let new = rule.build(arena, &arguments, arena.sort_of(term));
                if batches.len() == turn {
                    batches.push(Vec::new());
                }
                batches[turn].push(Change::Replace(term, new));
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
    /// For each argument, the name of its sort without indices and arguments, or nothing for any sort.
    sorts: Vec<Option<String>>,
    new: New,
}

/// What a row puts in the place of an application.
enum New {
    Argument(usize),
    Application(String, Vec<New>),
}

impl Row {
    fn fits(&self, arena: &Arena, arguments: &[Term], other: &FxHashSet<Symbol>) -> bool {
        let has_sort = |(argument, wanted): (&Term, &Option<String>)| {
            let head = arena.view_sort(arena.sort_of(*argument)).head;
            wanted.as_ref().is_none_or(|wanted| arena.text(head) == wanted)
        };
        arguments.len() == self.sorts.len()
            && arguments.iter().zip(&self.sorts).all(has_sort)
            && self
                .names()
                .iter()
                .all(|name| arena.find_symbol(name).is_some_and(|name| !other.contains(&name)))
    }

    fn names(&self) -> Vec<&str> {
        let mut names = vec![self.operator.as_str()];
        let mut open = vec![&self.new];
        while let Some(new) = open.pop() {
            if let New::Application(name, arguments) = new {
                names.push(name);
                open.extend(arguments);
            }
        }
        names
    }

    fn build(&self, arena: &mut Arena, arguments: &[Term], sort: Sort) -> Term {
        build(arena, &self.new, arguments, sort)
    }
}

/// Recursion is on the depth of a row of the table, which is two.
fn build(arena: &mut Arena, new: &New, arguments: &[Term], sort: Sort) -> Term {
    match new {
        New::Argument(number) => arguments[*number],
        New::Application(name, parts) => {
            let parts: Vec<Term> =
                parts.iter().map(|part| build(arena, part, arguments, Sort::BOOL)).collect();
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

/// `(simpler ((variable sort)…) (operator variable…) new)`
fn read(row: &Expression) -> Option<Row> {
    let Expression::List(parts) = row else { return None };
    let [Expression::Word(_), Expression::List(variables), Expression::List(old), new] = parts.as_slice()
    else {
        return None;
    };
    let (Expression::Word(operator), arguments) = old.split_first()? else { return None };
    let names: Option<Vec<&str>> = arguments.iter().map(word).collect();
    let names = names?;
    let sorts = names.iter().map(|name| {
        let declared = variables.iter().find_map(|variable| match variable {
            Expression::List(pair) if word(pair.first()?) == Some(*name) => pair.get(1),
            _ => None,
        });
        declared.map(sort_name)
    });
    let sorts: Option<Vec<Option<String>>> = sorts.collect();
    Some(Row { operator: operator.clone(), sorts: sorts?, new: read_new(new, &names)? })
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

fn read_new(new: &Expression, names: &[&str]) -> Option<New> {
    match new {
        Expression::Word(name) => names.iter().position(|other| other == name).map(New::Argument),
        Expression::List(parts) => {
            let (Expression::Word(name), arguments) = parts.split_first()? else { return None };
            let arguments: Option<Vec<New>> =
                arguments.iter().map(|argument| read_new(argument, names)).collect();
            Some(New::Application(name.clone(), arguments?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::check::{check, check_nothing};
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
        let next = |name: &str| -> Vec<&str> {
            let rows = rules.iter().filter(|rule| rule.operator == name);
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
    fn an_operator_is_replaced() {
        let script = |term: &str| format!("(declare-const x (_ BitVec 4))(assert (= x {term}))");
        check(&Operators, &script("(bvsdiv x #x3)"), &script("(bvudiv x #x3)"));
        let script = |term: &str| format!("(declare-const x Real)(assert {term})");
        check(&Operators, &script("(distinct x 1.0)"), &script("(not (= x 1.0))"));
    }

    #[test]
    fn a_function_of_the_script_is_no_operator() {
        check_nothing(&Operators, "(declare-fun bvsdiv (Int Int) Bool)(assert (bvsdiv 1 2))");
    }
}
