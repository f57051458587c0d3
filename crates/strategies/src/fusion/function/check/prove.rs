//! The queries that prove the inverses of a fusion function.
//!
//! ```text
//! (declare-const x Int)(declare-const y Int)(declare-const z Int)
//! (assert (= z (* x y)))                the function
//! (assert (distinct y 0))               the condition of the inverse
//! (assert (distinct x (div z y)))       the inverse is wrong
//! (check-sat)                           must be unsat
//! ```

use super::super::{FusionFunction, RESULT_NAME};

/// A script that must be unsatisfiable for an inverse to be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InverseQuery {
    /// The number of the parameter.
    pub parameter: usize,
    /// The number of its inverse.
    pub inverse: usize,
    /// The script.
    pub script: String,
}

/// One query for each inverse of a function without variables.
pub fn inverse_queries(function: &FusionFunction) -> Vec<InverseQuery> {
    let mut queries = Vec::new();
    let declared = declarations(function);
    for (number, inverses) in function.inverses.iter().enumerate() {
        let parameter = &function.parameters[number];
        for (inverse_number, inverse) in inverses.iter().enumerate() {
            let mut script = declared.clone();
            if let Some(condition) = &inverse.condition {
                script.push_str(&format!("(assert {condition})\n"));
            }
            let wrong = format!("(assert (not (= {} {})))\n(check-sat)\n", parameter.name, inverse.term);
            script.push_str(&wrong);
            queries.push(InverseQuery { parameter: number, inverse: inverse_number, script });
        }
    }
    queries
}

/// Declares the names of a function, and asserts their domains and the function's definition.
fn declarations(function: &FusionFunction) -> String {
    let mut script = String::from("(set-logic ALL)\n");
    for parameter in &function.parameters {
        script.push_str(&format!("(declare-const {} {})\n", parameter.name, parameter.sort));
    }
    script.push_str(&format!("(declare-const {RESULT_NAME} {})\n", function.result));
    for constant in &function.constants {
        script.push_str(&format!("(declare-const {} {})\n", constant.name, constant.sort));
        if let Some(condition) = constant.domain.condition(&constant.name, &constant.sort) {
            script.push_str(&format!("(assert {condition})\n"));
        }
    }
    script.push_str(&format!("(assert (= {RESULT_NAME} {}))\n", function.body));
    script
}
