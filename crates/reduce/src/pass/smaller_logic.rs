//! Sets a shorter logic: `ALL`, or the smallest that covers the script.
//!
//! ```text
//! (set-logic QF_AUFBVFPDTNIRA)   becomes   (set-logic ALL)   or   (set-logic QF_LIA)
//! ```

use gainsay_smt::logic::smallest;
use gainsay_smt::{Command, Script};

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Sets a shorter logic.
pub struct SmallerLogic;

impl Pass for SmallerLogic {
    fn name(&self) -> &'static str {
        "smaller-logic"
    }

    fn about(&self) -> &'static str {
        "sets a shorter logic"
    }

    fn phase(&self) -> Phase {
        Phase::Restyle
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        // Higher-order scripts need a higher-order logic.
        let is_higher = script.logic().is_some_and(|logic| logic.starts_with("HO_"));
        let wanted = if is_higher { vec!["HO_ALL"] } else { vec![smallest(script), "ALL"] };
        let places: Vec<usize> = (0..script.commands.len())
            .filter(|&n| matches!(script.commands[n], Command::SetLogic(_)))
            .collect();
        let arena = script.arena_mut();
        let batch = |logic: &&str| {
            let logic = arena.symbol(logic);
            places
                .iter()
                .map(|&place| ScriptChange::ReplaceCommand(place, vec![Command::SetLogic(logic)]))
                .collect()
        };
        wanted.iter().map(batch).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::check;

    #[test]
    fn the_logic_becomes_all_or_the_smallest() {
        let script = |logic: &str| format!("(set-logic {logic})(declare-const x Int)(assert (< x 0))");
        check(&SmallerLogic, &script("QF_AUFLIRA"), &script("ALL"));
        check(&SmallerLogic, &script("QF_AUFLIRA"), &script("QF_LIA"));
    }
}
