//! Grows terms: draws an operator for the wanted sort, then its arguments in the same way, down to constants, variables
//! and literals.
//!
//! ```text
//! Bool  ⇒  (fp.leq Float32 Float32)  ⇒  (fp.leq (fp.abs Float32) x2)  ⇒  (fp.leq (fp.abs x1) x2)
//! ```
//!
//! The settings bound the depth, so that growing may recurse.

use gainsay_smt::signature::{Instance, Materials, Rank};
use gainsay_smt::{Arena, Binder, Head, Index, Sort, Symbol, Term, Variable};

use super::literal::LiteralKind;
use super::vocabulary::TermVocabulary;
use crate::fusion::function::build;
use crate::fusion::function::s_expression::SExpression;
use crate::random::Rng;
use crate::survey::DeclaredFunction;

/// The largest depth that settings may ask for.
pub const MAX_TERM_DEPTH: usize = 100;

/// Operators drawn for a sort before the term ends with a leaf.
const MAX_OPERATOR_DRAWS: usize = 12;

/// Bounds for loops of regular expressions; more repetitions make every solver time out.
const GROWN_LOOP_BOUNDS: [u32; 4] = [0, 1, 2, 3];

/// Bounds for ranges of regular expressions.
const RANGE_CHARACTERS: [&str; 6] = ["\"a\"", "\"b\"", "\"z\"", "\"A\"", "\"0\"", "\"9\""];

/// Grows terms for one place.
pub struct TermGrowth<'g> {
    /// What terms are made from.
    pub vocabulary: &'g TermVocabulary<'g>,
    /// The arena to build them in.
    pub arena: &'g mut Arena,
    /// The command that they are for.
    pub command: usize,
    /// The variables bound around them.
    pub bound: Vec<Variable>,
    /// Operators that may still be added.
    pub room: usize,
    /// The source of all choices.
    pub rng: &'g mut Rng,
    /// Whether the place is inside of a predicate over leaves. A leaf may be a lambda or a tuple with Booleans in it: predicates in
    /// these would have such leaves again, without end.
    pub is_in_predicate: bool,
}

