//! The compiler: from terms to nodes, with an explicit stack.
//!
//! Functions that the script defines and `let` are expanded, and a quantifier over a finite sort becomes the conjunction or
//! disjunction of its instances. Operators on words are nodes of their own; any other operator is computed by the evaluator
//! when its arguments are known, and remembered. Parts that cannot be expressed are [unclear](Code::Unclear): what depends
//! on them is never known.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bounds::Bounds;
use super::domains::{self, PointDomain};
use super::native::WordShape;
use super::program::{Code, NodeId, Program};
use super::words::WordKind;
use crate::arena::Arena;
use crate::eval::Undecided;
use crate::model::{Meaning, Model};
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Binder, Term, TermView, Variable};
use crate::value::Value;
use crate::variables::FreeVariables;

/// Instances of one quantifier.
const MAX_INSTANCES: u128 = 1 << 12;
/// The steps that a node costs when it is made.
const STEPS_PER_NODE: u64 = 16;
/// Values from the script that an infinite domain is sampled with.
const MAX_HINTS: usize = 12;

/// Compiles terms to the nodes of a program.
pub(super) struct Compiler<'p, 'm> {
    pub program: &'p mut Program<'m>,
    pub(super) model: &'m Model,
    pub(super) arena: &'m Arena,
    pub(super) bounds: Bounds,
    pub(super) hints: FxHashMap<Sort, Vec<Value>>,
    pub(super) free: FreeVariables,
    pub(super) scopes: Vec<CompileScope>,
    pub(super) known: FxHashMap<(Term, u32), NodeId>,
    pub(super) nodes: Vec<NodeId>,
    pub(super) tasks: Vec<CompileTask>,
    /// The free function of each declared function and of each open operator.
    pub(super) declared: FxHashMap<u32, u32>,
    pub(super) open: FxHashMap<OpenOperator, u32>,
    pub(super) facts: FxHashMap<u32, DefinitionFacts>,
    pub(super) max_steps: u64,
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
    names: Vec<Symbol>,
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
    /// Makes an array of the nodes above this place, one for each index of a table.
    Tabulate(Term, u32, usize, u32),
    /// Remembers the last node for a term in a scope.
    Keep(Term, u32),
}

/// What a definition refers to.
#[derive(Clone, Copy)]
pub(super) struct DefinitionFacts {
    pub is_recursive: bool,
    /// Whether it depends on a function that the script only declares.
    pub is_free: bool,
}

impl<'p, 'm> Compiler<'p, 'm> {
    pub fn new(program: &'p mut Program<'m>, model: &'m Model, bounds: Bounds, max_steps: u64) -> Self {
        Compiler {
            program,
            model,
            arena: model.arena(),
            bounds,
            hints: FxHashMap::default(),
            free: FreeVariables::default(),
            scopes: vec![CompileScope { parent: 0, names: Vec::new(), nodes: Vec::new() }],
            known: FxHashMap::default(),
            nodes: Vec::new(),
            tasks: Vec::new(),
            declared: FxHashMap::default(),
            open: FxHashMap::default(),
            facts: FxHashMap::default(),
            max_steps,
        }
    }

