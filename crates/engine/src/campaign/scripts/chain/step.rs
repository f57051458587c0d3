//! A step of a chain makes a script with its promises, or is skipped for a reason.

use gainsay_smt::Script;

use crate::event::CaseNumber;
use crate::known_answers::KnownAnswers;
use crate::strategy::fusion::ModelJoin;
use crate::strategy::{Proposal, Skip, StepRecord};
use crate::trial::Promise;

/// A seed that was fused into a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedSeed {
    /// Its number.
    pub seed: usize,
    /// How to combine the models of both.
    pub join: ModelJoin,
}

/// One case of a chain.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its number.
    pub case: CaseNumber,
    /// The strategy that was drawn for it.
    pub strategy: &'static str,
    /// The seed that was drawn as its second parent.
    pub partner: Option<usize>,
    /// Its outcome.
    pub outcome: StepOutcome,
}

/// The outcome of a step.
#[derive(Debug, Clone)]
pub enum StepOutcome {
    /// A script.
    Made(MadeScript),
    /// The strategy does not apply.
    Skipped(Skip),
    /// A bug of ours: the strategy panicked, or its script cannot be parsed. The script stays unchanged.
    OurBug(String),
}

/// Why a strategy made no proposal.
pub(super) enum FailedStep {
    Skipped(Skip),
    OurBug(String),
}

impl From<FailedStep> for StepOutcome {
    fn from(failed: FailedStep) -> StepOutcome {
        match failed {
            FailedStep::Skipped(skip) => StepOutcome::Skipped(skip),
            FailedStep::OurBug(message) => StepOutcome::OurBug(message),
        }
    }
}

/// A script that was made.
#[derive(Debug, Clone)]
pub struct MadeScript {
    /// The script.
    pub script: Script,
    /// Its text.
    pub text: String,
    /// Its promised answer.
    pub promise: Promise,
    /// Answers to sets of assertions, some of which its checks may ask, if the seeds have the answers that they claim.
    pub known: KnownAnswers,
    /// A short description of the change.
    pub step: StepRecord,
    /// The seeds that were fused with the seed of the chain, in order.
    pub joined: Vec<JoinedSeed>,
    /// True if it was made from the seed of the chain instead of the script before it.
    pub is_anew: bool,
    /// True if the next step starts from the script before it.
    pub is_side_step: bool,
    /// The question beyond sat and unsat that it asks, if it was made to ask one.
    pub question: Option<&'static str>,
}

impl MadeScript {
    /// The script of a proposal, as the next step of a chain.
    pub fn new(proposal: Proposal, text: String) -> Self {
        let Proposal { script, promise, step, known, .. } = proposal;
        MadeScript {
            script,
            text,
            promise,
            known,
            step,
            joined: Vec::new(),
            is_anew: false,
            is_side_step: false,
            question: None,
        }
    }

    /// The step in words, for records.
    pub fn description(&self, strategy: &str) -> String {
        let question = self.question.map(|name| format!("; asks {name}")).unwrap_or_default();
        format!("{strategy}: {}{question}", self.step)
    }
}
