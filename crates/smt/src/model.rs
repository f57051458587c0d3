//! Models: interpretations of a script's functions, read from the output of a solver.
//!
//! The text is read as a continuation of the script: its definitions may use the script's sorts, constructors and
//! functions, and become terms of a copy of the script's arena. So the same evaluator works on both. Reading is lenient: a
//! definition that makes no sense is [`Meaning::Unreadable`], and only terms that depend on it are undecided. A model cannot
//! change what the script or a theory defines (`ignored.rs`).

mod algebraic;
mod build;
mod heap;
mod ignored;
mod other_rank;
mod yices;

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use algebraic::algebraic;
pub(crate) use ignored::is_interpreted;
pub use ignored::{IgnoreReason, IgnoredDefinition};

use crate::arena::Arena;
use crate::command::{DatatypeDeclaration, Definition};
use crate::error::Error;
use crate::eval::variable_masks;
use crate::queries::SatQuery;
use crate::script::Script;
use crate::signature::Coercion;
use crate::sort::{Sort, SortView};
use crate::sort_check::is_theory_application;
use crate::symbol::Symbol;
use crate::term::{Head, Term, TermView, Variable};
use crate::theory_view::TheoryView;

/// A model: the interpretation of every function that is declared at one query of a script.
#[derive(Clone)]
pub struct Model {
    arena: Arc<Arena>,
    entries: Vec<ModelFunction>,
    by_name: FxHashMap<Symbol, Vec<u32>>,
    datatypes: FxHashMap<Symbol, DatatypeDeclaration>,
    /// For each constructor, the datatypes that have it.
    constructors: FxHashMap<Symbol, Vec<Symbol>>,
    /// The names of those whose values can be infinite.
    codatatypes: FxHashSet<Symbol>,
    uninterpreted: FxHashSet<Symbol>,
    universes: FxHashMap<Sort, Vec<Symbol>>,
    /// The heap of separation logic.
    heap: heap::ModelHeap,
    /// Tables that are announced but not read yet, and the functions that they define.
    tables: Vec<(Symbol, u32)>,
    ignored: Vec<IgnoredDefinition>,
    /// For each term a mask of the variables in it, computed once for all evaluators.
    variable_masks: OnceLock<Vec<u64>>,
}

/// A function and its interpretation.
#[derive(Clone)]
pub(crate) struct ModelFunction {
    pub name: Symbol,
    /// Canonical.
    pub parameters: Vec<Sort>,
    /// Canonical.
    pub result: Sort,
    pub meaning: Meaning,
    /// Whether the script declares or defines it; the model may define functions of its own.
    pub is_of_script: bool,
}

/// The interpretation of a function.
#[derive(Clone)]
pub(crate) enum Meaning {
    /// A definition.
    Defined { parameters: Arc<[Variable]>, body: Term },
    /// A constructor of a datatype.
    Constructor,
    /// A selector of a datatype.
    Selector,
    /// The tester of this constructor.
    Tester(Symbol),
    /// An element of an uninterpreted sort.
    Element,
    /// The name of a term, from `(! term :named name)`.
    Named(Term),
    /// Declared by the script but not defined by the model.
    Missing,
    /// The model's definition makes no sense.
    Unreadable(Arc<str>),
}

impl Model {
    /// Reads a model that a solver printed after a query of a script.
    ///
    /// ```
    /// use gainsay_smt::eval::{EvalBudget, Evaluator};
    /// use gainsay_smt::{Model, Script, Signature, Value, sat_queries};
    ///
    /// let text = "(declare-fun f (Int) Int)(assert (= (f 2) 5))(check-sat)";
    /// let script = Script::parse(text, &Signature::standard())?;
    /// let query = &sat_queries(&script)[0];
    /// let model = Model::read("((define-fun f ((x Int)) Int (ite (= x 2) 5 0)))", &script, query)?;
    /// let value = Evaluator::new(&model, EvalBudget::default()).value(query.assertions[0]);
    /// assert_eq!(value, Ok(Value::Bool(true)));
    /// # Ok::<(), gainsay_smt::Error>(())
    /// ```
    ///
    /// The text may be a list of definitions, one that begins with `model`, or definitions without a list; answers before it
    /// are skipped. An error means that the text as a whole cannot be used: unbalanced parentheses, an error message of the
    /// solver, or no model at all.
    pub fn read(text: &str, script: &Script, check: &SatQuery) -> Result<Model, Error> {
        build::build(text, script, check)
    }

