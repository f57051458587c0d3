//! Operators on machine words: rows from names to functions, like the tables of the evaluator, for sorts that fit 64 bits.
//!
//! A Boolean is 0 or 1, a bit-vector its unsigned value, an integer its two's complement. Each row on Booleans and bit-vectors
//! works on one assignment and, from the same text, on several at once (`lanes.rs`). The tests compare every row, both ways,
//! with the evaluator, which is the authority.

use super::lanes::Lanes;

/// What an operator on words knows of its application: the widths of its first two arguments, and its indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WordShape {
    /// The width of the first argument in bits.
    pub width: u32,
    /// The width of the second argument, if there is one.
    pub second: u32,
    /// The indices of the operator.
    pub indices: [u32; 2],
}

impl WordShape {
    fn mask(self) -> u64 {
        ones(self.width)
    }

    fn signed(self, word: u64) -> i64 {
        let free = 64 - self.width;
        ((word << free) as i64) >> free
    }

    fn unsigned(self, number: i64) -> u64 {
        number as u64 & self.mask()
    }

    /// Returns true if a number is no signed value of the width.
    fn overflows(self, number: i128) -> bool {
        let half = 1i128 << (self.width - 1);
        number < -half || number >= half
    }
}

/// The lowest bits set.
pub(super) fn ones(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// An operator of one bit-vector.
#[derive(Clone, Copy)]
pub(super) struct UnaryWord {
    /// Its result under one assignment.
    pub one: fn(WordShape, u64) -> u64,
    /// Its results under several assignments.
    pub many: fn(WordShape, &Lanes, &mut Lanes),
}

/// An operator of two Booleans or bit-vectors.
#[derive(Clone, Copy)]
pub(super) struct BinaryWord {
    /// Its result under one assignment.
    pub one: fn(WordShape, u64, u64) -> u64,
    /// Its results under several assignments.
    pub many: fn(WordShape, &Lanes, &Lanes, &mut Lanes),
}

/// An operator of integers; `None` if the result does not fit.
pub(super) type IntWord = fn(i64, i64) -> Option<i64>;

/// Makes rows of a function: for one assignment as it stands, and inlined into a loop for several.
macro_rules! unary_rows {
    ($(($name:literal, $operator:expr),)*) => {
        &[$(($name, UnaryWord {
            one: $operator,
            many: |shape, a, results| {
                let operator: fn(WordShape, u64) -> u64 = $operator;
                for (result, a) in results.iter_mut().zip(a) {
                    *result = operator(shape, *a);
                }
            },
        }),)*]
    };
}

/// As [`unary_rows`], for two operands.
macro_rules! binary_rows {
    ($(($name:literal, $operator:expr),)*) => {
        &[$(($name, BinaryWord {
            one: $operator,
            many: |shape, a, b, results| {
                let operator: fn(WordShape, u64, u64) -> u64 = $operator;
                for ((result, a), b) in results.iter_mut().zip(a).zip(b) {
                    *result = operator(shape, *a, *b);
                }
            },
        }),)*]
    };
}

/// The operators of one bit-vector.
pub(super) const UNARY_WORD_OPERATORS: &[(&str, UnaryWord)] = unary_rows![
    ("bvnot", |shape, a| !a & shape.mask()),
    ("bvneg", |shape, a| a.wrapping_neg() & shape.mask()),
    ("extract", |shape, a| (a >> shape.indices[1]) & ones(shape.indices[0] - shape.indices[1] + 1)),
    ("zero_extend", |_, a| a),
    ("sign_extend", |shape, a| shape.signed(a) as u64 & ones(shape.width + shape.indices[0])),
    ("repeat", |shape, a| (0..shape.indices[0])
        .fold(0, |bits, place| bits | a.unbounded_shl(place * shape.width))),
    ("rotate_left", |shape, a| rotate(shape, a, shape.indices[0] % shape.width)),
    ("rotate_right", |shape, a| rotate(shape, a, shape.width - shape.indices[0] % shape.width)),
    ("bvredor", |_, a| u64::from(a != 0)),
    ("bvredand", |shape, a| u64::from(a == shape.mask())),
    ("bvnego", |shape, a| u64::from(a == 1 << (shape.width - 1))),
];

/// The operators of two Booleans, or of two bit-vectors.
pub(super) const BINARY_WORD_OPERATORS: &[(&str, BinaryWord)] = binary_rows![
    ("xor", |_, a, b| a ^ b),
    ("concat", |shape, a, b| a << shape.second | b),
    ("bvand", |_, a, b| a & b),
    ("bvor", |_, a, b| a | b),
    ("bvxor", |_, a, b| a ^ b),
    ("bvnand", |shape, a, b| !(a & b) & shape.mask()),
    ("bvnor", |shape, a, b| !(a | b) & shape.mask()),
    ("bvxnor", |shape, a, b| !(a ^ b) & shape.mask()),
    ("bvcomp", |_, a, b| u64::from(a == b)),
    ("bvadd", |shape, a, b| a.wrapping_add(b) & shape.mask()),
    ("bvsub", |shape, a, b| a.wrapping_sub(b) & shape.mask()),
    ("bvmul", |shape, a, b| a.wrapping_mul(b) & shape.mask()),
    ("bvudiv", |shape, a, b| a.checked_div(b).unwrap_or(shape.mask())),
    ("bvurem", |_, a, b| a.checked_rem(b).unwrap_or(a)),
    ("bvsdiv", |shape, a, b| match (shape.signed(a), shape.signed(b)) {
        (a, 0) => shape.unsigned(if a < 0 { 1 } else { -1 }),
        (a, b) => shape.unsigned(a.wrapping_div(b)),
    }),
    ("bvsrem", |shape, a, b| match shape.signed(b) {
        0 => a,
        b => shape.unsigned(shape.signed(a).wrapping_rem(b)),
    }),
    ("bvsmod", |shape, a, b| {
        let (a, divisor) = (shape.signed(a), shape.signed(b));
        let rest = if divisor == 0 { a } else { a.wrapping_rem(divisor) };
        let differs = divisor != 0 && rest != 0 && (rest < 0) != (divisor < 0);
        shape.unsigned(if differs { rest.wrapping_add(divisor) } else { rest })
    }),
    ("bvshl", |shape, a, b| if b < u64::from(shape.width) { (a << b) & shape.mask() } else { 0 }),
    ("bvlshr", |shape, a, b| if b < u64::from(shape.width) { a >> b } else { 0 }),
    ("bvashr", |shape, a, b| {
        let places = b.min(u64::from(shape.width - 1));
        shape.unsigned(shape.signed(a) >> places)
    }),
    ("ext_rotate_left", |shape, a, b| rotate(shape, a, (b % u64::from(shape.width)) as u32)),
    ("ext_rotate_right", |shape, a, b| rotate(shape, a, shape.width - (b % u64::from(shape.width)) as u32)),
    ("bvult", |_, a, b| u64::from(a < b)),
    ("bvule", |_, a, b| u64::from(a <= b)),
    ("bvugt", |_, a, b| u64::from(a > b)),
    ("bvuge", |_, a, b| u64::from(a >= b)),
    ("bvslt", |shape, a, b| u64::from(shape.signed(a) < shape.signed(b))),
    ("bvsle", |shape, a, b| u64::from(shape.signed(a) <= shape.signed(b))),
    ("bvsgt", |shape, a, b| u64::from(shape.signed(a) > shape.signed(b))),
    ("bvsge", |shape, a, b| u64::from(shape.signed(a) >= shape.signed(b))),
    ("bvuaddo", |shape, a, b| u64::from(u128::from(a) + u128::from(b) > u128::from(shape.mask()))),
    ("bvumulo", |shape, a, b| u64::from(u128::from(a) * u128::from(b) > u128::from(shape.mask()))),
    ("bvusubo", |_, a, b| u64::from(a < b)),
    ("bvsaddo", |shape, a, b| overflow(shape, a, b, |a, b| a + b)),
    ("bvssubo", |shape, a, b| overflow(shape, a, b, |a, b| a - b)),
    ("bvsmulo", |shape, a, b| overflow(shape, a, b, |a, b| a * b)),
    ("bvsdivo", |shape, a, b| u64::from(a == 1 << (shape.width - 1) && b == shape.mask())),
];

/// The operators of integers with an integer result, by name and number of arguments.
pub(super) const INT_OPERATORS: &[(&str, usize, IntWord)] = &[
    ("+", 2, i64::checked_add),
    ("-", 2, i64::checked_sub),
    ("*", 2, i64::checked_mul),
    ("-", 1, |a, _| a.checked_neg()),
    ("abs", 1, |a, _| a.checked_abs()),
];

/// The comparisons of integers.
pub(super) const INT_COMPARISONS: &[(&str, IntWord)] = &[
    ("<", |a, b| Some(i64::from(a < b))),
    ("<=", |a, b| Some(i64::from(a <= b))),
    (">", |a, b| Some(i64::from(a > b))),
    (">=", |a, b| Some(i64::from(a >= b))),
];

fn rotate(shape: WordShape, a: u64, left: u32) -> u64 {
    match left % shape.width {
        0 => a,
        left => (a << left | a >> (shape.width - left)) & shape.mask(),
    }
}

fn overflow(shape: WordShape, a: u64, b: u64, operation: fn(i128, i128) -> i128) -> u64 {
    u64::from(shape.overflows(operation(shape.signed(a).into(), shape.signed(b).into())))
}
