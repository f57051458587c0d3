//! The plan of a campaign: all its settings, as the user wrote them.
//!
//! A campaign file is TOML with these keys; the command line has flags for the same ones. The effective plan is written beside
//! the results, and `resume` and `replay` read it from there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gainsay_coverage::target::Level;
use serde::{Deserialize, Serialize};

pub use super::scripts::drawn_logic::LogicChoice;
use super::shard::Shard;
use crate::feedback::order::SeedOrder;
pub use crate::options::OptionPlan;
pub use crate::run_limits::RunLimits;
use crate::schedule::Schedule;
use crate::solver::profile::{ProfileError, Tier, read_toml};
use crate::strategy::mutation_weights::MutationChoice;
use crate::strategy::value::ConstantSource;
use crate::strategy::{self, ScopeChoice, Strategy};
use crate::time_span;

/// All settings of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CampaignPlan {
    /// Files and folders of seeds.
    pub seeds: Vec<PathBuf>,
    /// The solvers, with their options: `"z3@4.8.10 rewriter.flat=false"`.
    pub solvers: Vec<String>,
    /// Solvers that are asked only where nothing else tells whether an answer of the others is right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The strategies, by name.
    pub strategies: Vec<String>,
    /// How often each strategy is drawn, relative to the others; those that are not listed have weight 1. A bandit does not use it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub strategy_weights: BTreeMap<String, u32>,
    /// How the seeds and strategies of chains are chosen: at random or by a bandit.
    pub schedule: Schedule,
    /// Which code of the solvers is measured: functions, blocks or lines; none if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Level>,
    /// Whether scripts that reach new code are kept, so that chains start from them; needs coverage and a bandit.
    #[serde(skip_serializing_if = "is_off")]
    pub queue: bool,
    /// A change of a solver that leads the campaign; none if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<ChangePlan>,
    /// The part of the campaign that is run, if it is not the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The random seed.
    pub rng_seed: u64,
    /// The number of worker threads.
    pub jobs: usize,
    /// The number of mutations of a seed in a row, each a case.
    pub chain: u64,
    /// The budget.
    pub budget: CampaignBudget,
    /// The limits of each run of a solver.
    pub limits: RunLimits,
    /// Bounds on the size of seeds and cases.
    pub bounds: SizeBounds,
    /// Options of solvers that are drawn at random.
    pub options: OptionPlan,
    /// Models that solvers are asked for.
    pub models: ModelPlan,
    /// Questions beyond sat and unsat that cases ask.
    pub questions: QuestionPlan,
    /// Operators that mutations may use.
    pub operators: OperatorPlan,
    /// Fusion functions.
    pub fusion: FusionPlan,
    /// How constants are chosen.
    pub values: ValuePlan,
    /// Which scripts are in small scope.
    pub scope: ScopeChoice,
    /// Which logics scripts name.
    pub logics: LogicChoice,
    /// How systems of Horn clauses are mutated.
    pub horn: HornPlan,
    /// A file of fingerprints that are known and need no attention.
    pub known_bugs: Option<PathBuf>,
    /// The SHA-256 of the programs that gainsay did not install, by the name of their solver. gainsay writes it, so that a
    /// resumed campaign notices another build.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
}

/// A change of a solver: two builds, or two revisions of its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangePlan {
    /// The old build as a solver, or the old revision.
    pub old: String,
    /// The new build, which is one of the solvers, or the new revision.
    pub new: String,
    /// The git repository of the revisions; the first solver is a build of the new one with a line table. If `None`, two builds are
    /// compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<PathBuf>,
}

/// When a campaign stops; without any budget it runs until it is interrupted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CampaignBudget {
    /// Seconds, all sessions together; in a file `time = "1h30m"`.
    #[serde(rename = "time", with = "time_span::optional", skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Cases, the skipped ones included.
    pub cases: Option<u64>,
    /// Distinct findings.
    pub findings: Option<u64>,
}

/// Bounds on the size of seeds and cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SizeBounds {
    /// Bytes of a seed; larger ones are skipped and counted.
    pub seed_bytes: u64,
    /// Bytes of a case.
    pub case_bytes: usize,
    /// Levels of a case's deepest term.
    pub depth: usize,
}

/// Models that solvers are asked for, and that our evaluator checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelPlan {
    /// In how many of 100 cases.
    pub percent: u8,
}

/// Questions beyond sat and unsat that cases ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuestionPlan {
    /// The questions, by name; if empty, all that a solver of the campaign can be asked.
    pub names: Vec<String>,
    /// In how many of 100 cases.
    pub percent: u8,
    /// Tactics and parameters of the installed solvers that gainsay's tables lack. gainsay writes them when a campaign begins, so that
    /// its cases can be made again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tactics: Option<Vec<String>>,
}

impl Default for QuestionPlan {
    fn default() -> Self {
        QuestionPlan { names: Vec::new(), percent: 20, tactics: None }
    }
}

/// Operators that mutations may use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OperatorPlan {
    /// Signature files: theory tables, or lists in the format of typefuzz. If empty, the operators that all solvers know.
    pub signatures: Vec<PathBuf>,
    /// Classes of operators that may replace each other, in the format of opfuzz. If empty, operators of equal rank.
    pub classes: Vec<PathBuf>,
}