    /// The empty model: every function gets a default value when it is needed.
    pub fn empty(script: &Script, check: &SatQuery) -> Model {
        build::build("()", script, check).expect("an empty list can be read")
    }

    /// The model without its definitions of results that the standard leaves open: another model may define them otherwise.
    #[must_use]
    pub fn without_open(mut self) -> Model {
        let entries = &self.entries;
        for name in
            self.arena.signature().unspecified.functions().filter_map(|name| self.arena.find_symbol(name))
        {
            if let Some(functions) = self.by_name.get_mut(&name) {
                functions.retain(|&function| entries[function as usize].is_of_script);
            }
        }
        self
    }

    /// The script's arena, extended by the model's terms.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The functions that the script declares and the model does not define, sorted.
    pub fn missing(&self) -> Vec<Symbol> {
        let missing = self.entries.iter().filter(|entry| matches!(entry.meaning, Meaning::Missing));
        let mut names: Vec<Symbol> = missing.map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The definitions that cannot be understood, and why, in the order of the text.
    pub fn unreadable(&self) -> Vec<(Symbol, String)> {
        let reason = |entry: &ModelFunction| match &entry.meaning {
            Meaning::Unreadable(reason) => Some((entry.name, reason.to_string())),
            _ => None,
        };
        self.entries.iter().filter_map(reason).collect()
    }

    /// The definitions and declarations of the model that have no effect, in the order of the text.
    pub fn ignored(&self) -> &[IgnoredDefinition] {
        &self.ignored
    }

    /// The definitions of the script and the model, each after those that it uses; `None` if there is a cycle.
    pub fn definitions(&self) -> Option<Vec<Definition>> {
        let defined = |entry: &ModelFunction| match &entry.meaning {
            Meaning::Defined { parameters, body } => Some(Definition {
                name: entry.name,
                parameters: Arc::clone(parameters),
                result: entry.result,
                body: *body,
            }),
            _ => None,
        };
        let mut left: Vec<Definition> = self.entries.iter().filter_map(defined).collect();
        let mut done = Vec::new();
        while !left.is_empty() {
            let names: FxHashSet<Symbol> = left.iter().map(|definition| definition.name).collect();
            let uses_later = |definition: &Definition| self.mentions(definition.body, &names);
            let (later, ready): (Vec<Definition>, Vec<Definition>) = left.into_iter().partition(uses_later);
            if ready.is_empty() {
                return None;
            }
            done.extend(ready);
            left = later;
        }
        Some(done)
    }

    /// Returns true if a term uses a function of one of these names.
    fn mentions(&self, term: Term, names: &FxHashSet<Symbol>) -> bool {
        let applies = |part| matches!(self.arena.view(part), TermView::Application(head, _) if names.contains(&head.symbol));
        self.arena.reachable([term]).any(applies)
    }

    /// For each term a mask of the variables in it.
    pub(crate) fn variable_masks(&self) -> &[u64] {
        self.variable_masks.get_or_init(|| variable_masks(&self.arena))
    }

    /// The terms of the arena without the functions of the script and the model.
    pub(crate) fn theory_view(&self) -> TheoryView<'_> {
        TheoryView::new(&self.arena, self.by_name.keys().copied())
    }

    pub(crate) fn has_functions(&self, name: Symbol) -> bool {
        self.by_name.contains_key(&name)
    }

    pub(crate) fn entry(&self, function: u32) -> &ModelFunction {
        &self.entries[function as usize]
    }

