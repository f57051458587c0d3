//! Grows forms of one solver that are no rows of the tables.
//!
//! ```text
//! (Array I E)    (lambda ((q1 I)) E)   ((_ map f) (Array I A) (Array I B))   ((_ map (bvadd (E E) E)) …)   (_ as-array f)
//! Bool           ((_ pble 3 1 2) Bool Bool)
//! E              (seq.foldl (lambda ((q1 E) (q2 A)) E) E (Seq A))
//! (Nullable E)   ((_ nullable.lift f) (Nullable A) (Nullable B))
//! ```

use gainsay_smt::print::sort_text;
use gainsay_smt::signature::Rank;
use gainsay_smt::{Binder, Head, Index, Sort, Symbol, Term, Variable, variables};

use super::growth::TermGrowth;
use super::vocabulary::GrownForms;
use crate::survey::DeclaredFunction;

/// Percentage of terms that have such a form, where one is possible.
const FORM_PERCENT: usize = 40;
/// The greatest coefficient of a weighted sum.
const MAX_COEFFICIENT: usize = 4;
/// Draws of the body of a lambda, until it uses one of the variables.
const MAX_BODY_DRAWS: usize = 4;
/// Draws of an operator for `(_ map f)` or `(_ nullable.lift f)`.
const MAX_MAPPED_DRAWS: usize = 6;

