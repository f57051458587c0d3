//! Evaluates scripts under saved models: `evaluate SCRIPT MODEL [SCRIPT MODEL]…`.
//!
//! Prints one line per pair: the truth value, the number of steps, the two names, and the first reason if it is undecided.

use std::process::ExitCode;

use gainsay_smt::eval::{EvalBudget, TruthValue, evaluate};
use gainsay_smt::{Model, Script, Signature, decode, sat_queries};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let pairs: Vec<(String, String)> = match arguments.as_slice() {
        [list] => {
            let Ok(text) = std::fs::read_to_string(list) else {
                eprintln!("cannot read {list}");
                return ExitCode::from(2);
            };
            let line = |line: &str| line.split_once('\t').map(|(a, b)| (a.to_owned(), b.to_owned()));
            text.lines().filter_map(line).collect()
        }
        pairs => pairs.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect(),
    };
    for (script, model) in pairs {
        println!("{}\t{script}\t{model}", judge(&script, &model));
    }
    ExitCode::SUCCESS
}

fn judge(script: &str, model: &str) -> String {
    let read = |path: &str| std::fs::read(path).map_err(|error| error.to_string());
    let outcome = || -> Result<String, String> {
        let text = decode(&read(script)?).map_err(|error| error.to_string())?.into_owned();
        let script =
            Script::parse(&text, &Signature::standard()).map_err(|error| format!("script {error}"))?;
        let check = sat_queries(&script).pop().ok_or("no check")?;
        let text = String::from_utf8_lossy(&read(model)?).into_owned();
        let model = Model::read(&text, &script, &check).map_err(|error| format!("no-model {error}"))?;
        let evaluation = evaluate(&model, &check, EvalBudget::default());
        Ok(match evaluation.outcome() {
            TruthValue::Undecided(why) => format!("undecided {}: {why}\t{}", why.kind(), evaluation.steps),
            outcome => format!("{}\t{}", outcome.word(), evaluation.steps),
        })
    };
    outcome().unwrap_or_else(|error| format!("{error}\t0"))
}
