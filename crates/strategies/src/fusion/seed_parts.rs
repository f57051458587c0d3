//! The parts of a seed that go into a fused script: the assertions at its only `check-sat`, and the declarations that they need.
//!
//! Assertion levels are flattened, assumptions become assertions, and commands that neither declare nor assert anything
//! are dropped. A seed with more than that (opaque terms, objectives, a heap that all scripts would share) cannot be
//! split without changing its meaning, and is not fused.

use std::collections::{BTreeSet, HashSet};

use gainsay_smt::{
    AttributeValue, Binder, Command, Literal, SatQuery, Script, Sort, Symbol, Term, TermView, Word,
    sat_queries,
};
use gainsay_solvers::profiles::Profiles;

use crate::Skip;

/// A seed split into declarations and assertions.
pub struct SeedParts<'a> {
    /// The seed.
    pub script: &'a Script,
    /// The commands that declare sorts and functions, in order.
    pub declarations: Vec<&'a Command>,
    /// The commands that define and assert, in order.
    pub body: Vec<&'a Command>,
    /// The assumptions of the `check-sat`.
    pub assumptions: Vec<Term>,
    /// The names that are declared, defined or given to terms, in order.
    pub declared: Vec<Symbol>,
    /// The constructors among them.
    pub constructors: Vec<Symbol>,
    /// The names of bound variables.
    pub bound: Vec<Symbol>,
    /// The declared constants.
    pub constants: Vec<(Symbol, Sort)>,
    /// The operators that it may apply where the standard leaves their value unspecified.
    pub open: BTreeSet<String>,
    /// Whether the name of a `:named` term is used elsewhere.
    pub refers_to_named: bool,
}

