//! `gainsay fusion check FILE`: checks that functions are well-sorted and that their inverses return the parameters.
//!
//! Each function is evaluated on random inputs, and proved by solvers if the user names some. Its result is one of:
//! `ill_sorted`, `refuted` (an inverse is wrong for some input), `proved` (a solver proved every inverse), `evaluated` (not
//! proved, but every inverse is correct on all its inputs), `unproved` (neither).

mod prove;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use gainsay_engine::random::RandomStream;
use gainsay_engine::strategy::fusion::function::check::{EvaluationResult, evaluate};
use gainsay_engine::strategy::fusion::function::{FusionFunction, FusionFunctions, STANDARD_FUNCTIONS};
use gainsay_smt::Signature;
use indicatif::ProgressBar;

use crate::command::check::seconds;
use crate::console;
use crate::environment::SandboxArgs;
use crate::exit;
use crate::json;
use crate::json::making::{FunctionRemark, FusionFunctionCounts};
use crate::stop::StopRequest;

use prove::{InverseProof, Provers};

const FUSION_CHECK_EXAMPLES: &str = "Examples:
  gainsay fusion check functions.smt2
  gainsay fusion check fusion_functions.txt --solver z3@latest --solver cvc5@latest
  gainsay fusion check --standard --inputs 10000 --json     the built-in table

