//! Values by chance, as they are written: for symbolic constants, and for trying out functions.
//!
//! Ordinary values are not where inverses go wrong, so that half of all draws are special ones: zero, one, the ends of a
//! range, NaN and both zeros, empty strings and strings of digits.

use std::sync::Arc;

use gainsay_smt::{Command, Script};

use super::bind;
use super::expression::Expression;
use crate::random::Rng;

/// How deep drawn values nest.
const FUEL: usize = 6;

/// Which values a constant may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Domain {
    /// Any.
    #[default]
    Any,
    /// Any number but zero.
    Nonzero,
    /// No negative number.
    Natural,
    /// Any string or sequence but the empty one.
    Nonempty,
    /// Bit-vectors whose last bit is set.
    Odd,
}

impl Domain {
    /// All of them, with their words in files.
    pub const ALL: [(Domain, &str); 5] = [
        (Domain::Any, ":any"),
        (Domain::Nonzero, ":nonzero"),
        (Domain::Natural, ":natural"),
        (Domain::Nonempty, ":nonempty"),
        (Domain::Odd, ":odd"),
    ];

    /// Its word in files.
    pub fn word(self) -> &'static str {
        Domain::ALL.iter().find(|(domain, _)| *domain == self).map_or(":any", |(_, word)| word)
    }

    /// What it says of a constant of a sort, if anything.
    pub fn condition(self, name: &str, sort: &Expression) -> Option<Expression> {
        let name = Expression::word(name);
        let zero = Expression::word(if sort.as_word() == Some("Real") { "0.0" } else { "0" });
        let word = Expression::word;
        Some(match self {
            Domain::Any => return None,
            Domain::Nonzero => Expression::apply("distinct", [name, zero]),
            Domain::Natural => Expression::apply("<=", [zero, name]),
            Domain::Nonempty if sort.as_word() == Some("String") => {
                Expression::apply("distinct", [name, word("\"\"")])
            }
            Domain::Nonempty => Expression::apply("distinct", [name, empty(sort)]),
            Domain::Odd => {
                let last = Expression::list([word("_"), word("extract"), word("0"), word("0")]);
                Expression::apply("=", [Expression::list([last, name]), word("#b1")])
            }
        })
    }

    /// Whether a value that was drawn is in it, by its looks.
    fn has(self, value: &Expression) -> bool {
        let text = value.to_string();
        match self {
            Domain::Any => true,
            Domain::Nonzero => text.contains(|c: char| ('1'..='9').contains(&c)),
            Domain::Natural => !text.starts_with("(-"),
            Domain::Nonempty => text != "\"\"" && !text.starts_with("(as seq.empty"),
            Domain::Odd => text.starts_with("#b") && text.ends_with('1'),
        }
    }
}

/// The datatypes of a script of which values can be drawn.
#[derive(Clone, Debug, Default)]
pub struct Datatypes {
    /// For each constructor its datatype, its name and the sorts of its fields.
    constructors: Vec<(Expression, Arc<str>, Vec<Expression>)>,
    /// The constructors by name with their datatypes.
    results: Vec<(Arc<str>, Expression)>,
    /// Whether values of arrays may be written, which takes `(as const …)`.
    pub arrays: Arrays,
}

/// Whether values of arrays may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrays {
    /// They may.
    #[default]
    Written,
    /// Somebody does not take `(as const …)`, without which there are none.
    Unknown,
}

impl Datatypes {
    /// Those without parameters that a script declares.
    pub fn of(script: &Script) -> Datatypes {
        let arena = script.arena();
        let mut datatypes = Datatypes::default();
        for command in &script.commands {
            let Command::DeclareDatatypes(_, declarations) = command else { continue };
            for datatype in declarations.iter().filter(|datatype| datatype.parameters.is_empty()) {
                let sort = Expression::word(&gainsay_smt::print::symbol_text(arena, datatype.name));
                for constructor in &datatype.constructors {
                    let name: Arc<str> = gainsay_smt::print::symbol_text(arena, constructor.name).into();
                    let fields: Option<Vec<Expression>> =
                        constructor.fields.iter().map(|(_, field)| bind::sort(arena, *field)).collect();
                    if let Some(fields) = fields {
                        datatypes.results.push((Arc::clone(&name), sort.clone()));
                        datatypes.constructors.push((sort.clone(), name, fields));
                    }
                }
            }
        }
        datatypes
    }

