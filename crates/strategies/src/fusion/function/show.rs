//! Prints functions as formulas, and as Graphviz graphs.

use std::fmt::Write;

use super::s_expression::SExpression;
use super::{FusionFunction, RESULT_NAME};

/// Operators that are printed between their arguments.
const INFIX_SIGNS: [(&str, &str); 22] = [
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("div", "div"),
    ("mod", "mod"),
    ("=", "="),
    ("distinct", "≠"),
    ("<", "<"),
    ("<=", "≤"),
    ("and", "∧"),
    ("or", "∨"),
    ("xor", "⊕"),
    ("=>", "⇒"),
    ("str.++", "·"),
    ("seq.++", "·"),
    ("concat", "∘"),
    ("bvadd", "+"),
    ("bvsub", "-"),
    ("bvxor", "⊕"),
    ("bvand", "&"),
    ("bvor", "|"),
];

impl FusionFunction {
    /// The function and its inverses as formulas, one per line.
    pub fn infix(&self) -> String {
        let mut text = format!("{}: {RESULT_NAME} = {}\n", self.name, infix(&self.body));
        for (parameter, inverses) in self.parameters.iter().zip(&self.inverses) {
            for inverse in inverses {
                let _ = write!(text, "  {} = {}", parameter.name, infix(&inverse.term));
                if let Some(condition) = &inverse.condition {
                    let _ = write!(text, "  if {}", infix(condition));
                }
                text.push('\n');
            }
        }
        text
    }

    /// The tree of the function as a Graphviz graph.
    pub fn dot(&self) -> String {
        let mut text = format!("digraph \"{}\" {{\n", escaped(&self.name));
        let _ = writeln!(text, "  n0 [label=\"{RESULT_NAME}\"];");
        let mut count = 1;
        let mut open = vec![(0, &self.body)];
        while let Some((parent, expression)) = open.pop() {
            let (label, children) = match expression {
                SExpression::List(items) if !is_indexed(expression) => (items[0].to_string(), &items[1..]),
                _ => (expression.to_string(), &[][..]),
            };
            let _ = writeln!(text, "  n{count} [label=\"{}\"];\n  n{parent} -> n{count};", escaped(&label));
            open.extend(children.iter().rev().map(|child| (count, child)));
            count += 1;
        }
        text.push_str("}\n");
        text
    }
}

fn infix(expression: &SExpression) -> String {
    let SExpression::List(items) = expression else { return expression.to_string() };
    if is_indexed(expression) || items.is_empty() {
        return expression.to_string();
    }
    let arguments: Vec<String> = items[1..].iter().map(infix).collect();
    let operator = items[0].as_word().and_then(|name| INFIX_SIGNS.iter().find(|(known, _)| *known == name));
    match (operator, arguments.as_slice()) {
        (Some((_, sign)), [_, _, ..]) => format!("({})", arguments.join(&format!(" {sign} "))),
        (Some((_, "-")), [only]) => format!("-{only}"),
        _ => format!("{}({})", items[0], arguments.join(", ")),
    }
}

/// Whether it is an indexed or qualified name, not an application.
fn is_indexed(expression: &SExpression) -> bool {
    matches!(expression.items().first().and_then(SExpression::as_word), Some("_" | "as"))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use crate::fusion::function::FusionFunctions;

    #[test]
    fn a_function_is_shown_as_a_formula_and_as_a_picture() {
        let text =
            "(function f ((x Int)) Int (div (- x) (str.len \"a\")) :inverse x ((_ g 1) z) :when (= x 0))";
        let functions = FusionFunctions::read(text).unwrap();
        let function = &functions.list()[0];
        assert_eq!(function.infix(), "f: z = (-x div str.len(\"a\"))\n  x = (_ g 1)(z)  if (x = 0)\n");
        let dot = function.dot();
        for line in ["n0 [label=\"z\"];", "n1 [label=\"div\"];", "n1 -> n2;", "[label=\"\\\"a\\\"\"];"] {
            assert!(dot.contains(line), "{dot}");
        }
    }
}
