//! Instances of ranks for a goal: an operator with a given result sort, over available sorts.
//!
//! ```text
//! ((_ extract i j) (_ BitVec m) …)   for (_ BitVec 3), with (_ BitVec 8) available,   is   ((_ extract 6 4) (_ BitVec 8) …)
//! ```
//!
//! The goal binds the variables of the result; a computed index (`(+ (- i j) 1)`) is an equation, solved as soon as
//! one variable of it is left. The rest is drawn: sorts from the available ones and numbers from those that the caller names.

use super::pattern::{Bindings, IndexExpression, IndexPattern, MAX_RANK_VARIABLES, SortPattern};
use super::{Instance, Rank};
use crate::arena::Arena;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;

/// The sorts and numbers that instances are built from.
#[derive(Clone, Copy, Debug)]
pub struct Materials<'a> {
    /// The available sorts: those that have terms.
    pub sorts: &'a [Sort],
    /// Numbers for indices, at least one.
    pub numbers: &'a [u32],
}

/// The number of draws after which a condition is considered unsatisfiable.
const MAX_INDEX_DRAWS: usize = 8;

/// The equations that a goal leaves to be solved.
type Equations<'a> = Vec<(&'a IndexExpression, i64)>;

impl Rank {
    /// The head of its result sort; `None` if the result can have any sort.
    pub fn result_head(&self) -> Option<Symbol> {
        head(&self.result)
    }

    /// The heads of its parameters' sorts, without parameters of any sort.
    pub fn parameter_heads(&self) -> impl Iterator<Item = Symbol> {
        self.parameters.iter().filter_map(head)
    }

    /// The number of declared parameters.
    pub fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    /// The number of indices.
    pub fn index_count(&self) -> usize {
        self.indices.len()
    }

    /// Returns true if there may be more arguments than parameters, all of the last parameter's sort.
    pub fn repeats(&self) -> bool {
        self.variadic || self.associativity.is_some() && self.uniform
    }

    /// An instance with result `goal` and parameters of available sorts.
    ///
    /// `below(n)` draws a number below `n`. Returns `None` if the draws fail; others may succeed.
    pub fn instance_for(
        &self,
        goal: Sort,
        arena: &Arena,
        materials: Materials<'_>,
        below: &mut dyn FnMut(usize) -> usize,
    ) -> Option<Instance> {
        let mut search =
            RankSearch { arena, materials, below, bindings: Bindings::default(), equations: Vec::new() };
        search.goal(&self.result, goal)?;
        for parameter in &self.parameters {
            search.solve()?;
            search.draw_sort(parameter)?;
        }
        search.finish(self)
    }

    /// An instance with result `goal` for arguments of these sorts.
    pub fn instance_over(
        &self,
        goal: Sort,
        arguments: &[Sort],
        arena: &Arena,
        materials: Materials<'_>,
        below: &mut dyn FnMut(usize) -> usize,
    ) -> Option<Instance> {
        if !self.takes(arguments.len()) || arguments.len() > self.parameters.len() && !self.repeats() {
            return None;
        }
        let mut search =
            RankSearch { arena, materials, below, bindings: Bindings::default(), equations: Vec::new() };
        search.goal(&self.result, goal)?;
        for (position, &argument) in arguments.iter().enumerate() {
            let parameter = &self.parameters[position.min(self.parameters.len() - 1)];
            search.fits(parameter, argument).then_some(())?;
        }
        search.solve()?;
        search.finish(self)
    }
}

struct RankSearch<'a, 'b> {
    arena: &'a Arena,
    materials: Materials<'a>,
    below: &'b mut dyn FnMut(usize) -> usize,
    bindings: Bindings,
    equations: Equations<'a>,
}

