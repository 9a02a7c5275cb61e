//! What people and programs read. One file a format. A report computes no verdict; only this folder prints.

mod calibration;
mod escape;
mod export;
mod json;
mod markdown;
mod mutators;
mod output;
mod progress;
mod rates;
mod show;
mod terminal;
mod word_diff;

pub use calibration::{calibration, calibration_markdown};
pub use escape::{plain, short};
pub use export::{promptfoo, variant_lines};
pub use json::json;
pub use markdown::{attribution_markdown, coverage_markdown, inputs_markdown, matchers_markdown, rules_markdown};
pub use mutators::{mutators, mutators_markdown};
pub use output::{Output, OutputError, add_to_file, errors, replace_text};
pub use progress::ProgressLine;
pub use show::{Recorded, ShownArm, ShownTrial, show};
pub use terminal::{attribution, attribution_plan, coverage, inputs, inputs_plan, matchers, pins, plan, rules};
pub use word_diff::word_diff;

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
