//! Replaces sorts by simpler ones everywhere.
//!
//! ```text
//! (declare-sort U 0) (declare-const x U) (declare-fun f (U) U) (assert (= (f x) x))
//! becomes
//! (declare-const x Int) (declare-fun f (Int) Int) (assert (= (f x) x))
//! ```
//!
//! Declared sorts, datatypes, arrays and sequences of which only equality is used become `Int`, `Bool` or an argument of the
//! sort; reals become integers. Changes whose results are ill-sorted are dropped.

use gainsay_smt::print::sort_text;
use gainsay_smt::{Arena, Command, Literal, Script, Sort, Symbol, Term, TermView};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_with_key};
use crate::contents::{sorts_of, terms_of};
use crate::rewrite::{RewriteRule, rewrite_and_reparse};
use crate::script_view::ScriptView;

/// Replaces sorts by simpler ones.
pub struct SimplifySorts;

/// Sorts that are replaced.
const MAX_SORTS: usize = 12;

impl Pass for SimplifySorts {
    fn name(&self) -> &'static str {
        "simplify-sorts"
    }

    fn about(&self) -> &'static str {
        "replaces a sort by Int, Bool or one of its arguments"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let arena = script.arena();
        let is_simple = |sort: Sort| matches!(sort, Sort::BOOL | Sort::INT | Sort::UNKNOWN | Sort::STRING);
        let found = sorts_of(script, &terms_of(script));
        let candidates = found.into_iter().filter(|&sort| {
            arena.canonical(sort) == sort
                && !is_simple(sort)
                && arena.is_sort_of_values(sort)
                && sort != Sort::REGLAN
        });
        let mut changes = Vec::new();
        for sort in candidates.take(MAX_SORTS) {
            let targets =
                [Sort::INT, Sort::BOOL].into_iter().chain(arena.view_sort(sort).arguments.iter().copied());
            for new in targets {
                let key = [sort, new].map(|sort| sort_text(arena, sort));
                changes.push(rewrite_script_with_key(key, move |s| {
                    rewrite_and_reparse(s, &mut ReplaceSortRule { old: sort, new })
                }));
            }
        }
        vec![changes]
    }
}

/// Replaces one sort by another.
struct ReplaceSortRule {
    old: Sort,
    new: Sort,
}

impl RewriteRule for ReplaceSortRule {
    fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Option<Sort> {
        (arena.canonical(sort) == self.old).then_some(self.new)
    }

    fn term(&mut self, arena: &mut Arena, old: Term, _: &[Term]) -> Option<Term> {
        if arena.sort_of(old) != self.old {
            return None;
        }
        let TermView::Literal(_, spelling) = arena.view(old) else { return None };
        match (self.old, self.new) {
            (Sort::REAL, Sort::INT) => {
                let whole = arena.text(spelling).split('.').next().unwrap_or("0").to_string();
                Some(arena.literal(Literal::Numeral, &whole, Sort::INT))
            }
            // All literals become the same: the sorts have no values in common.
            (_, Sort::INT) => Some(arena.literal(Literal::Numeral, "0", Sort::INT)),
            (_, Sort::BOOL) => {
                Some(arena.application(gainsay_smt::Head::plain(Symbol::FALSE), &[], Sort::BOOL))
            }
            _ => None,
        }
    }

    fn command(&mut self, arena: &mut Arena, command: &Command) -> Vec<Command> {
        let head = arena.view_sort(self.old).head;
        match command {
            Command::DeclareSort(name, 0) if *name == head => Vec::new(),
            other => vec![other.clone()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::check;

    #[test]
    fn a_declared_sort_becomes_int() {
        check(
            &SimplifySorts,
            "(declare-sort U 0)(declare-const x U)(declare-fun f (U) U)(assert (forall ((y U)) (= (f x) y)))",
            "(declare-const x Int)(declare-fun f (Int) Int)(assert (forall ((y Int)) (= (f x) y)))",
        );
    }

    #[test]
    fn an_array_without_select_or_store_becomes_its_element() {
        let script = |sort: &str| format!("(declare-const a {sort})(declare-const b {sort})(assert (= a b))");
        check(&SimplifySorts, &script("(Array Int String)"), &script("String"));
    }

    #[test]
    fn reals_become_integers() {
        check(
            &SimplifySorts,
            "(declare-const x Real)(assert (< x 1.5))",
            "(declare-const x Int)(assert (< x 1))",
        );
    }
}
