//! Sorts: interned, with synonyms resolved.
//!
//! A sort is a name with indices and arguments: `Int`, `(_ BitVec 8)`, `(Array Int (List T))`. A synonym
//! (`define-sort`, `Float32`) keeps its spelling, so that it is printed as it
//! was written, and has a [canonical](Sorts::canonical) form, so that `Float32` and
//! `(_ FloatingPoint 8 24)` are the same sort to the checker. The sort of a term is always canonical.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::symbol::Symbol;

/// An interned sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sort(pub(crate) u32);

impl Sort {
    /// The sort of a term that contains opaque text; it fits everywhere.
    pub const UNKNOWN: Sort = Sort(0);
    /// `Bool`.
    pub const BOOL: Sort = Sort(1);
    /// `Int`.
    pub const INT: Sort = Sort(2);
    /// `Real`.
    pub const REAL: Sort = Sort(3);
    /// `String`.
    pub const STRING: Sort = Sort(4);
    /// `RegLan`.
    pub const REGLAN: Sort = Sort(5);
    /// `RoundingMode`.
    pub const ROUNDING_MODE: Sort = Sort(6);

    /// The predefined sort of this name.
    #[inline]
    pub(crate) fn known(name: Symbol) -> Option<Sort> {
        let place = KNOWN_SORT_NAMES.iter().skip(1).position(|&known| known == name)?;
        Some(Sort(place as u32 + 1))
    }

    /// The name of a predefined sort.
    pub(crate) fn known_name(self) -> Option<Symbol> {
        KNOWN_SORT_NAMES.get(self.index()).copied()
    }

    /// The sort's position, for tables with a row per sort.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of the predefined sorts, in the order of their ids.
const KNOWN_SORT_NAMES: [Symbol; 7] = [
    Symbol::UNKNOWN,
    Symbol::BOOL,
    Symbol::INT,
    Symbol::REAL,
    Symbol::STRING,
    Symbol::REGLAN,
    Symbol::ROUNDING_MODE,
];

/// An index of a sort or an operator: the `8` of `(_ BitVec 8)`, the `Cons` of `(_ is Cons)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    /// A numeral that fits 32 bits.
    Numeral(u32),
    /// Any other index, by its spelling: a symbol, a hexadecimal, a large numeral.
    Symbol(Symbol),
}

impl Index {
    /// The value of a numeral.
    pub fn numeral(self) -> Option<u32> {
        match self {
            Index::Numeral(n) => Some(n),
            Index::Symbol(_) => None,
        }
    }
}

/// The structure of a sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SortView<'a> {
    /// The name of the constructor, such as `Array`.
    pub head: Symbol,
    /// Its indices.
    pub indices: &'a [Index],
    /// Its arguments.
    pub arguments: &'a [Sort],
}

#[derive(Clone, Copy)]
struct SortNode {
    head: Symbol,
    canonical: Sort,
    indices: u32,
    arguments: u32,
    index_count: u32,
    argument_count: u32,
    /// A sort parameter, as `T` in `(par (T) …)`, or a sort that contains one.
    is_parameter: bool,
    has_parameter: bool,
    /// A part of it is unknown.
    has_unknown: bool,
}

/// The sorts of one script.
#[derive(Clone)]
pub(crate) struct Sorts {
    nodes: Vec<SortNode>,
    indices: Vec<Index>,
    arguments: Vec<Sort>,
    table: HashTable<u32>,
}

impl Sorts {
    /// The predefined sorts.
    pub fn known() -> Sorts {
        let mut sorts =
            Sorts { nodes: Vec::new(), indices: Vec::new(), arguments: Vec::new(), table: HashTable::new() };
        for head in KNOWN_SORT_NAMES {
            sorts.intern(head, &[], &[]);
        }
        sorts
    }

    /// The number of sorts.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The sort `(head arguments…)` or `(_ head indices…)`, which is not a synonym.
    pub fn intern(&mut self, head: Symbol, indices: &[Index], arguments: &[Sort]) -> Sort {
        let canonical_arguments = arguments.iter().any(|&a| self.canonical(a) != a).then(|| {
            let canonical: Vec<Sort> = arguments.iter().map(|&a| self.canonical(a)).collect();
            self.intern(head, indices, &canonical)
        });
        self.add(head, indices, arguments, canonical_arguments, false)
    }

    /// The canonical sort `(head arguments…)` or `(_ head indices…)`, if it is interned.
    pub fn find(&self, head: Symbol, indices: &[Index], arguments: &[Sort]) -> Option<Sort> {
        let same = |&id: &u32| {
            self.view(Sort(id)) == SortView { head, indices, arguments }
                && self.canonical(Sort(id)) == Sort(id)
                && !self.is_parameter(Sort(id))
        };
        self.table.find(hash(head, indices, arguments), same).map(|&id| Sort(id))
    }

    /// The sort spelled `(head arguments…)` that is a synonym of `meaning`.
    pub fn synonym(&mut self, head: Symbol, arguments: &[Sort], meaning: Sort) -> Sort {
        self.add(head, &[], arguments, Some(self.canonical(meaning)), false)
    }

