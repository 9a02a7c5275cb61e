//! The random stream of one variant.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The key of all streams of one (seed, case, mutator).
#[derive(Clone)]
pub(super) struct Streams(ChaCha8Rng);

impl Streams {
    pub(super) fn new(seed: u64, case: &str, mutator: &str) -> Streams {
        let mut key = blake3::Hasher::new();
        key.update(b"input variant 1");
        key.update(&seed.to_le_bytes());
        for part in [case, mutator] {
            // The length keeps ("a", "bc") and ("ab", "c") apart.
            key.update(&(part.len() as u64).to_le_bytes());
            key.update(part.as_bytes());
        }
        Streams(ChaCha8Rng::from_seed(*key.finalize().as_bytes()))
    }

    /// The stream of variant `index`.
    pub(super) fn stream(&self, index: u32) -> Draw {
        let mut generator = self.0.clone();
        generator.set_stream(u64::from(index));
        Draw(generator)
    }
}

/// Draws from one stream. The arithmetic is our own, so that a release of the `rand` crate changes no variant.
pub(super) struct Draw(ChaCha8Rng);

impl Draw {
    /// A whole number from 0 to `n - 1`; 0 for `n = 0`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    /// One of `items`; `None` for none.
    pub(super) fn one<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }

    /// True with a chance of `percent` in 100.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// `n` distinct numbers below `of`, ascending; all of them where `n` is larger.
    pub(super) fn distinct(&mut self, n: usize, of: usize) -> Vec<usize> {
        if n == 1 && of > 0 {
            return vec![self.below(of)];
        }
        let mut all: Vec<usize> = (0..of).collect();
        let n = n.min(of);
        for at in 0..n {
            let other = at + self.below(of - at);
            all.swap(at, other);
        }
        all.truncate(n);
        all.sort_unstable();
        all
    }
}
