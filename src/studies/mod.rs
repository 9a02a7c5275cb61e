//! The questions. A study is a pure state machine over outcomes: it says which trials it wants, or its verdicts. It
//! does no I/O.

mod assess;
pub mod calibration;
pub mod drafting;
mod exit;
mod forecast;
pub mod inputs;
pub mod matchers;
mod result;
pub mod rules;

pub use assess::{Silence, assess};
pub use exit::{ExitCode, Standing};
pub use forecast::{CallRange, CaseForecast, CostRange, Forecasts};
pub use result::{AgentLine, GateStanding, Heading, Report, Summary};
