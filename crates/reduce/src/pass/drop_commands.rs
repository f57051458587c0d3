//! Commands left out: assertions first, then settings and requests, then everything else.

use gainsay_smt::{Command, Script, Word};

use super::connected_assertions::parts;
use super::{Pass, Phase};
use crate::change::Change;
use crate::script_view::ScriptView;

/// Leaves commands out.
pub struct DropCommands;

impl Pass for DropCommands {
    fn name(&self) -> &'static str {
        "drop-commands"
    }

    fn about(&self) -> &'static str {
        "leaves out assertions, then other commands"
    }

    fn phase(&self) -> Phase {
        Phase::Commands
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let is_assertion =
            |number: &usize| matches!(script.commands[*number], Command::Term(Word::Assert, ..));
        let others = (0..script.commands.len()).filter(|number| !is_assertion(number));
        let (settings, others): (Vec<usize>, Vec<usize>) =
            others.partition(|&number| is_setting(&script.commands[number]));
        let drops = |numbers: Vec<usize>| numbers.into_iter().map(Change::DropCommand).collect();
        // Those that belong together go together.
        vec![drops(parts(script).concat()), drops(settings), drops(others)]
    }
}

/// Whether a command asserts, declares and asks nothing.
fn is_setting(command: &Command) -> bool {
    matches!(
        command,
        Command::SetLogic(_) | Command::Plain(..) | Command::Exit | Command::Terms(Word::GetValue, _)
    )
}
