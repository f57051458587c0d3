//! Definitions whose rank is not that of the declaration, but means the same.
//!
//! ```text
//! (declare-fun f (B) (-> B Int))   (define-fun f ((x B) (y B)) Int …)     cvc5 gives all arguments at once
//! (declare-const r Real)           (define-fun r () Int 3)                an integer is a real
//! ```

use super::{Meaning, Model};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::Binder;

impl Model {
    /// Interprets the script's only function of this name by a definition of another rank, if that makes sense.
    pub(super) fn interpret_otherwise(
        &mut self,
        name: Symbol,
        parameters: &[Sort],
        result: Sort,
        meaning: &Meaning,
    ) -> bool {
        let Some(&[number]) = self.by_name.get(&name).map(Vec::as_slice) else { return false };
        let entry = self.entry(number);
        if !entry.is_of_script || !matches!(entry.meaning, Meaning::Missing) {
            return false;
        }
        if entry.parameters == parameters && (result, entry.result) == (Sort::INT, Sort::REAL) {
            self.set_meaning(number, meaning.clone());
            return true;
        }
        let given = entry.parameters.len();
        let takes: Vec<Sort> =
            entry.parameters.iter().copied().chain(self.arguments_of(entry.result)).collect();
        let gives: Vec<Sort> = parameters.iter().copied().chain([result]).collect();
        let Meaning::Defined { parameters: variables, body } = meaning else { return false };
        if takes != gives || given >= variables.len() {
            return false;
        }
        let (sort, body) = (entry.result, *body);
        let lambda = self.arena_mut().bind(Binder::Lambda, &variables[given..], &[body], sort);
        self.set_meaning(number, Meaning::Defined { parameters: variables[..given].into(), body: lambda });
        true
    }

    /// The sorts of the arguments of a function sort, then that of its result; only the sort itself for another one.
    fn arguments_of(&self, sort: Sort) -> Vec<Sort> {
        let mut sorts = vec![sort];
        while let Some(&last) = sorts.last()
            && let view = self.arena.view_sort(last)
            && view.head == Symbol::ARROW
        {
            sorts.pop();
            sorts.extend(view.arguments);
        }
        sorts
    }
}
