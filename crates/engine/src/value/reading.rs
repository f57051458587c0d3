//! From what a solver says of holes to literals that can stand in a script.
//!
//! ```text
//! ((hole!0 (- 3)) (hole!1 #x0f))     ⇒     (- 3), #b00001111
//! ```
//!
//! A value is read as one of a model and printed by us, so that every solver reads the same value in it, whoever found it.
//! What has no literal (an irrational number) or a very long one leaves the constant as it was.

use gainsay_smt::eval::{Budget, Evaluator};
use gainsay_smt::value::value_text;
use gainsay_smt::{Check, Command, Model, Value};

use super::Filling;
use super::skeleton::{Skeleton, Takes};
use crate::solver::outline::outline;

/// Bytes of a literal.
const LONGEST: usize = 1_000;

/// What reading one value may cost.
const BUDGET: Budget = Budget { steps: 100_000, bytes: 1 << 20 };

/// The model that an answer to `get-value` is; nothing if it is none.
pub fn model_of_values(skeleton: &Skeleton, answer: &str) -> Option<String> {
    let inside = answer.trim().strip_prefix('(')?.strip_suffix(')')?;
    let pairs = outline(inside).commands;
    if pairs.is_empty() {
        return None;
    }
    let mut model = String::from("(");
    for pair in pairs {
        let hole = skeleton.holes.iter().find(|hole| hole.name == pair.name)?;
        let value = pair.text[1..pair.text.len() - 1].trim_start().strip_prefix(pair.name)?.trim();
        model += &format!("(define-fun {} () {} {value})\n", hole.name, hole.sort);
    }
    Some(model + ")")
}

/// A literal for each open hole by a model, where that differs from the constant; nothing if the model cannot be read.
pub fn filling(skeleton: &Skeleton, model: &str) -> Option<Filling> {
    let script = &skeleton.script;
    let is_hole = |command: &Command| {
        matches!(command, Command::Declare(_, name, ..)
        if script.arena().text(*name).starts_with(&skeleton.prefix))
    };
    let declarations = (0..script.commands.len()).filter(|&at| is_hole(&script.commands[at])).collect();
    let end = script.commands.len();
    let check = Check { command: end, declarations, assertions: Vec::new(), assumptions: Vec::new() };
    let model = Model::read(model, script, &check).ok()?;
    // What it leaves out would get a value that nobody gave.
    let missing: Vec<&str> = model.missing().into_iter().map(|name| model.arena().text(name)).collect();
    let mut evaluator = Evaluator::new(&model, BUDGET);
    let mut literals = Vec::new();
    for hole in &skeleton.holes {
        let is_open = hole.takes == Takes::Term && !missing.contains(&hole.name.as_str());
        let value = is_open.then(|| evaluator.value(hole.term).ok()).flatten();
        let old = evaluator.value(hole.old).ok();
        let new = value.filter(|value| is_written(value) && old.as_ref() != Some(value));
        let text = new.map(|value| value_text(model.arena(), model.arena().sort_of(hole.term), &value));
        literals.push(text.filter(|text| text.len() <= LONGEST).map(Box::from));
    }
    Some(literals)
}

fn is_written(value: &Value) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Real(_)
            | Value::BitVec(_)
            | Value::Float(_)
            | Value::RoundingMode(_)
            | Value::Text(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::{Script, Signature};

    fn read(script: &str, answer: &str) -> Option<Filling> {
        let script = Script::parse(script, &Signature::standard()).unwrap();
        let skeleton = Skeleton::of(&script).unwrap();
        filling(&skeleton, &model_of_values(&skeleton, answer)?)
    }

    #[test]
    fn values_are_printed_in_one_way() {
        let script = "(declare-const x Int)(declare-const b (_ BitVec 8))(declare-const s String)
             (assert (= x 1))(assert (= b #x01))(assert (= s \"a\"))(assert (< 1.0 2.0))";
        let found = read(
            script,
            "((hole!0 (- 3))\n (hole!1 #b00001111)\n (hole!2 \"x) \"\"\\u{7f}\") (hole!3 (/ 1.0 3.0)) (hole!4 4.50))\n",
        );
        let text = |text: &str| Some(Box::from(text));
        let literals = found.unwrap();
        assert_eq!(literals[0], text("(- 3)"));
        assert_eq!(literals[1], text("#x0f"));
        assert_eq!(literals[2], text("\"x) \"\"\\u{7f}\""));
        assert_eq!(literals[3], text("(/ 1.0 3.0)"));
        assert_eq!(literals[4], text("(/ 9.0 2.0)"));
    }

    #[test]
    fn the_value_that_was_there_is_no_change_however_it_is_spelled() {
        let script = "(declare-const b (_ BitVec 8))(assert (bvult (_ bv15 8) b))";
        assert_eq!(read(script, "((hole!0 #x0f))"), Some(vec![None]));
    }

    #[test]
    fn what_is_no_answer_or_no_literal_changes_nothing() {
        let script = "(declare-const x Real)(assert (< x 1.0))";
        assert_eq!(read(script, "(error \"line 1: no model\")"), None);
        assert_eq!(read(script, "unsupported"), None);
        assert_eq!(read(script, "((hole!0 (root-obj (+ (^ x 2) (- 2)) 2)))"), Some(vec![None]));
        assert_eq!(read(script, "((hole!0 |what|))"), Some(vec![None]));
    }
}
