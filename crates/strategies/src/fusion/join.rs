//! Two seeds in one arena, and how to build a model of both.

use gainsay_smt::import::{Import, Renaming, rename_text};
use gainsay_smt::print::{sort_text, symbol_text, term_text, term_text_within};
use gainsay_smt::{Arena, Command, Head, Script, Sort, Term, Word};
use rustc_hash::FxHashSet;

use super::names::FreshNames;
use super::replace::{OccurrenceCounts, ReplacementTarget, replace};
use super::seed_parts::SeedParts;
use super::triplet::Triplet;
use crate::random::Rng;
use crate::{CaseBounds, MAX_TERM_BYTES_SHOWN};
use gainsay_solvers::run::Answer;

/// Functions that models use for results that the standard leaves unspecified and that fusion functions apply. Any
/// value is right as long as all terms are evaluated with it.
const UNSPECIFIED_DEFAULTS: [(&str, &str, &str); 3] =
    [("/0", "Real", "0.0"), ("div0", "Int", "0"), ("mod0", "Int", "0")];

/// How to build a model of a fused script from models of its parents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelJoin {
    /// For each parent, its renamed names as pairs of old and new.
    pub renamed: [Vec<(String, String)>; 2],
    /// Definitions of the fused variables.
    pub definitions: Vec<String>,
}

impl ModelJoin {
    /// The joined model, from the models that a solver printed for each parent; `None` if one cannot be read.
    pub fn model(&self, first: &str, second: &str, arena: &Arena) -> Option<String> {
        let mut arena = arena.clone();
        let mut part = |model: &str, renamed: &[(String, String)]| {
            let renamed = renamed.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
            rename_text(inner(model)?, &renamed, &mut arena)
        };
        let (first, second) = (part(first, &self.renamed[0])?, part(second, &self.renamed[1])?);
        let open =
            UNSPECIFIED_DEFAULTS.iter().filter(|(name, ..)| !first.contains(name) && !second.contains(name));
        let open = open
            .map(|(name, sort, value)| format!("(define-fun {name} ((x {sort}) (y {sort})) {sort} {value})"));
        let new: Vec<String> = self.definitions.iter().cloned().chain(open).collect();
        Some(format!("({first}\n{second}\n{}\n)", new.join("\n")))
    }
}

/// The definitions of a model, without the enclosing list.
fn inner(model: &str) -> Option<&str> {
    let model = model.trim();
    let is_bare = model.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with("define-fun"));
    if is_bare {
        return Some(model);
    }
    let inner = model.strip_prefix('(')?.strip_suffix(')')?.trim();
    Some(inner.strip_prefix("model").map_or(inner, str::trim))
}

/// Two seeds in one arena.
pub struct JoinedSeeds {
    /// The declarations of both, and the arena.
    pub script: Script,
    /// The definitions and assertions of each.
    pub bodies: [Vec<Command>; 2],
    /// The assumptions of each at its `check-sat`.
    pub assumptions: [Vec<Term>; 2],
    /// The constants of each that occur in a term.
    pub constants: [Vec<Term>; 2],
    renamed: [Vec<(String, String)>; 2],
}

impl JoinedSeeds {
    /// Copies both into one arena, and renames the second's names where they clash.
    pub fn of(first: &SeedParts<'_>, second: &SeedParts<'_>, names: &mut FreshNames<'_>) -> JoinedSeeds {
        let mut arena = Arena::new(first.script.arena().signature());
        let (one, two) = (names.first(first), names.second(second));
        let renamed = [renamed(first, &one), renamed(second, &two)];
        let (first, second) = (copy(first, &one, &mut arena), copy(second, &two, &mut arena));
        let declarations = first.declarations.into_iter().chain(second.declarations).collect();
        let mut joined = JoinedSeeds {
            script: Script::new(arena, declarations),
            bodies: [first.body, second.body],
            assumptions: [first.assumptions, second.assumptions],
            constants: [first.constants, second.constants],
            renamed,
        };
        joined.keep_what_occurs();
        joined
    }

    /// Drops constants that occur nowhere.
    fn keep_what_occurs(&mut self) {
        let arena = self.script.arena();
        let roots = self.bodies.iter().flatten().flat_map(Command::terms);
        let roots = roots.chain(self.assumptions.iter().flatten().copied());
        let occurring: FxHashSet<Term> = arena.reachable(roots).collect();
        for constants in &mut self.constants {
            constants.retain(|constant| occurring.contains(constant));
        }
    }

