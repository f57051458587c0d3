//! Decomposes a fusion, so that it can be rebuilt from smaller parents.
//!
//! ```text
//! (assert (< 3 (- z x_2)))         comes from    (assert (< 3 (! x :fused 0)))
//! (assert (= (* x_2 (- z x)) 4))   and from      (assert (= (* x_2 (! x_2 :fused 1)) 4))
//! ```
//!
//! Repeating the draws of a fusion would give other variables and other places as soon as one of them is gone. So each
//! parent gets a mark at each place where an inverse stands. A mark is an annotation, and stays with its term whatever
//! a reducer does to the parent. A rebuilt triplet has the same function, constants and inverses, over the terms that
//! are marked by then. These need not be variables: the argument for the promised answer holds for any term without
//! free variables.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gainsay_smt::{
    Arena, Attribute, AttributeValue, Command, Head, Script, Sort, Term, TermView, Word, replace_children,
    variables,
};

use super::join::JoinedSeeds;
use super::names::FreshNames;
use super::seed_parts::SeedParts;
use super::triplet::{self, Triplet};
use super::{finish, fit};
use crate::fusion::function::s_expression::SExpression;
use crate::fusion::function::{FusionFunctions, sort_of, spelled};
use crate::random::Rng;
use crate::{Proposal, Skip, StrategySettings};
use gainsay_solvers::run::Answer;

/// The attribute of a marked place; its value is the number of the fused argument.
const MARK_KEYWORD: &str = ":fused";

/// A decomposed fusion.
#[derive(Debug, Clone)]
pub struct DecomposedFusion {
    /// Both parents, with distinct names and marked places.
    pub parents: [Script; 2],
    /// The answer of both.
    pub status: Answer,
    ties: Vec<TripletOrigin>,
    functions: Arc<FusionFunctions>,
}

/// A triplet and the origin of its arguments.
#[derive(Debug, Clone)]
struct TripletOrigin {
    triplet: Triplet,
    name: String,
    arguments: Vec<TripletArgument>,
    /// The state of the random generator before its constraints are drawn.
    constraints: Rng,
}

/// An original argument of a triplet.
#[derive(Debug, Clone)]
struct TripletArgument {
    /// The number of its marks.
    number: usize,
    /// The parent that it comes from.
    side: usize,
    name: String,
    sort: SExpression,
}

