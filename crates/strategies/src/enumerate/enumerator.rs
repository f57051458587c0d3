//! Enumeration: all scripts of one assertion over a theory, up to a number of operators, in a fixed order.
//!
//! ```text
//! (declare-const x1 (_ BitVec 2)) (declare-const x2 (_ BitVec 2))
//! (assert (= x1 x1))  (assert (= x1 x2))  …  (assert (bvult (bvmul x1 x2) (bvnot x1)))  …
//! ```
//!
//! The operators come from the tables of the theories, so that every theory can be enumerated; ET did this with grammars that
//! were written by hand. Of scripts that differ only in the names of their constants, or in the order of the arguments of a
//! commutative operator, one is made. The order depends on nothing but the settings: script n is always the same, so that
//! several processes can share the work by the numbers of scripts.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;

use gainsay_smt::logic::Features;
use gainsay_smt::print::{symbol_text, term_text};
use gainsay_smt::signature::Rank;
use gainsay_smt::{Arena, Command, Head, Index, Script, Signature, Sort, Symbol, Term, operator_facts};

use crate::generate::declare::bound_assertions;
use crate::generate::theory::GeneratorTheory;
use crate::operators::Operators;
use gainsay_solvers::profile::Profile;
use gainsay_solvers::version::Version;

/// The indices that are tried for indexed operators.
const TRIED_INDICES: [&[u32]; 7] = [&[], &[0], &[1], &[2], &[0, 0], &[1, 0], &[1, 1]];
/// The most arguments of an operator.
const MAX_ENUMERATED_ARGUMENTS: usize = 3;
/// The most terms of one size that `gainsay enumerate` keeps to build larger ones from.
pub const MAX_KEPT_TERMS: usize = 20_000_000;

/// Which scripts to enumerate.
#[derive(Debug, Clone)]
pub struct EnumerationSettings {
    /// The theories; Boolean operators are always there.
    pub theories: Vec<GeneratorTheory>,
    /// The sorts of constants, as text.
    pub sorts: Vec<String>,
    /// The constants of each sort.
    pub variables: usize,
    /// The most operators of the assertion.
    pub size: usize,
    /// The most terms of one size that are kept to build larger ones from.
    pub kept_terms: usize,
    /// The theories that the sorts of a script's terms must show, Booleans apart; `None` if scripts may use any part of the theories.
    pub shown: Option<Vec<GeneratorTheory>>,
}

/// An operator with its indices.
#[derive(Debug, Clone)]
struct IndexedOperator {
    name: Symbol,
    indices: Vec<Index>,
    count: usize,
    is_commutative: bool,
}

/// A term that larger ones are built from.
#[derive(Debug, Clone)]
struct KeptTerm {
    term: Term,
    /// The numbers of its constants, in the order of their first occurrence.
    constants: Vec<u16>,
    /// A bit for each theory that the sorts of its subterms show.
    shown: u32,
}

/// An enumerator of scripts.
pub struct Enumerator {
    settings: EnumerationSettings,
    arena: Arena,
    declarations: String,
    /// The assertions that bound each constant, if its sort has too many values.
    bounds: Vec<String>,
    /// The sort of each constant.
    constants: Vec<Sort>,
    sorts: Vec<Sort>,
    /// For each of the sorts, a bit for each theory that it shows.
    shown: HashMap<Sort, u32>,
    operators: Vec<IndexedOperator>,
    /// The terms by the number of their operators and by sort.
    levels: Vec<HashMap<Sort, Vec<KeptTerm>>>,
}

/// Settings that cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EnumerationError(pub String);

/// Takes the number of a script and a function that prints it.
pub type TakeScript<'a> = dyn FnMut(u64, &dyn Fn() -> String) -> ControlFlow<()> + 'a;

impl Enumerator {
    /// An enumerator over operators that all these solvers know.
    pub fn new(
        signature: &Arc<Signature>,
        settings: EnumerationSettings,
        solvers: &[(&Profile, Option<&Version>)],
    ) -> Result<Enumerator, EnumerationError> {
        let is_known = |rank: &Rank| Operators::is_known_to(signature, signature.text(rank.name), solvers);
        Enumerator::over(signature, settings, &is_known)
    }

