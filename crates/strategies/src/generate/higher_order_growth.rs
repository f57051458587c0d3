//! Grows functions as values, for cvc5's higher-order logic.
//!
//! ```text
//! (-> A B)    (lambda ((q1 A)) B)   (f1 C), if f1 takes C and A
//! B           (x1 A), if x1 is of sort (-> A B)
//! ```

use gainsay_smt::{Head, Sort, Symbol, Term};

use super::growth::TermGrowth;

impl TermGrowth<'_> {
    /// A function, or an application of one; `None` if the script has none for the sort.
    pub(super) fn higher_order(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        match self.arrow_parts(goal) {
            Some((parameters, result)) => match self.rng.below(3) {
                0 => self.lambda(&parameters, result, goal, depth),
                1 => self.applied_function(goal, depth),
                _ => self.partial_application(goal, depth),
            },
            None => self.applied_function(goal, depth),
        }
    }

    /// A lambda over all arguments of a function sort.
    pub(super) fn constant_function(&mut self, goal: Sort) -> Option<Term> {
        let (parameters, result) = self.arrow_parts(goal)?;
        self.lambda(&parameters, result, goal, 1)
    }

    /// The sorts of the arguments of a function sort, and of its result.
    fn arrow_parts(&self, sort: Sort) -> Option<(Vec<Sort>, Sort)> {
        let (mut parameters, mut result) = (Vec::new(), sort);
        while let (Symbol::ARROW, &[parameter, next]) =
            (self.arena.view_sort(result).head, self.arena.view_sort(result).arguments)
        {
            parameters.push(parameter);
            result = next;
        }
        (!parameters.is_empty()).then_some((parameters, result))
    }

    /// `(f1 t)`, a declared function that gets all arguments but those of the goal.
    fn partial_application(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        let mut choices = Vec::new();
        for function in &self.vocabulary.functions {
            if !function.is_declared() || !function.span.has(self.command) {
                continue;
            }
            for given in 0..function.parameters.len() {
                if self.arrow(&function.parameters[given..], function.result) == Some(goal) {
                    choices.push((function.name, function.parameters[..given].to_vec()));
                }
            }
        }
        let (name, sorts) = self.rng.choose(&choices)?.clone();
        let grow = |&sort: &Sort| self.term(sort, depth.saturating_sub(1));
        let arguments: Vec<Term> = sorts.iter().map(grow).collect::<Option<_>>()?;
        Some(self.arena.application(Head::plain(name), &arguments, goal))
    }

    /// `(x1 t)`, for a constant of a function sort that gives the goal. cvc5 takes no lambda in the place of the constant.
    fn applied_function(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        let mut choices = Vec::new();
        for constant in self.vocabulary.constants.iter().filter(|constant| constant.span.has(self.command)) {
            let (mut sorts, mut result) = (Vec::new(), constant.sort);
            while let (Symbol::ARROW, &[parameter, next]) =
                (self.arena.view_sort(result).head, self.arena.view_sort(result).arguments)
            {
                sorts.push(parameter);
                result = next;
                if result == goal {
                    choices.push((*constant, sorts.clone()));
                }
            }
        }
        let (constant, sorts) = self.rng.choose(&choices)?.clone();
        let grow = |&sort: &Sort| self.term(sort, depth.saturating_sub(1));
        let arguments: Vec<Term> = sorts.iter().map(grow).collect::<Option<_>>()?;
        Some(self.arena.application(Head::plain(constant.name), &arguments, goal))
    }
}
