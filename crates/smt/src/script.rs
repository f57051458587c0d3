//! Scripts: sequences of commands over one arena.
//!
//! A script is a value. Clones share the arena; the first edit of a clone copies it, which is a
//! handful of flat vectors and costs less than printing the script once.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::arena::Arena;
use crate::command::{Command, Word};
use crate::error::Error;
use crate::print::Printer;
use crate::signature::Signature;
use crate::symbol::Symbol;
use crate::term::Term;

/// A script: commands, and the arena with their names, sorts and terms.
#[derive(Clone)]
pub struct Script {
    arena: Arc<Arena>,
    /// The commands, in order.
    pub commands: Vec<Command>,
}

/// The part of a script before its first error.
#[derive(Debug)]
pub struct ScriptPrefix {
    /// The commands before the error.
    pub script: Script,
    /// The length of their text in bytes.
    pub length: usize,
    /// The error.
    pub error: Error,
}

impl ScriptPrefix {
    /// Returns true if it has a query, so that it is of use without the rest.
    pub fn has_query(&self) -> bool {
        self.script.commands.iter().any(|command| self.script.is_check(command))
    }
}

impl Script {
    /// A script with the given commands, whose ids are from `arena`.
    pub fn new(arena: Arena, commands: Vec<Command>) -> Script {
        Script { arena: Arc::new(arena), commands }
    }

    /// Reads and sort-checks a script.
    ///
    /// ```
    /// use gainsay_smt::{Script, Signature};
    ///
    /// let script = Script::parse("(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))", &Signature::standard())?;
    /// assert_eq!(script.logic(), Some("QF_LIA"));
    /// let error = Script::parse("(assert (> x 3))", &Signature::standard()).unwrap_err();
    /// assert_eq!(error.to_string(), "1:12: unknown function or constant x");
    /// # Ok::<(), gainsay_smt::Error>(())
    /// ```
    pub fn parse(text: &str, signature: &Arc<Signature>) -> Result<Script, Error> {
        crate::parse::parse(text, signature)
    }

    /// Reads a script up to its first error; `None` if it has none.
    ///
    /// ```
    /// use gainsay_smt::{Script, Signature};
    ///
    /// let text = "(declare-const x Int)(check-sat)(declare-const x Int)(check-sat)";
    /// let prefix = Script::parse_before_error(text, &Signature::standard()).unwrap();
    /// assert_eq!(&text[..prefix.length], "(declare-const x Int)(check-sat)");
    /// assert_eq!(prefix.script.commands.len(), 2);
    /// ```
    pub fn parse_before_error(text: &str, signature: &Arc<Signature>) -> Option<ScriptPrefix> {
        crate::parse::parse_before_error(text, signature)
    }

    /// The names, sorts and terms.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The names, sorts and terms, for adding more; copies the arena if it is shared.
    pub fn arena_mut(&mut self) -> &mut Arena {
        Arc::make_mut(&mut self.arena)
    }

    /// The asserted terms, in order.
    pub fn assertions(&self) -> impl Iterator<Item = Term> {
        self.commands.iter().filter_map(|command| match command {
            Command::Term(Word::Assert, term, _) => Some(*term),
            _ => None,
        })
    }

    /// The name of the logic, if the script sets one.
    pub fn logic(&self) -> Option<&str> {
        self.commands.iter().find_map(|command| match command {
            Command::SetLogic(logic) => Some(self.arena.text(*logic)),
            _ => None,
        })
    }

    /// The value of the last `(set-info keyword value)`, if there is one.
    pub fn info(&self, keyword: &str) -> Option<&str> {
        self.commands.iter().rev().find_map(|command| match command {
            Command::Plain(name, text) if self.arena.text(*name) == "set-info" => {
                let (key, value) = self.arena.text(*text).split_once(char::is_whitespace)?;
                (key == keyword).then_some(value.trim())
            }
            _ => None,
        })
    }

    /// Returns true if the script sets the logic `HORN`.
    pub fn is_horn(&self) -> bool {
        self.logic() == Some("HORN")
    }

    /// The script without its `(set-info :status …)`.
    ///
    /// ```
    /// use gainsay_smt::{Script, Signature};
    ///
    /// let script = Script::parse("(set-info :status sat)(check-sat)", &Signature::standard())?;
    /// assert_eq!(script.without_status().to_string(), "(check-sat)\n");
    /// # Ok::<(), gainsay_smt::Error>(())
    /// ```
    pub fn without_status(&self) -> Script {
        let mut script = self.clone();
        script.commands.retain(|command| !self.is_status(command));
        script
    }

    /// Returns true if a command is `(set-info :status …)`.
    pub fn is_status(&self, command: &Command) -> bool {
        matches!(command, Command::Plain(name, text) if self.arena.text(*name) == "set-info"
            && self.arena.text(*text).split_whitespace().next() == Some(":status"))
    }

    /// The functions and constants that the script declares or defines, with constructors and selectors. Within their
    /// scopes, no operator of the same name and rank can be applied.
    pub fn declared_functions(&self) -> FxHashSet<Symbol> {
        self.commands.iter().flat_map(Command::declared_functions).collect()
    }

