//! Logics: the features that a script uses, and the smallest standard logic that has them.
//!
//! The name of a logic lists its features (`QF_AUFBV`: no quantifiers, arrays, uninterpreted functions,
//! bit-vectors), so a logic is the set of [`Features`] that its name spells, and the smallest logic of a
//! script is the one with the fewest features among those that have all features of the script.

mod usage;

use crate::script::Script;
use usage::FeatureUsage;

/// The features of a logic, or those that a script uses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Features {
    /// `forall` and `exists`.
    pub quantifiers: bool,
    /// Declared sorts.
    pub sorts: bool,
    /// Declared functions with arguments.
    pub functions: bool,
    /// Arrays.
    pub arrays: bool,
    /// Arrays other than those from bit-vectors to bit-vectors, Booleans and such arrays; z3's `QF_ABV` has no others.
    pub other_arrays: bool,
    /// Bit-vectors.
    pub bit_vectors: bool,
    /// Floating-point numbers.
    pub floats: bool,
    /// Datatypes.
    pub datatypes: bool,
    /// Strings and regular expressions.
    pub strings: bool,
    /// Integers.
    pub integers: bool,
    /// Reals.
    pub reals: bool,
    /// Products and quotients of variables.
    pub nonlinear: bool,
    /// Finite fields.
    pub fields: bool,
    /// Functions as values.
    pub higher_order: bool,
    /// Extensions of some solver, which are in no standard logic.
    pub extensions: bool,
}

/// The logics of the standard and of SMT-COMP, without `ALL`. The first one of several equal ones is preferred.
pub const STANDARD_LOGICS: &[&str] = &[
    "QF_UF",
    "QF_AX",
    "QF_BV",
    "QF_FP",
    "QF_DT",
    "QF_S",
    "QF_LIA",
    "QF_LRA",
    "QF_NIA",
    "QF_NRA",
    "QF_LIRA",
    "QF_NIRA",
    "QF_UFBV",
    "QF_ALIA",
    "QF_AUFLIA",
    "QF_ABV",
    "QF_AUFBV",
    "QF_UFLIA",
    "QF_UFLRA",
    "QF_UFNIA",
    "QF_UFNRA",
    "QF_ANIA",
    "QF_AUFNIA",
    "QF_BVFP",
    "QF_ABVFP",
    "QF_UFFP",
    "QF_UFBVFP",
    "QF_FPLRA",
    "QF_BVFPLRA",
    "QF_ABVFPLRA",
    "QF_UFDT",
    "QF_UFDTLIA",
    "QF_UFDTLIRA",
    "QF_UFDTNIA",
    "QF_SLIA",
    "QF_SNIA",
    "QF_FF",
    "QF_UFFF",
    "QF_AUFBVFP",
    "QF_UFLIRA",
    "QF_UFNIRA",
    "QF_AUFBVLIA",
    "QF_AUFBVNIA",
    "QF_UFBVLIA",
    "UF",
    "BV",
    "FP",
    "LIA",
    "LRA",
    "NIA",
    "NRA",
    "UFBV",
    "ALIA",
    "AUFLIA",
    "ABV",
    "AUFBV",
    "UFLIA",
    "UFLRA",
    "UFNIA",
    "UFNRA",
    "UFIDL",
    "ANIA",
    "AUFNIA",
    "AUFLIRA",
    "AUFNIRA",
    "BVFP",
    "ABVFP",
    "BVFPLRA",
    "ABVFPLRA",
    "AUFBVFP",
    "UFBVFP",
    "FPLRA",
    "UFDT",
    "UFDTLIA",
    "UFDTNIA",
    "UFDTLIRA",
    "UFDTNIRA",
    "AUFDTLIA",
    "AUFDTLIRA",
    "AUFDTNIRA",
    "AUFBVDTLIA",
    "AUFBVDTNIA",
    "AUFBVDTNIRA",
    "UFBVLIA",
    "UFLIRA",
    "LIRA",
    "NIRA",
];