    /// The function that an application of this sort refers to, if it is one of the script or the model. As the sort checker
    /// does, it looks for functions that accept the arguments as they are, then for such operators of theories, and then for
    /// functions that take integers for reals.
    pub(crate) fn function(&self, head: Head<'_>, arguments: &[Term], sort: Sort) -> Option<u32> {
        if !head.indices.is_empty() {
            return None;
        }
        let all = self.by_name.get(&head.symbol)?;
        self.function_among(all, head, arguments, sort, Coercion::No).or_else(|| {
            self.function_among(all, head, arguments, sort, Coercion::IntToReal)
                .filter(|_| !is_theory_application(&self.arena, head, arguments))
        })
    }

    fn function_among(
        &self,
        all: &[u32],
        head: Head<'_>,
        arguments: &[Term],
        sort: Sort,
        coercion: Coercion,
    ) -> Option<u32> {
        let takes = |(&parameter, &argument)| self.takes(parameter, self.arena.sort_of(argument), coercion);
        // Another function may take all arguments if integers are reals.
        let may_be_partial =
            coercion == Coercion::IntToReal || self.arena.view_sort(sort).head == Symbol::ARROW;
        let fits = |&&number: &&u32| {
            let entry = self.entry(number);
            let is_whole = arguments.len() == entry.parameters.len();
            (is_whole && self.gives(entry.result, sort)
                || may_be_partial && arguments.len() < entry.parameters.len())
                && entry.parameters.iter().zip(arguments).all(takes)
                && head.qualifier.is_none_or(|wanted| self.gives(entry.result, self.arena.canonical(wanted)))
        };
        let whole = |number: &&u32| self.entry(**number).parameters.len() == arguments.len();
        let newest = all.iter().rev();
        newest
            .clone()
            .find(|number| whole(number) && fits(number))
            .or_else(|| newest.clone().find(fits))
            .or_else(|| {
                newest.clone().find(|number| self.gives_function(**number, arguments, sort, coercion))
            })
            .copied()
    }

    /// Returns true if a function gives a function, which takes the arguments that are left: `(f x y)` is `((f x) y)`.
    fn gives_function(&self, function: u32, arguments: &[Term], sort: Sort, coercion: Coercion) -> bool {
        let entry = self.entry(function);
        if arguments.len() <= entry.parameters.len() {
            return false;
        }
        let (first, rest) = arguments.split_at(entry.parameters.len());
        let mut result = entry.result;
        for &argument in rest {
            let SortView { head: Symbol::ARROW, arguments: &[parameter, next], .. } =
                self.arena.view_sort(result)
            else {
                return false;
            };
            if !self.takes(parameter, self.arena.sort_of(argument), coercion) {
                return false;
            }
            result = next;
        }
        let takes = |(&parameter, &argument)| self.takes(parameter, self.arena.sort_of(argument), coercion);
        entry.parameters.iter().zip(first).all(takes) && self.gives(result, sort)
    }

    /// Returns true if a function with this result sort makes terms of `sort`.
    fn gives(&self, result: Sort, sort: Sort) -> bool {
        self.takes(result, sort, Coercion::No)
    }

    fn takes(&self, parameter: Sort, argument: Sort, coercion: Coercion) -> bool {
        let sorts = &self.arena.sorts;
        parameter == argument
            || argument == Sort::UNKNOWN
            || coercion == Coercion::IntToReal && parameter == Sort::REAL && argument == Sort::INT
            || sorts.has_parameter(parameter) && sorts.unify(parameter, argument, &mut Vec::new())
            || sorts.has_unknown(argument)
            || sorts.can_be(argument, parameter)
            || sorts.view(parameter).head == Symbol::ARRAY && sorts.view(argument).head == Symbol::ARROW
    }

    /// The newest function of a name, with any rank.
    pub(crate) fn only_function(&self, name: Symbol) -> Option<u32> {
        self.functions_named(name).last().copied()
    }

    /// Returns true if a function of the script has the name of an operator.
    pub(crate) fn is_overloaded(&self, function: u32) -> bool {
        let entry = self.entry(function);
        entry.is_of_script && self.arena.signature().is_operator(entry.name)
    }

