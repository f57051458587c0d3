//! Gives short names to everything that a script declares or binds.
//!
//! ```text
//! (declare-const |main::counter| Int) (assert (forall ((?v_12 Int)) (< ?v_12 |main::counter|)))
//! becomes
//! (declare-const a Int) (assert (forall ((b Int)) (< b a)))
//! ```
//!
//! New names follow the order of the text and differ from all symbols of the script and the theories, so that all or only some
//! names can be replaced.

use std::sync::Arc;

use gainsay_smt::{
    Arena, Attribute, AttributeValue, Command, Constructor, DatatypeDeclaration, Definition, Head, Index,
    Script, Sort, Symbol, Term, TermView, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_in_groups};
use crate::contents::terms_of;
use crate::rewrite::{RewriteRule, match_on, rewrite_and_reparse};
use crate::script_view::ScriptView;

/// Gives short names.
pub struct ShorterNames;

impl Pass for ShorterNames {
    fn name(&self) -> &'static str {
        "shorter-names"
    }

    fn about(&self) -> &'static str {
        "gives short names to symbols and variables"
    }

    fn phase(&self) -> Phase {
        Phase::Restyle
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let names = declared_names(script);
        let new = short_names(script, &names);
        let shorter = |(old, new): &(Symbol, String)| new.len() < script.arena().text(*old).len();
        let pairs: Vec<(Symbol, String)> = names.into_iter().zip(new).filter(shorter).collect();
        vec![rewrite_script_in_groups(&pairs, |script, pairs| {
            let mut names = script.clone();
            let arena = names.arena_mut();
            let map = pairs.iter().map(|(old, new)| (*old, arena.symbol(new))).collect();
            rewrite_and_reparse(&names, &mut RenameRule { names: map })
        })]
    }
}

/// The names that a script declares or binds, in the order of its text, without those that unparsed text may use.
fn declared_names(script: &Script) -> Vec<Symbol> {
    let arena = script.arena();
    let mut names = OrderedSymbols::default();
    let mut texts: Vec<&str> = Vec::new();
    for command in &script.commands {
        add_declared_names(&mut names, command);
        if let Command::Opaque(text) | Command::Plain(_, text) | Command::Unreached(text) = command {
            texts.push(arena.text(*text));
        }
        if let Command::Term(_, _, Some(text)) = command {
            texts.push(arena.text(*text));
        }
    }
    for term in terms_of(script) {
        let view = arena.view(term);
        for child in 0..view.children().len() {
            view.bound_in(child).iter().for_each(|variable| names.add(variable.name));
        }
        match view {
            TermView::Annotated(attributes, _) => {
                for attribute in attributes {
                    match attribute.value {
                        AttributeValue::Name(name) => names.add(name),
                        AttributeValue::Text(text) => texts.push(arena.text(text)),
                        _ => {}
                    }
                }
            }
            TermView::Opaque(text) => texts.push(arena.text(text)),
            _ => {}
        }
    }
    let mut list = names.list;
    list.retain(|name| !texts.iter().any(|text| text.contains(arena.text(*name))));
    list
}

/// A set of symbols in the order of insertion.
#[derive(Default)]
struct OrderedSymbols {
    list: Vec<Symbol>,
    seen: FxHashSet<Symbol>,
}

impl OrderedSymbols {
    fn add(&mut self, name: Symbol) {
        if self.seen.insert(name) {
            self.list.push(name);
        }
    }
}

fn add_declared_names(names: &mut OrderedSymbols, command: &Command) {
    let mut define = |definition: &Definition| {
        names.add(definition.name);
        definition.parameters.iter().for_each(|parameter| names.add(parameter.name));
    };
    match command {
        Command::DeclareSort(name, _) | Command::Declare(_, name, ..) => names.add(*name),
        Command::DefineSort(name, parameters, _) if parameters.is_empty() => names.add(*name),
        Command::Define(_, definition) => define(definition),
        Command::DefineFunsRec(definitions) => definitions.iter().for_each(define),
        Command::DeclareDatatypes(_, datatypes) => {
            for datatype in datatypes.iter() {
                names.add(datatype.name);
                for constructor in &datatype.constructors {
                    names.add(constructor.name);
                    constructor.fields.iter().for_each(|field| names.add(field.0));
                }
            }
        }
        _ => {}
    }
}

