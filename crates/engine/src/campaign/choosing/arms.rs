//! The arms of a campaign that an agent leads: a strategy, and the theory of the seeds that it is given.
//!
//! What finds bugs in strings may find none in bit vectors, so both make an arm. But an arm is known only after a hundred cases or
//! so; where a campaign has too many arms for its cases, or more than anybody could learn, the strategy alone is the arm.

use serde::{Deserialize, Serialize};

use crate::seeds::Seed;
use crate::strategy::Strategy;

/// Arms, at most.
const MAX_ARMS: usize = 60;

/// Cases that a campaign must have for each arm that is also about a theory, if it says how many it has.
const MIN_CASES_PER_ARM: u64 = 100;

/// The theory of a seed by the sorts of its variables; of several, the first.
const THEORY_OF_SORT: &[(&str, &str)] = &[
    ("String", "string"),
    ("FloatingPoint", "floatingpoint"),
    ("RoundingMode", "floatingpoint"),
    ("Seq", "sequence"),
    ("BitVec", "bitvector"),
    ("Array", "array"),
    ("Real", "real"),
    ("Int", "int"),
];

/// The theory of seeds of Horn clauses.
const HORN_THEORY: &str = "horn";

/// The theory of seeds whose variables have none of these sorts.
const OTHER_THEORY: &str = "other";

/// A strategy, and the theory of the seeds that it is given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Arm {
    /// The strategy, by name.
    pub strategy: String,
    /// The theory; none if it is given all seeds.
    pub theory: Option<String>,
}

impl Arm {
    /// The seeds that it is given, by number; all of them if none suits it.
    pub fn seeds(&self, seeds: &[Seed], strategy: Option<&dyn Strategy>) -> Vec<usize> {
        let is_its = |seed: &Seed| self.theory.as_deref().is_none_or(|own| own == theory(seed));
        let is_fit = |seed: &Seed| strategy.is_some_and(|strategy| suits(strategy, seed)) && is_its(seed);
        let own: Vec<usize> = (0..seeds.len()).filter(|&number| is_fit(&seeds[number])).collect();
        if own.is_empty() { (0..seeds.len()).collect() } else { own }
    }
}

impl std::fmt::Display for Arm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.theory {
            Some(theory) => write!(f, "{} on {theory}", self.strategy),
            None => f.write_str(&self.strategy),
        }
    }
}

/// The arms of these strategies over these seeds, for so many cases. A strategy that no seed suits is none, unless none suits any.
pub fn arms(strategies: &[&'static dyn Strategy], seeds: &[Seed], cases: Option<u64>) -> Vec<Arm> {
    let mut fine = Vec::new();
    for &strategy in strategies {
        let theories = seeds.iter().filter(|seed| suits(strategy, seed)).map(theory);
        let mut theories: Vec<&str> = theories.collect();
        theories.sort_unstable();
        theories.dedup();
        let arm =
            |theory: &str| Arm { strategy: strategy.name().to_owned(), theory: Some(theory.to_owned()) };
        fine.extend(theories.into_iter().map(arm));
    }
    let affordable = cases.map_or(u64::MAX, |cases| cases / MIN_CASES_PER_ARM);
    if (1..=MAX_ARMS).contains(&fine.len()) && fine.len() as u64 <= affordable {
        return fine;
    }
    let has_seeds = |strategy: &&&'static dyn Strategy| seeds.iter().any(|seed| suits(**strategy, seed));
    let coarse =
        |strategy: &&'static dyn Strategy| Arm { strategy: strategy.name().to_owned(), theory: None };
    match fine.is_empty() {
        true => strategies.iter().map(coarse).collect(),
        false => strategies.iter().filter(has_seeds).map(coarse).collect(),
    }
}

/// The theory of a seed.
fn theory(seed: &Seed) -> &'static str {
    if seed.is_horn {
        return HORN_THEORY;
    }
    let has = |sort: &str| seed.sorts.split_whitespace().any(|own| own == sort);
    THEORY_OF_SORT.iter().find(|(sort, _)| has(sort)).map_or(OTHER_THEORY, |(_, theory)| theory)
}

/// Whether a strategy has anything to do with a seed, as far as can be told without reading it.
fn suits(strategy: &dyn Strategy, seed: &Seed) -> bool {
    let joins = strategy.parents() == 2;
    (!strategy.keeps_answer() || seed.is_horn) && (!joins || !seed.sorts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy;

    fn seed(name: &str, sorts: &str) -> Seed {
        Seed {
            name: name.into(),
            path: name.into(),
            hash: name.into(),
            status: None,
            sorts: sorts.into(),
            is_horn: sorts == "horn",
            bytes: 10,
        }
    }

    fn seeds() -> Vec<Seed> {
        ["Int String", "Array BitVec", "Int", "", "horn"].map(|sorts| seed(sorts, sorts)).to_vec()
    }

    fn names(strategies: &[&str], cases: Option<u64>) -> Vec<String> {
        let strategies: Vec<_> = strategies.iter().map(|name| strategy::find(name).unwrap()).collect();
        arms(&strategies, &seeds(), cases).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arm_is_a_strategy_and_a_theory_that_it_can_do() {
        let operator = [
            "operator on bitvector",
            "operator on horn",
            "operator on int",
            "operator on other",
            "operator on string",
        ];
        let mut all = operator.map(str::to_owned).to_vec();
        assert_eq!(names(&["operator"], None), all);
        all.push("horn on horn".to_owned());
        assert_eq!(names(&["operator", "horn"], None), all);
        assert!(!names(&["fusion"], None).contains(&"fusion on other".to_owned()), "no variables, no fusion");
    }

    #[test]
    fn with_few_cases_or_many_theories_the_strategy_alone_is_the_arm() {
        assert_eq!(names(&["operator", "horn"], Some(599)), ["operator", "horn"]);
        assert_eq!(names(&["operator", "horn"], Some(600)).len(), 6);
        let horn = strategy::find("horn").unwrap();
        assert_eq!(arms(&[horn], &[seed("a", "Int")], None).len(), 1, "what no seed suits skips its cases");
        let all: Vec<&str> = strategy::ALL.iter().map(|strategy| strategy.name()).collect();
        assert!(names(&all, None).len() <= MAX_ARMS);
    }

    #[test]
    fn an_arm_is_given_the_seeds_of_its_theory() {
        let given = |strategy: &str, theory: Option<&str>| {
            let arm = Arm { strategy: strategy.into(), theory: theory.map(str::to_owned) };
            arm.seeds(&seeds(), strategy::find(strategy))
        };
        assert_eq!(given("operator", Some("string")), [0]);
        assert_eq!(given("operator", None), [0, 1, 2, 3, 4]);
        assert_eq!(given("horn", None), [4]);
        assert_eq!(given("operator", Some("real")), [0, 1, 2, 3, 4], "there is none");
    }
}