    /// The names of all variables that the script binds: by quantifiers, `let`, `match`, and as parameters.
    pub fn bound_names(&self) -> FxHashSet<Symbol> {
        let mut names = FxHashSet::default();
        for command in &self.commands {
            for position in 0..command.term_count() {
                names.extend(command.parameters(position).iter().map(|variable| variable.name));
            }
        }
        for term in self.arena.reachable(self.commands.iter().flat_map(Command::terms)) {
            let view = self.arena.view(term);
            for child in 0..view.children().len() {
                names.extend(view.bound_in(child).iter().map(|variable| variable.name));
            }
        }
        names
    }

    /// All names that the script declares, defines or binds: functions, sorts and variables.
    ///
    /// ```
    /// use gainsay_smt::{Script, Signature};
    ///
    /// let text = "(declare-sort U 0)(declare-const c U)(assert (forall ((x U)) (= x c)))";
    /// let script = Script::parse(text, &Signature::standard())?;
    /// let mut names: Vec<&str> = script.declared_names().iter().map(|&name| script.arena().text(name)).collect();
    /// names.sort();
    /// assert_eq!(names, ["U", "c", "x"]);
    /// # Ok::<(), gainsay_smt::Error>(())
    /// ```
    pub fn declared_names(&self) -> FxHashSet<Symbol> {
        let mut names = self.declared_functions();
        names.extend(self.commands.iter().flat_map(Command::declared_sorts));
        names.extend(self.bound_names());
        names
    }

    /// Returns true if a command is a query: `check-sat`, `check-sat-assuming`, z3's `check-sat-using`, or one of cvc5's commands for
    /// timeout cores, which begin their reply with an answer.
    pub fn is_check(&self, command: &Command) -> bool {
        match command {
            Command::CheckSat | Command::Terms(Word::CheckSatAssuming | Word::GetTimeoutCoreAssuming, _) => {
                true
            }
            Command::Plain(name, _) => {
                matches!(self.arena.text(*name), "check-sat-using" | "get-timeout-core")
            }
            _ => false,
        }
    }

    /// Returns true if the script contains opaque text.
    pub fn has_opaque(&self) -> bool {
        self.commands.iter().any(|command| {
            matches!(command, Command::Opaque(_))
                || command.terms().iter().any(|&term| self.arena.has_opaque(term))
        })
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new().print(self))
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Script({} commands, {} terms)", self.commands.len(), self.arena.term_count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shareable<T: Send + Sync>(_: &T) {}

    #[test]
    fn a_script_is_a_value_that_threads_can_share() {
        let signature = Signature::standard();
        let script = Script::parse("(declare-const p Bool)(assert p)", &signature).unwrap();
        is_shareable(&script);
        let mut copy = script.clone();
        assert!(std::ptr::eq(script.arena(), copy.arena()), "a clone shares the arena");
        let p = copy.assertions().next().unwrap();
        let not = copy.arena_mut().symbol("not");
        let term = copy.arena_mut().application(crate::Head::plain(not), &[p], crate::Sort::BOOL);
        copy.commands[1].set_term(0, term);
        assert_eq!(script.to_string(), "(declare-const p Bool)\n(assert p)\n");
        assert_eq!(copy.to_string(), "(declare-const p Bool)\n(assert (not p))\n");
    }

    #[test]
    fn without_status_drops_only_the_status() {
        let text = "(set-info :status sat)(set-info :statuses 1)(set-info :source |:status|)(set-logic HORN)";
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let kept = "(set-info :statuses 1)\n(set-info :source |:status|)\n(set-logic HORN)\n";
        assert_eq!(script.without_status().to_string(), kept);
        assert!(script.is_horn());
    }

    #[test]
    fn declared_names_are_those_of_sorts_functions_and_variables() {
        let text = "(declare-datatypes ((L 1)) ((par (T) (nil (cons (head T) (tail (L T)))))))
            (define-sort LI () (L Int))(declare-fun f (Int) Int)(define-fun g ((p Int)) Int (let ((q p)) q))
            (define-funs-rec ((h ((r Int)) Int)) ((h r)))
            (assert (forall ((x LI)) (match x ((nil true) ((cons y z) (= (f y) 0))))))";
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let texts = |names: FxHashSet<Symbol>| {
            let mut names: Vec<&str> = names.into_iter().map(|name| script.arena().text(name)).collect();
            names.sort_unstable();
            names.join(" ")
        };
        assert_eq!(texts(script.declared_functions()), "cons f g h head nil tail");
        assert_eq!(texts(script.bound_names()), "p q r x y z");
        assert_eq!(texts(script.declared_names()), "L LI cons f g h head nil p q r tail x y z");
    }

    #[test]
    fn the_last_info_of_a_keyword_counts() {
        let signature = Signature::standard();
        let text = "(set-info :status sat)(set-info :source |a b|)(set-info :status unsat)(set-logic QF_UF)";
        let script = Script::parse(text, &signature).unwrap();
        assert_eq!(script.info(":status"), Some("unsat"));
        assert_eq!(script.info(":source"), Some("|a b|"));
        assert_eq!((script.info(":notes"), script.logic()), (None, Some("QF_UF")));
    }
}
