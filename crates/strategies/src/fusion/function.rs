//! Fusion functions: `z = f(x, y)` with inverses for `x` and `y`.
//!
//! ```text
//! (function add ((x Int) (y Int)) Int (+ x y)
//!   :inverse x (- z y)
//!   :inverse y (- z x))
//! ```
//!
//! Semantic fusion joins two scripts with such functions: `z` is new, and occurrences of `x` and `y` become their
//! inverses. The promised answer of a fused script depends on its inverses, so each states the condition under which it
//! holds (`x` is `(div z y)` if `y` is not zero), and all are checked ([`check`]).
//!
//! A function may have any number of parameters of any sorts, including sorts with variables: `(_ BitVec m)`, `(Seq
//! T)`. Its constants are drawn when it is used. The basic functions are the operators in `rules/inversions.smt2`;
//! [`generate`] composes larger ones from these rows.

pub(crate) mod build;
pub mod check;
mod datatypes;
pub mod draw;
pub mod generate;
pub(crate) mod parse;
mod read;
pub mod s_expression;
pub mod show;
pub mod sort_bindings;
mod write;
pub mod yinyang;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use gainsay_smt::{Arena, Script, Signature, Sort, Term};

use crate::random::Rng;

pub(crate) use sort_bindings::sort as sort_expression;

pub(crate) use build::sort as sort_of;
use draw::{ArrayLiterals, ConstantDomain, DrawableDatatypes};
use generate::FunctionRequest;
use s_expression::SExpression;
use sort_bindings::SortBindings;
pub(crate) use sort_bindings::sort as spelled;

/// The name of a function's result in its inverses.
pub const RESULT_NAME: &str = "z";

/// The built-in table of operators and their inverses.
pub const STANDARD_FUNCTIONS: &str = include_str!("../../rules/inversions.smt2");

/// A function whose every parameter can be computed from the result and the other parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FusionFunction {
    /// Its name in messages and files.
    pub name: Arc<str>,
    /// Variables in its sorts: each stands for any sort, or for any number in an index.
    pub variables: Vec<Arc<str>>,
    /// A condition on the variables that stand for numbers.
    pub condition: Option<SExpression>,
    /// Its parameters.
    pub parameters: Vec<FunctionParameter>,
    /// Its symbolic constants, drawn when it is used.
    pub constants: Vec<SymbolicConstant>,
    /// The sort of its result.
    pub result: SExpression,
    /// Its body, over its parameters and constants.
    pub body: SExpression,
    /// The condition under which the standard defines its value; `None` means always. Part of the conditions of all
    /// inverses.
    pub defined: Option<SExpression>,
    /// For each parameter, at least one inverse.
    pub inverses: Vec<Vec<FunctionInverse>>,
    /// Functions of a script that it uses (constructors, selectors), each with its result sort.
    pub own: Vec<(Arc<str>, SExpression)>,
    /// The line of its file where it begins.
    pub line: usize,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionParameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its sort.
    pub sort: SExpression,
}

/// A symbolic constant of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicConstant {
    /// Its name.
    pub name: Arc<str>,
    /// Its sort.
    pub sort: SExpression,
    /// The values it may have.
    pub domain: ConstantDomain,
}

/// An inverse: computes a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionInverse {
    /// A term over the result `z`, the constants and the parameters, possibly including the parameter that it computes.
    pub term: SExpression,
    /// The condition over parameters and constants under which it is right; `None` means always.
    pub condition: Option<SExpression>,
    /// Whether solvers cannot prove it, so that it is checked by evaluation only.
    pub is_evaluated: bool,
    /// Its line in its file.
    pub line: usize,
}

/// A function applied to terms of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FusionInstance {
    /// The function applied to the arguments.
    pub result: Term,
    /// For each argument, an inverse over `z` and the arguments.
    pub inverses: Vec<Term>,
    /// For each argument, the condition of its inverse; `None` means always.
    pub conditions: Vec<Option<Term>>,
    /// The conjunction of all conditions, if any.
    pub condition: Option<Term>,
}

/// An error in a rule file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RuleFileError {
    /// The line, from 1.
    pub line: usize,
    /// The reason.
    pub message: String,
}

