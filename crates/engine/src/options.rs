//! Option fuzzing: draws sets of options from those that a profile lists as worth testing.
//!
//! Bugs hide behind options, but maintainers care about few of them. So a profile sorts its options into tiers, and a
//! draw takes options from the requested tiers: one to three at once, since most bugs need no more, and since every set
//! starts another process.

use serde::{Deserialize, Serialize};

use crate::random::Rng;
use crate::solver::profile::{Profile, SolverOption, Tier};
use crate::solver::version::Version;

/// The most options in one set.
const MAX_OPTIONS_PER_SET: usize = 3;

/// Options of solvers that are drawn at random, from the rows of their profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OptionPlan {
    /// Which options may be drawn; without a tier, `"none"` in a file, solvers run with the options that they were named with.
    #[serde(with = "tier")]
    pub tier: Option<Tier>,
    /// In how many of 100 cases options are drawn.
    pub percent: u8,
}

impl Default for OptionPlan {
    fn default() -> Self {
        OptionPlan { tier: Some(Tier::Safe), percent: 0 }
    }
}

/// Draws sets of options for one version of a solver.
#[derive(Debug, Clone)]
pub struct OptionDraw<'a> {
    choices: Vec<&'a SolverOption>,
    bare: (usize, usize),
}

impl<'a> OptionDraw<'a> {
    /// Draws from the options of a version up to a tier. `bare` is the share of draws without options, as `(part, of)`.
    pub fn new(profile: &'a Profile, version: Option<&Version>, tier: Tier, bare: (usize, usize)) -> Self {
        OptionDraw { choices: profile.choices(version, tier).collect(), bare }
    }

    /// Draws a set of options, as arguments after the solver's own; in the order of the profile, so that equal sets are
    /// equal lists.
    pub fn draw(&self, rng: &mut Rng) -> Vec<String> {
        let (part, of) = self.bare;
        if self.choices.is_empty() || rng.chance(part, of) {
            return Vec::new();
        }
        let mut positions: Vec<usize> = (0..self.choices.len()).collect();
        rng.shuffle(&mut positions);
        positions.truncate(1 + rng.below(MAX_OPTIONS_PER_SET));
        positions.sort_unstable();
        let word = |position: usize| rng.choose(&self.choices[position].words()).cloned();
        positions.into_iter().filter_map(word).collect()
    }
}

/// Reads and writes a tier, or `none`.
mod tier {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Tier;

    const NO_TIER: &str = "none";
    const TIER_NAMES: &[&str] = &[NO_TIER, "safe", "stable", "expert"];

    pub fn serialize<S: Serializer>(tier: &Option<Tier>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(tier.map_or(NO_TIER, Tier::name))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Tier>, D::Error> {
        let name = String::deserialize(deserializer)?;
        let tier = Tier::ALL.into_iter().find(|tier| tier.name() == name);
        if tier.is_none() && name != NO_TIER {
            Err(D::Error::unknown_variant(&name, TIER_NAMES))
        } else {
            Ok(tier)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::random::RandomStream;
    use crate::solver::profiles::Profiles;

    fn draws(solver: &str, version: Option<&str>, tier: Tier, bare: (usize, usize)) -> Vec<Vec<String>> {
        let profiles = Profiles::built_in();
        let version = version.map(|version| version.parse().unwrap());
        let draw = OptionDraw::new(profiles.get(solver).unwrap(), version.as_ref(), tier, bare);
        let mut rng = RandomStream::new(5).rng();
        (0..2000).map(|_| draw.draw(&mut rng)).collect()
    }

    #[test]
    fn a_set_has_none_or_up_to_three_different_options() {
        let drawn = draws("z3", Some("5.4.0"), Tier::Safe, (1, 2));
        let sizes: BTreeSet<usize> = drawn.iter().map(Vec::len).collect();
        assert_eq!(sizes, BTreeSet::from([0, 1, 2, 3]));
        let bare = drawn.iter().filter(|set| set.is_empty()).count();
        assert!((900..1100).contains(&bare), "{bare} of 2000 without options");
        for set in drawn {
            let names: BTreeSet<&str> = set.iter().filter_map(|word| word.split('=').next()).collect();
            assert_eq!(names.len(), set.len(), "{set:?}");
        }
    }

    #[test]
    fn a_tier_holds_those_before_it_and_no_other() {
        let of =
            |tier| draws("z3", Some("5.4.0"), tier, (0, 1)).concat().into_iter().collect::<BTreeSet<_>>();
        let (safe, stable, expert) = (of(Tier::Safe), of(Tier::Stable), of(Tier::Expert));
        assert!(safe.is_subset(&stable) && stable.is_subset(&expert) && safe.len() < stable.len());
        assert!(expert.contains("rewriter.flat=false") && !stable.contains("rewriter.flat=false"));
    }

    #[test]
    fn a_version_gets_only_what_it_has() {
        let of = |version| draws("z3", version, Tier::Expert, (0, 1)).concat();
        assert!(of(Some("5.4.0")).contains(&"sat.smt=true".to_owned()));
        assert!(!of(Some("4.8.10")).contains(&"sat.smt=true".to_owned()));
        assert!(!of(None).contains(&"sat.smt=true".to_owned()));
    }

    #[test]
    fn equal_streams_give_equal_sets_and_a_solver_without_rows_gets_none() {
        assert_eq!(
            draws("cvc5", Some("1.4.2"), Tier::Expert, (1, 3)),
            draws("cvc5", Some("1.4.2"), Tier::Expert, (1, 3))
        );
        assert!(draws("generic", None, Tier::Expert, (0, 1)).iter().all(Vec::is_empty));
    }
}