A file is in gainsay's or in yinyang's notation (#begin … #end). The exit code is 0 if all is well, 10 if a function is
malformed, ill-sorted or refuted, 2 if the file cannot be read, 4 if a solver cannot run.";

/// Arguments of `gainsay fusion check`.
#[derive(Debug, Args)]
#[command(after_help = FUSION_CHECK_EXAMPLES)]
pub struct FusionCheckArgs {
    /// The file of functions.
    #[arg(required_unless_present = "standard")]
    file: Option<PathBuf>,
    /// Check the built-in functions.
    #[arg(long, conflicts_with = "file")]
    standard: bool,
    /// Solvers that prove the inverses.
    #[arg(long = "solver", short, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Random inputs per function.
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    inputs: u64,
    /// Timeout per proof: 5, 500ms, 1m.
    #[arg(long, default_value = "5s", value_name = "TIME", value_parser = seconds)]
    timeout: Duration,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    rng_seed: u64,
    /// Print one JSON object as the last line: functions, proved, evaluated, refuted, ill_sorted, unproved, malformed,
    /// errors: [{line, function, message}], unproven: [{line, function, message}].
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// The result for a function.
enum FunctionVerdict {
    IllSorted(usize, String),
    Refuted(usize, String),
    Proved,
    Evaluated(Vec<String>),
    Unproved(String),
}

/// Runs the command.
pub fn run(args: &FusionCheckArgs) -> anyhow::Result<ExitCode> {
    let (functions, malformed) = functions(args)?;
    let mut provers = Provers::open(&args.solvers, args.sandbox, args.timeout)?;
    let (signature, stream) = (Signature::standard(), RandomStream::new(args.rng_seed));
    let stop = StopRequest::on_signals()?;
    let bar = console::bar(|| ProgressBar::new(functions.list().len() as u64));
    let mut report = FusionFunctionCounts::default();
    for error in malformed {
        report.malformed += 1;
        report.wrong(error.line, "", &error.message);
    }
    for (number, function) in functions.list().iter().enumerate() {
        let mut rng = stream.child("function", number as u64).rng();
        let tried = evaluate(function, args.inputs as usize, &signature, &mut rng);
        let verdict = match tried {
            EvaluationResult::IllSorted { line, message } => FunctionVerdict::IllSorted(line, message),
            EvaluationResult::Refuted(counterexample) => {
                FunctionVerdict::Refuted(counterexample.line, counterexample.to_string())
            }
            EvaluationResult::Right { inputs } => {
                verdict(provers.prove(function, &signature, &mut rng)?, &inputs, None)
            }
            EvaluationResult::Undecided(why) => {
                verdict(provers.prove(function, &signature, &mut rng)?, &[], Some(why))
            }
        };
        report.add(function, verdict);
        bar.inc(1);
        if stop.is_requested() {
            console::err(format_args!(
                "stopped after {} of {} functions",
                number + 1,
                functions.list().len()
            ));
            break;
        }
    }
    bar.finish_and_clear();
    report.show(args.json);
    Ok(ExitCode::from(if report.errors.is_empty() { 0 } else { exit::EXIT_FINDINGS }))
}

fn functions(
    args: &FusionCheckArgs,
) -> anyhow::Result<(FusionFunctions, Vec<gainsay_engine::strategy::fusion::function::RuleFileError>)> {
    let (text, path) = match &args.file {
        None => (STANDARD_FUNCTIONS.to_owned(), PathBuf::from("rules/inversions.smt2")),
        Some(path) => {
            let bytes = std::fs::read(path).map_err(|source| exit::NoInput { path: path.clone(), source })?;
            (String::from_utf8_lossy(&bytes).into_owned(), path.clone())
        }
    };
    let bad = |message: String| exit::BadInput { path: path.clone(), message };
    let (functions, malformed) = FusionFunctions::read_all(&text).map_err(|error| bad(error.to_string()))?;
    if functions.list().is_empty() && malformed.is_empty() {
        return Err(bad("the file has no fusion functions".to_owned()).into());
    }
    Ok((functions, malformed))
}

fn remark(line: usize, function: &str, message: String) -> FunctionRemark {
    FunctionRemark { line, function: function.to_owned(), message }
}

/// Combines the results of proof and evaluation.
fn verdict(proof: InverseProof, inputs: &[u64], undecided: Option<String>) -> FunctionVerdict {
    match (proof, undecided) {
        (InverseProof::Refuted(line, message), _) => FunctionVerdict::Refuted(line, message),
        (InverseProof::Proved, _) => FunctionVerdict::Proved,
        (InverseProof::None(_), Some(why)) => FunctionVerdict::Unproved(why),
        (InverseProof::None(_), None) if inputs.contains(&0) => {
            FunctionVerdict::Unproved("no input satisfied the condition of an inverse".to_owned())
        }
        (InverseProof::None(open), None) => FunctionVerdict::Evaluated(open),
    }
}

impl FusionFunctionCounts {
    fn add(&mut self, function: &FusionFunction, verdict: FunctionVerdict) {
        self.functions += 1;
        match verdict {
            FunctionVerdict::Proved => self.proved += 1,
            FunctionVerdict::Evaluated(open) => {
                self.evaluated += 1;
                self.unproven
                    .extend(open.into_iter().map(|message| remark(function.line, &function.name, message)));
            }
            FunctionVerdict::Unproved(why) => {
                self.unproved += 1;
                self.unproven.push(remark(function.line, &function.name, why));
            }
            FunctionVerdict::Refuted(line, message) => {
                self.refuted += 1;
                self.wrong(line, &function.name, &message);
            }
            FunctionVerdict::IllSorted(line, message) => {
                self.ill_sorted += 1;
                self.wrong(line, &function.name, &format!("line {line}: {message}"));
            }
        }
    }

    fn wrong(&mut self, line: usize, function: &str, message: &str) {
        self.errors.push(remark(line, function, message.to_owned()));
    }

    fn show(&self, as_json: bool) {
        if as_json {
            json::print(self);
            return;
        }
        for FunctionRemark { line, function, message } in &self.errors {
            match function.as_str() {
                "" => console::out(format_args!("line {line}: {message}")),
                name => console::out(format_args!("{name}: {message}")),
            }
        }
        for open in &self.unproven {
            console::out(format_args!("{}: not proved: {}", open.function, open.message));
        }
        console::out(format_args!(
            "{} functions: {} proved, {} evaluated, {} refuted, {} ill-sorted, {} unproved, and {} malformed blocks",
            self.functions,
            self.proved,
            self.evaluated,
            self.refuted,
            self.ill_sorted,
            self.unproved,
            self.malformed
        ));
    }
}
