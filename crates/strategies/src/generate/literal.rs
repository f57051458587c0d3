//! Kinds of literals: the boundary and special values of a sort, each a construct of its own.
//!
//! ```text
//! FloatingPoint:least-normal   of Float16   is   (fp #b0 #b00001 #b0000000000)
//! ```
//!
//! Not listed here: NaN, infinities and zeros of floating point, `true`, rounding modes and the like, which are
//! operators without arguments.

use gainsay_smt::{Arena, Index, Sort};

use crate::fusion::function::s_expression::SExpression;
use crate::random::Rng;

/// The longest literal in bits. A script may declare `(_ BitVec 4294967295)` in a few bytes; its literals have four billion digits.
const MAX_LITERAL_BITS: u32 = 4096;

/// A kind of literal of one sort constructor.
#[derive(Debug, Clone, Copy)]
pub struct LiteralKind {
    /// The sort constructor.
    pub sort: &'static str,
    /// Its name among the kinds of the same sort constructor.
    pub name: &'static str,
    /// Draws a literal, given the indices of the sort.
    draw: fn(&[u32], &mut Rng) -> String,
}

/// All kinds.
pub const ALL: &[LiteralKind] = &[
    LiteralKind { sort: "Int", name: "zero", draw: |_, _| "0".to_owned() },
    LiteralKind { sort: "Int", name: "one", draw: |_, _| "1".to_owned() },
    LiteralKind { sort: "Int", name: "small", draw: |_, rng| (2 + rng.below(14)).to_string() },
    LiteralKind { sort: "Int", name: "negative", draw: |_, rng| format!("(- {})", 1 + rng.below(1000)) },
    LiteralKind { sort: "Int", name: "power", draw: |_, rng| near_power(rng).to_string() },
    LiteralKind { sort: "Int", name: "huge", draw: |_, rng| format!("1{}", "0".repeat(19 + rng.below(12))) },
    LiteralKind { sort: "Real", name: "zero", draw: |_, _| "0.0".to_owned() },
    LiteralKind { sort: "Real", name: "one", draw: |_, _| "1.0".to_owned() },
    LiteralKind { sort: "Real", name: "whole", draw: |_, rng| format!("{}.0", 2 + rng.below(1000)) },
    LiteralKind {
        sort: "Real",
        name: "negative",
        draw: |_, rng| format!("(- {}.{})", rng.below(100), 1 + rng.below(9)),
    },
    LiteralKind {
        sort: "Real",
        name: "decimal",
        draw: |_, rng| format!("{}.{:03}", rng.below(100), 1 + rng.below(999)),
    },
    LiteralKind {
        sort: "Real",
        name: "fraction",
        draw: |_, rng| format!("(/ {}.0 {}.0)", 1 + rng.below(100), 2 + rng.below(30)),
    },
    LiteralKind { sort: "String", name: "empty", draw: |_, _| "\"\"".to_owned() },
    LiteralKind {
        sort: "String",
        name: "letter",
        draw: |_, rng| format!("\"{}\"", ["a", "b", "z", "A"][rng.below(4)]),
    },
    LiteralKind { sort: "String", name: "word", draw: |_, rng| word(rng) },
    LiteralKind {
        sort: "String",
        name: "digits",
        draw: |_, rng| format!("\"{}{}\"", ["", "0"][rng.below(2)], rng.below(1000)),
    },
    LiteralKind {
        sort: "String",
        name: "escape",
        draw: |_, rng| {
            format!("\"{}\"", ["\\u{0}", "\\u{ff}", "\\u{2ffff}", "\\u{e9}a", "\"\""][rng.below(5)])
        },
    },
    LiteralKind { sort: "BitVec", name: "zero", draw: |i, _| bits(&"0".repeat(i[0] as usize)) },
    LiteralKind { sort: "BitVec", name: "one", draw: |i, _| bits(&("0".repeat(i[0] as usize - 1) + "1")) },
    LiteralKind { sort: "BitVec", name: "ones", draw: |i, _| bits(&"1".repeat(i[0] as usize)) },
    LiteralKind {
        sort: "BitVec",
        name: "least",
        draw: |i, _| bits(&("1".to_owned() + &"0".repeat(i[0] as usize - 1))),
    },
    LiteralKind {
        sort: "BitVec",
        name: "most",
        draw: |i, _| bits(&("0".to_owned() + &"1".repeat(i[0] as usize - 1))),
    },
    LiteralKind { sort: "BitVec", name: "any", draw: |i, rng| bits(&digits(i[0], rng)) },
    LiteralKind {
        sort: "FloatingPoint",
        name: "one",
        draw: |i, rng| float(i, &bias(i), LiteralSignificand::Zeros, rng),
    },
    LiteralKind {
        sort: "FloatingPoint",
        name: "least-normal",
        draw: |i, rng| float(i, &least(i[0]), LiteralSignificand::Zeros, rng),
    },
    LiteralKind {
        sort: "FloatingPoint",
        name: "largest",
        draw: |i, rng| float(i, &most(i[0]), LiteralSignificand::Ones, rng),
    },
    LiteralKind {
        sort: "FloatingPoint",
        name: "least-subnormal",
        draw: |i, rng| float(i, &"0".repeat(i[0] as usize), LiteralSignificand::One, rng),
    },
    LiteralKind {
        sort: "FloatingPoint",
        name: "largest-subnormal",
        draw: |i, rng| float(i, &"0".repeat(i[0] as usize), LiteralSignificand::Ones, rng),
    },
    LiteralKind {
        sort: "FloatingPoint",
        name: "subnormal",
        draw: |i, rng| float(i, &"0".repeat(i[0] as usize), LiteralSignificand::Any, rng),
    },
    LiteralKind {
        sort: "FloatingPoint",
        name: "any",
        draw: |i, rng| float(i, &exponent(i[0], rng), LiteralSignificand::Any, rng),
    },
];

