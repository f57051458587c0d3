//! Randomness: one generator, and a tree of named streams.
//!
//! Every choice comes from a stream named after its purpose, `seed.child("case", 17)`. A stream is a hash of its path
//! in the tree. So a new choice in one place changes no choice in another, workers need not agree on an order, and the
//! draws for case 17 can be repeated in ten years. For the same reason the generator is fixed (ChaCha8), and the few
//! lines that turn its output into numbers are here and not in a library.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};
use sha2::{Digest, Sha256};

/// A node in the tree of random streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomStream([u8; 32]);

impl RandomStream {
    /// The root of the tree for a campaign's random seed.
    pub fn new(seed: u64) -> Self {
        RandomStream(
            Sha256::new().chain_update(b"gainsay").chain_update(seed.to_le_bytes()).finalize().into(),
        )
    }

    /// The stream for item `number` of the kind `name`.
    #[must_use]
    pub fn child(&self, name: &str, number: u64) -> Self {
        let hash = Sha256::new().chain_update(self.0).chain_update(number.to_le_bytes()).chain_update(name);
        RandomStream(hash.finalize().into())
    }

    /// A generator at the start of this stream.
    pub fn rng(&self) -> Rng {
        Rng(ChaCha8Rng::from_seed(self.0))
    }
}

/// A generator of random choices.
#[derive(Debug, Clone)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0");
        // The high half of a 128-bit product is uniform up to 2^-64 times the bound.
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    /// True in `part` of `of` draws.
    pub fn chance(&mut self, part: usize, of: usize) -> bool {
        self.below(of) < part
    }

    /// A number above 0 and at most 1.
    pub fn fraction(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// One of the items; `None` if there are none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_draws(stream: RandomStream) -> Vec<usize> {
        let mut rng = stream.rng();
        (0..5).map(|_| rng.below(1000)).collect()
    }

    #[test]
    fn a_stream_is_known_by_its_path_and_by_nothing_else() {
        let seed = RandomStream::new(7);
        let draws = first_draws(seed.child("case", 17));
        assert_eq!(draws, first_draws(RandomStream::new(7).child("case", 17)));
        assert_ne!(draws, first_draws(seed.child("case", 18)));
        assert_ne!(draws, first_draws(seed.child("chain", 17)));
        assert_ne!(draws, first_draws(RandomStream::new(8).child("case", 17)));
        assert_ne!(draws, first_draws(seed.child("case", 17).child("case", 17)));
    }

    #[test]
    fn draws_stay_below_their_bound_and_reach_all_of_it() {
        let mut rng = RandomStream::new(1).rng();
        let mut seen = [0; 7];
        (0..7000).for_each(|_| seen[rng.below(7)] += 1);
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut items: Vec<usize> = (0..100).collect();
        RandomStream::new(1).rng().shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
