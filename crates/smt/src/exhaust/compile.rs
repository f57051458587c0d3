//! The compiler: from terms to nodes, with an explicit stack.
//!
//! Functions that the script defines and `let` are expanded, and a quantifier over a finite sort becomes the conjunction or
//! disjunction of its instances. Operators on words are nodes of their own; any other operator is computed by the evaluator
//! when its arguments are known, and remembered. Parts that cannot be expressed are [unclear](Code::Unclear): what depends
//! on them is never known.

mod instances;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::bounds::Bounds;
use super::cases::Cases;
use super::domains::PointDomain;
use super::native::WordShape;
use super::program::{Code, NodeId, Program};
use super::words::WordKind;
use crate::arena::Arena;
use crate::eval::Undecided;
use crate::heap::is_heap_operator;
use crate::model::{Meaning, Model};
use crate::orders::{OrderKind, RelationReading};
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Binder, Term, TermView, Variable};
use crate::theory_view::TheoryView;
use crate::value::Value;
use crate::variables::FreeVariables;

/// The steps that a node costs when it is made.
const STEPS_PER_NODE: u64 = 16;
/// The bytes of the names that a binder binds, once for each instance, and of each of them.
const BYTES_PER_SCOPE: usize = 128;
const BYTES_PER_NAME: usize = 8;
/// The names of a binder that cost a step.
const NAMES_PER_STEP: u64 = 16;
/// Values from the script that an infinite domain is sampled with.
const MAX_HINTS: usize = 12;

/// Compiles terms to the nodes of a program.
pub(super) struct Compiler<'p, 'm> {
    pub program: &'p mut Program<'m>,
    pub(super) model: &'m Model,
    pub(super) arena: &'m Arena,
    /// The terms of the arena without the functions of the script.
    pub(super) theory: TheoryView<'m>,
    pub(super) bounds: Bounds,
    pub(super) cases: Cases,
    /// For constants, the terms of which each is compiled as one, if it is.
    pub(super) solutions: FxHashMap<u32, Option<Arc<[Term]>>>,
    pub(super) hints: FxHashMap<Sort, Vec<Value>>,
    pub(super) free: FreeVariables,
    pub(super) scopes: Vec<CompileScope>,
    pub(super) known: FxHashMap<(Term, u32), NodeId>,
    pub(super) nodes: Vec<NodeId>,
    pub(super) tasks: Vec<CompileTask>,
    /// The free function of each declared function and of each open operator.
    pub(super) declared: FxHashMap<u32, u32>,
    pub(super) open: FxHashMap<OpenOperator, u32>,
    /// The transitive closure of each function, for each pair of values.
    pub(super) closures: FxHashMap<u32, Vec<NodeId>>,
    pub(super) reading: RelationReading,
    pub(super) facts: FxHashMap<u32, DefinitionFacts>,
    choices: FxHashMap<Term, Arc<QuantifierChoices>>,
}

/// What the variables of a quantifier can be, wherever it occurs.
struct QuantifierChoices {
    names: Arc<[Symbol]>,
    /// For each variable, the nodes of its values.
    nodes: Vec<Vec<NodeId>>,
}

/// An operator with open results: two that differ in indices or sorts are two functions.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct OpenOperator {
    pub name: Symbol,
    pub indices: Vec<u32>,
    pub parameters: Vec<Sort>,
    pub result: Sort,
}

/// The names that a binder binds, each to a node.
pub(super) struct CompileScope {
    parent: u32,
    names: Arc<[Symbol]>,
    nodes: Vec<NodeId>,
}

/// The work that is left, the last first.
pub(super) enum CompileTask {
    /// Compiles a term in a scope.
    Visit(Term, u32),
    /// Makes the node of a term, whose children have the nodes above this place.
    Build(Term, u32, usize),
    /// Compiles the body of a `let`, whose values have the nodes above this place.
    Body(Term, u32, usize),
    /// Compiles the cases of a `match`, whose term has the last node.
    Cases(Term, u32),
    /// Joins the cases of a `match`.
    Join(Term, usize, Vec<NodeId>),
    /// Joins the instances of a quantifier above this place.
    Instances(Binder, usize),
    /// Makes an array of the nodes above this place, one for each tuple of indices of some tables.
    Tabulate(Term, u32, usize, Vec<u32>),
    /// Applies the last node, a function of this sort, to the nodes above this place.
    Apply(Term, u32, usize, Sort),
    /// Makes a transitive closure. The nodes above this place are two values and, for each pair, whether a function holds.
    Close(Term, u32, usize, u32),
    /// Remembers the last node for a term in a scope.
    Keep(Term, u32),
    /// Makes a constant, a function of the script, which is one of the nodes above this place.
    Solve(Term, u32, usize),
}

