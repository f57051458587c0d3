//! Operations that the standard leaves open, and the names under which models say what they are.
//!
//! z3 prints `(define-fun div0 ((x!0 Int) (x!1 Int)) Int …)` beside the script's own functions; older versions give the
//! function the dividend alone.

/// Operators and the functions of models that stand for their unspecified part.
const NAMES: &[(&str, &[&str])] = &[
    ("/", &["/0"]),
    ("div", &["div0"]),
    ("mod", &["mod0"]),
    ("rem", &["rem0"]),
    ("^", &["^0"]),
    ("fp.to_ubv", &["fp.to_ubv_unspecified", "fp.to_ubv_I"]),
    ("fp.to_sbv", &["fp.to_sbv_unspecified", "fp.to_sbv_I"]),
    ("fp.to_real", &["fp.to_real_unspecified", "fp.to_real_I"]),
    ("fp.to_ieee_bv", &["fp.to_ieee_bv_unspecified", "fp.to_ieee_bv_I"]),
    ("fp.min", &["fp.min_unspecified", "fp.min_I"]),
    ("fp.max", &["fp.max_unspecified", "fp.max_I"]),
    ("seq.nth", &["seq.nth_u"]),
    ("bvsdiv_i", &["bvsdiv0"]),
    ("bvudiv_i", &["bvudiv0"]),
    ("bvsrem_i", &["bvsrem0"]),
    ("bvurem_i", &["bvurem0"]),
    ("bvsmod_i", &["bvsmod0"]),
];

/// Operators that are open, too, and of which no model says anything.
const MORE: &[&str] = &[
    "sqrt",
    "log",
    "tan",
    "cot",
    "sec",
    "csc",
    "arcsin",
    "arccos",
    "arctan",
    "arcsec",
    "arccsc",
    "arccot",
    "asin",
    "acos",
    "set.choose",
    "set.complement",
    "set.universe",
    "bag.choose",
    "choose",
    "complement",
    "univset",
];

/// Whether the standard, or the solver that has it, leaves some of an operator's values open: two scripts with such an
/// operator may each be satisfiable and their conjunction not.
pub fn is_open(operator: &str) -> bool {
    NAMES.iter().any(|(name, _)| *name == operator) || MORE.contains(&operator)
}

/// The names of all functions of a model that say what operators are where the standard does not.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().flat_map(|(_, names)| names.iter().copied())
}

/// The names of functions of a model that say what an operator is where the standard does not. Some of them, such as
/// `fp.to_real_I`, are operators that scripts use, too; a model says what such an operator is under its own name.
pub(super) fn names_for(operator: &str) -> Vec<&'static str> {
    let found = NAMES.iter().filter(|(name, _)| *name == operator);
    found
        .flat_map(|(_, names)| names.iter().copied())
        .chain(names().filter(|name| *name == operator))
        .collect()
}