impl RuleFileError {
    fn new(line: usize, message: impl Into<String>) -> RuleFileError {
        RuleFileError { line, message: message.into() }
    }

    fn at<T>(line: usize, message: impl Into<String>) -> Result<T, RuleFileError> {
        Err(RuleFileError::new(line, message))
    }
}

/// A set of fusion functions.
#[derive(Clone, Debug, Default)]
pub struct FusionFunctions {
    list: Vec<FusionFunction>,
    /// The datatypes whose values may be constants.
    datatypes: DrawableDatatypes,
}

impl FusionFunctions {
    /// The built-in functions.
    pub fn standard() -> FusionFunctions {
        match FusionFunctions::read(STANDARD_FUNCTIONS) {
            Ok(functions) => functions,
            Err(error) => panic!("rules/inversions.smt2: {error}"),
        }
    }

    /// Reads functions in gainsay's notation, or in yinyang's if the text has `#begin` lines.
    pub fn read(text: &str) -> Result<FusionFunctions, RuleFileError> {
        let (functions, errors) = FusionFunctions::read_all(text)?;
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(functions),
        }
    }

    /// Reads the functions of a text, and returns the errors in those that cannot be read.
    ///
    /// A text in gainsay's notation is read as a whole; one in yinyang's notation block by block.
    pub fn read_all(text: &str) -> Result<(FusionFunctions, Vec<RuleFileError>), RuleFileError> {
        if !yinyang::is_yinyang(text) {
            return Ok((FusionFunctions::new(read::read(text)?), Vec::new()));
        }
        let (mut list, mut errors) = (Vec::new(), Vec::new());
        for block in yinyang::read(text) {
            match block {
                Ok(function) => list.push(function),
                Err(error) => errors.push(error),
            }
        }
        Ok((FusionFunctions::new(list), errors))
    }

    /// A set of these functions.
    pub fn new(list: Vec<FusionFunction>) -> FusionFunctions {
        FusionFunctions { list, datatypes: DrawableDatatypes::default() }
    }

    /// All functions.
    pub fn list(&self) -> &[FusionFunction] {
        &self.list
    }

    /// Adds the functions that the datatypes of a script provide: constructors with their selectors.
    #[must_use]
    pub fn with_datatypes_of(&self, script: &Script) -> FusionFunctions {
        let mut list = self.list.clone();
        list.extend(datatypes::functions(script));
        FusionFunctions { list, datatypes: DrawableDatatypes::of(script).with(self.datatypes.arrays) }
    }

    /// The functions that use only operators for which `knows` returns true.
    #[must_use]
    pub fn within(&self, signature: &Signature, knows: impl Fn(&str) -> bool) -> FusionFunctions {
        let is_operator =
            |name: &str| signature.find_symbol(name).is_some_and(|symbol| signature.is_operator(symbol));
        let uses = |function: &FusionFunction| {
            function.words().into_iter().all(|word| !is_operator(word) || knows(word))
        };
        let list = self.list.iter().filter(|function| uses(function)).cloned().collect();
        let arrays = if knows("const") { self.datatypes.arrays } else { ArrayLiterals::Unknown };
        FusionFunctions { list, datatypes: self.datatypes.clone().with(arrays) }
    }

    /// The functions with exactly these parameter sorts, and with this result sort if one is given.
    pub fn for_sorts(&self, arena: &Arena, sorts: &[Sort], result: Option<Sort>) -> Vec<&FusionFunction> {
        let actual: Option<Vec<SExpression>> =
            sorts.iter().map(|&sort| sort_bindings::sort(arena, sort)).collect();
        let Some(actual) = actual else { return Vec::new() };
        let result = result.map(|sort| sort_bindings::sort(arena, sort));
        let fits = |function: &&FusionFunction| {
            let mut bindings = SortBindings::default();
            function.binds(&actual, &mut bindings)
                && match &result {
                    None => true,
                    Some(None) => false,
                    Some(Some(result)) => function.results_in(result, &mut bindings),
                }
        };
        self.list.iter().filter(fits).collect()
    }

    /// Draws a function over parameters of these sorts, composed of `size` operators, constants and parameters, with
    /// the given result sort if any; `None` if the draws fail.
    pub fn generate_for(
        &self,
        arena: &Arena,
        sorts: &[Sort],
        result: Option<Sort>,
        size: usize,
        rng: &mut Rng,
    ) -> Option<FusionFunction> {
        let parameters: Vec<SExpression> =
            sorts.iter().map(|&sort| sort_bindings::sort(arena, sort)).collect::<Option<_>>()?;
        let result = match result {
            Some(sort) => Some(sort_bindings::sort(arena, sort)?),
            None => None,
        };
        let request = FunctionRequest {
            name: "generated".to_owned(),
            parameters,
            result,
            size,
            ..FunctionRequest::default()
        };
        generate::generate(self, &request, rng)
    }

    /// Instantiates a function over terms of a script, whose datatypes must be part of this set; `z` is a term of the
    /// result sort.
    ///
    /// Draws the constants, and one inverse for each argument. Returns `None` if the sorts do not fit, or if no value
    /// of a constant's sort can be written.
    pub fn instantiate(
        &self,
        function: &FusionFunction,
        script: &mut Script,
        arguments: &[Term],
        z: Term,
        rng: &mut Rng,
    ) -> Option<FusionInstance> {
        build::instance(function, &self.datatypes, script, (arguments, z), rng)
    }
}

