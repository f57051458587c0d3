//! Enumeration in campaigns: case n is script n of all small scripts over the theories of the chain's seed.
//!
//! ```text
//! (declare-const a (_ BitVec 8)) (assert (bvult a #x03)) …      is over bit-vectors, so case 7 is script 7 of
//! gainsay enumerate --theory bitvector --sort "(_ BitVec 2)" --size 3
//! ```
//!
//! The order depends on nothing but the theories and the solvers, and the number of the script is the number of the case: the parts
//! of a campaign (`--shard`) and `--resume` make each script once. Each script shows all theories of its seed by the sorts of its
//! terms, so that seeds over other theories do not make it again. A campaign with seeds over several combinations of theories makes
//! a part of the scripts of each. Integers, strings, sets and bags are bounded as in generated scripts in small scope, so
//! that exhaustion decides nearly all cases. There are Boolean constants only if the seed has no other theory.
//!
//! Scripts are found by their numbers a page at a time: making one page skips those before it, which costs little, and memory holds
//! two pages for each combination of theories.

pub mod enumerator;

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use gainsay_smt::Script;
use gainsay_smt::logic::Features;
use gainsay_smt::signature::Rank;

use self::enumerator::{EnumerationError, EnumerationSettings, Enumerator};
use super::generate::theory::GeneratorTheory;
use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::promise::Promise;
use crate::random::Rng;

/// The most operators of an assertion.
const MAX_CASE_OPERATORS: usize = 3;
/// The constants of each sort.
const CASE_CONSTANTS: usize = 2;
/// The scripts that are made at once.
const PAGE_SCRIPTS: u64 = 4096;
/// The pages that are remembered for each combination of theories: workers are at most at the end of one and the start of the next.
const REMEMBERED_PAGES: usize = 2;
/// The most terms of one size that are kept to build larger ones from; where there are more, scripts stay smaller.
const MAX_CASE_TERMS: usize = 500_000;

/// All small scripts in order (ET).
#[derive(Debug)]
pub struct EnumerateStrategy;

/// Enumerated scripts of some theories, by the number of their page.
type NumberedPages = BTreeMap<u64, Arc<Vec<String>>>;

/// Pages of enumerated scripts, by theories and number: a memory only, which decides nothing.
#[derive(Debug, Default)]
pub struct EnumerationPages(Mutex<HashMap<Vec<GeneratorTheory>, NumberedPages>>);

impl Strategy for EnumerateStrategy {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn about(&self) -> &'static str {
        "makes script n of all small scripts over the theories of the seed, for case n (ET)"
    }

    fn takes_seed(&self) -> bool {
        true
    }

    fn is_default(&self) -> bool {
        false
    }

    fn leads_on(&self) -> bool {
        false
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        _rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let Parent { script: seed, case, .. } = parents[0];
        if seed.assertions().next().is_none() || seed.assertions().any(|term| seed.arena().has_opaque(term)) {
            return Err(Skip::NothingToDo);
        }
        let theories = enumerated_theories(seed);
        if theories.is_empty() {
            return Err(Skip::Unfit("no theory of the seed has sorts to enumerate"));
        }
        let page = settings.enumerations.page(&theories, case / PAGE_SCRIPTS, seed, settings)?;
        let text = page.get((case % PAGE_SCRIPTS) as usize);
        let text =
            text.ok_or(Skip::Unfit("all enumerated scripts over the theories of the seed were made"))?;
        let script = Script::parse(text, seed.arena().signature())
            .unwrap_or_else(|error| panic!("an enumerated script: {error}\n{text}"));
        let names: Vec<&str> = theories.iter().map(|theory| theory.name()).collect();
        let step = format!("script {case} over {}", names.join(", "));
        Ok(Proposal::new(script, Promise::Nothing, step))
    }
}

impl EnumerationPages {
    fn page(
        &self,
        theories: &[GeneratorTheory],
        number: u64,
        seed: &Script,
        settings: &StrategySettings,
    ) -> Result<Arc<Vec<String>>, Skip> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = pages.entry(theories.to_vec()).or_default();
        if let Some(page) = pages.get(&number) {
            return Ok(Arc::clone(page));
        }
        let page = Arc::new(scripts(theories, number, seed, settings)?);
        while pages.len() >= REMEMBERED_PAGES {
            pages.pop_first();
        }
        pages.insert(number, Arc::clone(&page));
        Ok(page)
    }
}

/// The theories of a seed that can be enumerated, and those whose sorts they need; Booleans only if there are no others.
fn enumerated_theories(seed: &Script) -> Vec<GeneratorTheory> {
    let of_seed = GeneratorTheory::of_script(seed, &Features::of_script(seed));
    let sorts = enumerated_sorts(&of_seed);
    let is_needed =
        |theory: &GeneratorTheory| theory.enumerated_sorts().next().is_some_and(|sort| sorts.contains(&sort));
    let mut theories: Vec<GeneratorTheory> = GeneratorTheory::every().filter(is_needed).collect();
    if theories.len() > 1 {
        theories.retain(|theory| theory.name() != "bool");
    }
    theories
}

/// The sorts of constants in scripts over theories.
fn enumerated_sorts(theories: &[GeneratorTheory]) -> Vec<&'static str> {
    let mut sorts = Vec::new();
    for sort in theories.iter().flat_map(|theory| theory.enumerated_sorts()) {
        if !sorts.contains(&sort) {
            sorts.push(sort);
        }
    }
    sorts
}

