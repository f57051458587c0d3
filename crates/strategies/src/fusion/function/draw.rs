//! Draws values, in SMT-LIB syntax: for symbolic constants, and for checking functions.
//!
//! Inverses rarely fail on ordinary values, so half of all draws are special: zero, one, the ends of a range, NaN and
//! both zeros, empty strings and strings of digits.

use std::sync::Arc;

use gainsay_smt::{Command, Script};

use super::s_expression::SExpression;
use super::sort_bindings;
use crate::random::Rng;

/// The deepest nesting of a drawn value.
const MAX_VALUE_NESTING: usize = 6;

/// The values that a constant may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ConstantDomain {
    /// Any.
    #[default]
    Any,
    /// Any number except zero.
    Nonzero,
    /// Any number except negative ones.
    Natural,
    /// Any string or sequence except the empty one.
    Nonempty,
    /// Bit vectors whose last bit is set.
    Odd,
}

impl ConstantDomain {
    /// All domains, with their keywords in rule files.
    pub const ALL: [(ConstantDomain, &str); 5] = [
        (ConstantDomain::Any, ":any"),
        (ConstantDomain::Nonzero, ":nonzero"),
        (ConstantDomain::Natural, ":natural"),
        (ConstantDomain::Nonempty, ":nonempty"),
        (ConstantDomain::Odd, ":odd"),
    ];

    /// Its keyword in rule files.
    pub fn word(self) -> &'static str {
        ConstantDomain::ALL.iter().find(|(domain, _)| *domain == self).map_or(":any", |(_, word)| word)
    }

    /// The condition on a constant of a sort, if any.
    pub fn condition(self, name: &str, sort: &SExpression) -> Option<SExpression> {
        let name = SExpression::word(name);
        let zero = SExpression::word(if sort.as_word() == Some("Real") { "0.0" } else { "0" });
        let word = SExpression::word;
        Some(match self {
            ConstantDomain::Any => return None,
            ConstantDomain::Nonzero => SExpression::apply("distinct", [name, zero]),
            ConstantDomain::Natural => SExpression::apply("<=", [zero, name]),
            ConstantDomain::Nonempty if sort.as_word() == Some("String") => {
                SExpression::apply("distinct", [name, word("\"\"")])
            }
            ConstantDomain::Nonempty => SExpression::apply("distinct", [name, empty(sort)]),
            ConstantDomain::Odd => {
                let last = SExpression::list([word("_"), word("extract"), word("0"), word("0")]);
                SExpression::apply("=", [SExpression::list([last, name]), word("#b1")])
            }
        })
    }

    /// Whether a drawn value is in the domain, by its spelling.
    fn has(self, value: &SExpression) -> bool {
        let text = value.to_string();
        match self {
            ConstantDomain::Any => true,
            ConstantDomain::Nonzero => text.contains(|c: char| ('1'..='9').contains(&c)),
            ConstantDomain::Natural => !text.starts_with("(-"),
            ConstantDomain::Nonempty => text != "\"\"" && !text.starts_with("(as seq.empty"),
            ConstantDomain::Odd => text.starts_with("#b") && text.ends_with('1'),
        }
    }
}

/// The datatypes of a script whose values can be drawn.
#[derive(Clone, Debug, Default)]
pub struct DrawableDatatypes {
    /// For each constructor, its datatype, its name and the sorts of its fields.
    constructors: Vec<(SExpression, Arc<str>, Vec<SExpression>)>,
    /// The constructors by name, with their datatypes.
    results: Vec<(Arc<str>, SExpression)>,
    /// Whether array values may be written, which needs `(as const …)`.
    pub arrays: ArrayLiterals,
}

/// Whether array values may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArrayLiterals {
    /// They may.
    #[default]
    Written,
    /// A solver does not support `(as const …)`, so they may not.
    Unknown,
}

impl DrawableDatatypes {
    /// The datatypes without parameters that a script declares.
    pub fn of(script: &Script) -> DrawableDatatypes {
        let arena = script.arena();
        let mut datatypes = DrawableDatatypes::default();
        for command in &script.commands {
            let Command::DeclareDatatypes(_, declarations) = command else { continue };
            for datatype in declarations.iter().filter(|datatype| datatype.parameters.is_empty()) {
                let sort = SExpression::word(&gainsay_smt::print::symbol_text(arena, datatype.name));
                for constructor in &datatype.constructors {
                    let name: Arc<str> = gainsay_smt::print::symbol_text(arena, constructor.name).into();
                    let fields: Option<Vec<SExpression>> = constructor
                        .fields
                        .iter()
                        .map(|(_, field)| sort_bindings::sort(arena, *field))
                        .collect();
                    if let Some(fields) = fields {
                        datatypes.results.push((Arc::clone(&name), sort.clone()));
                        datatypes.constructors.push((sort.clone(), name, fields));
                    }
                }
            }
        }
        datatypes
    }

