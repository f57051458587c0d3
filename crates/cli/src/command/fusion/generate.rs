//! `gainsay fusion generate`: random fusion functions with their inverses.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use gainsay_engine::random::{RandomStream, Rng};
use gainsay_engine::strategy::fusion::function::generate::{
    FunctionRequest, FunctionTheory, Totality, generate,
};
use gainsay_engine::strategy::fusion::function::s_expression::SExpression;
use gainsay_engine::strategy::fusion::function::{FusionFunction, FusionFunctions, check, yinyang};
use gainsay_engine::strategy::generate::theory::GeneratorTheory;
use gainsay_smt::Signature;
use indicatif::ProgressBar;

use crate::console;
use crate::exit::{NoOutput, UsageError};
use crate::json;
use crate::json::making::FusionFunctionCounts;
use crate::overwrite::ForceArgs;
use crate::stop::StopRequest;

const FUSION_GENERATE_EXAMPLES: &str = "Examples:
  gainsay fusion generate --theory int --size 10 --count 5
  gainsay fusion generate --theory int string bitvector --size 25 --count 100 --out functions.smt2
  gainsay fusion generate --theory real --size 10 --count 20 --format yinyang --out fusion_functions.txt
  gainsay fusion generate --theory floatingpoint --parameters 3 --size 8 --count 1 --format dot | dot -Tsvg

Theories: bool int real string bitvector floatingpoint array sequence. With several, a function is over one or more of
them. A function is a tree of operators, constants and parameters; the inverse of each parameter is derived from it.";

/// Arguments of `gainsay fusion generate`.
#[derive(Debug, Args)]
#[command(after_help = FUSION_GENERATE_EXAMPLES)]
pub struct FusionGenerateArgs {
    /// Theories, by name, or a logic.
    #[arg(long, required = true, num_args = 1.., value_delimiter = ',', value_name = "THEORY")]
    theory: Vec<String>,
    /// Maximum number of nodes of a function.
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(3..=100))]
    size: u64,
    /// Number of functions.
    #[arg(short = 'n', long = "cases", alias = "count", default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Number of parameters of a function.
    #[arg(long = "arity", alias = "parameters", default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=20))]
    parameters: u64,
    /// Only total inverses, without conditions.
    #[arg(long)]
    total: bool,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    rng_seed: u64,
    /// The output file [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = FunctionFormat::Gainsay, value_name = "FORMAT")]
    format: FunctionFormat,
    /// Print one JSON object as the last line: functions, proved, evaluated, refuted, ill_sorted, unproved.
    #[arg(long, requires = "out")]
    json: bool,
}

/// The output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FunctionFormat {
    /// gainsay's notation.
    Gainsay,
    /// yinyang's blocks; only inverses without conditions.
    Yinyang,
    /// Graphviz.
    Dot,
    /// Infix formulas.
    Infix,
}

