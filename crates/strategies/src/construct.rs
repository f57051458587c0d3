//! Construct insertion: puts a chosen operator, rounding mode or kind of literal into a script.
//!
//! ```text
//! fp.abs  into  (fp.eq (fp.add RNE x y) (fp.sub RNE x y))   gives   (fp.eq (fp.abs x) (fp.sub RNE x y))
//! fp.add  into  (fp.eq (fp.abs x) (fp.abs y))               gives   (fp.eq (fp.add RTZ x y) (fp.abs y))
//! ```
//!
//! The mutator of section 3.2 of "BanditFuzz: Fuzzing SMT Solvers with Reinforcement Learning" (VSTTE 2020), for all
//! theories: it replaces a term of the same sort, keeps arguments that fit from the left, drops surplus ones and
//! generates missing ones. Unlike the paper's mutator, it always inserts the construct: if no term has its sort, it
//! adds an assertion about it.

mod drawn;
mod list;

use std::collections::HashSet;

use gainsay_smt::signature::{Instance, Rank};
use gainsay_smt::{Arena, Command, Head, Index, Script, Sort, Symbol, Term, TermView, Word};

use super::generate::growth::TermGrowth;
use super::generate::literal::{self, LiteralKind};
use super::generate::vocabulary::{GrowthSettings, TermVocabulary};
use super::operators::{Operators, is_first_class};
use super::survey::{ScriptSurvey, TermPlace};
use crate::random::Rng;

pub use drawn::ConstructStrategy;
pub use list::list;

/// Places tried, first those that resemble the construct and then any, before an assertion is added.
const MAX_INSERTION_PLACES: usize = 200;

/// Instances of an operator drawn before it counts as unusable.
const MAX_INSTANCE_DRAWS: usize = 300;

/// Assertions in a script above which one is replaced rather than another added.
const MAX_ASSERTIONS: usize = 20;

/// Part of the language that can be inserted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Construct {
    /// Its kind.
    pub kind: ConstructKind,
    /// Its name: that of the operator or rounding mode, or `Int:zero` and the like for a kind of literal.
    pub name: String,
}

/// The kind of a construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConstructKind {
    /// An operator or predicate, with or without arguments.
    Operator,
    /// A rounding mode.
    RoundingMode,
    /// A kind of literal.
    Literal,
}

impl Construct {
    /// Whether a script contains it; always false for a kind of literal.
    pub fn is_in(&self, script: &Script) -> bool {
        let arena = script.arena();
        let Some(name) = arena.find_symbol(&self.name) else { return false };
        let applies =
            |term| matches!(arena.view(term), TermView::Application(head, _) if head.symbol == name);
        arena.reachable(script.assertions()).any(applies)
    }
}

/// Inserts constructs into scripts.
#[derive(Debug, Clone, Copy)]
pub struct ConstructInserter<'a> {
    /// The operators allowed.
    pub operators: &'a Operators,
    /// How large new arguments grow.
    pub habits: &'a GrowthSettings,
}

