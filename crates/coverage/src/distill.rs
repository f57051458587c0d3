//! Chooses few scripts that reach everything that all of them reach.
//!
//! The smallest such set is a set cover, which is NP-hard. The greedy choice is at most a logarithmic factor larger: always the
//! script that adds most, the shorter one if two add the same. Scripts that later choices made redundant are dropped at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::reached::ReachedSites;

/// A script and the sites that it reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptReach {
    /// Its length in bytes.
    pub bytes: u64,
    /// The sites that it reaches.
    pub sites: Vec<u32>,
}

/// The numbers of the chosen scripts, in order.
pub fn distill(scripts: &[ScriptReach]) -> Vec<usize> {
    let mut reached = ReachedSites::default();
    let mut chosen = Vec::new();
    // What a script adds never grows, so a script whose count is up to date and still the largest is the best.
    let mut queue: BinaryHeap<(usize, Reverse<u64>, Reverse<usize>)> = scripts
        .iter()
        .enumerate()
        .map(|(number, script)| (script.sites.len(), Reverse(script.bytes), Reverse(number)))
        .collect();
    while let Some((claimed, bytes, Reverse(number))) = queue.pop() {
        let adds = scripts[number].sites.iter().filter(|site| !reached.contains(**site)).count();
        if adds == claimed && adds > 0 {
            reached.extend(scripts[number].sites.iter().copied());
            chosen.push(number);
        } else if adds > 0 {
            queue.push((adds, bytes, Reverse(number)));
        }
    }
    drop_redundant(scripts, &mut chosen);
    chosen.sort_unstable();
    chosen
}

/// Drops chosen scripts whose sites all have another chosen script; the earliest choices were made with the least knowledge, but
/// reach most, so the latest are tried last.
fn drop_redundant(scripts: &[ScriptReach], chosen: &mut Vec<usize>) {
    let sites = chosen.iter().flat_map(|&number| &scripts[number].sites);
    let mut times = vec![0_u32; sites.clone().max().map_or(0, |site| *site as usize + 1)];
    for &site in sites {
        times[site as usize] += 1;
    }
    chosen.retain(|&number| {
        let sites = &scripts[number].sites;
        let is_redundant = sites.iter().all(|&site| times[site as usize] > 1);
        if is_redundant {
            for &site in sites {
                times[site as usize] -= 1;
            }
        }
        !is_redundant
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(bytes: u64, sites: &[u32]) -> ScriptReach {
        ScriptReach { bytes, sites: sites.to_vec() }
    }

    #[test]
    fn everything_stays_reached_by_fewer_scripts() {
        let scripts =
            [reach(9, &[1, 2]), reach(9, &[2, 3]), reach(9, &[1, 2, 3]), reach(9, &[4]), reach(9, &[])];
        assert_eq!(distill(&scripts), [2, 3]);
    }

    #[test]
    fn a_choice_that_later_ones_made_redundant_is_dropped() {
        let scripts = [reach(1, &[1, 2, 3, 4]), reach(1, &[1, 2, 5]), reach(1, &[3, 4, 6])];
        assert_eq!(distill(&scripts), [1, 2]);
    }

    #[test]
    fn of_equal_scripts_the_shortest_is_kept() {
        assert_eq!(distill(&[reach(9, &[1]), reach(3, &[1]), reach(3, &[1])]), [1]);
    }
}
