//! For a pull request's comment or a job's summary. One file a study.

mod attribution;
mod coverage;
mod inputs;
mod matchers;
mod rules;

pub use attribution::attribution as attribution_markdown;
pub use coverage::markdown as coverage_markdown;
pub use inputs::inputs as inputs_markdown;
pub use matchers::matchers as matchers_markdown;
pub use rules::markdown as rules_markdown;

use std::fmt::Write as _;

use super::escape::markdown as escape;
use crate::studies::Summary;

/// Notes, the line of sum, and why the exit code is not 0.
fn write_end(out: &mut String, notes: &[String], sum: &str, summary: &Summary) {
    for note in notes {
        let _ = writeln!(out, "- {}", escape(note));
    }
    let _ = writeln!(out, "\n{}", escape(sum));
    if let Some(reason) = &summary.exit_reason {
        let _ = writeln!(out, "\nexit {}: {}", summary.exit_code, escape(reason));
    }
}
