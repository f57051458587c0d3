//! The context of a command: the declarations, definitions and bindings in scope.
//!
//! Every symbol has a slot with its innermost local variable, its newest function and its newest sort, so
//! that a lookup is one array access however deep the binders nest. `pop` undoes the entries of a trail, as
//! solvers do.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::Arena;
use crate::intern::SliceInterner;
use crate::logic::Features;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Term};

/// How a function of a script came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Declared or defined by a command.
    Declared,
    /// The constructor of a datatype.
    Constructor,
    /// The selector of a datatype's field.
    Selector,
    /// The tester `is-C` of a constructor.
    Tester,
    /// An auxiliary function that a model defines for its own definitions.
    Auxiliary,
}

/// A function or constant of a script: its name and rank.
#[derive(Clone, Copy)]
pub(crate) struct ScriptFunction {
    pub role: Role,
    parameters: u32,
    arity: u32,
    /// Canonical.
    pub result: Sort,
    /// Whether a sort parameter occurs in the rank.
    pub polymorphic: bool,
    /// The term of a constant.
    constant: Option<Term>,
    /// The slot's function before this one: an older overload, or a hidden function.
    previous: u32,
}

/// The ranks of an overloaded name.
#[derive(Default)]
struct Overloads {
    ranks: FxHashSet<u32>,
    constants: usize,
}

/// The meaning of a sort name.
#[derive(Clone)]
pub(crate) enum SortMeaning {
    /// A sort constructor with so many arguments, from `declare-sort` or a datatype.
    Constructor(usize),
    /// `define-sort`: its parameters and its definition.
    Synonym(Vec<Sort>, Sort),
    /// A sort parameter.
    Parameter(Sort),
}

struct SortEntry {
    meaning: SortMeaning,
    /// The constructors, if the sort is a datatype.
    constructors: Vec<Symbol>,
    previous: u32,
}

/// A bound variable, and the previous meaning of its name.
struct BoundName {
    name: Symbol,
    term: Term,
    previous: u32,
}

/// The entries of a name, each as its position plus one; zero means no entry.
#[derive(Clone, Copy, Default)]
struct NameSlot {
    local: u32,
    function: u32,
    sort: u32,
}

enum Undo {
    Function(Symbol),
    Sort(Symbol),
}

/// The declarations, definitions and bindings in scope at one place of a script.
pub(crate) struct Context {
    pub arena: Arena,
    slots: Vec<NameSlot>,
    locals: Vec<BoundName>,
    functions: Vec<ScriptFunction>,
    parameters: Vec<Sort>,
    /// Names with several functions; a name with one function has no entry.
    overloads: FxHashMap<Symbol, Overloads>,
    /// Parameters and result of each function in `overloads`.
    ranks: SliceInterner<Sort>,
    sorts: Vec<SortEntry>,
    trail: Vec<Undo>,
    /// For each `push`, the length of the trail and the number of levels it opened.
    levels: Vec<(usize, u32)>,
    /// The sort of a numeral: `Int`, or `Real` in logics without integers.
    pub numeral: Sort,
    /// Whether functions may be applied to fewer arguments than they have parameters.
    pub higher_order: bool,
    /// Whether declarations outlive `pop`.
    pub global_declarations: bool,
    /// Whether the script has set the logic.
    pub has_logic: bool,
    /// The features of the logic; all of them until the script sets a logic.
    pub logic: Features,
}

impl Context {
    pub fn new(arena: Arena) -> Context {
        Context {
            slots: Vec::new(),
            locals: Vec::new(),
            functions: Vec::new(),
            parameters: Vec::new(),
            overloads: FxHashMap::default(),
            ranks: SliceInterner::default(),
            sorts: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            numeral: Sort::INT,
            higher_order: false,
            global_declarations: false,
            has_logic: false,
            logic: Features::ALL,
            arena,
        }
    }

    #[inline]
    fn slot(&self, name: Symbol) -> NameSlot {
        self.slots.get(name.index()).copied().unwrap_or_default()
    }

    fn slot_mut(&mut self, name: Symbol) -> &mut NameSlot {
        if self.slots.len() <= name.index() {
            let length = (name.index() + 1).max(self.arena.names.len() as usize);
            self.slots.resize(length, NameSlot::default());
        }
        &mut self.slots[name.index()]
    }

    /// The innermost variable of this name.
    #[inline]
    pub fn local(&self, name: Symbol) -> Option<Term> {
        match self.slot(name).local {
            0 => None,
            entry => Some(self.locals[entry as usize - 1].term),
        }
    }

