//! Prints values as SMT-LIB terms.

use std::fmt::Write as _;

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::{Algebraic, Bag, BitVec, FiniteSet, Value};
use crate::arena::Arena;
use crate::float::Float;
use crate::print::{sort_text, symbol_text};
use crate::sort::Sort;
use crate::symbol::Symbol;

/// A value of the given sort as a term that can be part of a script, or a description if there is none (functions).
pub fn value_text(arena: &Arena, sort: Sort, value: &Value) -> String {
    let mut text = String::new();
    write(arena, arena.canonical(sort), value, &mut text);
    text
}

/// Recurses on the depth of values, which is bounded.
fn write(arena: &Arena, sort: Sort, value: &Value, text: &mut String) {
    match value {
        Value::Bool(value) => *text += if *value { "true" } else { "false" },
        Value::Int(number) if sort == Sort::REAL => write_real(&RBig::from(number.clone()), text),
        Value::Int(number) => write_int(number, "", text),
        Value::Real(number) => write_real(number, text),
        Value::Algebraic(number) => write_algebraic(number, text),
        Value::BitVec(bits) => *text += &bits.text(),
        Value::Float(float) => write_float(float, text),
        Value::RoundingMode(mode) => *text += mode.name(),
        Value::Text(string) => *text += &string.write(),
        Value::Character(code) => *text += &format!("(_ Char {code})"),
        Value::RegLan(_) => *text += "a-regular-expression",
        Value::Array(array) => {
            let view = arena.view_sort(sort);
            let (index, element) = match view.arguments {
                [index, element] => (*index, *element),
                _ => (Sort::UNKNOWN, Sort::UNKNOWN),
            };
            array.stores().for_each(|_| *text += "(store ");
            *text += &format!("((as const {}) ", sort_text(arena, sort));
            write(arena, element, array.default(), text);
            text.push(')');
            for (at, value) in array.stores() {
                text.push(' ');
                write(arena, index, at, text);
                text.push(' ');
                write(arena, element, value, text);
                text.push(')');
            }
        }
        Value::Datatype(construct) => write_construct(arena, sort, construct, text),
        Value::Abstract(name) => write_abstract(arena, sort, *name, text),
        Value::Sequence(sequence) => write_sequence(arena, sort, &sequence.elements, text),
        Value::Set(set) => write_set(arena, sort, set, text),
        Value::Bag(bag) => write_bag(arena, sort, bag, text),
        Value::Field(order, number) => *text += &format!("(as ff{number} (_ FiniteField {order}))"),
        Value::Function(_) => *text += "a-function",
        Value::Elsewhere(_) => *text += "elsewhere",
    }
}

fn write_float(float: &Float, text: &mut String) {
    let format = float.format();
    let (eb, sb) = (format.exponent_bits(), format.significand_bits());
    let sign = if float.is_negative() { '-' } else { '+' };
    *text += &match float.fields() {
        None => format!("(_ NaN {eb} {sb})"),
        Some(_) if float.is_infinite() => format!("(_ {sign}oo {eb} {sb})"),
        Some(_) if float.is_zero() => format!("(_ {sign}zero {eb} {sb})"),
        Some(fields) => {
            let sign = if float.is_negative() { "#b1" } else { "#b0" };
            let exponent = BitVec::new(eb, fields.exponent).text();
            format!("(fp {sign} {exponent} {})", BitVec::new(sb - 1, fields.significand).text())
        }
    };
}

fn write_int(number: &IBig, suffix: &str, text: &mut String) {
    let _ = match *number < IBig::ZERO {
        true => write!(text, "(- {}{suffix})", -number),
        false => write!(text, "{number}{suffix}"),
    };
}

fn write_real(number: &RBig, text: &mut String) {
    if *number.denominator() == dashu_int::UBig::ONE {
        return write_int(number.numerator(), ".0", text);
    }
    let (sign, magnitude) = number.numerator().clone().into_parts();
    let fraction = format!("(/ {magnitude}.0 {}.0)", number.denominator());
    *text += &if sign == dashu_int::Sign::Negative { format!("(- {fraction})") } else { fraction };
}

