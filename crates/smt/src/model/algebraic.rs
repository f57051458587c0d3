//! Real algebraic numbers as solvers print them.
//!
//! ```text
//! (root-obj (+ (^ x 2) (- 2)) 1)                                 z3: a polynomial in x, and the number of the root
//! (_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)           cvc5: a polynomial, and an interval with the root
//! ```

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::lex::{Lexer, TokenKind};
use crate::value::{Polynomial, Root, Value};

/// The beginning of cvc5's algebraic numbers.
pub(super) const CVC5_ALGEBRAIC_PREFIX: &str = "(_ real_algebraic_number <";
/// The highest power that is accepted.
const MAX_POWER: usize = 64;

/// The number that a text denotes, if it does.
pub(crate) fn algebraic(text: &str) -> Option<Value> {
    let inner = text.strip_prefix("(root-obj")?.strip_suffix(')')?.trim();
    match inner.strip_prefix("\"<").and_then(|quoted| quoted.strip_suffix(">\"")) {
        Some(quoted) => of_cvc5(quoted),
        None => of_z3(inner),
    }
}

/// The text with cvc5's numbers, which are not tokens of SMT-LIB, turned into strings of z3's notation.
pub(super) fn quote_cvc5_numbers(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains(CVC5_ALGEBRAIC_PREFIX) {
        return text.into();
    }
    let mut quoted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(CVC5_ALGEBRAIC_PREFIX) {
        let Some((number, behind)) = after.split_once(">)") else { break };
        quoted += &format!("{before}(root-obj \"<{}>\")", number.replace('"', ""));
        rest = behind;
    }
    (quoted + rest).into()
}

/// `1*x^2 + (-2*x) + (-2), (5/4, 3/2)`
fn of_cvc5(text: &str) -> Option<Value> {
    let (polynomial, interval) = text.split_once(", (")?;
    let (low, high) = interval.strip_suffix(')')?.split_once(", ")?;
    let mut coefficients = vec![RBig::ZERO; MAX_POWER + 1];
    for summand in polynomial.split(" + ") {
        let summand = summand.trim_start_matches('(').trim_end_matches(')');
        let (coefficient, power) = match summand.split_once("*x") {
            None => (summand, 0),
            Some((coefficient, "")) => (coefficient, 1),
            Some((coefficient, power)) => (coefficient, power.strip_prefix('^')?.parse().ok()?),
        };
        *coefficients.get_mut(power)? += rational(coefficient)?;
    }
    let (low, high) = (rational(low)?, rational(high)?);
    if low == high {
        return Some(Value::Real(low));
    }
    Root::between(&Polynomial::new(coefficients), &low, &high)
}

fn rational(text: &str) -> Option<RBig> {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let denominator = UBig::from_str_radix(denominator, 10).ok().filter(|d| *d != UBig::ZERO)?;
    Some(RBig::from_parts(IBig::from_str_radix(numerator, 10).ok()?, denominator))
}

/// `(+ (^ x 2) (* (- 3) x) (- 2)) 1`, evaluated as polynomials with a stack.
fn of_z3(text: &str) -> Option<Value> {
    let mut lexer = Lexer::new(text);
    let mut open: Vec<(&str, Vec<Vec<RBig>>)> = vec![("", Vec::new())];
    loop {
        let token = lexer.next().ok()?;
        let word = lexer.text_of(token);
        match token.kind {
            TokenKind::Open => open.push((lexer.next().ok().map(|token| lexer.text_of(token))?, Vec::new())),
            TokenKind::Close => {
                let (operator, arguments) = open.pop()?;
                let value = combine(operator, arguments)?;
                open.last_mut()?.1.push(value);
            }
            TokenKind::Numeral => {
                open.last_mut()?.1.push(vec![RBig::from(IBig::from_str_radix(word, 10).ok()?)]);
            }
            TokenKind::Decimal => open
                .last_mut()?
                .1
                .push(vec![RBig::from(IBig::from_str_radix(word.split_once('.')?.0, 10).ok()?)]),
            TokenKind::Symbol | TokenKind::Quoted => open.last_mut()?.1.push(vec![RBig::ZERO, RBig::ONE]),
            TokenKind::End => break,
            _ => return None,
        }
        if open.len() > 64 {
            return None;
        }
    }
    let (_, parts) = open.pop().filter(|_| open.is_empty())?;
    let [polynomial, index] = <[Vec<RBig>; 2]>::try_from(parts).ok()?;
    Root::number(&Polynomial::new(polynomial), constant(&index)?)
}

fn constant(polynomial: &[RBig]) -> Option<usize> {
    match polynomial {
        [number] => usize::try_from(number.numerator()).ok(),
        _ => None,
    }
}

fn combine(operator: &str, arguments: Vec<Vec<RBig>>) -> Option<Vec<RBig>> {
    let mut arguments = arguments.into_iter();
    let first = arguments.next()?;
    if operator == "-" && arguments.len() == 0 {
        return Some(first.into_iter().map(|c| -c).collect());
    }
    arguments.try_fold(first, |total, next| match operator {
        "+" => Some(sum(&total, &next, &RBig::ONE)),
        "-" => Some(sum(&total, &next, &-RBig::ONE)),
        "*" => product(&total, &next),
        "/" => match next.as_slice() {
            [divisor] if !divisor.is_zero() => Some(total.iter().map(|c| c / divisor).collect()),
            _ => None,
        },
        "^" => {
            let power = constant(&next).filter(|&power| power <= MAX_POWER)?;
            (0..power).try_fold(vec![RBig::ONE], |result, _| product(&result, &total))
        }
        _ => None,
    })
}

fn sum(a: &[RBig], b: &[RBig], sign: &RBig) -> Vec<RBig> {
    let at = |p: &[RBig], place: usize| p.get(place).cloned().unwrap_or(RBig::ZERO);
    (0..a.len().max(b.len())).map(|place| at(a, place) + at(b, place) * sign).collect()
}

fn product(a: &[RBig], b: &[RBig]) -> Option<Vec<RBig>> {
    if a.len() + b.len() > MAX_POWER + 2 {
        return None;
    }
    let mut result = vec![RBig::ZERO; a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            result[i + j] += x * y;
        }
    }
    while result.last().is_some_and(RBig::is_zero) {
        result.pop();
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_notations_say_the_same_number() {
        let z3 = algebraic("(root-obj (+ (^ x 2) (- 2)) 2)").unwrap();
        let quoted = quote_cvc5_numbers("(_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)").into_owned();
        let cvc5 = algebraic(&quoted).unwrap();
        assert_eq!(z3.equal(&cvc5), Some(true));
        assert_eq!(algebraic("(root-obj (+ (* 2 x) (- 3)) 1)"), Some(Value::Real(rational("3/2").unwrap())));
    }

    #[test]
    fn nonsense_is_no_number() {
        for text in [
            "(root-obj)",
            "(root-obj x)",
            "(root-obj (^ x x) 1)",
            "(root-obj (^ x 9999999999) 1)",
            "(root-obj (+ x) 7)",
        ] {
            assert_eq!(algebraic(text), None, "{text}");
        }
    }
}
