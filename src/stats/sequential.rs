//! The test itself: trials in, judgement out.

use super::calibrate::{self, EvidenceTable, Promises, Shape, Thresholds};
use super::design::{Design, DesignError, LARGEST_CAP};
use super::evidence::{self, Counts};
use super::paths::{self, Call, Chance, Ending, Rules};
use super::tally::Tally;

/// How the chance of an error is spent over the looks.
///
/// Both are group sequential boundaries: a test that is repeated as trials come in needs higher thresholds than one
/// that looks once. One constant threshold is the idea of S. J. Pocock, "Group sequential methods in the design and
/// analysis of clinical trials", Biometrika 64, 1977; thresholds that differ by look are that of P. C. O'Brien and
/// T. R. Fleming, "A multiple testing procedure for clinical trials", Biometrics 35, 1979, and, with any spending,
/// of K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983.
/// They approximate by normal distributions; here every chance is a sum over all sequences of passes and fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Boundary {
    /// One threshold for all looks; one for kills, one for survivals.
    Constant,
    /// Decides the clear cases as early as the promise allows: at the first look that can afford it, a baseline
    /// without a fail against a mutant without a pass is a kill, and two flawless arms are a survival. What is left is
    /// spent evenly on the other looks, and the crumbs of that, look by look, on the earliest.
    #[default]
    PerLook,
}

/// Which arm is extended when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Allocation {
    /// Both arms always have equally many trials at a look.
    Lockstep,
    /// The baseline waits at the first look while the mutant is flawless: then no kill is possible, and all that more
    /// baseline trials could do is to confirm a survival. With the mutant's first fail the baseline catches up, and
    /// both go on in step. A kill always is decided at equally many trials in both arms.
    #[default]
    LazyBaseline,
}

/// What the trials so far say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// The mutant passes less often than the baseline. The counts are those that it was decided on.
    Killed {
        /// The baseline at the look of the decision.
        baseline: Tally,
        /// The mutant at the look of the decision.
        mutant: Tally,
    },
    /// The pass rate did not drop by as much as `min_effect`. The counts are those that it was decided on.
    Survived {
        /// The baseline at the look of the decision.
        baseline: Tally,
        /// The mutant at the look of the decision.
        mutant: Tally,
    },
    /// Neither yet: how many trials are wanted in each arm before the next look, in total, not in addition.
    Undecided {
        /// Trials wanted in the baseline.
        baseline: usize,
        /// Trials wanted in the mutant.
        mutant: usize,
    },
    /// Neither, and all looks are used up.
    Exhausted {
        /// The baseline at the last look.
        baseline: Tally,
        /// The mutant at the last look.
        mutant: Tally,
    },
}

/// What a test does when the true pass rates are known: exact, not simulated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Characteristics {
    /// The chance of "killed".
    pub killed: f64,
    /// The chance of "survived".
    pub survived: f64,
    /// The chance that all looks are used up without either.
    pub undecided: f64,
    /// The mean number of trials in the baseline.
    pub baseline_trials: f64,
    /// The mean number of trials in the mutant.
    pub mutant_trials: f64,
}

/// A calibrated test: for every look and all counts it knows the decision, and how good its decisions are.
#[derive(Debug, Clone)]
pub struct SequentialTest {
    rules: Rules,
    endings: Vec<Ending>,
    thresholds: Thresholds,
    min_effect: f64,
}

impl SequentialTest {
    /// Finds the thresholds that keep the promises of `design`; `comparisons` says over how many arms alpha is split.
    ///
    /// # Errors
    /// [`DesignError`] where a value is out of range, or where no kill or no survival could ever be reached.
    pub fn calibrate(
        design: &Design,
        comparisons: usize,
        boundary: Boundary,
        allocation: Allocation,
    ) -> Result<Self, DesignError> {
        design.check_ranges()?;
        if comparisons == 0 {
            return Err(DesignError::NoComparison);
        }
        let test = Self::with_any_reach(design, comparisons, boundary, allocation);
        if test.is_conclusive() {
            return Ok(test);
        }
        let cap = design.max_trials_per_arm;
        // A cap below these can't do, whatever the boundary; from there on it is tried.
        let hopeful = |cap: usize| {
            0.25f64.powi(cap as i32) * comparisons as f64 <= design.alpha
                && (1.0 - design.min_effect).powi(cap as i32) <= design.beta
        };
        let smallest = (cap + 1..=LARGEST_CAP).filter(|&cap| hopeful(cap)).find(|&cap| {
            let design = Design { max_trials_per_arm: cap, ..design.clone() };
            Self::with_any_reach(&design, comparisons, boundary, allocation).is_conclusive()
        });
        let Design { alpha, beta, min_effect, .. } = *design;
        Err(if test.can_kill() {
            DesignError::NeverSurvived { cap, beta, min_effect, smallest }
        } else {
            DesignError::NeverKilled { cap, alpha, comparisons, smallest }
        })
    }

    fn with_any_reach(design: &Design, comparisons: usize, boundary: Boundary, allocation: Allocation) -> Self {
        let table = EvidenceTable::new(design, allocation == Allocation::LazyBaseline);
        let promises = Promises { alpha: design.alpha / comparisons as f64, beta: design.beta, gap: design.min_effect };
        let thresholds = match boundary {
            Boundary::Constant => calibrate::lowest(&table, &Shape::default(), promises),
            Boundary::PerLook => {
                let early = calibrate::lowest(&table, &Shape::early(&table.looks, promises), promises);
                calibrate::spend_the_rest(&table, early, promises)
            }
        };
        let rules = table.rules(&thresholds);
        let endings = paths::endings(&rules);
        Self { rules, endings, thresholds, min_effect: design.min_effect }
    }

