//! What the commands of a script do to the state of a solver, and which names they leave free.
//!
//! Strategies and questions both need it, and neither imports the other.

use gainsay_smt::{Command, Script};

/// Returns true if a script goes on after its first check, or has a check that is not plain: then the state that a solver
/// keeps between commands matters.
pub fn goes_on(script: &Script) -> bool {
    let checks = script.commands.iter().filter(|command| script.is_check(command));
    let is_special = |command: &Command| {
        script.is_check(command) && !matches!(command, Command::CheckSat)
            || changes_state(command)
            || simplifier(script, command).is_some()
    };
    checks.count() > 1 || script.commands.iter().any(is_special)
}

/// The simplifier of z3 that a command sets for all checks after it.
pub fn simplifier<'s>(script: &'s Script, command: &Command) -> Option<&'s str> {
    match command {
        Command::Plain(name, text) if script.arena().text(*name) == "set-simplifier" => {
            Some(script.arena().text(*text))
        }
        _ => None,
    }
}

fn changes_state(command: &Command) -> bool {
    matches!(command, Command::Push(_) | Command::Pop(_) | Command::Reset | Command::ResetAssertions)
}

/// A name that a script does not have, with this beginning.
pub fn fresh_prefix(script: &Script, beginning: &str) -> String {
    let names = script.declared_names();
    let is_taken = |prefix: &str| names.iter().any(|&name| script.arena().text(name).starts_with(prefix));
    let mut prefix = beginning.to_owned();
    while is_taken(&prefix) {
        prefix.push('_');
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn script(text: &str) -> Script {
        Script::parse(text, &Signature::standard()).unwrap()
    }

    #[test]
    fn scopes_assumptions_tactics_and_a_second_check_go_on() {
        assert!(!goes_on(&script("(declare-const p Bool)(assert p)(check-sat)")));
        for text in [
            "(check-sat)(check-sat)",
            "(push)(check-sat)",
            "(check-sat-assuming (true))",
            "(check-sat-using smt)",
            "(set-simplifier solve-eqs)(check-sat)",
        ] {
            assert!(goes_on(&script(text)), "{text}");
        }
    }

    #[test]
    fn a_fresh_name_begins_no_name_of_the_script() {
        assert_eq!(fresh_prefix(&script("(declare-const x Int)"), "core_"), "core_");
        assert_eq!(fresh_prefix(&script("(declare-const core_7 Int)"), "core_"), "core__");
    }
}