/// What a definition refers to.
#[derive(Clone, Copy)]
pub(super) struct DefinitionFacts {
    pub is_recursive: bool,
    /// Whether it depends on a function that the script only declares.
    pub is_free: bool,
}

impl<'p, 'm> Compiler<'p, 'm> {
    pub fn new(
        program: &'p mut Program<'m>,
        model: &'m Model,
        bounds: Bounds,
        cases: Cases,
        reading: RelationReading,
    ) -> Self {
        Compiler {
            program,
            model,
            arena: model.arena(),
            theory: model.theory_view(),
            bounds,
            cases,
            solutions: FxHashMap::default(),
            hints: FxHashMap::default(),
            free: FreeVariables::default(),
            scopes: vec![CompileScope { parent: 0, names: Arc::from([]), nodes: Vec::new() }],
            known: FxHashMap::default(),
            nodes: Vec::new(),
            tasks: Vec::new(),
            declared: FxHashMap::default(),
            open: FxHashMap::default(),
            closures: FxHashMap::default(),
            reading,
            facts: FxHashMap::default(),
            choices: FxHashMap::default(),
        }
    }

    /// The node of a closed term; the error says that the budget is spent.
    pub fn compile(&mut self, term: Term) -> Result<NodeId, Undecided> {
        self.tasks.push(CompileTask::Visit(term, 0));
        while let Some(task) = self.tasks.pop() {
            self.program.steps += STEPS_PER_NODE;
            if self.program.is_spent() {
                let too_large = || Undecided::TooLarge("the script is too large for the budget".into());
                return Err(self.program.spent_reason(too_large));
            }
            self.work(task);
        }
        Ok(self.nodes.pop().expect("a compiled term leaves a node"))
    }

    /// Values that occur in the script, for sampling infinite domains.
    pub fn collect_hints(&mut self, roots: &[Term]) {
        for term in self.arena.reachable(roots.iter().copied()) {
            if let TermView::Literal(..) = self.arena.view(term) {
                let sort = self.arena.sort_of(term);
                let known = self.hints.entry(sort).or_default();
                if known.len() < MAX_HINTS
                    && let Ok(value) = self.program.evaluator.value(term)
                    && !known.contains(&value)
                {
                    known.push(value);
                }
            }
        }
    }

    fn work(&mut self, task: CompileTask) {
        match task {
            CompileTask::Visit(term, scope) => self.visit(term, scope),
            CompileTask::Build(term, scope, base) => {
                let home = self.home(term, scope);
                if let Some(node) = self.build(term, home, base) {
                    self.nodes.truncate(base);
                    self.nodes.push(node);
                    self.known.insert((term, home), node);
                }
            }
            CompileTask::Body(term, scope, base) => self.visit_body(term, scope, base),
            CompileTask::Cases(term, scope) => self.visit_cases(term, scope),
            CompileTask::Join(term, base, tests) => self.join_cases(term, base, &tests),
            CompileTask::Instances(binder, base) => {
                let instances = self.nodes.split_off(base);
                let code = if binder == Binder::Forall { Code::And } else { Code::Or };
                let node = self.program.add(code, WordShape::default(), WordKind::Bool, &instances);
                self.nodes.push(node);
            }
            CompileTask::Apply(term, home, base, sort) => {
                let node = self.applied_result(sort, term, base);
                self.nodes.push(node);
                self.known.insert((term, home), node);
            }
            CompileTask::Tabulate(term, scope, base, tables) => {
                let elements = self.nodes.split_off(base);
                let node = self.tabulate(elements, &tables);
                self.nodes.push(node);
                let home = self.home(term, scope);
                self.known.insert((term, home), node);
            }
            CompileTask::Close(term, home, base, function) => self.close(term, home, base, function),
            CompileTask::Solve(term, function, base) => self.solve(term, function, base),
            CompileTask::Keep(term, scope) => {
                let node = *self.nodes.last().expect("the node that is kept");
                self.known.insert((term, scope), node);
            }
        }
    }

    /// The innermost scope that binds a free variable of a term.
    fn home(&mut self, term: Term, mut scope: u32) -> u32 {
        let free = self.free.of(self.arena, term);
        if free.is_empty() {
            return 0;
        }
        while scope != 0 {
            let names = &self.scopes[scope as usize].names;
            self.program.steps += (free.len() * names.len()) as u64 / NAMES_PER_STEP;
            if free.iter().any(|variable| names.contains(&variable.name)) {
                break;
            }
            self.program.steps += 1;
            scope = self.scopes[scope as usize].parent;
        }
        scope
    }

