//! `gainsay eval FILE --model FILE`: evaluates each assertion under a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::bounded;
use gainsay_smt::eval::{EvalBudget, Evaluation, Explanation, TruthValue, Undecided, evaluate, explain};
use gainsay_smt::print::{symbol_text, term_text};
use gainsay_smt::{IgnoredDefinition, Model, SatQuery, Script, Signature, Term, decode, sat_queries};
use serde_json::json;

use crate::console;
use crate::exit;

const EVAL_EXAMPLES: &str = "\
Examples:
  gainsay eval script.smt2 --model model.txt            one line for each assertion
  gainsay eval script.smt2 --model model.txt --explain  explain false assertions
  gainsay eval script.smt2 --model model.txt --check 2  for the second check-sat
  gainsay eval script.smt2 --model model.txt --json

The model is the output of (get-model). An assertion is true, false, or undecided with a reason.
The exit code is 0 if no assertion is false, 10 if one is, 2 if the script cannot be read.";

/// The arguments of `gainsay eval`.
#[derive(Args, Debug)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct EvalArgs {
    /// The script
    file: PathBuf,
    /// The model, as a solver prints it
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The check-sat that the model is for, counted from 1 [default: the last one]
    #[arg(long, value_name = "N")]
    check: Option<usize>,
    /// Explain false assertions: show the smallest false subterm and the values in it
    #[arg(long)]
    explain: bool,
    /// Maximum number of evaluation steps
    #[arg(long, value_name = "STEPS", default_value_t = EvalBudget::default().steps)]
    steps: u64,
    /// Print one JSON object: assertions, reasons, assumptions, completed, ignored
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let script = script(&args.file)?;
    let all = sat_queries(&script);
    let number = args.check.unwrap_or(all.len());
    let check = number.checked_sub(1).and_then(|place| all.get(place)).ok_or_else(|| exit::BadInput {
        path: args.file.clone(),
        message: format!("there is no check-sat {number}; the script has {}", all.len()),
    })?;
    let text = read(&args.model)?;
    let evaluated = ModelEvaluation::make(&String::from_utf8_lossy(&text), &script, check, args);
    evaluated.show(args);
    Ok(ExitCode::from(if evaluated.has_false() { exit::EXIT_FINDINGS } else { 0 }))
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    Ok(bounded::read(path, bounded::MAX_SCRIPT_BYTES)
        .map_err(|source| exit::NoInput { path: path.to_owned(), source })?)
}

fn script(path: &Path) -> anyhow::Result<Script> {
    let bytes = read(path)?;
    let parsed = decode(&bytes).and_then(|text| Script::parse(&text, &Signature::standard()));
    let path = path.to_owned();
    Ok(parsed.map_err(|error| exit::BadInput { path, message: error.to_string() })?)
}

/// The values of all assertions and assumptions.
struct ModelEvaluation {
    evaluation: Evaluation,
    /// The assertions and assumptions as text.
    terms: Vec<String>,
    /// For each of them, why it is false, if it is and `--explain` was given.
    explanations: Vec<Option<Explanation>>,
    completed: Vec<String>,
    /// Definitions of the model that have no effect, each with the reason.
    ignored: Vec<(String, String)>,
}

impl ModelEvaluation {
    fn make(text: &str, script: &Script, check: &SatQuery, args: &EvalArgs) -> ModelEvaluation {
        let budget = EvalBudget { steps: args.steps, ..EvalBudget::default() };
        let asked: Vec<Term> = check.assertions.iter().chain(&check.assumptions).copied().collect();
        let terms = asked.iter().map(|&term| term_text(script.arena(), term)).collect();
        let model = match Model::read(text, script, check) {
            Ok(model) => model,
            Err(error) => {
                // An unreadable model makes all assertions undecided.
                let why = TruthValue::Undecided(Undecided::Model(
                    format!("the model cannot be read: {error}").into(),
                ));
                let evaluation = Evaluation {
                    assertions: vec![why.clone(); check.assertions.len()],
                    assumptions: vec![why; check.assumptions.len()],
                    completed: Vec::new(),
                    steps: 0,
                };
                let explanations = vec![None; asked.len()];
                return ModelEvaluation {
                    evaluation,
                    terms,
                    explanations,
                    completed: vec![],
                    ignored: vec![],
                };
            }
        };
        let evaluation = evaluate(&model, check, budget);
        let outcomes = evaluation.assertions.iter().chain(&evaluation.assumptions);
        let explanation = |(&term, outcome): (&Term, &TruthValue)| match outcome {
            TruthValue::False if args.explain => explain(&model, term, budget),
            _ => None,
        };
        let explanations = asked.iter().zip(outcomes).map(explanation).collect();
        let completed = evaluation.completed.iter().map(|&name| symbol_text(model.arena(), name)).collect();
        let remark = |one: &IgnoredDefinition| (symbol_text(model.arena(), one.name), one.reason.to_string());
        let ignored = model.ignored().iter().map(remark).collect();
        ModelEvaluation { evaluation, terms, explanations, completed, ignored }
    }

    fn has_false(&self) -> bool {
        self.outcomes().any(|outcome| *outcome == TruthValue::False)
    }

    fn outcomes(&self) -> impl Iterator<Item = &TruthValue> {
        self.evaluation.assertions.iter().chain(&self.evaluation.assumptions)
    }

    fn show(&self, args: &EvalArgs) {
        if args.json {
            console::out(self.json());
            return;
        }
        for ((outcome, term), explanation) in self.outcomes().zip(&self.terms).zip(&self.explanations) {
            console::out(format_args!("{}: {}", outcome.word(), shortened(term)));
            if let TruthValue::Undecided(why) = outcome {
                console::out(format_args!("  reason: {why}"));
            }
            if let Some(explanation) = explanation {
                console::out(format_args!("  {} is {}", shortened(&explanation.text), explanation.value));
                for (child, value) in &explanation.children {
                    console::out(format_args!("    {} is {}", shortened(child), shortened(value)));
                }
            }
        }
        if !self.completed.is_empty() {
            console::out(format_args!(
                "not in the model, set to default values: {}",
                self.completed.join(" ")
            ));
        }
        for (name, reason) in &self.ignored {
            console::out(format_args!("ignored in the model: {name} ({reason})"));
        }
    }

    fn json(&self) -> serde_json::Value {
        let words = |outcomes: &[TruthValue]| outcomes.iter().map(TruthValue::word).collect::<Vec<_>>();
        let reason = |outcome: &TruthValue| match outcome {
            TruthValue::Undecided(why) => Some(why.to_string()),
            _ => None,
        };
        let explanation = |explanation: &Option<Explanation>| {
            explanation.as_ref().map(|explanation| {
                let children = explanation.children.iter();
                let children: Vec<_> =
                    children.map(|(term, value)| json!({ "term": term, "value": value })).collect();
                json!({ "term": explanation.text, "value": explanation.value, "children": children })
            })
        };
        let ignored = |(name, reason): &(String, String)| json!({ "name": name, "reason": reason });
        json!({
            "assertions": words(&self.evaluation.assertions),
            "assumptions": words(&self.evaluation.assumptions),
            "reasons": self.outcomes().map(reason).collect::<Vec<_>>(),
            "explanations": self.explanations.iter().map(explanation).collect::<Vec<_>>(),
            "completed": self.completed,
            "ignored": self.ignored.iter().map(ignored).collect::<Vec<_>>(),
            "steps": self.evaluation.steps,
        })
    }
}

/// Truncates a text to a line or two.
fn shortened(text: &str) -> String {
    const MAX_CHARS_SHOWN: usize = 200;
    match text.char_indices().nth(MAX_CHARS_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
