//! Transcendental functions of cvc5 and z3, and square roots: exact where the value is rational or algebraic, otherwise enclosed.
//!
//! ```text
//! (sin 0.0) = 0.0     (sqrt 2.0) = the second root of x² - 2     2.718281 < (exp 1.0) < 2.718282
//! ```
//!
//! The enclosures (`value/enclosure.rs`) come from power series with a bound of what is cut off. Arcsin and arctan lie between -π/2 and
//! π/2, arccos between 0 and π. Where a function is not defined, as `(sqrt (- 1.0))`, `(arcsin 2.0)` or `(csc 0.0)`, the result is open.
//! Logarithms are natural. Arccot, arcsec, arccsc and the inverse hyperbolic functions are not evaluated: solvers give them no meaning
//! (`theories/not_evaluated.txt`).

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::{EvalResult, Operator, OperatorCall};
use crate::value::{Enclosure, Polynomial, Root, Value};

/// The largest argument, positive or negative: the series of sine and cosine use no periods.
const MAX_ARGUMENT: i32 = 32;
/// The terms of the series of sine, cosine and of the exponential function: what follows is below the precision of enclosures.
const POWER_TERMS: u32 = 240;
/// The terms of the series of arctan and its hyperbolic counterpart, for arguments of at most a half.
const ODD_TERMS: u32 = 110;
/// The most factors of two that are taken out of the argument of a logarithm.
const MAX_DOUBLINGS: i32 = 256;

/// The operators.
pub(super) const TRANSCENDENTAL_OPERATORS: &[(&str, Operator)] = &[
    ("real.pi", |call, _| enclosed(call, Some(pi()))),
    ("pi", |call, _| enclosed(call, Some(pi()))),
    ("euler", |call, _| enclosed(call, exp(&one()))),
    ("exp", |call, arguments| at(call, arguments, &[(0, 1)], exp)),
    ("sin", |call, arguments| at(call, arguments, &[(0, 0)], sin)),
    ("cos", |call, arguments| at(call, arguments, &[(0, 1)], cos)),
    ("tan", |call, arguments| at(call, arguments, &[(0, 0)], |x| sin(x)?.over(&cos(x)?))),
    ("sec", |call, arguments| at(call, arguments, &[(0, 1)], |x| one().over(&cos(x)?))),
    ("csc", |call, arguments| away_from_zero(call, arguments, |x| one().over(&sin(x)?))),
    ("cot", |call, arguments| away_from_zero(call, arguments, |x| cos(x)?.over(&sin(x)?))),
    ("sqrt", sqrt),
    ("arcsin", |call, arguments| within_one(call, arguments, &[(0, 0)], arcsin)),
    ("asin", |call, arguments| within_one(call, arguments, &[(0, 0)], arcsin)),
    ("arccos", |call, arguments| within_one(call, arguments, &[(1, 0)], arccos)),
    ("acos", |call, arguments| within_one(call, arguments, &[(1, 0)], arccos)),
    ("arctan", |call, arguments| at(call, arguments, &[(0, 0)], arctan)),
    ("atan", |call, arguments| at(call, arguments, &[(0, 0)], arctan)),
    ("log", |call, arguments| of_positive(call, arguments, &[(1, 0)], log)),
    ("ln", |call, arguments| of_positive(call, arguments, &[(1, 0)], log)),
    ("sinh", |call, arguments| at(call, arguments, &[(0, 0)], |x| halves(x, Enclosure::minus))),
    ("cosh", |call, arguments| at(call, arguments, &[(0, 1)], |x| halves(x, Enclosure::plus))),
    ("tanh", |call, arguments| {
        at(call, arguments, &[(0, 0)], |x| halves(x, Enclosure::minus)?.over(&halves(x, Enclosure::plus)?))
    }),
];

type RealFunction = fn(&Enclosure) -> Option<Enclosure>;

/// A function that is defined everywhere, with some points at which its value is an integer.
fn at(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    exact: &[(i32, i32)],
    function: RealFunction,
) -> EvalResult {
    let [argument] = arguments else { return Err(call.unexpected()) };
    if let Some(number) = rational(argument)
        && let Some((_, value)) = exact.iter().find(|(point, _)| RBig::from(*point) == number)
    {
        return Ok(Value::Real(RBig::from(*value)));
    }
    let limit = RBig::from(MAX_ARGUMENT);
    match Enclosure::of(argument) {
        Some(x) if *x.low() >= -limit.clone() && *x.high() <= limit => enclosed(call, function(&x)),
        Some(_) => Err(call.too_large()),
        None => Err(call.unexpected()),
    }
}