impl Features {
    /// The features as a list, in a fixed order.
    fn list(&self) -> [bool; 15] {
        let f = self;
        [
            f.quantifiers,
            f.sorts,
            f.functions,
            f.arrays,
            f.other_arrays,
            f.bit_vectors,
            f.floats,
            f.datatypes,
            f.strings,
            f.integers,
            f.reals,
            f.nonlinear,
            f.fields,
            f.higher_order,
            f.extensions,
        ]
    }

    /// Returns true if this set includes all features of `other`.
    pub fn include(&self, other: &Features) -> bool {
        self.list().iter().zip(other.list()).all(|(&here, there)| here || !there)
    }

    /// The union of two sets of features.
    #[must_use]
    pub fn and(self, other: Features) -> Features {
        Features {
            quantifiers: self.quantifiers || other.quantifiers,
            sorts: self.sorts || other.sorts,
            functions: self.functions || other.functions,
            arrays: self.arrays || other.arrays,
            other_arrays: self.other_arrays || other.other_arrays,
            bit_vectors: self.bit_vectors || other.bit_vectors,
            floats: self.floats || other.floats,
            datatypes: self.datatypes || other.datatypes,
            strings: self.strings || other.strings,
            integers: self.integers || other.integers,
            reals: self.reals || other.reals,
            nonlinear: self.nonlinear || other.nonlinear,
            fields: self.fields || other.fields,
            higher_order: self.higher_order || other.higher_order,
            extensions: self.extensions || other.extensions,
        }
    }

    /// The number of features. Declared sorts do not count: they come with functions or with arrays.
    fn count(&self) -> usize {
        let counted = Features { sorts: false, ..*self };
        counted.list().iter().filter(|&&feature| feature).count()
    }

    /// The features of the logic of this name; `None` if the name does not spell a logic.
    pub fn of_name(name: &str) -> Option<Features> {
        let (higher_order, name) = match name.strip_prefix("HO_") {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        let (quantifiers, mut rest) = match name.strip_prefix("QF_") {
            Some(rest) => (false, rest),
            None => (true, name),
        };
        let mut features = Features { quantifiers, higher_order, ..Features::default() };
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let (token, length) = LOGIC_NAME_PIECES
                .iter()
                .find_map(|(text, token)| rest.starts_with(text).then_some((token, text.len())))?;
            token(&mut features);
            rest = &rest[length..];
        }
        let functions = features.functions;
        let plain =
            Features { arrays: true, bit_vectors: true, functions, sorts: functions, ..Features::default() };
        features.other_arrays = features.arrays && features != plain;
        Some(features)
    }

    /// All features.
    pub const ALL: Features = Features {
        quantifiers: true,
        sorts: true,
        functions: true,
        arrays: true,
        other_arrays: true,
        bit_vectors: true,
        floats: true,
        datatypes: true,
        strings: true,
        integers: true,
        reals: true,
        nonlinear: true,
        fields: true,
        higher_order: true,
        extensions: true,
    };

    /// Returns true if a standard theory is part of a logic with these features.
    pub fn has_theory(&self, theory: &str) -> bool {
        match theory {
            "Core" => true,
            "Ints" => self.integers,
            "Reals" => self.reals,
            "Reals_Ints" => self.integers && self.reals,
            "ArraysEx" => self.arrays,
            "FixedSizeBitVectors" => self.bit_vectors,
            "FloatingPoint" => self.floats,
            "Strings" => self.strings,
            _ => false,
        }
    }

    /// The features that a script uses.
    pub fn of_script(script: &Script) -> Features {
        FeatureUsage::of(script).features
    }
}

/// Adds the features of a piece of a logic's name.
type FeatureSetter = fn(&mut Features);

