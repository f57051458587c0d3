//! Second parents: which seeds a fusion may get as a partner, and which one it gets.
//!
//! A partner has the same status as the script, and a variable of a sort that the script also has; occasionally of any sort,
//! since there are fusion functions over different sorts.
//!
//! A seed that claims no status may be drawn as well: its status is determined then (`seed_status.rs`), and another seed is drawn
//! if it does not match. The draws depend on the seeds and their claims, on the stream of the case, and on the recorded statuses
//! of the seeds drawn before; on nothing else.

use std::collections::BTreeMap;

use gainsay_smt::Script;

use crate::random::Rng;
use crate::solver::run::Answer;
use crate::store::SeedStatus;

/// Seeds drawn for a case; after that many of other statuses, a script is fused with its own seed. Each draw may cost a run of
/// every solver.
const MAX_PARTNER_DRAWS: usize = 4;

/// The seeds by status and by the sorts of their variables. Seeds without a claim are in the pools of both statuses.
#[derive(Debug, Default)]
pub struct PartnerPools {
    /// The names of sorts of each seed's variables.
    sorts: Vec<String>,
    claims: Vec<Option<Answer>>,
    by_status: BTreeMap<&'static str, Vec<usize>>,
    by_sort: BTreeMap<(&'static str, String), Vec<usize>>,
}

impl PartnerPools {
    /// Pools of the seeds, each with its claimed status and the sorts of its variables. Seeds without a claim are left out.
    pub fn new<'a>(seeds: impl Iterator<Item = (Option<Answer>, &'a str)>) -> PartnerPools {
        let mut pools = PartnerPools::default();
        seeds.for_each(|(claim, sorts)| pools.add(claim, sorts, claim.as_slice()));
        pools
    }

    /// The same, including seeds without a claim, whose status can be determined.
    pub fn with_unclaimed<'a>(seeds: impl Iterator<Item = (Option<Answer>, &'a str)>) -> PartnerPools {
        let mut pools = PartnerPools::default();
        for (claim, sorts) in seeds {
            let possible = claim.map_or(vec![Answer::Sat, Answer::Unsat], |claim| vec![claim]);
            pools.add(claim, sorts, &possible);
        }
        pools
    }

    fn add(&mut self, claim: Option<Answer>, sorts: &str, possible: &[Answer]) {
        let number = self.sorts.len();
        self.sorts.push(sorts.to_owned());
        self.claims.push(claim);
        for status in possible.iter().filter(|_| !sorts.is_empty()) {
            self.by_status.entry(status.name()).or_default().push(number);
            for sort in sorts.split_whitespace() {
                self.by_sort.entry((status.name(), sort.to_owned())).or_default().push(number);
            }
        }
    }

    /// Draws a partner for a script of this status, made from a seed.
    pub fn draw(
        &self,
        seed: usize,
        status: Answer,
        rng: &mut Rng,
        statuses: &StatusLookup<'_>,
    ) -> PartnerDraw {
        let Some(pool) = self.pool(seed, status, rng) else { return PartnerDraw::NoPartner };
        for _ in 0..MAX_PARTNER_DRAWS {
            let Some(&drawn) = rng.choose(pool) else { return PartnerDraw::NoPartner };
            let known = self.claims[drawn].map_or_else(|| statuses(drawn), SeedStatus::Claimed);
            match known {
                SeedStatus::Unasked => return PartnerDraw::Unasked(drawn),
                known if known.answer() == Some(status) => return PartnerDraw::Partner(drawn),
                _ => {}
            }
        }
        PartnerDraw::Partner(seed)
    }

    /// The seeds that a partner is drawn from.
    fn pool(&self, seed: usize, status: Answer, rng: &mut Rng) -> Option<&[usize]> {
        let own: Vec<&str> = self.sorts.get(seed)?.split_whitespace().collect();
        let sort = rng.choose(&own)?;
        let alike = self.by_sort.get(&(status.name(), (*sort).to_owned()));
        let any = self.by_status.get(status.name());
        let pool = if rng.chance(7, 8) { alike.or(any) } else { any };
        pool.map(Vec::as_slice)
    }
}

/// Looks up the status of a seed by its number.
pub type StatusLookup<'a> = dyn Fn(usize) -> SeedStatus + Send + Sync + 'a;

/// The result of drawing a partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartnerDraw {
    /// This seed.
    Partner(usize),
    /// This seed claims no status, and solvers must be asked before the draw can continue.
    Unasked(usize),
    /// There is no partner.
    NoPartner,
}

impl PartnerDraw {
    /// The seed that was drawn, if it is known.
    pub fn partner(self) -> Option<usize> {
        match self {
            PartnerDraw::Partner(seed) => Some(seed),
            PartnerDraw::Unasked(_) | PartnerDraw::NoPartner => None,
        }
    }
}

