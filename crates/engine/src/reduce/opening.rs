//! A script made plain before anything is tried: no `let`, and an assertion for each part of a conjunction.
//!
//! ```text
//! (assert (let ((x (f a))) (and (p x) (and (q b) (r c)))))   becomes   (assert (p (f a))) (assert (q b)) (assert (r c))
//! ```
//!
//! That may be longer at first, but assertions are left out by halves, and what stands in long terms is found one by one.
//! [`Together`] undoes at the end what is left of it.

use gainsay_smt::{Command, Head, Script, Sort, Symbol, Term, View as TermView, Word};

use super::lets::inline_all;
use super::whole::whole;
use super::{Change, Pass, View};

/// How much longer a script may become, in tenths of its bytes.
const GROWTH: usize = 15;

/// The script made plain; nothing if it is plain or would become too long.
pub fn plain(script: &Script) -> Option<Script> {
    let before = script.to_string();
    let open = inline_all(script).unwrap_or_else(|| script.clone());
    let open = parted(&open);
    let after = open.to_string();
    (after != before && after.len() <= before.len() * GROWTH / 10).then_some(open)
}

/// The script with an assertion for each part of a conjunction.
fn parted(script: &Script) -> Script {
    let mut after = script.clone();
    after.commands.clear();
    for command in &script.commands {
        let Command::Term(Word::Assert, term, None) = *command else {
            after.commands.push(command.clone());
            continue;
        };
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match conjunction(script, term) {
                Some(parts) => open.extend(parts.iter().rev()),
                None => after.commands.push(Command::Term(Word::Assert, term, None)),
            }
        }
    }
    after
}

fn conjunction(script: &Script, term: Term) -> Option<&[Term]> {
    match script.arena().view(term) {
        TermView::Application(head, parts) if head.symbol == Symbol::AND && !parts.is_empty() => Some(parts),
        _ => None,
    }
}

/// Makes one assertion of all.
pub struct Together;

impl Pass for Together {
    fn name(&self) -> &'static str {
        "together"
    }

    fn about(&self) -> &'static str {
        "makes one assertion of all"
    }

    fn changes(&self, script: &mut Script, _: &View) -> Vec<Vec<Change>> {
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
        vec![vec![whole(|script| Some(together(script)))]]
    }
}

/// The script with one assertion in the place of the last.
fn together(script: &Script) -> Script {
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
    use crate::reduce::check::{check, check_nothing};
    use gainsay_smt::Signature;

    fn made_plain(before: &str) -> Option<String> {
        let script = Script::parse(before, &Signature::standard()).unwrap();
        plain(&script).map(|script| script.to_string().replace('\n', ""))
    }

    #[test]
    fn conjunctions_become_assertions_and_lets_their_values() {
        let declared = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)";
        let before =
            format!("{declared}(assert (let ((x (or a b))) (and x (and (not b) c) (or x c))))(check-sat)");
        let after = format!(
            "{declared}(assert (or a b))(assert (not b))(assert c)(assert (or (or a b) c))(check-sat)"
        );
        assert_eq!(made_plain(&before), Some(after));
        assert_eq!(made_plain(&format!("{declared}(assert (or a (and b c)))")), None);
    }

    #[test]
    fn what_would_be_much_longer_stays() {
        let a = "(declare-const a Bool)";
        assert_eq!(made_plain(&format!("{a}(assert (and {}))", "a ".repeat(100))), None);
    }

    #[test]
    fn assertions_become_one_where_nothing_comes_between() {
        let declared = "(declare-const a Bool)(declare-const b Bool)";
        check(
            &Together,
            &format!("{declared}(assert a)(assert (not b))(assert b)(check-sat)"),
            &format!("{declared}(assert (and a (not b) b))(check-sat)"),
        );
        check_nothing(&Together, &format!("{declared}(assert a)(check-sat)(assert b)(check-sat)"));
        check_nothing(&Together, &format!("{declared}(assert a)(check-sat)"));
    }
}