    /// Binds a variable of a canonical sort.
    pub fn bind(&mut self, name: Symbol, sort: Sort) {
        let term = self.arena.terms.variable(name, sort);
        let entry = self.locals.len() as u32 + 1;
        let slot = self.slot_mut(name);
        let previous = std::mem::replace(&mut slot.local, entry);
        self.locals.push(BoundName { name, term, previous });
    }

    /// The number of bound variables.
    pub fn bound(&self) -> usize {
        self.locals.len()
    }

    /// Unbinds the innermost variables until `count` are left.
    pub fn unbind_to(&mut self, count: usize) {
        while self.locals.len() > count {
            let local = self.locals.pop().expect("there are more than count");
            self.slot_mut(local.name).local = local.previous;
        }
    }

    /// The functions of this name, newest first.
    pub fn functions(&self, name: Symbol) -> impl Iterator<Item = &ScriptFunction> {
        let mut entry = self.slot(name).function;
        std::iter::from_fn(move || {
            let function = self.functions.get((entry as usize).checked_sub(1)?)?;
            entry = function.previous;
            Some(function)
        })
    }

    /// The newest function of this name.
    #[inline]
    pub fn function(&self, name: Symbol) -> Option<&ScriptFunction> {
        self.functions.get((self.slot(name).function as usize).checked_sub(1)?)
    }

    /// The parameter sorts of a function, canonical.
    #[inline]
    pub fn parameters(&self, function: &ScriptFunction) -> &[Sort] {
        &self.parameters[function.parameters as usize..][..function.arity as usize]
    }

    /// Adds a function, which hides or overloads others of its name.
    pub fn add_function(&mut self, name: Symbol, role: Role, parameters: &[Sort], result: Sort) {
        let sorts = &self.arena.sorts;
        let result = sorts.canonical(result);
        let polymorphic = parameters.iter().chain([&result]).any(|&sort| sorts.has_parameter(sort));
        let canonical: Vec<Sort> = parameters.iter().map(|&sort| sorts.canonical(sort)).collect();
        // If two constants share a name, the bare name is ambiguous.
        let ambiguous = self.add_overload(name, role, &canonical, result) && parameters.is_empty();
        let constant = (parameters.is_empty() && !polymorphic && !ambiguous)
            .then(|| self.arena.terms.plain(name, &[], result));
        let start = self.parameters.len() as u32;
        self.parameters.extend(canonical);
        let entry = self.functions.len() as u32 + 1;
        let previous = std::mem::replace(&mut self.slot_mut(name).function, entry);
        let arity = parameters.len() as u32;
        self.functions.push(ScriptFunction {
            role,
            parameters: start,
            arity,
            result,
            polymorphic,
            constant,
            previous,
        });
        self.trail.push(Undo::Function(name));
    }

    /// Records one more function of a name that has functions; returns true if one of those is a constant.
    fn add_overload(&mut self, name: Symbol, role: Role, parameters: &[Sort], result: Sort) -> bool {
        let Some(&only) = self.function(name) else { return false };
        if !self.overloads.contains_key(&name) {
            let parameters = self.parameters(&only).to_vec();
            self.overloads.insert(name, Overloads::default());
            self.note_rank(name, only.role, &parameters, only.result);
        }
        let has_constant = self.overloads[&name].constants > 0;
        self.note_rank(name, role, parameters, result);
        has_constant
    }

    fn note_rank(&mut self, name: Symbol, role: Role, parameters: &[Sort], result: Sort) {
        let rank = self.rank(parameters, result);
        let overloads = self.overloads.entry(name).or_default();
        if role != Role::Tester {
            overloads.ranks.insert(rank);
        }
        overloads.constants += usize::from(parameters.is_empty());
    }

    fn rank(&mut self, parameters: &[Sort], result: Sort) -> u32 {
        let sorts: Vec<Sort> = parameters.iter().copied().chain([result]).collect();
        self.ranks.intern(&sorts)
    }

    /// Returns true if a function of this name has exactly this rank, in canonical sorts. A tester may be redeclared.
    pub fn has_rank(&mut self, name: Symbol, parameters: &[Sort], result: Sort) -> bool {
        let Some(&newest) = self.function(name) else { return false };
        let rank = self.rank(parameters, result);
        match self.overloads.get(&name) {
            Some(overloads) => overloads.ranks.contains(&rank),
            None => {
                newest.role != Role::Tester
                    && newest.result == result
                    && self.parameters(&newest) == parameters
            }
        }
    }