/// Fusion functions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FusionPlan {
    /// Files of fusion functions, in our notation or in yinyang's. If empty, the built-in ones.
    pub functions: Vec<PathBuf>,
    /// Sizes of generated functions, in operators, constants and variables; one is drawn, and 1 means a function from a file.
    pub sizes: Vec<usize>,
}

/// How the strategy `value` chooses constants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ValuePlan {
    /// By chance, or by a solver's models.
    pub way: ConstantSource,
    /// The solver to ask; if `None`, the first of the campaign.
    pub helper: Option<String>,
    /// The largest number of queries about a seed.
    pub asks: u32,
    /// Wall-clock seconds of each; in a file `timeout = "300ms"`.
    #[serde(rename = "timeout", with = "time_span::seconds")]
    pub seconds: f64,
}

/// Settings of the strategy `horn`. Order, weights and limits apply if every strategy of the campaign preserves the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HornPlan {
    /// Which seeds come first.
    pub order: SeedOrder,
    /// How mutations are drawn within their kind.
    pub weights: MutationChoice,
    /// In how many of 100 of its cases options of solvers are drawn; none are if `options.tier` is `"none"`.
    pub parameters: u8,
    /// Cases with findings after which a chain ends.
    pub bugs: u64,
    /// Cases that no solver answers after which a chain ends.
    pub unknowns: u64,
    /// Cases in a row without a new trace after which a chain ends, for each clause of the seed.
    pub stale: u64,
}

impl Default for HornPlan {
    fn default() -> Self {
        HornPlan {
            order: SeedOrder::default(),
            weights: MutationChoice::default(),
            parameters: 33,
            bugs: 1,
            unknowns: 10,
            stale: 5,
        }
    }
}

impl Default for ValuePlan {
    fn default() -> Self {
        ValuePlan { way: ConstantSource::default(), helper: None, asks: 20, seconds: 0.3 }
    }
}

