//! Parameters of functions left out everywhere.
//!
//! ```text
//! (declare-fun inv (Int Int) Bool) (assert (inv 0 x))   becomes   (declare-fun inv (Int) Bool) (assert (inv x))
//! ```
//!
//! A function without parameters left is a constant. The parameter of a definition can go if its body does not use it.

use gainsay_smt::{Arena, Command, Definition, Script, Symbol, Term, View as TermView, Word, variables};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::Change;
use crate::change::rewrite_script_in_groups;
use crate::contents::declaration_counts;
use crate::rewrite::{RewriteRule, rewritten};
use crate::script_view::ScriptView;

/// The pass.
pub struct DropParameters;

/// Parameters that are looked at.
const MOST: usize = 256;

impl Pass for DropParameters {
    fn name(&self) -> &'static str {
        "drop-parameters"
    }

    fn about(&self) -> &'static str {
        "leaves out parameters of functions and predicates"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let parameters = parameters(script);
        vec![rewrite_script_in_groups(&parameters, |script, gone| {
            let mut rule = Shorten { gone: FxHashMap::default() };
            for (name, number) in gone {
                rule.gone.entry(*name).or_default().push(*number);
            }
            rewritten(script, &mut rule)
        })]
    }
}

/// The parameters that can go: those of functions with a name of their own.
fn parameters(script: &Script) -> Vec<(Symbol, usize)> {
    let mut found: Vec<(Symbol, usize)> = Vec::new();
    let counts = declaration_counts(script);
    for command in &script.commands {
        let (name, numbers) = match command {
            Command::Declare(_, name, parameters, _) => (*name, (0..parameters.len()).collect()),
            Command::Define(Word::DefineFun, definition) => {
                (definition.name, unused(script.arena(), definition))
            }
            _ => continue,
        };
        found.extend(numbers.into_iter().map(|number: usize| (name, number)));
    }
    found.retain(|(name, _)| counts[name] == 1);
    found.truncate(MOST);
    found
}

fn unused(arena: &Arena, definition: &Definition) -> Vec<usize> {
    let free = variables::free(arena, definition.body);
    let is_used =
        |number: &usize| free.iter().any(|variable| variable.name == definition.parameters[*number].name);
    (0..definition.parameters.len()).filter(|number| !is_used(number)).collect()
}

/// Leaves parameters out.
struct Shorten {
    gone: FxHashMap<Symbol, Vec<usize>>,
}

fn without<T: Clone>(items: &[T], gone: &[usize]) -> Vec<T> {
    let kept = items.iter().enumerate().filter(|(number, _)| !gone.contains(number));
    kept.map(|(_, item)| item.clone()).collect()
}

impl RewriteRule for Shorten {
    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let TermView::Application(head, _) = arena.view(old) else { return None };
        let gone = self.gone.get(&head.symbol)?;
        let symbol = head.symbol;
        arena_application(arena, symbol, &without(children, gone), old)
    }

    fn command(&mut self, _: &mut Arena, command: &Command) -> Vec<Command> {
        let changed = match command {
            Command::Declare(word, name, parameters, result) => self
                .gone
                .get(name)
                .map(|gone| Command::Declare(*word, *name, without(parameters, gone).into(), *result)),
            Command::Define(word, definition) => self.gone.get(&definition.name).map(|gone| {
                let parameters = without(&definition.parameters, gone).into();
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
    fn parameters_go_one_by_one_and_all_together() {
        let before = "(declare-fun p (Int Bool) Bool)(assert (forall ((x Int)) (p x true)))";
        check(&DropParameters, before, "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (p x)))");
        check(&DropParameters, before, "(declare-fun p (Bool) Bool)(assert (forall ((x Int)) (p true)))");
        check(&DropParameters, before, "(declare-fun p () Bool)(assert (forall ((x Int)) p))");
    }

    #[test]
    fn the_unused_parameter_of_a_definition_goes() {
        check(
            &DropParameters,
            "(define-fun f ((x Int) (y Int)) Int y)(assert (= (f 1 2) 3))",
            "(define-fun f ((y Int)) Int y)(assert (= (f 2) 3))",
        );
        check_nothing(&DropParameters, "(define-fun f ((y Int)) Int y)(assert (= (f 2) 3))");
    }
}
