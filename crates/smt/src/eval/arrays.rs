//! Arrays, and z3's sets, which are arrays of Booleans. The evaluator handles `select` itself: an array may be a function.

use std::collections::BTreeSet;

use dashu_int::IBig;

use super::{EvalResult, Operator, OperatorCall, Undecided};
use crate::sort::Sort;
use crate::value::{Array, Indices, Value};

/// The operators of ArraysEx that need all their arguments, and the solvers' extensions.
pub(super) const ARRAY_OPERATORS: &[(&str, Operator)] = &[
    ("store", store),
    ("const", |call, _| Err(call.unexpected())),
    ("default", |call, arguments| match arguments {
        [Value::Array(_)] => Err(call.unspecified("of an array")),
        _ => Err(call.unexpected()),
    }),
    ("eqrange", equal_range),
    ("union", |call, arguments| pointwise(call, arguments, |a, b| a || b)),
    ("intersection", |call, arguments| pointwise(call, arguments, |a, b| a && b)),
    ("setminus", |call, arguments| pointwise(call, arguments, |a, b| a && !b)),
    ("complement", |call, arguments| match arguments {
        [set] => pointwise(call, &[set.clone(), set.clone()], |a, _| !a),
        _ => Err(call.unexpected()),
    }),
    ("subset", |call, arguments| match arguments {
        [Value::Array(a), Value::Array(b)] => {
            let mut keys = a.stores().chain(b.stores()).map(|(index, _)| index);
            let inside = |a: &Value, b: &Value| *a == Value::Bool(false) || *b == Value::Bool(true);
            let all = keys.all(|index| inside(a.get(index), b.get(index)));
            let rest = inside(a.default(), b.default());
            match (all, rest, a.indices()) {
                (true, false, Indices::Unknown) => Err(Undecided::Infinite(
                    "a set over a sort whose elements the model does not list".into(),
                )),
                (true, false, Indices::Few(indices)) => {
                    Ok(Value::Bool(indices.iter().all(|index| inside(a.get(index), b.get(index)))))
                }
                (all, rest, _) => Ok(Value::Bool(all && rest)),
            }
        }
        _ => Err(call.unexpected()),
    }),
];

fn store(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [array, indices @ .., value] = arguments else { return Err(call.unexpected()) };
    let Value::Array(array) = array else {
        return Err(Undecided::Infinite("a store into a function that is not a table".into()));
    };
    let index = Value::index(indices.to_vec());
    if index.is_opaque() {
        return Err(Undecided::Infinite("an array at an index that cannot be compared".into()));
    }
    let element = call.arena.view_sort(call.sort).arguments.last().copied();
    let value = match (value, element) {
        (Value::Int(number), Some(Sort::REAL)) => Value::Real(number.clone().into()),
        (value, _) => value.clone(),
    };
    let index_sort = call.arena.view_sort(call.sort).arguments.first().copied();
    let index = match (index, index_sort) {
        (Value::Int(number), Some(Sort::REAL)) => Value::Real(number.into()),
        (index, _) => index,
    };
    Ok(array.with([(index, value)]).into_value())
}

/// `(eqrange a b i j)` of cvc5: whether two arrays have the same elements from the index i to the index j.
fn equal_range(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [Value::Array(a), Value::Array(b), first, last] = arguments else { return Err(call.unexpected()) };
    let number = |index: &Value| match index {
        Value::Int(number) => Some(number.clone()),
        Value::BitVec(bits) => Some(IBig::from(bits.unsigned().clone())),
        _ => None,
    };
    let (Some(first), Some(last)) = (number(first), number(last)) else { return Err(call.unexpected()) };
    let keys: BTreeSet<&Value> = a.stores().chain(b.stores()).map(|(index, _)| index).collect();
    let mut inside = 0;
    for key in keys {
        if number(key).is_some_and(|key| first <= key && key <= last) {
            inside += 1;
            if a.get(key) != b.get(key) {
                return Ok(Value::Bool(false));
            }
        }
    }
    // Elsewhere the arrays have their defaults.
    let is_covered = last - first < IBig::from(inside);
    Ok(Value::Bool(is_covered || a.default() == b.default()))
}

/// An operation on two sets, element by element.
fn pointwise(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(bool, bool) -> bool,
) -> EvalResult {
    let (a, b) = match arguments {
        [one] => return Ok(one.clone()),
        [Value::Array(a), Value::Array(b)] => (a, b),
        _ => return Err(call.unexpected()),
    };
    let both = |a: &Value, b: &Value| Some(Value::Bool(operation(a.as_bool()?, b.as_bool()?)));
    let default = both(a.default(), b.default()).ok_or_else(|| call.unexpected())?;
    let keys = a.stores().chain(b.stores()).map(|(index, _)| index);
    let stores: Option<Vec<(Value, Value)>> =
        keys.map(|index| Some((index.clone(), both(a.get(index), b.get(index))?))).collect();
    let stores = stores.ok_or_else(|| call.unexpected())?;
    Ok(Array::constant(default, a.indices().clone()).with(stores).into_value())
}
