//! Counting paths: every order in which trials may pass or fail, followed through all looks, without naming a pass rate.
//!
//! A decision depends on counts alone, so all orders that lead to the same counts and are still undecided can be
//! kept as one number. That number does not depend on the pass rates; the chance of an ending is
//! `orders * p^x (1-p)^(a-x) * q^y (1-q)^(b-y)` for every `p` and `q`. One walk therefore answers for all rates.

use std::collections::BTreeMap;

/// What is decided at one look from one pair of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Continue,
    Kill,
    Survive,
}

/// A complete set of decisions: for each look and each pair of counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rules {
    pub looks: Vec<usize>,
    /// Does the baseline wait at the first look while the mutant is flawless?
    pub lazy: bool,
    /// For each look of n trials: the call for x passes of n in the baseline and y of n in the mutant, at `x * (n + 1) + y`.
    pub in_step: Vec<Vec<Call>>,
    /// For each look: the call for x passes in the waiting baseline, while the mutant is flawless. Empty unless `lazy`.
    pub waiting: Vec<Vec<Call>>,
}

impl Rules {
    pub fn in_step(&self, look: usize, x: usize, y: usize) -> Call {
        self.in_step[look][x * (self.looks[look] + 1) + y]
    }

    /// Trials in the waiting baseline.
    pub fn first(&self) -> usize {
        self.looks[0]
    }
}

/// Where a path stops: decided, or undecided at the last look (`Call::Continue`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ending {
    pub call: Call,
    pub baseline_passes: usize,
    pub baseline_trials: usize,
    pub mutant_passes: usize,
    pub mutant_trials: usize,
    /// In how many orders of passes and fails this ending is reached.
    pub orders: f64,
}

impl Ending {
    /// The chance of this ending where the baseline passes with rate `p` and the mutant with rate `q`.
    pub fn chance(&self, p: f64, q: f64) -> f64 {
        let arm = |rate: f64, passes: usize, trials: usize| {
            rate.powi(passes as i32) * (1.0 - rate).powi((trials - passes) as i32)
        };
        self.orders
            * arm(p, self.baseline_passes, self.baseline_trials)
            * arm(q, self.mutant_passes, self.mutant_trials)
    }
}

/// Binomial coefficients n over 0..=n.
fn binomial_row(n: usize) -> Vec<f64> {
    let mut row = vec![1.0; n + 1];
    for k in 1..n {
        row[k] = row[k - 1] * (n - k + 1) as f64 / k as f64;
    }
    row
}

/// Follows all paths to their endings.
pub(super) fn endings(rules: &Rules) -> Vec<Ending> {
    let first = rules.first();
    let last = rules.looks.len() - 1;
    let mut endings = Vec::new();
    // Undecided orders at the look before: with equal trials in both arms, and with a waiting baseline.
    let mut in_step = vec![1.0];
    let mut waiting = vec![0.0; first + 1];
    let mut before = 0;

    for (look, &n) in rules.looks.iter().enumerate() {
        let mut now_in_step = spread(&in_step, before, n);
        let mut now_waiting = vec![0.0; first + 1];
        if rules.lazy && look == 0 {
            for x in 0..=n {
                now_waiting[x] = std::mem::take(&mut now_in_step[x * (n + 1) + n]);
            }
        } else if rules.lazy {
            // The mutant stays flawless in one order; in any other the baseline catches up.
            let mutant = binomial_row(n - before);
            let baseline = binomial_row(n - first);
            for (x, &orders) in waiting.iter().enumerate().filter(|(_, orders)| **orders > 0.0) {
                now_waiting[x] = orders;
                for (i, caught_up) in baseline.iter().enumerate() {
                    for (j, more) in mutant[..n - before].iter().enumerate() {
                        now_in_step[(x + i) * (n + 1) + before + j] += orders * caught_up * more;
                    }
                }
            }
        }

        for x in 0..=n {
            for y in 0..=n {
                let at = x * (n + 1) + y;
                let call = rules.in_step[look][at];
                if now_in_step[at] > 0.0 && (call != Call::Continue || look == last) {
                    endings.push(Ending {
                        call,
                        baseline_passes: x,
                        baseline_trials: n,
                        mutant_passes: y,
                        mutant_trials: n,
                        orders: std::mem::take(&mut now_in_step[at]),
                    });
                }
            }
        }
        for (x, orders) in now_waiting.iter_mut().enumerate().filter(|(_, orders)| **orders > 0.0) {
            let call = rules.waiting[look][x];
            if call != Call::Continue || look == last {
                endings.push(Ending {
                    call,
                    baseline_passes: x,
                    baseline_trials: first,
                    mutant_passes: n,
                    mutant_trials: n,
                    orders: std::mem::take(orders),
                });
            }
        }
        (in_step, waiting, before) = (now_in_step, now_waiting, n);
    }
    endings
}

