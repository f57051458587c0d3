//! Bounds of integers and characters: what the assertions say about terms, by propagation of intervals.
//!
//! ```text
//! (assert (and (<= 0 x) (< (+ x y) 4) (>= y 1)))        0 <= x <= 2, 1 <= y <= 3
//! (assert (or (= z 3) (= z 7)))                         3 <= z <= 7
//! (assert (char.<= (_ Char 97) c))                      97 <= c
//! ```
//!
//! An atom is any integer term that is not a sum: a constant, a variable, a length, a product. Comparisons of sums of atoms
//! bound each atom by the bounds of the others; a disjunction bounds an atom by the hull of its cases. A bound is implied by
//! the assertions, so a domain within the bounds is complete. Terms are read as the theories see them: nothing is known of a
//! function of the script, whatever its name is.

use rustc_hash::FxHashMap;

use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Literal, Term, TermView};
use crate::theory_view::TheoryView;

/// Rounds of propagation.
const MAX_PROPAGATION_ROUNDS: usize = 12;
/// Comparisons that are looked at.
const MAX_COMPARISONS: usize = 2_000;
/// Larger bounds are ignored.
const GREATEST_BOUND: i128 = 1 << 62;

/// What is known of an integer: bounds, each of which may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Interval {
    pub least: Option<i128>,
    pub greatest: Option<i128>,
}

impl Interval {
    fn hull(self, other: Interval) -> Interval {
        Interval {
            least: self.least.zip(other.least).map(|(a, b)| a.min(b)),
            greatest: self.greatest.zip(other.greatest).map(|(a, b)| a.max(b)),
        }
    }

    /// The products of a number and the interval.
    fn times(self, factor: i128) -> Interval {
        let scaled = |bound: Option<i128>| bound.and_then(|bound| bound.checked_mul(factor));
        let (least, greatest) = (scaled(self.least), scaled(self.greatest));
        if factor < 0 { Interval { least: greatest, greatest: least } } else { Interval { least, greatest } }
    }
}

/// `sum of coefficient × atom + constant >= 0`
#[derive(Clone)]
struct LinearInequality {
    atoms: Vec<(Term, i128)>,
    constant: i128,
}

/// Bounds of integer terms.
#[derive(Clone, Default)]
pub(super) struct Bounds {
    intervals: FxHashMap<Term, Interval>,
    /// Strings and the regular expressions that they match.
    memberships: Vec<(Term, Term)>,
    /// Sets and bags, each with one that it is part of.
    wholes: Vec<(Term, Term)>,
}

impl Bounds {
    /// The bounds that follow from terms that all hold.
    pub fn of(terms: &TheoryView<'_>, asserted: &[Term]) -> Bounds {
        Bounds::of_signed(terms, asserted.iter().map(|&term| (term, true)).collect())
    }

    /// The bounds that follow from terms that hold, or do not hold if their sign is false.
    pub fn of_signed(terms: &TheoryView<'_>, asserted: Vec<(Term, bool)>) -> Bounds {
        let mut bounds = Bounds::default();
        let mut facts = Facts::default();
        facts.collect(terms, asserted);
        let cases: Vec<Vec<Facts>> =
            facts.disjunctions.iter().map(|cases| Facts::of_cases(terms, cases)).collect();
        for _ in 0..MAX_PROPAGATION_ROUNDS {
            let before = bounds.intervals.clone();
            bounds.propagate(terms, &facts.inequalities);
            for disjunction in &cases {
                bounds.propagate_cases(terms, disjunction);
            }
            if bounds.intervals == before {
                break;
            }
        }
        bounds.memberships = facts.memberships;
        bounds.wholes = facts.wholes;
        bounds
    }

    /// The greatest length of a string or a sequence, if it is bounded.
    pub fn length(&self, terms: &TheoryView<'_>, constant: Term) -> Option<i128> {
        let is_length = |term: Term| match terms.view(term) {
            TermView::Application(head, [child]) => {
                *child == constant && matches!(terms.text(head.symbol), "str.len" | "seq.len")
            }
            _ => false,
        };
        let known = self.intervals.iter().filter(|(term, _)| is_length(**term));
        known.filter_map(|(_, interval)| interval.greatest).min()
    }