    fn visit(&mut self, term: Term, scope: u32) {
        let home = self.home(term, scope);
        if let Some(&node) = self.known.get(&(term, home)) {
            self.nodes.push(node);
            return;
        }
        let base = self.nodes.len();
        match self.arena.view(term) {
            TermView::Annotated(_, children) => {
                self.tasks.push(CompileTask::Keep(term, home));
                self.tasks.push(CompileTask::Visit(children[0], scope));
            }
            TermView::Let(variables, children) => {
                self.tasks.push(CompileTask::Body(term, scope, base));
                self.visit_all(&children[..variables.len()], scope);
            }
            TermView::Bind(binder @ (Binder::Forall | Binder::Exists), variables, _) => {
                self.tasks.push(CompileTask::Keep(term, home));
                self.visit_instances(term, binder, variables, scope, base);
            }
            TermView::Bind(Binder::Lambda, variables, children)
                if self.is_table(term, variables) && !self.is_closed(term) =>
            {
                self.visit_points(term, scope, base, variables, children[0]);
            }
            TermView::Match(_, children) => {
                self.tasks.push(CompileTask::Keep(term, home));
                self.tasks.push(CompileTask::Cases(term, scope));
                self.tasks.push(CompileTask::Visit(children[0], scope));
            }
            TermView::Apply(children) => {
                self.tasks.push(CompileTask::Build(term, scope, base));
                self.visit_all(children, scope);
            }
            TermView::Application(head, children) => {
                self.tasks.push(CompileTask::Build(term, scope, base));
                match is_heap_operator(head.symbol) && !self.model.has_functions(head.symbol) {
                    true => {
                        let leaves = self.heap_leaves(term);
                        self.visit_all(&leaves, scope);
                    }
                    false => self.visit_all(children, scope),
                }
            }
            TermView::Literal(..) | TermView::Variable(_) | TermView::Bind(..) | TermView::Opaque(_) => {
                self.tasks.push(CompileTask::Build(term, scope, base));
            }
        }
    }

    /// Returns true if a lambda has the same value as nested arrays over single indices.
    fn is_table(&self, term: Term, variables: &[Variable]) -> bool {
        variables.len() == 1 || self.arena.view_sort(self.arena.sort_of(term)).head == Symbol::ARROW
    }

    fn visit_all(&mut self, terms: &[Term], scope: u32) {
        self.tasks.extend(terms.iter().rev().map(|&term| CompileTask::Visit(term, scope)));
    }

    pub(super) fn open_scope(
        &mut self,
        parent: u32,
        names: impl Into<Arc<[Symbol]>>,
        nodes: Vec<NodeId>,
    ) -> u32 {
        self.program.charge(BYTES_PER_SCOPE + BYTES_PER_NAME * nodes.len());
        self.program.steps += nodes.len() as u64 / NAMES_PER_STEP;
        self.scopes.push(CompileScope { parent, names: names.into(), nodes });
        self.scopes.len() as u32 - 1
    }

    fn visit_body(&mut self, term: Term, scope: u32, base: usize) {
        let TermView::Let(variables, children) = self.arena.view(term) else { return };
        let nodes = self.nodes.split_off(base);
        let inner =
            self.open_scope(scope, variables.iter().map(|variable| variable.name).collect::<Vec<_>>(), nodes);
        let home = self.home(term, scope);
        self.tasks.push(CompileTask::Keep(term, home));
        self.tasks.push(CompileTask::Visit(children[variables.len()], inner));
    }

    /// The node of a term whose children have the nodes above `base`; `None` if more tasks make it.
    fn build(&mut self, term: Term, home: u32, base: usize) -> Option<NodeId> {
        match self.arena.view(term) {
            TermView::Variable(name) => Some(self.bound_node(term, name, home)),
            TermView::Application(head, children) => {
                let sort = self.arena.sort_of(term);
                match self.program.evaluator.resolved(head, children, sort) {
                    Some(function) => self.build_call(term, home, base, function),
                    None => match self.build_special_relation(term, home, base, head) {
                        Some(node) => node,
                        None => match self.build_table(term, home, base, head) {
                            Some(node) => node,
                            None => Some(self.build_operator(term, base, head)),
                        },
                    },
                }
            }
            TermView::Apply(children) => Some(self.build_application(term, base, children[0])),
            TermView::Literal(..) | TermView::Bind(..) | TermView::Opaque(_) => Some(self.build_closed(term)),
            TermView::Annotated(..) | TermView::Let(..) | TermView::Match(..) => None,
        }
    }