impl DecomposedFusion {
    /// Decomposes the fusion of two scripts that the same draws give.
    pub fn of(
        parents: [&Script; 2],
        status: Answer,
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<DecomposedFusion, Skip> {
        let (first, second) = (SeedParts::of(parents[0])?, SeedParts::of(parents[1])?);
        fit(&first, &second, status)?;
        let mut names = FreshNames::new(&first, &second);
        let mut joined = JoinedSeeds::of(&first, &second, &mut names);
        let triplets = triplet::draw(&mut joined, &mut names, settings, rng)?;
        let (counts, mut targets) = joined.targets(&triplets, status, settings.bounds, rng);
        for (number, target) in targets.iter_mut().enumerate() {
            target.replacement = mark(joined.script.arena_mut(), target.constant, number);
        }
        joined.replace(&counts, &mut targets, rng);
        let (mut ties, mut numbers) = (Vec::new(), 0..);
        for triplet in triplets {
            let constraints = rng.clone();
            triplet.constraints(&mut joined.script, status, rng);
            let arguments = triplet.arguments.iter().zip(&mut numbers);
            let arguments =
                arguments.map(|(&term, number)| TripletArgument::of(&joined, term, number)).collect();
            let name = joined.script.arena().text(triplet.name).to_owned();
            ties.push(TripletOrigin { triplet, name, arguments, constraints });
        }
        let logics = [first.script.logic(), second.script.logic()];
        let parents = parents_of(&joined, first.declarations.len(), logics)
            .ok_or(Skip::Unfit("a seed cannot be written apart"))?;
        Ok(DecomposedFusion { parents, status, ties, functions: Arc::clone(&settings.fusion.functions) })
    }

    /// Fuses two marked scripts again, or says why they cannot be fused.
    pub fn fuse(&self, parents: [&Script; 2]) -> Result<Proposal, Skip> {
        let (first, second) = (SeedParts::of(parents[0])?, SeedParts::of(parents[1])?);
        fit(&first, &second, self.status)?;
        let mut names = FreshNames::new(&first, &second);
        let mut joined = JoinedSeeds::of(&first, &second, &mut names);
        let own = self.functions.with_datatypes_of(&joined.script);
        let marks = marks(&joined)?;
        // A mark that belongs to no triplet has no effect.
        let mut put: HashMap<Term, Term> = marks.values().map(|mark| (mark.term, mark.inner)).collect();
        let mut triplets = Vec::new();
        for tie in &self.ties {
            let Some(arguments) = tie.arguments(&mut joined, &marks, &mut names) else { continue };
            let name = names.fresh(&tie.name);
            let triplet = tie.triplet.again(&mut joined.script, &own, arguments, &name);
            let triplet = triplet.ok_or(Skip::Unfit("what is marked does not fit its function"))?;
            let targets = triplet.targets(&mut joined.script, self.status);
            for (argument, target) in tie.arguments.iter().zip(targets) {
                put.extend(marks.get(&argument.number).map(|mark| (mark.term, target.replacement)));
            }
            triplets.push((triplet, tie));
        }
        let mut done = HashMap::new();
        let finish_term = |_: &Arena, old: Term, new: Term| put.get(&old).copied().unwrap_or(new);
        joined.change(|arena, term| rebuild(arena, term, &mut done, &finish_term));
        let mut constraints = Vec::new();
        for (triplet, tie) in &triplets {
            let rng = &mut tie.constraints.clone();
            constraints.extend(triplet.constraints(&mut joined.script, self.status, rng));
        }
        let triplets: Vec<Triplet> = triplets.into_iter().map(|(triplet, _)| triplet).collect();
        Ok(finish([&first, &second], joined, &triplets, (self.status, constraints)))
    }

    /// The number of triplets.
    pub fn triplets(&self) -> usize {
        self.ties.len()
    }

    /// The same without one of its triplets, whose places keep their terms.
    #[must_use]
    pub fn without(&self, triplet: usize) -> DecomposedFusion {
        let mut apart = self.clone();
        apart.ties.remove(triplet);
        apart
    }

    /// A parent without its marks.
    pub fn unmarked(parent: &Script) -> Script {
        let (mut script, mut done) = (parent.clone(), HashMap::new());
        let arena = script.arena_mut();
        let mut commands = parent.commands.clone();
        let inner = |arena: &Arena, _: Term, new: Term| marked(arena, new).map_or(new, |(_, inner)| inner);
        for command in &mut commands {
            for position in 0..command.term_count() {
                let term = rebuild(arena, command.term(position), &mut done, &inner);
                command.set_term(position, term);
            }
        }
        script.commands = commands;
        script
    }
}

impl TripletArgument {
    fn of(joined: &JoinedSeeds, term: Term, number: usize) -> TripletArgument {
        let arena = joined.script.arena();
        let TermView::Application(head, _) = arena.view(term) else { unreachable!("constants are fused") };
        let side = usize::from(!joined.constants[0].contains(&term));
        let sort =
            spelled(arena, arena.sort_of(term)).expect("fused variables have sorts that can be written");
        TripletArgument { number, side, name: arena.text(head.symbol).to_owned(), sort }
    }

    /// The original constant, if it is still declared.
    fn constant(&self, joined: &mut JoinedSeeds) -> Option<Term> {
        let name = joined.script.arena().find_symbol(joined.renamed(self.side, &self.name))?;
        let sort = joined.script.commands.iter().find_map(|command| match command {
            Command::Declare(Word::DeclareFun | Word::DeclareConst, declared, parameters, sort)
                if *declared == name && parameters.is_empty() =>
            {
                Some(*sort)
            }
            _ => None,
        })?;
        let arena = joined.script.arena_mut();
        let sort: Sort = arena.canonical(sort);
        Some(arena.application(Head::plain(name), &[], sort))
    }