impl ConstructInserter<'_> {
    /// The script with the construct inserted; `None` if the script cannot contain it.
    pub fn insert(&self, script: &Script, construct: &Construct, rng: &mut Rng) -> Option<Script> {
        let survey = ScriptSurvey::of(script, self.operators);
        let vocabulary = TermVocabulary::of(script, survey.sorts(), self.operators, self.habits);
        self.put(&survey, &vocabulary, construct, rng)
    }

    /// Like `insert`, for a script that was surveyed before.
    fn put(
        &self,
        survey: &ScriptSurvey<'_>,
        vocabulary: &TermVocabulary<'_>,
        construct: &Construct,
        rng: &mut Rng,
    ) -> Option<Script> {
        // Replace terms that resemble the construct first, so that scripts do not grow or shrink without need.
        for likeness in [Likeness::Wanted, Likeness::Any] {
            for _ in 0..MAX_INSERTION_PLACES {
                let Some(place) = survey.place(rng) else { break };
                if let Some(script) = self.replaced(survey, vocabulary, &place, construct, likeness, rng) {
                    return Some(script);
                }
            }
        }
        self.asserted(survey.script, vocabulary, construct, rng)
    }

    /// The script with the construct at this place.
    fn replaced(
        &self,
        survey: &ScriptSurvey<'_>,
        vocabulary: &TermVocabulary<'_>,
        place: &TermPlace,
        construct: &Construct,
        likeness: Likeness,
        rng: &mut Rng,
    ) -> Option<Script> {
        let arena = survey.script.arena();
        let children: &[Term] = match arena.view(place.term) {
            TermView::Application(_, children) => children,
            _ => &[],
        };
        let sort = place.sort;
        if construct.kind == ConstructKind::Literal {
            let kind = literal::ALL.iter().find(|kind| kind.full_name() == construct.name)?;
            let fits = LiteralKind::of(arena, sort).any(|other| other.is(kind));
            (fits && (children.is_empty() || likeness == Likeness::Any)).then_some(())?;
            return self.edited(survey, vocabulary, place, rng, |growth| {
                let literal = kind.literal(growth.arena, sort, growth.rng);
                growth.value(&literal)
            });
        }
        let symbol = arena.find_symbol(&construct.name).filter(|&name| vocabulary.has_operator(name))?;
        let ranks: Vec<&Rank> = ranks_for(self.operators, vocabulary, arena, sort, symbol);
        let rank = *rng.choose(&ranks)?;
        let alike = (rank.parameter_count() == 0) == children.is_empty();
        let too_deep = rank.parameter_count() > 0 && place.depth() + 2 > self.habits.depth;
        (alike || likeness == Likeness::Any && !too_deep).then_some(())?;
        if matches!(arena.view(place.term), TermView::Application(head, _) if head.symbol == symbol) {
            return None;
        }
        let preferred: Vec<Sort> =
            children.iter().map(|&child| arena.sort_of(child)).filter(|&sort| is_first_class(sort)).collect();
        let kept = children.to_vec();
        let depth = self.habits.depth.saturating_sub(place.depth()).max(1);
        self.edited(survey, vocabulary, place, rng, |growth| {
            let instance = growth.instance(rank, sort, &preferred)?;
            growth.application(rank, &instance, &kept, depth)
        })
    }

    /// The script with another term at this place.
    fn edited(
        &self,
        survey: &ScriptSurvey<'_>,
        vocabulary: &TermVocabulary<'_>,
        place: &TermPlace,
        rng: &mut Rng,
        grow: impl FnOnce(&mut TermGrowth<'_>) -> Option<Term>,
    ) -> Option<Script> {
        let mut script = survey.script.clone();
        let new = grow(&mut TermGrowth::new(vocabulary, script.arena_mut(), place.command, rng))?;
        // A name that a variable around the place may shadow would mean the variable there.
        if new == place.term || !uses_only(script.arena(), new, |name| survey.is_unshadowed(name)) {
            return None;
        }
        place.edit(new).make(&mut script);
        Some(script)
    }

    /// The script with an assertion about the construct before its first `check-sat`.
    fn asserted(
        &self,
        script: &Script,
        vocabulary: &TermVocabulary<'_>,
        construct: &Construct,
        rng: &mut Rng,
    ) -> Option<Script> {
        let mut script = script.clone();
        let is_assertion = |command: &Command| matches!(command, Command::Term(Word::Assert, ..));
        let end = script.commands.iter().position(|command| matches!(command, Command::CheckSat));
        let end = end.unwrap_or(script.commands.len());
        let (term, declarations) = self.about(&mut script, vocabulary, construct, end, rng)?;
        let new = Command::Term(Word::Assert, term, None);
        let assertions: Vec<usize> =
            (0..end).filter(|&place| is_assertion(&script.commands[place])).collect();
        if assertions.len() < MAX_ASSERTIONS {
            script.commands.insert(end, new);
        } else {
            script.commands[*rng.choose(&assertions)?] = new;
        }
        let first = assertions.first().copied().unwrap_or(end);
        for declaration in declarations.into_iter().rev() {
            script.commands.insert(first, declaration);
        }
        Some(script)
    }

    /// A Boolean term about the construct, and the declarations that it needs.
    fn about(
        &self,
        script: &mut Script,
        vocabulary: &TermVocabulary<'_>,
        construct: &Construct,
        command: usize,
        rng: &mut Rng,
    ) -> Option<(Term, Vec<Command>)> {
        let mut declarations = Vec::new();
        let term = if construct.kind == ConstructKind::Literal {
            let kind = literal::ALL.iter().find(|kind| kind.full_name() == construct.name)?;
            let arena = script.arena();
            let has = |sort: &&Sort| LiteralKind::of(arena, **sort).any(|other| other.is(kind));
            let sort = *vocabulary.sorts.iter().find(has)?;
            let mut growth = TermGrowth::new(vocabulary, script.arena_mut(), command, rng);
            let literal = kind.literal(growth.arena, sort, growth.rng);
            growth.value(&literal)?
        } else {
            let (rank, instance) = self.instance(script, vocabulary, construct, rng)?;
            let mut arguments = Vec::new();
            for &sort in &instance.parameters {
                let mut growth = TermGrowth::new(vocabulary, script.arena_mut(), command, rng);
                let grown = growth.term(sort, 2);
                arguments.push(match grown {
                    Some(term) => term,
                    None => declared(script, sort, &mut declarations),
                });
            }
            let mut growth = TermGrowth::new(vocabulary, script.arena_mut(), command, rng);
            growth.application(rank, &instance, &arguments, 1)?
        };
        Some((self.predicate(script, vocabulary, term, command, &mut declarations, rng)?, declarations))
    }

    /// An instance of an operator: over the sorts of the script if possible, else over any sorts.
    fn instance(
        &self,
        script: &mut Script,
        vocabulary: &TermVocabulary<'_>,
        construct: &Construct,
        rng: &mut Rng,
    ) -> Option<(&Rank, Instance)> {
        let symbol =
            script.arena().find_symbol(&construct.name).filter(|&name| vocabulary.has_operator(name))?;
        for &goal in &vocabulary.sorts {
            let ranks = ranks_for(self.operators, vocabulary, script.arena(), goal, symbol);
            if let Some(&rank) = rng.choose(&ranks) {
                let mut growth = TermGrowth::new(vocabulary, script.arena_mut(), 0, rng);
                if let Some(instance) = growth.instance(rank, goal, &[]) {
                    return Some((rank, instance));
                }
            }
        }
        let ranks: Vec<&Rank> = self.operators.ranks().iter().filter(|rank| rank.name == symbol).collect();
        (0..MAX_INSTANCE_DRAWS).find_map(|_| {
            let rank = *rng.choose(&ranks)?;
            let arena = script.arena_mut();
            let instance = rank.instance(arena, &vocabulary.comparable, &mut |bound| rng.below(bound))?;
            let modest = |sort: &Sort| is_modest(script, vocabulary, *sort);
            let modest = instance.parameters.iter().all(modest) && modest(&instance.result);
            modest.then_some((rank, instance))
        })
    }

    /// A Boolean term that contains a term: itself, an equality or a membership.
    fn predicate(
        &self,
        script: &mut Script,
        vocabulary: &TermVocabulary<'_>,
        term: Term,
        command: usize,
        declarations: &mut Vec<Command>,
        rng: &mut Rng,
    ) -> Option<Term> {
        let sort = script.arena().sort_of(term);
        if sort == Sort::BOOL {
            return Some(term);
        }
        let other = if sort == Sort::REGLAN { Sort::STRING } else { sort };
        let grown = TermGrowth::new(vocabulary, script.arena_mut(), command, rng).term(other, 1);
        let other = match grown {
            Some(other) => other,
            None => declared(script, other, declarations),
        };
        let name = script.arena().find_symbol(if sort == Sort::REGLAN { "str.in_re" } else { "=" })?;
        let head = Head { symbol: name, indices: &[], qualifier: None };
        script.arena_mut().operation(head, &[other, term])
    }
}

