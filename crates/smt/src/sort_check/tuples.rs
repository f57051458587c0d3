//! The sorts of tuples, and of relations and tables, which are sets and bags of tuples. A tuple may have any length, so no rank can express
//! them.
//!
//! ```text
//! (tuple 1 true)                                                            (Tuple Int Bool)
//! ((_ tuple.select 1) t)        t is (Tuple Int Bool)                       Bool
//! (rel.product r s)             r is (Relation A), s is (Relation B C)      (Relation A B C)
//! ((_ rel.project 1 1) r)       r is (Relation A B)                         (Relation B B)
//! ((_ table.join 1 0) t u)      t is (Table A B), u is (Table B C)          (Table A B B C)
//! ((_ table.group 1) t)         t is (Table A B)                            (Bag (Table A B))
//! ((_ table.aggr 1) f x t)      f is (-> (Tuple A B) C C), x is C           (Bag C)
//! ```

use crate::context::Context;
use crate::sort::Sort;
use crate::symbol::Symbol;

impl Context {
    /// The sort of an application of an operator on tuples, relations or tables with these indices.
    pub(super) fn tuple_sort(&mut self, name: &str, places: &[usize], sorts: &[Sort]) -> Option<Sort> {
        match (name, places, sorts) {
            ("tuple", [], fields) => self.tuple_of(fields),
            ("tuple.select", &[place], &[tuple]) => self.fields(tuple)?.get(place).copied(),
            ("tuple.update", &[place], &[tuple, field]) => {
                (self.fields(tuple)?.get(place) == Some(&field)).then_some(tuple)
            }
            ("tuple.project", places, &[tuple]) => {
                let chosen = chosen(&self.fields(tuple)?, places)?;
                self.tuple_of(&chosen)
            }
            ("rel.product" | "table.product" | "rel.join", [], &[a, b]) => {
                let ((collection, mut fields), (other, more)) = (self.rows(a)?, self.rows(b)?);
                let shared = usize::from(name == "rel.join");
                let is_joined = shared == 0 || fields.pop()? == *more.first()?;
                fields.extend(&more[shared..]);
                (is_joined && collection == other).then(|| self.collection(collection, &fields))?
            }
            ("rel.table_join" | "table.join", places, &[a, b]) => {
                let ((collection, mut fields), (other, more)) = (self.rows(a)?, self.rows(b)?);
                let is_shared = |pair: &[usize]| {
                    fields.get(pair[0]).is_some_and(|field| more.get(pair[1]) == Some(field))
                };
                let is_joined = places.len() % 2 == 0 && places.chunks(2).all(is_shared);
                fields.extend(&more);
                (is_joined && collection == other).then(|| self.collection(collection, &fields))?
            }
            ("rel.group" | "table.group", places, &[relation]) => {
                let (collection, fields) = self.rows(relation)?;
                chosen(&fields, places)?;
                Some(self.arena.sort(collection, &[], &[relation]))
            }
            ("rel.aggr" | "table.aggr", places, &[function, start, relation]) => {
                let (collection, fields) = self.rows(relation)?;
                chosen(&fields, places)?;
                let row = self.tuple_of(&fields)?;
                let is_fold = self.function_sort(function)? == (vec![row, start], start);
                is_fold.then(|| self.arena.sort(collection, &[], &[start]))
            }
            (_, places, &[relation, ..]) => {
                let (collection, fields) = self.rows(relation)?;
                let result = match (name, places, fields.as_slice(), &sorts[1..]) {
                    ("rel.project" | "table.project", _, _, []) => chosen(&fields, places)?,
                    ("rel.transpose", [], _, []) => fields.iter().rev().copied().collect(),
                    ("rel.tclosure", [], [a, b], []) if a == b => fields,
                    ("rel.iden", [], &[a], []) => vec![a, a],
                    ("rel.join_image", [], &[a, _], [Sort::INT]) => vec![a],
                    _ => return None,
                };
                self.collection(collection, &result)
            }
            _ => None,
        }
    }

    fn tuple_of(&mut self, fields: &[Sort]) -> Option<Sort> {
        let is_known = !fields.is_empty() && !fields.contains(&Sort::UNKNOWN);
        is_known.then(|| self.arena.sort(Symbol::TUPLE_SORT, &[], fields))
    }

    /// A set or bag of tuples.
    fn collection(&mut self, collection: Symbol, fields: &[Sort]) -> Option<Sort> {
        let tuple = self.tuple_of(fields)?;
        Some(self.arena.sort(collection, &[], &[tuple]))
    }

    fn fields(&self, tuple: Sort) -> Option<Vec<Sort>> {
        let view = self.arena.sorts.view(tuple);
        (view.head == Symbol::TUPLE_SORT).then(|| view.arguments.to_vec())
    }

    /// Of a relation or table, the kind of collection and the fields of its tuples.
    fn rows(&self, relation: Sort) -> Option<(Symbol, Vec<Sort>)> {
        let view = self.arena.sorts.view(relation);
        let fields = self.fields(*view.arguments.first()?)?;
        matches!(view.head, Symbol::SET | Symbol::BAG).then_some((view.head, fields))
    }
}

fn chosen(fields: &[Sort], places: &[usize]) -> Option<Vec<Sort>> {
    places.iter().map(|&place| fields.get(place).copied()).collect()
}
