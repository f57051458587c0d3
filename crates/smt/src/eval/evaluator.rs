//! The evaluator: from terms to values with an explicit stack.
//!
//! An [`EvalFrame`] is a term some of whose children have results; the results are on a stack of their own, above the frame's
//! base. Scopes form a stack, too: a `let`, the parameters of a function and an instance of a quantifier each open one, and
//! a result is memoized in the innermost scope that binds a variable of the term, so that it is reused in all scopes inside
//! and dropped when that scope ends. The choice of the scope may be imprecise: every term has a mask of hashed variable
//! names, and a scope whose names miss the mask cannot matter.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::finite_domains::DomainCache;
use super::function_calls::CallCache;
use super::function_loops::FunctionLoop;
use super::function_table::FunctionTable;
use super::operators::operators;
use super::separation::ModelFormula;
use super::{EvalBudget, EvalResult, Operator, TruthValue, Undecided};
use crate::arena::Arena;
use crate::heap::{HeapFormula, is_heap_operator};
use crate::model::Model;
use crate::regex::Regexes;
use crate::signature::Associativity;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Literal, Term, TermView};
use crate::value::{MAX_VALUE_DEPTH, Value};

/// Computes values of terms under one model.
pub struct Evaluator<'a> {
    pub(super) model: &'a Model,
    pub(super) arena: &'a Arena,
    pub(super) operators: FxHashMap<Symbol, (Operator, Option<Associativity>)>,
    masks: &'a [u64],
    pub(super) scopes: Vec<EvalScope>,
    pub(super) bindings: FxHashMap<Symbol, Vec<EvalResult>>,
    pub(super) frames: Vec<EvalFrame>,
    pub(super) answers: Vec<EvalResult>,
    pub(super) calls: CallCache,
    pub(super) domains: DomainCache,
    pub(super) points: FxHashMap<u32, Vec<Value>>,
    pub(super) heap_formulas: FxHashMap<Term, Result<Arc<HeapFormula>, Undecided>>,
    pub(super) model_formulas: FxHashMap<Term, Result<Arc<ModelFormula>, Undecided>>,
    /// Functions that the model omits and that were applied.
    pub(super) omitted: FxHashSet<Symbol>,
    /// Whether such functions get default values; they are undecided otherwise.
    pub(super) uses_defaults: bool,
    pub(super) regexes: Regexes,
    pub(super) budget: EvalBudget,
    steps: u64,
    bytes: u64,
}

/// A scope: the names that it binds, and the results memoized in it.
pub(super) struct EvalScope {
    /// The enclosing scope; for the body of a function, the outermost one.
    parent: usize,
    mask: u64,
    names: Vec<Symbol>,
    pub memo: FxHashMap<Term, EvalResult>,
}

/// A term that is being evaluated.
pub(super) struct EvalFrame {
    pub term: Term,
    /// The number of results when it began.
    pub base: usize,
    /// The number of scopes when it began.
    pub scopes: usize,
    pub state: FrameState,
    /// Whether it works for the frame below, which has the same term: its result is not that of the term.
    pub is_helper: bool,
}

/// The results that a frame waits for.
pub(super) enum FrameState {
    /// The results of its children, as far as they are needed.
    Parts,
    /// One result, which is its own.
    Tail,
    /// The model's definition of an open result; then the other arguments.
    Fold(Vec<Value>),
    /// A function, which is to be applied to these arguments.
    Rest(Vec<Value>),
    /// The result of a function's body, to be memoized under this key.
    Call(u32, Vec<Value>),
    /// The instances of a quantifier.
    Instances(Box<super::quantifiers::QuantifierInstances>),
    /// The calls of a function by an operator.
    Loop(Box<FunctionLoop>),
    /// The points of a function that is being turned into a table.
    Table(Box<FunctionTable>),
}

/// The next step for a frame.
pub(super) enum FrameStep {
    Evaluate(Term),
    Done(EvalResult),
}

/// The maximal depth of the stack, which ends infinite recursion of a definition.
const MAX_EVAL_FRAMES: usize = 2_000_000;