    /// The term of a constant of the script, if `name` has no other meaning.
    #[inline]
    pub fn constant(&self, name: Symbol) -> Option<Term> {
        self.function(name)?.constant
    }

    /// The meaning of a sort name.
    pub fn sort_meaning(&self, name: Symbol) -> Option<&SortMeaning> {
        let entry = (self.slot(name).sort as usize).checked_sub(1)?;
        Some(&self.sorts[entry].meaning)
    }

    /// Declares a sort name, until the next `pop`.
    pub fn add_sort(&mut self, name: Symbol, meaning: SortMeaning) {
        let entry = self.sorts.len() as u32 + 1;
        let previous = std::mem::replace(&mut self.slot_mut(name).sort, entry);
        self.sorts.push(SortEntry { meaning, constructors: Vec::new(), previous });
        self.trail.push(Undo::Sort(name));
    }

    /// Removes the newest sort name, which must be the newest entry of the trail.
    pub fn forget_newest_sort(&mut self) {
        if let Some(undo @ Undo::Sort(_)) = self.trail.pop() {
            self.undo(&undo);
        }
    }

    /// Makes the declared sort of this name a datatype.
    pub fn add_constructors(&mut self, name: Symbol, constructors: Vec<Symbol>) {
        let entry = self.slot(name).sort as usize - 1;
        self.sorts[entry].constructors = constructors;
    }

    /// The constructors of `sort`, if it is a datatype.
    pub fn constructors(&self, sort: Sort) -> Option<&[Symbol]> {
        let entry = (self.slot(self.arena.sorts.view(sort).head).sort as usize).checked_sub(1)?;
        let constructors = self.sorts[entry].constructors.as_slice();
        (!constructors.is_empty()).then_some(constructors)
    }

    /// `(push levels)`
    pub fn push(&mut self, levels: u32) {
        if levels > 0 {
            self.levels.push((self.trail.len(), levels));
        }
    }

    /// `(pop levels)`; returns false if there are fewer levels.
    pub fn pop(&mut self, levels: u32) -> bool {
        let mut rest = levels;
        while rest > 0 {
            let Some((mark, open)) = self.levels.pop() else { return false };
            if open > rest {
                self.levels.push((mark, open - rest));
            }
            rest = rest.saturating_sub(open);
            if !self.global_declarations {
                self.undo_to(mark);
            }
        }
        true
    }

    /// `(reset-assertions)`: removes all levels, and their declarations unless these are global.
    pub fn reset_assertions(&mut self) {
        self.levels.clear();
        if !self.global_declarations {
            self.undo_to(0);
        }
    }

    /// `(reset)`
    pub fn reset(&mut self) {
        self.levels.clear();
        self.undo_to(0);
        self.numeral = Sort::INT;
        self.higher_order = false;
        self.global_declarations = false;
        self.has_logic = false;
        self.logic = Features::ALL;
    }

    /// The current length of the trail.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes the declarations since the trail had this length.
    pub fn undo_to(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let undo = self.trail.pop().expect("the trail is longer than the mark");
            self.undo(&undo);
        }
    }

    fn undo(&mut self, undo: &Undo) {
        match *undo {
            Undo::Function(name) => {
                let function = self.functions[self.slot(name).function as usize - 1];
                self.slot_mut(name).function = function.previous;
                if !self.overloads.contains_key(&name) {
                    return;
                }
                let parameters = self.parameters(&function).to_vec();
                let rank = self.rank(&parameters, function.result);
                if let Some(overloads) = self.overloads.get_mut(&name) {
                    overloads.ranks.remove(&rank);
                    overloads.constants -= usize::from(parameters.is_empty());
                }
            }
            Undo::Sort(name) => {
                let entry = self.slot(name).sort as usize - 1;
                self.slot_mut(name).sort = self.sorts[entry].previous;
            }
        }
    }

    /// A sort as text, for messages.
    pub fn show_sort(&self, sort: Sort) -> String {
        crate::print::sort_text(&self.arena, sort)
    }

    /// A name as text, for messages.
    pub fn show(&self, name: Symbol) -> String {
        crate::print::symbol_text(&self.arena, name)
    }

    /// The head of an application as text, for messages.
    pub fn show_head(&self, head: Head<'_>) -> String {
        crate::print::head_text(&self.arena, head)
    }
}
