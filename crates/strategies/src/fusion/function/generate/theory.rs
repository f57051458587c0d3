//! The theories that functions are generated from.

use std::sync::Arc;

use crate::fusion::function::s_expression::SExpression;

/// A theory that functions can be generated from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FunctionTheory {
    /// Booleans, which every function may use.
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

impl FunctionTheory {
    /// All theories, with their names and sort constructors.
    pub const ALL: [(FunctionTheory, &str, &[&str]); 9] = [
        (FunctionTheory::Bool, "bool", &["Bool"]),
        (FunctionTheory::Int, "int", &["Int"]),
        (FunctionTheory::Real, "real", &["Real"]),
        (FunctionTheory::String, "string", &["String"]),
        (FunctionTheory::BitVector, "bitvector", &["BitVec"]),
        (FunctionTheory::FloatingPoint, "floatingpoint", &["FloatingPoint", "RoundingMode"]),
        (FunctionTheory::Array, "array", &["Array"]),
        (FunctionTheory::Sequence, "sequence", &["Seq"]),
        (FunctionTheory::Own, "own", &[]),
    ];

    /// The theory with this name.
    pub fn find(name: &str) -> Option<FunctionTheory> {
        FunctionTheory::ALL.iter().find(|(_, known, _)| *known == name).map(|(theory, ..)| *theory)
    }

    /// The theories of a sort; none for a variable.
    pub(super) fn of(sort: &SExpression, variables: &[Arc<str>]) -> Vec<FunctionTheory> {
        let head = sort.head();
        if variables.iter().any(|variable| **variable == *head) {
            return Vec::new();
        }
        let known = FunctionTheory::ALL.iter().find(|(_, _, heads)| heads.contains(&head));
        let mut theories = vec![known.map_or(FunctionTheory::Own, |(theory, ..)| *theory)];
        if sort.items().first().and_then(SExpression::as_word) != Some("_") {
            theories.extend(sort.items().iter().skip(1).flat_map(|part| FunctionTheory::of(part, variables)));
        }
        theories
    }
}
