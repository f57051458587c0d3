//! Strings as far as they are more than sequences: order, codes, numbers, and regular expressions by derivatives.

use dashu_int::IBig;

use super::sequences::text;
use super::{Answer, Operator, Undecided, Use};
use crate::regex::{Regex, Regexes};
use crate::text::Text;
use crate::value::{BitVec, Value};

/// The operators of Strings, and what solvers add to them; what holds of any sequence is in `sequences.rs`.
pub(super) const OPERATORS: &[(&str, Operator)] = &[
    // z3's (_ Char 65) is a character, the standard's (_ char #x41) a string of one.
    ("char", |use_, _| match code(use_) {
        Some(code) => text(use_, vec![code]),
        None => Err(use_.unexpected()),
    }),
    ("Char", |use_, _| code(use_).map(Value::Character).ok_or_else(|| use_.unexpected())),
    ("char.<=", |use_, arguments| match arguments {
        [Value::Character(a), Value::Character(b)] => Ok(Value::Bool(a <= b)),
        _ => Err(use_.unexpected()),
    }),
    ("char.to_int", |use_, arguments| match arguments {
        [Value::Character(code)] => Ok(Value::int(*code)),
        _ => Err(use_.unexpected()),
    }),
    ("char.is_digit", |use_, arguments| match arguments {
        [Value::Character(code)] => Ok(Value::Bool((0x30..=0x39).contains(code))),
        _ => Err(use_.unexpected()),
    }),
    ("char.to_bv", |use_, arguments| match arguments {
        [Value::Character(code)] => Ok(Value::BitVec(BitVec::new(18, (*code).into()))),
        _ => Err(use_.unexpected()),
    }),
    ("str.<", |use_, arguments| texts(use_, arguments, |a, b| a < b)),
    ("str.<=", |use_, arguments| texts(use_, arguments, |a, b| a <= b)),
    ("str.is_digit", |use_, arguments| match arguments {
        [Value::Text(text)] => Ok(Value::Bool(text.is_digit())),
        _ => Err(use_.unexpected()),
    }),
    ("str.to_code", |use_, arguments| match arguments {
        [Value::Text(text)] => Ok(text.to_code().map_or_else(|| Value::int(-1), Value::int)),
        _ => Err(use_.unexpected()),
    }),
    ("str.from_code", |use_, arguments| match arguments {
        [Value::Int(code)] => Ok(Value::Text(Text::from_code(code))),
        _ => Err(use_.unexpected()),
    }),
    ("str.to_int", to_int),
    ("str.to.int", to_int),
    ("str.to-int", to_int),
    ("str.from_int", from_int),
    ("str.from-int", from_int),
    ("int.to.str", from_int),
    ("str.from_ubv", |use_, arguments| match arguments {
        [Value::BitVec(bits)] => Ok(Value::Text(Text::from_int(&IBig::from(bits.unsigned().clone())))),
        _ => Err(use_.unexpected()),
    }),
    ("str.from_sbv", |use_, arguments| match arguments {
        [Value::BitVec(bits)] => Ok(Value::Text(Text::from_signed(&bits.signed()))),
        _ => Err(use_.unexpected()),
    }),
    ("str.to_lower", |use_, arguments| changed(use_, arguments, Text::to_lower)),
    ("str.tolower", |use_, arguments| changed(use_, arguments, Text::to_lower)),
    ("str.to_upper", |use_, arguments| changed(use_, arguments, Text::to_upper)),
    ("str.toupper", |use_, arguments| changed(use_, arguments, Text::to_upper)),
    // regular expressions
    ("str.to_re", word),
    ("str.to.re", word),
    ("str.to-re", word),
    ("seq.to.re", word),
    ("str.in_re", in_re),
    ("str.in.re", in_re),
    ("str.in-re", in_re),
    ("seq.in.re", in_re),
    ("str.indexof_re", |use_, arguments| match arguments {
        [Value::Text(text), Value::RegLan(regex), Value::Int(from)] => {
            let found = use_.regexes.index_of(text, *regex, from).ok_or_else(|| use_.too_large())?;
            Ok(found.map_or_else(|| Value::int(-1), Value::int))
        }
        _ => Err(use_.unexpected()),
    }),
    ("str.replace_re", replace_re),
    ("seq.replace_re", replace_re),
    ("str.replace_re_all", replace_re_all),
    ("seq.replace_re_all", replace_re_all),
    ("re.none", |_, _| Ok(Value::RegLan(Regex::NONE))),
    ("re.nostr", |_, _| Ok(Value::RegLan(Regex::NONE))),
    ("re.empty", |_, _| Ok(Value::RegLan(Regex::NONE))),
    ("re.all", |_, _| Ok(Value::RegLan(Regex::ALL))),
    ("re.allchar", |_, _| Ok(Value::RegLan(Regex::ALL_CHAR))),
    ("re.++", |use_, arguments| several(use_, arguments, Regexes::concat)),
    ("re.union", |use_, arguments| several(use_, arguments, Regexes::union)),
    ("re.inter", |use_, arguments| several(use_, arguments, Regexes::intersection)),
    ("re.*", |use_, arguments| one(use_, arguments, Regexes::star)),
    ("re.+", |use_, arguments| one(use_, arguments, Regexes::plus)),
    ("re.opt", |use_, arguments| one(use_, arguments, Regexes::option)),
    ("re.comp", |use_, arguments| one(use_, arguments, Regexes::complement)),
    ("re.complement", |use_, arguments| one(use_, arguments, Regexes::complement)),
    ("re.diff", |use_, arguments| two(use_, arguments, Regexes::difference)),
    ("re.xor", |use_, arguments| two(use_, arguments, Regexes::symmetric_difference)),
    ("re.range", |use_, arguments| match arguments {
        [Value::Text(first), Value::Text(last)] => {
            let range = use_.regexes.range(first, last);
            regex(use_, range)
        }
        _ => Err(use_.unexpected()),
    }),
    ("re.^", |use_, arguments| {
        let count = use_.index(0).into();
        one(use_, arguments, |regexes, regex| regexes.power(regex, count))
    }),
    ("re.loop", |use_, arguments| match (use_.indices.len(), arguments) {
        (2, [Value::RegLan(_)]) => {
            let (least, most) = (use_.index(0).into(), use_.index(1).into());
            one(use_, arguments, |regexes, regex| regexes.repeat(regex, least, Some(most)))
        }
        (1, [Value::RegLan(_)]) => {
            let least = use_.index(0).into();
            one(use_, arguments, |regexes, regex| regexes.repeat(regex, least, None))
        }
        (0, [regex @ Value::RegLan(_), Value::Int(least), rest @ ..]) => {
            let most =
                rest.first().and_then(|most| if let Value::Int(most) = most { Some(most) } else { None });
            let (Ok(least), most) = (u64::try_from(least), most.map(u64::try_from)) else {
                return Err(use_.unexpected());
            };
            let most = most.transpose().map_err(|_| use_.unexpected())?;
            one(use_, std::slice::from_ref(regex), |regexes, regex| regexes.repeat(regex, least, most))
        }
        _ => Err(use_.unexpected()),
    }),
];

