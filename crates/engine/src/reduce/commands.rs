//! Commands left out: assertions first, then settings and requests, then everything else.

use gainsay_smt::{Command, Script, Word};

use super::parts::parts;
use super::{Change, Pass, View};

/// Leaves commands out.
pub struct Commands;

impl Pass for Commands {
    fn name(&self) -> &'static str {
        "commands"
    }

    fn about(&self) -> &'static str {
        "leaves out assertions, then other commands"
    }

    fn changes(&self, script: &mut Script, _: &View) -> Vec<Vec<Change>> {
        let is_assertion =
            |number: &usize| matches!(script.commands[*number], Command::Term(Word::Assert, ..));
        let others = (0..script.commands.len()).filter(|number| !is_assertion(number));
        let (settings, others): (Vec<usize>, Vec<usize>) =
            others.partition(|&number| is_setting(&script.commands[number]));
        let drops = |numbers: Vec<usize>| numbers.into_iter().map(Change::Drop).collect();
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
