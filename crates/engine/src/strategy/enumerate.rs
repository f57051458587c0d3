//! Enumeration in campaigns: case n is script n of all small scripts over the theories of the chain's seed.
//!
//! ```text
//! (declare-const a (_ BitVec 8)) (assert (bvult a #x03)) …      is over bit-vectors, so case 7 is script 7 of
//! gainsay enumerate --theory bitvector --sort "(_ BitVec 2)" --size 3
//! ```
//!
//! The order depends on nothing but the theories and the solvers, and the number of the script is the number of the case: the parts
//! of a campaign (`--shard`) and `--resume` make each script once. A campaign with seeds over several theories makes
//! a part of the scripts of each. Integers, strings, sets and bags are bounded as in generated scripts in small scope, so
//! that exhaustion decides nearly all cases.
//!
//! Scripts are found by their numbers a page at a time: making one page skips those before it, which costs little, and memory holds
//! one page for each combination of theories.

pub mod enumerator;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use gainsay_smt::Script;
use gainsay_smt::logic::Features;

use self::enumerator::{EnumerationSettings, Enumerator};
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

/// All small scripts in order (ET).
#[derive(Debug)]
pub struct EnumerateStrategy;

/// Pages of enumerated scripts, by theories: a memory only, which decides nothing.
#[derive(Debug, Default)]
pub struct EnumerationPages(Mutex<HashMap<Vec<GeneratorTheory>, Arc<EnumerationPage>>>);

#[derive(Debug)]
struct EnumerationPage {
    number: u64,
    scripts: Vec<String>,
}

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

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        _rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let Parent { script: seed, case, .. } = parents[0];
        if seed.assertions().next().is_none() {
            return Err(Skip::NothingToDo);
        }
        let theories: Vec<GeneratorTheory> = GeneratorTheory::of_script(seed, &Features::of_script(seed))
            .into_iter()
            .filter(|theory| theory.enumerated_sorts().next().is_some())
            .collect();
        if theories.is_empty() {
            return Err(Skip::Unfit("no theory of the seed has sorts to enumerate"));
        }
        let page = settings.enumerations.page(&theories, case / PAGE_SCRIPTS, seed, settings)?;
        let text = page.scripts.get((case % PAGE_SCRIPTS) as usize);
        let text =
            text.ok_or(Skip::Unfit("all enumerated scripts over the theories of the seed were made"))?;
        let script = Script::parse(text, seed.arena().signature())
            .unwrap_or_else(|error| panic!("an enumerated script: {error}\n{text}"));
        let names: Vec<&str> = theories.iter().map(|theory| theory.name()).collect();
        let step = format!("script {case} over {}", names.join(", ")).into();
        Ok(Proposal { script, promise: Promise::Nothing, step, edit: None, join: None })
    }
}

impl EnumerationPages {
    fn page(
        &self,
        theories: &[GeneratorTheory],
        number: u64,
        seed: &Script,
        settings: &StrategySettings,
    ) -> Result<Arc<EnumerationPage>, Skip> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = pages.get(theories).filter(|page| page.number == number) {
            return Ok(Arc::clone(page));
        }
        let scripts = scripts(theories, number, seed, settings)?;
        let page = Arc::new(EnumerationPage { number, scripts });
        pages.insert(theories.to_vec(), Arc::clone(&page));
        Ok(page)
    }
}

/// The scripts of a page.
fn scripts(
    theories: &[GeneratorTheory],
    page: u64,
    seed: &Script,
    settings: &StrategySettings,
) -> Result<Vec<String>, Skip> {
    let mut sorts: Vec<String> = Vec::new();
    for sort in theories.iter().flat_map(|theory| theory.enumerated_sorts()) {
        if !sorts.iter().any(|known| known == sort) {
            sorts.push(sort.to_owned());
        }
    }
    let enumeration = EnumerationSettings {
        theories: theories.to_vec(),
        sorts,
        variables: CASE_CONSTANTS,
        size: MAX_CASE_OPERATORS,
    };
    let allowed = |rank: &gainsay_smt::signature::Rank| settings.operators.has(rank);
    let mut scripts = Vec::new();
    let first = page * PAGE_SCRIPTS;
    Enumerator::over(seed.arena().signature(), enumeration, &allowed)
        .and_then(|mut enumerator| {
            enumerator.run(&mut |number, text| {
                if number >= first {
                    scripts.push(text());
                }
                match scripts.len() as u64 == PAGE_SCRIPTS {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })
        })
        .map_err(|_| Skip::TooLarge)?;
    Ok(scripts)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gainsay_smt::Signature;

    use super::*;
    use crate::random::RandomStream;
    use crate::strategy::tests::settings;

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
    fn integers_are_bounded_and_the_end_is_a_skip() {
        let settings = settings(&Signature::standard());
        let seed = "(declare-const a Int)(assert (< a 3))(check-sat)";
        let script = case(seed, 40, &settings).unwrap();
        assert!(script.contains("(assert (<= (- 3) x1 4))"), "{script}");
        let seed = "(declare-const p Bool)(assert p)(check-sat)";
        assert!(case(seed, 1 << 40, &settings).is_err());
    }
}