    /// The same datatypes, with or without array values.
    #[must_use]
    pub fn with(self, arrays: ArrayLiterals) -> DrawableDatatypes {
        DrawableDatatypes { arrays, ..self }
    }

    /// The constructors by name, with their datatypes.
    pub fn results(&self) -> impl Iterator<Item = &(Arc<str>, SExpression)> {
        self.results.iter()
    }
}

/// Draws a value for a constant; `None` if no value of the sort can be written.
pub fn constant(
    sort: &SExpression,
    domain: ConstantDomain,
    datatypes: &DrawableDatatypes,
    rng: &mut Rng,
) -> Option<SExpression> {
    (0..50).map(|_| value(sort, datatypes, rng)).take_while(Option::is_some).flatten().find(|v| domain.has(v))
}

/// Draws a value of a sort; `None` if none can be written.
pub fn value(sort: &SExpression, datatypes: &DrawableDatatypes, rng: &mut Rng) -> Option<SExpression> {
    drawn(sort, datatypes, MAX_VALUE_NESTING, rng)
}

/// Draws a width of bit vectors.
pub fn width(rng: &mut Rng) -> SExpression {
    const COMMON_WIDTHS: [&str; 10] = ["1", "2", "3", "4", "7", "8", "16", "20", "32", "64"];
    SExpression::word(COMMON_WIDTHS[rng.below(COMMON_WIDTHS.len())])
}

fn drawn(
    sort: &SExpression,
    datatypes: &DrawableDatatypes,
    fuel: usize,
    rng: &mut Rng,
) -> Option<SExpression> {
    let fuel_left = fuel.checked_sub(1)?;
    let items = sort.items();
    let index = |place: usize| items.get(place)?.as_word()?.parse::<u32>().ok();
    Some(match sort.head() {
        "Bool" => SExpression::word(["false", "true"][rng.below(2)]),
        "Int" => signed(integer(rng), rng),
        "Real" => real(rng),
        "String" => string(rng),
        "RoundingMode" => SExpression::word(["RNE", "RNA", "RTP", "RTN", "RTZ"][rng.below(5)]),
        "BitVec" => bits(index(2)?, rng)?,
        "FloatingPoint" => float(index(2)?, index(3)?, rng)?,
        "Array" => array(sort, datatypes, fuel_left, rng)?,
        "Seq" => sequence(sort, datatypes, fuel_left, rng)?,
        _ => construct(sort, datatypes, fuel_left, rng)?,
    })
}

fn signed(number: SExpression, rng: &mut Rng) -> SExpression {
    match rng.below(2) {
        0 if number.as_word() != Some("0") && number.as_word() != Some("0.0") => {
            SExpression::apply("-", [number])
        }
        _ => number,
    }
}

fn integer(rng: &mut Rng) -> SExpression {
    let number = match rng.below(8) {
        0 => 0,
        1 => 1,
        2 | 3 => rng.below(10),
        4 | 5 => rng.below(1000),
        6 => (1 << rng.below(20)) + rng.below(3) - 1,
        _ => rng.below(1 << 40),
    };
    SExpression::word(&number.to_string())
}

fn real(rng: &mut Rng) -> SExpression {
    let whole = |rng: &mut Rng| SExpression::word(&format!("{}.0", integer(rng)));
    let number = match rng.below(4) {
        0 | 1 => whole(rng),
        2 => SExpression::word(&format!("{}.{}", rng.below(100), rng.below(1000))),
        _ => {
            let above = SExpression::word(&format!("{}.0", 1 + rng.below(1000)));
            let below = SExpression::word(&format!("{}.0", 2 + rng.below(30)));
            SExpression::apply("/", [above, below])
        }
    };
    signed(number, rng)
}

fn string(rng: &mut Rng) -> SExpression {
    const STRING_PIECES: [&str; 12] =
        ["a", "b", "ab", "0", "1", "9", "-", " ", "\"\"", "\\u{0}", "\\u{2ffff}", "\\u{e9}"];
    let text = match rng.below(4) {
        0 => String::new(),
        // Words that contain each other exercise the search operators.
        1 => "ab".repeat(rng.below(3)) + &"a".repeat(rng.below(3)),
        2 => format!("{}{}", "0".repeat(rng.below(2)), rng.below(1000)),
        _ => (0..rng.below(5)).map(|_| STRING_PIECES[rng.below(STRING_PIECES.len())]).collect(),
    };
    SExpression::word(&format!("\"{text}\""))
}

/// Wider bit vectors are written as `(_ bv… …)`.
const MAX_BINARY_WIDTH: u32 = 512;

fn bits(width: u32, rng: &mut Rng) -> Option<SExpression> {
    (width > 0).then_some(())?;
    if width > MAX_BINARY_WIDTH {
        let word = SExpression::word;
        let value = format!("bv{}", rng.below(1 << 30));
        return Some(SExpression::list([word("_"), word(&value), word(&width.to_string())]));
    }
    Some(SExpression::word(&format!("#b{}", digits(width, rng))))
}