    /// Would the clearest kill be one?
    fn can_kill(&self) -> bool {
        let looks = self.looks();
        (0..looks.len()).any(|look| self.rules.in_step(look, looks[look], 0) == Call::Kill)
    }

    /// Would the clearest kill be one, and would two flawless arms be told to be alike?
    fn is_conclusive(&self) -> bool {
        let flawless = vec![true; *self.looks().last().expect("there always is a look")];
        self.can_kill() && matches!(self.judge(&flawless, &flawless), Judgement::Survived { .. })
    }

    /// The judgement on two sequences of valid trials in the order of their numbers; `true` is a pass.
    ///
    /// Replays the looks, stops at the first decision, and reads nothing beyond it, nor any trial that this test had
    /// not asked for: whatever else was run for other comparisons, in whatever order it came in, the answer is the same.
    #[must_use]
    pub fn judge(&self, baseline: &[bool], mutant: &[bool]) -> Judgement {
        let first = self.rules.first();
        let mut flawless = true;
        let mut seen = [Tally::default(); 2];
        for (look, &n) in self.looks().iter().enumerate() {
            // A fail that is already there settles that the baseline must catch up, before the mutant is complete.
            flawless = flawless && mutant.iter().take(n).all(|&pass| pass);
            let waits = self.rules.lazy && flawless;
            let wanted = if waits { first } else { n };
            if mutant.len() < n || baseline.len() < wanted {
                return Judgement::Undecided { baseline: wanted, mutant: n };
            }
            let (baseline, mutant) = (Tally::of(&baseline[..wanted]), Tally::of(&mutant[..n]));
            let call = if waits {
                self.rules.waiting[look][baseline.passes]
            } else {
                self.rules.in_step(look, baseline.passes, mutant.passes)
            };
            match call {
                Call::Kill => return Judgement::Killed { baseline, mutant },
                Call::Survive => return Judgement::Survived { baseline, mutant },
                Call::Continue => seen = [baseline, mutant],
            }
        }
        let [baseline, mutant] = seen;
        Judgement::Exhausted { baseline, mutant }
    }

    /// The numbers of valid trials an arm after which a decision may be taken, rising; the last one is the cap.
    #[must_use]
    pub fn looks(&self) -> &[usize] {
        &self.rules.looks
    }

    /// For true pass rates (0 to 1): what is decided how often, and at what cost. Exact: a sum over all sequences.
    #[must_use]
    pub fn characteristics(&self, p_baseline: f64, p_mutant: f64) -> Characteristics {
        let mut all = Characteristics::default();
        for ending in &self.endings {
            let chance = ending.chance(p_baseline, p_mutant);
            match ending.call {
                Call::Kill => all.killed += chance,
                Call::Survive => all.survived += chance,
                Call::Continue => all.undecided += chance,
            }
            all.baseline_trials += chance * ending.baseline_trials as f64;
            all.mutant_trials += chance * ending.mutant_trials as f64;
        }
        all
    }

    /// The largest chance of a false kill over all pass rates: at most alpha divided by the number of comparisons.
    ///
    /// Only equal rates are searched. A pass more in the baseline never moves the evidence away from a kill, and the
    /// order in which arms are extended depends on the mutant alone; so the chance rises with the baseline's rate, and
    /// among all baselines that pass no more often than the mutant an equal one is the worst.
    #[must_use]
    pub fn worst_false_kill(&self) -> f64 {
        Chance::along(&self.endings, Call::Kill, 0.0).worst()
    }

    /// The largest chance of a false "survived" over all pairs of rates that lie `min_effect` or more apart: at most
    /// beta. Only pairs exactly `min_effect` apart are searched, for the same reason.
    #[must_use]
    pub fn worst_false_survival(&self) -> f64 {
        Chance::along(&self.endings, Call::Survive, self.min_effect).worst()
    }

    /// About how many more trials an arm would settle this, if the rates stay exactly as seen: those until the first
    /// look, also one beyond the cap, at which the evidence passes its threshold. 0 where it is settled; `None` where
    /// even the largest cap (100) would not do.
    ///
    /// An estimate: it takes the thresholds of this test, and those of one with a larger cap are a little higher.
    /// Where an arm has no trial, nothing was seen, and the answer is what the next look wants.
    #[must_use]
    pub fn more_needed(&self, baseline: &[bool], mutant: &[bool]) -> Option<usize> {
        let have = match self.judge(baseline, mutant) {
            Judgement::Killed { .. } | Judgement::Survived { .. } => return Some(0),
            // Both arms are wanted in step.
            Judgement::Undecided { baseline: wanted, .. } if wanted > baseline.len() => {
                baseline.len().min(mutant.len())
            }
            Judgement::Undecided { .. } | Judgement::Exhausted { .. } => mutant.len(),
        };
        let (seen_baseline, seen_mutant) = (Tally::of(baseline).rate(), Tally::of(mutant).rate());
        let (Some(seen_baseline), Some(seen_mutant)) = (seen_baseline, seen_mutant) else {
            return Some(self.looks()[0]);
        };
        let last = self.looks().len() - 1;
        let beyond = Design::longest_ladder().iter().copied().filter(|&look| look > self.looks()[last]);
        let looks = self.looks().iter().copied().chain(beyond).enumerate().map(|(look, n)| (look.min(last), n));
        let settles = |look: usize, n: usize| {
            let trials = n as f64;
            let [baseline, mutant] = [seen_baseline, seen_mutant].map(|rate| Counts { passes: rate * trials, trials });
            let for_survival = evidence::for_survival(baseline, mutant, self.min_effect);
            self.thresholds.call(look, evidence::for_kill(baseline, mutant), for_survival) != Call::Continue
        };
        looks.filter(|&(_, n)| n > have).find(|&(look, n)| settles(look, n)).map(|(_, n)| n - have)
    }
}