/// The code point that the index is: a numeral, or a hexadecimal by its spelling.
fn code(use_: &Use<'_>) -> Option<u32> {
    match *use_.indices.first()? {
        crate::sort::Index::Numeral(code) => Some(code),
        crate::sort::Index::Symbol(spelling) => {
            u32::from_str_radix(use_.arena.text(spelling).strip_prefix("#x")?, 16).ok()
        }
    }
}

fn texts(use_: &mut Use<'_>, arguments: &[Value], holds: fn(&Text, &Text) -> bool) -> Answer {
    match arguments {
        [Value::Text(a), Value::Text(b)] => Ok(Value::Bool(holds(a, b))),
        _ => Err(use_.unexpected()),
    }
}

fn changed(use_: &mut Use<'_>, arguments: &[Value], change: fn(&Text) -> Text) -> Answer {
    match arguments {
        [Value::Text(text)] => Ok(Value::Text(change(text))),
        _ => Err(use_.unexpected()),
    }
}

fn to_int(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        // Reading a number takes time that grows faster than its length.
        [Value::Text(text)] if text.len() > 1 << 20 => Err(use_.too_large()),
        [Value::Text(text)] => Ok(text.to_int().map_or_else(|| Value::int(-1), Value::int)),
        _ => Err(use_.unexpected()),
    }
}

fn from_int(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    match arguments {
        [number @ Value::Int(_)] if number.weight().bytes > 1 << 19 => Err(use_.too_large()),
        [Value::Int(number)] => Ok(Value::Text(Text::from_int(number))),
        _ => Err(use_.unexpected()),
    }
}

/// A regular expression, or that its budget is spent.
fn regex(use_: &Use<'_>, regex: Option<Regex>) -> Answer {
    regex.map(Value::RegLan).ok_or_else(|| use_.too_large())
}

fn word(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [Value::Text(text)] = arguments else { return Err(use_.unexpected()) };
    let word = use_.regexes.word(text);
    regex(use_, word)
}

fn in_re(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [Value::Text(text), Value::RegLan(regex)] = arguments else { return Err(use_.unexpected()) };
    use_.regexes.matches(text, *regex).map(Value::Bool).ok_or_else(|| use_.too_large())
}

fn replace_re(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [Value::Text(all), Value::RegLan(regex), Value::Text(by)] = arguments else {
        return Err(use_.unexpected());
    };
    let limit = use_.longest();
    let codes = use_.regexes.replace(all, *regex, by, limit).ok_or_else(|| use_.too_large())?;
    text(use_, codes)
}

fn replace_re_all(use_: &mut Use<'_>, arguments: &[Value]) -> Answer {
    let [Value::Text(all), Value::RegLan(regex), Value::Text(by)] = arguments else {
        return Err(use_.unexpected());
    };
    let limit = use_.longest();
    let codes = use_.regexes.replace_all(all, *regex, by, limit).ok_or_else(|| use_.too_large())?;
    text(use_, codes)
}

fn one(
    use_: &mut Use<'_>,
    arguments: &[Value],
    operation: impl Fn(&mut Regexes, Regex) -> Option<Regex>,
) -> Answer {
    let [Value::RegLan(argument)] = arguments else { return Err(use_.unexpected()) };
    let result = operation(use_.regexes, *argument);
    regex(use_, result)
}

fn two(
    use_: &mut Use<'_>,
    arguments: &[Value],
    operation: fn(&mut Regexes, Regex, Regex) -> Option<Regex>,
) -> Answer {
    match arguments {
        [one] => Ok(one.clone()),
        [Value::RegLan(a), Value::RegLan(b)] => {
            let result = operation(use_.regexes, *a, *b);
            regex(use_, result)
        }
        _ => Err(use_.unexpected()),
    }
}

fn several(
    use_: &mut Use<'_>,
    arguments: &[Value],
    operation: fn(&mut Regexes, &[Regex]) -> Option<Regex>,
) -> Answer {
    let parts: Option<Vec<Regex>> = arguments
        .iter()
        .map(|argument| match argument {
            Value::RegLan(regex) => Some(*regex),
            _ => None,
        })
        .collect();
    let parts = parts.ok_or_else(|| Undecided::Unknown("a regular expression over no strings".into()))?;
    let result = operation(use_.regexes, &parts);
    regex(use_, result)
}
