//! Preprocessing before the passes: expands `let` and splits conjunctions into assertions.
//!
//! ```text
//! (assert (let ((x (f a))) (and (p x) (and (q b) (r c)))))   becomes   (assert (p (f a))) (assert (q b)) (assert (r c))
//! ```
//!
//! The script may become longer at first, but assertions are dropped by halves, while parts of long terms are dropped one by
//! one. The pass `merge-assertions` joins the remaining assertions at the end.

use gainsay_smt::{Command, Script, Symbol, Term, TermView, Word};

use crate::pass::inline_lets::expand_all_lets;

/// The length that a script may grow to, in tenths of its original length.
const MAX_GROWTH_TENTHS: usize = 15;

/// The preprocessed script; `None` if preprocessing does not change it or makes it too long.
pub fn preprocess(script: &Script) -> Option<Script> {
    let before = script.to_string();
    let expanded = expand_all_lets(script).unwrap_or_else(|| script.clone());
    let split = split_conjunctions(&expanded);
    let after = split.to_string();
    (after != before && after.len() <= before.len() * MAX_GROWTH_TENTHS / 10).then_some(split)
}

/// The script with an assertion for each conjunct.
fn split_conjunctions(script: &Script) -> Script {
    let mut after = script.clone();
    after.commands.clear();
    for command in &script.commands {
        let Command::Term(Word::Assert, term, None) = *command else {
            after.commands.push(command.clone());
            continue;
        };
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match conjuncts(script, term) {
                Some(parts) => open.extend(parts.iter().rev()),
                None => after.commands.push(Command::Term(Word::Assert, term, None)),
            }
        }
    }
    after
}

fn conjuncts(script: &Script, term: Term) -> Option<&[Term]> {
    match script.arena().view(term) {
        TermView::Application(head, parts) if head.symbol == Symbol::AND && !parts.is_empty() => Some(parts),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn preprocessed(before: &str) -> Option<String> {
        let script = Script::parse(before, &Signature::standard()).unwrap();
        preprocess(&script).map(|script| script.to_string().replace('\n', ""))
    }

    #[test]
    fn conjunctions_are_split_and_lets_expanded() {
        let declared = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)";
        let before =
            format!("{declared}(assert (let ((x (or a b))) (and x (and (not b) c) (or x c))))(check-sat)");
        let after = format!(
            "{declared}(assert (or a b))(assert (not b))(assert c)(assert (or (or a b) c))(check-sat)"
        );
        assert_eq!(preprocessed(&before), Some(after));
        assert_eq!(preprocessed(&format!("{declared}(assert (or a (and b c)))")), None);
    }

    #[test]
    fn a_script_that_would_become_much_longer_stays() {
        let a = "(declare-const a Bool)";
        assert_eq!(preprocessed(&format!("{a}(assert (and {}))", "a ".repeat(100))), None);
    }
}