    /// The regular expressions that a string matches.
    pub fn memberships(&self, constant: Term) -> impl Iterator<Item = Term> {
        self.memberships.iter().filter(move |(term, _)| *term == constant).map(|(_, language)| *language)
    }

    /// The sets or bags that a constant is part of.
    pub fn wholes(&self, constant: Term) -> impl Iterator<Item = Term> {
        self.wholes.iter().filter(move |(part, _)| *part == constant).map(|(_, whole)| *whole)
    }

    /// What is known of a term.
    pub fn interval(&self, term: Term) -> Interval {
        self.intervals.get(&term).copied().unwrap_or_default()
    }

    fn propagate(&mut self, terms: &TheoryView<'_>, inequalities: &[LinearInequality]) {
        for inequality in inequalities {
            for place in 0..inequality.atoms.len() {
                self.bound_atom(terms, inequality, place);
            }
        }
    }

    /// The hull of what each case implies. A case that contradicts the bounds says nothing.
    fn propagate_cases(&mut self, terms: &TheoryView<'_>, cases: &[Facts]) {
        let mut hull: Option<Bounds> = None;
        for case in cases {
            let mut under = self.clone();
            under.propagate(terms, &case.inequalities);
            let is_empty = |one: &Interval| one.least.zip(one.greatest).is_some_and(|(a, b)| a > b);
            if under.intervals.values().any(is_empty) {
                continue;
            }
            hull = Some(match hull {
                None => under,
                Some(mut hull) => {
                    hull.intervals.retain(|term, _| under.intervals.contains_key(term));
                    for (term, interval) in &mut hull.intervals {
                        *interval = interval.hull(under.interval(*term));
                    }
                    hull
                }
            });
        }
        for (term, interval) in hull.into_iter().flat_map(|hull| hull.intervals) {
            self.narrow(term, interval);
        }
    }

    /// `c·x + rest >= 0` bounds `x` by the greatest value of the rest.
    fn bound_atom(&mut self, terms: &TheoryView<'_>, inequality: &LinearInequality, place: usize) {
        let (atom, factor) = inequality.atoms[place];
        let mut rest = Some(inequality.constant);
        for (other, &(term, coefficient)) in inequality.atoms.iter().enumerate() {
            if other != place {
                let greatest = self.known(terms, term).times(coefficient).greatest;
                rest = rest.zip(greatest).and_then(|(a, b)| a.checked_add(b));
            }
        }
        let Some(rest) = rest else { return };
        let bound = match factor > 0 {
            // x >= -rest / factor, rounded up
            true => Interval {
                least: Some((-rest).div_euclid(factor) + i128::from((-rest).rem_euclid(factor) != 0)),
                greatest: None,
            },
            // x <= rest / -factor, rounded down
            false => Interval { least: None, greatest: Some(rest.div_euclid(-factor)) },
        };
        self.narrow(atom, bound);
        self.bound_root(terms, atom);
    }

    /// `x·x <= 10` bounds `x`.
    fn bound_root(&mut self, terms: &TheoryView<'_>, atom: Term) {
        let TermView::Application(head, [a, b]) = terms.view(atom) else { return };
        if head.symbol == Symbol::TIMES
            && a == b
            && let Some(greatest) = self.interval(atom).greatest.filter(|greatest| *greatest >= 0)
        {
            let root = greatest.isqrt();
            self.narrow(*a, Interval { least: Some(-root), greatest: Some(root) });
        }
    }

    fn narrow(&mut self, term: Term, by: Interval) {
        let fits = |bound: &i128| bound.abs() <= GREATEST_BOUND;
        let interval = self.intervals.entry(term).or_default();
        if let Some(least) = by.least.filter(fits) {
            interval.least = Some(interval.least.map_or(least, |known| known.max(least)));
        }
        if let Some(greatest) = by.greatest.filter(fits) {
            interval.greatest = Some(interval.greatest.map_or(greatest, |known| known.min(greatest)));
        }
    }

