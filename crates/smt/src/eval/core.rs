//! Booleans, equality, `ite` and literals.
//!
//! The connectives evaluate their arguments one at a time and stop as soon as the others do not matter; that makes
//! `(or true (= (div 1 0) 2))` true. Equality has to deal with values that have no canonical form.

use std::sync::Arc;

use dashu_int::ops::Abs as _;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::evaluator::{Evaluator, FrameStep};
use super::{EvalResult, Operator, OperatorCall, Undecided};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Literal, Term};
use crate::text::Text;
use crate::value::{BitVec, Value};

/// The operators of the core theory that need all their arguments.
pub(super) const CORE_OPERATORS: &[(&str, Operator)] = &[
    ("true", |_, _| Ok(Value::Bool(true))),
    ("false", |_, _| Ok(Value::Bool(false))),
    ("not", |call, arguments| match arguments {
        [Value::Bool(value)] => Ok(Value::Bool(!value)),
        _ => Err(call.unexpected()),
    }),
    ("xor", |call, arguments| booleans(call, arguments, |a, b| a ^ b)),
    ("iff", |call, arguments| booleans(call, arguments, |a, b| a == b)),
    ("implies", |call, arguments| booleans(call, arguments, |a, b| !a || b)),
    ("if", |call, arguments| match arguments {
        [Value::Bool(condition), then, otherwise] => Ok(if *condition { then } else { otherwise }.clone()),
        _ => Err(call.unexpected()),
    }),
    ("pbeq", |call, arguments| weighted_sum(call, arguments, |sum, bound| sum == bound)),
    ("pble", |call, arguments| weighted_sum(call, arguments, |sum, bound| sum <= bound)),
    ("pbge", |call, arguments| weighted_sum(call, arguments, |sum, bound| sum >= bound)),
    ("partial-order", order),
    ("linear-order", order),
    ("piecewise-linear-order", order),
    ("tree-order", order),
    ("at-most", |call, arguments| Ok(Value::Bool(count(arguments) <= call.index(0)))),
    ("at-least", |call, arguments| Ok(Value::Bool(count(arguments) >= call.index(0)))),
];

fn booleans(call: &OperatorCall<'_>, arguments: &[Value], operation: fn(bool, bool) -> bool) -> EvalResult {
    match arguments {
        [one] => Ok(one.clone()),
        [Value::Bool(a), Value::Bool(b)] => Ok(Value::Bool(operation(*a, *b))),
        _ => Err(call.unexpected()),
    }
}

/// `((_ pble k c1 c2) p q)`: the coefficients of the arguments that hold are added up and compared with the bound.
fn weighted_sum(call: &OperatorCall<'_>, arguments: &[Value], holds: fn(u64, u64) -> bool) -> EvalResult {
    let numbers: Option<Vec<u64>> = call.indices.iter().map(|index| index.numeral().map(u64::from)).collect();
    let Some((bound, coefficients)) = numbers.as_deref().and_then(<[u64]>::split_first) else {
        return Err(call.unexpected());
    };
    if coefficients.len() != arguments.len() || arguments.iter().any(|value| value.as_bool().is_none()) {
        return Err(call.unexpected());
    }
    let chosen = coefficients.iter().zip(arguments).filter(|(_, value)| **value == Value::Bool(true));
    Ok(Value::Bool(holds(chosen.map(|(coefficient, _)| coefficient).sum(), *bound)))
}

/// Orders are reflexive; the model defines the rest.
fn order(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [a, b] if a.equal(b) == Some(true) => Ok(Value::Bool(true)),
        _ => Err(call.unspecified("of two values")),
    }
}

fn count(arguments: &[Value]) -> u32 {
    arguments.iter().filter(|value| **value == Value::Bool(true)).count() as u32
}

