//! One assertion alone, with plain values in the place of its constants.
//!
//! ```text
//! (assert (< y x)) (assert (p (f x))) (assert (< x 9))   becomes   (assert (p (f 0)))
//! ```
//!
//! Assertions around the one that matters often only keep its constants at values that matter. None of them can go while the constants
//! are there, and no constant can give way to a value while they are.

use gainsay_smt::print::term_text;
use gainsay_smt::substitute::replace;
use gainsay_smt::{Command, Script, Term, Word};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::Change;
use crate::change::rewrite_script_with_key;
use crate::contents::{OwnNames, asserted, constants, has_levels};
use crate::rewrite::reread;
use crate::script_view::ScriptView;
use crate::simplest_value::SimplestValues;

/// The pass.
pub struct SingleAssertion;

/// Assertions that are tried alone: a script with more is not small yet.
const MOST: usize = 5;

impl Pass for SingleAssertion {
    fn name(&self) -> &'static str {
        "single-assertion"
    }

    fn about(&self) -> &'static str {
        "keeps one assertion, with values in the place of its constants"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let assertions: Vec<Term> = script.commands.iter().filter_map(asserted).collect();
        if has_levels(script) || !(2..=MOST).contains(&assertions.len()) {
            return Vec::new();
        }
        let mut changes = Vec::new();
        for assertion in assertions {
            let values = values(script, assertion);
            if values.is_empty() {
                continue;
            }
            let key = term_text(script.arena(), assertion);
            changes.push(rewrite_script_with_key(("alone", key), move |script| {
                reread(&alone(script, assertion, &values))
            }));
        }
        vec![changes]
    }
}

/// The plainest values of the declared constants of an assertion.
fn values(script: &mut Script, assertion: Term) -> FxHashMap<Term, Term> {
    let own = OwnNames::of(script);
    let simplest = SimplestValues::of(script, own.bound());
    let mut values = FxHashMap::default();
    for (constant, name) in constants(script, assertion) {
        let sort = script.arena().canonical(script.arena().sort_of(constant));
        if own.contain(name)
            && let Some(value) = simplest.value(script.arena_mut(), sort)
            && value != constant
        {
            values.insert(constant, value);
        }
    }
    values
}

fn alone(script: &Script, assertion: Term, values: &FxHashMap<Term, Term>) -> Script {
    let mut after = script.clone();
    let kept = replace(after.arena_mut(), assertion, values);
    after.commands.retain(|command| asserted(command).is_none_or(|term| term == assertion));
    for command in &mut after.commands {
        if asserted(command).is_some() {
            *command = Command::Term(Word::Assert, kept, None);
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    const START: &str = "(declare-fun p (Int) Bool)(declare-const x Int)(declare-const y Int)";

    #[test]
    fn what_keeps_a_constant_in_its_place_goes_with_it() {
        let before = format!("{START}(assert (< y x))(assert (p x))(assert (< x 9))");
        check(&SingleAssertion, &before, &format!("{START}(assert (p 0))"));
    }

    #[test]
    fn an_assertion_without_constants_or_without_others_is_left_to_other_passes() {
        check_nothing(&SingleAssertion, &format!("{START}(assert (p x))"));
        check_nothing(&SingleAssertion, &format!("{START}(assert (p 1))(assert (p 2))"));
    }
}
