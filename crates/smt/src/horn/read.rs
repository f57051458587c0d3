//! Reads a script as a system of Horn clauses, or explains why it is not one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::clausify::Clausify;
use super::{Clause, HornForm, NotHorn, Predicate, System, UsedNames};
use crate::command::{Command, Word};
use crate::print::symbol_text;
use crate::script::Script;
use crate::sort::Sort;
use crate::substitute::replace;
use crate::symbol::Symbol;
use crate::term::{Head, Literal, Term, TermView, Variable};
use crate::variables;

impl System {
    /// Reads a script as a system of Horn clauses.
    pub fn read(script: &Script) -> Result<System, NotHorn> {
        let script = &with_decimals(script);
        // The connectives of clauses are recognized by their names.
        let signature = script.arena().signature();
        if let Some(name) =
            script.declared_functions().into_iter().filter(|&name| signature.is_standard_operator(name)).min()
        {
            let why = format!("it declares {}, which is an operator", symbol_text(script.arena(), name));
            return Err(NotHorn { command: None, assertion: None, why });
        }
        let mut reading = HornReader::new(script);
        for (place, command) in script.commands.iter().enumerate() {
            if !reading.command(place, command)? {
                break;
            }
        }
        reading.system()
    }
}

/// The script with `2.0` for every numeral `2` that is a `Real`: in the logic `HORN`, a numeral is an `Int`.
fn with_decimals(script: &Script) -> Script {
    let mut script = script.clone();
    if script.arena().has_int_numerals() {
        return script;
    }
    let mut commands = std::mem::take(&mut script.commands);
    let arena = script.arena_mut();
    let reals: Vec<Term> = arena.reachable(commands.iter().flat_map(Command::terms)).collect();
    let mut decimals = FxHashMap::default();
    for term in reals {
        if let TermView::Literal(Literal::Numeral, spelling) = arena.view(term)
            && arena.sort_of(term) == Sort::REAL
        {
            let spelling = format!("{}.0", arena.text(spelling));
            decimals.insert(term, arena.literal(Literal::Decimal, &spelling, Sort::REAL));
        }
    }
    for command in &mut commands {
        for position in 0..command.term_count() {
            let term = replace(arena, command.term(position), &decimals);
            command.set_term(position, term);
        }
    }
    arena.has_int_numerals = true;
    script.commands = commands;
    script
}

/// The parts of a system read so far.
struct HornReader {
    base: Script,
    predicates: Vec<Predicate>,
    /// Constants of `declare-var`, which stand for variables.
    places: Vec<(Term, Variable)>,
    /// The assertions, rules or query, with the indices of their commands.
    statements: Vec<(usize, Word, Term)>,
    prelude: Vec<Command>,
    epilogue: Vec<Command>,
    is_asked: bool,
    names: UsedNames,
}

impl HornReader {
    fn new(script: &Script) -> HornReader {
        HornReader {
            base: script.clone(),
            predicates: Vec::new(),
            places: Vec::new(),
            statements: Vec::new(),
            prelude: Vec::new(),
            epilogue: Vec::new(),
            is_asked: false,
            names: UsedNames::of(script),
        }
    }

    /// Reads one command; returns false at the end of the system.
    fn command(&mut self, place: usize, command: &Command) -> Result<bool, NotHorn> {
        let no = |why: &str| Err(NotHorn { command: Some(place), assertion: None, why: why.to_owned() });
        match command {
            Command::Declare(Word::DeclareVar, name, _, sort) => {
                let constant = self.base.arena_mut();
                let constant = constant.application(Head::plain(*name), &[], *sort);
                self.places.push((constant, Variable { name: *name, sort: *sort }));
            }
            Command::Declare(_, name, sorts, result) => {
                if self.base.arena().canonical(*result) != Sort::BOOL {
                    let name = symbol_text(self.base.arena(), *name);
                    return no(&format!("{name} is declared but is not a predicate"));
                }
                self.predicates.push(Predicate { name: *name, sorts: sorts.to_vec() });
            }
            Command::Term(word @ (Word::Assert | Word::Rule | Word::Query), term, _) => {
                if self.is_asked {
                    return no("it says more after it was asked");
                }
                self.is_asked = *word == Word::Query;
                self.statements.push((place, *word, *term));
            }
            Command::CheckSat if self.is_asked => return no("it asks more than once"),
            Command::CheckSat => self.is_asked = true,
            Command::Exit | Command::Unreached(_) => {
                self.epilogue.push(command.clone());
                return Ok(matches!(command, Command::Exit));
            }
            Command::SetLogic(_)
            | Command::Plain(..)
            | Command::DeclareSort(..)
            | Command::DefineSort(..)
            | Command::Define(..)
            | Command::DefineFunsRec(_)
            | Command::DeclareDatatypes(..) => {
                let list = if self.is_asked { &mut self.epilogue } else { &mut self.prelude };
                list.push(command.clone());
            }
            Command::Opaque(_) => return no("a command that is not known"),
            _ => return no("a command that has no place in a system of Horn clauses"),
        }
        Ok(true)
    }

