//! Smaller bit vectors and floating-point formats, with all terms that depend on them.
//!
//! ```text
//! (declare-const x (_ BitVec 32))                  (declare-const x (_ BitVec 2))
//! (declare-const y (_ BitVec 16))                  (declare-const y (_ BitVec 1))
//! (assert (= x ((_ zero_extend 16) y)))            (assert (= x ((_ zero_extend 1) y)))
//! (assert (= x (concat y #xabcd)))       becomes   (assert (= x (concat y #b1)))
//! ```
//!
//! Every width of the script gets a new one. Operators that change widths constrain them: a `concat` is as wide as its
//! arguments together, an `extract` not wider than its argument, a float has as many bits as its format says. So all widths
//! are first set to the wanted ones and then raised, as little as possible, until every constraint holds
//! (`bit_sizes/constraints.rs`); the old widths satisfy all, so this terminates. `bit_sizes/resize.rs` rewrites the terms.

mod constraints;
mod literal;
mod resize;

use std::collections::BTreeMap;

use gainsay_smt::{Arena, Index, Script, Sort, Symbol, Term};

use self::constraints::SizeConstraint;
use self::resize::ResizeRule;
use crate::contents::{sorts_of, terms_of};
use crate::rewrite::rewrite_and_reparse;

/// A width in a script that can be changed.
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
    /// The width in the script.
    fn old(self) -> u32 {
        match self {
            BitSize::Width(width) => width,
            BitSize::Exponent(exponent, _) => exponent,
            BitSize::Significand(_, significand) => significand,
        }
    }

    /// The smallest possible width.
    fn minimum(self) -> u32 {
        match self {
            BitSize::Width(_) => 1,
            BitSize::Exponent(..) | BitSize::Significand(..) => 2,
        }
    }
}

/// The widths in a script and their constraints.
#[derive(Debug)]
pub struct BitSizes<'a> {
    script: &'a Script,
    all: Vec<BitSize>,
    constraints: Vec<SizeConstraint>,
}

/// The new width for each old one.
type NewSizes = BTreeMap<BitSize, u32>;

impl<'a> BitSizes<'a> {
    /// The widths in a script.
    pub fn of(script: &'a Script) -> BitSizes<'a> {
        let terms = terms_of(script);
        let arena = script.arena();
        let sorts = sorts_of(script, &terms);
        let mut all: Vec<BitSize> = sorts.iter().flat_map(|&sort| sizes_of(arena, sort)).collect();
        all.sort_unstable();
        all.dedup();
        BitSizes { script, all, constraints: constraints::of(arena, &terms) }
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

    /// The script with all bit vectors at most `max` wide, as far as possible.
    pub fn narrowed(&self, max: u32) -> Option<Script> {
        self.resized(self.all.iter().map(|&size| match size {
            BitSize::Width(width) => (size, width.min(max)),
            other => (other, other.old()),
        }))
    }

    /// The script with bit vectors of one width, and those that they consist of, at most `max` wide.
    pub fn narrowed_one(&self, width: u32, max: u32) -> Option<Script> {
        let linked = constraints::linked_sizes(&self.constraints, BitSize::Width(width));
        self.resized(self.all.iter().map(|&size| match size {
            BitSize::Width(width) if linked.contains(&size) => (size, width.min(max)),
            other => (other, other.old()),
        }))
    }

    /// The script with one format reduced to `max`; bit vectors that hold the bits of such floats shrink with it.
    pub fn reformatted(&self, format: (u32, u32), max: (u32, u32)) -> Option<Script> {
        let mut linked = constraints::linked_sizes(&self.constraints, BitSize::Exponent(format.0, format.1));
        linked.extend(constraints::linked_sizes(&self.constraints, BitSize::Significand(format.0, format.1)));
        self.resized(self.all.iter().map(|&size| match size {
            BitSize::Exponent(eb, sb) if (eb, sb) == format => (size, eb.min(max.0)),
            BitSize::Significand(eb, sb) if (eb, sb) == format => (size, sb.min(max.1)),
            // Only constraints keep these wider.
            BitSize::Width(_) if linked.contains(&size) => (size, 1),
            other => (other, other.old()),
        }))
    }

    fn resized(&self, wanted: impl Iterator<Item = (BitSize, u32)>) -> Option<Script> {
        let mut new_sizes: NewSizes = wanted.map(|(size, new)| (size, new.max(size.minimum()))).collect();
        if !constraints::raise(&self.constraints, &mut new_sizes)
            || new_sizes.iter().all(|(size, new)| *new == size.old())
        {
            return None;
        }
        rewrite_and_reparse(self.script, &mut ResizeRule::new(self.script.arena(), &new_sizes))
    }
}

/// The widths in a sort, without those of its arguments.
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
    fn widths_shrink_everywhere() {
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
    fn a_concatenation_is_as_wide_as_its_parts() {
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
    fn an_extraction_stays_within_its_argument() {
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
    fn formats_shrink_with_their_bit_vectors() {
        check(
            "(declare-const x Float32)(declare-const b (_ BitVec 32))(assert (= x ((_ to_fp 8 24) b)))\
             (assert (fp.lt x ((_ to_fp 8 24) RNE 1.5) (_ +oo 8 24)))",
            |sizes| sizes.reformatted((8, 24), (5, 11)),
            "(declare-const x Float16) (declare-const b (_ BitVec 16)) (assert (= x ((_ to_fp 5 11) b))) \
             (assert (fp.lt x ((_ to_fp 5 11) RNE 1.5) (_ +oo 5 11)))",
        );
    }

    #[test]
    fn a_float_keeps_its_value_as_far_as_possible() {
        // 2.0, and the largest number of the format.
        check(
            "(declare-const x Float32)(assert (= x (fp #b0 #b10000000 #b00000000000000000000000)\
             (fp #b1 #b11111110 #b11111111111111111111111)))",
            |sizes| sizes.reformatted((8, 24), (3, 5)),
            "(declare-const x (_ FloatingPoint 3 5)) (assert (= x (fp #b0 #b100 #b0000) (fp #b1 #b110 #b1111)))",
        );
    }
}
