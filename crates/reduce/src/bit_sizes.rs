//! Smaller bit vectors and floating-point formats, with all that depends on them.
//!
//! ```text
//! (declare-const x (_ BitVec 32))                  (declare-const x (_ BitVec 2))
//! (declare-const y (_ BitVec 16))                  (declare-const y (_ BitVec 1))
//! (assert (= x ((_ zero_extend 16) y)))            (assert (= x ((_ zero_extend 1) y)))
//! (assert (= x (concat y #xabcd)))       becomes   (assert (= x (concat y #b1)))
//! ```
//!
//! Every width of the script gets a new one. Operators that change widths tie them together: a `concat` is as wide as
//! its arguments together, an `extract` not wider than its argument, the bits of a float are as many as its format says.
//! So all widths are first made as small as wished and then raised, as little as needed, until every tie holds
//! (`sizes/ties.rs`); the old widths hold all of them, so this ends there at the latest. Terms follow in `sizes/adapt.rs`.

mod constraints;
mod literal;
mod resize;

use std::collections::BTreeMap;

use gainsay_smt::{Arena, Index, Script, Sort, Symbol, Term};

use self::constraints::SizeConstraint;
use self::resize::ResizeRule;
use crate::contents::{sorts_of, terms_of};
use crate::rewrite::rewritten;

/// A number of bits that a script can have another of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BitSize {
    /// The `n` of `(_ BitVec n)`.
    Width(u32),
    /// The `eb` of `(_ FloatingPoint eb sb)`.
    Exponent(u32, u32),
    /// Its `sb`.
    Significand(u32, u32),
}

impl BitSize {
    /// What it is in the script.
    fn old(self) -> u32 {
        match self {
            BitSize::Width(width) => width,
            BitSize::Exponent(exponent, _) => exponent,
            BitSize::Significand(_, significand) => significand,
        }
    }

    /// The least that it can be.
    fn least(self) -> u32 {
        match self {
            BitSize::Width(_) => 1,
            BitSize::Exponent(..) | BitSize::Significand(..) => 2,
        }
    }
}

/// The sizes of a script and what ties them together.
#[derive(Debug)]
pub struct BitSizes<'a> {
    script: &'a Script,
    all: Vec<BitSize>,
    ties: Vec<SizeConstraint>,
}

/// A new number for each size.
type NewSizes = BTreeMap<BitSize, u32>;