    /// The sort parameter `name`.
    pub fn parameter(&mut self, name: Symbol) -> Sort {
        self.add(name, &[], &[], None, true)
    }

    fn add(
        &mut self,
        head: Symbol,
        indices: &[Index],
        arguments: &[Sort],
        canonical: Option<Sort>,
        is_parameter: bool,
    ) -> Sort {
        let hash = hash(head, indices, arguments);
        let same = |&id: &u32| {
            let (node, view) = (&self.nodes[id as usize], self.view(Sort(id)));
            view == SortView { head, indices, arguments }
                && node.is_parameter == is_parameter
                && node.canonical == canonical.unwrap_or(Sort(id))
        };
        if let Some(&id) = self.table.find(hash, same) {
            return Sort(id);
        }
        let id = self.nodes.len() as u32;
        let held = arguments.iter().chain(&canonical).any(|&a| self.nodes[a.index()].has_parameter);
        let has_unknown =
            id == Sort::UNKNOWN.0 || arguments.iter().any(|&a| self.nodes[a.index()].has_unknown);
        self.nodes.push(SortNode {
            head,
            canonical: canonical.unwrap_or(Sort(id)),
            indices: self.indices.len() as u32,
            arguments: self.arguments.len() as u32,
            index_count: indices.len() as u32,
            argument_count: arguments.len() as u32,
            is_parameter,
            has_parameter: is_parameter || held,
            has_unknown,
        });
        self.indices.extend_from_slice(indices);
        self.arguments.extend_from_slice(arguments);
        let (nodes, all_indices, all_arguments) = (&self.nodes, &self.indices, &self.arguments);
        self.table.insert_unique(hash, id, |&id| {
            let view = view(&nodes[id as usize], all_indices, all_arguments);
            self::hash(view.head, view.indices, view.arguments)
        });
        Sort(id)
    }

    /// Returns true if a term that seems to have one sort can have another: a lambda of sort `(-> A B C)` is an array of sort
    /// `(Array A B C)` in z3, and `(set.singleton x)` of sort `(Set A)` is one of z3's `(FiniteSet A)`, at any depth.
    pub fn can_be(&self, seeming: Sort, actual: Sort) -> bool {
        let mut open = Vec::new();
        let mut pair = Some((seeming, actual));
        while let Some((seeming, actual)) = pair {
            if seeming != actual && !self.open_parts(seeming, actual, &mut open) {
                return false;
            }
            pair = open.pop();
        }
        true
    }

    /// Adds the pairs of sorts on which it depends whether one sort can be another; returns false if it cannot.
    fn open_parts(&self, seeming: Sort, actual: Sort, open: &mut Vec<(Sort, Sort)>) -> bool {
        let (from, to) = (self.view(seeming), self.view(actual));
        if (from.head, to.head) == (Symbol::ARROW, Symbol::ARRAY) {
            return self.open_table(seeming, to.arguments, open);
        }
        let is_set = (from.head, to.head) == (Symbol::SET, Symbol::FINITE_SET);
        let has_parts = !from.arguments.is_empty() && from.arguments.len() == to.arguments.len();
        let can_be = has_parts && (is_set || from.head == to.head && from.indices == to.indices);
        if can_be {
            open.extend(from.arguments.iter().copied().zip(to.arguments.iter().copied()));
        }
        can_be
    }

    /// Adds the pair of results if a function sort has the indices of an array sort as its parameters.
    fn open_table(&self, function: Sort, array: &[Sort], open: &mut Vec<(Sort, Sort)>) -> bool {
        let Some((&element, indices)) = array.split_last() else { return false };
        let mut rest = function;
        for &index in indices {
            match self.view(rest) {
                SortView { head: Symbol::ARROW, arguments: [parameter, result], .. }
                    if *parameter == index =>
                {
                    rest = *result;
                }
                _ => return false,
            }
        }
        open.push((rest, element));
        true
    }