    /// All functions of a name, the newest last.
    pub(crate) fn functions_named(&self, name: Symbol) -> &[u32] {
        self.by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// The model's newest definition that fits a result which the standard leaves open.
    pub(crate) fn interpretation(
        &self,
        name: Symbol,
        arguments: usize,
        fits: impl Fn(&ModelFunction) -> bool,
    ) -> Option<u32> {
        let all = self.by_name.get(&name)?;
        let says = |&&number: &&u32| {
            let entry = self.entry(number);
            let is_defined = matches!(entry.meaning, Meaning::Defined { .. } | Meaning::Unreadable(_));
            let takes_some = (1..=arguments).contains(&entry.parameters.len());
            !entry.is_of_script && is_defined && takes_some && fits(entry)
        };
        all.iter().rev().find(says).copied()
    }

    pub(crate) fn is_uninterpreted(&self, sort: Sort) -> bool {
        self.uninterpreted.contains(&self.arena.view_sort(sort).head)
    }

    /// Returns true if the script declares a sort or a datatype of this name. A name can be that of a sort of a theory, too.
    pub(crate) fn declares_sort(&self, name: Symbol) -> bool {
        self.uninterpreted.contains(&name) || self.datatypes.contains_key(&name)
    }

    /// Returns true if a sort is a co-datatype.
    pub(crate) fn is_codatatype(&self, sort: Sort) -> bool {
        self.codatatypes.contains(&self.arena.view_sort(sort).head)
    }

    /// All elements of an uninterpreted sort, if the model lists them all.
    pub(crate) fn universe(&self, sort: Sort) -> Option<&[Symbol]> {
        self.universes.get(&sort).map(Vec::as_slice)
    }

    /// Returns true if an uninterpreted sort may have an element of this name: its universe has it, or is not listed.
    pub(crate) fn may_have_element(&self, sort: Sort, name: Symbol) -> bool {
        self.universe(sort).is_none_or(|universe| universe.contains(&name))
    }

    /// The constructors of a datatype with the sorts of their fields; `None` if these cannot be computed.
    pub(crate) fn constructors_of(&self, sort: Sort) -> Option<Vec<(Symbol, Vec<Sort>)>> {
        let view = self.arena.view_sort(sort);
        let Some(datatype) = self.datatypes.get(&view.head) else {
            return match (view.head, view.arguments) {
                (Symbol::UNIT_TUPLE, []) => Some(vec![(Symbol::TUPLE, Vec::new())]),
                (Symbol::TUPLE_SORT, fields) => Some(vec![(Symbol::TUPLE, fields.to_vec())]),
                (Symbol::NULLABLE_SORT, [value]) => {
                    Some(vec![(Symbol::NULL, Vec::new()), (Symbol::SOME, vec![*value])])
                }
                _ => None,
            };
        };
        let sorts = &self.arena.sorts;
        let instance = |&(_, field): &(Symbol, Sort)| {
            let field = sorts.canonical(field);
            if !sorts.has_parameter(field) {
                return Some(field);
            }
            let place = datatype.parameters.iter().position(|&parameter| parameter == field);
            let itself =
                sorts.view(field).head == view.head && sorts.view(field).arguments == datatype.parameters;
            place.map(|place| view.arguments[place]).or_else(|| itself.then_some(sort))
        };
        let fields = |constructor: &crate::command::Constructor| {
            let fields: Option<Vec<Sort>> = constructor.fields.iter().map(instance).collect();
            Some((constructor.name, fields?))
        };
        datatype.constructors.iter().map(fields).collect()
    }

    /// Returns true if a constructor makes values of a datatype.
    pub(crate) fn constructs(&self, constructor: Symbol, datatype: Symbol) -> bool {
        self.constructors.get(&constructor).is_some_and(|datatypes| datatypes.contains(&datatype))
    }

    /// The index and sort of the field of a constructor that a selector selects.
    pub(crate) fn field(&self, constructor: Symbol, selector: Symbol, count: usize) -> Option<(usize, Sort)> {
        let datatypes = self.constructors.get(&constructor)?;
        datatypes.iter().find_map(|datatype| {
            let all = &self.datatypes.get(datatype)?.constructors;
            let own = all.iter().find(|own| own.name == constructor && own.fields.len() == count)?;
            let place = own.fields.iter().position(|&(name, _)| name == selector)?;
            Some((place, self.arena.canonical(own.fields[place].1)))
        })
    }
}
