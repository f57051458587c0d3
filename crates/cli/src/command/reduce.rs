//! `gainsay reduce FILE --solver S…`: a script made as small as it gets while it still shows the same bug.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use gainsay_engine::campaign::team::Member;
use gainsay_engine::oracle::Finding;
use gainsay_engine::reduce::{self, End, Settings};
use gainsay_engine::solver::run::Limits;
use gainsay_engine::triage::question::{Court, Spelling};
use gainsay_smt::{Script, Signature};
use serde_json::json;

use crate::environment::Environment;
use crate::exit::{self, Usage};
use crate::stop::Switch;
use crate::{say, supply};

const EXAMPLES: &str = "Examples:
  gainsay reduce bug.smt2 --solver z3@4.8.10 --solver z3@5.4.0
  gainsay reduce bug.smt2 --solver z3@4.8.10 --solver cvc5@latest --out small.smt2 --jobs 8";

/// Arguments of `gainsay reduce`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReduceArgs {
    /// The script.
    file: PathBuf,
    /// NAME@VERSION, NAME (on PATH) or NAME=COMMAND, with options after it: "z3@4.8.10 rewriter.flat=false".
    #[arg(long = "solver", short, required = true, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Where the result is written; FILE with `.reduced.smt2` if not given.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many candidates are tried at the same time.
    #[arg(long, default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &ReduceArgs) -> anyhow::Result<ExitCode> {
    let text = std::fs::read_to_string(&args.file)
        .map_err(|source| exit::NoInput { path: args.file.clone(), source })?;
    let bad = |message: String| exit::BadInput { path: args.file.clone(), message };
    let script = Script::parse(&text, &Signature::standard()).map_err(|error| bad(error.to_string()))?;
    let out = args.out.clone().unwrap_or_else(|| args.file.with_extension("reduced.smt2"));
    let environment = Environment::read()?;
    let setting = environment.setting()?;
    let solvers = supply::solvers(&environment, &args.solvers)?;
    let team =
        solvers.iter().map(|solver| Member::invite(solver, &setting)).collect::<Result<Vec<_>, _>>()?;
    let printed = script.to_string();
    let court = Court::new(&team, &setting, Limits::default(), Spelling::AsItIs, &script);
    let findings = court.findings(&script, &printed).map_err(Usage)?;
    let target = worst(findings).ok_or_else(|| Usage("nothing is wrong with it".to_owned()))?;
    say::err(format_args!("{target}"));
    let begin = Instant::now();
    let question = court.question(&script, &printed, target).map_err(Usage)?;
    let settings =
        Settings { jobs: args.jobs, first: Some(begin.elapsed()), longest: Duration::from_secs(10) };
    let stop = Switch::on_signals()?;
    let reduced = reduce::run(&script, &question, settings, stop.flag(), &mut |_| {});
    write(&out, &reduced.text)?;
    if let End::Broken(why) = &reduced.end {
        say::err(why);
    }
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        say::out(json!({
            "bytes_before": text.len(), "bytes_after": reduced.text.len(), "checks": reduced.checks,
            "seconds": seconds, "out": out.display().to_string(),
        }));
    } else {
        say::out(format_args!(
            "{} bytes, {} checks, {seconds:.1} s: {}",
            reduced.text.len(),
            reduced.checks,
            out.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The finding that matters most.
fn worst(findings: Vec<Finding>) -> Option<Finding> {
    findings.into_iter().min_by_key(|finding| (finding.kind.severity(), std::cmp::Reverse(finding.evidence)))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    Ok(std::fs::write(path, text).map_err(|source| exit::NoOutput { path: path.to_owned(), source })?)
}
