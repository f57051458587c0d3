//! Triplets: variables of both seeds, and the variable that they are fused into.

use gainsay_smt::{Head, Script, Sort, Symbol, Term};

use super::join::JoinedSeeds;
use super::names::FreshNames;
use super::replace::ReplacementTarget;
use crate::fusion::function::{FusionFunction, FusionFunctions, FusionInstance};
use crate::random::Rng;
use crate::{Skip, StrategySettings};
use gainsay_solvers::run::Answer;

/// Triplets of one script.
const MAX_TRIPLETS: usize = 3;

/// Draws of variables before the search for a triplet is given up.
const MAX_ARGUMENT_DRAWS: usize = 24;

/// `z = f(x, y)`, in a script.
#[derive(Debug, Clone)]
pub struct Triplet {
    /// The name of `z`.
    pub name: Symbol,
    /// The sort of `z`.
    pub sort: Sort,
    z: Term,
    /// The fused terms.
    pub arguments: Vec<Term>,
    /// The function and its inverses.
    pub instance: FusionInstance,
    function: FusionFunction,
    /// The state of the random generator before its draws.
    begin: Rng,
}

impl Triplet {
    /// The same function with the same draws over other arguments, possibly of another script; `own` includes the
    /// functions of that script's datatypes, and `name` is unused.
    pub fn again(
        &self,
        script: &mut Script,
        own: &FusionFunctions,
        arguments: Vec<Term>,
        name: &str,
    ) -> Option<Triplet> {
        let mut name = || name.to_owned();
        triplet(script, own, self.function.clone(), arguments, &mut name, &mut self.begin.clone())
    }

    /// The replacement of each argument.
    pub fn targets(&self, script: &mut Script, status: Answer) -> Vec<ReplacementTarget> {
        let arena = script.arena_mut();
        let inverses = self.arguments.iter().zip(&self.instance.inverses).zip(&self.instance.conditions);
        let target = |((&constant, &inverse), condition): ((&Term, &Term), &Option<Term>)| {
            let sort = arena.sort_of(constant);
            let replacement = match condition {
                Some(condition) if status == Answer::Sat => {
                    arena.application(Head::plain(Symbol::ITE), &[*condition, inverse, constant], sort)
                }
                _ => inverse,
            };
            ReplacementTarget { constant, replacement, left: 0, wanted: 0 }
        };
        inverses.map(target).collect()
    }

    /// The constraints about `z`: all of them for an unsat script, which depends on them, and sometimes the definition
    /// for a sat script.
    pub fn constraints(&self, script: &mut Script, status: Answer, rng: &mut Rng) -> Vec<Term> {
        let mut equal = |a: Term, b: Term| {
            script.arena_mut().application(Head::plain(Symbol::EQUAL), &[a, b], Sort::BOOL)
        };
        let definition = equal(self.z, self.instance.result);
        if status == Answer::Sat {
            return if rng.chance(1, 2) { vec![definition] } else { Vec::new() };
        }
        let mut constraints = vec![definition];
        constraints.extend(
            self.arguments.iter().zip(&self.instance.inverses).map(|(&x, &inverse)| equal(x, inverse)),
        );
        if rng.chance(1, 2) {
            constraints.extend(self.instance.condition);
        }
        constraints
    }
}

/// Draws triplets with at least one variable of each seed, and each variable in at most one.
pub fn draw(
    joined: &mut JoinedSeeds,
    names: &mut FreshNames<'_>,
    settings: &StrategySettings,
    rng: &mut Rng,
) -> Result<Vec<Triplet>, Skip> {
    if joined.constants.iter().any(Vec::is_empty) {
        return Err(Skip::Unfit("a seed has no variables"));
    }
    let own = settings.fusion.functions.with_datatypes_of(&joined.script);
    let mut free = joined.constants.clone();
    let mut triplets: Vec<Triplet> = Vec::new();
    let count = 1 + rng.below(MAX_TRIPLETS);
    for _ in 0..count * MAX_ARGUMENT_DRAWS {
        if triplets.len() == count || free.iter().any(Vec::is_empty) {
            break;
        }
        let arguments = arguments(joined, &free, rng);
        let sorts: Vec<Sort> = arguments.iter().map(|&x| joined.script.arena().sort_of(x)).collect();
        let made = function(&joined.script, &own, &settings.fusion.sizes, &sorts, rng).and_then(|function| {
            triplet(&mut joined.script, &own, function, arguments, &mut || names.fresh("z"), rng)
        });
        let Some(triplet) = made else { continue };
        for side in &mut free {
            side.retain(|constant| !triplet.arguments.contains(constant));
        }
        triplets.push(triplet);
    }
    if triplets.is_empty() {
        Err(Skip::Unfit("no variables of the seeds fit each other"))
    } else {
        Ok(triplets)
    }
}

/// Draws variables to fuse: one of each seed, mostly of the same sort, and sometimes one more.
fn arguments(joined: &JoinedSeeds, free: &[Vec<Term>; 2], rng: &mut Rng) -> Vec<Term> {
    let arena = joined.script.arena();
    let x = free[0][rng.below(free[0].len())];
    let alike: Vec<Term> =
        free[1].iter().copied().filter(|&y| arena.sort_of(y) == arena.sort_of(x)).collect();
    let pool = if alike.is_empty() || rng.chance(1, 4) { &free[1] } else { &alike };
    let mut arguments = vec![x, pool[rng.below(pool.len())]];
    if rng.chance(1, 5) {
        let side = &free[rng.below(2)];
        let more = side[rng.below(side.len())];
        if !arguments.contains(&more) {
            arguments.push(more);
        }
    }
    rng.shuffle(&mut arguments);
    arguments
}

/// Builds the triplet of a function and its arguments.
fn triplet(
    script: &mut Script,
    functions: &FusionFunctions,
    function: FusionFunction,
    arguments: Vec<Term>,
    name: &mut dyn FnMut() -> String,
    rng: &mut Rng,
) -> Option<Triplet> {
    let begin = rng.clone();
    let sorts: Vec<Sort> = arguments.iter().map(|&argument| script.arena().sort_of(argument)).collect();
    let sort = function.result_sort(script, &sorts, rng)?;
    let arena = script.arena_mut();
    let name = arena.symbol(&name());
    let z = arena.application(Head::plain(name), &[], sort);
    let instance = functions.instantiate(&function, script, &arguments, z, rng)?;
    Some(Triplet { name, sort, z, arguments, instance, function, begin })
}

/// Draws a function for these sorts: a row of the table, or a composed one.
fn function(
    script: &Script,
    functions: &FusionFunctions,
    sizes: &[usize],
    sorts: &[Sort],
    rng: &mut Rng,
) -> Option<FusionFunction> {
    let size = rng.choose(sizes).copied().unwrap_or(1);
    if size > 1
        && let Some(function) = functions.generate_for(script.arena(), sorts, None, size, rng)
    {
        return Some(function);
    }
    let fitting = functions.for_sorts(script.arena(), sorts, None);
    rng.choose(&fitting).map(|function| (*function).clone())
}