/// All ways to go on from counts at `before` trials an arm to counts at `n` trials an arm.
fn spread(orders: &[f64], before: usize, n: usize) -> Vec<f64> {
    let steps = binomial_row(n - before);
    // First the mutant's trials, then the baseline's: two small sums instead of one big one.
    let mut mutant_done = vec![0.0; (before + 1) * (n + 1)];
    for x in 0..=before {
        for y in 0..=before {
            let here = orders[x * (before + 1) + y];
            if here > 0.0 {
                let row = &mut mutant_done[x * (n + 1) + y..][..steps.len()];
                row.iter_mut().zip(&steps).for_each(|(to, step)| *to += here * step);
            }
        }
    }
    let mut both_done = vec![0.0; (n + 1) * (n + 1)];
    for x in 0..=before {
        let from = &mutant_done[x * (n + 1)..][..n + 1];
        for (i, step) in steps.iter().enumerate() {
            let to = &mut both_done[(x + i) * (n + 1)..][..n + 1];
            to.iter_mut().zip(from).for_each(|(to, here)| *to += here * step);
        }
    }
    both_done
}

/// The chance of some endings, as a polynomial in the pass rates.
pub(super) struct Chance {
    terms: Vec<Term>,
    degree: usize,
    /// How far the baseline's pass rate lies above the mutant's.
    gap: f64,
}

struct Term {
    exponents: [usize; 4],
    orders: f64,
}

impl Chance {
    /// The chance of the endings with this call, along all pairs of rates with the baseline `gap` above the mutant.
    pub fn along(endings: &[Ending], call: Call, gap: f64) -> Self {
        let mut sums: BTreeMap<[usize; 4], f64> = BTreeMap::new();
        let mut degree = 0;
        for ending in endings.iter().filter(|ending| ending.call == call) {
            let baseline_fails = ending.baseline_trials - ending.baseline_passes;
            let mutant_fails = ending.mutant_trials - ending.mutant_passes;
            let exponents = if gap == 0.0 {
                // With equal rates only sums matter: a hundred terms instead of thousands.
                [ending.baseline_passes + ending.mutant_passes, baseline_fails + mutant_fails, 0, 0]
            } else {
                [ending.baseline_passes, baseline_fails, ending.mutant_passes, mutant_fails]
            };
            degree = degree.max(ending.baseline_trials + ending.mutant_trials);
            *sums.entry(exponents).or_insert(0.0) += ending.orders;
        }
        let terms = sums.into_iter().map(|(exponents, orders)| Term { exponents, orders }).collect();
        Self { terms, degree, gap }
    }

    /// The chance where the mutant passes with rate `q`, 0 to 1 - gap.
    pub fn at(&self, q: f64) -> f64 {
        let p = (q + self.gap).min(1.0);
        let powers = [p, 1.0 - p, q, 1.0 - q].map(|base| powers(base, self.degree));
        self.terms
            .iter()
            .map(|term| {
                let [a, b, c, d] = term.exponents;
                term.orders * powers[0][a] * powers[1][b] * powers[2][c] * powers[3][d]
            })
            .sum()
    }

    /// The largest chance over all `q`: a grid that is fine where the polynomial can move fast (equal steps of the
    /// arcsine root, in which a binomial has the same width everywhere), and a golden-section search at each peak.
    pub fn worst(&self) -> f64 {
        let grid: Vec<f64> = (0..=self.steps()).map(|step| self.at_step(step as f64)).collect();
        self.highest_peak(&grid)
    }

    /// Is the chance at most `limit` for all `q`? As [`Chance::worst`], but stops as soon as the answer is clear.
    pub fn stays_within(&self, limit: f64) -> bool {
        let mut grid = Vec::with_capacity(self.steps() + 1);
        for step in 0..=self.steps() {
            let chance = self.at_step(step as f64);
            if chance > limit {
                return false;
            }
            grid.push(chance);
        }
        // Between two steps of this grid no peak rises by a tenth.
        grid.iter().all(|&chance| chance < 0.9 * limit) || self.highest_peak(&grid) <= limit
    }

    /// How many steps the grid has: some dozen for each width of a binomial.
    fn steps(&self) -> usize {
        32 + 12 * (self.degree as f64).sqrt() as usize
    }

    fn at_step(&self, step: f64) -> f64 {
        let angle = (step / self.steps() as f64).clamp(0.0, 1.0) * std::f64::consts::FRAC_PI_2;
        self.at((1.0 - self.gap) * angle.sin().powi(2))
    }

    fn highest_peak(&self, grid: &[f64]) -> f64 {
        let top = grid.iter().copied().fold(0.0, f64::max);
        let last = grid.len() - 1;
        (0..=last)
            .filter(|&i| grid[i] > 0.95 * top)
            .filter(|&i| (i == 0 || grid[i - 1] <= grid[i]) && (i == last || grid[i + 1] <= grid[i]))
            .map(|i| peak(|step| self.at_step(step), i as f64 - 1.0, i as f64 + 1.0))
            .fold(top, f64::max)
    }
}

fn powers(base: f64, highest: usize) -> Vec<f64> {
    std::iter::successors(Some(1.0), |power| Some(power * base)).take(highest + 1).collect()
}

/// The highest value between `low` and `high`, where there is one peak.
fn peak(value: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..25 {
        if at_a < at_b {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = value(b);
        } else {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = value(a);
        }
    }
    at_a.max(at_b)
}