/// How much the replaced term must resemble the construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    /// Both have arguments, or neither has.
    Wanted,
    /// Only the sorts are the same.
    Any,
}

/// The ranks of an operator with this result sort that the script can use.
fn ranks_for<'a>(
    operators: &'a Operators,
    vocabulary: &TermVocabulary<'_>,
    arena: &Arena,
    goal: Sort,
    name: Symbol,
) -> Vec<&'a Rank> {
    let numbers = 0..operators.count(arena, goal);
    let ranks = numbers.filter_map(|number| operators.get(arena, goal, vocabulary.kinds, number));
    ranks.filter(|rank| rank.name == name).collect()
}

/// Whether a term applies only wanted names.
fn uses_only(arena: &Arena, term: Term, is_wanted: impl Fn(Symbol) -> bool) -> bool {
    let is_unwanted =
        |term| matches!(arena.view(term), TermView::Application(head, _) if !is_wanted(head.symbol));
    !arena.reachable([term]).any(is_unwanted)
}

/// A new constant of a sort. Its name occurs nowhere in the script's text; the arena may remember it from earlier
/// scripts.
fn declared(script: &mut Script, sort: Sort, declarations: &mut Vec<Command>) -> Term {
    let text = script.to_string();
    let names: HashSet<&str> = text
        .split(|c: char| c.is_whitespace() || "()|".contains(c))
        .filter(|word| word.starts_with('n'))
        .collect();
    let is_new = |name: &str, arena: &Arena| {
        let declares = |command: &Command| matches!(command, Command::Declare(_, other, ..) if arena.text(*other) == name);
        !names.contains(name) && !declarations.iter().any(declares)
    };
    let name = (1..).map(|number: u32| format!("n{number}")).find(|name| is_new(name, script.arena()));
    let arena = script.arena_mut();
    let name = arena.symbol(&name.expect("there are more numbers than names"));
    declarations.push(Command::Declare(Word::DeclareConst, name, [].into(), sort));
    arena.application(Head::plain(name), &[], sort)
}

