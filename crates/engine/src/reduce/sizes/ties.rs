//! What ties the sizes of a script together, and the least sizes above given ones that satisfy all ties.

use std::collections::BTreeSet;

use gainsay_smt::{Arena, Term, View};

use super::{Plan, Size, format_of, width_of_term};

/// A condition on sizes that an operator of the script imposes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tie {
    /// The parts together are as many as the whole, not counting so many of fixed size.
    Sum { parts: Vec<Size>, whole: Size },
    /// The whole is a multiple of the part.
    Multiple { part: Size, whole: Size },
    /// The first is not more than the second.
    AtMost(Size, Size),
    /// The second is one more than the first, as a significand with its hidden bit.
    OneMore(Size, Size),
}

impl Tie {
    fn sizes(&self) -> Vec<Size> {
        match self {
            Tie::Sum { parts, whole } => parts.iter().chain([whole]).copied().collect(),
            Tie::Multiple { part, whole } => vec![*part, *whole],
            Tie::AtMost(less, more) | Tie::OneMore(less, more) => vec![*less, *more],
        }
    }
}

/// The ties that terms impose, each once.
pub(super) fn of(arena: &Arena, terms: &[Term]) -> Vec<Tie> {
    let mut ties = BTreeSet::new();
    for &term in terms {
        if let View::Application(head, arguments) = arena.view(term) {
            add(arena, arena.text(head.symbol), term, arguments, &mut ties);
        }
    }
    ties.into_iter().collect()
}

fn add(arena: &Arena, name: &str, term: Term, arguments: &[Term], ties: &mut BTreeSet<Tie>) {
    let width = |term: Term| width_of_term(arena, term).map(Size::Width);
    let format = |term: Term| format_of(arena, arena.sort_of(term));
    let halves = |(eb, sb): (u32, u32)| vec![Size::Exponent(eb, sb), Size::Significand(eb, sb)];
    match (name, arguments) {
        ("concat", _) => {
            let parts: Option<Vec<Size>> = arguments.iter().map(|&argument| width(argument)).collect();
            ties.extend(parts.zip(width(term)).map(|(parts, whole)| Tie::Sum { parts, whole }));
        }
        ("repeat", [part]) => {
            ties.extend(width(*part).zip(width(term)).map(|(part, whole)| Tie::Multiple { part, whole }));
        }
        ("extract", [whole]) => {
            ties.extend(width(term).zip(width(*whole)).map(|(less, more)| Tie::AtMost(less, more)));
        }
        ("zero_extend" | "sign_extend", [part]) => {
            ties.extend(width(*part).zip(width(term)).map(|(less, more)| Tie::AtMost(less, more)));
        }
        ("fp", [_, exponent, significand]) => {
            let Some((eb, sb)) = format(term) else { return };
            let equal = |a: Size, b: Size| [Tie::AtMost(a, b), Tie::AtMost(b, a)];
            ties.extend(width(*exponent).into_iter().flat_map(|e| equal(e, Size::Exponent(eb, sb))));
            ties.extend(width(*significand).map(|s| Tie::OneMore(s, Size::Significand(eb, sb))));
        }
        ("to_fp" | "to_fp_bv", [bits]) => {
            let sizes = width(*bits).zip(format(term).map(halves));
            ties.extend(sizes.map(|(whole, parts)| Tie::Sum { parts, whole }));
        }
        ("fp.to_ieee_bv" | "to_ieee_bv" | "fp.to_ieee_bv_I", [float]) => {
            let sizes = width(term).zip(format(*float).map(halves));
            ties.extend(sizes.map(|(whole, parts)| Tie::Sum { parts, whole }));
        }
        _ => {}
    }
}

/// The sizes that cannot shrink without `size`, and itself: those that sums, multiples and floats tie to it.
pub(super) fn component(ties: &[Tie], size: Size) -> BTreeSet<Size> {
    let mut found = BTreeSet::from([size]);
    loop {
        let before = found.len();
        for tie in ties {
            let is_loose = matches!(tie, Tie::AtMost(Size::Width(_), Size::Width(_)));
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
pub(super) fn raise(ties: &[Tie], plan: &mut Plan) -> bool {
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

fn raise_one(tie: &Tie, plan: &mut Plan) {
    match tie {
        Tie::Sum { parts, whole } => {
            let sum = |plan: &Plan| parts.iter().map(|part| plan[part]).sum::<u32>();
            raise_to(plan, *whole, sum(plan));
            for part in parts.iter().rev() {
                let lacking = plan[whole].saturating_sub(sum(plan));
                raise_to(plan, *part, plan[part] + lacking);
            }
        }
        Tie::Multiple { part, whole } => {
            let multiple = plan[whole].next_multiple_of(plan[part]);
            if multiple <= whole.old() {
                raise_to(plan, *whole, multiple);
            } else {
                raise_to(plan, *part, plan[part] + 1);
            }
        }
        Tie::AtMost(less, more) => raise_to(plan, *more, plan[less]),
        Tie::OneMore(less, more) => {
            raise_to(plan, *more, plan[less] + 1);
            raise_to(plan, *less, plan[more] - 1);
        }
    }
}

/// Raises one number, not above what it is in the script.
fn raise_to(plan: &mut Plan, size: Size, wished: u32) {
    let new = plan[&size].max(wished.min(size.old()));
    plan.insert(size, new);
}
