//! Inlines definitions, or replaces them by declarations.
//!
//! ```text
//! (define-fun f ((x Int)) Int (+ x 1)) (assert (= (f 2) 3))
//! becomes
//! (assert (= (+ 2 1) 3))
//! and
//! (declare-fun f (Int) Int) (assert (= (f 2) 3))
//! ```

use std::sync::Arc;

use gainsay_smt::substitute::Substitution;
use gainsay_smt::{Arena, Command, Definition, Script, Symbol, Term, TermView, Word};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_in_groups};
use crate::contents::declaration_counts;
use crate::rewrite::{RewriteRule, reparse, rewrite};
use crate::script_view::ScriptView;

/// Inlines definitions.
pub struct InlineDefinitions;

impl Pass for InlineDefinitions {
    fn name(&self) -> &'static str {
        "inline-definitions"
    }

    fn about(&self) -> &'static str {
        "inlines definitions, or replaces them by declarations"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let inline = rewrite_script_in_groups(&defined(script), |script, names| {
            let mut rule = InlineRule { names: names.to_vec(), ..InlineRule::default() };
            let after = rewrite(script, &mut rule);
            if rule.captured { None } else { reparse(&after) }
        });
        let declare = script.commands.iter().enumerate();
        let declare = declare.filter_map(|(number, command)| {
            Some(ScriptChange::ReplaceCommand(number, declarations(command)?))
        });
        vec![inline, declare.collect()]
    }
}

/// The symbols that are defined once, without recursion, and not declared.
fn defined(script: &Script) -> Vec<Symbol> {
    let counts = declaration_counts(script);
    let name = |command: &Command| match command {
        Command::Define(Word::DefineFun | Word::DefineConst, definition) => Some(definition.name),
        _ => None,
    };
    script.commands.iter().filter_map(name).filter(|name| counts[name] == 1).collect()
}

/// The declarations that replace the definitions of a command.
fn declarations(command: &Command) -> Option<Vec<Command>> {
    let declaration = |definition: &Definition| {
        let parameters: Arc<[_]> = definition.parameters.iter().map(|parameter| parameter.sort).collect();
        let word = if parameters.is_empty() { Word::DeclareConst } else { Word::DeclareFun };
        Command::Declare(word, definition.name, parameters, definition.result)
    };
    match command {
        Command::Define(_, definition) => Some(vec![declaration(definition)]),
        Command::DefineFunsRec(definitions) => Some(definitions.iter().map(declaration).collect()),
        _ => None,
    }
}

/// Replaces applications by the bodies of definitions.
#[derive(Default)]
struct InlineRule {
    names: Vec<Symbol>,
    bodies: FxHashMap<Symbol, (Vec<Symbol>, Term)>,
    substitution: Substitution,
    /// Whether a binder in a body would capture a variable of an argument.
    captured: bool,
}

impl RewriteRule for InlineRule {
    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let TermView::Application(head, _) = arena.view(old) else { return None };
        let (parameters, body) = self.bodies.get(&head.symbol)?;
        let bindings: Vec<(Symbol, Term)> =
            parameters.iter().copied().zip(children.iter().copied()).collect();
        let new = self.substitution.apply(arena, *body, &bindings);
        self.captured |= new.is_none() || children.len() != parameters.len();
        new
    }

    fn rewritten_command(&mut self, command: Command) -> Option<Command> {
        if let Command::Define(_, definition) = &command
            && self.names.contains(&definition.name)
        {
            let parameters = definition.parameters.iter().map(|parameter| parameter.name).collect();
            self.bodies.insert(definition.name, (parameters, definition.body));
            return None;
        }
        Some(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    const TEST_DEFINITIONS: &str =
        "(define-fun f ((x Int)) Int (+ x 1))(define-fun g () Int (f 5))(assert (= (f g) 3))";

    #[test]
    fn definitions_are_inlined() {
        check(&InlineDefinitions, TEST_DEFINITIONS, "(assert (= (+ (+ 5 1) 1) 3))");
        check(
            &InlineDefinitions,
            TEST_DEFINITIONS,
            "(define-fun f ((x Int)) Int (+ x 1))(assert (= (f (f 5)) 3))",
        );
    }

    #[test]
    fn definitions_become_declarations() {
        check(
            &InlineDefinitions,
            TEST_DEFINITIONS,
            "(declare-fun f (Int) Int)(define-fun g () Int (f 5))(assert (= (f g) 3))",
        );
    }

    #[test]
    fn a_variable_is_not_captured() {
        let text =
            "(define-fun f ((x Int)) Bool (exists ((y Int)) (< x y)))(assert (forall ((y Int)) (f y)))";
        let made = crate::test_support::changed_texts(&InlineDefinitions, text);
        assert_eq!(made.len(), 1, "only the declaration is possible");
        check_nothing(&InlineDefinitions, "(declare-const x Int)(assert (= x 0))");
    }
}
