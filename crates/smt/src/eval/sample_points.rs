//! Sample points: values for which the body of a quantifier is evaluated if there are too many to try them all.
//!
//! ```text
//! (exists ((x (_ BitVec 64))) (= (bvadd x y) z))      the values of y and z, their neighbours, 0, 1, …
//! ```
//!
//! What a body compares its variables with are mostly values of its own subterms. Those that do not depend on the variables have
//! values already when the body was evaluated with an unknown variable.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::evaluator::Evaluator;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Term, TermView};
use crate::value::{BitVec, Value};

/// Subterms of a body that are looked at.
const MAX_SUBTERMS: usize = 2_000;
/// Terms of the arena for which the walk over a body makes room in one step.
const TERMS_PER_STEP: usize = 1 << 10;
/// The maximal width of bit-vectors of which the greatest is tried.
const MAX_CORNER_BITS: u32 = 4096;

impl Evaluator<'_> {
    /// At most `most` values of a sort, the most promising first.
    pub(super) fn sample_points(&mut self, body: Term, sort: Sort, most: usize) -> Vec<Value> {
        let mut points: Vec<Value> = Vec::new();
        let mut add = |value: Value| {
            if points.len() < most && !value.is_opaque() && !points.contains(&value) {
                points.push(value);
            }
        };
        let in_body = self.known_values(body, sort);
        in_body.iter().cloned().for_each(&mut add);
        if self.has_standard_values(sort) {
            self.default_value(sort).into_iter().for_each(&mut add);
        }
        corners(self.bit_width(sort), sort).into_iter().for_each(&mut add);
        in_body.iter().flat_map(neighbours).for_each(&mut add);
        points
    }

    /// The values of the subterms of a body that have this sort and are known. Looking at a subterm costs a step.
    fn known_values(&mut self, body: Term, sort: Sort) -> Vec<Value> {
        let terms: Vec<Term> = self.arena.reachable([body]).take(MAX_SUBTERMS).collect();
        self.charge(terms.len() + body.index() / TERMS_PER_STEP);
        let of_sort =
            terms.into_iter().filter(|&term| self.arena.canonical(self.arena.sort_of(term)) == sort);
        let value = |term: Term| match self.arena.view(term) {
            TermView::Literal(literal, spelling) => self.literal(literal, spelling, sort).ok(),
            _ => self.scopes[self.memo_scope(term)].memo.get(&term)?.clone().ok(),
        };
        of_sort.filter_map(value).collect()
    }

    /// Returns true if the standard gives a sort its values. The default value of another may be one that the model does not have.
    fn has_standard_values(&self, sort: Sort) -> bool {
        let standard = [Symbol::INT, Symbol::REAL, Symbol::BITVEC, Symbol::STRING, Symbol::FLOATING_POINT];
        standard.contains(&self.arena.view_sort(sort).head)
    }

    fn bit_width(&self, sort: Sort) -> Option<u32> {
        let view = self.arena.view_sort(sort);
        (view.head == Symbol::BITVEC).then(|| view.indices.first()?.numeral())?
    }
}

/// Values at which operators change their behaviour.
fn corners(width: Option<u32>, sort: Sort) -> Vec<Value> {
    match (width, sort) {
        (Some(width @ 1..=MAX_CORNER_BITS), _) => {
            let ones = (UBig::ONE << width as usize) - UBig::ONE;
            let sign = UBig::ONE << (width as usize - 1);
            let below = &sign - UBig::ONE;
            [UBig::ONE, ones, sign, below].map(|bits| Value::BitVec(BitVec::new(width, bits))).to_vec()
        }
        (None, Sort::INT) => [1, -1, 2, -2].map(Value::int).to_vec(),
        (None, Sort::REAL) => [1, -1, 2].map(|number| Value::Real(RBig::from(IBig::from(number)))).to_vec(),
        _ => Vec::new(),
    }
}

/// The next values below and above.
fn neighbours(value: &Value) -> Vec<Value> {
    match value {
        Value::Int(number) => vec![Value::Int(number + IBig::ONE), Value::Int(number - IBig::ONE)],
        Value::Real(number) => vec![Value::Real(number + RBig::ONE), Value::Real(number - RBig::ONE)],
        Value::BitVec(bits) => {
            let number = bits.unsigned();
            let below = (!number.is_zero()).then(|| number - UBig::ONE);
            let both = [Some(number + UBig::ONE), below].into_iter().flatten();
            both.map(|number| Value::BitVec(BitVec::new(bits.width(), number))).collect()
        }
        _ => Vec::new(),
    }
}