impl<'a> RankSearch<'a, '_> {
    /// Unifies the result with the goal, up to equations.
    fn goal(&mut self, result: &'a SortPattern, goal: Sort) -> Option<()> {
        match result {
            SortPattern::Sort(sort) => (*sort == goal).then_some(()),
            SortPattern::Variable(variable) => {
                (*self.bindings.sorts[*variable].get_or_insert(goal) == goal).then_some(())
            }
            SortPattern::Built { head, indices, arguments } => {
                let view = self.arena.view_sort(goal);
                let same = view.head == *head
                    && view.indices.len() == indices.len()
                    && view.arguments.len() == arguments.len();
                same.then_some(())?;
                for (pattern, &index) in indices.iter().zip(view.indices) {
                    match (pattern, index) {
                        (
                            IndexPattern::Number(
                                expression @ (IndexExpression::Sum(_)
                                | IndexExpression::Difference(_)
                                | IndexExpression::Product(_)),
                            ),
                            Index::Numeral(number),
                        ) => self.equations.push((expression, i64::from(number))),
                        _ => pattern.bind(index, |s| self.arena.text(s), &mut self.bindings).then_some(())?,
                    }
                }
                arguments.iter().zip(view.arguments).try_for_each(|(pattern, &sort)| self.goal(pattern, sort))
            }
        }
    }

    /// Binds a parameter to the sort of an argument.
    fn fits(&mut self, parameter: &SortPattern, argument: Sort) -> bool {
        parameter.bind(argument, super::Coercion::No, &self.arena.sorts, &mut self.bindings)
    }

    /// Binds the free variables of a parameter to an available sort.
    fn draw_sort(&mut self, parameter: &SortPattern) -> Option<()> {
        if matches!(parameter, SortPattern::Sort(_)) {
            return Some(());
        }
        let (mut seen, mut chosen) = (0, None);
        for &sort in self.materials.sorts {
            let mut bindings = self.bindings;
            if parameter.bind(sort, super::Coercion::No, &self.arena.sorts, &mut bindings) {
                seen += 1;
                if (self.below)(seen) == 0 {
                    chosen = Some(bindings);
                }
            }
        }
        self.bindings = chosen?;
        Some(())
    }

    /// Solves the equations with one variable left; `None` if one has no solution.
    fn solve(&mut self) -> Option<()> {
        for position in 0..self.equations.len() {
            let (expression, value) = self.equations[position];
            match free(expression, &self.bindings).as_slice() {
                [] => (expression.value(&self.bindings)? == value).then_some(())?,
                &[variable] => {
                    self.bindings.indices[variable] = Some(self.solution(expression, variable, value)?);
                }
                _ => {}
            }
        }
        Some(())
    }

    /// The value of the variable for which a linear expression has a value.
    fn solution(&self, expression: &IndexExpression, variable: usize, value: i64) -> Option<i64> {
        let at = |number: i64| {
            let mut bindings = self.bindings;
            bindings.indices[variable] = Some(number);
            expression.value(&bindings)
        };
        let (zero, slope) = (at(0)?, at(1)?.checked_sub(at(0)?)?);
        let distance = value.checked_sub(zero)?;
        (slope != 0 && distance % slope == 0 && distance / slope >= 0).then(|| distance / slope)
    }

    /// Draws the numbers that are still free until the condition holds.
    fn finish(mut self, rank: &Rank) -> Option<Instance> {
        let known = self.bindings;
        (0..MAX_INDEX_DRAWS).find_map(|_| {
            self.bindings = known;
            self.draw_numbers(rank)?;
            let holds = rank.condition.as_ref().is_none_or(|condition| condition.holds(&self.bindings));
            holds.then(|| self.filled(rank)).flatten()
        })
    }

    fn draw_numbers(&mut self, rank: &Rank) -> Option<()> {
        for position in 0..self.equations.len() {
            let (expression, _) = self.equations[position];
            let unknown = free(expression, &self.bindings);
            for &variable in unknown.iter().skip(1) {
                self.draw_number(variable);
            }
            self.solve()?;
        }
        for index in &rank.indices {
            let IndexPattern::Number(expression) = index else { return None };
            for variable in free(expression, &self.bindings) {
                self.draw_number(variable);
            }
        }
        Some(())
    }

    /// A number of the script, or any below the largest of those.
    fn draw_number(&mut self, variable: usize) {
        let numbers = self.materials.numbers;
        let number = match (self.below)(2) {
            0 => numbers[(self.below)(numbers.len())],
            _ => {
                let most = numbers.iter().max().copied().unwrap_or(0);
                (self.below)(most as usize + 1) as u32
            }
        };
        self.bindings.indices[variable] = Some(i64::from(number));
    }

    fn filled(&self, rank: &Rank) -> Option<Instance> {
        let number = |index: &IndexPattern| match index {
            IndexPattern::Number(expression) => {
                Some(Index::Numeral(u32::try_from(expression.value(&self.bindings)?).ok()?))
            }
            IndexPattern::Hexadecimal => None,
        };
        let indices: Option<Vec<Index>> = rank.indices.iter().map(number).collect();
        let sort = |pattern: &SortPattern| self.sort(pattern);
        let parameters: Option<Vec<Sort>> = rank.parameters.iter().map(sort).collect();
        Some(Instance {
            indices: indices?,
            parameters: parameters?,
            result: self.sort(&rank.result)?,
            needs_qualifier: rank.needs_qualifier(),
        })
    }

    /// The sort of a pattern whose variables are bound, if it is interned.
    fn sort(&self, pattern: &SortPattern) -> Option<Sort> {
        match pattern {
            SortPattern::Sort(sort) => Some(*sort),
            SortPattern::Variable(variable) => self.bindings.sorts[*variable],
            SortPattern::Built { head, indices, arguments } => {
                let indices: Option<Vec<Index>> =
                    indices.iter().map(|index| index.instance(&self.bindings)).collect();
                let arguments: Option<Vec<Sort>> =
                    arguments.iter().map(|argument| self.sort(argument)).collect();
                self.arena.sorts.find(*head, &indices?, &arguments?)
            }
        }
    }
}