    /// What is known of an atom, its operator included: a length is not negative, a remainder is below its divisor.
    fn known(&self, terms: &TheoryView<'_>, term: Term) -> Interval {
        let known = self.interval(term);
        let TermView::Application(head, children) = terms.view(term) else { return known };
        let own = match (terms.text(head.symbol), children) {
            ("str.len" | "seq.len" | "abs" | "set.card" | "set.size" | "bag.count" | "bag.card", _) => {
                Interval { least: Some(0), greatest: None }
            }
            ("mod", [_, divisor]) => match literal(terms, *divisor) {
                Some(divisor) if divisor != 0 => {
                    Interval { least: Some(0), greatest: Some(divisor.abs() - 1) }
                }
                _ => Interval::default(),
            },
            ("ubv_to_int" | "bv2nat", [bits]) => {
                let width =
                    terms.view_sort(terms.sort_of(*bits)).indices.first().and_then(|index| index.numeral());
                let greatest = width.filter(|width| *width <= 60).map(|width| (1 << width) - 1);
                Interval { least: Some(0), greatest }
            }
            ("*", [a, b]) => self.product(*a, *b),
            _ => Interval::default(),
        };
        Interval {
            least: known.least.into_iter().chain(own.least).max(),
            greatest: known.greatest.into_iter().chain(own.greatest).min(),
        }
    }

    fn product(&self, a: Term, b: Term) -> Interval {
        let (first, second) = (self.interval(a), self.interval(b));
        let (Some(p), Some(q), Some(r), Some(s)) =
            (first.least, first.greatest, second.least, second.greatest)
        else {
            return Interval::default();
        };
        let corners = [p.checked_mul(r), p.checked_mul(s), q.checked_mul(r), q.checked_mul(s)];
        if corners.contains(&None) {
            return Interval::default();
        }
        let corners = || corners.into_iter().flatten();
        Interval { least: corners().min(), greatest: corners().max() }
    }
}

/// What asserted terms say about integers.
#[derive(Default)]
struct Facts {
    inequalities: Vec<LinearInequality>,
    /// Disjunctions: the cases of each, with their signs.
    disjunctions: Vec<Vec<(Term, bool)>>,
    /// Strings and the regular expressions that they match.
    memberships: Vec<(Term, Term)>,
    /// Sets and bags, each with one that it is part of.
    wholes: Vec<(Term, Term)>,
}

impl Facts {
    fn of_cases(terms: &TheoryView<'_>, cases: &[(Term, bool)]) -> Vec<Facts> {
        let facts = |&case: &(Term, bool)| {
            let mut facts = Facts::default();
            facts.collect(terms, vec![case]);
            facts
        };
        cases.iter().map(facts).collect()
    }

    /// Collects from terms that hold, or do not hold if their sign is false.
    fn collect(&mut self, terms: &TheoryView<'_>, mut open: Vec<(Term, bool)>) {
        while let Some((term, holds)) = open.pop() {
            if self.inequalities.len() + self.disjunctions.len() > MAX_COMPARISONS {
                return;
            }
            match terms.view(term) {
                TermView::Annotated(_, children) => open.push((children[0], holds)),
                TermView::Application(head, children) => {
                    let signed = |sign: bool| children.iter().map(move |&child| (child, sign));
                    match (head.symbol, holds) {
                        (Symbol::NOT, _) => open.extend(signed(!holds)),
                        (Symbol::AND, true) => open.extend(signed(true)),
                        (Symbol::OR, false) => open.extend(signed(false)),
                        (Symbol::OR, true) => self.disjunctions.push(signed(true).collect()),
                        (Symbol::AND, false) => self.disjunctions.push(signed(false).collect()),
                        (Symbol::IMPLIES, _) => {
                            let Some((conclusion, premises)) = children.split_last() else { continue };
                            let parts = premises.iter().map(|&premise| (premise, !holds));
                            let parts = parts.chain([(*conclusion, holds)]);
                            match holds {
                                true => self.disjunctions.push(parts.collect()),
                                false => open.extend(parts),
                            }
                        }
                        (symbol, true)
                            if matches!(terms.text(symbol), "str.in_re" | "str.in.re" | "seq.in.re") =>
                        {
                            self.memberships.extend(children.first().copied().zip(children.get(1).copied()));
                        }
                        (symbol, true) if matches!(terms.text(symbol), "set.subset" | "bag.subbag") => {
                            self.wholes.extend(children.first().copied().zip(children.get(1).copied()));
                        }
                        (comparison, _) => self.compare(terms, comparison, children, holds),
                    }
                }
                _ => {}
            }
        }
    }

