//! Do all groups pass equally often?

use std::collections::BTreeMap;

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

use super::tally::Tally;

/// More tables than these (tables of the same passes and the same spread count once), and tables are drawn, not counted.
const MOST_TABLES: usize = 50_000;
/// More trials than these, and tables are drawn: their chances would leave the range of the numbers.
const MOST_TRIALS: usize = 1000;
/// How many tables are drawn.
const SHUFFLES: usize = 20_000;
/// Drawn tables are the same in each run.
const SEED: u64 = 0x6d75_7461_7465;
/// Spreads are kept as whole numbers of this size, so that equal tables are equal.
const GRAIN: f64 = 1e9;
/// Spreads that differ by less than this many grains are the same, computed in two ways.
const TIE: i64 = 1000;

/// What a permutation test said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Homogeneity {
    /// The chance that trials with one common rate spread at least as much as these, 0 to 1.
    pub p_value: f64,
    /// How it was found.
    pub method: Method,
}

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// All tables were counted.
    Exact,
    /// So many tables were drawn, with a fixed seed.
    MonteCarlo {
        /// How many.
        shuffles: usize,
    },
}

/// The permutation test of one pass rate for all groups, exact for groups as small as one trial.
///
/// Were there one rate, the passes that were seen could have fallen on any of the trials alike: given `s` passes of `N`
/// trials, a table with `x_i` passes of `n_i` trials in group i has the chance `prod C(n_i, x_i) / C(N, s)`, whatever the
/// rate. The spread of a table is its log likelihood with a rate for each group,
/// `G = sum x_i ln(x_i / n_i) + (n_i - x_i) ln(1 - x_i / n_i)`; the p-value is the chance of all tables whose spread is at
/// least that of the one seen. (The exact conditional test of G. H. Freeman and J. H. Halton, Biometrika 38, 1951, with
/// the likelihood ratio for the order of tables.)
///
/// Tables are counted group by group, those with the same passes and spread together. Where there are too many, 20,000
/// are drawn with a fixed seed and the p-value is `(1 + as extreme) / (1 + drawn)`, which is valid too (B. Phipson and
/// G. K. Smyth, "Permutation p-values should never be zero", 2010). Groups without a trial say nothing.
#[must_use]
pub fn homogeneity(groups: &[Tally]) -> Homogeneity {
    let mut groups: Vec<Tally> = groups.iter().copied().filter(|group| group.trials > 0).collect();
    // Groups of one size next to each other: fewer tables to keep.
    groups.sort_unstable_by_key(|group| group.trials);
    let trials: usize = groups.iter().map(|group| group.trials).sum();
    let counted = (trials <= MOST_TRIALS).then(|| counted(&groups)).flatten();
    match counted {
        Some(p_value) => Homogeneity { p_value, method: Method::Exact },
        None => Homogeneity { p_value: drawn(&groups), method: Method::MonteCarlo { shuffles: SHUFFLES } },
    }
}

/// Its part of the spread, in grains.
fn spread(passes: usize, trials: usize) -> i64 {
    let term = |count: usize| if count == 0 { 0.0 } else { count as f64 * (count as f64 / trials as f64).ln() };
    ((term(passes) + term(trials - passes)) * GRAIN).round() as i64
}

fn seen(groups: &[Tally]) -> i64 {
    groups.iter().map(|group| spread(group.passes.min(group.trials), group.trials)).sum()
}

fn counted(groups: &[Tally]) -> Option<f64> {
    let passes: usize = groups.iter().map(|group| group.passes.min(group.trials)).sum();
    let threshold = seen(groups) - TIE;
    let mut room: usize = groups.iter().map(|group| group.trials).sum();
    // Passes so far and spread so far, with the chance at rate 1/2: any rate gives the same in the end.
    let mut tables: BTreeMap<(usize, i64), f64> = BTreeMap::from([((0, 0), 1.0)]);
    for group in groups {
        room -= group.trials;
        let n = group.trials;
        let mut chances = vec![0.5f64.powi(n as i32)];
        for x in 1..=n {
            chances.push(chances[x - 1] * (n + 1 - x) as f64 / x as f64);
        }
        let spreads: Vec<i64> = (0..=n).map(|x| spread(x, n)).collect();
        let mut longer: BTreeMap<(usize, i64), f64> = BTreeMap::new();
        for (&(so_far, spread), &chance) in &tables {
            for x in passes.saturating_sub(so_far + room)..=n.min(passes - so_far) {
                *longer.entry((so_far + x, spread + spreads[x])).or_default() += chance * chances[x];
            }
        }
        if longer.len() > MOST_TABLES {
            return None;
        }
        tables = longer;
    }
    let all: f64 = tables.values().sum();
    let extreme: f64 = tables.iter().filter(|((_, spread), _)| *spread >= threshold).map(|(_, chance)| chance).sum();
    Some((extreme / all).min(1.0))
}