/// Runs the command.
pub fn run(args: &FusionGenerateArgs) -> anyhow::Result<ExitCode> {
    let theories = theories(&args.theory)?;
    if let Some(path) = &args.out {
        args.force.check_file(path)?;
    }
    let (functions, stream) = (FusionFunctions::standard(), RandomStream::new(args.rng_seed));
    let signature = Signature::standard();
    let stop = StopRequest::on_signals()?;
    let bar = match console::shows_bars() && args.out.is_some() {
        true => ProgressBar::new(args.count),
        false => ProgressBar::hidden(),
    };
    let mut text = String::new();
    if args.format == FunctionFormat::Gainsay {
        text = FusionFunctions::default().write();
    }
    let mut made = 0;
    for number in 1..=args.count {
        let mut rng = stream.child("function", number).rng();
        let function = draw_function(&functions, &signature, &theories, number, args, &mut rng);
        let written = function.and_then(|function| write_function(&function, args.format, &mut rng));
        made += u64::from(written.is_some());
        text.push_str(&written.unwrap_or_default());
        bar.inc(1);
        if stop.is_requested() {
            break;
        }
    }
    bar.finish_and_clear();
    if made == 0 && args.count > 0 {
        let message = "no function of that size was found; try another --size or more theories";
        return Err(UsageError(message.to_owned()).into());
    }
    match &args.out {
        Some(path) => {
            std::fs::write(path, &text).map_err(|source| NoOutput { path: path.clone(), source })?;
        }
        None => console::out(text.trim_end()),
    }
    if args.json {
        // `gainsay fusion check` checks them.
        json::print(&FusionFunctionCounts {
            functions: made,
            unproved: made,
            ..FusionFunctionCounts::default()
        });
    } else if let Some(path) = &args.out {
        console::progress(format_args!("wrote {made} functions to {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn theories(names: &[String]) -> Result<Vec<FunctionTheory>, UsageError> {
    let mut theories = Vec::new();
    for name in names {
        let spelled = GeneratorTheory::spelled(name);
        let found: Vec<FunctionTheory> =
            spelled.iter().filter_map(|theory| FunctionTheory::find(theory.name())).collect();
        if found.is_empty() {
            let all: Vec<&str> =
                FunctionTheory::ALL.iter().map(|(_, name, _)| *name).filter(|n| *n != "own").collect();
            return Err(UsageError(format!("unknown theory {name}; choose from {}", all.join(" "))));
        }
        theories.extend(found);
    }
    Ok(theories)
}

/// Draws a function over sorts of the theories, mostly of one sort.
fn draw_function(
    functions: &FusionFunctions,
    signature: &Arc<Signature>,
    theories: &[FunctionTheory],
    number: u64,
    args: &FusionGenerateArgs,
    rng: &mut Rng,
) -> Option<FusionFunction> {
    const MAX_DRAWS: usize = 20;
    let total = args.total || args.format == FunctionFormat::Yinyang;
    (0..MAX_DRAWS).find_map(|_| {
        let sort = |rng: &mut Rng| theory_sort(*rng.choose(theories)?, theories, rng);
        let first = sort(rng)?;
        let mixed = rng.chance(1, 3);
        let mut parameters = vec![first.clone()];
        for _ in 1..args.parameters {
            parameters.push(if mixed { sort(rng)? } else { first.clone() });
        }
        let wish = FunctionRequest {
            name: format!("f{number}"),
            parameters,
            result: None,
            size: args.size as usize,
            theories: theories.to_vec(),
            totality: if total { Totality::Total } else { Totality::Partial },
        };
        check::without_idle(&generate(functions, &wish, rng)?, signature, rng)
    })
}

/// Draws a sort of a theory; its element sorts are of the other theories.
fn theory_sort(theory: FunctionTheory, theories: &[FunctionTheory], rng: &mut Rng) -> Option<SExpression> {
    const BITVECTOR_WIDTHS: [&str; 8] = ["1", "4", "8", "16", "20", "24", "32", "64"];
    const FLOAT_FORMATS: [(&str, &str); 5] = [("2", "3"), ("3", "5"), ("5", "11"), ("8", "24"), ("11", "53")];
    let word = SExpression::word;
    let part = |rng: &mut Rng| {
        let simple = |theory: &FunctionTheory| {
            !matches!(theory, FunctionTheory::Array | FunctionTheory::Sequence | FunctionTheory::Own)
        };
        let simple: Vec<FunctionTheory> = theories.iter().copied().filter(simple).collect();
        match rng.choose(&simple) {
            Some(&theory) => theory_sort(theory, theories, rng),
            None => Some(word("Bool")),
        }
    };
    Some(match theory {
        FunctionTheory::Bool => word("Bool"),
        FunctionTheory::Int => word("Int"),
        FunctionTheory::Real => word("Real"),
        FunctionTheory::String => word("String"),
        FunctionTheory::BitVector => {
            SExpression::list(["_", "BitVec", *rng.choose(&BITVECTOR_WIDTHS)?].map(word))
        }
        FunctionTheory::FloatingPoint => {
            let (exponent, significand) = *rng.choose(&FLOAT_FORMATS)?;
            SExpression::list(["_", "FloatingPoint", exponent, significand].map(word))
        }
        FunctionTheory::Array => SExpression::apply("Array", [part(rng)?, part(rng)?]),
        FunctionTheory::Sequence => SExpression::apply("Seq", [part(rng)?]),
        FunctionTheory::Own => return None,
    })
}

fn write_function(function: &FusionFunction, format: FunctionFormat, rng: &mut Rng) -> Option<String> {
    match format {
        FunctionFormat::Gainsay => Some(function.write()),
        FunctionFormat::Yinyang => yinyang::write(function, rng),
        FunctionFormat::Dot => Some(function.dot()),
        FunctionFormat::Infix => Some(function.infix()),
    }
}
