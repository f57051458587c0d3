//! Applications of the theories' operators, for code that builds terms.

use super::rank::RankUse;
use crate::arena::Arena;
use crate::signature::Coercion;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Head, Term};

impl Arena {
    /// The application of an operator of the theories, if it accepts these arguments as they are.
    ///
    /// Integers are not coerced to reals, and functions of a script are ignored.
    pub fn operation(&mut self, head: Head<'_>, arguments: &[Term]) -> Option<Term> {
        let sort = self.operation_sort(&head, arguments)?;
        Some(self.application(head, arguments, sort))
    }

    fn operation_sort(&mut self, head: &Head<'_>, arguments: &[Term]) -> Option<Sort> {
        if let (true, [Index::Numeral(width @ 1..)]) = (arguments.is_empty(), head.indices)
            && is_bit_vector_value(self.text(head.symbol))
        {
            return Some(self.bit_vector(*width));
        }
        let ranks = self.signature.ranks_of(head.symbol);
        let (names, terms, sorts) = (&self.names, &self.terms, &mut self.sorts);
        let sort_of = |position: usize| terms.sort(arguments[position]);
        ranks.iter().find_map(|rank| {
            RankUse { rank, head, count: arguments.len(), coercion: Coercion::No }
                .result(&sort_of, names, sorts)
        })
    }

    /// Returns true if `name` is an operator of the theories.
    pub fn is_operator(&self, name: Symbol) -> bool {
        !self.signature.ranks_of(name).is_empty()
    }
}

/// Returns true if a name is like the `bv7` of `(_ bv7 8)`.
fn is_bit_vector_value(name: &str) -> bool {
    name.strip_prefix("bv").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;
    use crate::print::{sort_text, term_text};
    use crate::term::Variable;

    #[test]
    fn an_operation_has_the_sort_of_its_rank() {
        let mut arena = Arena::new(&Signature::standard());
        let (wide, name) = (arena.bit_vector(8), arena.symbol("x"));
        let x = arena.variable(Variable { name, sort: wide });
        let mut apply = |name: &str, indices: &[Index], arguments: &[Term]| {
            let symbol = arena.symbol(name);
            let term = arena.operation(Head { symbol, indices, qualifier: None }, arguments)?;
            Some(format!("{} {}", term_text(&arena, term), sort_text(&arena, arena.sort_of(term))))
        };
        assert_eq!(apply("bvnot", &[], &[x]).unwrap(), "(bvnot x) (_ BitVec 8)");
        assert_eq!(apply("concat", &[], &[x, x]).unwrap(), "(concat x x) (_ BitVec 16)");
        assert_eq!(apply("bv7", &[Index::Numeral(3)], &[]).unwrap(), "(_ bv7 3) (_ BitVec 3)");
        let high = [Index::Numeral(7), Index::Numeral(6)];
        assert_eq!(apply("extract", &high, &[x]).unwrap(), "((_ extract 7 6) x) (_ BitVec 2)");
        assert_eq!(apply("extract", &[Index::Numeral(8), Index::Numeral(6)], &[x]), None);
        assert_eq!(apply("+", &[], &[x, x]), None);
        assert_eq!(apply("nothing", &[], &[x]), None);
        assert_eq!(apply("bv", &[Index::Numeral(3)], &[]), None);
    }
}
