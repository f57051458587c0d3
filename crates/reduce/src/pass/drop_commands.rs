//! Drops commands: assertions first, then options and queries, then everything else.

use gainsay_smt::{Command, Script, Word};

use super::connected_assertions::connected_components;
use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Drops commands.
pub struct DropCommands;

impl Pass for DropCommands {
    fn name(&self) -> &'static str {
        "drop-commands"
    }

    fn about(&self) -> &'static str {
        "drops assertions, then other commands"
    }

    fn phase(&self) -> Phase {
        Phase::Commands
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let is_assertion =
            |number: &usize| matches!(script.commands[*number], Command::Term(Word::Assert, ..));
        let others = (0..script.commands.len()).filter(|number| !is_assertion(number));
        let (settings, others): (Vec<usize>, Vec<usize>) =
            others.partition(|&number| is_setting(&script.commands[number]));
        let drops = |numbers: Vec<usize>| numbers.into_iter().map(ScriptChange::DropCommand).collect();
        // Connected assertions are next to each other, so that they are dropped together.
        vec![drops(connected_components(script).concat()), drops(settings), drops(others)]
    }
}

/// Whether a command neither asserts nor declares nor checks.
fn is_setting(command: &Command) -> bool {
    matches!(
        command,
        Command::SetLogic(_) | Command::Plain(..) | Command::Exit | Command::Terms(Word::GetValue, _)
    )
}
