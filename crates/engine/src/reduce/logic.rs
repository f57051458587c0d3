//! A shorter logic: `ALL`, or the smallest that holds the script.
//!
//! ```text
//! (set-logic QF_AUFBVFPDTNIRA)   becomes   (set-logic ALL)   or   (set-logic QF_LIA)
//! ```

use gainsay_smt::logic::smallest;
use gainsay_smt::{Command, Script};

use super::{Change, Pass, View};

/// The pass.
pub struct Logic;

impl Pass for Logic {
    fn name(&self) -> &'static str {
        "logic"
    }

    fn about(&self) -> &'static str {
        "sets a shorter logic"
    }

    fn changes(&self, script: &mut Script, _: &View) -> Vec<Vec<Change>> {
        // Where functions are values the logic says so.
        let is_higher = script.logic().is_some_and(|logic| logic.starts_with("HO_"));
        let wanted = if is_higher { vec!["HO_ALL"] } else { vec![smallest(script), "ALL"] };
        let places: Vec<usize> = (0..script.commands.len())
            .filter(|&n| matches!(script.commands[n], Command::SetLogic(_)))
            .collect();
        let arena = script.arena_mut();
        let batch = |logic: &&str| {
            let logic = arena.symbol(logic);
            places.iter().map(|&place| Change::Command(place, vec![Command::SetLogic(logic)])).collect()
        };
        wanted.iter().map(batch).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::check::check;

    #[test]
    fn the_logic_becomes_all_or_the_smallest() {
        let script = |logic: &str| format!("(set-logic {logic})(declare-const x Int)(assert (< x 0))");
        check(&Logic, &script("QF_AUFLIRA"), &script("ALL"));
        check(&Logic, &script("QF_AUFLIRA"), &script("QF_LIA"));
    }
}