impl TermGrowth<'_> {
    /// Draws a term whose operator has no row in a table (a lambda, a fold); `None` if the sort has no such form or the draw goes elsewhere.
    pub(super) fn special_form(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        let forms = self.vocabulary.forms;
        if forms == GrownForms::default() || !self.rng.chance(FORM_PERCENT, 100) {
            return None;
        }
        let view = self.arena.view_sort(goal);
        match (view.head, view.arguments) {
            (Symbol::ARRAY, &[index, element]) if forms.tables => match self.rng.below(6) {
                0..=1 => self.lambda(&[index], element, goal, depth),
                2..=3 => match self.as_array(goal, index, element) {
                    Some(term) => Some(term),
                    None => self.lambda(&[index], element, goal, depth),
                },
                _ => self.mapped(goal, index, element, depth),
            },
            _ if forms.lambdas => self.higher_order(goal, depth),
            _ if goal == Sort::BOOL && forms.orders => self.special_relation(depth),
            _ if goal == Sort::BOOL && forms.sums => self.weighted_sum(depth),
            _ if forms.heaps => self.heap_form(goal, depth),
            _ if forms.folds => self.fold(goal, depth),
            _ if forms.rows => self.table_form(goal, depth),
            _ if forms.relations => self.relational(goal, depth),
            (head, &[value]) if forms.lifts && self.arena.text(head) == "Nullable" => {
                self.lifted(goal, value, depth)
            }
            _ => None,
        }
    }

    /// An array that is the same everywhere, or a tuple of leaves, for a sort without constants.
    pub(super) fn constant_table(&mut self, goal: Sort) -> Option<Term> {
        let view = self.arena.view_sort(goal);
        match (view.head, view.arguments) {
            (Symbol::ARRAY, &[index, element]) if self.vocabulary.forms.tables => {
                self.lambda(&[index], element, goal, 1)
            }
            (Symbol::ARROW, _) if self.vocabulary.forms.lambdas => self.constant_function(goal),
            (head, _) if self.vocabulary.forms.relations && self.arena.text(head) == "Tuple" => {
                self.new_tuple(goal, 1)
            }
            _ => None,
        }
    }

    pub(super) fn lambda(
        &mut self,
        parameters: &[Sort],
        result: Sort,
        sort: Sort,
        depth: usize,
    ) -> Option<Term> {
        let first = self.bound.len();
        for &sort in parameters {
            let name = self.arena.symbol(&format!("q{}", self.bound.len() + 1));
            self.bound.push(Variable { name, sort });
        }
        let mut body = None;
        for _ in 0..MAX_BODY_DRAWS {
            body = self.term(result, depth.saturating_sub(1));
            let is_used = |body: Term| {
                let free = variables::free(self.arena, body);
                self.bound[first..].iter().any(|variable| free.contains(variable))
            };
            if body.is_none_or(is_used) {
                break;
            }
        }
        let variables = self.bound.split_off(first);
        Some(self.arena.bind(Binder::Lambda, &variables, &[body?], sort))
    }

    fn as_array(&mut self, goal: Sort, index: Sort, element: Sort) -> Option<Term> {
        let fits = |function: &DeclaredFunction| function.parameters == [index] && function.is_declared();
        let functions = self.functions(element, fits);
        let name = self.rng.choose(&functions)?.name;
        let head = Head { symbol: Symbol::AS_ARRAY, indices: &[Index::Symbol(name)], qualifier: None };
        Some(self.arena.application(head, &[], goal))
    }

    fn mapped(&mut self, goal: Sort, index: Sort, element: Sort, depth: usize) -> Option<Term> {
        let functions =
            self.functions(element, |function| !function.parameters.is_empty() && function.is_declared());
        let (name, parameters) = match self.rng.choose(&functions) {
            Some(function) if self.rng.chance(1, 2) => (function.name, function.parameters.clone()),
            _ => self.mapped_operator(element)?,
        };
        let mut arguments = Vec::new();
        for parameter in parameters {
            let sort = self.arena.sort(Symbol::ARRAY, &[], &[index, parameter]);
            arguments.push(self.term(sort, depth.saturating_sub(1))?);
        }
        let head = Head { symbol: Symbol::MAP, indices: &[Index::Symbol(name)], qualifier: None };
        Some(self.arena.application(head, &arguments, goal))
    }

    /// An operator with a result sort, as z3 wants it in `(_ map f)`: with its sorts.
    fn mapped_operator(&mut self, result: Sort) -> Option<(Symbol, Vec<Sort>)> {
        let is_plain = |rank: &Rank| (1..=3).contains(&rank.parameter_count()) && rank.index_count() == 0;
        let choices = self.choices(result, is_plain);
        for _ in 0..MAX_MAPPED_DRAWS {
            let &(number, name) = self.rng.choose(&choices)?;
            let rank = self.vocabulary.operators.get(self.arena, result, self.vocabulary.kinds, number)?;
            let Some(instance) = self.instance(rank, result, &[]) else { continue };
            let has_array = |sort: &Sort| self.arena.view_sort(*sort).head == Symbol::ARRAY;
            // z3 wants built-in sorts here; a declared one could be renamed.
            let is_built_in = |sort: &Sort| {
                let head = self.arena.view_sort(*sort).head;
                head.index() < self.arena.signature().symbol_count()
            };
            let is_usable = {
                let mut sorts = instance.parameters.iter().chain([&instance.result]);
                !instance.needs_qualifier && sorts.all(|sort| is_built_in(sort) && !has_array(sort))
            };
            if !is_usable {
                continue;
            }
            let shown: Vec<String> =
                instance.parameters.iter().map(|&sort| sort_text(self.arena, sort)).collect();
            let text = format!("({name} ({}) {})", shown.join(" "), sort_text(self.arena, result));
            return Some((self.arena.symbol(&text), instance.parameters));
        }
        None
    }

    /// An operator of one or two arguments, applied to values that may be missing.
    fn lifted(&mut self, goal: Sort, value: Sort, depth: usize) -> Option<Term> {
        let is_plain = |rank: &Rank| (1..=2).contains(&rank.parameter_count()) && rank.index_count() == 0;
        let choices = self.choices(value, is_plain);
        let nullable = self.arena.view_sort(goal).head;
        for _ in 0..MAX_MAPPED_DRAWS {
            let &(number, _) = self.rng.choose(&choices)?;
            let rank = self.vocabulary.operators.get(self.arena, value, self.vocabulary.kinds, number)?;
            let Some(instance) = self.instance(rank, value, &[]) else { continue };
            // cvc5 wants a name here that needs no sort, and no constructor: that of a value which may be missing is one.
            let is_nullable = |sort: &Sort| self.arena.view_sort(*sort).head == nullable;
            let mut sorts = instance.parameters.iter().chain([&instance.result]);
            if instance.needs_qualifier || sorts.any(is_nullable) {
                continue;
            }
            let grow = |&sort: &Sort| {
                let sort = self.arena.sort(nullable, &[], &[sort]);
                self.term(sort, depth.saturating_sub(1))
            };
            let arguments: Vec<Term> = instance.parameters.iter().map(grow).collect::<Option<_>>()?;
            let symbol = self.arena.symbol("nullable.lift");
            let head = Head { symbol, indices: &[Index::Symbol(rank.name)], qualifier: None };
            return Some(self.arena.application(head, &arguments, goal));
        }
        None
    }

    fn weighted_sum(&mut self, depth: usize) -> Option<Term> {
        let count = 2 + self.rng.below(3);
        let bound = self.rng.below(MAX_COEFFICIENT * count / 2 + 1);
        let mut indices = vec![Index::Numeral(bound as u32)];
        let mut arguments = Vec::new();
        for _ in 0..count {
            indices.push(Index::Numeral(self.rng.below(MAX_COEFFICIENT + 1) as u32));
            arguments.push(self.term(Sort::BOOL, depth.saturating_sub(1))?);
        }
        let name = ["pble", "pbge", "pbeq"][self.rng.below(3)];
        let symbol = self.arena.symbol(name);
        Some(self.arena.application(
            Head { symbol, indices: &indices, qualifier: None },
            &arguments,
            Sort::BOOL,
        ))
    }

    fn fold(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        let element = |&sort: &Sort| {
            let view = self.arena.view_sort(sort);
            (self.arena.text(view.head) == "Seq").then(|| view.arguments.first().copied())?
        };
        let elements: Vec<Sort> = self.vocabulary.sorts.iter().filter_map(element).collect();
        let item = *self.rng.choose(&elements)?;
        let seq = self.arena.find_symbol("Seq")?;
        let list = self.arena.sort(seq, &[], &[item]);
        let own_element = self.arena.view_sort(goal).arguments.first().copied();
        let is_list = self.arena.view_sort(goal).head == seq;
        let (name, parameters, result) = match self.rng.below(3) {
            0 if is_list => ("seq.mapi", vec![Sort::INT, item], own_element?),
            1 => ("seq.foldli", vec![Sort::INT, goal, item], goal),
            _ => ("seq.foldl", vec![goal, item], goal),
        };
        let arrow = self.arrow(&parameters, result)?;
        let mut arguments = vec![self.lambda(&parameters, result, arrow, depth.saturating_sub(1))?];
        if name != "seq.foldl" {
            arguments.push(self.end(Sort::INT)?);
        }
        if name != "seq.mapi" {
            arguments.push(self.term(goal, depth.saturating_sub(1))?);
        }
        arguments.push(self.term(list, depth.saturating_sub(1))?);
        let symbol = self.arena.symbol(name);
        Some(self.arena.application(Head::plain(symbol), &arguments, goal))
    }

    /// The sort of a lambda.
    pub(super) fn arrow(&mut self, parameters: &[Sort], result: Sort) -> Option<Sort> {
        let sort = parameters
            .iter()
            .rev()
            .fold(result, |result, &parameter| self.arena.sort(Symbol::ARROW, &[], &[parameter, result]));
        Some(sort)
    }
}