    /// The node of a closed term; the error says that the budget is spent.
    pub fn compile(&mut self, term: Term) -> Result<NodeId, Undecided> {
        self.tasks.push(CompileTask::Visit(term, 0));
        while let Some(task) = self.tasks.pop() {
            self.program.steps += STEPS_PER_NODE;
            if self.program.steps > self.max_steps {
                return Err(Undecided::TooLarge("the script is too large for the budget".into()));
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
            CompileTask::Tabulate(term, scope, base, table) => {
                let elements = self.nodes.split_off(base);
                let code = Code::Tabulate(table);
                let node = self.program.add(code, WordShape::default(), WordKind::Numbered, &elements);
                self.nodes.push(node);
                let home = self.home(term, scope);
                self.known.insert((term, home), node);
            }
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
            TermView::Bind(binder @ (Binder::Forall | Binder::Exists), variables, children) => {
                self.tasks.push(CompileTask::Keep(term, home));
                self.visit_instances(binder, variables, children[0], scope, base);
            }
            TermView::Bind(Binder::Lambda, [variable], children) if !self.is_closed(term) => {
                match self.table(self.arena.canonical(variable.sort)) {
                    Some(table) => self.visit_points(term, scope, base, table, *variable, children[0]),
                    None => self.tasks.push(CompileTask::Build(term, scope, base)),
                }
            }
            TermView::Match(_, children) => {
                self.tasks.push(CompileTask::Keep(term, home));
                self.tasks.push(CompileTask::Cases(term, scope));
                self.tasks.push(CompileTask::Visit(children[0], scope));
            }
            TermView::Application(_, children) => {
                self.tasks.push(CompileTask::Build(term, scope, base));
                self.visit_all(children, scope);
            }
            TermView::Literal(..)
            | TermView::Variable(_)
            | TermView::Bind(..)
            | TermView::Apply(_)
            | TermView::Opaque(_) => {
                self.tasks.push(CompileTask::Build(term, scope, base));
            }
        }
    }

    fn visit_all(&mut self, terms: &[Term], scope: u32) {
        self.tasks.extend(terms.iter().rev().map(|&term| CompileTask::Visit(term, scope)));
    }

    pub(super) fn open_scope(&mut self, parent: u32, names: Vec<Symbol>, nodes: Vec<NodeId>) -> u32 {
        self.scopes.push(CompileScope { parent, names, nodes });
        self.scopes.len() as u32 - 1
    }

    fn visit_body(&mut self, term: Term, scope: u32, base: usize) {
        let TermView::Let(variables, children) = self.arena.view(term) else { return };
        let nodes = self.nodes.split_off(base);
        let inner = self.open_scope(scope, variables.iter().map(|variable| variable.name).collect(), nodes);
        let home = self.home(term, scope);
        self.tasks.push(CompileTask::Keep(term, home));
        self.tasks.push(CompileTask::Visit(children[variables.len()], inner));
    }

    fn visit_instances(
        &mut self,
        binder: Binder,
        variables: &[Variable],
        body: Term,
        scope: u32,
        base: usize,
    ) {
        let guard = self.guard_bounds(binder, body);
        let mut count = 1;
        let mut domains: Vec<Option<PointDomain>> = Vec::new();
        for variable in variables {
            let sort = self.arena.canonical(variable.sort);
            let domain = self.variable_domain(*variable, sort, body, &guard);
            let fits = |domain: &PointDomain| count * domain.count() <= MAX_INSTANCES;
            let domain = domain.filter(fits);
            count *= domain.as_ref().map_or(1, PointDomain::count);
            domains.push(domain);
        }
        self.tasks.push(CompileTask::Instances(binder, base));
        let mut instances = vec![Vec::new()];
        for (variable, domain) in variables.iter().zip(domains) {
            let kind = WordKind::of(self.arena, self.arena.canonical(variable.sort));
            let choices: Vec<NodeId> = match domain {
                Some(domain) => {
                    let mut cursor = domain.cursor(&[]);
                    std::iter::from_fn(|| cursor.next())
                        .map(|word| self.program.constant(kind, word))
                        .collect()
                }
                None => {
                    let reason = Undecided::Infinite("a quantifier over too many values".into());
                    vec![self.program.unclear(kind, reason)]
                }
            };
            let longer = |start: Vec<NodeId>| {
                choices.iter().map(move |&choice| [start.as_slice(), &[choice]].concat()).collect::<Vec<_>>()
            };
            instances = instances.into_iter().flat_map(longer).collect();
        }
        let names: Vec<Symbol> = variables.iter().map(|variable| variable.name).collect();
        for nodes in instances {
            let inner = self.open_scope(scope, names.clone(), nodes);
            self.tasks.push(CompileTask::Visit(body, inner));
        }
    }

    /// The bounds of variables that the body of a quantifier imposes: outside of them, an instance does not matter.
    fn guard_bounds(&self, binder: Binder, body: Term) -> Bounds {
        match (binder, self.arena.view(body)) {
            (Binder::Exists, _) => Bounds::of(self.arena, &[body]),
            (Binder::Forall, TermView::Application(head, children)) if head.symbol == Symbol::IMPLIES => {
                Bounds::of(self.arena, &children[..children.len() - 1])
            }
            _ => Bounds::default(),
        }
    }

    fn variable_domain(
        &mut self,
        variable: Variable,
        sort: Sort,
        body: Term,
        guard: &Bounds,
    ) -> Option<PointDomain> {
        if sort != Sort::INT {
            let Program { evaluator, words, .. } = &mut *self.program;
            return domains::complete_domain(self.arena, evaluator, words, sort);
        }
        let is_it =
            |term: &Term| matches!(self.arena.view(*term), TermView::Variable(name) if name == variable.name);
        let occurrence = self.arena.reachable([body]).find(is_it)?;
        int_domain(guard, occurrence)
    }

    fn visit_cases(&mut self, term: Term, scope: u32) {
        let TermView::Match(cases, children) = self.arena.view(term) else { return };
        let matched = self.nodes.pop().expect("the term that is matched");
        let base = self.nodes.len();
        let mut tests = Vec::new();
        let mut bodies = Vec::new();
        for (place, case) in cases.iter().enumerate() {
            let names: Vec<Symbol> = case.variables.iter().map(|variable| variable.name).collect();
            let (test, nodes) = match case.constructor {
                None => (self.program.constant(WordKind::Bool, 1), vec![matched; names.len()]),
                Some(constructor) => {
                    let test = self.program.add(
                        Code::IsMadeBy(constructor),
                        WordShape::default(),
                        WordKind::Bool,
                        &[matched],
                    );
                    let field = |(place, variable): (usize, &Variable)| {
                        let kind = WordKind::of(self.arena, self.arena.canonical(variable.sort));
                        let code = Code::Field(constructor, place as u32);
                        self.program.add(code, WordShape::default(), kind, &[matched])
                    };
                    (test, case.variables.iter().enumerate().map(field).collect())
                }
            };
            tests.push(test);
            bodies.push((children[place + 1], self.open_scope(scope, names, nodes)));
        }
        self.tasks.push(CompileTask::Join(term, base, tests));
        self.tasks.extend(bodies.into_iter().rev().map(|(body, inner)| CompileTask::Visit(body, inner)));
    }

    fn join_cases(&mut self, term: Term, base: usize, tests: &[NodeId]) {
        let bodies = self.nodes.split_off(base);
        let kind = WordKind::of(self.arena, self.arena.sort_of(term));
        let reason = Undecided::Unknown("a match without a case for the value".into());
        let mut node = self.program.unclear(kind, reason);
        for (&test, body) in tests.iter().zip(bodies).rev() {
            node = self.program.add(Code::Ite, WordShape::default(), kind, &[test, body, node]);
        }
        self.nodes.push(node);
    }

    /// The node of a term whose children have the nodes above `base`; `None` if more tasks make it.
    fn build(&mut self, term: Term, home: u32, base: usize) -> Option<NodeId> {
        match self.arena.view(term) {
            TermView::Variable(name) => Some(self.bound_node(term, name, home)),
            TermView::Application(head, children) => {
                let sort = self.arena.sort_of(term);
                match self.program.evaluator.resolved(head, children, sort) {
                    Some(function) => self.build_call(term, home, base, function),
                    None => match self.build_table(term, home, base, head) {
                        Some(node) => node,
                        None => Some(self.build_operator(term, base, head)),
                    },
                }
            }
            TermView::Apply(_) => {
                Some(self.unclear_term(term, "the application of a value that is a function"))
            }
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
    fn build_closed(&mut self, term: Term) -> NodeId {
        let kind = WordKind::of(self.arena, self.arena.sort_of(term));
        if !self.is_closed(term) {
            return self.unclear_term(term, "a function that is given by a term");
        }
        match self.program.evaluator.value(term) {
            Ok(value) => match self.program.words.word(kind, &value) {
                Some(word) => self.program.constant(kind, word),
                None => match self.program.words.word(WordKind::Closure, &value) {
                    Some(word) => self.program.constant(WordKind::Closure, word),
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