    /// The same with or without arrays.
    #[must_use]
    pub fn with(self, arrays: Arrays) -> Datatypes {
        Datatypes { arrays, ..self }
    }

    /// The constructors by name with their datatypes.
    pub fn results(&self) -> impl Iterator<Item = &(Arc<str>, Expression)> {
        self.results.iter()
    }
}

/// A value for a constant; nothing if the sort has none that can be written.
pub fn constant(
    sort: &Expression,
    domain: Domain,
    datatypes: &Datatypes,
    rng: &mut Rng,
) -> Option<Expression> {
    (0..50).map(|_| value(sort, datatypes, rng)).take_while(Option::is_some).flatten().find(|v| domain.has(v))
}

/// A value of a sort; nothing if it has none that can be written.
pub fn value(sort: &Expression, datatypes: &Datatypes, rng: &mut Rng) -> Option<Expression> {
    drawn(sort, datatypes, FUEL, rng)
}

/// A width of bit-vectors.
pub fn width(rng: &mut Rng) -> Expression {
    const WIDTHS: [&str; 10] = ["1", "2", "3", "4", "7", "8", "16", "20", "32", "64"];
    Expression::word(WIDTHS[rng.below(WIDTHS.len())])
}

fn drawn(sort: &Expression, datatypes: &Datatypes, fuel: usize, rng: &mut Rng) -> Option<Expression> {
    let fuel_left = fuel.checked_sub(1)?;
    let items = sort.items();
    let index = |place: usize| items.get(place)?.as_word()?.parse::<u32>().ok();
    Some(match sort.head() {
        "Bool" => Expression::word(["false", "true"][rng.below(2)]),
        "Int" => signed(integer(rng), rng),
        "Real" => real(rng),
        "String" => string(rng),
        "RoundingMode" => Expression::word(["RNE", "RNA", "RTP", "RTN", "RTZ"][rng.below(5)]),
        "BitVec" => bits(index(2)?, rng)?,
        "FloatingPoint" => float(index(2)?, index(3)?, rng)?,
        "Array" => array(sort, datatypes, fuel_left, rng)?,
        "Seq" => sequence(sort, datatypes, fuel_left, rng)?,
        _ => construct(sort, datatypes, fuel_left, rng)?,
    })
}

fn signed(number: Expression, rng: &mut Rng) -> Expression {
    match rng.below(2) {
        0 if number.as_word() != Some("0") && number.as_word() != Some("0.0") => {
            Expression::apply("-", [number])
        }
        _ => number,
    }
}

fn integer(rng: &mut Rng) -> Expression {
    let number = match rng.below(8) {
        0 => 0,
        1 => 1,
        2 | 3 => rng.below(10),
        4 | 5 => rng.below(1000),
        6 => (1 << rng.below(20)) + rng.below(3) - 1,
        _ => rng.below(1 << 40),
    };
    Expression::word(&number.to_string())
}

fn real(rng: &mut Rng) -> Expression {
    let whole = |rng: &mut Rng| Expression::word(&format!("{}.0", integer(rng)));
    let number = match rng.below(4) {
        0 | 1 => whole(rng),
        2 => Expression::word(&format!("{}.{}", rng.below(100), rng.below(1000))),
        _ => {
            let above = Expression::word(&format!("{}.0", 1 + rng.below(1000)));
            let below = Expression::word(&format!("{}.0", 2 + rng.below(30)));
            Expression::apply("/", [above, below])
        }
    };
    signed(number, rng)
}

fn string(rng: &mut Rng) -> Expression {
    const PIECES: [&str; 12] =
        ["a", "b", "ab", "0", "1", "9", "-", " ", "\"\"", "\\u{0}", "\\u{2ffff}", "\\u{e9}"];
    let text = match rng.below(4) {
        0 => String::new(),
        // Words that contain each other are where searching goes wrong.
        1 => "ab".repeat(rng.below(3)) + &"a".repeat(rng.below(3)),
        2 => format!("{}{}", "0".repeat(rng.below(2)), rng.below(1000)),
        _ => (0..rng.below(5)).map(|_| PIECES[rng.below(PIECES.len())]).collect(),
    };
    Expression::word(&format!("\"{text}\""))
}

/// Widths beyond this are written by a number.
const LONG: u32 = 512;

