//! Which constraints are linear, and whether a bounded objective attains its optimum under them.

use std::collections::BTreeSet;

use gainsay_smt::{Command, Sort, Term, TermView, Word};

use crate::trial::claim::FlatCheck;

/// The bounds that constraints may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundKind {
    /// Only `<=`, `>=` and `=`, in conjunctions and disjunctions: a bounded objective attains its optimum.
    Closed,
    /// Strict ones, too.
    Any,
}

/// Returns true if a script has linear constraints with such bounds only, and linear objectives.
pub fn is_linear(flat: FlatCheck<'_>, bounds: BoundKind) -> bool {
    let arena = flat.script.arena();
    let objectives = flat.script.commands.iter().filter_map(|command| match command {
        Command::Term(Word::Maximize | Word::Minimize, term, _) => Some(*term),
        _ => None,
    });
    let terms = flat.query.assertions.iter().chain(&flat.query.assumptions).copied().chain(objectives);
    let defines = flat.script.commands.iter().any(|one| matches!(one, Command::Define(..)));
    let mut constants = BTreeSet::new();
    let mut reached: Vec<Term> = arena.reachable(terms).collect();
    // Children have smaller indices than their parents.
    reached.sort_unstable_by_key(|term| term.index());
    reached.into_iter().all(|term| {
        let (name, parts) = match arena.view(term) {
            TermView::Literal(..) => {
                constants.insert(term);
                return true;
            }
            TermView::Application(head, parts) => (arena.text(head.symbol), parts),
            _ => return false,
        };
        let free = parts.iter().filter(|part| !constants.contains(part)).count();
        let is_constant = !parts.is_empty() && free == 0;
        if is_constant && matches!(name, "+" | "-" | "*" | "/") {
            constants.insert(term);
        }
        match name {
            "and" | "or" | "<=" | ">=" | "+" | "-" => true,
            "<" | ">" | "not" | "=>" | "xor" | "distinct" | "ite" | "to_real" => bounds == BoundKind::Any,
            "=" => bounds == BoundKind::Any || parts.iter().all(|&part| arena.sort_of(part) != Sort::BOOL),
            "*" => free <= 1,
            "/" => parts.iter().skip(1).all(|part| constants.contains(part)),
            _ => parts.is_empty() && !defines,
        }
    })
}
