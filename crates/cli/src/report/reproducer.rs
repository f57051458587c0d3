//! A reproducer in one file: a shell script that contains the SMT-LIB script and runs the solver on it.
//!
//! Maintainers run `sh reproduce.sh`, or `sh reproduce.sh ./build/z3` for a build of theirs.

use gainsay_engine::store::origin::shell;
use gainsay_engine::triage::queue::Bug;
use gainsay_engine::triage::reproduction::SCRIPT_FILE;

use super::bug;

/// The contents of `reproduce.sh`; `None` if no command was run.
pub fn render(bug: &Bug<'_>, title: &str) -> Option<String> {
    let run = bug.lead.reproduction.as_ref()?;
    let (program, arguments) = run.command.split_first()?;
    let script = bug::script(bug).trim_end();
    let mut end = "END_OF_SCRIPT".to_owned();
    while script.lines().any(|line| line == end) {
        end.push('_');
    }
    let word = |word: &String| if word == SCRIPT_FILE { "\"$script\"".to_owned() } else { shell(word) };
    let arguments: Vec<String> = arguments.iter().map(word).collect();
    Some(format!(
        "#!/bin/sh\n# {title}\n# Usage: sh reproduce.sh [SOLVER]\n\
         solver=${{1:-{}}}\n\
         script=${{TMPDIR:-/tmp}}/gainsay-$$.smt2\n\
         trap 'rm -f \"$script\"' EXIT\n\
         cat > \"$script\" <<'{end}'\n{script}\n{end}\n\
         \"$solver\" {}\n\
         echo \"exit code $?\"\n",
        shell(program),
        arguments.join(" "),
    ))
}