/// A function that is open at zero.
fn away_from_zero(call: &mut OperatorCall<'_>, arguments: &[Value], function: RealFunction) -> EvalResult {
    match arguments.first().and_then(rational) {
        Some(number) if number == RBig::ZERO => Err(call.unspecified("of zero")),
        _ => at(call, arguments, &[], function),
    }
}

/// A function that is open outside of the interval from minus one to one.
fn within_one(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    exact: &[(i32, i32)],
    function: RealFunction,
) -> EvalResult {
    let Some(x) = arguments.first().and_then(Enclosure::of) else { return Err(call.unexpected()) };
    if *x.low() > RBig::ONE || *x.high() < -RBig::ONE {
        return Err(call.unspecified("outside of the interval from -1 to 1"));
    }
    at(call, arguments, exact, function)
}

/// A function that is open unless its argument is positive.
fn of_positive(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    exact: &[(i32, i32)],
    function: RealFunction,
) -> EvalResult {
    let Some(x) = arguments.first().and_then(Enclosure::of) else { return Err(call.unexpected()) };
    if *x.high() <= RBig::ZERO {
        return Err(call.unspecified("of a number that is not positive"));
    }
    if *x.low() <= RBig::ZERO {
        return Err(call.unexpected());
    }
    at(call, arguments, exact, function)
}

fn enclosed(call: &mut OperatorCall<'_>, result: Option<Enclosure>) -> EvalResult {
    result.and_then(Enclosure::into_value).ok_or_else(|| call.unexpected())
}

fn rational(value: &Value) -> Option<RBig> {
    match value {
        Value::Int(number) => Some(RBig::from(number.clone())),
        Value::Real(number) => Some(number.clone()),
        _ => None,
    }
}

fn one() -> Enclosure {
    Enclosure::exactly(&RBig::ONE)
}

fn constant(numerator: i32, denominator: u32) -> Enclosure {
    Enclosure::exactly(&RBig::from_parts(IBig::from(numerator), UBig::from(denominator)))
}

/// The square root of a rational is rational or a root of a polynomial.
fn sqrt(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [argument] = arguments else { return Err(call.unexpected()) };
    let Some(number) = rational(argument) else { return Err(call.unexpected()) };
    if number < RBig::ZERO {
        return Err(call.unspecified("of a negative number"));
    }
    if number == RBig::ZERO {
        return Ok(Value::Real(RBig::ZERO));
    }
    let square = Polynomial::new(vec![-number, RBig::ZERO, RBig::ONE]);
    Root::number(&square, 2).ok_or_else(|| call.too_large())
}

/// The middle of an enclosure, and how far the number can be from it.
fn middle(x: &Enclosure) -> (Enclosure, RBig) {
    let two = RBig::from(2u8);
    (Enclosure::exactly(&((x.low() + x.high()) / &two)), (x.high() - x.low()) / two)
}

/// `Σ ±x^k / k!` over the terms from `first` on, every second one; the signs alternate.
fn alternating_series(x: &Enclosure, first: u32) -> Enclosure {
    let square = x.times(x).negated();
    let mut term = if first == 0 { one() } else { x.clone() };
    let mut sum = term.clone();
    let mut place = first;
    while place < POWER_TERMS {
        term = term.times(&square).times(&constant(1, (place + 1) * (place + 2)));
        sum = sum.plus(&term);
        place += 2;
    }
    // What follows is smaller than the last term, whose power of at most 32 is far below its factorial.
    sum.widened(&greatest(&term))
}

/// The largest magnitude of a number in an enclosure.
fn greatest(x: &Enclosure) -> RBig {
    x.high().clone().max(-x.low().clone())
}

/// Sine changes by no more than its argument does, so a wide argument makes the result as much wider.
fn sin(x: &Enclosure) -> Option<Enclosure> {
    let (middle, radius) = middle(x);
    Some(alternating_series(&middle, 1).widened(&(radius + unit())))
}

