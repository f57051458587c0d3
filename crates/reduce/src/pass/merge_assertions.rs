//! Joins all assertions into one conjunction, which is shorter.
//!
//! ```text
//! (assert a) (assert b)   becomes   (assert (and a b))
//! ```

use gainsay_smt::{Command, Head, Script, Sort, Symbol, Term, Word};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script};
use crate::script_view::ScriptView;

/// Joins all assertions.
pub struct MergeAssertions;

impl Pass for MergeAssertions {
    fn name(&self) -> &'static str {
        "merge-assertions"
    }

    fn about(&self) -> &'static str {
        "joins all assertions into one conjunction"
    }

    fn phase(&self) -> Phase {
        Phase::Restyle
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let is_assertion = |command: &&Command| matches!(command, Command::Term(Word::Assert, _, None));
        let checks = script.commands.iter().position(|command| {
            !matches!(command, Command::Declare(..) | Command::SetLogic(_) | Command::Plain(..))
                && !is_assertion(&command)
        });
        let count =
            script.commands[..checks.unwrap_or(script.commands.len())].iter().filter(is_assertion).count();
        if count < 2 || count < script.commands.iter().filter(is_assertion).count() {
            return Vec::new();
        }
        vec![vec![rewrite_script(|script| Some(merged(script)))]]
    }
}

/// The script with one assertion, in the position of the last.
fn merged(script: &Script) -> Script {
    let mut after = script.clone();
    let term = |command: &Command| match *command {
        Command::Term(Word::Assert, term, None) => Some(term),
        _ => None,
    };
    let parts: Vec<Term> = script.commands.iter().filter_map(term).collect();
    let place = script.commands.iter().rposition(|command| term(command).is_some());
    let all = after.arena_mut().application(Head::plain(Symbol::AND), &parts, Sort::BOOL);
    let numbered = script.commands.iter().enumerate();
    let kept = numbered.filter(|(number, command)| term(command).is_none() || Some(*number) == place);
    after.commands = kept
        .map(|(_, command)| match term(command) {
            Some(_) => Command::Term(Word::Assert, all, None),
            None => command.clone(),
        })
        .collect();
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn assertions_are_joined_if_no_check_is_between_them() {
        let declared = "(declare-const a Bool)(declare-const b Bool)";
        check(
            &MergeAssertions,
            &format!("{declared}(assert a)(assert (not b))(assert b)(check-sat)"),
            &format!("{declared}(assert (and a (not b) b))(check-sat)"),
        );
        check_nothing(&MergeAssertions, &format!("{declared}(assert a)(check-sat)(assert b)(check-sat)"));
        check_nothing(&MergeAssertions, &format!("{declared}(assert a)(check-sat)"));
    }
}
