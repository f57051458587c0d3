//! Guards of quantified variables, and functions with few results.
//!
//! ```text
//! (forall ((x Int)) (p x))             (forall ((x Int)) (=> (<= (- 1) x 2) (p x)))
//! (declare-fun f (Int) Int)   becomes  (declare-fun f!1 (Int) Bool) (declare-fun f!2 (Int) Bool)
//!                                      (define-fun f ((x!1 Int)) Int (ite (f!1 x!1) (ite (f!2 x!1) 0 1) (ite (f!2 x!1) (- 1) 2)))
//! ```
//!
//! No assertion without quantifiers can bound the results of a function, so its results are given by functions to Booleans.

use std::sync::Arc;

use gainsay_reduce::RewriteRule;
use gainsay_smt::print::symbol_text;
use gainsay_smt::{
    Arena, Binder, Command, Definition, Head, Script, Sort, Symbol, Term, TermView, Variable, Word,
    replace_children,
};
use rustc_hash::FxHashSet;

use super::few_values::FewValues;

/// The values of a quantified variable, and the results of a function.
const GUARDED_VALUES: usize = 4;

/// Gives quantified variables and functions few values.
pub(super) struct FewResults {
    values: FewValues,
    /// The names that new functions must not have.
    names: FxHashSet<Symbol>,
}

impl FewResults {
    /// The rule for a script.
    pub fn of(script: &Script) -> FewResults {
        FewResults { values: FewValues::of(script), names: script.declared_names() }
    }

    fn guard(&self, arena: &Arena, variable: &Variable) -> Option<String> {
        let name = symbol_text(arena, variable.name);
        let sort = arena.canonical(variable.sort);
        if self.values.is_small(arena, sort) {
            return None;
        }
        if sort == Sort::INT {
            return Some(format!("(<= (- 1) {name} 2)"));
        }
        one_of(&name, &self.values.texts(arena, sort, GUARDED_VALUES))
    }

    /// A name that the script does not have.
    fn fresh(&mut self, arena: &mut Arena, name: Symbol, number: usize) -> Symbol {
        let mut text = format!("{}!{number}", arena.text(name));
        loop {
            let fresh = arena.symbol(&text);
            if self.names.insert(fresh) {
                return fresh;
            }
            text.push('!');
        }
    }
}

/// `(or (= name a) (= name b))`; `None` without values.
pub(super) fn one_of(name: &str, values: &[String]) -> Option<String> {
    let cases: Vec<String> = values.iter().map(|value| format!("(= {name} {value})")).collect();
    match cases.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        _ => Some(format!("(or {})", cases.join(" "))),
    }
}

impl RewriteRule for FewResults {
    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let TermView::Bind(binder @ (Binder::Forall | Binder::Exists), variables, _) = arena.view(old) else {
            return None;
        };
        let variables = variables.to_vec();
        let guards: Vec<String> =
            variables.iter().filter_map(|variable| self.guard(arena, variable)).collect();
        if guards.is_empty() {
            return None;
        }
        let connective = if binder == Binder::Forall { Symbol::IMPLIES } else { Symbol::AND };
        let guarded = |arena: &mut Arena, body: Term| {
            let mut parts: Vec<Term> = guards.iter().map(|guard| arena.opaque(guard)).collect();
            parts.push(body);
            arena.application(Head::plain(connective), &parts, Sort::BOOL)
        };
        // Patterns stay around the whole body.
        let body = match arena.view(children[0]) {
            TermView::Annotated(_, parts) => {
                let mut parts = parts.to_vec();
                parts[0] = guarded(arena, parts[0]);
                replace_children(arena, children[0], &parts)
            }
            _ => guarded(arena, children[0]),
        };
        Some(arena.bind(binder, &variables, &[body], Sort::BOOL))
    }

    fn command(&mut self, arena: &mut Arena, command: &Command) -> Vec<Command> {
        let unchanged = || vec![command.clone()];
        let Command::Declare(Word::DeclareFun, name, parameters, result) = command else {
            return unchanged();
        };
        let values = self.values.texts(arena, *result, GUARDED_VALUES);
        if parameters.is_empty() || values.len() < 2 || self.values.is_small(arena, *result) {
            return unchanged();
        }
        let names =
            (1..=parameters.len()).map(|number| arena.symbol(&format!("x!{number}"))).collect::<Vec<_>>();
        let arguments: String = names.iter().map(|&name| format!(" {}", symbol_text(arena, name))).collect();
        let bits = [self.fresh(arena, *name, 1), self.fresh(arena, *name, 2)];
        let [first, second] = bits.map(|bit| format!("({}{arguments})", symbol_text(arena, bit)));
        let choice =
            |a: &String, b: &String| if a == b { a.clone() } else { format!("(ite {second} {a} {b})") };
        let value = |place: usize| &values[place % values.len()];
        let body = format!("(ite {first} {} {})", choice(value(0), value(1)), choice(value(2), value(3)));
        let pairs = names.into_iter().zip(parameters.iter());
        let definition = Definition {
            name: *name,
            parameters: pairs.map(|(name, &sort)| Variable { name, sort }).collect(),
            result: *result,
            body: arena.opaque(&body),
        };
        let declare =
            |bit: Symbol| Command::Declare(Word::DeclareFun, bit, Arc::clone(parameters), Sort::BOOL);
        let mut commands: Vec<Command> = bits.into_iter().map(declare).collect();
        commands.push(Command::Define(Word::DefineFun, Arc::new(definition)));
        commands
    }
}