fn head(pattern: &SortPattern) -> Option<Symbol> {
    match pattern {
        SortPattern::Sort(sort) => sort.known_name(),
        SortPattern::Variable(_) => None,
        SortPattern::Built { head, .. } => Some(*head),
    }
}

/// The unbound variables of an expression, each once.
fn free(expression: &IndexExpression, bindings: &Bindings) -> Vec<usize> {
    let mut found = [false; MAX_RANK_VARIABLES];
    expression.mark(&mut found);
    (0..MAX_RANK_VARIABLES).filter(|&v| found[v] && bindings.indices[v].is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::{head_text, sort_text};
    use crate::term::Head;
    use crate::{Script, Signature};

    /// All instances of an operator for a goal that some draws find, as text.
    fn check(declarations: &str, name: &str, goal: &str, expected: &[&str]) {
        let signature = Signature::standard();
        let text = format!("(set-logic ALL){declarations}(declare-const goal {goal})");
        let script = Script::parse(&text, &signature).unwrap();
        let arena = script.arena();
        let sorts: Vec<Sort> = script
            .commands
            .iter()
            .filter_map(|command| match command {
                crate::Command::Declare(_, _, _, sort) => Some(arena.canonical(*sort)),
                _ => None,
            })
            .collect();
        let goal = *sorts.last().unwrap();
        let mut found = Vec::new();
        let mut state = 7u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let materials = Materials { sorts: &sorts, numbers: &[0, 1, 2] };
        for rank in signature.ranks().iter().filter(|rank| signature.text(rank.name) == name) {
            for _ in 0..300 {
                let Some(instance) = rank.instance_for(goal, arena, materials, &mut below) else { continue };
                assert_eq!(instance.result, goal);
                let head = Head { symbol: rank.name, indices: &instance.indices, qualifier: None };
                let parameters: Vec<String> =
                    instance.parameters.iter().map(|&sort| sort_text(arena, sort)).collect();
                found.push(format!("{} {}", head_text(arena, head), parameters.join(" ")));
            }
        }
        found.sort();
        found.dedup();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_result_that_is_computed_is_an_equation() {
        let widths = "(declare-const a (_ BitVec 2))(declare-const b (_ BitVec 4))";
        check(
            widths,
            "extract",
            "(_ BitVec 3)",
            &["(_ extract 2 0) (_ BitVec 3)", "(_ extract 2 0) (_ BitVec 4)", "(_ extract 3 1) (_ BitVec 4)"],
        );
        check(
            widths,
            "concat",
            "(_ BitVec 6)",
            &["concat (_ BitVec 2) (_ BitVec 4)", "concat (_ BitVec 4) (_ BitVec 2)"],
        );
        check(widths, "repeat", "(_ BitVec 6)", &["(_ repeat 1) (_ BitVec 6)", "(_ repeat 3) (_ BitVec 2)"]);
        check(
            widths,
            "zero_extend",
            "(_ BitVec 3)",
            &["(_ zero_extend 0) (_ BitVec 3)", "(_ zero_extend 1) (_ BitVec 2)"],
        );
    }

    #[test]
    fn sort_variables_are_bound_by_the_goal_or_drawn_from_available_sorts() {
        let sorts = "(declare-const i Int)(declare-const a (Array Int Real))";
        check(sorts, "select", "Real", &["select (Array Int Real) Int"]);
        check(sorts, "select", "Bool", &[]);
        check(sorts, "=", "Bool", &["= (Array Int Real) (Array Int Real)", "= Bool Bool", "= Int Int"]);
    }

    #[test]
    fn a_format_is_found_among_those_of_the_script() {
        let sorts =
            "(declare-const e (_ BitVec 1))(declare-const f (_ BitVec 5))(declare-const g (_ BitVec 10))";
        check(sorts, "fp", "Float16", &["fp (_ BitVec 1) (_ BitVec 5) (_ BitVec 10)"]);
        check(
            "(declare-const r RoundingMode)(declare-const x Float32)",
            "to_fp",
            "Float16",
            &[
                "(_ to_fp 5 11) RoundingMode (_ FloatingPoint 5 11)",
                "(_ to_fp 5 11) RoundingMode (_ FloatingPoint 8 24)",
                "(_ to_fp 5 11) RoundingMode Int",
                "(_ to_fp 5 11) RoundingMode Int Real",
                "(_ to_fp 5 11) RoundingMode Real",
                "(_ to_fp 5 11) RoundingMode Real Int",
            ],
        );
    }
}