    /// The replacements for the fused constants and how many occurrences of each to replace, with the occurrence
    /// counts.
    pub fn targets(
        &mut self,
        triplets: &[Triplet],
        status: Answer,
        bounds: CaseBounds,
        rng: &mut Rng,
    ) -> (OccurrenceCounts, Vec<ReplacementTarget>) {
        let mut targets: Vec<ReplacementTarget> = Vec::new();
        for triplet in triplets {
            targets.extend(triplet.targets(&mut self.script, status));
        }
        let room = bounds.bytes / 4 / targets.len().max(1);
        let mut counts =
            OccurrenceCounts::of(targets.iter().map(|target| target.constant).collect(), self.script.arena());
        let bodies = self.bodies.iter().flatten().flat_map(Command::terms);
        let roots: Vec<Term> = bodies.chain(self.assumptions.iter().flatten().copied()).collect();
        for &root in &roots {
            for (target, &count) in targets.iter_mut().zip(counts.in_term(self.script.arena(), root)) {
                target.left = target.left.saturating_add(count);
            }
        }
        for target in &mut targets {
            let bytes = term_text_within(self.script.arena(), target.replacement, room).len().max(1);
            let most = target.left.min((room / bytes) as u64).min(u64::from(u32::MAX));
            target.wanted = if most == 0 { 0 } else { 1 + rng.below(most as usize) as u64 };
        }
        (counts, targets)
    }

    /// Replaces occurrences of the fused constants.
    pub fn replace(&mut self, counts: &OccurrenceCounts, targets: &mut [ReplacementTarget], rng: &mut Rng) {
        self.change(|arena, term| replace(arena, counts, term, targets, rng));
    }

    /// Replaces each term that is defined, asserted or assumed.
    pub fn change(&mut self, mut change: impl FnMut(&mut Arena, Term) -> Term) {
        let arena = self.script.arena_mut();
        for (body, assumptions) in self.bodies.iter_mut().zip(&mut self.assumptions) {
            for command in body {
                for position in 0..command.term_count() {
                    let term = change(arena, command.term(position));
                    command.set_term(position, term);
                }
            }
            assumptions.iter_mut().for_each(|term| *term = change(arena, *term));
        }
    }

    /// The present name of a name of one seed.
    pub fn renamed<'n>(&'n self, side: usize, name: &'n str) -> &'n str {
        let pair = self.renamed[side].iter().find(|(old, _)| old == name);
        pair.map_or(name, |(_, new)| new)
    }

    /// How to build a model of the fused script.
    pub fn join(&self, triplets: &[Triplet]) -> ModelJoin {
        let arena = self.script.arena();
        let define = |triplet: &Triplet| {
            let (name, sort) = (symbol_text(arena, triplet.name), sort_text(arena, triplet.sort));
            format!("(define-fun {name} () {sort} {})", term_text(arena, triplet.instance.result))
        };
        ModelJoin { renamed: self.renamed.clone(), definitions: triplets.iter().map(define).collect() }
    }

    /// Describes the fused variables in short.
    pub fn describe(&self, triplets: &[Triplet]) -> String {
        let arena = self.script.arena();
        let one = |triplet: &Triplet| {
            let body = term_text_within(arena, triplet.instance.result, MAX_TERM_BYTES_SHOWN);
            format!("{} = {body}", symbol_text(arena, triplet.name))
        };
        triplets.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// A seed copied into another arena.
struct CopiedSeed {
    declarations: Vec<Command>,
    body: Vec<Command>,
    assumptions: Vec<Term>,
    constants: Vec<Term>,
}

fn copy(part: &SeedParts<'_>, renaming: &Renaming, arena: &mut Arena) -> CopiedSeed {
    let mut import = Import::new(part.script.arena(), renaming, arena);
    let declarations: Vec<Command> =
        part.declarations.iter().map(|command| import.command(command)).collect();
    let body = part.body.iter().map(|command| import.command(command)).collect();
    let assumptions = part.assumptions.iter().map(|&term| import.term(term)).collect();
    let mut constants = Vec::new();
    for command in &declarations {
        if let Command::Declare(Word::DeclareFun | Word::DeclareConst, name, parameters, sort) = command
            && parameters.is_empty()
        {
            let sort: Sort = arena.canonical(*sort);
            constants.push(arena.application(Head::plain(*name), &[], sort));
        }
    }
    CopiedSeed { declarations, body, assumptions, constants }
}

/// The renamed names, as text, sorted.
fn renamed(part: &SeedParts<'_>, renaming: &Renaming) -> Vec<(String, String)> {
    let arena = part.script.arena();
    let pair = |(old, new): (&gainsay_smt::Symbol, &String)| (arena.text(*old).to_owned(), new.clone());
    let mut renamed: Vec<(String, String)> = renaming.declared.iter().map(pair).collect();
    renamed.sort_unstable();
    renamed
}