fn digits(width: u32, rng: &mut Rng) -> String {
    let width = width as usize;
    let digit = |rng: &mut Rng| if rng.chance(1, 2) { '1' } else { '0' };
    match rng.below(8) {
        0 => "0".repeat(width),
        1 => "1".repeat(width),
        2 => format!("1{}", "0".repeat(width - 1)),
        3 => format!("0{}", "1".repeat(width - 1)),
        4 => format!("{}1", "0".repeat(width - 1)),
        _ => (0..width).map(|_| digit(rng)).collect(),
    }
}

fn float(exponent: u32, significand: u32, rng: &mut Rng) -> Option<SExpression> {
    (exponent > 1 && significand > 1 && exponent < MAX_BINARY_WIDTH && significand < MAX_BINARY_WIDTH)
        .then_some(())?;
    const SPECIAL_FLOATS: [&str; 5] = ["NaN", "+oo", "-oo", "+zero", "-zero"];
    let word = SExpression::word;
    Some(match rng.below(3) {
        0 => {
            let name = SPECIAL_FLOATS[rng.below(SPECIAL_FLOATS.len())];
            let format = [word(&exponent.to_string()), word(&significand.to_string())];
            SExpression::list([word("_"), word(name)].into_iter().chain(format))
        }
        _ => {
            let part = |width, rng: &mut Rng| word(&format!("#b{}", digits(width, rng)));
            let parts = [part(1, rng), part(exponent, rng), part(significand - 1, rng)];
            SExpression::apply("fp", parts)
        }
    })
}

fn array(
    sort: &SExpression,
    datatypes: &DrawableDatatypes,
    fuel: usize,
    rng: &mut Rng,
) -> Option<SExpression> {
    let [_, index, element] = sort.items() else { return None };
    (datatypes.arrays == ArrayLiterals::Written).then_some(())?;
    let word = SExpression::word;
    let everywhere = SExpression::list([word("as"), word("const"), sort.clone()]);
    let mut array = SExpression::list([everywhere, plain(element, datatypes, fuel, rng)?]);
    let stores = if fuel + 2 < MAX_VALUE_NESTING { 0 } else { rng.below(3) };
    for _ in 0..stores {
        let (index, element) = (drawn(index, datatypes, fuel, rng)?, drawn(element, datatypes, fuel, rng)?);
        array = SExpression::apply("store", [array, index, element]);
    }
    Some(array)
}

/// A value without operators: cvc5 accepts no other element of a constant array.
fn plain(
    sort: &SExpression,
    datatypes: &DrawableDatatypes,
    fuel: usize,
    rng: &mut Rng,
) -> Option<SExpression> {
    let fuel_left = fuel.checked_sub(1)?;
    match sort.head() {
        "Int" => Some(integer(rng)),
        "Real" => Some(SExpression::word(&format!("{}.0", integer(rng)))),
        "Seq" => Some(empty(sort)),
        "Array" if datatypes.arrays == ArrayLiterals::Written => {
            let everywhere =
                SExpression::list([SExpression::word("as"), SExpression::word("const"), sort.clone()]);
            Some(SExpression::list([everywhere, plain(sort.items().get(2)?, datatypes, fuel_left, rng)?]))
        }
        _ => drawn(sort, datatypes, fuel, rng),
    }
}

/// The empty sequence of a sort.
pub fn empty(sort: &SExpression) -> SExpression {
    SExpression::list([SExpression::word("as"), SExpression::word("seq.empty"), sort.clone()])
}

fn sequence(
    sort: &SExpression,
    datatypes: &DrawableDatatypes,
    fuel: usize,
    rng: &mut Rng,
) -> Option<SExpression> {
    let element = sort.items().get(1)?;
    let unit = |rng: &mut Rng| Some(SExpression::apply("seq.unit", [drawn(element, datatypes, fuel, rng)?]));
    Some(match rng.below(4) {
        0 => empty(sort),
        1 => unit(rng)?,
        count => {
            let units: Option<Vec<SExpression>> = (0..count).map(|_| unit(rng)).collect();
            SExpression::apply("seq.++", units?)
        }
    })
}

fn construct(
    sort: &SExpression,
    datatypes: &DrawableDatatypes,
    fuel: usize,
    rng: &mut Rng,
) -> Option<SExpression> {
    // Datatypes are often recursive, and values should be small.
    let fuel = fuel.saturating_sub(1);
    let mut own: Vec<_> = datatypes.constructors.iter().filter(|(of, ..)| of == sort).collect();
    rng.shuffle(&mut own);
    // Close to the depth limit, only constructors without fields succeed.
    own.into_iter().find_map(|(_, name, fields)| {
        if fields.is_empty() {
            return Some(SExpression::word(name));
        }
        let values: Option<Vec<SExpression>> =
            fields.iter().map(|field| drawn(field, datatypes, fuel, rng)).collect();
        Some(SExpression::apply(name, values?))
    })
}
