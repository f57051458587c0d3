//! The queries of a script: one per `check-sat`.
//!
//! A script with `push` and `pop` has several queries, each with the assertions and declarations in force at its own
//! place:
//!
//! ```text
//! (push) (assert a) (check-sat) (pop) (assert b) (check-sat)      queries {a}, then {b}
//! ```

use crate::command::{Command, Definition, Word};
use crate::script::Script;
use crate::symbol::Symbol;
use crate::term::{Term, TermView};

/// One `check-sat` of a script, with the declarations and assertions in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SatQuery {
    /// The index of its command; one past the last for a script without `check-sat`.
    pub command: usize,
    /// The indices of the commands that declare and define the names in scope.
    pub declarations: Vec<usize>,
    /// The asserted terms.
    pub assertions: Vec<Term>,
    /// The terms of a `check-sat-assuming`.
    pub assumptions: Vec<Term>,
}

impl SatQuery {
    /// A function in scope that is defined by its own values, if there is one.
    ///
    /// Such a definition is an axiom, used or not, and may have no solution: `(define-fun-rec b () Bool (not b))`. So an assignment that makes
    /// all assertions true does not prove that the query is satisfiable.
    pub fn recursive_definition(&self, script: &Script) -> Option<Symbol> {
        let arena = script.arena();
        self.declarations.iter().find_map(|&place| {
            let definitions: &[Definition] = match &script.commands[place] {
                Command::Define(Word::DefineFunRec, definition) => std::slice::from_ref(&**definition),
                Command::DefineFunsRec(definitions) => definitions,
                _ => return None,
            };
            let names: Vec<Symbol> = definitions.iter().map(|definition| definition.name).collect();
            let used = arena.reachable(definitions.iter().map(|definition| definition.body));
            let mut heads = used.filter_map(|term| match arena.view(term) {
                TermView::Application(head, _) => Some(head.symbol),
                _ => None,
            });
            heads.find(|name| names.contains(name))
        })
    }
}

/// The queries of a script, in order. A script without `check-sat` is queried at its end.
///
/// ```
/// use gainsay_smt::{Script, Signature, sat_queries};
///
/// let text = "(declare-const a Bool)(push)(assert a)(check-sat)(pop)(check-sat)";
/// let script = Script::parse(text, &Signature::standard())?;
/// let counts: Vec<usize> = sat_queries(&script).iter().map(|query| query.assertions.len()).collect();
/// assert_eq!(counts, [1, 0]);
/// # Ok::<(), gainsay_smt::Error>(())
/// ```
pub fn sat_queries(script: &Script) -> Vec<SatQuery> {
    let mut state = AssertionStack::default();
    let mut found = Vec::new();
    for (place, command) in script.commands.iter().enumerate() {
        match command {
            Command::Terms(Word::CheckSatAssuming | Word::GetTimeoutCoreAssuming, terms) => {
                found.push(state.check(place, terms));
            }
            command if script.is_check(command) => found.push(state.check(place, &[])),
            Command::Exit | Command::Unreached(_) => break,
            _ => state.follow(script, place, command),
        }
    }
    if found.is_empty() {
        found.push(state.check(script.commands.len(), &[]));
    }
    found
}

/// The assertion stack of SMT-LIB: the declarations and assertions in force.
#[derive(Default)]
struct AssertionStack {
    declarations: Vec<usize>,
    assertions: Vec<Term>,
    /// For each level, the number of declarations and assertions when it began.
    levels: Vec<(usize, usize)>,
    has_global_declarations: bool,
}

impl AssertionStack {
    fn check(&self, command: usize, assumptions: &[Term]) -> SatQuery {
        SatQuery {
            command,
            declarations: self.declarations.clone(),
            assertions: self.assertions.clone(),
            assumptions: assumptions.to_vec(),
        }
    }

    fn follow(&mut self, script: &Script, place: usize, command: &Command) {
        match command {
            Command::Term(Word::Assert, term, _) => {
                self.assertions.push(*term);
                // An assertion may declare names by `:named`.
                self.declarations.push(place);
            }
            Command::Push(levels) => {
                let mark = (self.declarations.len(), self.assertions.len());
                // A short script can push billions of levels; all levels that begin here end alike.
                let count = levels.unwrap_or(1).min(1 << 16);
                self.levels.extend(std::iter::repeat_n(mark, count as usize));
            }
            Command::Pop(levels) => {
                for _ in 0..levels.unwrap_or(1).min(1 << 16) {
                    self.pop();
                }
            }
            Command::ResetAssertions => {
                self.levels.clear();
                self.assertions.clear();
                if !self.has_global_declarations {
                    self.declarations.clear();
                }
            }
            Command::Reset => *self = AssertionStack::default(),
            Command::Plain(name, text) => self.option(script, *name, *text),
            command if command.is_declaration() => self.declarations.push(place),
            _ => {}
        }
    }

    fn pop(&mut self) {
        let Some((declarations, assertions)) = self.levels.pop() else { return };
        self.assertions.truncate(assertions);
        if !self.has_global_declarations {
            self.declarations.truncate(declarations);
        }
    }

    fn option(&mut self, script: &Script, name: Symbol, text: Symbol) {
        let (name, text) = (script.arena().text(name), script.arena().text(text));
        if name == "set-option" && text.starts_with(":global-declarations") {
            self.has_global_declarations = text.ends_with("true");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;
    use crate::print::term_text;

    /// The assertions and assumptions of each query of a script.
    fn asked(text: &str) -> Vec<String> {
        let text = format!("(declare-const a Bool)(declare-const b Bool){text}");
        let script = Script::parse(&text, &Signature::standard()).unwrap();
        let show = |terms: &[Term]| {
            let terms: Vec<String> = terms.iter().map(|&term| term_text(script.arena(), term)).collect();
            terms.join(" ")
        };
        sat_queries(&script)
            .iter()
            .map(|c| format!("{}/{}", show(&c.assertions), show(&c.assumptions)))
            .collect()
    }

    #[test]
    fn every_query_has_the_assertions_in_force() {
        assert_eq!(asked("(push)(assert a)(check-sat)(pop)(assert b)(check-sat)"), ["a/", "b/"]);
        assert_eq!(asked("(assert a)(push 2)(assert b)(pop 1)(check-sat)(pop)(check-sat)"), ["a/", "a/"]);
        assert_eq!(asked("(assert a)(check-sat-assuming (b (not b)))(check-sat)"), ["a/b (not b)", "a/"]);
        assert_eq!(asked("(assert a)(check-sat-using smt)(assert b)(check-sat-using qfbv)"), ["a/", "a b/"]);
        assert_eq!(asked("(assert a)(get-timeout-core)(get-timeout-core-assuming (b))"), ["a/", "a/b"]);
    }

    #[test]
    fn a_script_without_check_sat_is_queried_at_its_end() {
        assert_eq!(asked("(assert a)(assert b)"), ["a b/"]);
    }

    #[test]
    fn declarations_end_with_their_level_unless_they_are_global() {
        let count = |text: &str| {
            let script = Script::parse(text, &Signature::standard()).unwrap();
            sat_queries(&script)[0].declarations.len()
        };
        assert_eq!(count("(push)(declare-const a Bool)(pop)(check-sat)"), 0);
        assert_eq!(
            count("(set-option :global-declarations true)(push)(declare-const a Bool)(pop)(check-sat)"),
            1
        );
    }
}
