//! How fast cases are made: cases per CPU second by strategy, with and without re-reading them.
//!
//! ```text
//! cargo bench -p gainsay-engine --bench make -- [FOLDER [CASES [STRATEGY...]]]
//! ```
//!
//! Without a folder, it uses the seeds of this repository; without strategies, all of them. It measures the work of `gainsay mutate --discard --chain
//! 30`: seeds are read and parsed anew for every chain.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing else to say")]

use std::path::PathBuf;

use gainsay_engine::campaign::chain::{Chain, Reread, StepOutcome};
use gainsay_engine::campaign::plan::SizeBounds;
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::seeds::Seeds;
use gainsay_engine::solver::own_cpu_time;
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{self, CaseBounds, FusionSettings, Strategy, StrategySettings};
use gainsay_smt::{Script, Signature};

const CHAIN_LENGTH: u64 = 30;

fn main() {
    // Cargo passes `--bench`.
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
    let folder = PathBuf::from(args.next().unwrap_or_else(|| default.to_owned()));
    let cases = args.next().map_or(30_000, |count| count.parse().unwrap());
    let chosen: Vec<String> = args.collect();
    let signature = Signature::standard();
    let seeds = Seeds::load(&[folder], SizeBounds::default().seed_bytes, &signature, &mut |_, _| {}).unwrap();
    println!("{:<12} {:>12} {:>12}   cases per CPU second", "strategy", "checked", "unchecked");
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|other| other == name);
    for &strategy in strategy::ALL.iter().filter(|strategy| is_chosen(strategy.name())) {
        let rate = |reread| rate(strategy, &seeds, cases, reread);
        println!("{:<12} {:>12.0} {:>12.0}", strategy.name(), rate(Reread::Yes), rate(Reread::No));
    }
}

/// Cases per CPU second.
fn rate(strategy: &'static dyn Strategy, seeds: &Seeds, cases: u64, reread: Reread) -> f64 {
    let (signature, bounds) = (Signature::standard(), SizeBounds::default());
    let settings = StrategySettings {
        bounds: CaseBounds { bytes: bounds.case_bytes, depth: bounds.depth },
        operators: Operators::standard(&signature),
        fusion: FusionSettings::default(),
        values: ConstantSource::Random,
        scope: gainsay_engine::strategy::ScopeChoice::default(),
        formats: Default::default(),
        enumerations: Default::default(),
    };
    let recipe = Recipe::new(1, CHAIN_LENGTH, vec![strategy], settings);
    let mut visits = recipe.visits(seeds.list().len());
    let (mut made, before) = (0u64, own_cpu_time());
    for chain in 0..cases.div_ceil(CHAIN_LENGTH) {
        let seed = &seeds.list()[visits.seed_of(chain)];
        let script = Script::parse(&seed.read().unwrap(), &signature).unwrap();
        for step in Chain::new(&recipe, chain, &script, seed.status, reread) {
            match step.outcome {
                StepOutcome::Made(_) => made += 1,
                StepOutcome::Skipped(_) => {}
                StepOutcome::OurBug(bug) => panic!("case {} of {}: {bug}", step.case, seed.name),
            }
        }
    }
    made as f64 / (own_cpu_time() - before).as_secs_f64()
}
