//! The signature: the sorts and operators of the theories, read from `theories/*.smt2`.
//!
//! The tables are written in SMT-LIB's theory-declaration syntax, with extensions:
//!
//! ```text
//! ((_ extract i j) (_ BitVec m) (_ BitVec (+ (- i j) 1)) :where (and (< i m) (<= j i)))
//! ```
//!
//! Indices are variables that an application binds, result sorts may compute with them, and `:where` restricts their
//! values. The sort checker names no operator; constructs that this notation cannot express
//! (datatypes, `let`, binders, `match`) are not in the tables. `theories/README.md` describes the whole notation.

mod goal;
mod instance;
mod pattern;
mod read;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::command_table::CommandTable;
use crate::error::Error;
use crate::eval::unspecified::UnspecifiedResults;
use crate::symbol::{Symbol, SymbolTable};

pub use goal::Materials;
pub use instance::Instance;
pub(crate) use pattern::{Bindings, Coercion, Condition, IndexPattern, SortPattern};

/// The built-in tables: file name and text.
pub const STANDARD_THEORIES: &[(&str, &str)] = &[
    ("core.smt2", include_str!("../theories/core.smt2")),
    ("ints.smt2", include_str!("../theories/ints.smt2")),
    ("reals.smt2", include_str!("../theories/reals.smt2")),
    ("reals_ints.smt2", include_str!("../theories/reals_ints.smt2")),
    ("arrays_ex.smt2", include_str!("../theories/arrays_ex.smt2")),
    ("fixed_size_bit_vectors.smt2", include_str!("../theories/fixed_size_bit_vectors.smt2")),
    ("floating_point.smt2", include_str!("../theories/floating_point.smt2")),
    ("strings.smt2", include_str!("../theories/strings.smt2")),
    ("ho_core.smt2", include_str!("../theories/ho_core.smt2")),
    ("bags.smt2", include_str!("../theories/bags.smt2")),
    ("common_extensions.smt2", include_str!("../theories/common_extensions.smt2")),
    ("cvc5_arithmetic.smt2", include_str!("../theories/cvc5_arithmetic.smt2")),
    ("cvc5_bits.smt2", include_str!("../theories/cvc5_bits.smt2")),
    ("cvc5_datatypes.smt2", include_str!("../theories/cvc5_datatypes.smt2")),
    ("cvc5_separation.smt2", include_str!("../theories/cvc5_separation.smt2")),
    ("cvc5_strings.smt2", include_str!("../theories/cvc5_strings.smt2")),
    ("finite_fields.smt2", include_str!("../theories/finite_fields.smt2")),
    ("models.smt2", include_str!("../theories/models.smt2")),
    ("sequences.smt2", include_str!("../theories/sequences.smt2")),
    ("sets.smt2", include_str!("../theories/sets.smt2")),
    ("z3_arithmetic.smt2", include_str!("../theories/z3_arithmetic.smt2")),
    ("z3_arrays.smt2", include_str!("../theories/z3_arrays.smt2")),
    ("z3_bits.smt2", include_str!("../theories/z3_bits.smt2")),
    ("z3_core.smt2", include_str!("../theories/z3_core.smt2")),
    ("z3_finite_sets.smt2", include_str!("../theories/z3_finite_sets.smt2")),
    ("z3_strings.smt2", include_str!("../theories/z3_strings.smt2")),
];

/// Returns true if a theory is one of the standard, not a solver's extension.
pub fn is_standard(theory: &str) -> bool {
    const STANDARD_THEORY_NAMES: [&str; 9] = [
        "Core",
        "Ints",
        "Reals",
        "Reals_Ints",
        "ArraysEx",
        "FixedSizeBitVectors",
        "FloatingPoint",
        "Strings",
        "HO-Core",
    ];
    STANDARD_THEORY_NAMES.contains(&theory)
}

/// An operator without ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RanklessOperator {
    /// The sort checker computes its sorts.
    Computed,
    /// Its applications are carried as text.
    Opaque,
}

