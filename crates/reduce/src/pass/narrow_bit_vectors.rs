//! Narrower bit vectors, with all that depends on them.
//!
//! ```text
//! (declare-const x (_ BitVec 32)) (assert (bvult x #x0000ffff))
//! becomes
//! (declare-const x (_ BitVec 1)) (assert (bvult x #b1))
//! ```
//!
//! All widths at once first, then one at a time with those that it is made of; `sizes.rs` says how.

use gainsay_smt::Script;

use super::{Pass, Phase};
use crate::bit_sizes::BitSizes;
use crate::change::Change;
use crate::change::rewrite_script_with_key;
use crate::script_view::ScriptView;

/// The pass.
pub struct NarrowBitVectors;

/// Widths that are looked at one by one.
const MOST: usize = 12;

impl Pass for NarrowBitVectors {
    fn name(&self) -> &'static str {
        "narrow-bit-vectors"
    }

    fn about(&self) -> &'static str {
        "makes bit vectors narrower"
    }

    fn phase(&self) -> Phase {
        Phase::Coarse
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let widths = BitSizes::of(script).widths();
        let Some(&widest) = widths.first() else { return Vec::new() };
        let all = targets(widest)
            .into_iter()
            .map(|most| rewrite_script_with_key((widest, most), move |s| BitSizes::of(s).narrowed(most)));
        let mut changes: Vec<Change> = all.collect();
        if widths.len() > 1 {
            for &width in widths.iter().take(MOST) {
                let one = |most: u32| {
                    rewrite_script_with_key((width, most, "one"), move |s| {
                        BitSizes::of(s).narrowed_one(width, most)
                    })
                };
                changes.extend(targets(width).into_iter().map(one));
            }
        }
        vec![changes]
    }
}

/// Widths worth trying below a width, the smallest first.
fn targets(width: u32) -> Vec<u32> {
    let powers = (0..31).map(|exponent| 1 << exponent).take_while(|&power| power < width);
    let mut targets: Vec<u32> = powers.chain(width.checked_sub(1).filter(|&less| less > 0)).collect();
    targets.dedup();
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_and_one_less_are_tried() {
        assert_eq!(targets(9), [1, 2, 4, 8]);
        assert_eq!(targets(7), [1, 2, 4, 6]);
        assert!(targets(1).is_empty());
    }
}
