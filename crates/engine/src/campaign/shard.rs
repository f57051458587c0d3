//! A shard: one of the equal parts of a campaign, each run by a process of its own, on any machine.
//!
//! Shard k of n owns the chains k - 1, k - 1 + n, k - 1 + 2n and so on. So the cases of a shard follow from the plan alone, all shards together
//! make exactly the cases of the whole, and a budget of cases, which is a bound on case numbers, divides itself.
//!
//! Inside a shard, the records of progress count its own chains, without gaps (their *places*): otherwise the store could never forget a chain that has
//! ended, because the chains between belong to other shards. Everything else, cases, starts and findings, uses the numbers of the whole.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest number of shards.
const MAX_SHARDS: u64 = 1_000_000;

/// One of the equal parts of a campaign, written `3/20`; the default is the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    index: u64,
    shards: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Shard { index: 0, shards: 1 }
    }
}

impl Shard {
    /// The number of shards that the campaign is divided into.
    pub fn shards(self) -> u64 {
        self.shards
    }

    /// Its number, from 1.
    pub fn number(self) -> u64 {
        self.index + 1
    }

    /// Returns true if it is the whole campaign.
    pub fn is_whole(self) -> bool {
        self.shards == 1
    }

    /// The chain at a place among the chains of this shard.
    pub fn chain_at(self, place: u64) -> u64 {
        place.saturating_mul(self.shards).saturating_add(self.index)
    }

    /// The place of one of its chains among the chains of this shard.
    pub fn place_of(self, chain: u64) -> u64 {
        debug_assert!(self.owns(chain), "chain {chain} belongs to another shard than {self}");
        chain / self.shards
    }

    /// How many of the first `cases` cases of a campaign with chains of `length` are its own.
    pub fn share_of(self, cases: u64, length: u64) -> u64 {
        let chains = cases.div_ceil(length);
        let own = chains.saturating_sub(self.index).div_ceil(self.shards);
        let ends_within_own = chains > 0 && self.owns(chains - 1);
        own * length - if ends_within_own { chains * length - cases } else { 0 }
    }

    /// Returns true if the chain belongs to this shard.
    pub fn owns(self, chain: u64) -> bool {
        chain % self.shards == self.index
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, shards)| {
            Some((number.trim().parse::<u64>().ok()?, shards.trim().parse::<u64>().ok()?))
        });
        match numbers {
            None => Err(format!("`{text}` is not a shard; write 3/20 for the third of twenty")),
            Some((_, shards)) if !(1..=MAX_SHARDS).contains(&shards) => {
                Err(format!("`{text}`: a campaign has 1 to {MAX_SHARDS} shards"))
            }
            Some((number, shards)) if !(1..=shards).contains(&number) => {
                Err(format!("`{text}`: the shards of this campaign are 1/{shards} to {shards}/{shards}"))
            }
            Some((number, shards)) => Ok(Shard { index: number - 1, shards }),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number(), self.shards)
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(text: &str) -> Shard {
        text.parse().unwrap()
    }

    #[test]
    fn every_chain_belongs_to_exactly_one_shard_and_has_its_place_there() {
        for chain in 0..50 {
            let owners: Vec<Shard> = (1..=7)
                .map(|number| shard(&format!("{number}/7")))
                .filter(|shard| shard.owns(chain))
                .collect();
            assert_eq!(owners.len(), 1, "{chain}: {owners:?}");
            assert_eq!(owners[0].chain_at(owners[0].place_of(chain)), chain);
        }
        let places: Vec<u64> = (0..4).map(|place| shard("3/20").chain_at(place)).collect();
        assert_eq!(places, [2, 22, 42, 62]);
        assert_eq!(Shard::default().chain_at(9), 9);
    }

    #[test]
    fn a_budget_of_cases_is_divided_without_rest() {
        let shares = |cases| -> Vec<u64> {
            (1..=3).map(|number| shard(&format!("{number}/3")).share_of(cases, 10)).collect()
        };
        assert_eq!(shares(65), [25, 20, 20]);
        assert_eq!(shares(60), [20, 20, 20]);
        assert_eq!(shares(7), [7, 0, 0]);
        assert_eq!(shares(0), [0, 0, 0]);
        assert_eq!(Shard::default().share_of(65, 10), 65);
    }

    #[test]
    fn a_shard_is_written_as_it_is_read() {
        assert_eq!(shard("3/20").to_string(), "3/20");
        assert_eq!((shard("1/1").is_whole(), shard("1/2").is_whole()), (true, false));
    }

    #[test]
    fn what_is_no_shard_is_told_with_an_example() {
        let said = |text: &str| text.parse::<Shard>().unwrap_err();
        for text in ["", "3", "3/", "/20", "3/20/1", "-1/20", "a/b"] {
            assert_eq!(said(text), format!("`{text}` is not a shard; write 3/20 for the third of twenty"));
        }
        assert_eq!(said("0/3"), "`0/3`: the shards of this campaign are 1/3 to 3/3");
        assert_eq!(said("4/3"), "`4/3`: the shards of this campaign are 1/3 to 3/3");
        assert_eq!(said("1/0"), "`1/0`: a campaign has 1 to 1000000 shards");
    }
}
