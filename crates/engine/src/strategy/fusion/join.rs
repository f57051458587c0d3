//! Two seeds in one arena, and what a model of both is made of.

use gainsay_smt::import::{Import, Renaming, rename_text};
use gainsay_smt::print::{sort_text, symbol_text, term_text, term_text_within};
use gainsay_smt::{Arena, Command, Head, Script, Sort, Term, Word};
use rustc_hash::FxHashSet;

use super::names::FreshNames;
use super::replace::{OccurrenceCounts, ReplacementTarget, replace};
use super::seed_parts::SeedParts;
use super::triplet::Triplet;
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::strategy::{CaseBounds, MAX_TERM_BYTES_SHOWN};

/// Functions of models that say what the standard leaves open and what fusion functions use: any value will do, as long
/// as all is evaluated with it.
const UNSPECIFIED_DEFAULTS: [(&str, &str, &str); 3] =
    [("/0", "Real", "0.0"), ("div0", "Int", "0"), ("mod0", "Int", "0")];

/// How a model of a fused script is made of models of its parents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelJoin {
    /// Names of each parent that were changed, and what they are now.
    pub renamed: [Vec<(String, String)>; 2],
    /// Definitions of what is new.
    pub definitions: Vec<String>,
}

impl ModelJoin {
    /// The model of both, from what a solver printed for each; nothing if one of them is no text of a model.
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

/// The definitions of a model, without the list that they may be in.
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
    /// What each defines and asserts.
    pub bodies: [Vec<Command>; 2],
    /// What each assumes at its check.
    pub assumptions: [Vec<Term>; 2],
    /// The constants of each that occur somewhere.
    pub constants: [Vec<Term>; 2],
    renamed: [Vec<(String, String)>; 2],
}

impl JoinedSeeds {
    /// Copies both, the names of the second changed where they clash.
    pub fn of(first: &SeedParts<'_>, second: &SeedParts<'_>, names: &mut FreshNames<'_>) -> JoinedSeeds {
        let mut arena = Arena::new(first.script.arena().signature());
        let (one, two) = (names.first(first), names.second(second));
        let renamed = [renamed(first, &one), renamed(second, &two)];
        let (mut declarations, body, assumptions, constants) = copy(first, &one, &mut arena);
        let (more, other_body, other_assumptions, other_constants) = copy(second, &two, &mut arena);
        declarations.extend(more);
        let mut joined = JoinedSeeds {
            script: Script::new(arena, declarations),
            bodies: [body, other_body],
            assumptions: [assumptions, other_assumptions],
            constants: [constants, other_constants],
            renamed,
        };
        joined.keep_what_occurs();
        joined
    }

    /// Drops the constants that occur nowhere.
    fn keep_what_occurs(&mut self) {
        let arena = self.script.arena();
        let roots = self.bodies.iter().flatten().flat_map(Command::terms);
        let roots = roots.chain(self.assumptions.iter().flatten().copied());
        let occurring: FxHashSet<Term> = arena.reachable(roots).collect();
        for constants in &mut self.constants {
            constants.retain(|constant| occurring.contains(constant));
        }
    }

    /// What may take the places of the fused constants, and in how many of them it shall; with the counts that tell.
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

    /// Replaces places of the fused constants.
    pub fn replace(&mut self, counts: &OccurrenceCounts, targets: &mut [ReplacementTarget], rng: &mut Rng) {
        self.change(|arena, term| replace(arena, counts, term, targets, rng));
    }

    /// Puts another term in the place of each that is defined, asserted or assumed.
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

    /// What a name of one of them is now.
    pub fn renamed<'n>(&'n self, side: usize, name: &'n str) -> &'n str {
        let pair = self.renamed[side].iter().find(|(old, _)| old == name);
        pair.map_or(name, |(_, new)| new)
    }

    /// What a model of the whole is made of.
    pub fn join(&self, triplets: &[Triplet]) -> ModelJoin {
        let arena = self.script.arena();
        let define = |triplet: &Triplet| {
            let (name, sort) = (symbol_text(arena, triplet.name), sort_text(arena, triplet.sort));
            format!("(define-fun {name} () {sort} {})", term_text(arena, triplet.instance.result))
        };
        ModelJoin { renamed: self.renamed.clone(), definitions: triplets.iter().map(define).collect() }
    }

    /// The fused variables in a few words.
    pub fn describe(&self, triplets: &[Triplet]) -> String {
        let arena = self.script.arena();
        let one = |triplet: &Triplet| {
            let body = term_text_within(arena, triplet.instance.result, MAX_TERM_BYTES_SHOWN);
            format!("{} = {body}", symbol_text(arena, triplet.name))
        };
        triplets.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// The copy of a part: its declarations, its body, its assumptions, its constants.
type Copy = (Vec<Command>, Vec<Command>, Vec<Term>, Vec<Term>);

fn copy(part: &SeedParts<'_>, renaming: &Renaming, arena: &mut Arena) -> Copy {
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
    (declarations, body, assumptions, constants)
}

/// The names that were changed, as text, sorted.
fn renamed(part: &SeedParts<'_>, renaming: &Renaming) -> Vec<(String, String)> {
    let arena = part.script.arena();
    let pair = |(old, new): (&gainsay_smt::Symbol, &String)| (arena.text(*old).to_owned(), new.clone());
    let mut renamed: Vec<(String, String)> = renaming.declared.iter().map(pair).collect();
    renamed.sort_unstable();
    renamed
}