    /// A fresh constant of its sort.
    fn fresh(&self, joined: &mut JoinedSeeds, names: &mut FreshNames<'_>) -> Option<Term> {
        let name = names.fresh(&self.name);
        let arena = joined.script.arena_mut();
        let (name, sort) = (arena.symbol(&name), sort_of(arena, &self.sort)?);
        let term = arena.application(Head::plain(name), &[], sort);
        joined.script.commands.push(Command::Declare(Word::DeclareConst, name, [].into(), sort));
        Some(term)
    }
}

impl TripletOrigin {
    /// The terms to fuse: the marked term, else the original constant, else a fresh constant. `None` if nothing is left
    /// of the triplet.
    fn arguments(
        &self,
        joined: &mut JoinedSeeds,
        marks: &BTreeMap<usize, PlaceMark>,
        names: &mut FreshNames<'_>,
    ) -> Option<Vec<Term>> {
        let known: Vec<Option<Term>> = self
            .arguments
            .iter()
            .map(|one| marks.get(&one.number).map(|mark| mark.inner).or_else(|| one.constant(joined)))
            .collect();
        let is_marked = self.arguments.iter().any(|argument| marks.contains_key(&argument.number));
        if !is_marked && known.iter().any(Option::is_none) {
            return None;
        }
        let arguments = self.arguments.iter().zip(known);
        arguments.map(|(argument, known)| known.or_else(|| argument.fresh(joined, names))).collect()
    }
}

/// A marked term and the term inside the mark.
struct PlaceMark {
    term: Term,
    inner: Term,
}

fn mark(arena: &mut Arena, term: Term, number: usize) -> Term {
    let keyword = arena.symbol(MARK_KEYWORD);
    let value = AttributeValue::Text(arena.symbol(&number.to_string()));
    arena.annotated(&[Attribute { keyword, value }], &[term])
}

/// The number of a mark and the term inside it, if the term is a mark.
fn marked(arena: &Arena, term: Term) -> Option<(usize, Term)> {
    let TermView::Annotated([Attribute { keyword, value: AttributeValue::Text(number) }], [inner]) =
        arena.view(term)
    else {
        return None;
    };
    (arena.text(*keyword) == MARK_KEYWORD).then_some((arena.text(*number).parse().ok()?, *inner))
}

/// The marks of two parents, by number. All marks with one number must mark the same term, which may contain no free
/// variables and no marks.
fn marks(joined: &JoinedSeeds) -> Result<BTreeMap<usize, PlaceMark>, Skip> {
    let arena = joined.script.arena();
    let mut open: Vec<Term> = joined.bodies.iter().flatten().flat_map(Command::terms).collect();
    open.extend(joined.assumptions.iter().flatten());
    let (mut seen, mut marks) = (vec![false; arena.term_count()], BTreeMap::new());
    while let Some(term) = open.pop() {
        if std::mem::replace(&mut seen[term.index()], true) {
            continue;
        }
        let Some((number, inner)) = marked(arena, term) else {
            open.extend_from_slice(arena.children(term));
            continue;
        };
        if !variables::free(arena, inner).is_empty() || has_marks(arena, inner) {
            return Err(Skip::Unfit("what is marked has variables or marks in it"));
        }
        if marks.insert(number, PlaceMark { term, inner }).is_some() {
            return Err(Skip::Unfit("one mark is at different terms"));
        }
    }
    Ok(marks)
}

fn has_marks(arena: &Arena, term: Term) -> bool {
    arena.reachable([term]).any(|part| marked(arena, part).is_some())
}

/// Rebuilds all subterms of a term bottom-up; `finish` gets the old and the new one.
fn rebuild(
    arena: &mut Arena,
    root: Term,
    done: &mut HashMap<Term, Term>,
    finish: &dyn Fn(&Arena, Term, Term) -> Term,
) -> Term {
    let mut open = vec![root];
    while let Some(&term) = open.last() {
        let before = open.len();
        if !done.contains_key(&term) {
            let children = arena.children(term).to_vec();
            open.extend(children.iter().filter(|child| !done.contains_key(child)));
            if open.len() == before {
                let new: Vec<Term> = children.iter().map(|child| done[child]).collect();
                let new = if new == children { term } else { replace_children(arena, term, &new) };
                done.insert(term, finish(arena, term, new));
            }
        }
        if open.len() == before {
            open.pop();
        }
    }
    done[&root]
}

/// Each parent as a script.
fn parents_of(joined: &JoinedSeeds, declared: usize, logics: [Option<&str>; 2]) -> Option<[Script; 2]> {
    let (one, two) = joined.script.commands.split_at(declared);
    let parent = |declarations: &[Command], side: usize| {
        let mut script = Script::new(joined.script.arena().clone(), Vec::new());
        let logic = logics[side].map(|logic| Command::SetLogic(script.arena_mut().symbol(logic)));
        let assumptions =
            joined.assumptions[side].iter().map(|&term| Command::Term(Word::Assert, term, None));
        let body = joined.bodies[side].iter().cloned().chain(assumptions);
        script.commands = logic.into_iter().chain(declarations.iter().cloned()).chain(body).collect();
        script.commands.push(Command::CheckSat);
        // A parse gives an arena with this parent's names only, so that unused names are free again.
        Script::parse(&script.to_string(), script.arena().signature()).ok()
    };
    Some([parent(one, 0)?, parent(two, 1)?])
}
