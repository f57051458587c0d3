//! `gainsay generate`: random scripts, without solvers.
//!
//! Script n depends only on the settings, `--rng-seed` and n.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::random::RandomStream;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::strategy::generate::theory::{GeneratorTheory, TheoryChoice};
use gainsay_engine::strategy::generate::vocabulary::GrowthSettings;
use gainsay_engine::strategy::generate::{Generator, GeneratorSettings, ROUNDING_MODES, ValueScope};
use gainsay_smt::{Script, Signature};

use crate::case_files::{CaseFolder, CaseOrigin};
use crate::console;
use crate::display::format;
use crate::environment::Environment;
use crate::exit::{InternalBug, NothingTested, UsageError};
use crate::json;
use crate::json::making::MadeCases;
use crate::overwrite::ForceArgs;
use crate::progress::LoopProgress;
use crate::solver_lookup;

const GENERATE_EXAMPLES: &str = "Examples:
  gainsay generate --theory fp -n 100 --out cases
  gainsay generate --theory string,int --assertions 5 --depth 6 -n 100 --out cases
  gainsay generate --theory QF_ABVFP --sort \"(_ FloatingPoint 3 5)\" -n 100 --out cases
  gainsay generate --theory fp --operator fp.add,fp.eq --rounding-mode RTZ --weight fp.add=5 -n 10 --out cases
  gainsay generate --theory all -n 100000 --discard --json     measure the speed
  gainsay generate --theory finiteset,bitvector --solver z3@latest --scope small -n 100 --out cases

With --out, script 1 is DIR/000001.smt2, and DIR/000001.json says how it was made. The exit code is 6 if no script could be made.";

/// The end of the help: examples, and the theories of the table.
fn generate_help() -> String {
    let names = |solver: Option<&str>| {
        let theories = GeneratorTheory::every().filter(|theory| theory.solver() == solver);
        theories.map(GeneratorTheory::name).collect::<Vec<_>>().join(", ")
    };
    format!(
        "{GENERATE_EXAMPLES}\n\nTheories: {}, all, or the name of a logic.\nTheories of z3 alone: {}.\n\
         Theories of cvc5 alone: {}.\nOther usual names and spellings (fp, BitVec, Strings) mean the same.",
        names(None),
        names(Some("z3")),
        names(Some("cvc5"))
    )
}

/// Arguments of `gainsay generate`.
#[derive(Debug, Args)]
#[command(after_help = generate_help())]
pub struct GenerateArgs {
    #[command(flatten)]
    settings: SettingsArgs,
    /// Number of scripts.
    #[arg(short = 'n', long = "cases", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// The random seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    rng_seed: u64,
    /// Use only operators that these solvers support [default: those that the newest z3 and cvc5 share].
    #[arg(long = "solver", short, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// A folder for the scripts [required without --discard; no default].
    #[arg(long, short, value_name = "DIR", required_unless_present = "discard", conflicts_with = "discard")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Make the cases without writing them, to measure the speed.
    #[arg(long)]
    discard: bool,
    /// Print one JSON object: cases, skipped, cpu_seconds.
    #[arg(long)]
    json: bool,
}

/// Settings of generated scripts.
#[derive(Debug, Args)]
pub struct SettingsArgs {
    /// Theories, by name, or a logic.
    #[arg(long = "theory", required = true, value_delimiter = ',', value_name = "THEORY")]
    theories: Vec<String>,
    /// Maximum number of theories per script.
    #[arg(long, default_value_t = GeneratorSettings::default().mix, value_name = "N", value_parser = positive)]
    mix: usize,
    /// Sorts to use: "(_ FloatingPoint 3 5)" [default: a few of each theory].
    #[arg(long = "sort", value_name = "SORT")]
    sorts: Vec<String>,
    /// Number of free variables per sort.
    #[arg(long, default_value_t = GeneratorSettings::default().variables, value_name = "N", value_parser = positive)]
    variables: usize,
    /// Number of assertions [default: 3].
    #[arg(long, value_name = "N", value_parser = positive)]
    assertions: Option<usize>,
    /// Maximum depth of a term [default: 4].
    #[arg(long, value_name = "N", value_parser = positive)]
    depth: Option<usize>,
    /// Maximum number of operators per assertion.
    #[arg(long, default_value_t = GrowthSettings::default().size, value_name = "N", value_parser = positive)]
    size: usize,
    /// Percentage of leaves that are literals.
    #[arg(long, default_value_t = GrowthSettings::default().literals, value_name = "PERCENT", value_parser = percent)]
    literals: usize,
    /// Percentage of Boolean terms that are quantified.
    #[arg(long, default_value_t = GrowthSettings::default().quantifiers, value_name = "PERCENT", value_parser = percent)]
    quantifiers: usize,
    /// Use only these operators [default: all operators of the theories].
    #[arg(long = "operator", value_delimiter = ',', value_name = "NAME")]
    operators: Vec<String>,
    /// Use only these rounding modes [default: all].
    #[arg(long = "rounding-mode", value_delimiter = ',', value_name = "MODE")]
    rounding_modes: Vec<String>,
    /// Sorts with few values, which `gainsay decide` can enumerate: small, or ordinary.
    #[arg(long, value_name = "SCOPE", default_value = "ordinary", value_parser = scope)]
    scope: ValueScope,
    /// Relative frequency of an operator or kind of literal; 0 excludes it [default: 1].
    #[arg(long = "weight", value_delimiter = ',', value_name = "NAME=N", value_parser = weight)]
    weights: Vec<(String, u32)>,
}

