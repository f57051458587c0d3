//! Chains under another logic: a solver chooses its procedures by the logic that a script names, so the same script under another name, or
//! under none, reaches other code.
//!
//! ```text
//! (set-logic QF_LIA)
//! (declare-const x Int)        becomes        (declare-const x Int)
//! (assert (< x 3))                            (assert (< x 3))
//! ```
//!
//! The logic is absent, `ALL`, or the smallest standard one that holds the script. The meaning stays, and so does the answer.

use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Script, Word, logic};
use serde::{Deserialize, Serialize};

use crate::random::Rng;

/// Which logics the scripts of a campaign name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogicChoice {
    /// Those of their seeds.
    #[default]
    Own,
    /// Half of the chains name another one.
    Drawn,
}

/// The script under another logic, for half of the draws; `None` for the others, and for scripts whose logic says how they are read.
pub fn with_drawn_logic(script: &Script, rng: &mut Rng) -> Option<Script> {
    let is_rule = |command: &Command| matches!(command, Command::Term(Word::Rule | Word::Query, ..));
    let is_special = |name: &str| name == "HORN" || name.starts_with("HO_");
    let own = script.logic();
    let is_kept = own.is_some_and(is_special) || script.has_opaque() || script.commands.iter().any(is_rule);
    if is_kept || rng.chance(1, 2) {
        return None;
    }
    let mut others = vec![None, Some("ALL"), Some(logic::smallest(script))];
    others.dedup();
    others.retain(|other| *other != own);
    under(script, *rng.choose(&others)?)
}

/// The script under this logic; `None` if its terms would be read in another way, as numerals are in logics of reals, or if it sets logics
/// more than once.
fn under(script: &Script, logic: Option<&str>) -> Option<Script> {
    let arena = script.arena();
    let sets_logic = |command: &&Command| matches!(command, Command::SetLogic(_));
    if script.commands.iter().filter(sets_logic).count() > 1 {
        return None;
    }
    let mut text = logic.map(|name| format!("(set-logic {name})\n")).unwrap_or_default();
    for command in script.commands.iter().filter(|command| !sets_logic(command)) {
        text += &command_text(arena, command);
        text.push('\n');
    }
    let made = Script::parse(&text, arena.signature()).ok()?;
    let without_logic = |script: &Script| {
        let mut script = script.clone();
        script.commands.retain(|command| !sets_logic(&command));
        script
    };
    (without_logic(&made) == without_logic(script)).then_some(made)
}

#[cfg(test)]
mod tests {
    use gainsay_smt::Signature;

    use super::*;
    use crate::random::RandomStream;

    /// All scripts that draws make of one.
    fn drawn(text: &str) -> Vec<String> {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let draw = |number| with_drawn_logic(&script, &mut RandomStream::new(number).rng());
        let mut made: Vec<String> = (0..100).filter_map(draw).map(|script| script.to_string()).collect();
        made.sort();
        made.dedup();
        made
    }

    #[test]
    fn a_script_is_put_under_no_logic_all_or_the_smallest_one() {
        let body = "(declare-const x Int)\n(assert (< x 3))\n(check-sat)\n";
        let [none, all, own] =
            [body.to_owned(), format!("(set-logic ALL)\n{body}"), format!("(set-logic QF_LIA)\n{body}")];
        assert_eq!(drawn(&own), [none.clone(), all.clone()]);
        assert_eq!(drawn(&none), [all, own.clone()]);
        assert_eq!(drawn(&format!("(set-option :produce-models true)\n{own}")).len(), 2);
        assert_eq!(drawn(&format!("(set-logic QF_NIA)\n{body}")).len(), 3);
    }

    #[test]
    fn a_logic_that_says_how_the_script_is_read_stays() {
        let reals = "(set-logic QF_LRA)(declare-const x Real)(assert (= x 1))(check-sat)";
        for made in drawn(reals) {
            assert!(made.contains("QF_LRA") || made.contains("1.0"), "{made}");
        }
        let kept = [
            "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= x 0) (p x))))(check-sat)",
            "(set-logic HO_ALL)(declare-const f (-> Int Int))(assert (= f f))(check-sat)",
            "(set-logic QF_LIA)(check-sat)(reset)(set-logic QF_LRA)(check-sat)",
        ];
        for text in kept {
            assert!(drawn(text).is_empty(), "{text}");
        }
    }
}
