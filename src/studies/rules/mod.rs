//! Does this case depend on the rule that it quotes?
//!
//! [`Workshop`] makes [`Subject`]s (a case, a rule, and what each arm's instructions read), [`RulesStudy`] asks for
//! their trials, one [`Tree`] a subject decides, [`assemble`] makes the [`RulesReport`]. Nothing here reads a file or
//! asks an agent.

mod advice;
mod arm;
mod assemble;
pub mod attribution;
mod control;
mod forecast;
mod quotes;
mod reach;
mod result;
mod study;
mod subject;
mod tree;
mod trials;
mod verdict;

pub use arm::Arm;
pub use assemble::assemble;
pub use forecast::{Forecast, forecast};
pub use result::*;
pub use study::{RulesStudy, Settings, nonce};
pub use subject::{ArmFiles, Subject, Workshop};
pub use tree::{Outcome, Setup, Tests, Tree};
pub use verdict::{AssertionFinding, AssertionVerdict, CaseFinding, CaseVerdict, Cause};

use crate::suite::{Case, Provenance};
