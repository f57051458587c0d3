//! Drops parameters of functions everywhere.
//!
//! ```text
//! (declare-fun inv (Int Int) Bool) (assert (inv 0 x))   becomes   (declare-fun inv (Int) Bool) (assert (inv x))
//! ```
//!
//! A function that loses all parameters becomes a constant. A parameter of a definition is dropped if the body does not use it.

use gainsay_smt::{Arena, Command, Definition, Script, Symbol, Term, TermView, Word, variables};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_in_groups};
use crate::contents::declaration_counts;
use crate::rewrite::{RewriteRule, rewrite_and_reparse};
use crate::script_view::ScriptView;

/// Drops parameters of functions.
pub struct DropParameters;

/// Parameters that are tried.
const MAX_PARAMETERS: usize = 256;

impl Pass for DropParameters {
    fn name(&self) -> &'static str {
        "drop-parameters"
    }

    fn about(&self) -> &'static str {
        "drops parameters of functions and predicates"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let parameters = droppable_parameters(script);
        vec![rewrite_script_in_groups(&parameters, |script, parameters| {
            let mut rule = DropParametersRule { dropped: FxHashMap::default() };
            for (name, number) in parameters {
                rule.dropped.entry(*name).or_default().push(*number);
            }
            rewrite_and_reparse(script, &mut rule)
        })]
    }
}

/// The parameters that can be dropped: those of functions that are declared once.
fn droppable_parameters(script: &Script) -> Vec<(Symbol, usize)> {
    let mut found: Vec<(Symbol, usize)> = Vec::new();
    let counts = declaration_counts(script);
    for command in &script.commands {
        let (name, numbers) = match command {
            Command::Declare(_, name, parameters, _) => (*name, (0..parameters.len()).collect()),
            Command::Define(Word::DefineFun, definition) => {
                (definition.name, unused_parameters(script.arena(), definition))
            }
            _ => continue,
        };
        found.extend(numbers.into_iter().map(|number: usize| (name, number)));
    }
    found.retain(|(name, _)| counts[name] == 1);
    found.truncate(MAX_PARAMETERS);
    found
}

fn unused_parameters(arena: &Arena, definition: &Definition) -> Vec<usize> {
    let free = variables::free(arena, definition.body);
    let is_used =
        |number: &usize| free.iter().any(|variable| variable.name == definition.parameters[*number].name);
    (0..definition.parameters.len()).filter(|number| !is_used(number)).collect()
}

/// Drops parameters.
struct DropParametersRule {
    dropped: FxHashMap<Symbol, Vec<usize>>,
}

fn without<T: Clone>(items: &[T], dropped: &[usize]) -> Vec<T> {
    let kept = items.iter().enumerate().filter(|(number, _)| !dropped.contains(number));
    kept.map(|(_, item)| item.clone()).collect()
}

impl RewriteRule for DropParametersRule {
    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let TermView::Application(head, _) = arena.view(old) else { return None };
        let dropped = self.dropped.get(&head.symbol)?;
        let symbol = head.symbol;
        arena_application(arena, symbol, &without(children, dropped), old)
    }

    fn command(&mut self, _: &mut Arena, command: &Command) -> Vec<Command> {
        let changed = match command {
            Command::Declare(word, name, parameters, result) => self
                .dropped
                .get(name)
                .map(|dropped| Command::Declare(*word, *name, without(parameters, dropped).into(), *result)),
            Command::Define(word, definition) => self.dropped.get(&definition.name).map(|dropped| {
                let parameters = without(&definition.parameters, dropped).into();
                Command::Define(*word, Definition { parameters, ..Definition::clone(definition) }.into())
            }),
            _ => None,
        };
        vec![changed.unwrap_or_else(|| command.clone())]
    }
}

fn arena_application(arena: &mut Arena, symbol: Symbol, arguments: &[Term], old: Term) -> Option<Term> {
    let sort = arena.sort_of(old);
    Some(arena.application(gainsay_smt::Head::plain(symbol), arguments, sort))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn parameters_are_dropped_one_by_one_and_all_together() {
        let before = "(declare-fun p (Int Bool) Bool)(assert (forall ((x Int)) (p x true)))";
        check(&DropParameters, before, "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (p x)))");
        check(&DropParameters, before, "(declare-fun p (Bool) Bool)(assert (forall ((x Int)) (p true)))");
        check(&DropParameters, before, "(declare-fun p () Bool)(assert (forall ((x Int)) p))");
    }

    #[test]
    fn an_unused_parameter_of_a_definition_is_dropped() {
        check(
            &DropParameters,
            "(define-fun f ((x Int) (y Int)) Int y)(assert (= (f 1 2) 3))",
            "(define-fun f ((y Int)) Int y)(assert (= (f 2) 3))",
        );
        check_nothing(&DropParameters, "(define-fun f ((y Int)) Int y)(assert (= (f 2) 3))");
    }
}
