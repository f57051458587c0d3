//! Fusion functions from the datatypes of a script.
//!
//! ```text
//! (declare-datatype Pair ((pair (first Int) (second Bool))))
//!
//! (function pair ((x1 Int) (x2 Bool)) Pair (pair x1 x2)
//!   :inverse x1 (first z)
//!   :inverse x2 (second z))
//! ```
//!
//! No table can list them: constructors and selectors belong to the script.

use std::sync::Arc;

use gainsay_smt::print::symbol_text;
use gainsay_smt::{Command, Constructor, Script};

use super::s_expression::SExpression;
use super::sort_bindings;
use super::{FunctionInverse, FunctionParameter, FusionFunction, RESULT_NAME};

/// One function for each constructor with fields, for datatypes without parameters.
pub fn functions(script: &Script) -> Vec<FusionFunction> {
    let arena = script.arena();
    let mut functions: Vec<FusionFunction> = Vec::new();
    for command in &script.commands {
        let Command::DeclareDatatypes(_, declarations) = command else { continue };
        for datatype in declarations.iter().filter(|datatype| datatype.parameters.is_empty()) {
            let sort = SExpression::word(&symbol_text(arena, datatype.name));
            for constructor in datatype.constructors.iter().filter(|c| !c.fields.is_empty()) {
                functions.extend(function(script, &sort, constructor));
            }
        }
    }
    // A name that two datatypes share is ambiguous.
    let names: Vec<Arc<str>> = functions.iter().map(|function| Arc::clone(&function.name)).collect();
    functions.retain(|function| names.iter().filter(|name| **name == function.name).count() == 1);
    functions
}

fn function(script: &Script, sort: &SExpression, constructor: &Constructor) -> Option<FusionFunction> {
    let arena = script.arena();
    let name: Arc<str> = symbol_text(arena, constructor.name).into();
    let (mut parameters, mut inverses) = (Vec::new(), Vec::new());
    let mut own = vec![(Arc::clone(&name), sort.clone())];
    for (number, &(selector, field)) in constructor.fields.iter().enumerate() {
        let selector: Arc<str> = symbol_text(arena, selector).into();
        let field = sort_bindings::sort(arena, field)?;
        own.push((Arc::clone(&selector), field.clone()));
        parameters.push(FunctionParameter { name: format!("x{}", number + 1).into(), sort: field });
        let term = SExpression::apply(&selector, [SExpression::word(RESULT_NAME)]);
        inverses.push(vec![FunctionInverse { term, condition: None, is_evaluated: false, line: 0 }]);
    }
    let arguments = parameters.iter().map(|parameter| SExpression::word(&parameter.name));
    let body = SExpression::apply(&name, arguments);
    Some(FusionFunction {
        name,
        variables: Vec::new(),
        condition: None,
        parameters,
        constants: Vec::new(),
        result: sort.clone(),
        body,
        defined: None,
        inverses,
        own,
        line: 0,
    })
}