/// How a binary operator takes more than two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Associativity {
    /// `(f a b c)` is `(f (f a b) c)`.
    Left,
    /// `(f a b c)` is `(f a (f b c))`.
    Right,
    /// `(f a b c)` is `(and (f a b) (f b c))`.
    Chainable,
    /// `(f a b c)` is `(and (f a b) (f a c) (f b c))`.
    Pairwise,
}

/// A rank of an operator: its indices, parameter sorts and result sort.
#[derive(Clone, Debug)]
pub struct Rank {
    /// The operator's name.
    pub name: Symbol,
    /// The index of its theory in the signature.
    pub theory: usize,
    pub(crate) indices: Vec<IndexPattern>,
    pub(crate) parameters: Vec<SortPattern>,
    pub(crate) result: SortPattern,
    pub(crate) condition: Option<Condition>,
    /// How it takes more than two arguments.
    pub associativity: Option<Associativity>,
    /// The minimal number of arguments that solvers accept, which may be below two for an associative operator.
    pub(crate) fewest: usize,
    /// The last parameter may be repeated.
    pub(crate) variadic: bool,
    /// All parameters have the same pattern, and so has the result if the operator is associative.
    pub(crate) uniform: bool,
    /// The result has the sort of the first parameter.
    pub(crate) returns_first: bool,
}

/// A sort constructor of a theory.
#[derive(Clone, Debug)]
pub(crate) struct SortRule {
    pub indices: Vec<IndexPattern>,
    pub arity: usize,
    /// There may be more arguments.
    pub variadic: bool,
    /// The index of its theory in the signature.
    pub theory: usize,
    pub condition: Option<Condition>,
}

impl SortRule {
    /// Returns true if the sort can have so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        self.arity == count || self.variadic && count > self.arity
    }
}

/// The sorts and operators of a set of theories.
#[derive(Debug)]
pub struct Signature {
    names: Arc<SymbolTable>,
    theories: Vec<String>,
    ranks: Vec<Rank>,
    /// For each name of the signature, its ranks as a range of `ranks`.
    ranges: Vec<(u32, u32)>,
    sorts: FxHashMap<Symbol, SortRule>,
    synonyms: FxHashMap<Symbol, SortPattern>,
    opaque: Vec<Symbol>,
    /// Operators whose sorts the checker computes: no rank can express them.
    computed: Vec<Symbol>,
    /// The theory of each operator without ranks.
    rankless: FxHashMap<Symbol, usize>,
    /// The theories that declare each sort; several may declare one.
    sort_theories: Vec<(Symbol, usize)>,
    /// Older names of operators, and their current names.
    aliases: Vec<(Symbol, Symbol)>,
    /// Operators that compute the same as another one, besides older names.
    same_results: Vec<(Symbol, Symbol)>,
    pub(crate) unspecified: UnspecifiedResults,
    pub(crate) commands: CommandTable,
}

impl Signature {
    /// The built-in theories: those of the standard and the solvers' extensions.
    pub fn standard() -> Arc<Signature> {
        match Signature::read(STANDARD_THEORIES) {
            Ok(signature) => Arc::new(signature),
            Err((file, error)) => panic!("theories/{file}:{error}"),
        }
    }

    /// The theories in the given files (name and text); an error names its file.
    pub fn read(files: &[(&str, &str)]) -> Result<Signature, (String, Error)> {
        read::read(files)
    }

    /// The names of the theories.
    pub fn theories(&self) -> &[String] {
        &self.theories
    }

    /// All ranks, by theory and in the order of the tables for each name.
    pub fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// The text of a symbol of the signature.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    /// The older names of operators of the standard's theories, each with the current name.
    pub fn old_names(&self) -> impl Iterator<Item = (&str, &str)> {
        let in_standard =
            |name: Symbol| self.ranks_of(name).iter().any(|rank| is_standard(&self.theories[rank.theory]));
        let aliases = self.aliases.iter().filter(move |(_, new)| in_standard(*new));
        aliases.map(|&(old, new)| (self.text(old), self.text(new)))
    }

    /// Operators that compute the same as another one where both accept the arguments, each with that one.
    pub(crate) fn synonyms(&self) -> impl Iterator<Item = (Symbol, Symbol)> {
        self.aliases.iter().chain(&self.same_results).copied()
    }

