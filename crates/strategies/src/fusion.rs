//! Semantic fusion: joins two seeds with the same status into one script with that status.
//!
//! ```text
//! (declare-const x Int)               (declare-const x Int)
//! (assert (< 3 x))            and     (assert (= (* x x) 4))
//!                           become
//! (declare-const x Int) (declare-const x_2 Int) (declare-const z Int)
//! (assert (< 3 (- z x_2)))
//! (assert (= (* x_2 (- z x)) 4))
//! ```
//!
//! The names of the two seeds are kept apart (`fusion/names.rs`), variables of both are fused by `z = f(x, y)`, and
//! some occurrences of `x` and `y` are replaced by inverses over `z` (`fusion/replace.rs`). After "Validating SMT
//! Solvers via Semantic Fusion"; the functions are in `fusion/function.rs`. Why the promised answer is right:
//!
//! * **sat**: all assertions of both. A model of each, side by side, with the value of `f(x, y)` for `z`, is a model of
//!   the whole: nothing but `z` is new, nothing is shared, and each inverse has the value of the variable that it replaces. An inverse
//!   with a condition `c` therefore stands as `(ite c inverse x)`. One thing is shared: functions that the standard leaves open,
//!   such as division by zero, which the two models may read differently. Two seeds that both use it are not fused.
//! * **unsat**: one or the other, `(or A B)`, with `z = f(x, y)` and `x = inverse` for every inverse that is used. Every
//!   replaced place is then equal to what stood there, so that neither side has a model, even where an inverse is wrong.
//!
//! A fusion can be decomposed and rebuilt from smaller parents (`fusion/decompose.rs`).

mod decompose;
pub mod function;
mod join;
mod names;
mod replace;
mod seed_parts;
mod triplet;

use gainsay_smt::{Command, Head, Script, Sort, Symbol, Term, Word, logic};

use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::known_answers::KnownAnswers;
use crate::promise::Promise;
use crate::random::Rng;
use gainsay_solvers::run::Answer;

use join::JoinedSeeds;
use names::FreshNames;
use seed_parts::SeedParts;
use triplet::Triplet;

pub use decompose::DecomposedFusion;
pub use join::ModelJoin;

/// Semantic fusion (YinYang).
#[derive(Debug)]
pub struct FusionStrategy;

impl Strategy for FusionStrategy {
    fn name(&self) -> &'static str {
        "fusion"
    }

    fn about(&self) -> &'static str {
        "fuses two seeds of one status through invertible functions (YinYang)"
    }

    fn parents(&self) -> usize {
        2
    }

    fn leads_on(&self) -> bool {
        false
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let [first, second] = parents else { return Err(Skip::NothingToDo) };
        let status = common_status(first.status, second.status)?;
        fuse(first.script, second.script, status, settings, rng)
    }

    fn decompose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Option<DecomposedFusion> {
        let [first, second] = parents else { return None };
        let status = common_status(first.status, second.status).ok()?;
        DecomposedFusion::of([first.script, second.script], status, settings, rng).ok()
    }
}

/// The status of both seeds.
fn common_status(first: Option<Answer>, second: Option<Answer>) -> Result<Answer, Skip> {
    match (first, second) {
        (Some(Answer::Unknown) | None, _) | (_, Some(Answer::Unknown) | None) => {
            Err(Skip::Unfit("the status of a seed is not known"))
        }
        (Some(first), Some(second)) if first == second => Ok(first),
        _ => Err(Skip::Unfit("the seeds are of contradicting status")),
    }
}

fn fuse(
    first: &Script,
    second: &Script,
    status: Answer,
    settings: &StrategySettings,
    rng: &mut Rng,
) -> Result<Proposal, Skip> {
    let (first, second) = (SeedParts::of(first)?, SeedParts::of(second)?);
    fit(&first, &second, status)?;
    let mut names = FreshNames::new(&first, &second);
    let mut joined = JoinedSeeds::of(&first, &second, &mut names);
    let triplets = triplet::draw(&mut joined, &mut names, settings, rng)?;
    let (counts, mut targets) = joined.targets(&triplets, status, settings.bounds, rng);
    joined.replace(&counts, &mut targets, rng);
    let constrain = |triplet: &Triplet| triplet.constraints(&mut joined.script, status, rng);
    let constraints: Vec<Term> = triplets.iter().flat_map(constrain).collect();
    Ok(finish([&first, &second], joined, &triplets, (status, constraints)))
}