/// The default size of scripts.
#[derive(Debug, Clone, Copy)]
pub struct DefaultSize {
    /// Assertions of a script.
    pub assertions: usize,
    /// Maximum depth of a term.
    pub depth: usize,
}

impl DefaultSize {
    /// For scripts that are only generated.
    fn generated() -> DefaultSize {
        DefaultSize {
            assertions: GeneratorSettings::default().assertions,
            depth: GrowthSettings::default().depth,
        }
    }
}

impl SettingsArgs {
    /// The settings.
    pub fn settings(&self, size: DefaultSize) -> Result<GeneratorSettings, UsageError> {
        let mut settings = GeneratorSettings {
            mix: self.mix,
            sorts: self.sorts.clone(),
            variables: self.variables,
            assertions: self.assertions.unwrap_or(size.assertions),
            operators: self.operators.clone(),
            scope: self.scope,
            ..GeneratorSettings::default()
        };
        for name in &self.theories {
            let choice = TheoryChoice::read(name).map_err(|error| UsageError(error.to_string()))?;
            if choice.logic.is_some() && self.theories.len() > 1 {
                return Err(UsageError(format!(
                    "{name} is a logic and cannot be combined; name theories instead"
                )));
            }
            settings.logic = choice.logic;
            let known = |theory: &GeneratorTheory| settings.theories.contains(theory);
            let new: Vec<GeneratorTheory> =
                choice.theories.into_iter().filter(|theory| !known(theory)).collect();
            settings.theories.extend(new);
        }
        let modes = ROUNDING_MODES.map(str::to_owned).to_vec();
        settings.rounding_modes =
            if self.rounding_modes.is_empty() { modes } else { self.rounding_modes.clone() };
        settings.habits = GrowthSettings {
            depth: self.depth.unwrap_or(size.depth),
            size: self.size,
            literals: self.literals,
            quantifiers: self.quantifiers,
            weights: self.weights.iter().cloned().collect(),
            ..settings.habits
        };
        Ok(settings)
    }

    /// The theories as the user named them.
    pub fn names(&self) -> String {
        self.theories.join(",")
    }
}

/// Reads a scope.
fn scope(text: &str) -> Result<ValueScope, String> {
    match text {
        "small" => Ok(ValueScope::Small),
        "ordinary" => Ok(ValueScope::Ordinary),
        _ => Err("expected small or ordinary".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &GenerateArgs) -> anyhow::Result<ExitCode> {
    let settings = args.settings.settings(DefaultSize::generated())?;
    let solvers = solvers(&args.solvers)?;
    let known: Vec<_> = solvers.iter().map(|solver| (&*solver.profile, solver.version.as_ref())).collect();
    let signature = Signature::standard();
    let generator =
        Generator::new(&signature, settings, &known).map_err(|error| UsageError(error.to_string()))?;
    let folder = args.out.as_deref().map(|folder| CaseFolder::create(folder, args.force)).transpose()?;
    let before = gainsay_engine::solver::own_cpu_time();
    let stream = RandomStream::new(args.rng_seed);
    let (mut cases, mut skipped) = (0, 0);
    let mut count = LoopProgress::new("scripts", args.cases);
    for number in 0..args.cases {
        match generator.script(&mut stream.child("generate", number).rng()) {
            Some(script) => {
                let text = script.to_string();
                // An ill-sorted script is a bug in gainsay.
                let read = Script::parse(&text, &signature);
                if let Err(error) = read {
                    return Err(InternalBug(format!("script {} is ill-sorted: {error}", number + 1)).into());
                }
                cases += 1;
                if let Some(folder) = &folder {
                    let step = format!("theories {}", args.settings.names());
                    let origin =
                        CaseOrigin { strategy: "generate", parents: Vec::new(), step, promise: "none" };
                    folder.write(number, &text, &origin)?;
                }
            }
            None => skipped += 1,
        }
        count.show(number + 1);
    }
    count.finish();
    let cpu = (gainsay_engine::solver::own_cpu_time() - before).as_secs_f64();
    if args.json {
        json::print(&MadeCases {
            cases,
            skipped,
            cpu_seconds: Some(cpu),
            skipped_by_reason: BTreeMap::new(),
        });
    } else {
        let rate = cases as f64 / cpu.max(1e-9);
        console::out(format_args!(
            "{}, {skipped} skipped, {cpu:.2} CPU seconds ({rate:.0} scripts per CPU second)",
            format::plural(cases, "script")
        ));
    }
    if cases == 0 {
        return Err(NothingTested(format!(
            "no script over {} could be generated with these operators and sorts; name more of them, or increase --depth and --size",
            args.settings.names()
        ))
        .into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds solvers by name.
fn solvers(names: &[String]) -> anyhow::Result<Vec<Solver>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let environment = Environment::read()?;
    solver_lookup::find_or_install(&environment, names)
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| "write a number above 0".to_owned())
}

fn percent(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number <= 100).ok_or_else(|| "write a number from 0 to 100".to_owned())
}

fn weight(text: &str) -> Result<(String, u32), String> {
    let parsed =
        text.rsplit_once('=').and_then(|(name, weight)| Some((name.to_owned(), weight.parse().ok()?)));
    parsed.ok_or_else(|| "write NAME=N, as in fp.add=5".to_owned())
}