/// A new name for each: the old one if that is as short, else the first free one of a, b, … z, A, …
fn short_names(script: &Script, names: &[Symbol]) -> Vec<String> {
    let arena = script.arena();
    let taken: FxHashSet<&str> = names.iter().map(|name| arena.text(*name)).collect();
    let is_free = |name: &String| !taken.contains(name.as_str()) && arena.find_symbol(name).is_none();
    let mut fresh = (0..).map(short_name).filter(is_free);
    let mut new = Vec::with_capacity(names.len());
    let mut next = fresh.next();
    for name in names {
        let own = arena.text(*name);
        match &next {
            Some(short) if short.len() < own.len() => {
                new.push(short.clone());
                next = fresh.next();
            }
            _ => new.push(own.to_string()),
        }
    }
    new
}

/// The short name number `number`: the letters, then letters with a number.
fn short_name(number: usize) -> String {
    const ASCII_LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let letter = char::from(ASCII_LETTERS[number % ASCII_LETTERS.len()]);
    match number / ASCII_LETTERS.len() {
        0 => letter.to_string(),
        round => format!("{letter}{}", round - 1),
    }
}

/// Replaces names everywhere.
struct RenameRule {
    names: FxHashMap<Symbol, Symbol>,
}

impl RenameRule {
    fn of(&self, name: Symbol) -> Symbol {
        self.names.get(&name).copied().unwrap_or(name)
    }

    fn variables(&self, variables: &[Variable]) -> Vec<Variable> {
        variables.iter().map(|v| Variable { name: self.of(v.name), sort: v.sort }).collect()
    }

    fn definition(&self, definition: &Definition) -> Definition {
        Definition {
            name: self.of(definition.name),
            parameters: self.variables(&definition.parameters).into(),
            ..definition.clone()
        }
    }

    fn datatype(&self, datatype: &DatatypeDeclaration) -> DatatypeDeclaration {
        let constructors = datatype.constructors.iter().map(|constructor| Constructor {
            name: self.of(constructor.name),
            fields: constructor.fields.iter().map(|&(name, sort)| (self.of(name), sort)).collect(),
        });
        DatatypeDeclaration {
            name: self.of(datatype.name),
            parameters: datatype.parameters.clone(),
            constructors: constructors.collect(),
        }
    }

    /// The tester `is-C` is renamed with its constructor.
    fn function(&self, arena: &mut Arena, name: Symbol) -> Symbol {
        let Some(constructor) = arena.text(name).strip_prefix("is-").and_then(|name| arena.find_symbol(name))
        else {
            return self.of(name);
        };
        match self.names.get(&constructor) {
            Some(new) if !self.names.contains_key(&name) => {
                let tester = format!("is-{}", arena.text(*new));
                arena.symbol(&tester)
            }
            _ => self.of(name),
        }
    }

    fn application(&self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let TermView::Application(head, _) = arena.view(old) else { return None };
        let (symbol, qualifier, indices) = (head.symbol, head.qualifier, head.indices.to_vec());
        // The rewriter changes the sort of an `as`.
        if qualifier.is_some() {
            return None;
        }
        let symbol = self.function(arena, symbol);
        let index = |index: &Index| match index {
            Index::Symbol(name) => Index::Symbol(self.of(*name)),
            numeral => *numeral,
        };
        let indices: Vec<Index> = indices.iter().map(index).collect();
        let sort = arena.sort_of(old);
        Some(arena.application(Head { symbol, indices: &indices, qualifier }, children, sort))
    }
}