/// The pieces of logic names, longer ones before their prefixes.
const LOGIC_NAME_PIECES: &[(&str, FeatureSetter)] = &[
    // Arrays over declared sorts, without other theories.
    ("AX", |f| (f.arrays, f.sorts) = (true, true)),
    ("A", |f| f.arrays = true),
    ("UF", |f| (f.functions, f.sorts) = (true, true)),
    ("BV", |f| f.bit_vectors = true),
    ("FP", |f| f.floats = true),
    ("FF", |f| f.fields = true),
    ("DT", |f| f.datatypes = true),
    ("S", |f| f.strings = true),
    // Transcendental functions, in cvc5's QF_NRAT.
    ("T", |_| {}),
    ("LIRA", |f| (f.integers, f.reals) = (true, true)),
    ("NIRA", |f| (f.integers, f.reals, f.nonlinear) = (true, true, true)),
    ("LIA", |f| f.integers = true),
    ("IDL", |f| f.integers = true),
    ("LRA", |f| f.reals = true),
    ("RDL", |f| f.reals = true),
    ("NIA", |f| (f.integers, f.nonlinear) = (true, true)),
    ("NRA", |f| (f.reals, f.nonlinear) = (true, true)),
];

/// The smallest standard logic of a script: `HORN` if the script sets it, `ALL` if no other one fits.
pub fn smallest(script: &Script) -> &'static str {
    if script.is_horn() {
        return "HORN";
    }
    smallest_with(Features::of_script(script))
}

/// The logic that people name for a script. Where all variables are reals, as in `(= (* x x) 3)`, a numeral stands for a real:
/// `QF_NRA`, although the standard takes `3` for an integer if no logic says otherwise, so that the smallest logic is `QF_NIRA`. A
/// script that sets that logic itself keeps it.
pub fn colloquial(script: &Script) -> &'static str {
    let smallest = smallest(script);
    let used = FeatureUsage::without_numerals(script).features;
    let is_of_reals = used.reals && !used.integers && !script.is_horn();
    if is_of_reals && script.logic() != Some(smallest) { smallest_with(used) } else { smallest }
}

