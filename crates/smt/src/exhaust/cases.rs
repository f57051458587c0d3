//! What constants and variables can be, by equations that hold: one of a few values, or the value of another term.
//!
//! ```text
//! (assert (or (= r 0.0) (= r 0.5)))                        r is 0 or 1/2
//! (assert (= a (store ((as const (Array Int Int)) 0) i e)))     a is this array, whatever i and e are
//! ```
//!
//! Each list of cases is implied by the assertions: in a model, the constant equals one of its terms. So a constant of an infinite
//! sort has a complete domain if all cases of a list have a value, and needs no domain if it has one case.

use rustc_hash::FxHashMap;

use crate::symbol::Symbol;
use crate::term::{Term, TermView};
use crate::theory_view::TheoryView;

/// The most cases of a list.
const MAX_CASES: usize = 64;
/// The lists of one term that are kept.
const MAX_LISTS: usize = 4;
/// The nesting of connectives that is looked at.
const MAX_CONNECTIVE_DEPTH: u32 = 5;
/// The formulas that are looked at.
const MAX_FORMULAS: usize = 2_000;

/// For each constant or variable, lists of terms: it equals one of each list.
#[derive(Clone, Default, Debug)]
pub(super) struct Cases {
    lists: FxHashMap<Term, Vec<Vec<Term>>>,
}

impl Cases {
    /// The cases that follow from formulas that hold, or do not hold if their sign is false.
    pub fn of_signed(terms: &TheoryView<'_>, asserted: &[(Term, bool)]) -> Cases {
        let mut left = MAX_FORMULAS;
        Cases::of_all(terms, asserted, MAX_CONNECTIVE_DEPTH, &mut left)
    }

    /// The lists of a constant or a variable, the shortest first.
    pub fn lists(&self, term: Term) -> &[Vec<Term>] {
        self.lists.get(&term).map_or(&[], Vec::as_slice)
    }

    /// The cases if all formulas hold. Recurses on connectives, up to a depth.
    fn of_all(terms: &TheoryView<'_>, formulas: &[(Term, bool)], depth: u32, left: &mut usize) -> Cases {
        let mut all = Cases::default();
        for &formula in formulas {
            for (term, lists) in Cases::of(terms, formula, depth, left).lists {
                let known = all.lists.entry(term).or_default();
                known.extend(lists);
                known.sort_by_key(Vec::len);
                known.truncate(MAX_LISTS);
            }
        }
        all
    }

    /// The cases if one formula holds: of each term, those of all formulas together.
    fn of_any(terms: &TheoryView<'_>, formulas: &[(Term, bool)], depth: u32, left: &mut usize) -> Cases {
        let mut parts = formulas.iter().map(|&formula| Cases::of(terms, formula, depth, left));
        let mut any = parts.next().unwrap_or_default();
        any.lists.values_mut().for_each(|lists| lists.truncate(1));
        for part in parts {
            any.lists.retain(|term, lists| match part.lists(*term).first() {
                Some(more) if lists[0].len() + more.len() <= MAX_CASES => {
                    lists[0].extend(more);
                    true
                }
                _ => false,
            });
        }
        any
    }

    fn of(terms: &TheoryView<'_>, (term, holds): (Term, bool), depth: u32, left: &mut usize) -> Cases {
        if depth == 0 || *left == 0 {
            return Cases::default();
        }
        *left -= 1;
        let signed = |children: &[Term], sign: bool| -> Vec<(Term, bool)> {
            children.iter().map(|&child| (child, sign)).collect()
        };
        let depth = depth - 1;
        match terms.view(term) {
            TermView::Annotated(_, children) => Cases::of(terms, (children[0], holds), depth, left),
            TermView::Application(head, children) => match (head.symbol, holds, children) {
                (Symbol::NOT, _, &[child]) => Cases::of(terms, (child, !holds), depth, left),
                (Symbol::AND, true, _) | (Symbol::OR, false, _) => {
                    Cases::of_all(terms, &signed(children, holds), depth, left)
                }
                (Symbol::OR, true, _) | (Symbol::AND, false, _) => {
                    Cases::of_any(terms, &signed(children, holds), depth, left)
                }
                (Symbol::IMPLIES, _, [premises @ .., conclusion]) => {
                    let mut parts = signed(premises, !holds);
                    parts.push((*conclusion, holds));
                    match holds {
                        true => Cases::of_any(terms, &parts, depth, left),
                        false => Cases::of_all(terms, &parts, depth, left),
                    }
                }
                (Symbol::EQUAL, true, [first, rest @ ..]) => Cases::of_equation(terms, *first, rest),
                (Symbol::DISTINCT, false, &[a, b]) => Cases::of_equation(terms, a, &[b]),
                _ => Cases::default(),
            },
            _ => Cases::default(),
        }
    }

    /// The cases if some terms equal the first one.
    fn of_equation(terms: &TheoryView<'_>, first: Term, rest: &[Term]) -> Cases {
        let is_name =
            |term: Term| matches!(terms.view(term), TermView::Variable(_) | TermView::Application(_, []));
        let mut cases = Cases::default();
        for &other in rest {
            for (term, equal) in [(first, other), (other, first)] {
                if term != equal && is_name(term) {
                    cases.lists.entry(term).or_default().push(vec![equal]);
                }
            }
        }
        cases.lists.values_mut().for_each(|lists| lists.truncate(MAX_LISTS));
        cases
    }
}
