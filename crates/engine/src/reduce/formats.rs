//! Smaller floating-point formats, with all that depends on them.
//!
//! ```text
//! (declare-const x Float64) (assert (fp.lt x ((_ to_fp 11 53) RNE 0.1)))
//! becomes
//! (declare-const x Float16) (assert (fp.lt x ((_ to_fp 5 11) RNE 0.1)))
//! ```
//!
//! Literals keep their values as far as the format can hold them; `sizes.rs` says how.

use gainsay_smt::Script;

use super::sizes::Sizes;
use super::whole::whole;
use super::{Change, Pass, View};

/// The pass.
pub struct Formats;

/// Formats that are looked at.
const MOST: usize = 8;

/// Formats worth trying, the smallest first. Below three and five bits solvers have limits of their own.
const TARGETS: [(u32, u32); 5] = [(3, 5), (5, 11), (8, 24), (11, 53), (15, 113)];

impl Pass for Formats {
    fn name(&self) -> &'static str {
        "formats"
    }

    fn about(&self) -> &'static str {
        "makes floating-point formats smaller"
    }

    fn changes(&self, script: &mut Script, _: &View) -> Vec<Vec<Change>> {
        let mut changes = Vec::new();
        for format in Sizes::of(script).formats().into_iter().take(MOST) {
            let smaller = |target: &&(u32, u32)| target.0 < format.0 || target.1 < format.1;
            for &target in TARGETS.iter().filter(smaller) {
                changes.push(whole(move |s| Sizes::of(s).reformatted(format, target)));
            }
        }
        vec![changes]
    }
}
