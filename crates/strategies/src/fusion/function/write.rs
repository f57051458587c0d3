//! Writes fusion functions in gainsay's notation.

use std::fmt::Write;

use super::draw::ConstantDomain;
use super::s_expression::SExpression;
use super::{FusionFunction, FusionFunctions, read};

impl FusionFunctions {
    /// All functions as a file.
    pub fn write(&self) -> String {
        let mut text = format!("(version {})\n", read::NOTATION_VERSION);
        for function in self.list() {
            text.push_str(&function.write());
        }
        text
    }
}

impl FusionFunction {
    /// The function as one form of a file, with a newline.
    pub fn write(&self) -> String {
        let parameters =
            self.parameters.iter().map(|p| SExpression::list([SExpression::word(&p.name), p.sort.clone()]));
        let parameters = SExpression::list(parameters);
        let mut text = format!("(function {} {parameters} {} {}", self.name, self.result, self.body);
        if let Some(condition) = &self.defined {
            let _ = write!(text, "\n  :defined {condition}");
        }
        if let Some(condition) = &self.condition {
            let _ = write!(text, "\n  :where {condition}");
        }
        if !self.constants.is_empty() {
            let constants = self.constants.iter().map(|constant| {
                let domain = SExpression::word(constant.domain.word());
                let domain = (constant.domain != ConstantDomain::Any).then_some(domain);
                SExpression::list(
                    [SExpression::word(&constant.name), constant.sort.clone()].into_iter().chain(domain),
                )
            });
            let _ = write!(text, "\n  :constants {}", SExpression::list(constants));
        }
        for (parameter, inverses) in self.parameters.iter().zip(&self.inverses) {
            for inverse in inverses {
                let _ = write!(text, "\n  :inverse {} {}", parameter.name, inverse.term);
                if let Some(condition) = &inverse.condition {
                    let _ = write!(text, "\n    :when {condition}");
                }
                if inverse.is_evaluated {
                    text.push_str(" :evaluated");
                }
            }
        }
        text.push_str(")\n");
        match self.variables.is_empty() {
            true => text,
            false => format!("(par ({}) {})\n", self.variables.join(" "), text.trim_end()),
        }
    }
}
