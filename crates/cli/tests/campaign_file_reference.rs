//! The documents for users must be true.

#[path = "support/repository.rs"]
mod repository;

use gainsay_engine::campaign::plan::{CampaignBudget, CampaignPlan, OperatorPlan};
use gainsay_engine::strategy;
use repository::repository;

fn read(path: &str) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A plan in which every key is written.
fn full() -> CampaignPlan {
    CampaignPlan {
        budget: CampaignBudget { seconds: Some(60.0), cases: Some(1), findings: Some(1) },
        operators: OperatorPlan { signatures: vec!["a".into()], classes: vec!["b".into()] },
        known_bugs: Some("c".into()),
        references: vec!["d".to_owned()],
        strategy_weights: [("operator".to_owned(), 6)].into(),
        shard: "3/20".parse().ok(),
        coverage: Some(gainsay_engine::coverage::target::Level::Blocks),
        ..CampaignPlan::default()
    }
}

#[test]
fn every_key_of_a_campaign_file_is_explained() {
    let text = read("docs/campaign-file.md");
    let toml = full().to_toml();
    let mut keys = 0;
    for line in toml.lines() {
        if let Some((key, _)) = line.split_once(" =") {
            assert!(text.contains(&format!("| `{key}` |")), "`{key}` is not explained");
            keys += 1;
        } else if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            assert!(text.contains(&format!("## `[{section}]`")), "[{section}] is not explained");
        }
    }
    assert!(keys >= 18, "{keys} keys are not all:\n{toml}");
}

#[test]
fn the_example_in_the_reference_is_a_campaign_file() {
    let text = read("docs/campaign-file.md");
    let example = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let plan = CampaignPlan::read("example.toml", example).unwrap();
    assert_eq!((plan.jobs, plan.limits.memory, plan.budget.seconds), (8, 2048, Some(28_800.0)));
}

#[test]
fn every_strategy_is_named_in_the_reference() {
    let text = read("docs/campaign-file.md");
    for strategy in strategy::ALL {
        assert!(text.contains(&format!("`{}`", strategy.name())), "{}", strategy.name());
    }
}

#[test]
fn defaults_in_the_reference_are_those_of_the_program() {
    let (text, plan) = (read("docs/campaign-file.md"), CampaignPlan::default());
    let rows = [
        format!("| `chain` | `--chain K` | {} |", plan.chain),
        format!("| `timeout` | `--timeout TIME` | `\"{}s\"` |", plan.limits.seconds),
        format!("| `memory` | `--memory MB` | {} |", plan.limits.memory),
        format!("| `seed_bytes` | {} |", plan.bounds.seed_bytes),
        format!("| `case_bytes` | {} |", plan.bounds.case_bytes),
        format!("| `depth` | {} |", plan.bounds.depth),
        format!("| `percent` | | {}, or 30", plan.options.percent),
        format!("| `parameters` | `--parameters PERCENT` | {} |", plan.horn.parameters),
        format!("| `bugs` | | {} |", plan.horn.bugs),
        format!("| `unknowns` | | {} |", plan.horn.unknowns),
        format!("| `stale` | | {} |", plan.horn.stale),
    ];
    let weights = strategy::ALL.iter().map(|strategy| (strategy.name(), strategy.default_weight()));
    let weights =
        weights.filter(|(_, weight)| *weight != 1).map(|(name, weight)| format!("| `{name}` | {weight} |"));
    for row in rows.into_iter().chain(weights) {
        assert!(text.contains(&row), "{row}");
    }
}