impl FusionFunction {
    /// The result sort for arguments of these sorts; variables that the arguments leave open are drawn.
    pub fn result_sort(&self, script: &mut Script, sorts: &[Sort], rng: &mut Rng) -> Option<Sort> {
        let actual: Vec<SExpression> =
            sorts.iter().map(|&sort| sort_bindings::sort(script.arena(), sort)).collect::<Option<_>>()?;
        let mut bindings = SortBindings::default();
        self.binds(&actual, &mut bindings).then_some(())?;
        bindings.complete(self, &actual, rng).then_some(())?;
        build::sort(script.arena_mut(), &bindings.ground(&self.result)?)
    }

    /// All words of its terms except its own names.
    fn words(&self) -> BTreeSet<&str> {
        let inverses = self.inverses.iter().flatten();
        let conditions = inverses.clone().filter_map(|inverse| inverse.condition.as_ref());
        let terms = inverses.map(|inverse| &inverse.term).chain(conditions);
        let terms = terms.chain([&self.body]).chain(&self.defined);
        let parameters = self.parameters.iter().map(|parameter| &*parameter.name);
        let own: BTreeSet<&str> =
            parameters.chain(self.constants.iter().map(|constant| &*constant.name)).collect();
        let (mut open, mut words): (Vec<&SExpression>, _) = (terms.collect(), BTreeSet::new());
        let mut seen = HashSet::new();
        while let Some(next) = open.pop() {
            match next {
                SExpression::Word(word) => drop(words.insert(&**word)),
                SExpression::List(items) if !seen.insert(items.as_ptr()) => {}
                // Numbers of an index are computed before a solver sees them.
                SExpression::List(items) if items.first().and_then(SExpression::as_word) == Some("_") => {
                    open.extend(items.get(1));
                }
                SExpression::List(items) => open.extend(items.iter()),
            }
        }
        words.retain(|word| !own.contains(word));
        words
    }

    /// Adds the condition `defined` to the condition of every inverse.
    fn narrow(&mut self) {
        let Some(defined) = &self.defined else { return };
        for inverse in self.inverses.iter_mut().flatten() {
            let condition = match inverse.condition.take() {
                Some(condition) if condition.conjuncts().contains(&defined) => Some(condition),
                condition => SExpression::all([defined.clone()].into_iter().chain(condition)),
            };
            inverse.condition = condition;
        }
    }

    /// Binds the variables of its sorts to match the sorts of arguments.
    fn binds(&self, actual: &[SExpression], bindings: &mut SortBindings) -> bool {
        self.parameters.len() == actual.len()
            && self.parameters.iter().zip(actual).all(|(p, a)| bindings.fit(&p.sort, a, &self.variables))
            && bindings.allowed(self)
    }

    /// Binds the variables of its result sort that the arguments left open.
    fn results_in(&self, result: &SExpression, bindings: &mut SortBindings) -> bool {
        bindings.fit(&self.result, result, &self.variables) && bindings.allowed(self)
    }
}

#[cfg(test)]
mod tests;
