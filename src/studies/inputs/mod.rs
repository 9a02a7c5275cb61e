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
//! 2. **Screen.** 6 variants run once, taken in turn from all kinds; then the others, the adversarial ones with them.
//! 3. What comes then depends on the screening alone. The original always runs 8 times in all, if anything failed; if it
//!    passes in no more than half of these, nobody is blamed: *flaky*.
//!    * **Nothing failed**, neither the original nor a variant: *robust*, after 3 trials and one a variant.
//!    * **Some failed.** Each variant that failed runs again: 4 times where one or two failed, 3 times where three or four
//!      did, else twice; more where a stricter alpha needs more. It stops early where not even fails only would show
//!      anything any more.
//!    * **Most failed**, 2 of 3 or more of all (3 variants at least). Variants run again, in turn, first those that passed.
//!      If most of the first 6 failed, the others are *fresh*: they were not what led here. They and the reruns are 10 in
//!      all, or more where there are more than 12 variants. If it shows only after all ran once, there are 10 reruns.
//! 4. **Decide**, by exact tests on fresh trials.
//!
//! # The decision
//!
//! A variant that is run again *because* it failed has at least one fail; to count it would be to find what was selected.
//! So the trials that choose what is run again are no evidence for it. What counts is the original's trials and the fresh
//! ones. When the phrasing does not matter, the outcomes of a screening say nothing about either, and numbers of fresh
//! trials are fixed by the screening; so each test keeps its size given *any* screening, and over all of them.
//!
//! With `F(a/n > b/m)` for the p-value of Fisher's exact one-sided test
//! ([`passes_more_often`](crate::stats::passes_more_often)), and a share of alpha for each claim:
//!
//! * **Most failed:** `p = F(original > fresh trials of all variants) / 0.6`. At `p <= alpha` the phrasing matters. It is
//!   *single-phrasing* if moreover the original is reliable (passes 3 in 4 trials or more) and the variants' rate is shown
//!   to be at most 1/2: the binomial chance of so few passes at rate 1/2 is at most alpha
//!   ([`rate_at_most`](crate::stats::rate_at_most)). This second test reads all trials of all variants, screening and
//!   fresh. That is no selection: each variant is in it whatever it did, and not to get to this point only ever takes the
//!   verdict away; reruns go to those that passed first, which speaks against it. Otherwise the case is *sensitive*.
//! * **Some failed:** `p = 2 min(p_spread, p_kind) / 0.9`. `p_spread` is the permutation test of one rate for the original
//!   and each variant that was run again ([`homogeneity`](crate::stats::homogeneity)). `p_kind` is the smallest of the
//!   kinds' p-values `F(original > fresh trials of the kind)`, adjusted by Holm ([`holm`](crate::stats::holm)).
//!   *Sensitive* at `p <= alpha`. Where most of the first 6 had failed, but not most of all, the divisor is 0.3: the first
//!   claim was at stake before.
//! * **The original is worse:** `p = F(variants, once each > original) / 0.1`, unless most variants failed. *Sensitive* at
//!   `p <= alpha`: the case as it is written is the phrasing that breaks it.
//!
//! Everything else is *robust*, if no trial of the original or of a variant failed, or *flaky*: trial noise explains what
//! failed.
//!
//! The kinds of a sensitive case are those whose own p-value (Holm over the kinds) is within the share of alpha; where
//! none is and only the spread was shown, those of the variants that failed at first and in most of their other trials.
//!
//! # What is promised
//!
//! Where the phrasing does not matter, *sensitive* or *single-phrasing* is said in at most alpha of the cases, at
//! every pass rate: on each way through the plan the shares add up to at most 1 (0.9 + 0.1, or 0.6 + 0.3 + 0.1). Exact
//! tests of few trials spend far less than that, about 1 % at alpha 5 %. Over a suite, [`Finding::p_value`] is a
//! valid p-value of each case for [`benjamini_hochberg`](crate::stats::benjamini_hochberg); it is 1 where the case
//! ended before its test.
//!
//! What is not promised: that a small drop is found. One variant in twelve that fails always, beside others that pass in
//! 95 % of their trials, is found in 3 of 4 cases; a drop from 95 % to 60 % in all variants is mostly called *flaky*.
//!
//! # What is measured
//!
//! Consistency is the share of *first* trials of the variants that agree with the original's usual outcome. Reruns go
//! to the variants that failed, and would count these several times. Adversarial variants are scored apart: they are in
//! no rate but their own, in no test and in no verdict.

mod advice;
mod assemble;
mod design;
mod finding;
mod forecast;
pub mod paraphrasing;
mod result;
mod study;
mod subject;
mod tree;
mod verdict;

pub use assemble::{assemble, plan};
pub use design::{Design, DesignError};
pub use finding::{KindScore, SelfAgreement, Share};
pub use forecast::{Forecast, forecast, listed};
pub use result::*;
pub use study::{Fall, InputsStudy};
pub use subject::{Sources, Subject, literals};
pub use tree::{Arm, Outcome, Setup, Tree, Variant};
pub use verdict::{Finding, Verdict};
