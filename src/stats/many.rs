//! Many p-values at once: each alone is wrong in alpha of all cases, and together they are wrong more often.

/// Adjusted p-values that control the share of false claims: of all claims made at an adjusted p of at most q, on average
/// at most the share q is false. In the order given; a value that is no number counts as 1.
///
/// With the m values sorted from small to large, the adjusted value of rank i is the smallest `m p_j / j` over all j >= i.
/// (Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical Society B 57,
/// 1995.) It holds for independent values, such as those of cases that share no trial.
#[must_use]
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len() as f64;
    adjusted(p_values, |order, sorted| {
        let mut lowest = 1.0f64;
        for rank in (0..order).rev() {
            lowest = lowest.min(count * sorted[rank] / (rank + 1) as f64);
            sorted[rank] = lowest;
        }
    })
}

/// Adjusted p-values that control any false claim at all: the chance that one of the claims made at an adjusted p of at
/// most alpha is false is at most alpha, whatever depends on what. In the order given; a value that is no number counts
/// as 1.
///
/// With the m values sorted from small to large, the adjusted value of rank i is the largest `(m - j + 1) p_j` over all
/// j <= i. (S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
/// 1979.)
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    adjusted(p_values, |order, sorted| {
        let mut highest = 0.0f64;
        for (rank, value) in sorted.iter_mut().enumerate() {
            highest = highest.max((order - rank) as f64 * *value).min(1.0);
            *value = highest;
        }
    })
}

/// Sorts, adjusts in place, and puts back into the order given.
fn adjusted(p_values: &[f64], adjust: impl Fn(usize, &mut [f64])) -> Vec<f64> {
    let clean = |at: usize| if p_values[at].is_nan() { 1.0 } else { p_values[at].clamp(0.0, 1.0) };
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| clean(a).total_cmp(&clean(b)));
    let mut sorted: Vec<f64> = order.iter().map(|&at| clean(at)).collect();
    adjust(order.len(), &mut sorted);
    let mut result = vec![1.0; p_values.len()];
    for (&at, value) in order.iter().zip(sorted) {
        result[at] = value;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(values: &[f64], expected: &[f64]) {
        assert_eq!(values.len(), expected.len());
        assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{values:?} is not {expected:?}");
    }

    #[test]
    fn benjamini_hochberg_keeps_the_order_given() {
        near(&benjamini_hochberg(&[0.04, 0.01, 0.03, 0.5]), &[0.16 / 3.0, 0.04, 0.16 / 3.0, 0.5]);
        near(&benjamini_hochberg(&[0.01, 0.02, 0.03]), &[0.03, 0.03, 0.03]);
    }

    #[test]
    fn benjamini_and_hochbergs_own_example_has_four_discoveries() {
        let theirs = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0,
        ];
        assert_eq!(benjamini_hochberg(&theirs).iter().filter(|q| **q <= 0.05).count(), 4);
        // And three with the stricter promise of no false claim at all.
        assert_eq!(holm(&theirs).iter().filter(|q| **q <= 0.05).count(), 3);
    }

    #[test]
    fn holm_multiplies_by_the_claims_that_are_left() {
        near(&holm(&[0.03, 0.01, 0.02]), &[0.04, 0.03, 0.04]);
        near(&holm(&[0.6, 0.7]), &[1.0, 1.0]);
    }

    #[test]
    fn one_value_stays_and_no_value_is_none() {
        for adjust in [benjamini_hochberg, holm] {
            near(&adjust(&[0.2]), &[0.2]);
            near(&adjust(&[]), &[]);
            near(&adjust(&[f64::NAN, 2.0]), &[1.0, 1.0]);
        }
    }
}
