//! What the plan does when the true rates are known: simulated through the tree itself.
//!
//! `cargo test --lib inputs::tree::simulation -- --nocapture` prints the table.

use std::collections::BTreeMap;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::*;

const CASES: u32 = 2000;

/// Four kinds of three variants each, in the order in which a suite would have them.
fn twelve() -> Setup {
    let variant = |at: usize| Variant {
        kind: ["typo", "format", "paraphrase", "distraction"][at / 3].into(),
        adversarial: false,
    };
    Setup { variants: (0..12).map(variant).collect() }
}

#[derive(Debug, Default)]
struct Seen {
    verdicts: BTreeMap<Verdict, u32>,
    /// Sensitive cases that name just the kind `typo`, and those that name it among others.
    only_typo: u32,
    typo: u32,
    calls: u32,
    most_calls: u32,
    /// p-values of at most 0.01, 0.05 and 0.2.
    small: [u32; 3],
}

impl Seen {
    fn share(&self, verdict: Verdict) -> f64 {
        f64::from(self.verdicts.get(&verdict).copied().unwrap_or(0)) / f64::from(CASES)
    }

    fn blamed(&self) -> f64 {
        self.share(Verdict::Sensitive) + self.share(Verdict::SinglePhrasing)
    }

    fn calls(&self) -> f64 {
        f64::from(self.calls) / f64::from(CASES)
    }
}

fn simulate(seed: u64, rate: impl Fn(Arm) -> f64) -> Seen {
    let mut seen = Seen::default();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..CASES {
        let mut tree = Tree::new(twelve(), Design::default());
        let mut calls = 0;
        loop {
            let wanted = tree.wanted();
            if wanted.is_empty() {
                break;
            }
            for (arm, trial) in wanted {
                tree.observe(arm, trial, Outcome::Judged { held: Some(random.random_bool(rate(arm))), tools: None });
                calls += 1;
            }
        }
        assert!(tree.is_settled());
        let finding = tree.finding();
        *seen.verdicts.entry(finding.verdict).or_default() += 1;
        seen.typo += u32::from(finding.kinds.iter().any(|kind| kind == "typo"));
        seen.only_typo += u32::from(finding.kinds == ["typo"]);
        seen.calls += calls;
        seen.most_calls = seen.most_calls.max(calls);
        for (count, limit) in seen.small.iter_mut().zip([0.01, 0.05, 0.2]) {
            *count += u32::from(finding.p_value.is_some_and(|p| p <= limit));
        }
    }
    seen
}

/// The rate of the original, and of the variants.
fn apart(original: f64, variants: f64) -> impl Fn(Arm) -> f64 {
    move |arm| if arm == Arm::Original { original } else { variants }
}

/// All the same, but for these variants.
fn but(rate: f64, other: f64, variants: &'static [usize]) -> impl Fn(Arm) -> f64 {
    move |arm| match arm {
        Arm::Variant(at) if variants.contains(&at) => other,
        _ => rate,
    }
}

#[test]
fn the_figures_that_are_promised_are_met() {
    use Verdict::{BaselineFailing, Flaky, Robust, Sensitive, SinglePhrasing};
    let mut table = String::new();
    let mut row = |truth: &str, seen: Seen| -> Seen {
        table += &format!(
            "{truth:<34} calls {:>5.1} (most {:>2})  typo {:>5.1} % (alone {:>5.1} %)  p <= .01 {:>5.2} %  ",
            seen.calls(),
            seen.most_calls,
            f64::from(seen.typo) / 20.0,
            f64::from(seen.only_typo) / 20.0,
            f64::from(seen.small[0]) / 20.0,
        );
        for verdict in Verdict::ALL {
            if seen.share(verdict) > 0.0 {
                table += &format!("{} {:.2} %  ", verdict.name(), 100.0 * seen.share(verdict));
            }
        }
        table += "\n";
        seen
    };

    let perfect = row("1 everywhere", simulate(1, apart(1.0, 1.0)));
    let even: Vec<(f64, Seen)> = [0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
        .into_iter()
        .map(|p| (p, row(&format!("{p} everywhere"), simulate(2, apart(p, p)))))
        .collect();
    let hopeless = row("0 everywhere", simulate(3, apart(0.0, 0.0)));
    let single = row("0.95, variants 0.1", simulate(4, apart(0.95, 0.1)));
    let sharp = row("1, variants 0", simulate(5, apart(1.0, 0.0)));
    let soft = row("0.9, variants 0.2", simulate(6, apart(0.9, 0.2)));
    let kind = row("0.95, typo 0.05", simulate(7, but(0.95, 0.05, &[0, 1, 2])));
    let clean_kind = row("1, typo 0", simulate(8, but(1.0, 0.0, &[0, 1, 2])));
    let one = row("1, one typo 0", simulate(9, but(1.0, 0.0, &[0])));
    let noisy_one = row("0.95, one typo 0.05", simulate(10, but(0.95, 0.05, &[0])));
    let two_kinds = row("0.95, typo and format 0.05", simulate(11, but(0.95, 0.05, &[0, 1, 2, 3, 4, 5])));
    let halves = row("0.95, half of each kind 0.05", simulate(12, but(0.95, 0.05, &[0, 2, 4, 6, 8, 10])));
    let original = row("0.3, variants 1", simulate(13, apart(0.3, 1.0)));
    let mild = row("0.95, variants 0.6", simulate(14, apart(0.95, 0.6)));

    #[expect(clippy::print_stdout, reason = "the table is what somebody runs this test for")]
    {
        println!("{table}");
    }

    assert_eq!((perfect.share(Robust), perfect.calls()), (1.0, 15.0));
    assert_eq!((hopeless.share(BaselineFailing), hopeless.calls()), (1.0, 3.0));
    for (p, seen) in &even {
        assert!(seen.blamed() <= 0.05, "{} blamed at {p}", seen.blamed());
        let small = seen.small.map(|count| f64::from(count) / f64::from(CASES));
        // Four standard errors of a rate that is just at its limit.
        assert!(small[0] <= 0.01 + 0.009 && small[1] <= 0.05 + 0.02 && small[2] <= 0.2 + 0.036, "{small:?} at {p}");
    }
    let at = |rate: f64| &even.iter().find(|(p, _)| *p == rate).unwrap().1;
    assert!(at(0.9).calls() <= 25.0);
    assert!(at(0.5).share(Flaky) >= 0.8);
    assert!(single.share(SinglePhrasing) >= 0.95);
    assert!(single.calls() <= 25.0);
    assert_eq!(sharp.share(SinglePhrasing), 1.0);
    assert!(soft.blamed() >= 0.85);
    assert!(kind.share(Sensitive) >= 0.9 && kind.typo >= CASES * 9 / 10);
    assert_eq!((clean_kind.share(Sensitive), clean_kind.only_typo), (1.0, CASES));
    assert_eq!((one.share(Sensitive), one.only_typo), (1.0, CASES));
    assert!(noisy_one.share(Sensitive) >= 0.6);
    assert!(two_kinds.share(Sensitive) >= 0.9);
    assert!(halves.share(Sensitive) >= 0.8 && halves.share(SinglePhrasing) <= 0.05);
    assert!(original.share(Sensitive) >= 0.4);
    assert!(mild.share(SinglePhrasing) <= 0.05);
}