impl LiteralKind {
    /// Whether both are the same kind; entries of a constant list have no address to compare.
    pub fn is(&self, other: &LiteralKind) -> bool {
        (self.sort, self.name) == (other.sort, other.name)
    }

    /// Its name as a construct.
    pub fn full_name(&self) -> String {
        format!("{}:{}", self.sort, self.name)
    }

    /// The kinds of a sort; none if its literals are too long to write, or if no literal can be written in the script's logic.
    pub fn of(arena: &Arena, sort: Sort) -> impl Iterator<Item = &'static LiteralKind> {
        let view = arena.view_sort(sort);
        let is_short = |index: &Index| matches!(index, Index::Numeral(number) if *number <= MAX_LITERAL_BITS);
        let can_be_written = sort != Sort::INT || arena.has_int_numerals();
        let is_possible = view.indices.iter().all(is_short) && can_be_written;
        let head = arena.text(view.head).to_owned();
        ALL.iter().filter(move |kind| is_possible && kind.sort == head)
    }

    /// Draws a literal of this kind for a sort.
    pub fn literal(&self, arena: &Arena, sort: Sort, rng: &mut Rng) -> SExpression {
        let numeral = |index: &Index| match index {
            Index::Numeral(number) => *number,
            Index::Symbol(_) => 0,
        };
        let indices: Vec<u32> = arena.view_sort(sort).indices.iter().map(numeral).collect();
        read((self.draw)(&indices, rng).as_str())
    }
}

/// The text of a literal as an expression: a word, or one list of words.
fn read(text: &str) -> SExpression {
    match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        Some(words) => SExpression::list(words.split(' ').map(SExpression::word)),
        None => SExpression::word(text),
    }
}

/// A number near a power of two.
fn near_power(rng: &mut Rng) -> u64 {
    (1 << (1 + rng.below(62))) + rng.below(3) as u64 - 1
}

/// Words that contain each other exercise the search operators.
fn word(rng: &mut Rng) -> String {
    format!("\"{}{}\"", "ab".repeat(1 + rng.below(3)), "a".repeat(rng.below(3)))
}

fn bits(digits: &str) -> String {
    format!("#b{digits}")
}

fn digits(width: u32, rng: &mut Rng) -> String {
    (0..width).map(|_| if rng.chance(1, 2) { '1' } else { '0' }).collect()
}

/// The bits after the hidden one.
#[derive(Clone, Copy)]
enum LiteralSignificand {
    Zeros,
    One,
    Ones,
    Any,
}

/// A number of either sign with this exponent.
fn float(format: &[u32], exponent: &str, significand: LiteralSignificand, rng: &mut Rng) -> String {
    let width = format[1] as usize - 1;
    let significand = match significand {
        LiteralSignificand::Zeros => "0".repeat(width),
        LiteralSignificand::One => "0".repeat(width - 1) + "1",
        LiteralSignificand::Ones => "1".repeat(width),
        LiteralSignificand::Any => match digits(width as u32, rng) {
            // All zeros would be the number zero.
            drawn if !drawn.contains('1') && !exponent.contains('1') => "0".repeat(width - 1) + "1",
            drawn => drawn,
        },
    };
    format!("(fp #b{} #b{exponent} #b{significand})", rng.below(2))
}

/// The exponent of one.
fn bias(format: &[u32]) -> String {
    "0".to_owned() + &"1".repeat(format[0] as usize - 1)
}

fn least(width: u32) -> String {
    "0".repeat(width as usize - 1) + "1"
}

fn most(width: u32) -> String {
    "1".repeat(width as usize - 1) + "0"
}

/// An exponent of a normal number.
fn exponent(width: u32, rng: &mut Rng) -> String {
    let drawn = digits(width, rng);
    if drawn.contains('1') && drawn.contains('0') { drawn } else { most(width) }
}
