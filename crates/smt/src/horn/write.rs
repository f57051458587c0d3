//! From a system to a script, in either style.

use rustc_hash::FxHashMap;

use super::{Clause, HornForm, System, UsedNames};
use crate::arena::Arena;
use crate::command::{Command, Word};
use crate::print::share;
use crate::script::Script;
use crate::sort::Sort;
use crate::substitute::Substitution;
use crate::symbol::Symbol;
use crate::term::{Binder, Head, Term, Variable};

/// The maximal size of a term that is written without `let`.
const MAX_UNSHARED_NODES: usize = 5000;

impl System {
    /// The system as a script in this style, without `(set-info :status …)`.
    pub fn script(&self, form: HornForm) -> Script {
        let mut base = self.base.clone();
        let mut commands = self.opening(&mut base, form);
        match form {
            HornForm::Horn => self.assertions(&mut base, &mut commands),
            HornForm::Fixedpoint => self.rules(&mut base, &mut commands),
        }
        if form == self.form {
            commands.extend(self.epilogue.iter().cloned());
        }
        base.commands = commands;
        base
    }

    /// The commands before the clauses.
    fn opening(&self, base: &mut Script, form: HornForm) -> Vec<Command> {
        let horn = base.arena_mut().symbol("HORN");
        let kept = self.prelude.iter().filter(|command| !base.is_status(command));
        let kept = kept.filter(|command| !matches!(command, Command::SetLogic(_)));
        let (options, others): (Vec<&Command>, Vec<&Command>) =
            kept.partition(|command| matches!(command, Command::Plain(..)));
        let mut commands: Vec<Command> = options.into_iter().cloned().collect();
        if form == HornForm::Horn {
            commands.push(Command::SetLogic(horn));
        }
        commands.extend(others.into_iter().cloned());
        for predicate in &self.predicates {
            let word = if form == HornForm::Horn { Word::DeclareFun } else { Word::DeclareRel };
            commands.push(Command::Declare(word, predicate.name, predicate.sorts.clone().into(), Sort::BOOL));
        }
        commands
    }

    fn assertions(&self, base: &mut Script, commands: &mut Vec<Command>) {
        for clause in &self.clauses {
            let written = clause.written.filter(|_| self.form == HornForm::Horn);
            let term = written.unwrap_or_else(|| closed(base.arena_mut(), clause));
            commands.push(Command::Term(Word::Assert, term, None));
        }
        commands.push(Command::CheckSat);
    }

    fn rules(&self, base: &mut Script, commands: &mut Vec<Command>) {
        let arena = base.arena_mut();
        let mut names = self.names.clone();
        let goal = names.fresh(arena, "goal");
        let asked = arena.application(Head::plain(goal), &[], Sort::BOOL);
        commands.push(Command::Declare(Word::DeclareRel, goal, [].into(), Sort::BOOL));
        let (mut declared, mut substitution) = (FxHashMap::default(), Substitution::default());
        let mut rules = Vec::new();
        for clause in &self.clauses {
            let head = clause.head.unwrap_or(asked);
            let term = implication(arena, &clause.body, head);
            let mut bindings = Vec::new();
            for &variable in &clause.variables {
                let constant = place(arena, variable, (&mut declared, &mut names), commands);
                bindings.push((variable.name, constant));
            }
            let term = substitution.apply(arena, term, &bindings).expect("constants are captured by nothing");
            rules.push(Command::Term(Word::Rule, shared(arena, term), None));
        }
        commands.extend(rules);
        commands.push(Command::Term(Word::Query, asked, None));
    }
}

/// The declared constant for a variable: one for each name and sort.
fn place(
    arena: &mut Arena,
    variable: Variable,
    (declared, names): (&mut FxHashMap<Variable, Term>, &mut UsedNames),
    commands: &mut Vec<Command>,
) -> Term {
    if let Some(&constant) = declared.get(&variable) {
        return constant;
    }
    let is_taken = declared.keys().any(|other| other.name == variable.name);
    let text = arena.text(variable.name).to_owned();
    let name = if is_taken { names.fresh(arena, &text) } else { variable.name };
    commands.push(Command::Declare(Word::DeclareVar, name, [].into(), variable.sort));
    let sort = arena.canonical(variable.sort);
    let constant = arena.application(Head::plain(name), &[], sort);
    declared.insert(variable, constant);
    constant
}

/// A clause as a closed term: `(forall (variables…) (=> (and body…) head))`.
pub(super) fn closed(arena: &mut Arena, clause: &Clause) -> Term {
    let no = arena.application(Head::plain(Symbol::FALSE), &[], Sort::BOOL);
    let term = implication(arena, &clause.body, clause.head.unwrap_or(no));
    let term = shared(arena, term);
    match clause.variables.as_slice() {
        [] => term,
        variables => arena.bind(Binder::Forall, variables, &[term], Sort::BOOL),
    }
}

fn implication(arena: &mut Arena, body: &[Term], head: Term) -> Term {
    let body = conjunction(arena, body);
    arena.application(Head::plain(Symbol::IMPLIES), &[body, head], Sort::BOOL)
}

/// The conjunction of these terms.
pub(super) fn conjunction(arena: &mut Arena, terms: &[Term]) -> Term {
    match terms {
        [] => arena.application(Head::plain(Symbol::TRUE), &[], Sort::BOOL),
        [only] => *only,
        many => arena.application(Head::plain(Symbol::AND), many, Sort::BOOL),
    }
}

/// The term, with `let` for repeated subterms if it is too large without.
fn shared(arena: &mut Arena, term: Term) -> Term {
    let (mut nodes, mut open) = (0, vec![term]);
    while let Some(next) = open.pop() {
        nodes += 1;
        if nodes > MAX_UNSHARED_NODES {
            return share(arena, term);
        }
        open.extend(arena.children(next));
    }
    term
}