/// Whether solvers cope with a sort: it is built like the sorts of the script or has literals, and is not large.
fn is_modest(script: &Script, vocabulary: &TermVocabulary<'_>, sort: Sort) -> bool {
    let arena = script.arena();
    let head = |sort: Sort| arena.view_sort(sort).head;
    let is_known = |sort: Sort| {
        let alike = vocabulary.sorts.iter().any(|&other| head(other) == head(sort));
        alike || LiteralKind::of(arena, sort).next().is_some()
    };
    let mut open = vec![sort];
    while let Some(sort) = open.pop() {
        let view = arena.view_sort(sort);
        let fits = match (view.head, view.indices) {
            // cvc5 requires more than two significand bits if the arguments of `fp` are not literals.
            (Symbol::FLOATING_POINT, [Index::Numeral(exponent), Index::Numeral(significand)]) => {
                *exponent <= 15 && (3..=53).contains(significand)
            }
            (_, indices) => {
                indices.iter().all(|index| matches!(index, Index::Numeral(number) if *number <= 64))
            }
        };
        // cvc5 answers unknown for arrays indexed by arrays.
        let nested = view.head == Symbol::ARRAY
            && view.arguments.first().is_some_and(|&sort| head(sort) == Symbol::ARRAY);
        if !fits || nested || !is_known(sort) {
            return false;
        }
        open.extend_from_slice(view.arguments);
    }
    true
}

#[cfg(test)]
mod tests;
