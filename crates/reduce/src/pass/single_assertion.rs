//! Keeps a single assertion, with its constants replaced by simple values.
//!
//! ```text
//! (assert (< y x)) (assert (p (f x))) (assert (< x 9))   becomes   (assert (p (f 0)))
//! ```
//!
//! The other assertions often only force its constants to relevant values. None of them can be dropped while the constants are
//! there, and no constant can be replaced by a value while they are.

use gainsay_smt::print::term_text;
use gainsay_smt::substitute::replace;
use gainsay_smt::{Command, Script, Term, Word};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_with_key};
use crate::contents::{UnambiguousSymbols, asserted_term, constants, has_scopes};
use crate::rewrite::reparse;
use crate::script_view::ScriptView;
use crate::simplest_value::SimplestValues;

/// Keeps a single assertion.
pub struct SingleAssertion;

/// Assertions that are tried alone: a script with more is not small yet.
const MAX_ASSERTIONS: usize = 5;

impl Pass for SingleAssertion {
    fn name(&self) -> &'static str {
        "single-assertion"
    }

    fn about(&self) -> &'static str {
        "keeps one assertion, with its constants replaced by values"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let assertions: Vec<Term> = script.commands.iter().filter_map(asserted_term).collect();
        if has_scopes(script) || !(2..=MAX_ASSERTIONS).contains(&assertions.len()) {
            return Vec::new();
        }
        let mut changes = Vec::new();
        for assertion in assertions {
            let values = constant_values(script, assertion);
            if values.is_empty() {
                continue;
            }
            let key = term_text(script.arena(), assertion);
            changes.push(rewrite_script_with_key(key, move |script| {
                reparse(&only_assertion(script, assertion, &values))
            }));
        }
        vec![changes]
    }
}

/// The simplest values of the declared constants of an assertion.
fn constant_values(script: &mut Script, assertion: Term) -> FxHashMap<Term, Term> {
    let symbols = UnambiguousSymbols::of(script);
    let simplest = SimplestValues::of(script, symbols.bound());
    let mut values = FxHashMap::default();
    for (constant, name) in constants(script, assertion) {
        let sort = script.arena().canonical(script.arena().sort_of(constant));
        if symbols.contains(name)
            && let Some(value) = simplest.value(script.arena_mut(), sort)
            && value != constant
        {
            values.insert(constant, value);
        }
    }
    values
}

fn only_assertion(script: &Script, assertion: Term, values: &FxHashMap<Term, Term>) -> Script {
    let mut after = script.clone();
    let kept = replace(after.arena_mut(), assertion, values);
    after.commands.retain(|command| asserted_term(command).is_none_or(|term| term == assertion));
    for command in &mut after.commands {
        if asserted_term(command).is_some() {
            *command = Command::Term(Word::Assert, kept, None);
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    const TEST_DECLARATIONS: &str = "(declare-fun p (Int) Bool)(declare-const x Int)(declare-const y Int)";

    #[test]
    fn assertions_that_constrain_a_constant_go_with_it() {
        let before = format!("{TEST_DECLARATIONS}(assert (< y x))(assert (p x))(assert (< x 9))");
        check(&SingleAssertion, &before, &format!("{TEST_DECLARATIONS}(assert (p 0))"));
    }

    #[test]
    fn a_single_assertion_and_one_without_constants_are_left_alone() {
        check_nothing(&SingleAssertion, &format!("{TEST_DECLARATIONS}(assert (p x))"));
        check_nothing(&SingleAssertion, &format!("{TEST_DECLARATIONS}(assert (p 1))(assert (p 2))"));
    }
}