fn smallest_with(used: Features) -> &'static str {
    STANDARD_LOGICS
        .iter()
        .filter_map(|name| Some((name, Features::of_name(name)?)))
        .filter(|(_, features)| features.include(&used))
        .min_by_key(|(_, features)| features.count())
        .map_or("ALL", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Signature;

    #[test]
    fn every_standard_name_spells_its_features() {
        for name in STANDARD_LOGICS {
            let features = Features::of_name(name).unwrap_or_else(|| panic!("{name} is not understood"));
            assert_eq!(features.quantifiers, !name.starts_with("QF_"), "{name}");
        }
        assert!(Features::of_name("AUFBVDTLIA").unwrap().include(&Features::of_name("QF_ABV").unwrap()));
        assert_eq!(Features::of_name("HORN"), None);
        assert_eq!(Features::of_name("QF_"), None);
    }

    #[test]
    fn a_numeral_among_reals_is_a_real_to_people() {
        let signature = Signature::standard();
        let check = |text: &str, logic: &str, named: &str| {
            let script = Script::parse(text, &signature).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((smallest(&script), colloquial(&script)), (logic, named), "{text}");
        };
        check("(declare-const x Real)(assert (= (* x x) 3))", "QF_NIRA", "QF_NRA");
        check("(declare-const x Real)(assert (< (/ x (- 2)) (to_real 1)))", "QF_LIRA", "QF_LRA");
        check("(declare-const x Real)(assert (> (* x x) 3.0))", "QF_NRA", "QF_NRA");
        check("(declare-const x Real)(assert (is_int (* x 2)))", "QF_LIRA", "QF_LIRA");
        check("(declare-const x Real)(declare-const n Int)(assert (= x n))", "QF_LIRA", "QF_LIRA");
        check("(declare-const x Int)(assert (= x 3))", "QF_LIA", "QF_LIA");
        check("(assert (= 1 2))", "QF_LIA", "QF_LIA");
        check("(assert (= 0.0 (/ 0 0)))", "QF_NIRA", "QF_NRA");
        check("(set-logic QF_NIRA)(assert (= 0.0 (/ 0 0)))", "QF_NIRA", "QF_NIRA");
    }

    #[test]
    fn the_smallest_logic_has_exactly_the_features_of_the_script() {
        let signature = Signature::standard();
        let check = |text: &str, logic: &str| {
            let script = Script::parse(text, &signature).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(smallest(&script), logic, "{text}");
        };
        check("(declare-const a Bool)(assert a)", "QF_UF");
        check("(declare-const x Int)(assert (< (* 2 x) (div x 3)))", "QF_LIA");
        check("(declare-const x Int)(assert (< (* x x) 3))", "QF_NIA");
        check("(declare-const x Int)(assert (< (mod x 0) 3))", "QF_NIA");
        check("(declare-const x Int)(assert (< (div x 2 (- 00)) 3))", "QF_NIA");
        check("(declare-const x Int)(assert (< (div x (- 2 2)) 3))", "QF_NIA");
        check("(declare-const x Int)(assert (< (div x (- 2)) 3))", "QF_LIA");
        check("(declare-const x Real)(assert (< (/ x (- 0.0)) 3.0))", "QF_NRA");
        check("(declare-const x Real)(assert (< (/ x (- (/ 1.0 (- 10.0)))) 3.0))", "QF_LRA");
        check("(declare-const x Real)(assert (< (* x (- 1.0 3.0)) 3.0))", "QF_NRA");
        check("(declare-const x Real)(assert (< (* x (/ 1.0 2.0 3.0)) 3.0))", "QF_NRA");
        check("(set-logic QF_LRA)(declare-const x Real)(assert (< (/ x 3) 1))", "QF_LRA");
        check("(declare-const x Real)(assert (= (/ 1.0 x) x))", "QF_NRA");
        check("(declare-const x Real)(assert (is_int x))", "QF_LIRA");
        check("(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) x)))", "UFLIA");
        check(
            "(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))(assert (= (select a #x00) #x01))",
            "QF_ABV",
        );
        let bytes =
            "(declare-sort I 0)(declare-const x (_ BitVec 8))(declare-fun f (I) I)(assert (= x #x00))";
        check("(declare-const a (Array (_ BitVec 8) (Array (_ BitVec 8) Bool)))(assert (= a a))", "QF_ABV");
        check("(declare-const a (Array Bool (_ BitVec 8)))(assert (= a a))", "QF_ABVFP");
        check(&format!("{bytes}(declare-const a (Array (_ BitVec 8) I))(assert (= a a))"), "QF_AUFBVFP");
        check(bytes, "QF_UFBV");
        check("(declare-const a (Array Int (_ BitVec 8)))(assert (= a a))", "QF_AUFBVLIA");
        check("(declare-sort I 0)(declare-const a (Array I I))(assert (= a a))", "QF_AX");
        check(
            "(declare-sort I 0)(declare-fun f (I) I)(declare-const a (Array I I))(assert (= a a))",
            "QF_AUFLIA",
        );
        check("(declare-sort I 0)(declare-const i I)(assert (= i i))", "QF_UF");
        check("(assert (forall ((a (Array Bool Bool))) (= a a)))", "ALIA");
        check("(declare-const s String)(assert (= s \"a\"))", "QF_S");
        check("(declare-const s String)(assert (= (str.len s) 1))", "QF_SLIA");
        check("(define-fun-rec f ((n Int)) Int (ite (< n 1) 0 (f (- n 1))))(assert (= (f 3) 0))", "ALL");
        check("(declare-const s (Seq Int))(assert (= s s))", "ALL");
        check("(declare-const x Float32)(assert (fp.isNaN x))", "QF_FP");
        check("(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (p x)))", "HORN");
        check(
            "(declare-datatype L ((n) (c (h Int) (t L))))(declare-const l L)(assert ((_ is n) l))",
            "QF_UFDTLIA",
        );
    }
}
