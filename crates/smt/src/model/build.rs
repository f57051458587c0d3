//! Builds a model from the script's declarations at a query and the model's text.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::heap::ModelHeap;
use super::{
    IgnoreReason, IgnoredDefinition, Meaning, Model, ModelFunction, algebraic, is_interpreted, yices,
};
use crate::arena::Arena;
use crate::command::{Command, DatatypeDeclaration, Definition, Word};
use crate::context::{Context, Role, SortMeaning};
use crate::error::Error;
use crate::parse::model::{ModelItem, items, reason};
use crate::queries::SatQuery;
use crate::script::Script;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{AttributeValue, Term, TermView, Variable};

/// Reads a model for a query of a script.
pub(super) fn build(text: &str, script: &Script, check: &SatQuery) -> Result<Model, Error> {
    let text = algebraic::quote_cvc5_numbers(text);
    let mut builder = Builder::new(script);
    for &place in &check.declarations {
        builder.declare(&script.commands[place]);
    }
    builder.name_terms(script, check);
    let Builder { mut context, mut model } = builder;
    model.heap = ModelHeap::declared(script, check, &mut context);
    let (items, arena) = items(&text, context)?;
    model.arena = Arc::new(arena);
    for item in items {
        model.add(item);
    }
    model.add_commented_universes(&text);
    Ok(model)
}

/// The reader's context and the model, which grow together.
struct Builder {
    context: Context,
    model: Model,
}

impl Builder {
    fn new(script: &Script) -> Builder {
        let mut context = Context::new(script.arena().clone());
        context.higher_order = true;
        let model = Model {
            arena: Arc::new(Arena::new(script.arena().signature())),
            entries: Vec::new(),
            by_name: FxHashMap::default(),
            datatypes: FxHashMap::default(),
            constructors: FxHashMap::default(),
            codatatypes: FxHashSet::default(),
            uninterpreted: FxHashSet::default(),
            universes: FxHashMap::default(),
            heap: ModelHeap::default(),
            tables: Vec::new(),
            ignored: Vec::new(),
            variable_masks: OnceLock::new(),
        };
        Builder { context, model }
    }

