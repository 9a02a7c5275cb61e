//! Agreement of two raters beyond chance.

use statrs::distribution::{ContinuousCDF, Normal};

use super::interval::{Interval, tail, wilson};
use super::tally::Tally;

/// Agreement beyond chance: 1 is perfect, 0 is what chance gives, below 0 is less than chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kappa {
    pub value: f64,
    pub interval: Interval,
}

/// Cohen's kappa of a square table: `table[i][j]` counts what the first rater called `i` and the second `j`.
///
/// κ = (p_o − p_e) / (1 − p_e), with p_o the share on the diagonal and p_e = Σ p_i· p_·i, what two raters with these
/// margins agree on by chance (J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
/// Measurement 20, 1960). The interval is κ ± z · se, within −1 and 1, with the large-sample standard error of J. L. Fleiss,
/// J. Cohen and B. S. Everitt ("Large sample standard errors of kappa and weighted kappa", Psychological Bulletin 72,
/// 1969):
///
/// se² = (Σ p_ii [1 − (p_i· + p_·i)(1 − κ)]² + (1 − κ)² Σ_{i≠j} p_ij (p_·i + p_j·)² − [κ − p_e (1 − κ)]²) / (n (1 − p_e)²)
///
/// Where all agree the standard error is 0, which proves nothing: then the lower end is the kappa of Wilson's lower end of
/// the agreement, with the margins as they are. `level` as in [`wilson`]. `None` without a count, and where both raters
/// gave one and the same label to all: there is no chance to go beyond.
#[must_use]
pub fn cohen_kappa(table: &[Vec<usize>], level: f64) -> Option<Kappa> {
    let total: usize = table.iter().flatten().sum();
    if total == 0 {
        return None;
    }
    let n = total as f64;
    let size = table.len();
    let p = |i: usize, j: usize| table[i][j] as f64 / n;
    let first: Vec<f64> = (0..size).map(|i| (0..size).map(|j| p(i, j)).sum()).collect();
    let second: Vec<f64> = (0..size).map(|j| (0..size).map(|i| p(i, j)).sum()).collect();
    let agreed: usize = (0..size).map(|i| table[i][i]).sum();
    let observed = agreed as f64 / n;
    let chance: f64 = (0..size).map(|i| first[i] * second[i]).sum();
    // Exactly 1 only where all counts stand in one cell.
    if (0..size).any(|i| table[i][i] == total) {
        return None;
    }
    let of = |agreement: f64| (agreement - chance) / (1.0 - chance);
    let value = of(observed);
    if agreed == total {
        let low = of(wilson(Tally { passes: agreed, trials: total }, level).low).max(-1.0);
        return Some(Kappa { value, interval: Interval { low, high: 1.0 } });
    }
    let rest = 1.0 - value;
    let diagonal: f64 = (0..size).map(|i| p(i, i) * (1.0 - (first[i] + second[i]) * rest).powi(2)).sum();
    let pairs = (0..size).flat_map(|i| (0..size).map(move |j| (i, j))).filter(|(i, j)| i != j);
    let off: f64 = pairs.map(|(i, j)| p(i, j) * (second[i] + first[j]).powi(2)).sum();
    let variance = (diagonal + rest * rest * off - (value - chance * rest).powi(2)) / (n * (1.0 - chance).powi(2));
    let half = Normal::standard().inverse_cdf(1.0 - tail(level)) * variance.max(0.0).sqrt();
    let interval = Interval { low: (value - half).max(-1.0), high: (value + half).min(1.0) };
    Some(Kappa { value, interval })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    fn standard_error(kappa: Kappa) -> f64 {
        (kappa.interval.high - kappa.interval.low) / (2.0 * 1.959_964)
    }

    #[test]
    fn two_diagnosticians_agree_as_the_textbook_says() {
        // J. L. Fleiss, "Statistical Methods for Rates and Proportions": kappa 0.68, standard error 0.087.
        let kappa = cohen_kappa(&[vec![75, 1, 4], vec![5, 4, 1], vec![0, 0, 10]], 0.95).unwrap();
        assert!((kappa.value - 0.6765).abs() < 5e-5, "{kappa:?}");
        assert!((standard_error(kappa) - 0.0877).abs() < 5e-4, "{kappa:?}");
    }

    #[test]
    fn a_table_of_two_labels_has_the_kappa_of_the_definition() {
        // 0.7 observed, 0.5 by chance.
        let kappa = cohen_kappa(&[vec![20, 5], vec![10, 15]], 0.95).unwrap();
        assert!((kappa.value - 0.4).abs() < 1e-12, "{kappa:?}");
        let none = cohen_kappa(&[vec![25, 25], vec![25, 25]], 0.95).unwrap();
        assert!(none.value.abs() < 1e-12 && none.interval.low < 0.0 && none.interval.high > 0.0, "{none:?}");
        let worst = cohen_kappa(&[vec![0, 5], vec![5, 0]], 0.95).unwrap();
        assert!((worst.value + 1.0).abs() < 1e-12, "{worst:?}");
    }

    #[test]
    fn the_standard_error_is_that_of_the_delta_method_whatever_the_margins() {
        // The gradient of kappa in the cells, taken by differences, and the multinomial's covariance.
        for (table, value, error) in [
            (vec![vec![75, 1, 4], vec![5, 4, 1], vec![0, 0, 10]], 0.676_470_6, 0.087_703_0),
            (vec![vec![10, 30], vec![2, 58]], 0.245_283_0, 0.080_400_5),
            (vec![vec![40, 20, 5], vec![3, 12, 10], vec![1, 2, 7]], 0.324_547_0, 0.071_539_7),
        ] {
            let kappa = cohen_kappa(&table, 0.95).unwrap();
            assert!((kappa.value - value).abs() < 1e-6, "{kappa:?}");
            assert!((standard_error(kappa) - error).abs() < 1e-6, "{kappa:?} {}", standard_error(kappa));
        }
    }

    #[test]
    fn the_standard_error_is_the_spread_of_kappas_of_tables_drawn_anew() {
        let table = [vec![40, 6], vec![9, 25]];
        let kappa = cohen_kappa(&table, 0.95).unwrap();
        let cells = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let drawn: Vec<f64> = (0..4000)
            .map(|_| {
                let mut again = vec![vec![0; 2]; 2];
                for _ in 0..80 {
                    let mut left = random.random_range(0..80);
                    let cell = cells.iter().find(|(i, j)| {
                        let count = table[*i][*j];
                        let here = left < count;
                        left -= if here { 0 } else { count };
                        here
                    });
                    let (i, j) = cell.unwrap();
                    again[*i][*j] += 1;
                }
                cohen_kappa(&again, 0.95).unwrap().value
            })
            .collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let spread = (drawn.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / drawn.len() as f64).sqrt();
        assert!((spread / standard_error(kappa) - 1.0).abs() < 0.06, "{spread} against {kappa:?}");
    }

    #[test]
    fn perfect_agreement_of_few_proves_little() {
        let few = cohen_kappa(&[vec![3, 0], vec![0, 2]], 0.95).unwrap();
        assert!(few.value == 1.0 && few.interval.high == 1.0 && few.interval.low < 0.3, "{few:?}");
        let many = cohen_kappa(&[vec![300, 0], vec![0, 200]], 0.95).unwrap();
        assert!(many.interval.low > 0.97, "{many:?}");
    }

    #[test]
    fn one_label_for_all_leaves_nothing_to_go_beyond() {
        assert_eq!(cohen_kappa(&[vec![9, 0], vec![0, 0]], 0.95), None);
        assert_eq!(cohen_kappa(&[vec![0, 0], vec![0, 0]], 0.95), None);
        // One rater varies: agreement is no better than chance.
        let one = cohen_kappa(&[vec![8, 0], vec![2, 0]], 0.95).unwrap();
        assert!(one.value.abs() < 1e-12, "{one:?}");
    }
}