    fn system(mut self) -> Result<System, NotHorn> {
        let whole = |why: &str| NotHorn { command: None, assertion: None, why: why.to_owned() };
        let is_rules = self.statements.iter().any(|(_, word, _)| *word != Word::Assert);
        if is_rules && self.statements.iter().any(|(_, word, _)| *word == Word::Assert) {
            return Err(whole("it has both assertions and rules"));
        }
        if is_rules && self.statements.iter().all(|(_, word, _)| *word != Word::Query) {
            return Err(whole("it has rules and no query"));
        }
        if self.statements.is_empty() {
            return Err(whole("it has no clause"));
        }
        let predicates: FxHashSet<Symbol> = self.predicates.iter().map(|predicate| predicate.name).collect();
        self.definitions(&predicates)?;
        let mut clauses = Vec::new();
        let statements = std::mem::take(&mut self.statements);
        for (number, (place, word, term)) in statements.into_iter().enumerate() {
            let no = |why| NotHorn { command: Some(place), assertion: Some(number + 1), why };
            clauses.extend(self.clauses(&predicates, word, term).map_err(no)?);
        }
        let form = if is_rules { HornForm::Fixedpoint } else { HornForm::Horn };
        let HornReader { base, predicates, prelude, epilogue, names, .. } = self;
        Ok(System { base, form, predicates, clauses, prelude, epilogue, names })
    }

    /// Checks that no definition contains a predicate.
    fn definitions(&mut self, predicates: &FxHashSet<Symbol>) -> Result<(), NotHorn> {
        let bodies: Vec<Term> = self.prelude.iter().flat_map(Command::terms).collect();
        let mut clausify = Clausify::new(self.base.arena_mut(), predicates, &mut self.names);
        if bodies.into_iter().any(|body| clausify.holds(body)) {
            let why = "a definition holds a predicate".to_owned();
            return Err(NotHorn { command: None, assertion: None, why });
        }
        Ok(())
    }

    /// The clauses of an assertion, a rule or the query.
    fn clauses(
        &mut self,
        predicates: &FxHashSet<Symbol>,
        word: Word,
        term: Term,
    ) -> Result<Vec<Clause>, String> {
        if self.base.arena().has_opaque(term) {
            return Err("it holds text that cannot be read".to_owned());
        }
        let (term, mut variables) =
            if word == Word::Query { self.applied_query(term) } else { (term, Vec::new()) };
        let (term, more) = self.bound(term);
        variables.extend(more);
        let mut clausify = Clausify::new(self.base.arena_mut(), predicates, &mut self.names);
        let mut clauses = match word {
            Word::Query => clausify.query(term)?,
            _ => clausify.clauses(term)?,
        };
        if word != Word::Assert {
            for clause in &mut clauses {
                clause.written = None;
                clause.variables.splice(0..0, variables.iter().copied());
            }
        }
        Ok(clauses)
    }

    /// A query of a bare relation, applied to fresh variables.
    fn applied_query(&mut self, term: Term) -> (Term, Vec<Variable>) {
        let TermView::Application(head, []) = self.base.arena().view(term) else { return (term, Vec::new()) };
        let name = head.symbol;
        let predicate = self.predicates.iter().find(|predicate| predicate.name == name);
        let sorts = predicate.map(|predicate| predicate.sorts.clone()).unwrap_or_default();
        let arena = self.base.arena_mut();
        let variable = |sort| Variable { name: self.names.fresh(arena, "q"), sort };
        let variables: Vec<Variable> = sorts.into_iter().map(variable).collect();
        let arguments: Vec<Term> = variables.iter().map(|&variable| arena.variable(variable)).collect();
        (arena.application(Head::plain(name), &arguments, Sort::BOOL), variables)
    }

    /// A rule with variables in place of the declared constants, and those variables.
    fn bound(&mut self, term: Term) -> (Term, Vec<Variable>) {
        if self.places.is_empty() {
            return (term, Vec::new());
        }
        let used = constants(&self.base, term);
        let taken = variables::bound(self.base.arena(), term);
        let arena = self.base.arena_mut();
        let (mut with, mut variables) = (FxHashMap::default(), Vec::new());
        for &(constant, mut variable) in self.places.iter().filter(|(constant, _)| used.contains(constant)) {
            if taken.iter().any(|other| other.name == variable.name) {
                let text = arena.text(variable.name).to_owned();
                variable.name = self.names.fresh(arena, &text);
            }
            with.insert(constant, arena.variable(variable));
            variables.push(variable);
        }
        (replace(arena, term, &with), variables)
    }
}

/// The constants in a term.
fn constants(script: &Script, term: Term) -> FxHashSet<Term> {
    let arena = script.arena();
    arena.reachable([term]).filter(|&part| matches!(arena.view(part), TermView::Application(_, []))).collect()
}
