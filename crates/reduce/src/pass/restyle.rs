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

use super::merge_assertions::MergeAssertions;
use super::shorter_names::ShorterNames;
use super::shorter_spelling::ShorterSpelling;
use super::{Pass, Phase};
use crate::change::Change;
use crate::change::rewrite_script;
use crate::script_view::ScriptView;

/// The pass.
pub struct Restyle;

impl Pass for Restyle {
    fn name(&self) -> &'static str {
        "restyle"
    }

    fn about(&self) -> &'static str {
        "writes the same in a shorter way throughout"
    }

    fn phase(&self) -> Phase {
        Phase::Restyle
    }

    fn changes(&self, _: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let passes: [&dyn Pass; 3] = [&MergeAssertions, &ShorterSpelling, &ShorterNames];
        vec![vec![rewrite_script(move |script| Some(passes.into_iter().fold(script.clone(), with_first)))]]
    }
}

/// The script with the first change of a pass, if that makes it shorter.
fn with_first(script: Script, pass: &dyn Pass) -> Script {
    let mut ground = script.clone();
    let view = ScriptView::of(&ground);
    let changes = pass.changes(&mut ground, &view);
    let first = changes.first().and_then(|batch| batch.first());
    let made = match first {
        Some(Change::RewriteScript(_, make)) => make(&ground),
        _ => None,
    };
    made.filter(|after| after.to_string().len() < script.to_string().len()).unwrap_or(script)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::check;

    #[test]
    fn everything_is_written_in_a_shorter_way_at_once() {
        check(
            &Restyle,
            "(declare-fun p (Int) Bool)(declare-fun counter () Int)(assert (p counter))(assert (< counter 0))",
            "(declare-fun p (Int) Bool)(declare-const a Int)(assert (and (p a) (< a 0)))",
        );
    }
}