impl Default for CampaignPlan {
    fn default() -> Self {
        CampaignPlan {
            seeds: Vec::new(),
            solvers: Vec::new(),
            references: Vec::new(),
            strategies: Vec::new(),
            strategy_weights: BTreeMap::new(),
            schedule: Schedule::default(),
            coverage: None,
            queue: false,
            changed: None,
            shard: None,
            rng_seed: 0,
            jobs: 1,
            chain: 10,
            budget: CampaignBudget::default(),
            limits: RunLimits::default(),
            bounds: SizeBounds::default(),
            options: OptionPlan::default(),
            models: ModelPlan::default(),
            questions: QuestionPlan::default(),
            operators: OperatorPlan::default(),
            fusion: FusionPlan::default(),
            values: ValuePlan::default(),
            scope: ScopeChoice::default(),
            logics: LogicChoice::default(),
            horn: HornPlan::default(),
            known_bugs: None,
            programs: BTreeMap::new(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_off(setting: &bool) -> bool {
    !*setting
}

impl Default for ModelPlan {
    fn default() -> Self {
        ModelPlan { percent: 50 }
    }
}

impl Default for SizeBounds {
    fn default() -> Self {
        SizeBounds { seed_bytes: 100_000, case_bytes: 200_000, depth: 200 }
    }
}

impl CampaignPlan {
    /// Reads a campaign file. Errors name the line, and suggest the key that was meant.
    pub fn read(file: &str, text: &str) -> Result<CampaignPlan, ProfileError> {
        read_toml(file, text).map_err(|error| with_key(error, text))
    }

    /// Reads the plan that a campaign recorded. Campaigns of older releases asked no questions beyond sat and unsat, and had no
    /// small scopes.
    pub fn read_recorded(text: &str) -> Result<CampaignPlan, ProfileError> {
        let mut plan = CampaignPlan::read("campaign.toml", text)?;
        if !CampaignPlan::gives(text, "questions") {
            plan.questions.percent = 0;
        }
        if !CampaignPlan::gives(text, "scope") {
            plan.scope = ScopeChoice::Ordinary;
        }
        Ok(plan)
    }

    /// Returns true if the text of a campaign file has this key.
    pub fn gives(text: &str, key: &str) -> bool {
        text.parse::<toml::Table>().is_ok_and(|table| table.contains_key(key))
    }

    /// Which options are drawn in a case of this strategy. A strategy that preserves the answer also varies solver parameters.
    pub fn options_for(&self, strategy: &str) -> OptionPlan {
        let OptionPlan { tier, percent } = self.options;
        let keeps = strategy::find(strategy).is_some_and(Strategy::keeps_answer);
        match tier {
            Some(tier) if keeps && self.horn.parameters > 0 => {
                let percent = percent.max(self.horn.parameters);
                OptionPlan { tier: Some(tier.max(Tier::Stable)), percent }
            }
            _ => self.options,
        }
    }

    /// All solvers: those under test, then the references.
    pub fn panel(&self) -> Vec<String> {
        self.solvers.iter().chain(&self.references).cloned().collect()
    }

    /// Replaces the names of all solvers, in the order of [`CampaignPlan::panel`].
    pub fn rename_panel(&mut self, mut names: Vec<String>) {
        self.references = names.split_off(self.solvers.len());
        self.solvers = names;
    }

    /// Every path in the plan.
    pub fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let operators = self.operators.signatures.iter_mut().chain(&mut self.operators.classes);
        let functions = self.fusion.functions.iter_mut();
        let repository = self.changed.iter_mut().filter_map(|changed| changed.repository.as_mut());
        self.seeds.iter_mut().chain(operators).chain(functions).chain(&mut self.known_bugs).chain(repository)
    }

    /// The plan as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("a plan is made of what TOML can write")
    }
}

/// Adds the key to an error of serde that only says that a value has the wrong type.
fn with_key(error: ProfileError, text: &str) -> ProfileError {
    const NUMBER_TYPES: [(&str, &str); 4] = [
        ("expected usize", "expected a whole number from 0 up"),
        ("expected u64", "expected a whole number from 0 up"),
        ("expected u32", "expected a whole number from 0 up"),
        ("expected u8", "expected a whole number up to 100"),
    ];
    let key =
        text.lines().nth(error.line - 1).and_then(|line| line.split_once('=')).map(|(key, _)| key.trim());
    match key {
        Some(key) if error.message.starts_with("invalid ") => {
            let message =
                NUMBER_TYPES.iter().fold(error.message, |text, (kind, words)| text.replace(kind, words));
            ProfileError { message: format!("{key}: {message}"), ..error }
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_was_written_is_read_back() {
        let plan = CampaignPlan {
            seeds: vec!["corpus".into()],
            budget: CampaignBudget { seconds: Some(60.0), ..CampaignBudget::default() },
            ..CampaignPlan::default()
        };
        assert_eq!(CampaignPlan::read("campaign.toml", &plan.to_toml()).unwrap(), plan);
    }

    #[test]
    fn a_recorded_plan_has_no_questions_and_no_small_scopes_that_it_does_not_name() {
        let read = |text: &str| {
            let plan = CampaignPlan::read_recorded(text).unwrap();
            (plan.questions.percent, plan.scope)
        };
        assert_eq!(read("jobs = 2\n"), (0, ScopeChoice::Ordinary));
        assert_eq!(read(&CampaignPlan::default().to_toml()), (20, ScopeChoice::Some));
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_said_with_its_key() {
        let said = |text: &str| CampaignPlan::read("c.toml", text).unwrap_err().to_string();
        let error = said("chain = 3\njobs = -1\n");
        assert_eq!(error, "c.toml:2: jobs: invalid value: integer `-1`, expected a whole number from 0 up");
        assert!(
            said("[options]\npercent = 300\n").contains("c.toml:2: percent: invalid value: integer `300`")
        );
        assert!(said("[limits]\npatience = -1\n").ends_with("expected a whole number from 0 up"));
        assert!(said("solvers = 3\n").starts_with("c.toml:1: solvers: invalid type: integer `3`"));
        assert!(said("options.tier = \"save\"\n").contains("did you mean `safe`?"));
        assert!(said("[budget]\ntime = \"ten\"\n").contains("`ten` is not a duration; write 90s"));
    }

    #[test]
    fn parameters_are_drawn_for_what_keeps_the_answer_unless_none_are_wanted() {
        let read = |text: &str| CampaignPlan::read("c.toml", text).unwrap();
        let of = |plan: &CampaignPlan, strategy| {
            let OptionPlan { tier, percent } = plan.options_for(strategy);
            (tier, percent)
        };
        assert_eq!(of(&read(""), "horn"), (Some(Tier::Stable), 33));
        assert_eq!(of(&read(""), "operator"), (Some(Tier::Safe), 0));
        let expert = read("[options]\ntier = \"expert\"\npercent = 50\n");
        assert_eq!(of(&expert, "horn"), (Some(Tier::Expert), 50));
        assert_eq!(of(&read("options.tier = \"none\""), "horn").0, None);
        assert_eq!(of(&read("horn.parameters = 0"), "horn"), (Some(Tier::Safe), 0));
    }

    #[test]
    fn the_order_of_seeds_is_read_and_a_wrong_one_is_told() {
        let plan = CampaignPlan::read("c.toml", "[horn]\norder = \"complex+rare\"\nweights = \"uniform\"\n")
            .unwrap();
        assert_eq!(
            (plan.horn.order.to_string().as_str(), plan.horn.weights),
            ("complex+rare", MutationChoice::Uniform)
        );
        let error = CampaignPlan::read("c.toml", "[horn]\norder = \"rarest\"\n").unwrap_err().to_string();
        assert!(error.contains("`rarest` is not an order: expected default, rare"), "{error}");
    }

    #[test]
    fn an_unknown_key_is_an_error_with_a_suggestion() {
        let error =
            CampaignPlan::read("campaign.toml", "jobs = 2\nstrategys = []\n").unwrap_err().to_string();
        assert!(
            error.starts_with("campaign.toml:2: unknown key `strategys` (did you mean `strategies`?)"),
            "{error}"
        );
    }
}
