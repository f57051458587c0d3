//! Grows tuples and relations of cvc5, whose sorts no rank can express.
//!
//! ```text
//! (Tuple A B)          (tuple A B)   ((_ tuple.update 1) (Tuple A B) B)   ((_ tuple.project 1 0) (Tuple B A))
//! (Set (Tuple A B))    (rel.transpose (Set (Tuple B A)))   (rel.join (Set (Tuple A C)) (Set (Tuple C B)))   (rel.product …)
//! (Set (Tuple A A))    (rel.tclosure (Set (Tuple A A)))   (rel.iden (Set (Tuple A)))
//! (Set (Tuple A))      (rel.join_image (Set (Tuple A B)) 2)
//! A                    ((_ tuple.select 0) (Tuple A B))
//! ```

use gainsay_smt::{Head, Index, Literal, Sort, Term};

use super::growth::TermGrowth;

/// The largest number of partners that `rel.join_image` asks for.
const MAX_IMAGE_PARTNERS: usize = 2;

impl TermGrowth<'_> {
    /// A tuple, a relation, or a field of a tuple; `None` if the sort has no such form.
    pub(super) fn relational(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        if let Some(fields) = self.tuple_fields(goal) {
            return self.tuple_form(goal, &fields, depth);
        }
        let view = self.arena.view_sort(goal);
        match (self.arena.text(view.head), view.arguments) {
            ("Set", &[row]) => {
                let fields = self.tuple_fields(row)?;
                self.relation_form(goal, &fields, depth)
            }
            _ => self.field_of_a_tuple(goal, depth),
        }
    }

    /// The sorts of the fields of a sort of tuples.
    pub(super) fn tuple_fields(&self, sort: Sort) -> Option<Vec<Sort>> {
        let view = self.arena.view_sort(sort);
        (self.arena.text(view.head) == "Tuple").then(|| view.arguments.to_vec())
    }

    /// `(tuple a b)`
    pub(super) fn new_tuple(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        let fields = self.arena.view_sort(goal).arguments.to_vec();
        self.relational_application("tuple", &[], &fields, goal, depth)
    }

    fn tuple_form(&mut self, goal: Sort, fields: &[Sort], depth: usize) -> Option<Term> {
        let place = self.rng.below(fields.len());
        match self.rng.below(4) {
            0 => {
                let sorts = [goal, fields[place]];
                self.relational_application("tuple.update", &[place], &sorts, goal, depth)
            }
            1 if fields.len() == 2 => {
                let other = self.tuple_sort(&[fields[1], fields[0]]);
                self.relational_application("tuple.project", &[1, 0], &[other], goal, depth)
            }
            _ => self.new_tuple(goal, depth),
        }
    }

    fn relation_form(&mut self, goal: Sort, fields: &[Sort], depth: usize) -> Option<Term> {
        match *fields {
            [a, b] => match self.rng.below(5) {
                0 => {
                    let other = self.relation_sort(&[b, a]);
                    self.relational_application("rel.transpose", &[], &[other], goal, depth)
                }
                1 => {
                    let sorts = [self.relation_sort(&[a]), self.relation_sort(&[b])];
                    self.relational_application("rel.product", &[], &sorts, goal, depth)
                }
                2 if a == b => self.relational_application("rel.tclosure", &[], &[goal], goal, depth),
                3 if a == b => {
                    let points = self.relation_sort(&[a]);
                    self.relational_application("rel.iden", &[], &[points], goal, depth)
                }
                _ => {
                    let shared = if self.rng.chance(1, 2) { a } else { b };
                    let sorts = [self.relation_sort(&[a, shared]), self.relation_sort(&[shared, b])];
                    self.relational_application("rel.join", &[], &sorts, goal, depth)
                }
            },
            [a] => {
                let pairs = self.relation_sort(&[a, a]);
                let relation = self.term(pairs, depth.saturating_sub(1))?;
                let least = (1 + self.rng.below(MAX_IMAGE_PARTNERS)).to_string();
                let least = self.arena.literal(Literal::Numeral, &least, Sort::INT);
                let symbol = self.arena.symbol("rel.join_image");
                Some(self.arena.application(Head::plain(symbol), &[relation, least], goal))
            }
            _ => None,
        }
    }

    /// `((_ tuple.select 0) t)`, for a sort of tuples that the script has.
    fn field_of_a_tuple(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        let mut places = Vec::new();
        for &sort in &self.vocabulary.sorts {
            let fields = self.tuple_fields(sort).unwrap_or_default().into_iter().enumerate();
            places.extend(fields.filter(|&(_, field)| field == goal).map(|(place, _)| (sort, place)));
        }
        let &(sort, place) = self.rng.choose(&places)?;
        self.relational_application("tuple.select", &[place], &[sort], goal, depth)
    }

    /// An operator of tuples, relations or tables, applied to new terms of these sorts.
    pub(super) fn relational_application(
        &mut self,
        name: &str,
        indices: &[usize],
        sorts: &[Sort],
        goal: Sort,
        depth: usize,
    ) -> Option<Term> {
        let grow = |&sort: &Sort| self.term(sort, depth.saturating_sub(1));
        let arguments: Vec<Term> = sorts.iter().map(grow).collect::<Option<_>>()?;
        let indices: Vec<Index> = indices.iter().map(|&index| Index::Numeral(index as u32)).collect();
        let symbol = self.arena.symbol(name);
        let head = Head { symbol, indices: &indices, qualifier: None };
        Some(self.arena.application(head, &arguments, goal))
    }

    fn tuple_sort(&mut self, fields: &[Sort]) -> Sort {
        let tuple = self.arena.symbol("Tuple");
        self.arena.sort(tuple, &[], fields)
    }

    fn relation_sort(&mut self, fields: &[Sort]) -> Sort {
        self.rows_sort("Set", fields)
    }

    /// The sort of collections of tuples, such as `(Bag (Tuple A B))`.
    pub(super) fn rows_sort(&mut self, collection: &str, fields: &[Sort]) -> Sort {
        let row = self.tuple_sort(fields);
        let collection = self.arena.symbol(collection);
        self.arena.sort(collection, &[], &[row])
    }
}