fn bits(width: u32, rng: &mut Rng) -> Option<Expression> {
    (width > 0).then_some(())?;
    if width > LONG {
        let word = Expression::word;
        let value = format!("bv{}", rng.below(1 << 30));
        return Some(Expression::list([word("_"), word(&value), word(&width.to_string())]));
    }
    Some(Expression::word(&format!("#b{}", digits(width, rng))))
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

fn float(exponent: u32, significand: u32, rng: &mut Rng) -> Option<Expression> {
    (exponent > 1 && significand > 1 && exponent < LONG && significand < LONG).then_some(())?;
    const SPECIAL: [&str; 5] = ["NaN", "+oo", "-oo", "+zero", "-zero"];
    let word = Expression::word;
    Some(match rng.below(3) {
        0 => {
            let name = SPECIAL[rng.below(SPECIAL.len())];
            let format = [word(&exponent.to_string()), word(&significand.to_string())];
            Expression::list([word("_"), word(name)].into_iter().chain(format))
        }
        _ => {
            let part = |width, rng: &mut Rng| word(&format!("#b{}", digits(width, rng)));
            let parts = [part(1, rng), part(exponent, rng), part(significand - 1, rng)];
            Expression::apply("fp", parts)
        }
    })
}

fn array(sort: &Expression, datatypes: &Datatypes, fuel: usize, rng: &mut Rng) -> Option<Expression> {
    let [_, index, element] = sort.items() else { return None };
    (datatypes.arrays == Arrays::Written).then_some(())?;
    let word = Expression::word;
    let everywhere = Expression::list([word("as"), word("const"), sort.clone()]);
    let mut array = Expression::list([everywhere, plain(element, datatypes, fuel, rng)?]);
    let stores = if fuel + 2 < FUEL { 0 } else { rng.below(3) };
    for _ in 0..stores {
        let (index, element) = (drawn(index, datatypes, fuel, rng)?, drawn(element, datatypes, fuel, rng)?);
        array = Expression::apply("store", [array, index, element]);
    }
    Some(array)
}

/// A value that is written without an operator: cvc5 takes nothing else for the element of a constant array.
fn plain(sort: &Expression, datatypes: &Datatypes, fuel: usize, rng: &mut Rng) -> Option<Expression> {
    let fuel_left = fuel.checked_sub(1)?;
    match sort.head() {
        "Int" => Some(integer(rng)),
        "Real" => Some(Expression::word(&format!("{}.0", integer(rng)))),
        "Seq" => Some(empty(sort)),
        "Array" if datatypes.arrays == Arrays::Written => {
            let everywhere =
                Expression::list([Expression::word("as"), Expression::word("const"), sort.clone()]);
            Some(Expression::list([everywhere, plain(sort.items().get(2)?, datatypes, fuel_left, rng)?]))
        }
        _ => drawn(sort, datatypes, fuel, rng),
    }
}

/// The empty sequence of a sort.
pub fn empty(sort: &Expression) -> Expression {
    Expression::list([Expression::word("as"), Expression::word("seq.empty"), sort.clone()])
}

fn sequence(sort: &Expression, datatypes: &Datatypes, fuel: usize, rng: &mut Rng) -> Option<Expression> {
    let element = sort.items().get(1)?;
    let unit = |rng: &mut Rng| Some(Expression::apply("seq.unit", [drawn(element, datatypes, fuel, rng)?]));
    Some(match rng.below(4) {
        0 => empty(sort),
        1 => unit(rng)?,
        count => {
            let units: Option<Vec<Expression>> = (0..count).map(|_| unit(rng)).collect();
            Expression::apply("seq.++", units?)
        }
    })
}

fn construct(sort: &Expression, datatypes: &Datatypes, fuel: usize, rng: &mut Rng) -> Option<Expression> {
    // Datatypes are often recursive, and a value shall be small.
    let fuel = fuel.saturating_sub(1);
    let mut own: Vec<_> = datatypes.constructors.iter().filter(|(of, ..)| of == sort).collect();
    rng.shuffle(&mut own);
    // Where there is little fuel the constructors without fields are the only ones that can be finished.
    own.into_iter().find_map(|(_, name, fields)| {
        if fields.is_empty() {
            return Some(Expression::word(name));
        }
        let values: Option<Vec<Expression>> =
            fields.iter().map(|field| drawn(field, datatypes, fuel, rng)).collect();
        Some(Expression::apply(name, values?))
    })
}