impl Evaluator<'_> {
    /// `and`, `or` and `=>`: an argument that decides the result ends the evaluation.
    pub(super) fn connective(&mut self, base: usize, connective: Symbol, children: &[Term]) -> FrameStep {
        let done = self.answers.len() - base;
        if let Some(Ok(Value::Bool(value))) = self.answers[base..].last() {
            let decides = match connective {
                Symbol::AND => !value,
                Symbol::OR => *value,
                // A false premise, or a true conclusion.
                _ => *value == (done == children.len()),
            };
            if decides {
                return FrameStep::Done(Ok(Value::Bool(connective != Symbol::AND)));
            }
        }
        if let Some(next) = self.next_strict(base, children) {
            return next;
        }
        FrameStep::Done(Ok(Value::Bool(connective == Symbol::AND)))
    }

    /// `ite`: only the chosen branch matters; if the condition is undecided and both branches are equal, that is the value.
    pub(super) fn ite(&mut self, base: usize, children: &[Term]) -> FrameStep {
        let &[condition, then, otherwise] = children else {
            return super::evaluator::unknown("ite of these arguments");
        };
        match &self.answers[base..] {
            [] => FrameStep::Evaluate(condition),
            [Ok(Value::Bool(true))] => self.tail(then),
            [Ok(Value::Bool(false))] => self.tail(otherwise),
            [_] if then == otherwise => self.tail(then),
            [_] => FrameStep::Evaluate(then),
            [reason, Err(_)] => FrameStep::Done(reason.clone()),
            [_, Ok(_)] => FrameStep::Evaluate(otherwise),
            [_, Ok(a), Ok(b)] if a.equal(b) == Some(true) => FrameStep::Done(Ok(a.clone())),
            [reason, ..] => FrameStep::Done(reason.clone()),
        }
    }

    /// `=` and `distinct`; a term equals itself even if its value is undecided.
    pub(super) fn equality(&mut self, base: usize, symbol: Symbol, children: &[Term]) -> FrameStep {
        let is_distinct = symbol == Symbol::DISTINCT;
        if !is_distinct && children.windows(2).all(|pair| pair[0] == pair[1]) {
            return FrameStep::Done(Ok(Value::Bool(true)));
        }
        let done = self.answers.len() - base;
        if done < children.len() {
            return FrameStep::Evaluate(children[done]);
        }
        let mut undecided = None;
        let last = children.len() - 1;
        for first in 0..last {
            let until = if is_distinct { last } else { first + 1 };
            for second in first + 1..=until {
                let same = match children[first] == children[second] {
                    true => Ok(true),
                    false => self.same(base + first, base + second),
                };
                match same {
                    Ok(same) if same == is_distinct => return FrameStep::Done(Ok(Value::Bool(false))),
                    Ok(_) => {}
                    Err(reason) => undecided = undecided.or(Some(reason)),
                }
            }
        }
        FrameStep::Done(undecided.map_or(Ok(Value::Bool(true)), Err))
    }

    /// Whether two values are equal.
    pub(super) fn same(&mut self, first: usize, second: usize) -> Result<bool, Undecided> {
        let (a, b) = match (self.answers[first].clone(), self.answers[second].clone()) {
            (Ok(value), Err(Undecided::OneOf(values))) | (Err(Undecided::OneOf(values)), Ok(value))
                if values.iter().all(|one| one.equal(&value) == Some(false)) =>
            {
                return Ok(false);
            }
            (a, b) => (a?, b?),
        };
        match (&a, &b) {
            (Value::Elsewhere(a), Value::Elsewhere(b)) if a == b => Ok(true),
            (Value::Elsewhere(id), other) | (other, Value::Elsewhere(id)) if !other.is_opaque() => {
                // Some index other than the points compared so far; this comparison adds a point.
                self.points.entry(*id).or_default().push(other.clone());
                Ok(false)
            }
            (Value::RegLan(a), Value::RegLan(b)) => self
                .regexes
                .equal(*a, *b)
                .ok_or_else(|| Undecided::TooLarge("whether two regular expressions are equal".into())),
            _ => a.equal(&b).ok_or_else(|| Undecided::Infinite("whether two functions are equal".into())),
        }
    }
}

/// The value of a literal.
pub(super) fn literal(literal: Literal, text: &str, sort: Sort) -> EvalResult {
    let value = match literal {
        Literal::Numeral if sort == Sort::REAL => number(text).map(|n| Value::Real(RBig::from(n))),
        Literal::Numeral => number(text).map(Value::Int),
        Literal::Decimal => decimal(text).map(Value::Real),
        Literal::Hexadecimal => bits(text, 16, 4),
        Literal::Binary => bits(text, 2, 1),
        Literal::String => Text::read(text).map(Value::Text),
        Literal::Field => super::finite_fields::literal(text),
    };
    value.ok_or_else(|| Undecided::Unknown(Arc::from("a literal that is not understood")))
}

/// Reading a number takes superlinear time in its length; no script has longer ones.
const MAX_LITERAL_DIGITS: usize = 1 << 20;

fn number(text: &str) -> Option<IBig> {
    (text.len() <= MAX_LITERAL_DIGITS).then(|| IBig::from_str_radix(text, 10).ok())?
}

fn decimal(text: &str) -> Option<RBig> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = number(&format!("{whole}{fraction}"))?;
    Some(RBig::from_parts(digits, UBig::from(10u8).pow(fraction.len())))
}

fn bits(text: &str, radix: u32, each: u32) -> Option<Value> {
    let digits = text.get(2..)?;
    let number = UBig::from_str_radix(digits, radix).ok()?;
    Some(Value::BitVec(BitVec::new(digits.len() as u32 * each, number)))
}

/// The absolute value.
pub(super) fn abs(number: &IBig) -> IBig {
    number.clone().abs()
}
