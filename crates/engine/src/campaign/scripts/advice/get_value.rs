//! Reads the answer to `get-value` as a model of the holes.
//!
//! ```text
//! ((hole!0 (- 3)) (hole!1 #x0f))     ⇒     ((define-fun hole!0 () Int (- 3)) (define-fun hole!1 () (_ BitVec 8) #x0f))
//! ```

use crate::solver::outline::outline;
use crate::strategy::value::skeleton::Skeleton;

/// The model that an answer to `get-value` describes; `None` if it is not such an answer.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::value::Filling;
    use crate::strategy::value::model_literals::filling;
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