impl<'a> Evaluator<'a> {
    /// An evaluator with this budget.
    pub fn new(model: &'a Model, budget: EvalBudget) -> Evaluator<'a> {
        let arena = model.arena();
        let root = EvalScope { parent: 0, mask: 0, names: Vec::new(), memo: FxHashMap::default() };
        Evaluator {
            model,
            arena,
            operators: operators(arena),
            masks: model.variable_masks(),
            scopes: vec![root],
            bindings: FxHashMap::default(),
            frames: Vec::new(),
            answers: Vec::new(),
            calls: CallCache::default(),
            domains: DomainCache::default(),
            points: FxHashMap::default(),
            heap_formulas: FxHashMap::default(),
            model_formulas: FxHashMap::default(),
            omitted: FxHashSet::default(),
            uses_defaults: true,
            regexes: Regexes::new(budget.steps),
            budget,
            steps: 0,
            bytes: 0,
        }
    }

    /// An evaluator for which functions that the model omits are undecided.
    pub(super) fn without_defaults(model: &'a Model, budget: EvalBudget) -> Evaluator<'a> {
        Evaluator { uses_defaults: false, ..Evaluator::new(model, budget) }
    }

    /// Returns true if a function that the model omits was applied.
    pub(super) fn has_omissions(&self) -> bool {
        !self.omitted.is_empty()
    }

    /// Counts the steps of another evaluator against the budget, too.
    pub(super) fn continue_from(&mut self, other: &Evaluator<'_>) {
        self.steps = other.steps;
    }

    /// The truth value of a term of sort `Bool`.
    pub fn outcome(&mut self, term: Term) -> TruthValue {
        match self.value(term) {
            Ok(Value::Bool(true)) => TruthValue::True,
            Ok(Value::Bool(false)) => TruthValue::False,
            Ok(_) => TruthValue::Undecided(Undecided::Unknown("not a Boolean".into())),
            Err(undecided) => TruthValue::Undecided(undecided),
        }
    }

    /// The value of a closed term.
    pub fn value(&mut self, term: Term) -> EvalResult {
        let scopes = self.scopes.len();
        self.enter(term);
        self.finish_frames(scopes)
    }

    /// Takes the first step of a frame, then works until no frame is left.
    pub(super) fn run_frames(&mut self, step: FrameStep, scopes: usize) -> EvalResult {
        self.take_step(step);
        self.finish_frames(scopes)
    }

    /// Forgets what was spent.
    pub(super) fn restart_budget(&mut self) {
        (self.steps, self.bytes) = (0, 0);
    }

    fn take_step(&mut self, step: FrameStep) {
        match step {
            FrameStep::Evaluate(term) => self.enter(term),
            FrameStep::Done(answer) => self.finish(answer),
        }
    }

    /// Works until no frame is left, and closes all scopes but these.
    fn finish_frames(&mut self, scopes: usize) -> EvalResult {
        while !self.frames.is_empty() {
            if let Err(spent) = self.spend() {
                self.frames.clear();
                self.answers.clear();
                self.calls.abort();
                self.close_scopes_to(scopes);
                return Err(spent);
            }
            let step = self.advance();
            self.take_step(step);
        }
        self.answers.pop().expect("a finished term leaves an answer")
    }

    /// The functions that got default values because the model does not define them.
    pub fn completed(&self) -> Vec<Symbol> {
        let omitted = self.omitted.iter().copied();
        let mut names: Vec<Symbol> = omitted.filter(|_| self.uses_defaults).collect();
        names.sort_unstable();
        names
    }

    /// The number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The bytes of the values that were made.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Forgets the results of calls, of which there may be many.
    pub(crate) fn forget_calls(&mut self) {
        self.calls = CallCache::default();
    }

    /// Counts steps that are taken at once.
    pub(super) fn charge(&mut self, steps: usize) {
        self.steps = self.steps.saturating_add(steps as u64);
    }

    fn spend(&mut self) -> Result<(), Undecided> {
        self.steps += 1;
        let reason = match () {
            () if self.steps > self.budget.steps => "it takes too many steps",
            () if self.bytes > self.budget.bytes => "the values take too much memory",
            () if self.frames.len() > MAX_EVAL_FRAMES => "definitions call each other too deeply",
            () => return Ok(()),
        };
        Err(Undecided::TooLarge(reason.into()))
    }

    /// Begins a term: its result comes at once if it is memoized or a leaf.
    fn enter(&mut self, term: Term) {
        let home = self.memo_scope(term);
        if let Some(answer) = self.scopes[home].memo.get(&term) {
            let answer = self.closed_or_consumed(answer.clone());
            self.answers.push(answer);
            return;
        }
        let answer = match self.arena.view(term) {
            TermView::Literal(literal, spelling) => self.literal(literal, spelling, self.arena.sort_of(term)),
            TermView::Variable(name) => match self.bindings.get(&name).and_then(|stack| stack.last()) {
                Some(answer) => answer.clone(),
                None => Err(Undecided::Unknown("a variable that is bound nowhere".into())),
            },
            _ => {
                let (base, scopes) = (self.answers.len(), self.scopes.len());
                self.frames.push(EvalFrame {
                    term,
                    base,
                    scopes,
                    state: FrameState::Parts,
                    is_helper: false,
                });
                return;
            }
        };
        self.answers.push(answer);
    }

    fn advance(&mut self) -> FrameStep {
        let frame = self.frames.last_mut().expect("there is a frame to advance");
        let (term, base) = (frame.term, frame.base);
        match &mut frame.state {
            FrameState::Parts => self.advance_parts(term, base),
            FrameState::Tail => FrameStep::Done(self.answers.pop().expect("the tail has its answer")),
            FrameState::Fold(rest) => {
                let rest = std::mem::take(rest);
                match self.answers.pop().expect("the step has its answer") {
                    Ok(total) => self.fold_left(term, total, rest),
                    undecided => FrameStep::Done(undecided),
                }
            }
            FrameState::Rest(rest) => {
                let rest = std::mem::take(rest);
                match self.answers.pop().expect("the call has its answer") {
                    Ok(function) => self.apply(function, rest),
                    undecided => FrameStep::Done(undecided),
                }
            }
            FrameState::Call(function, arguments) => {
                let (function, arguments) = (*function, std::mem::take(arguments));
                let answer = self.answers.pop().expect("the body has its answer");
                let answer = self.checked_result(function, answer);
                self.calls.remember(function, arguments, &answer);
                FrameStep::Done(answer)
            }
            FrameState::Instances(_) => self.advance_instances(),
            FrameState::Loop(_) => self.advance_loop(),
            FrameState::Table(_) => self.advance_table(),
        }
    }

    fn advance_parts(&mut self, term: Term, base: usize) -> FrameStep {
        match self.arena.view(term) {
            TermView::Application(head, children) => self.advance_application(term, base, head, children),
            TermView::Apply(children) => match self.next_strict(base, children) {
                Some(next) => next,
                None => self.apply_taken(base, children[0]),
            },
            TermView::Let(variables, children) => self.advance_let(base, variables, children),
            TermView::Bind(binder, variables, children) => {
                self.begin_binder(term, binder, variables, children)
            }
            TermView::Match(cases, children) => self.advance_match(base, cases, children),
            TermView::Annotated(_, children) => self.tail(children[0]),
            TermView::Opaque(text) => self.opaque(text),
            TermView::Literal(..) | TermView::Variable(_) => unreachable!("these have no parts"),
        }
    }

    fn advance_application(
        &mut self,
        term: Term,
        base: usize,
        head: Head<'_>,
        children: &[Term],
    ) -> FrameStep {
        if self.model.has_functions(head.symbol)
            && let Some(function) = self.model.function(head, children, self.arena.sort_of(term))
            && (self.model.entry(function).is_of_script || !self.operators.contains_key(&head.symbol))
        {
            return match self.next_strict(base, children) {
                Some(next) => next,
                None => {
                    let arguments = self.take_values(base);
                    self.call_in_part(term, function, arguments)
                }
            };
        }
        match head.symbol {
            Symbol::AND | Symbol::OR | Symbol::IMPLIES => self.connective(base, head.symbol, children),
            Symbol::ITE => self.ite(base, children),
            symbol if is_heap_operator(symbol) => self.advance_heap_formula(term, base),
            Symbol::NIL => self.heap_nil(self.arena.sort_of(term)),
            Symbol::EQUAL | Symbol::DISTINCT => self.equality(base, head.symbol, children),
            Symbol::SELECT => match self.next_strict(base, children) {
                Some(next) => next,
                None => self.apply_taken(base, children[0]),
            },
            _ => match self.next_strict(base, children) {
                Some(next) => self.zero_product(head.symbol, base, next),
                None => self.operate(term, base, head),
            },
        }
    }

    /// The next child to evaluate, or the first reason why a child is undecided; `None` once all have values.
    pub(super) fn next_strict(&mut self, base: usize, children: &[Term]) -> Option<FrameStep> {
        let done = self.answers.len() - base;
        if done < children.len() {
            return Some(FrameStep::Evaluate(children[done]));
        }
        let undecided = self.answers[base..].iter().find_map(|answer| answer.as_ref().err());
        undecided.map(|undecided| FrameStep::Done(Err(undecided.clone())))
    }

    /// A product with a factor of zero is zero, whatever the other factors are.
    fn zero_product(&self, operator: Symbol, base: usize, next: FrameStep) -> FrameStep {
        let FrameStep::Done(Err(_)) = next else { return next };
        let zero = self.answers[base..].iter().flatten().find(|value| match value {
            Value::Int(number) => number.is_zero(),
            Value::Real(number) => number.is_zero(),
            _ => false,
        });
        match zero {
            Some(zero) if operator == Symbol::TIMES => FrameStep::Done(Ok(zero.clone())),
            _ => next,
        }
    }

    /// Applies the first of the values above `base`, a function or an array, to the others.
    pub(super) fn apply_taken(&mut self, base: usize, function: Term) -> FrameStep {
        let sorts = self.arena.view_sort(self.arena.sort_of(function)).arguments;
        let mut arguments = self.take_values(base);
        for (argument, &sort) in arguments[1..].iter_mut().zip(sorts) {
            if let (Value::Int(number), Sort::REAL) = (&*argument, sort) {
                *argument = Value::Real(number.clone().into());
            }
        }
        let function = arguments.remove(0);
        self.apply(function, arguments)
    }

    /// The values above `base`, taken from the stack; all answers there are values.
    pub(super) fn take_values(&mut self, base: usize) -> Vec<Value> {
        self.answers.drain(base..).flatten().collect()
    }

    /// The frame's result is that of one more term.
    pub(super) fn tail(&mut self, term: Term) -> FrameStep {
        self.frames.last_mut().expect("the frame is there").state = FrameState::Tail;
        FrameStep::Evaluate(term)
    }

    fn finish(&mut self, answer: EvalResult) {
        let frame = self.frames.pop().expect("the frame that is finished");
        self.answers.truncate(frame.base);
        self.close_scopes_to(frame.scopes);
        let answer = self.coerced(answer, self.arena.sort_of(frame.term));
        let answer = self.weighed(answer);
        let answer = self.chosen_here(frame.term, answer);
        if !frame.is_helper {
            let home = self.memo_scope(frame.term);
            self.scopes[home].memo.insert(frame.term, answer.clone());
        }
        let answer = self.closed_or_consumed(answer);
        self.answers.push(answer);
    }

    /// Converts an integer to a real where the sort is `Real`.
    pub(super) fn coerced(&self, answer: EvalResult, sort: Sort) -> EvalResult {
        match answer {
            Ok(Value::Int(number)) if sort == Sort::REAL => Ok(Value::Real(number.into())),
            answer => answer,
        }
    }

    fn weighed(&mut self, answer: EvalResult) -> EvalResult {
        let value = answer?;
        let weight = value.weight();
        self.bytes = self.bytes.saturating_add(weight.bytes);
        // Making a large value takes time.
        self.steps = self.steps.saturating_add(weight.bytes / 64);
        match weight.depth <= MAX_VALUE_DEPTH && weight.bytes <= self.budget.bytes / 10 {
            true => Ok(value),
            false => Err(Undecided::TooLarge("a value that is too large".into())),
        }
    }

    pub(super) fn literal(&self, literal: Literal, spelling: Symbol, sort: Sort) -> EvalResult {
        super::core::literal(literal, self.arena.text(spelling), sort)
    }

    /// The innermost scope that can matter to a term.
    pub(super) fn memo_scope(&self, term: Term) -> usize {
        let mask = self.masks.get(term.index()).copied().unwrap_or_default();
        let mut scope = if mask == 0 { 0 } else { self.scopes.len() - 1 };
        while scope > 0 && self.scopes[scope].mask & mask == 0 {
            scope = self.scopes[scope].parent;
        }
        scope
    }

    /// Opens a scope inside the current one.
    pub(super) fn open(&mut self, bound: impl Iterator<Item = (Symbol, EvalResult)>) {
        self.open_scope_in(self.scopes.len() - 1, bound);
    }

    /// Opens the scope of a function's body, which sees only its parameters.
    pub(super) fn open_scope_in(&mut self, parent: usize, bound: impl Iterator<Item = (Symbol, EvalResult)>) {
        let mut scope = EvalScope { parent, mask: 0, names: Vec::new(), memo: FxHashMap::default() };
        for (name, answer) in bound {
            scope.mask |= bit(name);
            scope.names.push(name);
            self.bindings.entry(name).or_default().push(answer);
        }
        self.scopes.push(scope);
    }

    /// Closes the innermost scopes until `count` are left.
    pub(super) fn close_scopes_to(&mut self, count: usize) {
        while self.scopes.len() > count {
            let scope = self.scopes.pop().expect("there are more than count");
            for name in scope.names {
                if let Some(stack) = self.bindings.get_mut(&name) {
                    stack.pop();
                }
            }
        }
    }
}

/// For each term a mask of the variables in it, free or bound: one bit of a hash each.
pub(crate) fn variable_masks(arena: &Arena) -> Vec<u64> {
    let mut masks: Vec<u64> = Vec::with_capacity(arena.term_count());
    for index in 0..arena.term_count() {
        let term = Term(index as u32);
        let own = match arena.view(term) {
            TermView::Variable(name) => bit(name),
            _ => 0,
        };
        let mask = arena.children(term).iter().fold(own, |mask, child| mask | masks[child.index()]);
        masks.push(mask);
    }
    masks
}

fn bit(name: Symbol) -> u64 {
    1 << ((name.0.wrapping_mul(0x9E37_79B9)) >> 26)
}

/// An undecided result with this reason.
pub(super) fn unknown(text: impl Into<Arc<str>>) -> FrameStep {
    FrameStep::Done(Err(Undecided::Unknown(text.into())))
}