fn drawn(groups: &[Tally]) -> f64 {
    let threshold = seen(groups) - TIE;
    let mut outcomes: Vec<bool> = vec![];
    for group in groups {
        outcomes.extend((0..group.trials).map(|at| at < group.passes));
    }
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut extreme = 0;
    for _ in 0..SHUFFLES {
        outcomes.shuffle(&mut random);
        let mut rest = outcomes.as_slice();
        let mut sum = 0;
        for group in groups {
            let (own, others) = rest.split_at(group.trials);
            sum += spread(Tally::of(own).passes, group.trials);
            rest = others;
        }
        extreme += usize::from(sum >= threshold);
    }
    (1 + extreme) as f64 / (1 + SHUFFLES) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passes: usize, trials: usize) -> Tally {
        Tally { passes, trials }
    }

    fn exact(groups: &[Tally]) -> f64 {
        let said = homogeneity(groups);
        assert_eq!(said.method, Method::Exact);
        said.p_value
    }

    fn near(value: f64, expected: f64, within: f64) {
        assert!((value - expected).abs() < within, "{value} is not {expected}");
    }

    #[test]
    fn two_groups_apart_are_two_of_all_draws() {
        // All passes in the one or all in the other: 2 of C(6, 3).
        near(exact(&[tally(3, 3), tally(0, 3)]), 2.0 / 20.0, 1e-9);
        // Sizes differ: the mirrored table does not have as much spread.
        near(exact(&[tally(5, 5), tally(0, 3)]), 1.0 / 56.0, 1e-9);
    }

    #[test]
    fn one_bad_group_of_three_is_any_of_the_three() {
        near(exact(&[tally(2, 2), tally(2, 2), tally(0, 2)]), 3.0 / 15.0, 1e-9);
    }

    #[test]
    fn single_trials_can_show_no_spread() {
        // Every table of groups of one has the same spread, however many passed.
        near(exact(&[tally(1, 1), tally(0, 1), tally(1, 1), tally(0, 1)]), 1.0, 1e-12);
    }

    #[test]
    fn equal_groups_and_no_groups_spread_like_chance() {
        near(exact(&[tally(2, 4), tally(2, 4)]), 1.0, 1e-12);
        near(exact(&[tally(4, 4), tally(3, 3), tally(0, 0)]), 1.0, 1e-12);
        near(exact(&[]), 1.0, 1e-12);
    }

    #[test]
    fn counting_agrees_with_judging_every_single_assignment() {
        let groups = [tally(1, 4), tally(3, 3), tally(2, 2), tally(0, 2), tally(1, 1)];
        let trials: usize = groups.iter().map(|group| group.trials).sum();
        let passes: usize = groups.iter().map(|group| group.passes).sum();
        let threshold = seen(&groups) - TIE;
        let (mut extreme, mut all) = (0u32, 0u32);
        for bits in (0u32..1 << trials).filter(|bits| bits.count_ones() as usize == passes) {
            let mut from = 0;
            let mut sum = 0;
            for group in &groups {
                let own = bits >> from & ((1 << group.trials) - 1);
                sum += spread(own.count_ones() as usize, group.trials);
                from += group.trials;
            }
            all += 1;
            extreme += u32::from(sum >= threshold);
        }
        near(exact(&groups), f64::from(extreme) / f64::from(all), 1e-9);
    }

    #[test]
    fn drawing_agrees_with_counting() {
        let groups = [tally(7, 8), tally(1, 3), tally(2, 3), tally(3, 3)];
        near(drawn(&groups), exact(&groups), 0.01);
    }

    #[test]
    fn many_large_groups_are_drawn_and_say_so_and_are_the_same_each_time() {
        let groups: Vec<Tally> = (0..40).map(|at| tally(at, 30 + at)).collect();
        let said = homogeneity(&groups);
        assert_eq!(said.method, Method::MonteCarlo { shuffles: SHUFFLES });
        near(said.p_value, 1.0 / 20_001.0, 1e-12);
        assert_eq!(homogeneity(&groups), said);
    }

    #[test]
    fn the_chance_of_a_small_p_value_is_no_larger_than_it_says_at_any_common_rate() {
        let sizes = [5usize, 3, 3, 2];
        let trials: usize = sizes.iter().sum();
        let mut small: BTreeMap<usize, u32> = BTreeMap::new();
        for bits in 0u32..1 << trials {
            let mut from = 0;
            let mut groups = vec![];
            for n in sizes {
                groups.push(tally((bits >> from & ((1 << n) - 1)).count_ones() as usize, n));
                from += n;
            }
            if exact(&groups) <= 0.05 {
                *small.entry(bits.count_ones() as usize).or_default() += 1;
            }
        }
        for p in (0..=50).map(|step| f64::from(step) / 50.0) {
            let size: f64 = small
                .iter()
                .map(|(&passes, &ways)| {
                    f64::from(ways) * p.powi(passes as i32) * (1.0 - p).powi((trials - passes) as i32)
                })
                .sum();
            assert!(size <= 0.05, "{size} at {p}");
        }
        assert!(!small.is_empty());
    }
}
