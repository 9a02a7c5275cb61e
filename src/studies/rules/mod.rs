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
mod coverage;
mod drafting;
mod forecast;
pub mod inverting;
mod quotes;
mod reach;
mod result;
mod revision;
mod statements;
mod study;
mod subject;
mod tree;
mod trials;
mod values;
mod verdict;
mod wording;

pub use arm::Arm;
pub use assemble::assemble;
pub use coverage::{
    CoverageCounts, CoverageHeading, CoverageReport, CoveringCase, FileCoverage, Sensor, StatementCoverage,
    StatementStatus, coverage,
};
pub use drafting::{Quotable, quotable};
pub use forecast::{Forecast, HelperForecast, forecast};
pub use result::*;
pub use revision::{Revision, Step};
pub use statements::{RuleStatement, Statements, rule_statements};
pub use study::{RulesStudy, Settings, nonce};
pub use subject::{ArmFiles, Subject, Workshop};
pub use tree::{Outcome, Setup, Tests, Tree};
pub use verdict::{AssertionFinding, AssertionVerdict, CaseFinding, CaseVerdict, Cause};
pub use wording::Helped;

use crate::suite::{Case, Provenance};
