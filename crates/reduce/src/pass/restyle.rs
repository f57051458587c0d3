//! Writes the same script in a shorter way, all at once: one assertion, shorter spellings, shorter names.
//!
//! ```text
//! (declare-fun counter () Int) (assert (< counter 0)) (assert (p counter))
//! becomes
//! (declare-const a Int) (assert (and (< a 0) (p a)))
//! ```
//!
//! That nearly always succeeds, so it is a single test; the passes of this phase try each of them alone where it fails.

use gainsay_smt::Script;

use super::merge_assertions::MergeAssertions;
use super::shorter_names::ShorterNames;
use super::shorter_spelling::ShorterSpelling;
use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script};
use crate::script_view::ScriptView;

/// Writes the script in a shorter way.
pub struct Restyle;

impl Pass for Restyle {
    fn name(&self) -> &'static str {
        "restyle"
    }

    fn about(&self) -> &'static str {
        "joins assertions and shortens spellings and names, all at once"
    }

    fn phase(&self) -> Phase {
        Phase::Restyle
    }

    fn changes(&self, _: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let passes: [&dyn Pass; 3] = [&MergeAssertions, &ShorterSpelling, &ShorterNames];
        vec![vec![rewrite_script(move |script| {
            Some(passes.into_iter().fold(script.clone(), with_first_change))
        })]]
    }
}

/// The script with the first change of a pass, if that makes it shorter.
fn with_first_change(script: Script, pass: &dyn Pass) -> Script {
    let mut before = script.clone();
    let view = ScriptView::of(&before);
    let changes = pass.changes(&mut before, &view);
    let first = changes.first().and_then(|batch| batch.first());
    let made = match first {
        Some(ScriptChange::RewriteScript(_, make)) => make(&before),
        _ => None,
    };
    made.filter(|after| after.to_string().len() < script.to_string().len()).unwrap_or(script)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::check;

    #[test]
    fn all_shorter_ways_are_used_at_once() {
        check(
            &Restyle,
            "(declare-fun p (Int) Bool)(declare-fun counter () Int)(assert (p counter))(assert (< counter 0))",
            "(declare-fun p (Int) Bool)(declare-const a Int)(assert (and (p a) (< a 0)))",
        );
    }
}