    /// An enumerator over operators for which `allowed` returns true.
    pub fn over(
        signature: &Arc<Signature>,
        settings: EnumerationSettings,
        allowed: &dyn Fn(&Rank) -> bool,
    ) -> Result<Enumerator, EnumerationError> {
        let (mut declarations, mut bounds) = (String::new(), Vec::new());
        for (place, sort) in settings.sorts.iter().enumerate() {
            for number in 0..settings.variables {
                let name = place * settings.variables + number + 1;
                let _ = writeln!(declarations, "(declare-const x{name} {sort})");
                bounds.push(bound_assertions(&format!("x{name}"), sort));
            }
        }
        let script = Script::parse(&declarations, signature)
            .map_err(|error| EnumerationError(format!("the sorts cannot be used: {}", error.message)))?;
        let mut arena = script.arena().clone();
        let (mut constants, mut shown) = (Vec::new(), HashMap::new());
        let mut leaves: HashMap<Sort, Vec<KeptTerm>> = HashMap::new();
        for command in &script.commands {
            let Command::Declare(_, name, _, sort) = command else { continue };
            let sort = arena.canonical(*sort);
            let term = arena.application(Head::plain(*name), &[], sort);
            let bits = *shown.entry(sort).or_insert_with(|| theory_bits(&theories_of_sort(&script, sort)));
            let kept = KeptTerm { term, constants: vec![constants.len() as u16], shown: bits };
            leaves.entry(sort).or_default().push(kept);
            constants.push(sort);
        }
        let mut sorts: Vec<Sort> = Vec::new();
        for &sort in constants.iter().chain([&Sort::BOOL]) {
            if !sorts.contains(&sort) {
                sorts.push(sort);
            }
        }
        let operators = operators(&mut arena, &settings.theories, allowed);
        Ok(Enumerator {
            settings,
            arena,
            declarations,
            constants,
            sorts,
            shown,
            operators,
            bounds,
            levels: vec![leaves],
        })
    }

    /// The number of operators, indexed ones once for each choice of indices.
    pub fn operator_count(&self) -> usize {
        self.operators.len()
    }

    /// Calls `take` with the number and the text of every script, until it breaks. The error says that terms are too many.
    pub fn run(&mut self, take: &mut TakeScript<'_>) -> Result<(), EnumerationError> {
        let mut number = 0;
        for size in 1..=self.settings.size {
            if self.assertions(size, &mut number, take).is_break() {
                break;
            }
            if size < self.settings.size {
                self.add_level(size)?;
            }
        }
        Ok(())
    }

