//! Finds the steps of a mutation chain that a trigger needs.
//!
//! ```text
//! seed ─1▶ ─2▶ ─3▶ ─4▶ trigger      becomes      seed ─2▶ ─3▶ trigger
//! ```
//!
//! A step draws from its own stream, so it can be applied without the steps before it. It then gets another script, in which
//! its draws may select another place or none. That does not matter: a script that shows the finding with fewer steps is
//! closer to the seed, and a better start for the reducer. Steps are dropped in halves, quarters and so on (ddmin: Zeller and
//! Hildebrandt, "Simplifying and Isolating Failure-Inducing Input").

use crate::event::CaseNumber;

/// The largest number of step sets to try: a chain may be long, and the reducer does the rest.
const MAX_REMAKES: usize = 64;

/// Steps that show the finding, none of which can be dropped alone, as far as tried; all of them if no subset does.
pub fn fewest(all: &[CaseNumber], shows: &mut dyn FnMut(&[CaseNumber]) -> bool) -> Vec<CaseNumber> {
    let (mut steps, mut tries) = (all.to_vec(), 0);
    let mut size = steps.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < steps.len() && steps.len() > 1 && tries < MAX_REMAKES {
            let end = (at + size).min(steps.len());
            let fewer = [&steps[..at], &steps[end..]].concat();
            tries += 1;
            if !fewer.is_empty() && shows(&fewer) {
                steps = fewer;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(needed: &[CaseNumber], count: CaseNumber) -> (Vec<CaseNumber>, usize) {
        let (all, mut asked) = ((100..100 + count).collect::<Vec<_>>(), 0);
        let mut shows = |steps: &[CaseNumber]| {
            asked += 1;
            assert!(!steps.is_empty() && steps.len() < all.len());
            needed.iter().all(|step| steps.contains(step))
        };
        (fewest(&all, &mut shows), asked)
    }

    #[test]
    fn only_the_steps_that_are_needed_are_left_in_order() {
        assert_eq!(check(&[103, 108], 10).0, [103, 108]);
        assert_eq!(check(&[100], 10).0, [100]);
        assert_eq!(check(&[100, 101, 102], 3).0, [100, 101, 102]);
        assert_eq!(check(&[], 10).0.len(), 1, "one step is always left");
    }

    #[test]
    fn a_single_step_is_not_asked_about_and_a_long_chain_not_for_ever() {
        assert_eq!(check(&[100], 1), (vec![100], 0));
        assert_eq!(check(&[], 0), (vec![], 0));
        let needed: Vec<CaseNumber> = (100..1100).step_by(2).collect();
        assert!(check(&needed, 1000).1 <= MAX_REMAKES);
    }
}
