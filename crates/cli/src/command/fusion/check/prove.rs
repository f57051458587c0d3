//! Lets solvers prove inverses; counterexamples count if gainsay's evaluator confirms them.

use std::sync::Arc;
use std::time::Duration;

use gainsay_engine::prepare::{Preparation, Prepared};
use gainsay_engine::random::Rng;
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Runner};
use gainsay_engine::strategy::fusion::function::FusionFunction;
use gainsay_engine::strategy::fusion::function::check::{InverseQuery, instances, inverse_queries};
use gainsay_smt::eval::{EvalBudget, TruthValue, evaluate};
use gainsay_smt::{Model, Script, Signature, sat_queries};

use crate::environment::{Environment, SandboxArgs};
use crate::solver_lookup;

/// The solvers' result for a function.
pub enum InverseProof {
    /// Every inverse is proved, in all checked instances.
    Proved,
    /// The inverse at this line is wrong, confirmed by gainsay's evaluator.
    Refuted(usize, String),
    /// Inverses that are not proved, with reasons.
    None(Vec<String>),
}

/// The solvers.
pub struct Provers {
    solvers: Vec<(String, Runner, Preparation)>,
    limits: Limits,
}

impl Provers {
    /// Opens the named solvers, each with its fastest driver.
    pub fn open(names: &[String], sandbox: SandboxArgs, wall: Duration) -> anyhow::Result<Provers> {
        let mut solvers = Vec::new();
        if !names.is_empty() {
            let environment = Environment::read()?.with_sandbox(sandbox);
            let launcher = environment.launcher()?;
            for solver in solver_lookup::find_or_install(&environment, names)? {
                let name = solver.name.to_string();
                let kind = runner::drivers(&solver, &launcher).first().copied().unwrap_or_else(runner::plain);
                let known = [(solver.clone(), solver.version.clone())];
                let preparation = Preparation::new(&known, &Signature::standard());
                solvers.push((name, Runner::open(&solver, kind, &launcher)?, preparation));
            }
        }
        Ok(Provers { solvers, limits: Limits { wall, ..Limits::default() } })
    }

    /// Lets the solvers prove every inverse of a function, in some of its instances.
    pub fn prove(
        &mut self,
        function: &FusionFunction,
        signature: &Arc<Signature>,
        rng: &mut Rng,
    ) -> anyhow::Result<InverseProof> {
        if self.solvers.is_empty() {
            return Ok(InverseProof::None(Vec::new()));
        }
        let mut open = Vec::new();
        for instance in instances(function, rng) {
            for question in inverse_queries(&instance) {
                let inverse = &instance.inverses[question.parameter][question.inverse];
                let name = &instance.parameters[question.parameter].name;
                if inverse.is_evaluated {
                    open.push(format!("line {}: the inverse of {name} is marked :evaluated", inverse.line));
                    continue;
                }
                match self.ask(&question, signature)? {
                    ProverAnswer::Proved => {}
                    ProverAnswer::Refuted(model) => {
                        let model = model.split_whitespace().collect::<Vec<_>>().join(" ");
                        let message =
                            format!("line {}: {name} is not {} for {model}", inverse.line, inverse.term);
                        return Ok(InverseProof::Refuted(inverse.line, message));
                    }
                    ProverAnswer::Nothing(why) => {
                        open.push(format!("line {}: the inverse of {name}: {why}", inverse.line));
                    }
                }
            }
        }
        open.sort();
        open.dedup();
        Ok(if open.is_empty() { InverseProof::Proved } else { InverseProof::None(open) })
    }

    /// Tries every solver with a short timeout first, then with the full one.
    fn ask(&mut self, question: &InverseQuery, signature: &Arc<Signature>) -> anyhow::Result<ProverAnswer> {
        let script = match Script::parse(&question.script, signature) {
            Ok(script) => script,
            Err(error) => return Ok(ProverAnswer::Nothing(error.to_string())),
        };
        let short = Limits { wall: self.limits.wall / 10, ..self.limits };
        match self.ask_within(question, &script, short)? {
            ProverAnswer::Nothing(_) => self.ask_within(question, &script, self.limits),
            said => Ok(said),
        }
    }

    fn ask_within(
        &mut self,
        question: &InverseQuery,
        script: &Script,
        limits: Limits,
    ) -> anyhow::Result<ProverAnswer> {
        let mut reasons = Vec::new();
        for (name, runner, preparation) in &mut self.solvers {
            let text = match preparation.prepare(script, &question.script).pop() {
                Some(Prepared::Text { text, .. }) => text,
                Some(Prepared::Spared(why)) => {
                    reasons.push(format!("{name} {why}"));
                    continue;
                }
                None => continue,
            };
            let run = runner.run(&Query { script: &text, limits, ask: Ask::ANSWERS_ONLY })?;
            match run.answers.as_slice() {
                [Answer::Unsat] => return Ok(ProverAnswer::Proved),
                [Answer::Sat] => {
                    let run = runner.run(&Query { script: &text, limits, ask: Ask::WITH_MODEL })?;
                    match run.model.filter(|model| holds(model, script)) {
                        Some(model) => return Ok(ProverAnswer::Refuted(model)),
                        None => reasons.push(format!("{name} returned sat without a valid model")),
                    }
                }
                [Answer::Unknown] => reasons.push(format!("{name} returned unknown")),
                _ => match (run.messages.first(), &run.trouble) {
                    (Some(message), _) => reasons.push(format!("{name}: {message}")),
                    (None, Some(trouble)) => reasons.push(format!("{name}: {trouble}")),
                    (None, None) => reasons.push(format!("{name} returned no answer")),
                },
            }
        }
        Ok(ProverAnswer::Nothing(reasons.join("; ")))
    }
}

enum ProverAnswer {
    Proved,
    Refuted(String),
    Nothing(String),
}

/// Returns true if the model satisfies the script.
fn holds(model: &str, script: &Script) -> bool {
    let Some(check) = sat_queries(script).pop() else { return false };
    let Ok(model) = Model::read(model, script, &check) else { return false };
    evaluate(&model, &check, EvalBudget::default()).outcome() == TruthValue::True
}
