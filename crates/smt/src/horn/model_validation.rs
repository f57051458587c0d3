//! Scripts that validate a model of a system: each query asks for a point at which the body of a clause holds and its head
//! does not.
//!
//! ```text
//! (=> (inv x) (inv (+ x 1)))   under   (define-fun inv ((a Int)) Bool (< a 10))   asks for
//! (assert (inv c)) (assert (not (inv (+ c 1)))) (check-sat)
//! ```
//!
//! There is one query per clause: any solver can answer it, and the evaluator can check a point that a solver returns. A
//! definition with quantifiers is inlined, where existential variables become part of the point (`skolem.rs`).

use super::skolem::skolemise;
use super::{Clause, FreshConstants, HornForm, System};
use crate::arena::Arena;
use crate::command::{Command, Definition, Word};
use crate::import::{Import, Renaming};
use crate::model::Model;
use crate::queries::sat_queries;
use crate::script::Script;
use crate::sort::Sort;
use crate::substitute::Substitution;
use crate::symbol::Symbol;
use crate::term::{Head, Term, TermView};
use crate::variables;

/// A script with one query per clause, in order: it is satisfiable if the model violates the clause.
#[derive(Debug, Clone)]
pub struct ModelValidation {
    /// The script.
    pub script: Script,
    /// For each clause, the constants that stand for its variables.
    pub points: Vec<Vec<(Symbol, Sort)>>,
}

impl System {
    /// The script that validates a model printed by a solver, or why there is none.
    pub fn model_validation(&self, model: &str) -> Result<ModelValidation, String> {
        let script = self.script(HornForm::Horn);
        let sat_queries = sat_queries(&script);
        let model = Model::read(model, &script, &sat_queries[0])
            .map_err(|error| format!("the model cannot be read: {error}"))?;
        let arena = model.arena();
        if let Some((name, why)) = model.unreadable().first() {
            return Err(format!("the model's definition of {} cannot be read: {why}", arena.text(*name)));
        }
        let own = |name: Symbol| self.predicates.iter().any(|predicate| predicate.name == name);
        if let Some(name) = model.missing().into_iter().find(|&name| own(name)) {
            return Err(format!("the model says nothing of {}", arena.text(name)));
        }
        let definitions = model.definitions().ok_or("the model defines a function by itself")?;
        let definitions = definitions.into_iter().filter(|definition| !self.defines(definition.name));
        Ok(self.checks_of_clauses(arena.clone(), &definitions.collect::<Vec<_>>()))
    }

    /// Returns true if the script itself defines a function of this name.
    fn defines(&self, name: Symbol) -> bool {
        self.prelude.iter().any(|command| match command {
            Command::Define(_, definition) => definition.name == name,
            Command::DefineFunsRec(definitions) => definitions.iter().any(|one| one.name == name),
            _ => false,
        })
    }

    fn checks_of_clauses(&self, mut arena: Arena, definitions: &[Definition]) -> ModelValidation {
        let mut commands = self.preamble(&mut arena);
        let define = |definition: &Definition| Command::Define(Word::DefineFun, definition.clone().into());
        commands.extend(definitions.iter().map(define));
        let (mut fresh, mut points) = (FreshConstants::new("point", self.names.clone()), Vec::new());
        for clause in &self.clauses {
            commands.push(Command::Push(Some(1)));
            let (bindings, point) = constants(&mut arena, clause, &mut fresh, &mut commands);
            points.push(point);
            let mut assertions = Vec::new();
            for term in violation(&mut arena, clause) {
                let term = Substitution::default().apply(&mut arena, term, &bindings);
                let term = term.expect("constants are captured by nothing");
                let term = inlined(&mut arena, term, definitions);
                assertions.push(skolemise(&mut arena, term, &mut fresh, &mut commands));
            }
            commands.extend(assertions.into_iter().map(|term| Command::Term(Word::Assert, term, None)));
            commands.push(Command::CheckSat);
            commands.push(Command::Pop(Some(1)));
        }
        ModelValidation { script: without_reserved_names(Script::new(arena, commands)), points }
    }

    /// The first commands of a script about the terms of the system: its sorts and definitions, in the logic `ALL`.
    pub(super) fn preamble(&self, arena: &mut Arena) -> Vec<Command> {
        let all = arena.symbol("ALL");
        let mut commands = vec![Command::SetLogic(all)];
        commands.extend(self.prelude.iter().filter(|command| command.is_declaration()).cloned());
        commands
    }
}

/// The conditions of a clause and the negation of its head.
fn violation(arena: &mut Arena, clause: &Clause) -> Vec<Term> {
    let not = clause.head.map(|head| arena.application(Head::plain(Symbol::NOT), &[head], Sort::BOOL));
    clause.body.iter().copied().chain(not).collect()
}

/// A call or its negation, with its definition inlined if that has quantifiers.
fn inlined(arena: &mut Arena, term: Term, definitions: &[Definition]) -> Term {
    let TermView::Application(head, arguments) = arena.view(term) else { return term };
    if let (Symbol::NOT, &[call]) = (head.symbol, arguments) {
        let inner = inlined(arena, call, definitions);
        return arena.application(Head::plain(Symbol::NOT), &[inner], Sort::BOOL);
    }
    let Some(definition) = definitions.iter().find(|definition| definition.name == head.symbol) else {
        return term;
    };
    if variables::bound(arena, definition.body).is_empty() {
        return term;
    }
    let names = definition.parameters.iter().map(|parameter| parameter.name);
    let bindings: Vec<(Symbol, Term)> = names.zip(arguments.iter().copied()).collect();
    Substitution::default().apply(arena, definition.body, &bindings).unwrap_or(term)
}

type Point = Vec<(Symbol, Sort)>;

/// Constants for the variables of a clause, and the commands that declare them.
fn constants(
    arena: &mut Arena,
    clause: &Clause,
    fresh: &mut FreshConstants,
    commands: &mut Vec<Command>,
) -> (Vec<(Symbol, Term)>, Point) {
    let (mut bindings, mut point) = (Vec::new(), Vec::new());
    for variable in &clause.variables {
        let constant = fresh.constant(arena, variable.sort, commands);
        bindings.push((variable.name, constant));
        if let Some(Command::Declare(_, name, _, sort)) = commands.last() {
            point.push((*name, *sort));
        }
    }
    (bindings, point)
}

/// The script without reserved names: predicates may have such names, and some solvers reject them.
fn without_reserved_names(script: Script) -> Script {
    let mut renaming = Renaming::default();
    for command in &script.commands {
        if let Command::Define(_, definition) = command
            && script.arena().text(definition.name).starts_with(['@', '.'])
        {
            let name = format!("reserved~{}", renaming.declared.len());
            renaming.declared.insert(definition.name, name);
        }
    }
    if renaming.declared.is_empty() {
        return script;
    }
    let mut arena = Arena::new(script.arena().signature());
    let mut import = Import::new(script.arena(), &renaming, &mut arena);
    let commands = script.commands.iter().map(|command| import.command(command)).collect();
    Script::new(arena, commands)
}
