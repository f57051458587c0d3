//! Grows tables of cvc5, which are bags of tuples, and the operators of relations that exist for tables, too.
//!
//! ```text
//! (Bag (Tuple A B))         (table.product (Bag (Tuple A)) (Bag (Tuple B)))   ((_ table.project 1 0) (Bag (Tuple B A)))
//! (Bag (Tuple A A))         ((_ table.join 0 0) (Bag (Tuple A)) (Bag (Tuple A)))
//! (Bag (Tuple A))           ((_ table.project 0) (Bag (Tuple A A)))
//! (Bag (Bag (Tuple A B)))   ((_ table.group 1) (Bag (Tuple A B)))
//! (Set (Tuple A B))         ((_ rel.project 1 0) (Set (Tuple B A)))   and so on
//! ```
//!
//! cvc5 wants its higher-order logic for all of them but products.

use gainsay_smt::{Sort, Term};

use super::growth::TermGrowth;

/// The operators of one kind of collection of tuples.
struct RowOperators {
    collection: &'static str,
    product: &'static str,
    project: &'static str,
    join: &'static str,
    group: &'static str,
}

/// Tables and relations.
const ROW_OPERATORS: [RowOperators; 2] = [
    RowOperators {
        collection: "Bag",
        product: "table.product",
        project: "table.project",
        join: "table.join",
        group: "table.group",
    },
    RowOperators {
        collection: "Set",
        product: "rel.product",
        project: "rel.project",
        join: "rel.table_join",
        group: "rel.group",
    },
];

impl TermGrowth<'_> {
    /// A table or a relation, groups of one, a tuple, or a field of a tuple; `None` if the sort has no such form.
    pub(super) fn table_form(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        let Some((operators, row)) = self.rows_of(goal) else { return self.relational(goal, depth) };
        if let Some(fields) = self.tuple_fields(row) {
            // Relations have their own operators besides.
            if operators.collection == "Set" && self.rng.chance(1, 2) {
                return self.relational(goal, depth);
            }
            return self.table_of(operators, &fields, goal, depth);
        }
        let (_, grouped_row) = self.rows_of(row)?;
        let place = self.rng.below(self.tuple_fields(grouped_row)?.len());
        self.relational_application(operators.group, &[place], &[row], goal, depth)
    }

    fn table_of(
        &mut self,
        operators: &RowOperators,
        fields: &[Sort],
        goal: Sort,
        depth: usize,
    ) -> Option<Term> {
        let mut rows = |fields: &[Sort]| self.rows_sort(operators.collection, fields);
        let (name, places, arguments) = match *fields {
            [a] => (operators.project, vec![0], vec![rows(&[a, a])]),
            [a, b] => {
                let (one, other, swapped) = (rows(&[a]), rows(&[b]), rows(&[b, a]));
                match self.rng.below(3) {
                    0 => (operators.product, vec![], vec![one, other]),
                    1 if a == b => (operators.join, vec![0, 0], vec![one, one]),
                    _ => (operators.project, vec![1, 0], vec![swapped]),
                }
            }
            _ => return None,
        };
        self.relational_application(name, &places, &arguments, goal, depth)
    }

    /// The operators and the elements of a sort of bags or sets.
    fn rows_of(&self, sort: Sort) -> Option<(&'static RowOperators, Sort)> {
        let view = self.arena.view_sort(sort);
        let &[element] = view.arguments else { return None };
        let head = self.arena.text(view.head);
        ROW_OPERATORS.iter().find(|operators| operators.collection == head).map(|found| (found, element))
    }
}
