//! The operators that only strings have: order, codes, numbers, and regular expressions by derivatives.

use dashu_int::IBig;

use super::sequences::text;
use super::{EvalResult, Operator, OperatorCall, Undecided};
use crate::regex::{Regex, Regexes};
use crate::text::Text;
use crate::value::{BitVec, Value};

/// The last character of the standard and of z3.
const MAX_CHARACTER: u32 = 0x2ffff;

/// The operators of Strings, and the solvers' extensions; `sequences.rs` has those of any sequence.
pub(super) const STRING_OPERATORS: &[(&str, Operator)] = &[
    // z3's (_ Char 65) is a character; the standard's (_ char #x41) is a string of length one.
    ("char", |call, _| match code(call) {
        Some(code) => text(call, vec![code]),
        None => Err(call.unexpected()),
    }),
    ("Char", |call, _| code(call).map(Value::Character).ok_or_else(|| call.unexpected())),
    ("char.<=", |call, arguments| match arguments {
        [Value::Character(a), Value::Character(b)] => Ok(Value::Bool(a <= b)),
        _ => Err(call.unexpected()),
    }),
    ("char.to_int", |call, arguments| match arguments {
        [Value::Character(code)] => Ok(Value::int(*code)),
        _ => Err(call.unexpected()),
    }),
    ("char.is_digit", |call, arguments| match arguments {
        [Value::Character(code)] => Ok(Value::Bool((0x30..=0x39).contains(code))),
        _ => Err(call.unexpected()),
    }),
    ("char.to_bv", |call, arguments| match arguments {
        [Value::Character(code)] => Ok(Value::BitVec(BitVec::new(18, (*code).into()))),
        _ => Err(call.unexpected()),
    }),
    ("char.from_bv", |call, arguments| match arguments {
        [Value::BitVec(bits)] => match u32::try_from(bits.unsigned()) {
            Ok(code) if code <= MAX_CHARACTER => Ok(Value::Character(code)),
            // z3 leaves it as it is.
            _ => Err(Undecided::Unknown("a character beyond the last one".into())),
        },
        _ => Err(call.unexpected()),
    }),
    ("str.<", |call, arguments| texts(call, arguments, |a, b| a < b)),
    ("str.<=", |call, arguments| texts(call, arguments, |a, b| a <= b)),
    ("str.is_digit", |call, arguments| match arguments {
        [Value::Text(text)] => Ok(Value::Bool(text.is_digit())),
        _ => Err(call.unexpected()),
    }),
    ("str.to_code", |call, arguments| match arguments {
        [Value::Text(text)] => Ok(text.to_code().map_or_else(|| Value::int(-1), Value::int)),
        _ => Err(call.unexpected()),
    }),
    ("str.from_code", |call, arguments| match arguments {
        [Value::Int(code)] => Ok(Value::Text(Text::from_code(code))),
        _ => Err(call.unexpected()),
    }),
    ("str.to_int", to_int),
    ("str.from_int", from_int),
    ("str.from_ubv", |call, arguments| match arguments {
        [Value::BitVec(bits)] => Ok(Value::Text(Text::from_int(&IBig::from(bits.unsigned().clone())))),
        _ => Err(call.unexpected()),
    }),
    ("str.from_sbv", |call, arguments| match arguments {
        [Value::BitVec(bits)] => Ok(Value::Text(Text::from_signed(&bits.signed()))),
        _ => Err(call.unexpected()),
    }),
    ("str.to_lower", |call, arguments| changed(call, arguments, Text::to_lower)),
    ("str.to_upper", |call, arguments| changed(call, arguments, Text::to_upper)),
    // regular expressions
    ("str.to_re", word),
    ("str.in_re", in_re),
    ("str.indexof_re", |call, arguments| match arguments {
        [Value::Text(text), Value::RegLan(regex), Value::Int(from)] => {
            let found = call.regexes.index_of(text, *regex, from).ok_or_else(|| call.too_large())?;
            Ok(found.map_or_else(|| Value::int(-1), Value::int))
        }
        _ => Err(call.unexpected()),
    }),
    ("str.replace_re", replace_re),
    ("str.replace_re_all", replace_re_all),
    ("re.none", |_, _| Ok(Value::RegLan(Regex::NONE))),
    ("re.all", |_, _| Ok(Value::RegLan(Regex::ALL))),
    ("re.allchar", |_, _| Ok(Value::RegLan(Regex::ALL_CHAR))),
    ("re.++", |call, arguments| several(call, arguments, Regexes::concat)),
    ("re.union", |call, arguments| several(call, arguments, Regexes::union)),
    ("re.inter", |call, arguments| several(call, arguments, Regexes::intersection)),
    ("re.*", |call, arguments| one(call, arguments, Regexes::star)),
    ("re.+", |call, arguments| one(call, arguments, Regexes::plus)),
    ("re.opt", |call, arguments| one(call, arguments, Regexes::option)),
    ("re.comp", |call, arguments| one(call, arguments, Regexes::complement)),
    ("re.reverse", |call, arguments| one(call, arguments, Regexes::reversed)),
    ("re.derivative", |call, arguments| match arguments {
        [Value::Character(code), Value::RegLan(language)] => {
            let derivative = call.regexes.derivative(*language, *code);
            regex(call, derivative)
        }
        _ => Err(call.unexpected()),
    }),
    ("re.diff", |call, arguments| two(call, arguments, Regexes::difference)),
    ("re.xor", |call, arguments| two(call, arguments, Regexes::symmetric_difference)),
    ("re.range", |call, arguments| match arguments {
        [Value::Text(first), Value::Text(last)] => {
            let range = call.regexes.range(first, last);
            regex(call, range)
        }
        _ => Err(call.unexpected()),
    }),
    ("re.^", |call, arguments| {
        let count = call.index(0).into();
        one(call, arguments, |regexes, regex| regexes.power(regex, count))
    }),
    ("re.loop", |call, arguments| match (call.indices.len(), arguments) {
        (2, [Value::RegLan(_)]) => {
            let (least, most) = (call.index(0).into(), call.index(1).into());
            one(call, arguments, |regexes, regex| regexes.repeat(regex, least, Some(most)))
        }
        (1, [Value::RegLan(_)]) => {
            let least = call.index(0).into();
            one(call, arguments, |regexes, regex| regexes.repeat(regex, least, None))
        }
        (0, [regex @ Value::RegLan(_), Value::Int(least), rest @ ..]) => {
            let most =
                rest.first().and_then(|most| if let Value::Int(most) = most { Some(most) } else { None });
            let (Ok(least), most) = (u64::try_from(least), most.map(u64::try_from)) else {
                return Err(call.unexpected());
            };
            let most = most.transpose().map_err(|_| call.unexpected())?;
            one(call, std::slice::from_ref(regex), |regexes, regex| regexes.repeat(regex, least, most))
        }
        _ => Err(call.unexpected()),
    }),
];