impl<'a> SeedParts<'a> {
    /// Splits a seed, or says why it cannot be fused.
    pub fn of(script: &'a Script) -> Result<SeedParts<'a>, Skip> {
        let end = only_check(script)?;
        script.commands[..end].iter().try_for_each(|command| is_understood(script, command))?;
        let check = sat_queries(script).swap_remove(0);
        let mut part = SeedParts {
            script,
            declarations: Vec::new(),
            body: Vec::new(),
            assumptions: check.assumptions.clone(),
            declared: Vec::new(),
            constructors: Vec::new(),
            bound: Vec::new(),
            constants: Vec::new(),
            open: BTreeSet::new(),
            refers_to_named: false,
        };
        part.take(&check);
        part.look_into_terms()?;
        // Whether a use means the seed's operator or the standard's would depend on its arguments.
        let signature = script.arena().signature();
        if part.declared.iter().any(|&name| signature.is_standard_operator(name)) {
            return Err(Skip::Unfit("a seed declares an operator of the standard"));
        }
        Ok(part)
    }

    /// Collects the commands in force at the `check-sat`.
    fn take(&mut self, check: &SatQuery) {
        for &place in &check.declarations {
            let command = &self.script.commands[place];
            match command {
                Command::Term(..) | Command::Define(..) | Command::DefineFunsRec(_) => {
                    self.body.push(command);
                }
                _ => self.declarations.push(command),
            }
            self.take_names(command);
        }
    }

    fn take_names(&mut self, command: &Command) {
        self.declared.extend(command.declared_sorts());
        self.declared.extend(command.declared_functions());
        match command {
            Command::Declare(_, name, parameters, sort) if parameters.is_empty() => {
                self.constants.push((*name, self.script.arena().canonical(*sort)));
            }
            Command::DeclareDatatypes(_, datatypes) => {
                let constructors = datatypes.iter().flat_map(|datatype| &datatype.constructors);
                self.constructors.extend(constructors.map(|constructor| constructor.name));
            }
            _ => {}
        }
    }

    /// Visits every term once: collects bound and given names, and finds out why the seed cannot be fused.
    fn look_into_terms(&mut self) -> Result<(), Skip> {
        let mut roots: Vec<Term> = self.assumptions.clone();
        let mut bound: HashSet<Symbol> = HashSet::new();
        for command in &self.body {
            roots.extend(command.terms());
            for position in 0..command.term_count() {
                bound.extend(command.parameters(position).iter().map(|parameter| parameter.name));
            }
        }
        let arena = self.script.arena();
        let (mut named, mut used) = (Vec::new(), HashSet::new());
        for term in arena.reachable(roots) {
            let view = arena.view(term);
            for child in 0..view.children().len() {
                bound.extend(view.bound_in(child).iter().map(|variable| variable.name));
            }
            match view {
                TermView::Opaque(_) => return Err(Skip::Unfit("a seed holds what gainsay cannot read")),
                TermView::Bind(Binder::Choice, ..) => drop(self.open.insert("choice".to_owned())),
                TermView::Application(head, arguments) => {
                    used.insert(head.symbol);
                    let name = arena.text(head.symbol);
                    if arena.signature().is_open(name) && !is_closed(self.script, name, arguments) {
                        self.open.insert(name.to_owned());
                    }
                }
                TermView::Annotated(attributes, _) => {
                    named.extend(attributes.iter().filter_map(|attribute| match attribute.value {
                        AttributeValue::Name(name) => Some(name),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        named.sort_unstable();
        self.refers_to_named = named.iter().any(|name| used.contains(name));
        self.declared.extend(named);
        self.bound = bound.into_iter().collect();
        self.bound.sort_unstable();
        Ok(())
    }
}

/// The index of the only `check-sat` of a script.
fn only_check(script: &Script) -> Result<usize, Skip> {
    let asks = |command: &Command| {
        matches!(command, Command::CheckSat | Command::Terms(Word::CheckSatAssuming, _))
            || matches!(command, Command::Term(Word::Query, ..))
    };
    let mut places = script.commands.iter().enumerate().filter(|(_, command)| asks(command));
    match (places.next(), places.next()) {
        (Some((place, _)), None) => Ok(place),
        (None, _) => Err(Skip::Unfit("a seed asks nothing")),
        (Some(_), Some(_)) => Err(Skip::Unfit("a seed asks more than once")),
    }
}

/// Checks that a command before the `check-sat` can be kept or dropped without changing the query.
fn is_understood(script: &Script, command: &Command) -> Result<(), Skip> {
    let unfit = Err(Skip::Unfit("a seed has commands that cannot be fused"));
    match command {
        Command::Term(word, _, _) if *word != Word::Assert => unfit,
        Command::Declare(Word::DeclareRel | Word::DeclareVar, ..) => unfit,
        Command::DeclareSortParameter(..) | Command::Opaque(_) => unfit,
        Command::Plain(name, text) => {
            let (name, text) = (script.arena().text(*name), script.arena().text(*text));
            let mut words = text.split_whitespace();
            let (option, value) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            match name {
                "set-option" if changes_meaning(option, value) => {
                    Err(Skip::Unfit("a seed sets an option that may change its meaning"))
                }
                "set-option" | "set-info" | "echo" => Ok(()),
                name if name.starts_with("get-") => Ok(()),
                _ => unfit,
            }
        }
        _ => Ok(()),
    }
}

/// Returns true if an option changes the meaning of a script for one of the solvers.
fn changes_meaning(option: &str, value: &str) -> bool {
    Profiles::built_in().all().any(|profile| profile.meaning_change(option, value).is_some())
}

/// Whether an unspecified operator is applied where the standard defines it: a division by a non-zero number.
fn is_closed(script: &Script, name: &str, arguments: &[Term]) -> bool {
    let arena = script.arena();
    let is_not_zero = |&term: &Term| match arena.view(term) {
        TermView::Literal(Literal::Numeral | Literal::Decimal, spelling) => {
            arena.text(spelling).bytes().any(|digit| matches!(digit, b'1'..=b'9'))
        }
        _ => false,
    };
    matches!(name, "/" | "div" | "mod" | "rem")
        && arguments.len() > 1
        && arguments[1..].iter().all(is_not_zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_any_solver_that_change_the_meaning_are_known() {
        assert!(changes_meaning(":rewriter.hi_div0", "false") && changes_meaning(":strings-alpha-card", "2"));
        assert!(!changes_meaning(":produce-models", "true") && !changes_meaning(":encoding", "unicode"));
    }
}