fn cos(x: &Enclosure) -> Option<Enclosure> {
    let (middle, radius) = middle(x);
    Some(alternating_series(&middle, 0).widened(&(radius + unit())))
}

/// The rounding of a middle.
fn unit() -> RBig {
    RBig::from_parts(IBig::ONE, UBig::ONE << (crate::value::ENCLOSURE_BITS - 1))
}

fn exp(x: &Enclosure) -> Option<Enclosure> {
    let (low, high) = (exp_of(x.low()), exp_of(x.high()));
    Some(Enclosure::new(low.low(), high.high()))
}

/// `Σ x^k / k!` for an argument of at most 32.
fn exp_of(x: &RBig) -> Enclosure {
    let negative = *x < RBig::ZERO;
    let x = Enclosure::exactly(&if negative { -x.clone() } else { x.clone() });
    let (mut term, mut sum) = (one(), one());
    for place in 1..POWER_TERMS {
        term = term.times(&x).times(&constant(1, place));
        sum = sum.plus(&term);
    }
    // From here on, each term is less than half of the one before.
    let sum = Enclosure::new(sum.low(), &(sum.high() + greatest(&term)));
    match negative {
        true => one().over(&sum).expect("the sum is at least one"),
        false => sum,
    }
}

/// `(exp x)` and `(exp (- x))`, added or subtracted and divided by two.
fn halves(x: &Enclosure, join: fn(&Enclosure, &Enclosure) -> Enclosure) -> Option<Enclosure> {
    Some(join(&exp(x)?, &exp(&x.negated())?).times(&constant(1, 2)))
}

/// The natural logarithm of a positive number.
fn log(x: &Enclosure) -> Option<Enclosure> {
    let (low, high) = (log_of(x.low())?, log_of(x.high())?);
    Some(Enclosure::new(low.low(), high.high()))
}

/// `log (2^n · y) = n · log 2 + log y`, with `y` between 3/4 and 3/2.
fn log_of(x: &RBig) -> Option<Enclosure> {
    let (two, mut rest, mut doublings) = (RBig::from(2u8), x.clone(), 0i32);
    let (least, most) = (RBig::from_parts(3.into(), 4u8.into()), RBig::from_parts(3.into(), 2u8.into()));
    while rest > most || rest < least {
        let step = if rest > most { 1 } else { -1 };
        rest = if step > 0 { rest / &two } else { rest * &two };
        doublings += step;
        if doublings.abs() > MAX_DOUBLINGS {
            return None;
        }
    }
    let of_two = near_log(&Enclosure::exactly(&two))?;
    Some(of_two.times(&constant(doublings, 1)).plus(&near_log(&Enclosure::exactly(&rest))?))
}

/// `log y = 2 · (t + t³/3 + t⁵/5 + …)` with `t = (y - 1) / (y + 1)`, for an argument between 3/4 and 2.
fn near_log(y: &Enclosure) -> Option<Enclosure> {
    let quotient = y.minus(&one()).over(&y.plus(&one()))?;
    let square = quotient.times(&quotient);
    let (mut power, mut sum) = (quotient.clone(), quotient);
    for place in 1..ODD_TERMS {
        power = power.times(&square);
        sum = sum.plus(&power.times(&constant(1, 2 * place + 1)));
    }
    // What follows is smaller than the last power, because the quotient is at most a third.
    Some(sum.widened(&greatest(&power)).times(&constant(2, 1)))
}

fn pi() -> Enclosure {
    let part =
        |factor: i32, denominator: u32| constant(factor, 1).times(&small_arctan(&constant(1, denominator)));
    part(16, 5).minus(&part(4, 239))
}

fn arctan(x: &Enclosure) -> Option<Enclosure> {
    let (low, high) = (arctan_of(x.low())?, arctan_of(x.high())?);
    Some(Enclosure::new(low.low(), high.high()))
}

fn arctan_of(x: &RBig) -> Option<Enclosure> {
    let half = RBig::from_parts(IBig::ONE, UBig::from(2u8));
    if *x < RBig::ZERO {
        // The argument is positive from here on, so there is no further call of this kind.
        return Some(positive_arctan(&-x.clone(), &half)?.negated());
    }
    positive_arctan(x, &half)
}

