//! Makes floating-point formats smaller, with all terms that depend on them.
//!
//! ```text
//! (declare-const x Float64) (assert (fp.lt x ((_ to_fp 11 53) RNE 0.1)))
//! becomes
//! (declare-const x Float32) (assert (fp.lt x ((_ to_fp 8 24) RNE 0.1)))
//! ```
//!
//! Literals keep their values as far as the format allows; see `bit_sizes.rs`.

use gainsay_smt::Script;

use super::{Pass, Phase};
use crate::bit_sizes::BitSizes;
use crate::change::{ScriptChange, rewrite_script_with_key};
use crate::script_view::ScriptView;

/// Makes floating-point formats smaller.
pub struct NarrowFloats;

/// Formats that are narrowed.
const MAX_FORMATS: usize = 8;

/// Formats that every solver supports. Some support no others, so a script with only these keeps to them.
const COMMON_FORMATS: [(u32, u32); 2] = [(8, 24), (11, 53)];

/// Formats that other formats are reduced to as well. Below three and five bits, solvers have limits of their own.
const RARE_FORMATS: [(u32, u32); 2] = [(3, 5), (5, 11)];

impl Pass for NarrowFloats {
    fn name(&self) -> &'static str {
        "narrow-floats"
    }

    fn about(&self) -> &'static str {
        "makes floating-point formats smaller"
    }

    fn phase(&self) -> Phase {
        Phase::Coarse
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let mut changes = Vec::new();
        for format in BitSizes::of(script).formats().into_iter().take(MAX_FORMATS) {
            let rare: &[_] = if COMMON_FORMATS.contains(&format) { &[] } else { &RARE_FORMATS };
            let smaller = |target: &&(u32, u32)| target.0 < format.0 || target.1 < format.1;
            for &target in rare.iter().chain(&COMMON_FORMATS).filter(smaller) {
                changes.push(rewrite_script_with_key((format, target), move |s| {
                    BitSizes::of(s).reformatted(format, target)
                }));
            }
        }
        vec![changes]
    }
}