/// The scripts of a page.
fn scripts(
    theories: &[GeneratorTheory],
    page: u64,
    seed: &Script,
    settings: &StrategySettings,
) -> Result<Vec<String>, Skip> {
    let enumeration = EnumerationSettings {
        theories: theories.to_vec(),
        sorts: enumerated_sorts(theories).into_iter().map(str::to_owned).collect(),
        variables: CASE_CONSTANTS,
        size: MAX_CASE_OPERATORS,
        kept_terms: MAX_CASE_TERMS,
        shown: Some(theories.to_vec()),
    };
    let allowed = |rank: &Rank| settings.operators.has(rank);
    let mut enumerator =
        Enumerator::over(seed.arena().signature(), enumeration, &allowed).map_err(|_| Skip::TooLarge)?;
    let mut scripts = Vec::new();
    let first = page * PAGE_SCRIPTS;
    let found = enumerator.run(&mut |number, text| {
        if number >= first {
            scripts.push(text());
        }
        match scripts.len() as u64 == PAGE_SCRIPTS {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    // An error says that terms are too many to make larger scripts; those that were made are complete.
    match found {
        Ok(()) | Err(EnumerationError(_)) => Ok(scripts),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gainsay_smt::Signature;

    use super::*;
    use crate::random::RandomStream;
    use crate::tests::settings;

    fn case(seed: &str, case: u64, settings: &StrategySettings) -> Result<String, Skip> {
        let signature = Signature::standard();
        let script = Script::parse(seed, &signature).unwrap();
        let parents = [Parent { case, ..Parent::new(&script, None) }];
        let made = EnumerateStrategy.propose(&parents, settings, &mut RandomStream::new(case).rng());
        made.map(|proposal| proposal.script.to_string())
    }

    #[test]
    fn cases_of_one_theory_are_different_scripts_and_do_not_depend_on_the_order_of_making() {
        let settings_of = || settings(&Signature::standard());
        let seed = "(declare-const a (_ BitVec 8))(assert (bvult a #x03))(check-sat)";
        let shared = settings_of();
        // The last cases come first, so that pages are made in both orders.
        let numbers: Vec<u64> = (0..200).chain(PAGE_SCRIPTS - 50..PAGE_SCRIPTS + 50).rev().collect();
        let made: Vec<String> = numbers.iter().map(|&number| case(seed, number, &shared).unwrap()).collect();
        assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), made.len());
        for place in [0, 60, 299] {
            assert_eq!(case(seed, numbers[place], &settings_of()).unwrap(), made[place]);
        }
        assert!(made.iter().all(|text| text.contains("(_ BitVec 2)")));
    }

    #[test]
    fn seeds_over_other_theories_make_other_scripts() {
        let settings = settings(&Signature::standard());
        let seeds = [
            "(declare-const p Bool)(assert p)(check-sat)",
            "(declare-const a (_ BitVec 8))(assert (bvult a #x03))(check-sat)",
            "(declare-const i Int)(assert (< i 3))(check-sat)",
            "(declare-const s String)(assert (= s \"a\"))(check-sat)",
            "(declare-const s String)(assert (= (str.len s) 1))(check-sat)",
            "(declare-const s (FiniteSet Bool))(assert (= s s))(check-sat)",
            "(declare-const s (FiniteSet Int))(assert (= (set.size s) 1))(check-sat)",
        ];
        let signature = Signature::standard();
        let first_page = |seed: &&str| {
            let seed = Script::parse(seed, &signature).unwrap();
            scripts(&enumerated_theories(&seed), 0, &seed, &settings).unwrap()
        };
        let made: Vec<Vec<String>> = seeds.iter().map(first_page).collect();
        let assertion = |text: &String| {
            // Numbers of constants depend on the sorts; constants are told apart by their sorts.
            let sort =
                |line: &str| line.trim_end_matches(')').split_once(' ').map(|(_, rest)| rest.to_owned());
            let (declared, rest): (Vec<&str>, Vec<&str>) =
                text.lines().partition(|line| line.starts_with("(declare-const"));
            let used = declared.iter().filter_map(|line| sort(line)).filter(|line| {
                let name = line.split(' ').next().unwrap_or_default();
                rest.iter().any(|line| line.split([' ', '(', ')']).any(|word| word == name))
            });
            (used.collect::<Vec<_>>(), rest.join("\n"))
        };
        for (place, one) in made.iter().enumerate() {
            assert!(one.len() > 20, "{}: {}", seeds[place], one.len());
            let one: BTreeSet<_> = one.iter().map(assertion).collect();
            for other in made[place + 1..].iter().filter(|other| *other != &made[place]) {
                assert!(other.iter().map(assertion).all(|script| !one.contains(&script)), "{}", seeds[place]);
            }
        }
        assert_eq!(made[5], made[6], "sets of Booleans are enumerated as sets of integers");
    }

    #[test]
    fn integers_are_bounded_and_the_end_is_a_skip() {
        let settings = settings(&Signature::standard());
        let seed = "(declare-const a Int)(assert (< a 3))(check-sat)";
        let script = case(seed, 40, &settings).unwrap();
        assert!(script.contains("(assert (<= (- 3) x1 4))"), "{script}");
        let seed = "(declare-const p Bool)(assert p)(check-sat)";
        assert!(case(seed, 1 << 40, &settings).is_err());
    }
}