/// The code point of the index: a numeral, or a hexadecimal by its spelling.
fn code(call: &OperatorCall<'_>) -> Option<u32> {
    match *call.indices.first()? {
        crate::sort::Index::Numeral(code) => Some(code),
        crate::sort::Index::Symbol(spelling) => {
            u32::from_str_radix(call.arena.text(spelling).strip_prefix("#x")?, 16).ok()
        }
    }
}

fn texts(call: &mut OperatorCall<'_>, arguments: &[Value], holds: fn(&Text, &Text) -> bool) -> EvalResult {
    match arguments {
        [Value::Text(a), Value::Text(b)] => Ok(Value::Bool(holds(a, b))),
        _ => Err(call.unexpected()),
    }
}

fn changed(call: &mut OperatorCall<'_>, arguments: &[Value], change: fn(&Text) -> Text) -> EvalResult {
    match arguments {
        [Value::Text(text)] => Ok(Value::Text(change(text))),
        _ => Err(call.unexpected()),
    }
}

fn to_int(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        // Reading a number takes superlinear time in its length.
        [Value::Text(text)] if text.len() > 1 << 20 => Err(call.too_large()),
        [Value::Text(text)] => Ok(text.to_int().map_or_else(|| Value::int(-1), Value::int)),
        _ => Err(call.unexpected()),
    }
}

fn from_int(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    match arguments {
        [number @ Value::Int(_)] if number.weight().bytes > 1 << 19 => Err(call.too_large()),
        [Value::Int(number)] => Ok(Value::Text(Text::from_int(number))),
        _ => Err(call.unexpected()),
    }
}

/// A regular expression, or an error if its budget is exhausted.
fn regex(call: &OperatorCall<'_>, regex: Option<Regex>) -> EvalResult {
    regex.map(Value::RegLan).ok_or_else(|| call.too_large())
}

fn word(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [Value::Text(text)] = arguments else { return Err(call.unexpected()) };
    let word = call.regexes.word(text);
    regex(call, word)
}

fn in_re(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [Value::Text(text), Value::RegLan(regex)] = arguments else { return Err(call.unexpected()) };
    call.regexes.matches(text, *regex).map(Value::Bool).ok_or_else(|| call.too_large())
}

fn replace_re(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [Value::Text(all), Value::RegLan(regex), Value::Text(by)] = arguments else {
        return Err(call.unexpected());
    };
    let limit = call.longest();
    let codes = call.regexes.replace(all, *regex, by, limit).ok_or_else(|| call.too_large())?;
    text(call, codes)
}

fn replace_re_all(call: &mut OperatorCall<'_>, arguments: &[Value]) -> EvalResult {
    let [Value::Text(all), Value::RegLan(regex), Value::Text(by)] = arguments else {
        return Err(call.unexpected());
    };
    let limit = call.longest();
    let codes = call.regexes.replace_all(all, *regex, by, limit).ok_or_else(|| call.too_large())?;
    text(call, codes)
}

fn one(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: impl Fn(&mut Regexes, Regex) -> Option<Regex>,
) -> EvalResult {
    let [Value::RegLan(argument)] = arguments else { return Err(call.unexpected()) };
    let result = operation(call.regexes, *argument);
    regex(call, result)
}

fn two(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&mut Regexes, Regex, Regex) -> Option<Regex>,
) -> EvalResult {
    match arguments {
        [one] => Ok(one.clone()),
        [Value::RegLan(a), Value::RegLan(b)] => {
            let result = operation(call.regexes, *a, *b);
            regex(call, result)
        }
        _ => Err(call.unexpected()),
    }
}

fn several(
    call: &mut OperatorCall<'_>,
    arguments: &[Value],
    operation: fn(&mut Regexes, &[Regex]) -> Option<Regex>,
) -> EvalResult {
    let parts: Option<Vec<Regex>> = arguments
        .iter()
        .map(|argument| match argument {
            Value::RegLan(regex) => Some(*regex),
            _ => None,
        })
        .collect();
    let parts = parts.ok_or_else(|| Undecided::Unknown("a regular expression over no strings".into()))?;
    let result = operation(call.regexes, &parts);
    regex(call, result)
}
