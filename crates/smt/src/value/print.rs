//! Prints values as SMT-LIB terms.

use std::fmt::Write as _;

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::codata::{Codata, CodataField};
use super::{Algebraic, Array, Bag, BitVec, FiniteSet, Value};
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
        Value::Enclosure(number) => *text += &format!("about {}", number.low().to_f64().value()),
        Value::BitVec(bits) => *text += &bits.text(),
        Value::Float(float) => write_float(float, text),
        Value::RoundingMode(mode) => *text += mode.name(),
        Value::Text(string) => *text += &string.write(),
        Value::Character(code) => *text += &format!("(_ Char {code})"),
        Value::RegLan(_) => *text += "a-regular-expression",
        Value::Array(array) if arena.view_sort(sort).head == Symbol::ARROW => {
            write_function(arena, sort, array, text);
        }
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
        Value::Codata(tree) => write_tree(arena, tree, text),
        Value::Abstract(name) => write_abstract(arena, sort, *name, text),
        Value::Sequence(sequence) => write_sequence(arena, sort, &sequence.elements, text),
        Value::Set(set) => write_set(arena, sort, set, text),
        Value::Bag(bag) => write_bag(arena, sort, bag, text),
        Value::Field(order, number) => *text += &format!("(as ff{number} (_ FiniteField {order}))"),
        Value::Function(_) => *text += "a-function",
        Value::Elsewhere(_) => *text += "elsewhere",
    }
}

/// `(lambda ((x U)) (ite (= x a) b c))`
fn write_function(arena: &Arena, sort: Sort, array: &Array, text: &mut String) {
    let &[index, element] = arena.view_sort(sort).arguments else { return };
    *text += &format!("(lambda ((x {})) ", sort_text(arena, index));
    for (at, value) in array.stores() {
        *text += "(ite (= x ";
        write(arena, index, at, text);
        *text += ") ";
        write(arena, element, value, text);
        text.push(' ');
    }
    write(arena, element, array.default(), text);
    array.stores().for_each(|_| text.push(')'));
    text.push(')');
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
        // The only tuple without fields has a name of its own.
        *text += if construct.constructor == Symbol::TUPLE { "tuple.unit" } else { &head };
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

/// The longest text of a tree: a small graph can be a large term.
const MAX_TREE_BYTES: usize = 1 << 16;

/// `(c true cbv_S_0)`: a subtree within itself is the name of its sort and the number of constructors between.
fn write_tree(arena: &Arena, tree: &Codata, text: &mut String) {
    let start = text.len();
    // The nodes around the place, each with the number of its fields that are written.
    let mut path: Vec<(u32, usize)> = Vec::new();
    let mut next = Some(0);
    loop {
        if let Some(number) = next.take() {
            let node = &tree.nodes()[number as usize];
            let name = symbol_text(arena, node.constructor);
            match path.iter().rev().position(|(around, _)| *around == number) {
                Some(above) => *text += &format!("cbv_{}_{above}", sort_text(arena, node.sort)),
                None if node.fields.is_empty() => *text += &name,
                None => {
                    *text += &format!("({name}");
                    path.push((number, 0));
                }
            }
        }
        let Some((number, done)) = path.last_mut() else { return };
        if text.len() - start > MAX_TREE_BYTES {
            text.truncate(start);
            *text += "a-large-tree";
            return;
        }
        let fields = &tree.nodes()[*number as usize].fields;
        *done += 1;
        match fields.get(*done - 1) {
            Some(CodataField::Node(child)) => {
                text.push(' ');
                next = Some(*child);
            }
            Some(CodataField::Value(value)) => {
                text.push(' ');
                write(arena, sort_of(value), value, text);
            }
            Some(CodataField::Above(above, sort)) => {
                *text += &format!(" cbv_{}_{above}", sort_text(arena, *sort));
            }
            None => {
                text.push(')');
                path.pop();
            }
        }
    }
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
