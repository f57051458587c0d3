//! Turns the values of holes in a model into literals.
//!
//! ```text
//! ((hole!0 (- 3)) (hole!1 #x0f))     ⇒     (- 3), #b00001111
//! ```
//!
//! Values are parsed and printed again, so that every solver reads the same value, whichever solver found it. A hole
//! whose value has no literal (an irrational number) or a very long one keeps its constant.

use gainsay_smt::eval::{EvalBudget, Evaluator};
use gainsay_smt::value::value_text;
use gainsay_smt::{Command, Model, SatQuery, Value};

use super::Filling;
use super::skeleton::{HoleContent, Skeleton};

/// The longest literal, in bytes.
const MAX_LITERAL_BYTES: usize = 1_000;

/// The budget for evaluating one value.
const READING_BUDGET: EvalBudget = EvalBudget { steps: 100_000, bytes: 1 << 20 };

/// A literal for each open hole whose value in the model differs from its constant; `None` if the model cannot be read.
pub fn filling(skeleton: &Skeleton, model: &str) -> Option<Filling> {
    let script = &skeleton.script;
    let is_hole = |command: &Command| {
        matches!(command, Command::Declare(_, name, ..)
        if script.arena().text(*name).starts_with(&skeleton.prefix))
    };
    let declarations = (0..script.commands.len()).filter(|&at| is_hole(&script.commands[at])).collect();
    let end = script.commands.len();
    let check = SatQuery { command: end, declarations, assertions: Vec::new(), assumptions: Vec::new() };
    let model = Model::read(model, script, &check).ok()?;
    // A hole without a value in the model would get a default.
    let missing: Vec<&str> = model.missing().into_iter().map(|name| model.arena().text(name)).collect();
    let mut evaluator = Evaluator::new(&model, READING_BUDGET);
    let mut literals = Vec::new();
    for hole in &skeleton.holes {
        let is_open = hole.takes == HoleContent::Term && !missing.contains(&hole.name.as_str());
        let value = is_open.then(|| evaluator.value(hole.term).ok()).flatten();
        let old = evaluator.value(hole.old).ok();
        let new = value.filter(|value| is_written(value) && old.as_ref() != Some(value));
        let text = new.map(|value| value_text(model.arena(), model.arena().sort_of(hole.term), &value));
        literals.push(text.filter(|text| text.len() <= MAX_LITERAL_BYTES).map(Box::from));
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