impl<'g> TermGrowth<'g> {
    /// For a command, outside of all binders.
    pub fn new(
        vocabulary: &'g TermVocabulary<'g>,
        arena: &'g mut Arena,
        command: usize,
        rng: &'g mut Rng,
    ) -> TermGrowth<'g> {
        let room = vocabulary.habits.size;
        TermGrowth { vocabulary, arena, command, bound: Vec::new(), room, rng, is_in_predicate: false }
    }

    /// Grows a term of a sort with at most `depth` levels; `None` if no term of the sort can be written.
    pub fn term(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        if depth <= 1 || self.room == 0 {
            return self.end(goal);
        }
        self.room -= 1;
        let habits = self.vocabulary.habits;
        if self.rng.chance(habits.stop, 100) {
            return self.end(goal);
        }
        if goal == Sort::BOOL && self.rng.chance(habits.quantifiers, 100) {
            return self.quantified(depth);
        }
        if let Some(term) = self.special_form(goal, depth) {
            return Some(term);
        }
        let choices = self.choices(goal, |rank| rank.parameter_count() > 0);
        let functions = self.functions(goal, |function| !function.parameters.is_empty());
        for _ in 0..MAX_OPERATOR_DRAWS {
            let count = choices.len() + functions.len();
            if count == 0 {
                break;
            }
            let grown = match self.rng.below(count) {
                number if number < functions.len() => self.function(functions[number], depth),
                _ => match self.vocabulary.weighted(&choices, self.rng) {
                    Some((number, _)) => self.operator(goal, number, depth),
                    None => None,
                },
            };
            if grown.is_some() {
                return grown;
            }
        }
        self.end(goal)
    }

    /// A constant, variable or literal of a sort; for Booleans, mostly a predicate over leaves.
    pub fn end(&mut self, goal: Sort) -> Option<Term> {
        if goal == Sort::BOOL && !self.rng.chance(1, 16) {
            let about_heap = if self.vocabulary.forms.heaps { self.heap_leaf() } else { None };
            let predicate = about_heap.or_else(|| self.predicate());
            return predicate.or_else(|| self.ready(goal)).or_else(|| self.literal(goal));
        }
        if self.rng.chance(self.vocabulary.habits.literals, 100) {
            return self.literal(goal).or_else(|| self.ready(goal));
        }
        self.ready(goal).or_else(|| self.literal(goal))
    }

    /// Applies a rank: keeps as many of `kept` as fit, from the left, and grows the other arguments.
    pub fn application(
        &mut self,
        rank: &Rank,
        instance: &Instance,
        kept: &[Term],
        depth: usize,
    ) -> Option<Term> {
        let operators = self.vocabulary.operators;
        let mut sorts = instance.parameters.clone();
        if let Some(&last) = sorts.last() {
            let fitting = kept.iter().filter(|&&term| self.arena.sort_of(term) == last).count();
            let wished = operators.arity(rank, self.rng);
            // For a variadic operator, the kept arguments decide the number.
            let count = if rank.repeats() && fitting > sorts.len() && operators.takes(rank, fitting) {
                fitting
            } else {
                wished
            };
            sorts.resize(count.max(sorts.len()), last);
        }
        let mut rest = kept.iter().copied();
        let mut arguments = Vec::with_capacity(sorts.len());
        for sort in sorts {
            let mut ahead = rest.clone();
            let argument = match ahead.find(|&term| self.arena.sort_of(term) == sort) {
                Some(term) => {
                    rest = ahead;
                    term
                }
                None => self.term(sort, depth.saturating_sub(1))?,
            };
            arguments.push(argument);
        }
        for argument in &mut arguments {
            if !operators.accepts(rank, self.arena, *argument) {
                *argument = self.character()?;
            }
        }
        let qualifier = instance.needs_qualifier.then_some(instance.result);
        let head = Head { symbol: rank.name, indices: &instance.indices, qualifier };
        Some(self.arena.application(head, &arguments, instance.result))
    }

    /// An instance of a rank for a result sort, over preferred sorts if possible.
    pub fn instance(&mut self, rank: &Rank, goal: Sort, preferred: &[Sort]) -> Option<Instance> {
        let numbers = if goal == Sort::REGLAN { &GROWN_LOOP_BOUNDS[..] } else { &self.vocabulary.numbers };
        let mut over = |sorts: &[Sort]| {
            let materials = Materials { sorts, numbers };
            rank.instance_for(goal, self.arena, materials, &mut |bound| self.rng.below(bound))
        };
        if !preferred.is_empty()
            && let Some(instance) = over(preferred)
        {
            return Some(instance);
        }
        over(&self.vocabulary.comparable)
    }

    /// A function of the script, applied to new terms.
    pub fn function(&mut self, function: &DeclaredFunction, depth: usize) -> Option<Term> {
        let grow = |&sort: &Sort| self.term(sort, depth.saturating_sub(1));
        let arguments: Vec<Term> = function.parameters.iter().map(grow).collect::<Option<_>>()?;
        Some(self.applied(function, &arguments))
    }

    fn applied(&mut self, function: &DeclaredFunction, arguments: &[Term]) -> Term {
        let mut index = [Index::Numeral(0)];
        self.arena.application(function.head(&mut index), arguments, function.result)
    }

    /// The term for a value.
    pub fn value(&mut self, value: &SExpression) -> Option<Term> {
        build::value(self.arena, value)
    }

    /// The operators with a result sort, by number and name.
    pub(super) fn choices(&self, goal: Sort, wanted: impl Fn(&Rank) -> bool) -> Vec<(usize, &'g str)> {
        let (vocabulary, arena) = (self.vocabulary, &*self.arena);
        let choice = |number: usize| {
            let rank = vocabulary.operators.get(arena, goal, vocabulary.kinds, number)?;
            let name = vocabulary.operators.name(rank);
            (wanted(rank) && vocabulary.has_operator(rank.name)).then_some((number, name))
        };
        (0..vocabulary.operators.count(arena, goal)).filter_map(choice).collect()
    }

    pub(super) fn functions(
        &self,
        goal: Sort,
        wanted: impl Fn(&DeclaredFunction) -> bool,
    ) -> Vec<&'g DeclaredFunction> {
        let fits = |function: &&DeclaredFunction| {
            function.result == goal && function.span.has(self.command) && wanted(function)
        };
        self.vocabulary.functions.iter().filter(fits).collect()
    }

    fn operator(&mut self, goal: Sort, number: usize, depth: usize) -> Option<Term> {
        let rank = self.vocabulary.operators.get(self.arena, goal, self.vocabulary.kinds, number)?;
        let instance = self.instance(rank, goal, &[])?;
        self.application(rank, &instance, &[], depth)
    }

    /// A predicate over other sorts than Bool; `None` inside of such a predicate.
    fn predicate(&mut self) -> Option<Term> {
        if self.is_in_predicate {
            return None;
        }
        self.is_in_predicate = true;
        let grown = self.predicate_over_leaves();
        self.is_in_predicate = false;
        grown
    }

    fn predicate_over_leaves(&mut self) -> Option<Term> {
        if self.vocabulary.forms.orders && self.rng.chance(1, 2) {
            return self.special_relation(1);
        }
        let choices = self.choices(Sort::BOOL, |rank| rank.parameter_count() > 0);
        for _ in 0..MAX_OPERATOR_DRAWS {
            let (number, _) = self.vocabulary.weighted(&choices, self.rng)?;
            let rank =
                self.vocabulary.operators.get(self.arena, Sort::BOOL, self.vocabulary.kinds, number)?;
            let Some(instance) = self.instance(rank, Sort::BOOL, &[]) else { continue };
            if instance.parameters.contains(&Sort::BOOL) {
                continue;
            }
            if let Some(term) = self.application(rank, &instance, &[], 1) {
                return Some(term);
            }
        }
        None
    }

    /// A constant or bound variable.
    pub(super) fn ready(&mut self, goal: Sort) -> Option<Term> {
        let constants: Vec<Symbol> = self
            .vocabulary
            .constants
            .iter()
            .filter(|constant| constant.sort == goal && constant.span.has(self.command))
            .map(|constant| constant.name)
            .collect();
        let sort_of = |variable: &Variable| self.arena.canonical(variable.sort);
        let bound: Vec<Variable> =
            self.bound.iter().filter(|variable| sort_of(variable) == goal).copied().collect();
        // Half of the leaves below a quantifier are its variables.
        if !bound.is_empty() && (constants.is_empty() || self.rng.chance(1, 2)) {
            let variable = *self.rng.choose(&bound)?;
            return Some(self.arena.variable(variable));
        }
        let name = *self.rng.choose(&constants)?;
        Some(self.arena.application(Head::plain(name), &[], goal))
    }

    /// A literal, or an operator or constructor without arguments.
    fn literal(&mut self, goal: Sort) -> Option<Term> {
        let kinds: Vec<&'static LiteralKind> = LiteralKind::of(self.arena, goal)
            .filter(|kind| self.vocabulary.wants(&kind.full_name()))
            .collect();
        let choices = self.choices(goal, |rank| rank.parameter_count() == 0);
        let functions = self.functions(goal, |function| function.parameters.is_empty());
        let count = kinds.len() + choices.len() + functions.len();
        if count == 0 {
            return self.composed(goal).or_else(|| self.constant_table(goal));
        }
        match self.rng.below(count) {
            number if number < kinds.len() => {
                let literal = kinds[number].literal(self.arena, goal, self.rng);
                self.value(&literal)
            }
            number if number < kinds.len() + functions.len() => {
                self.function(functions[number - kinds.len()], 1)
            }
            _ => {
                let (number, _) = self.vocabulary.weighted(&choices, self.rng)?;
                self.operator(goal, number, 1)
            }
        }
    }

    /// A function over constants, for a sort without literals; it grows no further.
    fn composed(&mut self, goal: Sort) -> Option<Term> {
        let functions = self.functions(goal, |function| function.tested.is_none());
        let function = *self.rng.choose(&functions)?;
        let arguments: Option<Vec<Term>> = function.parameters.iter().map(|&sort| self.ready(sort)).collect();
        Some(self.applied(function, &arguments?))
    }

    fn quantified(&mut self, depth: usize) -> Option<Term> {
        let sort = *self.rng.choose(&self.vocabulary.comparable)?;
        let name = self.arena.symbol(&format!("q{}", self.bound.len() + 1));
        let variable = Variable { name, sort };
        self.bound.push(variable);
        let body = self.term(Sort::BOOL, depth - 1);
        self.bound.pop();
        let binder = [Binder::Forall, Binder::Exists][self.rng.below(2)];
        Some(self.arena.bind(binder, &[variable], &[body?], Sort::BOOL))
    }

    fn character(&mut self) -> Option<Term> {
        let text = RANGE_CHARACTERS[self.rng.below(RANGE_CHARACTERS.len())];
        self.value(&SExpression::word(text))
    }
}
