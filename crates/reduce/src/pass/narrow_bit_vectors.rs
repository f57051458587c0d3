//! Makes bit vectors narrower, with all terms that depend on them.
//!
//! ```text
//! (declare-const x (_ BitVec 32)) (assert (bvult x #x0000ffff))
//! becomes
//! (declare-const x (_ BitVec 1)) (assert (bvult x #b1))
//! ```
//!
//! All widths at once first, then one at a time with the widths that it consists of; see `bit_sizes.rs`.

use gainsay_smt::Script;

use super::{Pass, Phase};
use crate::bit_sizes::BitSizes;
use crate::change::{ScriptChange, rewrite_script_with_key};
use crate::script_view::ScriptView;

/// Makes bit vectors narrower.
pub struct NarrowBitVectors;

/// Widths that are narrowed one by one.
const MAX_SINGLE_WIDTHS: usize = 12;

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

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let widths = BitSizes::of(script).widths();
        let Some(&widest) = widths.first() else { return Vec::new() };
        let all = narrower_widths(widest)
            .into_iter()
            .map(|most| rewrite_script_with_key((widest, most), move |s| BitSizes::of(s).narrowed(most)));
        let mut changes: Vec<ScriptChange> = all.collect();
        if widths.len() > 1 {
            for &width in widths.iter().take(MAX_SINGLE_WIDTHS) {
                let one = |most: u32| {
                    rewrite_script_with_key((width, most, "one"), move |s| {
                        BitSizes::of(s).narrowed_one(width, most)
                    })
                };
                changes.extend(narrower_widths(width).into_iter().map(one));
            }
        }
        vec![changes]
    }
}

/// The widths below a width that are tried, the smallest first.
fn narrower_widths(width: u32) -> Vec<u32> {
    let powers = (0..31).map(|exponent| 1 << exponent).take_while(|&power| power < width);
    let mut targets: Vec<u32> = powers.chain(width.checked_sub(1).filter(|&less| less > 0)).collect();
    targets.dedup();
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_and_one_bit_less_are_tried() {
        assert_eq!(narrower_widths(9), [1, 2, 4, 8]);
        assert_eq!(narrower_widths(7), [1, 2, 4, 6]);
        assert!(narrower_widths(1).is_empty());
    }
}