    fn compare(&mut self, terms: &TheoryView<'_>, comparison: Symbol, children: &[Term], holds: bool) {
        let is_integer = children.iter().all(|&child| terms.sort_of(child) == Sort::INT);
        let is_character = !is_integer && children.iter().all(|&child| is_character(terms, child));
        if !is_integer && !is_character || !holds && children.len() > 2 {
            return;
        }
        let comparison = match terms.text(comparison) {
            "char.<=" if is_character => Symbol::AT_MOST,
            _ => comparison,
        };
        for pair in children.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            // Each as `larger - smaller - gap >= 0`.
            let found: &[(Term, Term, i128)] = match (comparison, holds) {
                (Symbol::AT_MOST, true) | (Symbol::GREATER, false) => &[(b, a, 0)],
                (Symbol::LESS, true) | (Symbol::AT_LEAST, false) => &[(b, a, 1)],
                (Symbol::AT_LEAST, true) | (Symbol::LESS, false) => &[(a, b, 0)],
                (Symbol::GREATER, true) | (Symbol::AT_MOST, false) => &[(a, b, 1)],
                (Symbol::EQUAL, true) | (Symbol::DISTINCT, false) => &[(a, b, 0), (b, a, 0)],
                _ => &[],
            };
            self.inequalities.extend(
                found.iter().filter_map(|&(larger, smaller, gap)| difference(terms, larger, smaller, gap)),
            );
        }
    }
}

/// `larger - smaller - gap` as a sum of atoms; `None` if a coefficient is too large.
fn difference(terms: &TheoryView<'_>, larger: Term, smaller: Term, gap: i128) -> Option<LinearInequality> {
    let mut sum = LinearInequality { atoms: Vec::new(), constant: -gap };
    let mut open = vec![(larger, 1), (smaller, -1)];
    while let Some((term, factor)) = open.pop() {
        if sum.atoms.len() > MAX_COMPARISONS {
            return None;
        }
        if let Some(number) = literal(terms, term) {
            sum.constant = sum.constant.checked_add(number.checked_mul(factor)?)?;
            continue;
        }
        let (symbol, children) = match terms.view(term) {
            TermView::Application(head, children) => (head.symbol, children),
            _ => (Symbol::EMPTY, &[][..]),
        };
        match (symbol, children) {
            (Symbol::PLUS, _) => open.extend(children.iter().map(|&child| (child, factor))),
            (Symbol::MINUS, [child]) => open.push((*child, -factor)),
            (Symbol::MINUS, [first, rest @ ..]) => {
                open.push((*first, factor));
                open.extend(rest.iter().map(|&child| (child, -factor)));
            }
            (Symbol::TIMES, [a, b]) => match (literal(terms, *a), literal(terms, *b)) {
                (Some(number), None) => open.push((*b, number.checked_mul(factor)?)),
                (None, Some(number)) => open.push((*a, number.checked_mul(factor)?)),
                _ => sum.add(term, factor)?,
            },
            _ => sum.add(term, factor)?,
        }
    }
    sum.atoms.retain(|&(_, factor)| factor != 0);
    Some(sum)
}

impl LinearInequality {
    fn add(&mut self, atom: Term, factor: i128) -> Option<()> {
        match self.atoms.iter_mut().find(|(known, _)| *known == atom) {
            Some((_, known)) => *known = known.checked_add(factor)?,
            None => self.atoms.push((atom, factor)),
        }
        Some(())
    }
}

fn is_character(terms: &TheoryView<'_>, term: Term) -> bool {
    terms.text(terms.view_sort(terms.sort_of(term)).head) == "Unicode"
}

/// The value of a numeral, of a negated one, or of a character.
pub(super) fn literal(terms: &TheoryView<'_>, term: Term) -> Option<i128> {
    match terms.view(term) {
        TermView::Literal(Literal::Numeral, spelling) if terms.sort_of(term) == Sort::INT => {
            terms.text(spelling).parse().ok().filter(|number| *number <= GREATEST_BOUND)
        }
        TermView::Application(head, []) if terms.text(head.symbol) == "Char" => {
            head.indices.first().and_then(|index| index.numeral()).map(i128::from)
        }
        TermView::Application(head, [child]) if head.symbol == Symbol::MINUS => match terms.view(*child) {
            TermView::Literal(Literal::Numeral, _) => literal(terms, *child).map(|number: i128| -number),
            _ => None,
        },
        _ => None,
    }
}