impl RewriteRule for RenameRule {
    fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Option<Sort> {
        let view = arena.view_sort(sort);
        let new = *self.names.get(&view.head)?;
        // Sorts with arguments are not renamed.
        let is_plain = view.indices.is_empty() && view.arguments.is_empty();
        is_plain.then(|| arena.sort(new, &[], &[]))
    }

    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let sort = arena.sort_of(old);
        match arena.view(old) {
            TermView::Variable(name) => {
                let name = self.of(name);
                Some(arena.variable(Variable { name, sort }))
            }
            TermView::Application(..) => self.application(arena, old, children),
            TermView::Let(variables, _) => {
                let variables = self.variables(variables);
                Some(arena.let_in(&variables, children))
            }
            TermView::Match(cases, _) => {
                let cases: Vec<_> = cases
                    .iter()
                    .map(|case| (case.constructor.map(|name| self.of(name)), self.variables(case.variables)))
                    .collect();
                Some(match_on(arena, &cases, children, sort))
            }
            TermView::Annotated(attributes, _) => {
                let attribute = |attribute: &Attribute| match attribute.value {
                    AttributeValue::Name(name) => {
                        Attribute { value: AttributeValue::Name(self.of(name)), ..*attribute }
                    }
                    _ => *attribute,
                };
                let attributes: Vec<Attribute> = attributes.iter().map(attribute).collect();
                Some(arena.annotated(&attributes, children))
            }
            _ => None,
        }
    }

    fn binder(&mut self, variable: Variable) -> Variable {
        Variable { name: self.of(variable.name), sort: variable.sort }
    }

    fn command(&mut self, _: &mut Arena, command: &Command) -> Vec<Command> {
        vec![match command {
            Command::DeclareSort(name, arity) => Command::DeclareSort(self.of(*name), *arity),
            Command::DefineSort(name, parameters, sort) => {
                Command::DefineSort(self.of(*name), Arc::clone(parameters), *sort)
            }
            Command::Declare(word, name, parameters, result) => {
                Command::Declare(*word, self.of(*name), Arc::clone(parameters), *result)
            }
            Command::Define(word, definition) => {
                Command::Define(*word, Arc::new(self.definition(definition)))
            }
            Command::DefineFunsRec(definitions) => {
                Command::DefineFunsRec(definitions.iter().map(|d| self.definition(d)).collect())
            }
            Command::DeclareDatatypes(form, datatypes) => {
                Command::DeclareDatatypes(*form, datatypes.iter().map(|d| self.datatype(d)).collect())
            }
            other => other.clone(),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn symbols_and_variables_get_short_names() {
        check(
            &ShorterNames,
            "(declare-sort Elem 0)(declare-fun |f x| (Elem) Bool)(define-fun gg ((x Int) (yy Elem)) Bool (|f x| yy))\
             (assert (! (forall ((zz Elem)) (let ((lt zz)) (gg 1 lt))) :named nn))(assert nn)",
            "(declare-sort a 0)(declare-fun b (a) Bool)(define-fun c ((x Int) (d a)) Bool (b d))\
             (assert (! (forall ((f a)) (let ((e f)) (c 1 e))) :named g))(assert g)",
        );
    }

    #[test]
    fn datatypes_get_short_names() {
        check(
            &ShorterNames,
            "(declare-datatype List ((nil) (cons (head Int) (tail List))))(declare-const l List)\
             (assert (and ((_ is cons) l) (is-cons l) (= 0 (match l ((nil 1) ((cons hh tt) hh))))))",
            "(declare-datatype a ((b) (c (d Int) (e a))))(declare-const l a)\
             (assert (and ((_ is c) l) (is-c l) (= 0 (match l ((b 1) ((c f g) f))))))",
        );
    }

    #[test]
    fn short_names_and_names_in_unparsed_text_stay() {
        check_nothing(&ShorterNames, "(declare-const a Int)(declare-const b Int)(assert (= a b))");
        check_nothing(&ShorterNames, "(declare-const abc Int)(frobnicate abc)");
    }
}