    /// Returns true if the standard, or the solver that has the operator, leaves some of its results open: two scripts that
    /// apply it may each be satisfiable and their conjunction not.
    pub fn is_open(&self, operator: &str) -> bool {
        self.unspecified.contains(operator)
    }

    /// The symbol for `text`, if a theory has a sort or operator of this name; it is the same in every script.
    pub fn find_symbol(&self, text: &str) -> Option<Symbol> {
        self.names.get(text)
    }

    /// The number of symbols of the theories; those of scripts come after them.
    pub fn symbol_count(&self) -> usize {
        self.names.len() as usize
    }

    /// Returns true if a theory has an operator of this name, or one that the tables cannot describe.
    pub fn is_operator(&self, name: Symbol) -> bool {
        !self.ranks_of(name).is_empty() || self.is_opaque(name) || self.is_computed(name)
    }

    /// Returns true if a theory of the standard has an operator of this name.
    pub fn is_standard_operator(&self, name: Symbol) -> bool {
        self.ranks_of(name).iter().any(|rank| is_standard(&self.theories[rank.theory]))
    }

    /// Returns true if a theory has a sort of this name.
    pub fn is_sort(&self, name: Symbol) -> bool {
        self.sorts.contains_key(&name) || self.synonyms.contains_key(&name)
    }

    pub(crate) fn names(&self) -> &Arc<SymbolTable> {
        &self.names
    }

    /// The ranks of the operator `name`.
    #[inline]
    pub fn ranks_of(&self, name: Symbol) -> &[Rank] {
        match self.ranges.get(name.index()) {
            Some(&(start, end)) => &self.ranks[start as usize..end as usize],
            None => &[],
        }
    }

    pub(crate) fn sort_rule(&self, name: Symbol) -> Option<&SortRule> {
        self.sorts.get(&name)
    }

    /// The standard theory that has a sort of this name.
    pub(crate) fn standard_sort(&self, name: Symbol) -> Option<&str> {
        let rule = self.sorts.get(&name)?;
        let theory = self.theories[rule.theory].as_str();
        is_standard(theory).then_some(theory)
    }

    /// The sort constructors, each with a theory that declares it; several may declare one.
    pub fn sort_theories(&self) -> impl Iterator<Item = (Symbol, &str)> {
        self.sort_theories.iter().map(|&(name, theory)| (name, self.theories[theory].as_str()))
    }

    pub(crate) fn sort_synonym(&self, name: Symbol) -> Option<&SortPattern> {
        self.synonyms.get(&name)
    }

    /// Returns true if `name` is an operator of some solver that the tables cannot describe.
    pub(crate) fn is_opaque(&self, name: Symbol) -> bool {
        self.opaque.contains(&name)
    }

    /// Returns true if the sort checker computes the sorts of the operator `name` (`sort_check/computed.rs`).
    pub(crate) fn is_computed(&self, name: Symbol) -> bool {
        self.computed.contains(&name)
    }

    /// The operators that have no ranks, each with its theory: those whose sorts the checker computes, and those that are carried
    /// as text.
    pub fn rankless(&self) -> impl Iterator<Item = (&str, &str, RanklessOperator)> {
        let computed = self.computed.iter().map(|&name| (name, RanklessOperator::Computed));
        let opaque = self.opaque.iter().map(|&name| (name, RanklessOperator::Opaque));
        computed.chain(opaque).map(|(name, kind)| {
            let theory = self.rankless.get(&name).copied().unwrap_or_default();
            (self.text(name), self.theories[theory].as_str(), kind)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theory_file_is_in_the_list() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("theories");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".smt2"))
            .collect();
        files.sort();
        let mut listed: Vec<&str> = STANDARD_THEORIES.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
    }

    #[test]
    fn an_operator_has_its_ranks_together() {
        let signature = Signature::standard();
        let minus = signature.ranks_of(Symbol::MINUS);
        assert!(minus.iter().all(|rank| rank.name == Symbol::MINUS));
        assert!(minus.len() >= 4, "unary and binary, for integers and reals");
        assert!(signature.ranks_of(Symbol::BOOL).is_empty());
    }
}
