//! The campaign that tests divide into shards and join again: three fake solvers, four seeds, chains that end early.

use std::path::Path;

use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::schedule::Schedule;

use crate::fixture::named_solver;
use crate::test_campaign::{
    TestCampaign, directive_seed, directive_strategy, panel, plan, without_statistics,
};

/// Seven whole chains of five, and a part of another.
pub const SHARDED_CASES: u64 = 38;

/// Wrong answers and crashes, which end their chains, and cases that are skipped.
pub const EVENTFUL_DIRECTIVES: &[&str] =
    &["answer sat", "answer unsat", "b: answer unsat", "a: segv", "answer sat", "skip"];

/// Answers without anything wrong.
pub const HARMLESS_DIRECTIVES: &[&str] = &["answer sat", "answer unsat"];

/// The campaign, or one shard of it (`2/3`), with a schedule of that name. `fake` is the program of the fake solver.
pub fn shard_campaign(
    fake: &str,
    shard: Option<&str>,
    schedule: &str,
    directives: &'static [&'static str],
) -> TestCampaign {
    let fake = Path::new(fake);
    let role = |name: &str| {
        without_statistics(named_solver(fake, "shards", name, &["--fake", &format!("role {name}")]))
    };
    let panel = panel(fake, &[role("a"), role("b"), role("c")]);
    let plan = CampaignPlan {
        shard: shard.map(|shard| shard.parse().expect("a shard such as 2/3")),
        schedule: Schedule::find(schedule).expect("a schedule of that name"),
        ..plan(SHARDED_CASES)
    };
    let seeds: Vec<String> = (0..4).map(directive_seed).collect();
    TestCampaign::new(fake, vec![directive_strategy(directives)], panel, &seeds, plan)
}
