//! Second parents: which seeds a strategy of two parents may be given, and which one it gets.
//!
//! A partner has the status of the script that it is to be joined with, and variables of sorts that this one has too;
//! now and then of any sorts, since functions over different sorts join these as well. Which one it is follows from the
//! list of seeds and the stream of the case, from nothing else.

use std::collections::BTreeMap;

use gainsay_smt::Script;

use crate::random::Rng;
use crate::solver::run::Answer;

/// The seeds by status and by the sorts of their variables.
#[derive(Debug, Default)]
pub struct Pools {
    /// The names of sorts of each seed's variables.
    sorts: Vec<String>,
    by_status: BTreeMap<&'static str, Vec<usize>>,
    by_sort: BTreeMap<(&'static str, String), Vec<usize>>,
}

impl Pools {
    /// Of the seeds in their order, each with its status and the names of sorts of its variables.
    pub fn new<'a>(seeds: impl Iterator<Item = (Option<Answer>, &'a str)>) -> Pools {
        let mut pools = Pools::default();
        for (number, (status, sorts)) in seeds.enumerate() {
            pools.sorts.push(sorts.to_owned());
            let Some(status) = status.filter(|_| !sorts.is_empty()) else { continue };
            pools.by_status.entry(status.name()).or_default().push(number);
            for sort in sorts.split_whitespace() {
                pools.by_sort.entry((status.name(), sort.to_owned())).or_default().push(number);
            }
        }
        pools
    }

    /// A partner for a script of this status that comes from a seed; nothing if there is none.
    pub fn draw(&self, seed: usize, status: Answer, rng: &mut Rng) -> Option<usize> {
        let own: Vec<&str> = self.sorts.get(seed)?.split_whitespace().collect();
        let sort = rng.choose(&own)?;
        let alike = self.by_sort.get(&(status.name(), (*sort).to_owned()));
        let any = self.by_status.get(status.name());
        let pool = if rng.chance(7, 8) { alike.or(any) } else { any }?;
        rng.choose(pool).copied()
    }
}

/// Where second parents come from.
pub struct Library<'a> {
    pools: Pools,
    read: Box<dyn Fn(usize) -> Option<Script> + Send + Sync + 'a>,
}

impl<'a> Library<'a> {
    /// Seeds in pools, and how the script of one is had.
    pub fn new(pools: Pools, read: impl Fn(usize) -> Option<Script> + Send + Sync + 'a) -> Library<'a> {
        Library { pools, read: Box::new(read) }
    }

    /// The seeds by status and sorts.
    pub fn pools(&self) -> &Pools {
        &self.pools
    }

    /// The script of a seed, if it can be had.
    pub fn script(&self, seed: usize) -> Option<Script> {
        (self.read)(seed)
    }
}

impl std::fmt::Debug for Library<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.pools.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use std::collections::BTreeSet;

    const SEEDS: [(Option<Answer>, &str); 7] = [
        (Some(Answer::Sat), "Int"),
        (Some(Answer::Sat), "Int Real"),
        (Some(Answer::Sat), "String"),
        (Some(Answer::Unsat), "Int"),
        (None, "Int"),
        (Some(Answer::Sat), ""),
        (Some(Answer::Sat), "Array"),
    ];

    fn partners(seed: usize, status: Answer) -> BTreeSet<usize> {
        let pools = Pools::new(SEEDS.into_iter());
        (0..500).filter_map(|number| pools.draw(seed, status, &mut Stream::new(number).rng())).collect()
    }

    #[test]
    fn a_partner_has_the_status_and_mostly_a_sort_of_the_seed() {
        assert_eq!(
            partners(0, Answer::Sat),
            BTreeSet::from([0, 1, 2, 6]),
            "not what has no status or no variables"
        );
        assert_eq!(partners(3, Answer::Unsat), BTreeSet::from([3]));
        assert_eq!(partners(5, Answer::Sat), BTreeSet::new(), "a seed without variables has no partner");
        let pools = Pools::new(SEEDS.into_iter());
        let drawn = |number| pools.draw(2, Answer::Sat, &mut Stream::new(number).rng());
        let fitting = (0..500).filter(|&number| drawn(number) == Some(2)).count();
        assert!(fitting > 400, "{fitting}");
    }
}
