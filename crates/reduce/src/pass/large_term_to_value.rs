//! Replaces terms that are a large part of the script by the simplest values of their sorts.

use gainsay_smt::{Command, Script};

use super::term_to_value::replace_by_values;
use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Replaces large terms by values.
pub struct LargeTermToValue;

/// A term is large if it is longer than the text of all terms divided by this,
const MIN_SHARE_DIVISOR: usize = 8;
/// and longer than this.
const MIN_LARGE_TERM_BYTES: usize = 160;

impl Pass for LargeTermToValue {
    fn name(&self) -> &'static str {
        "large-term-to-value"
    }

    fn about(&self) -> &'static str {
        "replaces large terms by the simplest values of their sorts"
    }

    fn phase(&self) -> Phase {
        Phase::Coarse
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let all: usize = script.commands.iter().flat_map(Command::terms).map(|term| view.bytes(term)).sum();
        let list = view.places.list();
        let is_large =
            |place: &usize| view.bytes(list[*place].term) > MIN_LARGE_TERM_BYTES.max(all / MIN_SHARE_DIVISOR);
        let places = view.changeable().into_iter().filter(is_large).collect();
        replace_by_values(script, view, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{changed_texts, check};

    #[test]
    fn only_a_large_part_of_the_script_is_replaced() {
        let term = format!("(+ {})", "1 ".repeat(MIN_LARGE_TERM_BYTES));
        check(&LargeTermToValue, &format!("(assert (< 1 {term}))"), "(assert (< 1 0))");
        let others =
            "(assert (< 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20))".repeat(MIN_LARGE_TERM_BYTES);
        assert!(changed_texts(&LargeTermToValue, &format!("{others}(assert (< 1 {term}))")).is_empty());
    }
}
