//! The questions. A study is a pure state machine over outcomes: it says which trials it wants, or its verdicts. It
//! does no I/O.

mod exit;
pub mod inputs;
pub mod matchers;
mod result;
pub mod rules;

pub use exit::{ExitCode, Standing};
pub use result::{AgentLine, Heading, Report, Summary};