fn positive_arctan(x: &RBig, half: &RBig) -> Option<Enclosure> {
    let exact = Enclosure::exactly(x);
    if x <= half {
        return Some(small_arctan(&exact));
    }
    // arctan x = π/4 + arctan ((x - 1) / (x + 1)); the quotient is between -1/3 and 1.
    let turned = exact.minus(&one()).over(&exact.plus(&one()))?;
    let quarter = pi().times(&constant(1, 4));
    if turned.high() <= half {
        return Some(quarter.plus(&small_arctan(&turned)));
    }
    // arctan x = π/2 - arctan (1/x), where x is at least 3.
    let inverse = one().over(&exact)?;
    Some(quarter.plus(&quarter).minus(&small_arctan(&inverse)))
}

/// `x - x³/3 + x⁵/5 - …` for an argument between minus one half and one half.
fn small_arctan(x: &Enclosure) -> Enclosure {
    let square = x.times(x).negated();
    let (mut power, mut sum) = (x.clone(), x.clone());
    for place in 1..ODD_TERMS {
        power = power.times(&square);
        sum = sum.plus(&power.times(&constant(1, 2 * place + 1)));
    }
    sum.widened(&greatest(&power))
}

/// `arctan (x / √(1 - x²))`, by bounds of the root.
fn arcsin(x: &Enclosure) -> Option<Enclosure> {
    let (low, high) = (arcsin_of(x.low())?, arcsin_of(x.high())?);
    Some(Enclosure::new(low.low(), high.high()))
}

fn arcsin_of(x: &RBig) -> Option<Enclosure> {
    let quarter_turn = pi().times(&constant(1, 2));
    if *x == RBig::ONE {
        return Some(quarter_turn);
    }
    if *x == -RBig::ONE {
        return Some(quarter_turn.negated());
    }
    let rest = RBig::ONE - x * x;
    if rest <= RBig::ZERO {
        return None;
    }
    arctan(&Enclosure::exactly(x).over(&root(&rest)?)?)
}

fn arccos(x: &Enclosure) -> Option<Enclosure> {
    Some(pi().times(&constant(1, 2)).minus(&arcsin(x)?))
}

/// The square root of a positive rational.
fn root(number: &RBig) -> Option<Enclosure> {
    use dashu_int::ops::SquareRoot as _;
    let bits = crate::value::ENCLOSURE_BITS;
    let scaled = (number * RBig::from(IBig::ONE << (2 * bits))).floor();
    let whole: UBig = UBig::try_from(scaled).ok()?.sqrt();
    let low = RBig::from_parts(IBig::from(whole.clone()), UBig::ONE << bits);
    let high = RBig::from_parts(IBig::from(whole + UBig::ONE), UBig::ONE << bits);
    (low > RBig::ZERO).then(|| Enclosure::new(&low, &high))
}

#[cfg(test)]
mod tests {
    use crate::eval::{EvalBudget, Evaluator, TruthValue};
    use crate::{Model, Script, Signature, sat_queries};

    fn check(assertion: &str, expected: &str) {
        let script =
            Script::parse(&format!("(assert {assertion})(check-sat)"), &Signature::standard()).unwrap();
        let query = &sat_queries(&script)[0];
        let model = Model::empty(&script, query);
        let outcome = Evaluator::new(&model, EvalBudget::default()).outcome(query.assertions[0]);
        let word = match outcome {
            TruthValue::Undecided(reason) => reason.kind(),
            truth => truth.word(),
        };
        assert_eq!(word, expected, "{assertion}");
    }

    #[test]
    fn exact_values_are_exact() {
        for (term, value) in [
            ("(exp 0.0)", "1.0"),
            ("(sin 0.0)", "0.0"),
            ("(cos 0.0)", "1.0"),
            ("(tan 0.0)", "0.0"),
            ("(sec 0.0)", "1.0"),
            ("(arcsin 0.0)", "0.0"),
            ("(arccos 1.0)", "0.0"),
            ("(arctan 0.0)", "0.0"),
            ("(log 1.0)", "0.0"),
            ("(cosh 0.0)", "1.0"),
            ("(sqrt (/ 9.0 4.0))", "1.5"),
            ("(sqrt 0.0)", "0.0"),
            ("(* (sqrt 2.0) (sqrt 2.0))", "2.0"),
        ] {
            check(&format!("(= {term} {value})"), "true");
            check(&format!("(< {term} {value})"), "false");
        }
    }

