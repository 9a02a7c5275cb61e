//! Does this case pass only in the phrasing in which it was written?
//!
//! One [`Tree`] a case plans the trials and decides. Nothing here changes a text, reads a file or asks an agent.
//!
//! # The question
//!
//! An agent is a coin: one that passes 90 % of the time, whatever it is asked, fails at least one of ten phrasings in 65 %
//! of all cases. So a phrasing that failed once says nothing. What is asked is whether the phrasing *moves the pass rate*:
//! the null hypothesis of each case is "the original and all variants pass equally often".
//!
//! # The plan
//!
//! Numbers are those of [`Design::default`]; errors and trials that can't be assessed are replaced, never counted.
//!
//! 1. **Noise floor.** The original runs 3 times. No pass: *baseline-failing*, and no variant is run.
//! 2. **Screen.** 6 variants run once, taken in turn from all kinds. Unless most of them (2 of 3) fail, the others run
//!    once too, the adversarial ones with them.
//! 3. Then one of these, and which one depends on the screening alone:
//!    * **Nothing failed.** If the original did not fail either: *robust*, after 3 trials and one a variant. If it did,
//!      it runs 8 times, to tell an agent that is flaky from an original that is worse than its variants.
//!    * **Some failed.** The original runs 8 times, and each variant that failed runs again, 3 or 4 times (2 where five
//!      or more failed). It stops early where not even fails only would show anything any more.
//!    * **Most failed.** The original runs 8 times, and variants run 10 times more: those that did not run yet, and 4 (or
//!      more, up to 10 in all) of the others, first those that passed.
//!
//!    In both of the last two, an original that passes in no more than half of its 8 trials ends it: *flaky*.
//! 4. **Decide**, by exact tests on *fresh* trials.
//!
//! # The decision
//!
//! A variant that is run again *because* it failed has at least one fail; to count it would be to find what was selected.
//! So the trials up to the end of the screening choose what is run again, and are no evidence for it. What counts is the
//! original's trials and the fresh ones. Which outcomes a screening had says nothing about either when the null
//! hypothesis holds, and the numbers of fresh trials are fixed by the screening. So each test below has its exact size
//! given *any* screening, and so over all of them. Each limit is alpha' = 0.9 alpha; the tenth that is left belongs to
//! the question whether the original is *worse* than its variants.
//!
//! With `a` passes of `n` trials of the original, and `F(a/n > b/m)` the p-value of Fisher's exact one-sided test
//! ([`passes_more_often`](crate::stats::passes_more_often)):
//!
//! * **Most failed:** `p = F(original > fresh trials of all variants) / 0.9`. At `p <= alpha` the phrasing matters. It is
//!   *single-phrasing* if moreover the original is reliable (passes 3 in 4 trials or more) and the variants' rate is shown
//!   to be at most 1/2: the binomial chance of so few passes at rate 1/2 is at most alpha
//!   ([`rate_at_most`](crate::stats::rate_at_most)). This second test reads all trials of all variants, screening and
//!   fresh. That is no selection: each variant is in it whatever it did, the trials are as many whenever this point is
//!   reached, and not to reach it only ever takes the verdict away; reruns go to those that passed first, which speaks
//!   against the verdict. Otherwise the case is *sensitive*.
//! * **Some failed:** `p = 2 min(p_spread, p_kind) / 0.9`. `p_spread` is the permutation test of one rate for the original
//!   and each variant that was run again ([`homogeneity`](crate::stats::homogeneity)). `p_kind` is the smallest of the
//!   kinds' p-values `F(original > fresh trials of the kind)`, adjusted by Holm. *Sensitive* at `p <= alpha`.
//! * **The original is worse:** `p = F(variants, once each > original) / 0.1`, in every case whose variants did not mostly
//!   fail. *Sensitive* at `p <= alpha`: the case as it is written is the phrasing that breaks it.
//!
//! Everything else is *robust*, if no trial of the original or of a variant failed, or *flaky*: what failed is explained
//! by trial noise.
//!
//! The kinds of a sensitive case are those whose own p-value (Holm over the kinds) is at most alpha'; where only the
//! spread was shown, those of the variants that failed most of their fresh trials.
//!
//! # What is promised
//!
//! Where the phrasing does not matter, *sensitive* or *single-phrasing* is said in at most alpha of the cases, at
//! every pass rate: by the union of 0.9 alpha and 0.1 alpha. A kind that does no worse than the original is named in at
//! most alpha of the cases where any is, by Holm. Over a suite, [`Finding::p_value`] is a valid p-value of each case
//! for [`benjamini_hochberg`](crate::stats::benjamini_hochberg); it is 1 where the case ended before its test.
//!
//! # What is measured
//!
//! Consistency is the share of *first* trials of the variants that agree with the original's usual outcome. Reruns go
//! to the variants that failed, and would count these several times. Adversarial variants are scored apart: they are in
//! no rate but their own, in no test and in no verdict.

mod design;
mod finding;
mod tree;
mod verdict;

pub use design::{Design, DesignError};
pub use finding::{KindScore, SelfAgreement, Share};
pub use tree::{Arm, Outcome, Setup, Tree, Variant};
pub use verdict::{Finding, Verdict};