    /// All Boolean terms with so many operators.
    fn assertions(&mut self, size: usize, number: &mut u64, take: &mut TakeScript<'_>) -> ControlFlow<()> {
        let (operators, declarations) = (self.operators.clone(), self.declarations.clone());
        let (constants, bounds) = (self.constants.clone(), self.bounds.clone());
        let (levels, wanted) = (&self.levels, self.settings.shown.as_deref().map(theory_bits));
        for operator in &operators {
            let mut sorts_known: HashMap<Vec<Sort>, Option<Sort>> = HashMap::new();
            let arena = &mut self.arena;
            let flow = combine(levels, operator, size, &self.sorts, &mut |arguments| {
                let result = result_sort(arena, operator, arguments, &mut sorts_known);
                let occurring = occurrences(arguments);
                let is_shown = wanted.is_none_or(|wanted| shown_bits(arguments) == wanted);
                if result != Some(Sort::BOOL) || !is_shown || !is_canonical(&constants, &occurring) {
                    return ControlFlow::Continue(());
                }
                let arena = &*arena;
                let text = || {
                    let head = head_text(arena, operator);
                    let shown: Vec<String> = arguments.iter().map(|one| term_text(arena, one.term)).collect();
                    let bounds: String = occurring.iter().map(|&at| bounds[at as usize].as_str()).collect();
                    format!(
                        "(set-logic ALL)\n{declarations}{bounds}(assert ({head} {}))\n(check-sat)\n",
                        shown.join(" ")
                    )
                };
                let flow = take(*number, &text);
                *number += 1;
                flow
            });
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Makes the terms with so many operators.
    fn add_level(&mut self, size: usize) -> Result<(), EnumerationError> {
        let mut level: HashMap<Sort, Vec<KeptTerm>> = HashMap::new();
        let mut count = 0;
        for operator in self.operators.clone() {
            let mut sorts_known: HashMap<Vec<Sort>, Option<Sort>> = HashMap::new();
            let (levels, sorts, shown, arena) = (&self.levels, &self.sorts, &self.shown, &mut self.arena);
            let limit = self.settings.kept_terms;
            let flow = combine(levels, &operator, size, sorts, &mut |arguments| {
                let sort = result_sort(arena, &operator, arguments, &mut sorts_known);
                if let Some(sort) = sort.filter(|sort| sorts.contains(sort)) {
                    let terms: Vec<Term> = arguments.iter().map(|one| one.term).collect();
                    let head = Head { symbol: operator.name, indices: &operator.indices, qualifier: None };
                    let term = arena.application(head, &terms, sort);
                    let shown = shown_bits(arguments) | shown.get(&sort).copied().unwrap_or_default();
                    let kept = KeptTerm { term, constants: occurrences(arguments), shown };
                    level.entry(sort).or_default().push(kept);
                    count += 1;
                }
                if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if flow.is_break() {
                return Err(EnumerationError(format!(
                    "more than {limit} terms of {size} operators; choose fewer sorts, constants or operators"
                )));
            }
        }
        self.levels.push(level);
        Ok(())
    }
}

/// The operators of the theories and of the Booleans, by the order of the tables.
fn operators(
    arena: &mut Arena,
    theories: &[GeneratorTheory],
    allowed: &dyn Fn(&Rank) -> bool,
) -> Vec<IndexedOperator> {
    let signature = Arc::clone(arena.signature());
    let commutative = operator_facts::names("commutative");
    let tables: Vec<&str> = theories
        .iter()
        .copied()
        .chain(GeneratorTheory::find("bool"))
        .flat_map(GeneratorTheory::tables)
        .collect();
    let mut found: Vec<IndexedOperator> = Vec::new();
    for rank in signature.ranks() {
        let name = signature.text(rank.name);
        let count = rank.parameter_count();
        let is_listed = tables.contains(&signature.theories()[rank.theory].as_str());
        let is_known = found.iter().any(|one| one.name == rank.name && one.count == count);
        if !is_listed || is_known || count == 0 || count > MAX_ENUMERATED_ARGUMENTS {
            continue;
        }
        if !allowed(rank) || theories.iter().any(|theory| theory.leaves_out(name)) {
            continue;
        }
        for indices in TRIED_INDICES.iter().filter(|indices| indices.len() == rank.index_count()) {
            let indices = indices.iter().map(|&index| Index::Numeral(index)).collect();
            let is_commutative = commutative.contains(&name) && count == 2;
            found.push(IndexedOperator { name: rank.name, indices, count, is_commutative });
        }
    }
    found
}

/// Calls `take` with all arguments of an operator that make a term with so many operators.
fn combine(
    levels: &[HashMap<Sort, Vec<KeptTerm>>],
    operator: &IndexedOperator,
    size: usize,
    sorts: &[Sort],
    take: &mut dyn FnMut(&[&KeptTerm]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for sizes in partitions(size - 1, operator.count) {
        let choices = |size: usize| -> Vec<&KeptTerm> {
            let of_sort = |sort: &Sort| levels.get(size).and_then(|level| level.get(sort));
            sorts.iter().filter_map(of_sort).flatten().collect()
        };
        let choices: Vec<Vec<&KeptTerm>> = sizes.iter().map(|&size| choices(size)).collect();
        if choices.iter().any(Vec::is_empty) || operator.is_commutative && sizes[0] > sizes[1] {
            continue;
        }
        let mut places = vec![0; choices.len()];
        'next: loop {
            let arguments: Vec<&KeptTerm> = places.iter().zip(&choices).map(|(&at, list)| list[at]).collect();
            if !operator.is_commutative || arguments[0].term <= arguments[1].term {
                take(&arguments)?;
            }
            for place in (0..places.len()).rev() {
                places[place] += 1;
                if places[place] < choices[place].len() {
                    continue 'next;
                }
                places[place] = 0;
            }
            break;
        }
    }
    ControlFlow::Continue(())
}

/// The ways to write a number as a sum of so many, in order.
fn partitions(total: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for place in 0..count {
        let is_last = place + 1 == count;
        let longer = |start: Vec<usize>| {
            let rest = total - start.iter().sum::<usize>();
            let from = if is_last { rest } else { 0 };
            (from..=rest).map(move |next| [&start[..], &[next]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// The sort of an application; applications to equal sorts have equal sorts.
fn result_sort(
    arena: &mut Arena,
    operator: &IndexedOperator,
    arguments: &[&KeptTerm],
    known: &mut HashMap<Vec<Sort>, Option<Sort>>,
) -> Option<Sort> {
    let sorts: Vec<Sort> = arguments.iter().map(|one| arena.sort_of(one.term)).collect();
    if let Some(&sort) = known.get(&sorts) {
        return sort;
    }
    let terms: Vec<Term> = arguments.iter().map(|one| one.term).collect();
    let head = Head { symbol: operator.name, indices: &operator.indices, qualifier: None };
    let sort = arena.operation(head, &terms).map(|term| arena.sort_of(term));
    known.insert(sorts, sort);
    sort
}

/// The theories that constants of a sort of a script show.
fn theories_of_sort(script: &Script, sort: Sort) -> Vec<GeneratorTheory> {
    let is_of_sort = |command: &Command| matches!(command, Command::Declare(_, _, _, own) if script.arena().canonical(*own) == sort);
    let commands = script.commands.iter().filter(|command| is_of_sort(command)).take(1).cloned().collect();
    let script = Script::new(script.arena().clone(), commands);
    GeneratorTheory::of_script(&script, &Features::of_script(&script))
}

/// A bit for each theory, without the one for Booleans, which every script shows.
fn theory_bits(theories: &[GeneratorTheory]) -> u32 {
    let is_listed = |theory: &GeneratorTheory| theories.contains(theory) && theory.name() != "bool";
    let every = GeneratorTheory::every().enumerate();
    every.filter(|(_, theory)| is_listed(theory)).map(|(place, _)| 1 << place).sum()
}

/// The theories that arguments show.
fn shown_bits(arguments: &[&KeptTerm]) -> u32 {
    arguments.iter().fold(0, |bits, one| bits | one.shown)
}

/// The constants of arguments, in the order of their first occurrence.
fn occurrences(arguments: &[&KeptTerm]) -> Vec<u16> {
    let mut found: Vec<u16> = Vec::new();
    for &constant in arguments.iter().flat_map(|one| &one.constants) {
        if !found.contains(&constant) {
            found.push(constant);
        }
    }
    found
}

/// Returns true if the constants of each sort occur in the order of their numbers, from the first on.
fn is_canonical(constants: &[Sort], occurring: &[u16]) -> bool {
    let first_unused = |sort: Sort, seen: &[u16]| {
        (0..constants.len()).find(|&at| constants[at] == sort && !seen.contains(&(at as u16)))
    };
    (0..occurring.len()).all(|place| {
        let constant = occurring[place] as usize;
        first_unused(constants[constant], &occurring[..place]) == Some(constant)
    })
}

fn head_text(arena: &Arena, operator: &IndexedOperator) -> String {
    let name = symbol_text(arena, operator.name);
    if operator.indices.is_empty() {
        return name;
    }
    let indices: Vec<String> =
        operator.indices.iter().filter_map(|index| index.numeral()).map(|index| index.to_string()).collect();
    format!("(_ {name} {})", indices.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts(theory: &str, sort: &str, variables: usize, size: usize) -> Vec<String> {
        let settings = EnumerationSettings {
            theories: vec![GeneratorTheory::find(theory).unwrap()],
            sorts: vec![sort.to_owned()],
            variables,
            size,
            kept_terms: MAX_KEPT_TERMS,
            shown: None,
        };
        let mut all = Vec::new();
        Enumerator::new(&Signature::standard(), settings, &[])
            .unwrap()
            .run(&mut |number, text| {
                assert_eq!(number, all.len() as u64);
                all.push(text());
                ControlFlow::Continue(())
            })
            .unwrap();
        all
    }

    #[test]
    fn boolean_scripts_of_one_operator_are_complete_up_to_renaming_and_commutativity() {
        let all = scripts("bool", "Bool", 2, 1);
        let assertion =
            |text: &str| text.lines().find(|line| line.starts_with("(assert")).unwrap().to_owned();
        let all: Vec<String> = all.iter().map(|text| assertion(text)).collect();
        for expected in
            ["(assert (not x1))", "(assert (and x1 x1))", "(assert (and x1 x2))", "(assert (=> x1 x2))"]
        {
            assert_eq!(all.iter().filter(|one| *one == expected).count(), 1, "{expected}");
        }
        for renamed in ["(assert (not x2))", "(assert (and x2 x1))", "(assert (=> x2 x1))"] {
            assert!(!all.iter().any(|one| one == renamed), "{renamed}");
        }
        assert!(all.iter().any(|one| one == "(assert (ite x1 x2 x1))"), "{all:?}");
    }

    #[test]
    fn scripts_are_well_sorted_and_different() {
        let all = scripts("bitvector", "(_ BitVec 2)", 2, 2);
        let signature = Signature::standard();
        for text in &all {
            Script::parse(text, &signature).unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
        let mut unique = all.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), all.len());
        assert!(all.iter().any(|text| text.contains("(assert (= x1 (bvneg x1)))")));
    }

    #[test]
    fn a_number_is_a_sum_in_every_way() {
        assert_eq!(partitions(2, 2), [[0, 2], [1, 1], [2, 0]]);
        assert_eq!(partitions(0, 3), [[0, 0, 0]]);
    }
}