    fn bound_node(&mut self, term: Term, name: Symbol, home: u32) -> NodeId {
        let mut scope = home;
        loop {
            let CompileScope { parent, names, nodes } = &self.scopes[scope as usize];
            if let Some(place) = names.iter().rposition(|bound| *bound == name) {
                return nodes[place];
            }
            if scope == 0 {
                return self.unclear_term(term, "a variable that is bound nowhere");
            }
            scope = *parent;
        }
    }

    pub(super) fn unclear_term(&mut self, term: Term, reason: &str) -> NodeId {
        let kind = WordKind::of(self.arena, self.arena.sort_of(term));
        self.program.unclear(kind, Undecided::Unknown(reason.into()))
    }

    /// A literal, or a binder that refers to nothing free, by the evaluator.
    pub(super) fn build_closed(&mut self, term: Term) -> NodeId {
        let kind = WordKind::of(self.arena, self.arena.sort_of(term));
        if !self.is_closed(term) {
            return self.unclear_term(term, "a function that is given by a term");
        }
        match self.program.evaluator.value(term) {
            Ok(value) => match self.program.words.word(kind, &value) {
                Some(word) => self.program.constant(kind, word),
                None => match self.program.words.word(WordKind::Opaque, &value) {
                    Some(word) => self.program.constant(WordKind::Opaque, word),
                    None => self.unclear_term(term, "a value that exhaustion cannot number"),
                },
            },
            Err(reason) => self.program.unclear(kind, reason),
        }
    }

    /// Returns true if the value of a term depends on nothing that is enumerated.
    pub(super) fn is_closed(&mut self, term: Term) -> bool {
        matches!(self.arena.view(term), TermView::Literal(..))
            || self.free.of(self.arena, term).is_empty() && !self.refers_to_free(term)
    }

    /// Returns true if a term refers to a function that the script only declares, directly or by a definition, or to an
    /// operator with open results.
    fn refers_to_free(&mut self, term: Term) -> bool {
        let (defined, is_free) = self.refers(term);
        is_free || defined.into_iter().any(|function| self.definition_facts(function).is_free)
    }

    /// The functions of the script that a term refers to, directly, and whether one of them is only declared.
    fn refers(&self, term: Term) -> (Vec<u32>, bool) {
        let (mut defined, mut is_free) = (Vec::new(), false);
        for part in self.arena.reachable([term]) {
            let TermView::Application(head, children) = self.arena.view(part) else { continue };
            let sort = self.arena.sort_of(part);
            let called = self.program.evaluator.resolved(head, children, sort);
            is_free |= called.is_none() && OrderKind::of_operator(self.arena.text(head.symbol)).is_some();
            // `((_ map f) a)` calls `f`, too.
            let passed = head.indices.iter().flat_map(|index| match index {
                Index::Symbol(name) => self.model.functions_named(*name),
                Index::Numeral(_) => &[],
            });
            for function in called.into_iter().chain(passed.copied()) {
                match self.model.entry(function).meaning {
                    Meaning::Defined { .. } => defined.push(function),
                    Meaning::Missing | Meaning::Unreadable(_) | Meaning::Element | Meaning::Named(_) => {
                        is_free = true;
                    }
                    Meaning::Constructor | Meaning::Selector | Meaning::Tester(_) => {}
                }
            }
        }
        (defined, is_free)
    }

    pub(super) fn definition_facts(&mut self, function: u32) -> DefinitionFacts {
        if let Some(&known) = self.facts.get(&function) {
            return known;
        }
        let mut facts = DefinitionFacts { is_recursive: false, is_free: false };
        let mut seen = FxHashSet::default();
        let mut open = vec![function];
        while let Some(next) = open.pop() {
            let Meaning::Defined { body, .. } = self.model.entry(next).meaning else { continue };
            let (defined, is_free) = self.refers(body);
            facts.is_free |= is_free;
            facts.is_recursive |= defined.contains(&function);
            open.extend(defined.into_iter().filter(|&used| seen.insert(used)));
        }
        self.facts.insert(function, facts);
        facts
    }
}

/// All integers within the bounds of a term, if it has both.
pub(super) fn int_domain(bounds: &Bounds, term: Term) -> Option<PointDomain> {
    let interval = bounds.interval(term);
    let (least, greatest) = (i64::try_from(interval.least?).ok()?, i64::try_from(interval.greatest?).ok()?);
    Some(match least <= greatest {
        true => PointDomain::range(least as u64, greatest as u64),
        false => PointDomain::list(Vec::new()),
    })
}
