//! Does this case depend on the rule that it quotes?

mod arm;
mod tree;
mod verdict;

pub use arm::Arm;
pub use tree::{Outcome, Setup, Tests, Tree};
pub use verdict::{AssertionFinding, AssertionVerdict, CaseFinding, CaseVerdict};
mod result;
pub use result::*;