impl<'a> BitSizes<'a> {
    /// The sizes of a script.
    pub fn of(script: &'a Script) -> BitSizes<'a> {
        let terms = terms_of(script);
        let arena = script.arena();
        let sorts = sorts_of(script, &terms);
        let mut all: Vec<BitSize> = sorts.iter().flat_map(|&sort| sizes_of(arena, sort)).collect();
        all.sort_unstable();
        all.dedup();
        BitSizes { script, all, ties: constraints::of(arena, &terms) }
    }

    /// The widths of bit vectors, widest first.
    pub fn widths(&self) -> Vec<u32> {
        let width = |size: &BitSize| if let BitSize::Width(width) = *size { Some(width) } else { None };
        self.all.iter().rev().filter_map(width).collect()
    }

    /// The floating-point formats, largest first.
    pub fn formats(&self) -> Vec<(u32, u32)> {
        let format =
            |size: &BitSize| if let BitSize::Exponent(eb, sb) = *size { Some((eb, sb)) } else { None };
        self.all.iter().rev().filter_map(format).collect()
    }

    /// The script with no bit vectors wider than `most` where that is possible.
    pub fn narrowed(&self, most: u32) -> Option<Script> {
        self.script_for(self.all.iter().map(|&size| match size {
            BitSize::Width(width) => (size, width.min(most)),
            other => (other, other.old()),
        }))
    }

    /// The script with bit vectors of one width, and those that these are made of, not wider than `most`.
    pub fn narrowed_one(&self, width: u32, most: u32) -> Option<Script> {
        let tied = constraints::component(&self.ties, BitSize::Width(width));
        self.script_for(self.all.iter().map(|&size| match size {
            BitSize::Width(width) if tied.contains(&size) => (size, width.min(most)),
            other => (other, other.old()),
        }))
    }

    /// The script with one format not larger than another; the bits of such floats shrink with them.
    pub fn reformatted(&self, format: (u32, u32), most: (u32, u32)) -> Option<Script> {
        let mut tied = constraints::component(&self.ties, BitSize::Exponent(format.0, format.1));
        tied.extend(constraints::component(&self.ties, BitSize::Significand(format.0, format.1)));
        self.script_for(self.all.iter().map(|&size| match size {
            BitSize::Exponent(eb, sb) if (eb, sb) == format => (size, eb.min(most.0)),
            BitSize::Significand(eb, sb) if (eb, sb) == format => (size, sb.min(most.1)),
            // Only ties keep these up.
            BitSize::Width(_) if tied.contains(&size) => (size, 1),
            other => (other, other.old()),
        }))
    }

    fn script_for(&self, wished: impl Iterator<Item = (BitSize, u32)>) -> Option<Script> {
        let mut plan: NewSizes = wished.map(|(size, new)| (size, new.max(size.least()))).collect();
        if !constraints::raise(&self.ties, &mut plan) || plan.iter().all(|(size, new)| *new == size.old()) {
            return None;
        }
        rewritten(self.script, &mut ResizeRule::new(self.script.arena(), &plan))
    }
}

/// The sizes in a sort itself, without its arguments.
fn sizes_of(arena: &Arena, sort: Sort) -> Vec<BitSize> {
    match (width_of(arena, sort), format_of(arena, sort)) {
        (Some(width), _) => vec![BitSize::Width(width)],
        (_, Some((eb, sb))) => vec![BitSize::Exponent(eb, sb), BitSize::Significand(eb, sb)],
        _ => Vec::new(),
    }
}

/// The width of a bit-vector sort.
fn width_of(arena: &Arena, sort: Sort) -> Option<u32> {
    let view = arena.view_sort(arena.canonical(sort));
    match view.indices {
        [Index::Numeral(width)] if view.head == Symbol::BITVEC => Some(*width),
        _ => None,
    }
}

/// The format of a floating-point sort.
fn format_of(arena: &Arena, sort: Sort) -> Option<(u32, u32)> {
    let view = arena.view_sort(arena.canonical(sort));
    match view.indices {
        [Index::Numeral(eb), Index::Numeral(sb)] if view.head == Symbol::FLOATING_POINT => Some((*eb, *sb)),
        _ => None,
    }
}

/// The width of a term.
fn width_of_term(arena: &Arena, term: Term) -> Option<u32> {
    width_of(arena, arena.sort_of(term))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn check(before: &str, change: impl Fn(&BitSizes<'_>) -> Option<Script>, after: &str) {
        let script = Script::parse(before, &Signature::standard()).unwrap();
        let new =
            change(&BitSizes::of(&script)).map(|script| script.to_string().trim_end().replace('\n', " "));
        assert_eq!(new.as_deref(), (!after.is_empty()).then_some(after));
    }

    #[test]
    fn widths_are_made_smaller_everywhere() {
        check(
            "(define-sort W () (_ BitVec 32))(declare-fun f (W (Array W (_ BitVec 8))) (_ BitVec 32))\
             (assert (forall ((x W)) (= x #x0000ff01 (_ bv259 32))))",
            |sizes| sizes.narrowed(4),
            "(define-sort W () (_ BitVec 4)) (declare-fun f (W (Array W (_ BitVec 4))) (_ BitVec 4)) \
             (assert (forall ((x W)) (= x #x1 (_ bv3 4))))",
        );
        check("(declare-const x (_ BitVec 1))(assert (= x #b1))", |sizes| sizes.narrowed(1), "");
    }

    #[test]
    fn what_is_put_together_is_as_wide_as_its_parts() {
        let script = "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 16))\
                      (assert (= x (concat y #xabcd)))(assert (= x ((_ zero_extend 16) y)))";
        check(
            script,
            |sizes| sizes.narrowed(1),
            "(declare-const x (_ BitVec 2)) (declare-const y (_ BitVec 1)) \
             (assert (= x (concat y #b1))) (assert (= x ((_ zero_extend 1) y)))",
        );
    }

    #[test]
    fn what_is_cut_out_stays_within() {
        check(
            "(declare-const x (_ BitVec 32))(assert (= ((_ extract 31 24) x) ((_ rotate_left 9) #xff)))",
            |sizes| sizes.narrowed(4),
            "(declare-const x (_ BitVec 4)) (assert (= ((_ extract 3 0) x) ((_ rotate_left 1) #xf)))",
        );
        check(
            "(declare-const x (_ BitVec 8))(assert (= ((_ repeat 2) x) ((_ int_to_bv 16) 5)))",
            |sizes| sizes.narrowed_one(16, 3),
            "(declare-const x (_ BitVec 3)) (assert (= ((_ repeat 1) x) ((_ int_to_bv 3) 5)))",
        );
    }

    #[test]
    fn formats_shrink_with_their_bits() {
        check(
            "(declare-const x Float32)(declare-const b (_ BitVec 32))(assert (= x ((_ to_fp 8 24) b)))\
             (assert (fp.lt x ((_ to_fp 8 24) RNE 1.5) (_ +oo 8 24)))",
            |sizes| sizes.reformatted((8, 24), (5, 11)),
            "(declare-const x Float16) (declare-const b (_ BitVec 16)) (assert (= x ((_ to_fp 5 11) b))) \
             (assert (fp.lt x ((_ to_fp 5 11) RNE 1.5) (_ +oo 5 11)))",
        );
    }

    #[test]
    fn a_float_keeps_its_value_as_far_as_it_can() {
        // 2.0, and the largest number of the format.
        check(
            "(declare-const x Float32)(assert (= x (fp #b0 #b10000000 #b00000000000000000000000)\
             (fp #b1 #b11111110 #b11111111111111111111111)))",
            |sizes| sizes.reformatted((8, 24), (3, 5)),
            "(declare-const x (_ FloatingPoint 3 5)) (assert (= x (fp #b0 #b100 #b0000) (fp #b1 #b110 #b1111)))",
        );
    }
}
