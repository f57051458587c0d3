//! All at once that only writes the same in other words: one assertion, shorter spellings, shorter names.
//!
//! ```text
//! (declare-fun counter () Int) (assert (< counter 0)) (assert (p counter))
//! becomes
//! (declare-const a Int) (assert (and (< a 0) (p a)))
//! ```
//!
//! That helps nearly always, so it is one question; each of them alone is asked about where it does not.

use gainsay_smt::Script;

use super::names::Names;
use super::opening::Together;
use super::spelling::Spelling;
use super::whole::whole;
use super::{Change, Pass, View};

/// The pass.
pub struct Last;

impl Pass for Last {
    fn name(&self) -> &'static str {
        "last"
    }

    fn about(&self) -> &'static str {
        "writes the same in a shorter way throughout"
    }

    fn changes(&self, _: &mut Script, _: &View) -> Vec<Vec<Change>> {
        let passes: [&dyn Pass; 3] = [&Together, &Spelling, &Names];
        vec![vec![whole(move |script| Some(passes.into_iter().fold(script.clone(), with_first)))]]
    }
}

/// The script with the first change of a pass, if that makes it shorter.
fn with_first(script: Script, pass: &dyn Pass) -> Script {
    let mut ground = script.clone();
    let view = View::of(&ground);
    let changes = pass.changes(&mut ground, &view);
    let first = changes.first().and_then(|batch| batch.first());
    let made = match first {
        Some(Change::Whole(_, make)) => make(&ground),
        _ => None,
    };
    made.filter(|after| after.to_string().len() < script.to_string().len()).unwrap_or(script)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::check::check;

    #[test]
    fn everything_is_written_in_a_shorter_way_at_once() {
        check(
            &Last,
            "(declare-fun p (Int) Bool)(declare-fun counter () Int)(assert (p counter))(assert (< counter 0))",
            "(declare-fun p (Int) Bool)(declare-const a Int)(assert (and (p a) (< a 0)))",
        );
    }
}
