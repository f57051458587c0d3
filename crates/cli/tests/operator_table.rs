//! The table of operators in `docs/operators.md`: computed from the tables of the theories, the evaluator, the generator and the
//! profiles of solvers. `BLESS=1` rewrites the file; review the change.

#[path = "support/repository.rs"]
mod repository;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gainsay_engine::solver::profiles::Profiles;
use gainsay_engine::strategy::generate::theory::GeneratorTheory;
use gainsay_engine::strategy::generate::vocabulary::GrownForms;
use gainsay_smt::signature::{RanklessOperator, is_standard};
use gainsay_smt::{Signature, eval};
use repository::repository;

const TABLE_HEAD: &str = "# Operators of the theories beyond the standard

This file is generated: `BLESS=1 cargo test -p gainsay --test operator_table` writes it, and the test compares it.

*Solvers* are those whose profile lists the table of the operator. *Sorted*: the sort checker knows the sorts of an application; the
other operators are carried as text. *Evaluated*: gainsay computes values, so models are checked and exhaustion decides small scripts.
*Why not* says why an operator is not. *Generated*: `gainsay generate --theory NAME`, with the name of the theory in that column. All operators are read and printed.

| table | operator | solvers | sorted | evaluated | generated | why not evaluated |
|---|---|---|---|---|---|---|
";

/// The operators of each table beyond the standard, and whether their sorts are known.
fn operators(signature: &Signature) -> BTreeMap<(String, String), bool> {
    let mut rows = BTreeMap::new();
    for rank in signature.ranks() {
        let theory = &signature.theories()[rank.theory];
        if !is_standard(theory) {
            rows.insert((theory.clone(), signature.text(rank.name).to_owned()), true);
        }
    }
    for (name, theory, kind) in signature.rankless() {
        rows.insert((theory.to_owned(), name.to_owned()), kind == RanklessOperator::Computed);
    }
    rows
}

/// Why operators of the tables are not evaluated.
fn reasons() -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(repository().join("crates/smt/theories/not_evaluated.txt"))
        .expect("the file is in the repository");
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
    let row = |line: &str| {
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        let mut next = || words.next().unwrap_or_else(|| panic!("a table, an operator and a reason: {line}"));
        ((next(), next()), next())
    };
    rows.map(row).collect()
}

/// The theory that generates an operator of a table.
fn generating(table: &str, operator: &str) -> &'static str {
    let form = GrownForms::FORM_OPERATORS.iter().find(|(name, _)| *name == operator).map(|(_, form)| *form);
    let makes = |theory: &GeneratorTheory| match form {
        Some(form) => theory.has_form(form),
        None => theory.tables().any(|one| one == table) && !theory.leaves_out(operator),
    };
    GeneratorTheory::every().find(makes).map_or("", GeneratorTheory::name)
}

#[test]
fn the_table_of_operators_in_the_book_is_true() {
    let signature = Signature::standard();
    let profiles = Profiles::built_in();
    let mut reasons = reasons();
    let mut text = TABLE_HEAD.to_owned();
    for ((table, operator), is_sorted) in operators(&signature) {
        let knowing: BTreeSet<&str> = profiles
            .all()
            .filter(|profile| profile.knows(&table))
            .map(|profile| profile.name.as_str())
            .collect();
        let solvers = knowing.into_iter().collect::<Vec<_>>().join(", ");
        let mark = |is: bool| if is { "yes" } else { "" };
        let is_evaluated = eval::is_evaluated(&signature, &operator);
        let reason = reasons.remove(&(table.clone(), operator.clone()));
        assert_eq!(reason.is_none(), is_evaluated, "{table} {operator}: a reason, or its values");
        let (evaluated, reason) = (mark(is_evaluated), reason.unwrap_or_default());
        let generated = if is_sorted { generating(&table, &operator) } else { "" };
        let _ = writeln!(
            text,
            "| {table} | `{operator}` | {solvers} | {} | {evaluated} | {generated} | {reason} |",
            mark(is_sorted)
        );
    }
    assert_eq!(reasons, BTreeMap::new(), "reasons of operators that no table has");
    let file = repository().join("docs/operators.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(
        kept == text,
        "docs/operators.md is not what the tables say; BLESS=1 rewrites it, review the change"
    );
}
