//! Commands left out: assertions first, then everything else.

use gainsay_smt::{Command, Script, Word};

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
        let numbers = 0..script.commands.len();
        let (assertions, others): (Vec<usize>, Vec<usize>) =
            numbers.partition(|&number| matches!(script.commands[number], Command::Term(Word::Assert, ..)));
        let drops = |numbers: Vec<usize>| numbers.into_iter().map(Change::Drop).collect();
        vec![drops(assertions), drops(others)]
    }
}
