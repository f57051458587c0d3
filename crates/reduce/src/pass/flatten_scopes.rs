//! Makes incremental scripts flat: keeps the assertions in force at one `check-sat`, or drops `push` and `pop`.
//!
//! ```text
//! (push) (assert a) (check-sat) (pop) (assert b) (check-sat)
//! becomes
//! (assert a) (check-sat)
//! and
//! (assert b) (check-sat)
//! ```
//!
//! A check with assumptions, or with a tactic of z3 (`check-sat-using`), also becomes a plain one.

use gainsay_smt::{Command, Script, Word};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script};
use crate::rewrite::reparse;
use crate::script_view::ScriptView;

/// Flattens scopes.
pub struct FlattenScopes;

/// Checks, and pairs of `push` and `pop`, that are tried one by one.
const MAX_CHECKS: usize = 32;

/// Scopes that one `push` can open here; a script that pops more than this is left alone.
const MAX_SCOPES_PER_PUSH: u32 = 1000;

impl Pass for FlattenScopes {
    fn name(&self) -> &'static str {
        "flatten-scopes"
    }

    fn about(&self) -> &'static str {
        "drops push and pop, keeps one check of many"
    }

    fn phase(&self) -> Phase {
        Phase::Coarse
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let checks: Vec<usize> =
            (0..script.commands.len()).filter(|&n| script.is_check(&script.commands[n])).collect();
        let is_special = |&check: &usize| !matches!(script.commands[check], Command::CheckSat);
        let is_flat = checks.len() <= 1
            && !checks.iter().any(is_special)
            && !script.commands.iter().any(is_scope_command);
        if is_flat {
            return Vec::new();
        }
        let last = checks
            .iter()
            .rev()
            .take(MAX_CHECKS)
            .map(|&check| rewrite_script(move |script| in_force(script, check)));
        let flat = rewrite_script(|script| {
            let mut flat = script.clone();
            flat.commands.retain(|command| !matches!(command, Command::Push(_) | Command::Pop(_)));
            reparse(&flat)
        });
        let pairs = push_pop_pairs(script).into_iter().take(MAX_CHECKS).map(|(push, pop)| {
            rewrite_script(move |script| {
                let mut after = script.clone();
                after.commands.remove(pop);
                after.commands.remove(push);
                reparse(&after)
            })
        });
        vec![last.chain([flat]).chain(pairs).collect()]
    }
}

fn is_scope_command(command: &Command) -> bool {
    matches!(command, Command::Push(_) | Command::Pop(_) | Command::Reset | Command::ResetAssertions)
}

/// The commands in force at a check, with its assumptions asserted, and the queries that follow it.
fn in_force(script: &Script, check: usize) -> Option<Script> {
    let mut after = script.clone();
    let mut commands: Vec<Command> = Vec::new();
    let mut scopes: Vec<usize> = Vec::new();
    for command in &script.commands[..check] {
        match command {
            Command::Push(count) => {
                let count = count.unwrap_or(1).min(MAX_SCOPES_PER_PUSH);
                scopes.extend(std::iter::repeat_n(commands.len(), count as usize));
            }
            Command::Pop(count) => {
                for _ in 0..count.unwrap_or(1) {
                    commands.truncate(scopes.pop()?);
                }
            }
            Command::Reset | Command::ResetAssertions => {
                commands.clear();
                scopes.clear();
            }
            Command::Terms(..) => {}
            command if script.is_check(command) => {}
            other => commands.push(other.clone()),
        }
    }
    if let Command::Terms(_, assumed) = &script.commands[check] {
        commands.extend(assumed.iter().map(|&term| Command::Term(Word::Assert, term, None)));
    }
    commands.push(Command::CheckSat);
    let rest = script.commands[check + 1..].iter();
    let asks = |command: &&Command| {
        let is_query = matches!(command, Command::Plain(..) | Command::Terms(Word::GetValue, _));
        is_query && !script.is_check(command)
    };
    commands.extend(rest.take_while(asks).cloned());
    after.commands = commands;
    reparse(&after)
}

/// Each `push` of one scope with its `pop`.
fn push_pop_pairs(script: &Script) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for (number, command) in script.commands.iter().enumerate() {
        match command {
            Command::Push(None | Some(1)) => open.push(number),
            Command::Pop(None | Some(1)) => pairs.extend(open.pop().map(|push| (push, number))),
            command if is_scope_command(command) => return pairs,
            _ => {}
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn one_check_is_kept_with_what_is_in_force() {
        let before = "(declare-const a Bool)(push 1)(assert a)(check-sat)(pop 1)(assert (not a))(check-sat)";
        check(&FlattenScopes, before, "(declare-const a Bool)(assert a)(check-sat)");
        check(&FlattenScopes, before, "(declare-const a Bool)(assert (not a))(check-sat)");
        check(
            &FlattenScopes,
            before,
            "(declare-const a Bool)(assert a)(check-sat)(assert (not a))(check-sat)",
        );
    }

    #[test]
    fn assumptions_are_asserted() {
        check(
            &FlattenScopes,
            "(declare-const a Bool)(check-sat-assuming (a))(get-model)",
            "(declare-const a Bool)(assert a)(check-sat)(get-model)",
        );
    }

    #[test]
    fn a_check_with_a_tactic_becomes_a_plain_one() {
        check(
            &FlattenScopes,
            "(declare-const a Bool)(assert a)(check-sat-using (then simplify smt))(get-model)",
            "(declare-const a Bool)(assert a)(check-sat)(get-model)",
        );
    }

    #[test]
    fn a_script_without_scopes_is_left_alone() {
        check_nothing(&FlattenScopes, "(declare-const a Bool)(assert a)(check-sat)(get-model)");
    }
}