/// Checks whether two seeds can be fused at all.
fn fit(first: &SeedParts<'_>, second: &SeedParts<'_>, status: Answer) -> Result<(), Skip> {
    match status {
        Answer::Sat if first.open.intersection(&second.open).next().is_some() => {
            Err(Skip::Unfit("both seeds use what the standard leaves open"))
        }
        Answer::Unsat if first.refers_to_named || second.refers_to_named => {
            Err(Skip::Unfit("a seed refers to a named term, which a disjunction cannot keep"))
        }
        _ => Ok(()),
    }
}

/// Builds the proposal after the occurrences are replaced.
fn finish(
    parts: [&SeedParts<'_>; 2],
    joined: JoinedSeeds,
    triplets: &[Triplet],
    (status, constraints): (Answer, Vec<Term>),
) -> Proposal {
    let (join, step) = (joined.join(triplets), joined.describe(triplets).into());
    let mut script = assemble(joined, triplets, status, constraints);
    // A numeral may be a real in a seed without a logic, and would mean something else in a smaller logic.
    let has_logics = parts.iter().all(|part| part.script.logic().is_some());
    let name = if has_logics { logic::smallest(&script) } else { "ALL" };
    let name = script.arena_mut().symbol(name);
    script.commands.insert(0, Command::SetLogic(name));
    let known = KnownAnswers::default();
    Proposal { script, promise: Promise::Known(status), step, edit: None, join: Some(join), known }
}

/// The fused script: declarations, definitions, assertions.
fn assemble(joined: JoinedSeeds, triplets: &[Triplet], status: Answer, constraints: Vec<Term>) -> Script {
    let JoinedSeeds { mut script, bodies, assumptions, .. } = joined;
    for triplet in triplets {
        let declare = Command::Declare(Word::DeclareFun, triplet.name, [].into(), triplet.sort);
        script.commands.push(declare);
    }
    let assert = |term: Term| Command::Term(Word::Assert, term, None);
    let mut sides = Vec::new();
    for (body, assumptions) in bodies.into_iter().zip(assumptions) {
        let (asserted, defined): (Vec<Command>, Vec<Command>) = match status {
            // A `:named` term can be used after its assertion only, so the order stays.
            Answer::Sat => {
                (Vec::new(), body.into_iter().chain(assumptions.into_iter().map(assert)).collect())
            }
            _ => {
                let (asserted, defined): (Vec<_>, Vec<_>) =
                    body.into_iter().partition(|command| matches!(command, Command::Term(..)));
                (asserted.into_iter().chain(assumptions.into_iter().map(assert)).collect(), defined)
            }
        };
        script.commands.extend(defined);
        let terms: Vec<Term> = asserted.iter().flat_map(Command::terms).collect();
        sides.push(connect(&mut script, Symbol::AND, &terms));
    }
    if status == Answer::Unsat {
        let sides: Vec<Term> = sides.into_iter().flatten().collect();
        let either = connect(&mut script, Symbol::OR, &sides);
        script.commands.extend(either.map(assert));
    }
    script.commands.extend(constraints.into_iter().map(assert));
    script.commands.push(Command::CheckSat);
    script
}

/// `(and …)` or `(or …)`; a single term is returned as it is, and no terms give `None`.
fn connect(script: &mut Script, connective: Symbol, terms: &[Term]) -> Option<Term> {
    match terms {
        [] => None,
        [term] => Some(*term),
        terms => Some(script.arena_mut().application(Head::plain(connective), terms, Sort::BOOL)),
    }
}

#[cfg(test)]
mod tests;
