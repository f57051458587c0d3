//! Smaller floating-point formats, with all that depends on them.
//!
//! ```text
//! (declare-const x Float64) (assert (fp.lt x ((_ to_fp 11 53) RNE 0.1)))
//! becomes
//! (declare-const x Float32) (assert (fp.lt x ((_ to_fp 8 24) RNE 0.1)))
//! ```
//!
//! Literals keep their values as far as the format can hold them; `sizes.rs` says how.

use gainsay_smt::Script;

use super::sizes::Sizes;
use super::whole::known_by;
use super::{Change, Pass, View};

/// The pass.
pub struct Formats;

/// Formats that are looked at.
const MOST: usize = 8;

/// Formats that every solver knows. Some know no others, so a script that keeps to these is left with them.
const COMMON: [(u32, u32); 2] = [(8, 24), (11, 53)];

/// Worth trying where a format is another. Below three and five bits solvers have limits of their own.
const RARE: [(u32, u32); 2] = [(3, 5), (5, 11)];

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
            let rare: &[_] = if COMMON.contains(&format) { &[] } else { &RARE };
            let smaller = |target: &&(u32, u32)| target.0 < format.0 || target.1 < format.1;
            for &target in rare.iter().chain(&COMMON).filter(smaller) {
                changes.push(known_by((format, target), move |s| Sizes::of(s).reformatted(format, target)));
            }
        }
        vec![changes]
    }
}