/// The number in z3's notation for roots; a number computed from a root is a sum of its powers.
fn write_algebraic(number: &Algebraic, text: &mut String) {
    let (root, expression) = number.parts();
    let (polynomial, index) = root.parts();
    let mut generator = String::from("(root-obj ");
    write_polynomial(polynomial, "x", &mut generator);
    generator += &format!(" {index})");
    match expression.coefficients() {
        [constant, factor] if *constant == RBig::ZERO && *factor == RBig::ONE => *text += &generator,
        _ => write_polynomial(expression, &generator, text),
    }
}

fn write_polynomial(polynomial: &super::Polynomial, of: &str, text: &mut String) {
    *text += "(+ 0";
    for (power, coefficient) in polynomial.coefficients().iter().enumerate().rev() {
        if *coefficient != RBig::ZERO {
            *text += " (* ";
            match *coefficient.denominator() == dashu_int::UBig::ONE {
                true => write_int(coefficient.numerator(), "", text),
                false => write_real(coefficient, text),
            }
            *text += &format!(" (^ {of} {power}))");
        }
    }
    text.push(')');
}

fn write_abstract(arena: &Arena, sort: Sort, name: Symbol, text: &mut String) {
    let shown = symbol_text(arena, name);
    // z3's elements are constants; all others need their sort.
    *text += &if shown.starts_with('@') { format!("(as {shown} {})", sort_text(arena, sort)) } else { shown };
}

fn write_construct(arena: &Arena, sort: Sort, construct: &super::DatatypeValue, text: &mut String) {
    let name = symbol_text(arena, construct.constructor);
    let arguments = arena.view_sort(sort).arguments;
    let is_polymorphic = !arguments.is_empty();
    // The fields of tuples and nullables have the sorts that their sort says.
    let is_built_in = matches!(construct.constructor, Symbol::TUPLE | Symbol::SOME);
    let head = match is_polymorphic && !is_built_in && construct.constructor != Symbol::EMPTY {
        true => format!("(as {name} {})", sort_text(arena, sort)),
        false => name,
    };
    if construct.fields.is_empty() {
        *text += &head;
        return;
    }
    *text += &format!("({head}");
    for (place, field) in construct.fields.iter().enumerate() {
        text.push(' ');
        let sort = arguments.get(place).copied().filter(|_| is_built_in).unwrap_or_else(|| sort_of(field));
        write(arena, sort, field, text);
    }
    text.push(')');
}

/// The sort of a value that does not need context, enough to print it.
fn sort_of(value: &Value) -> Sort {
    match value {
        Value::Real(_) => Sort::REAL,
        Value::Int(_) => Sort::INT,
        _ => Sort::UNKNOWN,
    }
}

fn write_sequence(arena: &Arena, sort: Sort, elements: &[Value], text: &mut String) {
    let element = arena.view_sort(sort).arguments.first().copied().unwrap_or(Sort::UNKNOWN);
    match elements {
        [] => *text += &format!("(as seq.empty {})", sort_text(arena, sort)),
        [one] => {
            *text += "(seq.unit ";
            write(arena, element, one, text);
            text.push(')');
        }
        many => {
            *text += "(seq.++";
            for value in many {
                *text += " (seq.unit ";
                write(arena, element, value, text);
                text.push(')');
            }
            text.push(')');
        }
    }
}

fn write_set(arena: &Arena, sort: Sort, set: &FiniteSet, text: &mut String) {
    let element = arena.view_sort(sort).arguments.first().copied().unwrap_or(Sort::UNKNOWN);
    let elements = set.elements();
    if elements.is_empty() {
        *text += &format!("(as set.empty {})", sort_text(arena, sort));
    }
    *text += if elements.len() > 1 { "(set.union" } else { "" };
    for value in elements {
        *text += if elements.len() > 1 { " (set.singleton " } else { "(set.singleton " };
        write(arena, element, value, text);
        text.push(')');
    }
    *text += if elements.len() > 1 { ")" } else { "" };
}

fn write_bag(arena: &Arena, sort: Sort, bag: &Bag, text: &mut String) {
    let element = arena.view_sort(sort).arguments.first().copied().unwrap_or(Sort::UNKNOWN);
    let counts = bag.counts();
    if counts.is_empty() {
        *text += &format!("(as bag.empty {})", sort_text(arena, sort));
    }
    *text += if counts.len() > 1 { "(bag.union_disjoint" } else { "" };
    for (value, count) in counts {
        *text += if counts.len() > 1 { " (bag " } else { "(bag " };
        write(arena, element, value, text);
        *text += &format!(" {count})");
    }
    *text += if counts.len() > 1 { ")" } else { "" };
}
