//! What ties the sizes of a script together, and the least sizes above given ones that satisfy all ties.

use std::collections::BTreeSet;

use gainsay_smt::{Arena, Term, View};

use super::{BitSize, NewSizes, format_of, width_of_term};

/// A condition on sizes that an operator of the script imposes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SizeConstraint {
    /// The parts together are as many as the whole, not counting so many of fixed size.
    Sum { parts: Vec<BitSize>, whole: BitSize },
    /// The whole is a multiple of the part.
    Multiple { part: BitSize, whole: BitSize },
    /// The first is not more than the second.
    AtMost(BitSize, BitSize),
    /// The second is one more than the first, as a significand with its hidden bit.
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

/// The ties that terms impose, each once.
pub(super) fn of(arena: &Arena, terms: &[Term]) -> Vec<SizeConstraint> {
    let mut ties = BTreeSet::new();
    for &term in terms {
        if let View::Application(head, arguments) = arena.view(term) {
            add(arena, arena.text(head.symbol), term, arguments, &mut ties);
        }
    }
    ties.into_iter().collect()
}

fn add(arena: &Arena, name: &str, term: Term, arguments: &[Term], ties: &mut BTreeSet<SizeConstraint>) {
    let width = |term: Term| width_of_term(arena, term).map(BitSize::Width);
    let format = |term: Term| format_of(arena, arena.sort_of(term));
    let halves = |(eb, sb): (u32, u32)| vec![BitSize::Exponent(eb, sb), BitSize::Significand(eb, sb)];
    match (name, arguments) {
        ("concat", _) => {
            let parts: Option<Vec<BitSize>> = arguments.iter().map(|&argument| width(argument)).collect();
            ties.extend(parts.zip(width(term)).map(|(parts, whole)| SizeConstraint::Sum { parts, whole }));
        }
        ("repeat", [part]) => {
            ties.extend(
                width(*part).zip(width(term)).map(|(part, whole)| SizeConstraint::Multiple { part, whole }),
            );
        }
        ("extract", [whole]) => {
            ties.extend(
                width(term).zip(width(*whole)).map(|(less, more)| SizeConstraint::AtMost(less, more)),
            );
        }
        ("zero_extend" | "sign_extend", [part]) => {
            ties.extend(width(*part).zip(width(term)).map(|(less, more)| SizeConstraint::AtMost(less, more)));
        }
        ("fp", [_, exponent, significand]) => {
            let Some((eb, sb)) = format(term) else { return };
            let equal = |a: BitSize, b: BitSize| [SizeConstraint::AtMost(a, b), SizeConstraint::AtMost(b, a)];
            ties.extend(width(*exponent).into_iter().flat_map(|e| equal(e, BitSize::Exponent(eb, sb))));
            ties.extend(
                width(*significand).map(|s| SizeConstraint::OneMore(s, BitSize::Significand(eb, sb))),
            );
        }
        ("to_fp" | "to_fp_bv", [bits]) => {
            let sizes = width(*bits).zip(format(term).map(halves));
            ties.extend(sizes.map(|(whole, parts)| SizeConstraint::Sum { parts, whole }));
        }
        ("fp.to_ieee_bv" | "to_ieee_bv" | "fp.to_ieee_bv_I", [float]) => {
            let sizes = width(term).zip(format(*float).map(halves));
            ties.extend(sizes.map(|(whole, parts)| SizeConstraint::Sum { parts, whole }));
        }
        _ => {}
    }
}

/// The sizes that cannot shrink without `size`, and itself: those that sums, multiples and floats tie to it.
pub(super) fn component(ties: &[SizeConstraint], size: BitSize) -> BTreeSet<BitSize> {
    let mut found = BTreeSet::from([size]);
    loop {
        let before = found.len();
        for tie in ties {
            let is_loose = matches!(tie, SizeConstraint::AtMost(BitSize::Width(_), BitSize::Width(_)));
            let sizes = tie.sizes();
            if !is_loose && sizes.iter().any(|size| found.contains(size)) {
                found.extend(sizes);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Rounds of raising before a plan is given up. Sums of sums need one for each level.
const ROUNDS: usize = 1000;

/// Raises the numbers of a plan until all ties hold; says whether they do.
pub(super) fn raise(ties: &[SizeConstraint], plan: &mut NewSizes) -> bool {
    for _ in 0..ROUNDS {
        let before = plan.clone();
        for tie in ties {
            if tie.sizes().iter().all(|size| plan.contains_key(size)) {
                raise_one(tie, plan);
            }
        }
        if *plan == before {
            return true;
        }
    }
    false
}

fn raise_one(tie: &SizeConstraint, plan: &mut NewSizes) {
    match tie {
        SizeConstraint::Sum { parts, whole } => {
            let sum = |plan: &NewSizes| parts.iter().map(|part| plan[part]).sum::<u32>();
            raise_to(plan, *whole, sum(plan));
            for part in parts.iter().rev() {
                let lacking = plan[whole].saturating_sub(sum(plan));
                raise_to(plan, *part, plan[part] + lacking);
            }
        }
        SizeConstraint::Multiple { part, whole } => {
            let multiple = plan[whole].next_multiple_of(plan[part]);
            if multiple <= whole.old() {
                raise_to(plan, *whole, multiple);
            } else {
                raise_to(plan, *part, plan[part] + 1);
            }
        }
        SizeConstraint::AtMost(less, more) => raise_to(plan, *more, plan[less]),
        SizeConstraint::OneMore(less, more) => {
            raise_to(plan, *more, plan[less] + 1);
            raise_to(plan, *less, plan[more] - 1);
        }
    }
}

/// Raises one number, not above what it is in the script.
fn raise_to(plan: &mut NewSizes, size: BitSize, wished: u32) {
    let new = plan[&size].max(wished.min(size.old()));
    plan.insert(size, new);
}
