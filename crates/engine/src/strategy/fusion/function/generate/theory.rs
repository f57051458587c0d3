//! Theories: which operators a function may be made of.

use std::sync::Arc;

use crate::strategy::fusion::function::expression::Expression;

/// A theory that functions can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Theory {
    /// Booleans, which are in every tree.
    Bool,
    /// Integers.
    Int,
    /// Reals.
    Real,
    /// Strings.
    String,
    /// Bit-vectors.
    BitVector,
    /// Floating-point numbers.
    FloatingPoint,
    /// Arrays.
    Array,
    /// Sequences.
    Sequence,
    /// Datatypes and uninterpreted sorts of a script.
    Own,
}

impl Theory {
    /// All of them, with their names and the sort constructors that are theirs.
    pub const ALL: [(Theory, &str, &[&str]); 9] = [
        (Theory::Bool, "bool", &["Bool"]),
        (Theory::Int, "int", &["Int"]),
        (Theory::Real, "real", &["Real"]),
        (Theory::String, "string", &["String"]),
        (Theory::BitVector, "bitvector", &["BitVec"]),
        (Theory::FloatingPoint, "floatingpoint", &["FloatingPoint", "RoundingMode"]),
        (Theory::Array, "array", &["Array"]),
        (Theory::Sequence, "sequence", &["Seq"]),
        (Theory::Own, "own", &[]),
    ];

    /// The theory of that name.
    pub fn find(name: &str) -> Option<Theory> {
        Theory::ALL.iter().find(|(_, known, _)| *known == name).map(|(theory, ..)| *theory)
    }

    /// The theories of a sort; variables have none.
    pub(super) fn of(sort: &Expression, variables: &[Arc<str>]) -> Vec<Theory> {
        let head = sort.head();
        if variables.iter().any(|variable| **variable == *head) {
            return Vec::new();
        }
        let known = Theory::ALL.iter().find(|(_, _, heads)| heads.contains(&head));
        let mut theories = vec![known.map_or(Theory::Own, |(theory, ..)| *theory)];
        if sort.items().first().and_then(Expression::as_word) != Some("_") {
            theories.extend(sort.items().iter().skip(1).flat_map(|part| Theory::of(part, variables)));
        }
        theories
    }
}