/// The library of second parents.
pub struct PartnerLibrary<'a> {
    pools: PartnerPools,
    statuses: Box<StatusLookup<'a>>,
    read: Box<dyn Fn(usize) -> Option<Script> + Send + Sync + 'a>,
}

impl<'a> PartnerLibrary<'a> {
    /// A library of pools, with a function that reads the script of a seed.
    pub fn new(
        pools: PartnerPools,
        read: impl Fn(usize) -> Option<Script> + Send + Sync + 'a,
    ) -> PartnerLibrary<'a> {
        PartnerLibrary { pools, statuses: Box::new(|_| SeedStatus::Asked(None)), read: Box::new(read) }
    }

    /// Adds the known statuses of seeds without a claim.
    #[must_use]
    pub fn with_statuses(
        self,
        statuses: impl Fn(usize) -> SeedStatus + Send + Sync + 'a,
    ) -> PartnerLibrary<'a> {
        PartnerLibrary { statuses: Box::new(statuses), ..self }
    }

    /// Draws a partner for a script of this status, made from a seed.
    pub fn draw(&self, seed: usize, status: Answer, rng: &mut Rng) -> PartnerDraw {
        self.pools.draw(seed, status, rng, &self.statuses)
    }

    /// The script of a seed, if it can be read.
    pub fn script(&self, seed: usize) -> Option<Script> {
        (self.read)(seed)
    }
}

impl std::fmt::Debug for PartnerLibrary<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.pools.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use std::collections::BTreeSet;

    const PARTNER_SEEDS: [(Option<Answer>, &str); 7] = [
        (Some(Answer::Sat), "Int"),
        (Some(Answer::Sat), "Int Real"),
        (Some(Answer::Sat), "String"),
        (Some(Answer::Unsat), "Int"),
        (None, "Int"),
        (Some(Answer::Sat), ""),
        (Some(Answer::Sat), "Array"),
    ];

    fn partners(seed: usize, status: Answer) -> BTreeSet<usize> {
        let pools = PartnerPools::new(PARTNER_SEEDS.into_iter());
        (0..500)
            .filter_map(|number| draw(&pools, seed, status, number, &|_| unreachable!()).partner())
            .collect()
    }

    fn draw(
        pools: &PartnerPools,
        seed: usize,
        status: Answer,
        number: u64,
        statuses: &StatusLookup<'_>,
    ) -> PartnerDraw {
        pools.draw(seed, status, &mut RandomStream::new(number).rng(), statuses)
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
        let pools = PartnerPools::new(PARTNER_SEEDS.into_iter());
        let drawn = |number| draw(&pools, 2, Answer::Sat, number, &|_| unreachable!());
        let fitting = (0..500).filter(|&number| drawn(number) == PartnerDraw::Partner(2)).count();
        assert!(fitting > 400, "{fitting}");
    }

    #[test]
    fn seeds_without_a_status_are_asked_about_one_at_a_time_until_one_fits() {
        let seeds = [(Some(Answer::Sat), "Int"), (None, "Int"), (None, "Int"), (None, "Int")];
        let pools = PartnerPools::with_unclaimed(seeds.into_iter());
        let claimed = PartnerPools::new(seeds.into_iter());
        let mut asked_about = BTreeSet::new();
        for number in 0..100 {
            // Seed 1 is unsat, seed 2 is unknown, and seed 3 is sat.
            let known = |asked: &BTreeSet<usize>, drawn: usize| match drawn {
                drawn if !asked.contains(&drawn) => SeedStatus::Unasked,
                1 => SeedStatus::Asked(Some(Answer::Unsat)),
                2 => SeedStatus::Asked(None),
                _ => SeedStatus::Asked(Some(Answer::Sat)),
            };
            let mut asked = BTreeSet::new();
            let partner = loop {
                let now = asked.clone();
                match draw(&pools, 0, Answer::Sat, number, &move |drawn| known(&now, drawn)) {
                    PartnerDraw::Unasked(drawn) => assert!(asked.insert(drawn), "it was asked about before"),
                    PartnerDraw::Partner(partner) => break partner,
                    PartnerDraw::NoPartner => panic!("the seed itself has the status"),
                }
            };
            assert!(partner == 0 || partner == 3 && asked.contains(&3), "{partner}");
            // The statuses of other seeds change nothing.
            let all = move |drawn| known(&BTreeSet::from([1, 2, 3]), drawn);
            assert_eq!(draw(&pools, 0, Answer::Sat, number, &all), PartnerDraw::Partner(partner));
            asked_about.extend(asked);
            assert_eq!(draw(&claimed, 0, Answer::Sat, number, &all), PartnerDraw::Partner(0));
        }
        assert_eq!(asked_about, BTreeSet::from([1, 2, 3]));
    }
}
