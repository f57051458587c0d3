//! Constraints between the widths of a script, and the smallest widths above given ones that satisfy all of them.

use std::collections::BTreeSet;

use gainsay_smt::{Arena, Term, TermView};

use super::{BitSize, NewSizes, format_of, width_of_term};

/// A constraint on widths that an operator of the script imposes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SizeConstraint {
    /// The widths of the parts add up to the whole.
    Sum { parts: Vec<BitSize>, whole: BitSize },
    /// The whole is a multiple of the part.
    Multiple { part: BitSize, whole: BitSize },
    /// The first is at most the second.
    AtMost(BitSize, BitSize),
    /// The second is one more than the first, like a significand with its hidden bit.
    OneMore(BitSize, BitSize),
}

impl SizeConstraint {
    fn sizes(&self) -> Vec<BitSize> {
        match self {
            SizeConstraint::Sum { parts, whole } => parts.iter().chain([whole]).copied().collect(),
            SizeConstraint::Multiple { part, whole } => vec![*part, *whole],
            SizeConstraint::AtMost(less, more) | SizeConstraint::OneMore(less, more) => vec![*less, *more],
        }
    }
}

/// The constraints that terms impose, each once.
pub(super) fn of(arena: &Arena, terms: &[Term]) -> Vec<SizeConstraint> {
    let mut constraints = BTreeSet::new();
    for &term in terms {
        if let TermView::Application(head, arguments) = arena.view(term) {
            add(arena, arena.text(head.symbol), term, arguments, &mut constraints);
        }
    }
    constraints.into_iter().collect()
}

fn add(
    arena: &Arena,
    name: &str,
    term: Term,
    arguments: &[Term],
    constraints: &mut BTreeSet<SizeConstraint>,
) {
    let width = |term: Term| width_of_term(arena, term).map(BitSize::Width);
    let format = |term: Term| format_of(arena, arena.sort_of(term));
    let halves = |(eb, sb): (u32, u32)| vec![BitSize::Exponent(eb, sb), BitSize::Significand(eb, sb)];
    match (name, arguments) {
        ("concat", _) => {
            let parts: Option<Vec<BitSize>> = arguments.iter().map(|&argument| width(argument)).collect();
            constraints
                .extend(parts.zip(width(term)).map(|(parts, whole)| SizeConstraint::Sum { parts, whole }));
        }
        ("repeat", [part]) => {
            constraints.extend(
                width(*part).zip(width(term)).map(|(part, whole)| SizeConstraint::Multiple { part, whole }),
            );
        }
        ("extract", [whole]) => {
            constraints.extend(
                width(term).zip(width(*whole)).map(|(less, more)| SizeConstraint::AtMost(less, more)),
            );
        }
        ("zero_extend" | "sign_extend", [part]) => {
            constraints
                .extend(width(*part).zip(width(term)).map(|(less, more)| SizeConstraint::AtMost(less, more)));
        }
        ("fp", [_, exponent, significand]) => {
            let Some((eb, sb)) = format(term) else { return };
            let equal = |a: BitSize, b: BitSize| [SizeConstraint::AtMost(a, b), SizeConstraint::AtMost(b, a)];
            constraints
                .extend(width(*exponent).into_iter().flat_map(|e| equal(e, BitSize::Exponent(eb, sb))));
            constraints.extend(
                width(*significand).map(|s| SizeConstraint::OneMore(s, BitSize::Significand(eb, sb))),
            );
        }
        ("to_fp" | "to_fp_bv", [bits]) => {
            let sizes = width(*bits).zip(format(term).map(halves));
            constraints.extend(sizes.map(|(whole, parts)| SizeConstraint::Sum { parts, whole }));
        }
        ("fp.to_ieee_bv" | "to_ieee_bv" | "fp.to_ieee_bv_I", [float]) => {
            let sizes = width(term).zip(format(*float).map(halves));
            constraints.extend(sizes.map(|(whole, parts)| SizeConstraint::Sum { parts, whole }));
        }
        _ => {}
    }
}

/// `size` and the widths that shrink only together with it: those linked to it by sums, multiples and floats.
pub(super) fn linked_sizes(constraints: &[SizeConstraint], size: BitSize) -> BTreeSet<BitSize> {
    let mut found = BTreeSet::from([size]);
    loop {
        let before = found.len();
        for constraint in constraints {
            let is_loose = matches!(constraint, SizeConstraint::AtMost(BitSize::Width(_), BitSize::Width(_)));
            let sizes = constraint.sizes();
            if !is_loose && sizes.iter().any(|size| found.contains(size)) {
                found.extend(sizes);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Rounds of raising before giving up. Nested sums need one for each level.
const MAX_RAISE_ROUNDS: usize = 1000;

/// Raises the new widths until all constraints hold; returns whether they do.
pub(super) fn raise(constraints: &[SizeConstraint], new_sizes: &mut NewSizes) -> bool {
    for _ in 0..MAX_RAISE_ROUNDS {
        let before = new_sizes.clone();
        for constraint in constraints {
            if constraint.sizes().iter().all(|size| new_sizes.contains_key(size)) {
                raise_one(constraint, new_sizes);
            }
        }
        if *new_sizes == before {
            return true;
        }
    }
    false
}

fn raise_one(constraint: &SizeConstraint, new_sizes: &mut NewSizes) {
    match constraint {
        SizeConstraint::Sum { parts, whole } => {
            let sum = |new_sizes: &NewSizes| parts.iter().map(|part| new_sizes[part]).sum::<u32>();
            raise_to(new_sizes, *whole, sum(new_sizes));
            for part in parts.iter().rev() {
                let missing = new_sizes[whole].saturating_sub(sum(new_sizes));
                raise_to(new_sizes, *part, new_sizes[part] + missing);
            }
        }
        SizeConstraint::Multiple { part, whole } => {
            let multiple = new_sizes[whole].next_multiple_of(new_sizes[part]);
            if multiple <= whole.old() {
                raise_to(new_sizes, *whole, multiple);
            } else {
                raise_to(new_sizes, *part, new_sizes[part] + 1);
            }
        }
        SizeConstraint::AtMost(less, more) => raise_to(new_sizes, *more, new_sizes[less]),
        SizeConstraint::OneMore(less, more) => {
            raise_to(new_sizes, *more, new_sizes[less] + 1);
            raise_to(new_sizes, *less, new_sizes[more] - 1);
        }
    }
}

/// Raises one width, not above the one in the script.
fn raise_to(new_sizes: &mut NewSizes, size: BitSize, wanted: u32) {
    let new = new_sizes[&size].max(wanted.min(size.old()));
    new_sizes.insert(size, new);
}
