//! What people and programs read. One file a format. A report computes no verdict; only this folder prints.

mod escape;
mod json;
mod markdown;
mod matchers;
mod output;
mod progress;
mod rates;
mod show;
mod terminal;

pub use escape::plain;
pub use json::json;
pub use markdown::markdown;
pub use matchers::{matchers, matchers_markdown};
pub use output::{Output, OutputError, errors};
pub use progress::ProgressLine;
pub use show::{Recorded, ShownArm, ShownTrial, show};
pub use terminal::{plan, rules};

/// The formats of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people, with colours on a terminal
    #[default]
    Terminal,
    /// The whole result, described by `mutate schema`
    Json,
    /// For a pull request's comment or a job's summary
    Markdown,
}