    /// The head, indices and arguments of `sort`.
    #[inline]
    pub fn view(&self, sort: Sort) -> SortView<'_> {
        view(&self.nodes[sort.index()], &self.indices, &self.arguments)
    }

    /// The canonical form of `sort`: itself, unless it is or contains a synonym.
    #[inline]
    pub fn canonical(&self, sort: Sort) -> Sort {
        self.nodes[sort.index()].canonical
    }

    /// Returns true if `sort` is a sort parameter.
    pub fn is_parameter(&self, sort: Sort) -> bool {
        self.nodes[sort.index()].is_parameter
    }

    /// Returns true if `sort` is or contains a sort parameter.
    #[inline]
    pub fn has_parameter(&self, sort: Sort) -> bool {
        self.nodes[sort.index()].has_parameter
    }

    /// Returns true if a part of `sort` is unknown, as in the sort of a bare `nil`.
    #[inline]
    pub fn has_unknown(&self, sort: Sort) -> bool {
        self.nodes[sort.index()].has_unknown
    }

    /// The parameters in `sort`.
    pub fn parameters_of(&self, sort: Sort) -> Vec<Sort> {
        let mut seen = FxHashSet::default();
        let mut open = vec![self.canonical(sort)];
        let mut found = Vec::new();
        while let Some(sort) = open.pop() {
            if self.has_parameter(sort) && seen.insert(sort) {
                found.extend(self.is_parameter(sort).then_some(sort));
                open.extend_from_slice(self.view(sort).arguments);
            }
        }
        found
    }

    /// `sort` with its parameters replaced according to `bindings`; other parameters stay.
    pub fn instantiate(&mut self, sort: Sort, bindings: &[(Sort, Sort)]) -> Sort {
        enum InstantiateStep {
            Enter(Sort),
            Build(Sort),
        }
        if !self.has_parameter(sort) {
            return sort;
        }
        let root = self.canonical(sort);
        let mut steps = vec![InstantiateStep::Enter(root)];
        // A sort is a graph: `(define-sort P (X) (Array X X))` applied a hundred times is small.
        let mut built: FxHashMap<Sort, Sort> = bindings.iter().copied().collect();
        while let Some(step) = steps.pop() {
            match step {
                InstantiateStep::Enter(sort) if built.contains_key(&sort) => {}
                InstantiateStep::Enter(sort) if !self.has_parameter(sort) || self.is_parameter(sort) => {
                    built.insert(sort, sort);
                }
                InstantiateStep::Enter(sort) => {
                    steps.push(InstantiateStep::Build(sort));
                    steps.extend(self.view(sort).arguments.iter().map(|&a| InstantiateStep::Enter(a)));
                }
                InstantiateStep::Build(sort) => {
                    let view = self.view(sort);
                    let (head, indices) = (view.head, view.indices.to_vec());
                    let arguments: Vec<Sort> = view.arguments.iter().map(|a| built[a]).collect();
                    let instance = self.intern(head, &indices, &arguments);
                    built.insert(sort, instance);
                }
            }
        }
        built[&root]
    }

    /// `sort` with its parameters replaced according to `bindings`, if that sort is interned.
    pub fn find_instance(&self, sort: Sort, bindings: &[(Sort, Sort)]) -> Option<Sort> {
        let root = self.canonical(sort);
        let mut built: FxHashMap<Sort, Sort> = bindings.iter().copied().collect();
        let mut open = vec![root];
        while let Some(&sort) = open.last() {
            let before = open.len();
            if !built.contains_key(&sort) && self.has_parameter(sort) {
                let arguments = self.view(sort).arguments;
                open.extend(arguments.iter().filter(|a| self.has_parameter(**a) && !built.contains_key(a)));
                if open.len() == before {
                    let view = self.view(sort);
                    let instance = |a: &Sort| built.get(a).copied().unwrap_or(*a);
                    let arguments: Vec<Sort> = arguments.iter().map(instance).collect();
                    // An unbound parameter has no arguments, and no instance.
                    built.insert(sort, self.find(view.head, view.indices, &arguments)?);
                }
            }
            if open.len() == before {
                open.pop();
            }
        }
        Some(built.get(&root).copied().unwrap_or(root))
    }

    /// Binds the parameters of `pattern` so that it becomes `actual`; returns false if it cannot.
    ///
    /// An unknown part of `actual` fits everything.
    pub fn unify(&self, pattern: Sort, actual: Sort, bindings: &mut Vec<(Sort, Sort)>) -> bool {
        let mut pairs = vec![(self.canonical(pattern), actual)];
        let mut seen = FxHashSet::default();
        while let Some((pattern, actual)) = pairs.pop() {
            if pattern == actual || actual == Sort::UNKNOWN {
                continue;
            }
            if self.is_parameter(pattern) {
                match bindings.iter().find(|(from, _)| *from == pattern) {
                    Some(&(_, bound)) if bound != actual => return false,
                    Some(_) => {}
                    None => bindings.push((pattern, actual)),
                }
                continue;
            }
            if !seen.insert((pattern, actual)) {
                continue;
            }
            let (p, a) = (self.view(pattern), self.view(actual));
            if p.head != a.head || p.indices != a.indices || p.arguments.len() != a.arguments.len() {
                return false;
            }
            pairs.extend(p.arguments.iter().zip(a.arguments).map(|(&p, &a)| (self.canonical(p), a)));
        }
        true
    }
}

#[inline]
fn view<'a>(node: &SortNode, indices: &'a [Index], arguments: &'a [Sort]) -> SortView<'a> {
    SortView {
        head: node.head,
        indices: &indices[node.indices as usize..][..node.index_count as usize],
        arguments: &arguments[node.arguments as usize..][..node.argument_count as usize],
    }
}

fn hash(head: Symbol, indices: &[Index], arguments: &[Sort]) -> u64 {
    let mut hasher = FxHasher::default();
    (head, indices, arguments).hash(&mut hasher);
    hasher.finish()
}