    fn declare(&mut self, command: &Command) {
        match command {
            Command::DeclareSort(name, arity) => {
                self.context.add_sort(*name, SortMeaning::Constructor(*arity as usize));
                self.model.uninterpreted.insert(*name);
            }
            Command::DefineSort(name, parameters, meaning) => {
                self.context.add_sort(*name, SortMeaning::Synonym(parameters.to_vec(), *meaning));
            }
            Command::Declare(_, name, parameters, result) => {
                self.add(*name, Role::Declared, parameters, *result, Meaning::Missing);
            }
            Command::Define(word, definition) => self.define(*word, definition),
            Command::DefineFunsRec(definitions) => {
                definitions.iter().for_each(|definition| self.define(Word::DefineFunRec, definition));
            }
            Command::DeclareDatatypes(form, declarations) => {
                self.datatypes(declarations);
                for declaration in declarations.iter() {
                    match form.is_codatatype() {
                        true => self.model.codatatypes.insert(declaration.name),
                        false => self.model.codatatypes.remove(&declaration.name),
                    };
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, name: Symbol, role: Role, parameters: &[Sort], result: Sort, meaning: Meaning) {
        self.context.add_function(name, role, parameters, result);
        let arena = &self.context.arena;
        let parameters = parameters.iter().map(|&sort| arena.canonical(sort)).collect();
        let result = arena.canonical(result);
        self.model.push(ModelFunction { name, parameters, result, meaning, is_of_script: true });
    }

    fn define(&mut self, _: Word, definition: &Definition) {
        let sorts: Vec<Sort> = definition.parameters.iter().map(|parameter| parameter.sort).collect();
        let meaning =
            Meaning::Defined { parameters: Arc::clone(&definition.parameters), body: definition.body };
        self.add(definition.name, Role::Declared, &sorts, definition.result, meaning);
    }

    fn datatypes(&mut self, declarations: &[DatatypeDeclaration]) {
        for declaration in declarations {
            self.context.add_sort(declaration.name, SortMeaning::Constructor(declaration.parameters.len()));
        }
        for declaration in declarations {
            let sort = self.context.arena.sorts.intern(declaration.name, &[], &declaration.parameters);
            for constructor in &declaration.constructors {
                let fields: Vec<Sort> = constructor.fields.iter().map(|&(_, sort)| sort).collect();
                self.add(constructor.name, Role::Constructor, &fields, sort, Meaning::Constructor);
                for &(selector, field) in &constructor.fields {
                    self.add(selector, Role::Selector, &[sort], field, Meaning::Selector);
                }
                let tester = format!("is-{}", self.context.arena.text(constructor.name));
                let tester = self.context.arena.symbol(&tester);
                self.add(tester, Role::Tester, &[sort], Sort::BOOL, Meaning::Tester(constructor.name));
                self.model.constructors.entry(constructor.name).or_default().push(declaration.name);
            }
            let names = declaration.constructors.iter().map(|constructor| constructor.name).collect();
            self.context.add_constructors(declaration.name, names);
            self.model.datatypes.insert(declaration.name, declaration.clone());
        }
    }

    /// Connects the names of `(! t :named n)` with their terms: first those in scope at the query, then those of other commands.
    ///
    /// The arena may have terms that the script has no more, with the same names: those of the mutants that it was made from.
    fn name_terms(&mut self, script: &Script, check: &SatQuery) {
        let declared = check.declarations.iter().flat_map(|&place| script.commands[place].terms());
        let in_scope = declared.chain(check.assertions.iter().chain(&check.assumptions).copied());
        let others = script.commands.iter().flat_map(Command::terms);
        let arena = &self.context.arena;
        let mut named: Vec<(Symbol, Term, Sort)> = Vec::new();
        for roots in [in_scope.collect::<Vec<Term>>(), others.collect()] {
            for term in arena.reachable(roots) {
                let TermView::Annotated(attributes, children) = arena.view(term) else { continue };
                for attribute in attributes {
                    if let AttributeValue::Name(name) = attribute.value {
                        named.push((name, children[0], arena.sort_of(term)));
                    }
                }
            }
        }
        for (name, term, sort) in named {
            if !self.model.has_functions(name) {
                self.add(name, Role::Declared, &[], sort, Meaning::Named(term));
            }
        }
    }
}

impl Model {
    fn push(&mut self, entry: ModelFunction) -> u32 {
        let number = self.entries.len() as u32;
        self.by_name.entry(entry.name).or_default().push(number);
        self.entries.push(entry);
        number
    }

    /// The newest function of a name and these parameters.
    pub(super) fn find(&self, name: Symbol, parameters: &[Sort], result: Sort) -> Option<u32> {
        let all = self.by_name.get(&name)?.iter().rev();
        let same = |&&number: &&u32| {
            let entry = self.entry(number);
            entry.parameters == parameters && entry.result == result
        };
        all.clone().find(same).copied()
    }

    fn add(&mut self, item: ModelItem) {
        match item {
            ModelItem::Define { name, parameters, result, body } => {
                let sorts: Vec<Sort> = parameters.iter().map(|p| self.arena.canonical(p.sort)).collect();
                let meaning = match body {
                    Ok(body) => Meaning::Defined { parameters: parameters.into(), body },
                    Err(text) => Meaning::Unreadable(reason(&text)),
                };
                self.interpret(name, sorts, result, meaning);
            }
            ModelItem::Ignored { name, reason } => self.ignore(name, reason),
            ModelItem::Element { name, sort } if self.has_fixed_values(sort) => {
                self.ignore(name, IgnoreReason::InterpretedSort);
            }
            ModelItem::Element { name, sort } => {
                let meaning = Meaning::Element;
                let entry = ModelFunction {
                    name,
                    parameters: Vec::new(),
                    result: sort,
                    meaning,
                    is_of_script: false,
                };
                self.push(entry);
            }
            ModelItem::Universe { sort } => {
                let is_element = |entry: &&ModelFunction| {
                    matches!(entry.meaning, Meaning::Element) && entry.result == sort
                };
                let names = self.entries.iter().filter(is_element).map(|entry| entry.name).collect();
                self.universes.insert(sort, names);
            }
            ModelItem::Equation { name, arguments, value } => yices::equation(self, name, &arguments, value),
            ModelItem::Heap { formula, nil } => self.heap.printed = Some((formula, nil)),
            ModelItem::Function { name, points, default } => yices::function(self, name, &points, default),
        }
    }

    /// Interprets a function: one that the script declares, or one of the model's own. A definition of anything
    /// else is ignored.
    pub(super) fn interpret(&mut self, name: Symbol, parameters: Vec<Sort>, result: Sort, meaning: Meaning) {
        if let Some(number) = self.find(name, &parameters, result) {
            match self.fixed_by(number) {
                None => self.entries[number as usize].meaning = meaning,
                Some(reason) => self.ignore(name, reason),
            }
            return;
        }
        if self.interpret_as_array(name, &parameters, result, &meaning)
            || self.interpret_otherwise(name, &parameters, result, &meaning)
        {
            return;
        }
        let refusal = self.why_not_definable(name);
        self.mark_unreadable(name);
        match refusal {
            Some(reason) => self.ignore(name, reason),
            None => {
                self.push(ModelFunction { name, parameters, result, meaning, is_of_script: false });
            }
        }
    }

    /// Why the model cannot define a function of its own under this name; `None` if it can.
    fn why_not_definable(&self, name: Symbol) -> Option<IgnoreReason> {
        let mut functions = self.by_name.get(&name).into_iter().flatten();
        match functions.find(|&&number| self.entry(number).is_of_script) {
            Some(&number) => Some(self.fixed_by(number).unwrap_or(IgnoreReason::OtherRank)),
            None => is_interpreted(&self.arena, name).then_some(IgnoreReason::TheoryOperator),
        }
    }

    /// Why a definition cannot interpret a function; `None` if the function has no interpretation yet.
    pub(super) fn fixed_by(&self, function: u32) -> Option<IgnoreReason> {
        match self.entry(function).meaning {
            Meaning::Missing => None,
            Meaning::Constructor | Meaning::Selector | Meaning::Tester(_) => {
                Some(IgnoreReason::DatatypeFunction)
            }
            Meaning::Named(_) => Some(IgnoreReason::NamedTerm),
            Meaning::Defined { .. } | Meaning::Element | Meaning::Unreadable(_) => {
                Some(IgnoreReason::AlreadyDefined)
            }
        }
    }

    /// Records that a line of the model has no effect.
    pub(super) fn ignore(&mut self, name: Symbol, reason: IgnoreReason) {
        self.ignored.push(IgnoredDefinition { name, reason });
    }

    /// Returns true if a theory or a datatype fixes the values of a sort.
    fn has_fixed_values(&self, sort: Sort) -> bool {
        let head = self.arena.view_sort(sort).head;
        let is_known = self.arena.signature().is_sort(head) || self.datatypes.contains_key(&head);
        is_known && !self.is_uninterpreted(sort)
    }

    /// yices defines an array as a function of its indices.
    fn interpret_as_array(
        &mut self,
        name: Symbol,
        parameters: &[Sort],
        result: Sort,
        meaning: &Meaning,
    ) -> bool {
        let Some(all) = self.by_name.get(&name) else { return false };
        let is_such = |&&number: &&u32| {
            let entry = self.entry(number);
            let view = self.arena.view_sort(entry.result);
            let sorts: Vec<Sort> = parameters.iter().copied().chain([result]).collect();
            matches!(entry.meaning, Meaning::Missing)
                && entry.parameters.is_empty()
                && view.head == Symbol::ARRAY
                && view.arguments == sorts
        };
        let Some(&number) = all.iter().find(is_such) else { return false };
        let Meaning::Defined { parameters: variables, body } = meaning else {
            self.entries[number as usize].meaning = meaning.clone();
            return true;
        };
        let sort = self.entry(number).result;
        let arena = Arc::make_mut(&mut self.arena);
        let lambda = arena.bind(crate::term::Binder::Lambda, variables, &[*body], sort);
        self.entries[number as usize].meaning = Meaning::Defined { parameters: Arc::default(), body: lambda };
        true
    }

    /// Makes the script's only function of this name unreadable, because the model defines it with another rank.
    fn mark_unreadable(&mut self, name: Symbol) {
        let Some(&[only]) = self.by_name.get(&name).map(Vec::as_slice) else { return };
        let entry = &mut self.entries[only as usize];
        if matches!(entry.meaning, Meaning::Missing) {
            let shown = self.arena.text(name);
            entry.meaning = Meaning::Unreadable(reason(&format!("the model gives {shown} another sort")));
        }
    }

    /// `; cardinality of U is 2` and `; rep: (as @U_0 U)`, which cvc5 and CVC4 print as comments. If the model mentions other
    /// elements, too, the list is incomplete.
    fn add_commented_universes(&mut self, text: &str) {
        let mut open: Option<(Sort, usize, Vec<Symbol>)> = None;
        let mut found = Vec::new();
        for line in text.lines().filter_map(|line| line.trim().strip_prefix(';')) {
            let line = line.trim();
            if let Some((sort, count)) =
                line.strip_prefix("cardinality of ").and_then(|rest| rest.rsplit_once(" is "))
            {
                found.extend(open.take());
                open = self
                    .sort_of_name(sort)
                    .zip(count.parse().ok())
                    .map(|(sort, count)| (sort, count, Vec::new()));
            } else if let (Some(element), Some((_, _, names))) = (line.strip_prefix("rep: "), &mut open) {
                let element =
                    element.strip_prefix("(as ").and_then(|rest| rest.split(' ').next()).unwrap_or(element);
                // The list counts elements that the model does not mention elsewhere.
                names.push(Arc::make_mut(&mut self.arena).symbol(element.trim_matches('|')));
            }
        }
        found.extend(open);
        let used = self.abstract_values();
        for (sort, count, names) in found {
            let is_whole = used.iter().all(|(name, of)| *of != sort || names.contains(name));
            if names.len() == count && is_whole {
                self.universes.insert(sort, names);
            }
        }
    }

    /// The abstract values like `(as @U_0 U)` in its definitions, with their sorts.
    fn abstract_values(&self) -> FxHashSet<(Symbol, Sort)> {
        let body = |entry: &ModelFunction| match entry.meaning {
            Meaning::Defined { body, .. } => Some(body),
            _ => None,
        };
        let mut values = FxHashSet::default();
        for term in self.arena.reachable(self.entries.iter().filter_map(body)) {
            if let TermView::Application(head, []) = self.arena.view(term)
                && let Some(sort) = head.qualifier
                && self.arena.text(head.symbol).starts_with('@')
            {
                values.insert((head.symbol, self.arena.canonical(sort)));
            }
        }
        values
    }

    fn sort_of_name(&mut self, name: &str) -> Option<Sort> {
        let symbol = self.arena.find_symbol(name.trim().trim_matches('|'))?;
        let is_known = self.uninterpreted.contains(&symbol);
        is_known.then(|| Arc::make_mut(&mut self.arena).sort(symbol, &[], &[]))
    }

    pub(super) fn arena_mut(&mut self) -> &mut Arena {
        Arc::make_mut(&mut self.arena)
    }

    /// The script's constant or function of this name, if there is exactly one.
    pub(super) fn declared(&self, name: Symbol) -> Option<u32> {
        match self.by_name.get(&name)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    pub(super) fn set_meaning(&mut self, function: u32, meaning: Meaning) {
        self.entries[function as usize].meaning = meaning;
    }

    /// Records that a table that comes later defines a function.
    pub(super) fn await_table(&mut self, table: Symbol, function: u32) {
        self.tables.push((table, function));
    }

    /// The functions that a table defines.
    pub(super) fn functions_awaiting(&self, table: Symbol) -> Vec<u32> {
        self.tables.iter().filter(|(name, _)| *name == table).map(|(_, function)| *function).collect()
    }

    /// Parameters for a table over these sorts.
    pub(super) fn table_parameters(&mut self, sorts: &[Sort]) -> Vec<Variable> {
        let arena = self.arena_mut();
        let variable =
            |(place, &sort): (usize, &Sort)| Variable { name: arena.symbol(&format!("x!{place}")), sort };
        sorts.iter().enumerate().map(variable).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;
    use crate::eval::{EvalBudget, evaluate};
    use crate::queries::sat_queries;

    /// The outcome of a script with a model, in a word.
    fn outcome(script: &str, model: &str) -> &'static str {
        let script = Script::parse(script, &Signature::standard()).unwrap();
        let query = &sat_queries(&script)[0];
        let model = build(model, &script, query).unwrap();
        evaluate(&model, query, EvalBudget::default()).outcome().word()
    }

    #[test]
    fn repeated_trees_of_cvc5_are_read() {
        let declared = "(declare-codatatypes ((S 0) (T 0)) (((c (h Bool) (t S)) (d (u T)) (n)) ((e (v S) (w T)) (m))))\
            (declare-const x S)(declare-const y S)(declare-const z T)(declare-fun f (S) Bool)";
        let asserted = "(assert (= x (c true x)))(assert (= y (c false (c true y))))(assert (= z (e (d z) (e y z))))\
            (assert (f x))(assert (not (f y)))(assert (distinct (t y) y))";
        // As cvc5 1.4.2 prints it.
        let model = "((define-fun x () S (c true cbv_S_0))(define-fun y () S (c false (c true cbv_S_1)))\
            (define-fun z () T (e (d cbv_T_1) (e (c false (c true cbv_S_1)) cbv_T_1)))\
            (define-fun f ((_arg_1 S)) Bool (= (c true cbv_S_0) _arg_1)))";
        let script = format!("{declared}{asserted}");
        assert_eq!(outcome(&script, model), "true");
        assert_eq!(outcome(&script, &model.replace("(d cbv_T_1)", "(d cbv_T_0)")), "undecided");
        assert_eq!(outcome(&script, &model.replace("(c true cbv_S_1)))(d", "(c true cbv_S_0)))(d")), "false");
        let alone = |body: &str| format!("((define-fun x () S {body})(define-fun y () S n))");
        let same = format!("{declared}(assert (= x y))");
        for open in [
            "cbv_S_0",
            "(c true cbv_S_1)",
            "(t (c true cbv_S_1))",
            "(ite true cbv_S_0 n)",
            "(c true cbv_T_0)",
        ] {
            assert_eq!(outcome(&same, &alone(open)), "undecided", "{open}");
        }
        assert_eq!(outcome(&same, &alone("(t (c true n))")), "true");
        assert_eq!(outcome(&same, &alone("(c true (t (c true cbv_S_0)))")), "false");
    }

    #[test]
    fn deep_trees_are_too_large_or_decided() {
        let deep = |count: usize| format!("{}n{}", "(c true ".repeat(count), ")".repeat(count));
        let script = |count| {
            format!(
                "(declare-codatatype S ((c (h Bool) (t S)) (n)))(declare-const x S)(assert (= x {}))",
                deep(count)
            )
        };
        let model = |count| format!("((define-fun x () S {}))", deep(count));
        assert_eq!(outcome(&script(300), &model(300)), "true");
        assert_eq!(outcome(&script(300), &model(299)), "false");
        assert_eq!(outcome(&script(100_000), &model(100_000)), "undecided");
    }
}
