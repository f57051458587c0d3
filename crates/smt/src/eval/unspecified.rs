//! Operators of which the standard leaves some results open, and the functions by which models define these results.
//! Both are rows of `theories/operators.txt`.

use rustc_hash::FxHashMap;

use crate::operator_facts;

/// The operators with unspecified results, each with the names of the functions that models define them by.
#[derive(Debug)]
pub(crate) struct UnspecifiedResults {
    functions: FxHashMap<&'static str, Vec<&'static str>>,
}

impl UnspecifiedResults {
    pub fn standard() -> UnspecifiedResults {
        let defined = operator_facts::lines("unspecified").map(|row| (row[0], row[1..].to_vec()));
        let never_defined = operator_facts::names("open").into_iter().map(|name| (name, Vec::new()));
        UnspecifiedResults { functions: defined.chain(never_defined).collect() }
    }

    /// Returns true if some results of an operator are open.
    pub fn contains(&self, operator: &str) -> bool {
        self.functions.contains_key(operator)
    }

    /// The names of all functions by which models define open results.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> {
        self.functions.values().flatten().copied()
    }

    /// The names of functions by which models define the open results of an operator. Some of them, such as
    /// `fp.to_real_I`, are operators that scripts use, too; a model defines such an operator under its own name.
    pub fn functions_for(&self, operator: &str) -> Vec<&'static str> {
        let listed = self.functions.get(operator).into_iter().flatten().copied();
        listed.chain(self.functions().filter(|name| *name == operator)).collect()
    }
}