    /// The digits are those of tables of constants.
    #[test]
    fn other_values_lie_between_their_digits() {
        for (term, below, above) in [
            ("real.pi", "3.14159265358979", "3.14159265358980"),
            ("(exp 1.0)", "2.71828182845904", "2.71828182845905"),
            ("(exp (- 1.0))", "0.36787944117144", "0.36787944117145"),
            ("(exp 10.0)", "22026.4657948067", "22026.4657948068"),
            ("(sin 1.0)", "0.84147098480789", "0.84147098480790"),
            ("(sin (- 1.0))", "(- 0.84147098480790)", "(- 0.84147098480789)"),
            ("(sin 30.0)", "(- 0.98803162409287)", "(- 0.98803162409286)"),
            ("(cos 1.0)", "0.54030230586813", "0.54030230586814"),
            ("(cos 31.0)", "0.91474235780453", "0.91474235780454"),
            ("(tan 1.0)", "1.55740772465490", "1.55740772465491"),
            ("(cot 1.0)", "0.64209261593433", "0.64209261593434"),
            ("(sec 1.0)", "1.85081571768092", "1.85081571768093"),
            ("(csc 1.0)", "1.18839510577812", "1.18839510577813"),
            ("(arctan 1.0)", "0.78539816339744", "0.78539816339745"),
            ("(arctan 2.0)", "1.10714871779409", "1.10714871779410"),
            ("(arctan 20.0)", "1.52083793107295", "1.52083793107296"),
            ("(arctan (- 0.25))", "(- 0.24497866312687)", "(- 0.24497866312686)"),
            ("(arcsin 0.5)", "0.52359877559829", "0.52359877559830"),
            ("(arcsin (- 1.0))", "(- 1.57079632679490)", "(- 1.57079632679489)"),
            ("(arccos (- 0.5))", "2.09439510239319", "2.09439510239320"),
            ("(log 2.0)", "0.69314718055994", "0.69314718055995"),
            ("(ln 10.0)", "2.30258509299404", "2.30258509299405"),
            ("(log 0.0625)", "(- 2.77258872223979)", "(- 2.77258872223978)"),
            ("(log (exp 3.0))", "2.99999999999999", "3.00000000000001"),
            ("(sinh 1.0)", "1.17520119364380", "1.17520119364381"),
            ("(cosh 1.0)", "1.54308063481524", "1.54308063481525"),
            ("(tanh 1.0)", "0.76159415595576", "0.76159415595577"),
            ("(sqrt 2.0)", "1.41421356237309", "1.41421356237310"),
            ("(exp (sin 1.0))", "2.31977682471585", "2.31977682471586"),
            ("(- real.pi (exp 1.0))", "0.42331082513074", "0.42331082513075"),
            ("(/ 1.0 real.pi)", "0.31830988618379", "0.31830988618380"),
        ] {
            check(&format!("(< {below} {term} {above})"), "true");
            check(&format!("(= {term} {below})"), "false");
        }
    }

    #[test]
    fn what_is_open_or_too_close_is_undecided() {
        check("(= (exp 1.0) (exp (+ 0.5 0.5)))", "infinite");
        check("(= real.pi (* 2.0 (arcsin 1.0)))", "infinite");
        check("(< (sin real.pi) 0.1)", "true");
        check("(= (sin real.pi) 0.0)", "infinite");
        check("(< (sqrt (- 1.0)) 0.0)", "unspecified");
        check("(< (arcsin 2.0) 0.0)", "unspecified");
        check("(< (csc 0.0) 0.0)", "unspecified");
        check("(< (tan (/ real.pi 2.0)) 0.0)", "unknown");
        check("(< (exp 1000.0) 0.0)", "large");
        check("(< (log 0.0) 2.0)", "unspecified");
        check("(< (ln (- 1.0)) 2.0)", "unspecified");
        // cvc5 and z3 give these functions no meaning.
        check("(< (arccot 1.0) 2.0)", "unknown");
        check("(< (asinh 1.0) 2.0)", "unknown");
    }
}
