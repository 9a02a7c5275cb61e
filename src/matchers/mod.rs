//! What a case expects of a transcript. One file a family. A matcher knows no agent, no study and no suite.
//!
//! A matcher is made from the YAML value under its kind's name ([`parse`]) and judges transcripts ([`Matcher::judge`]).
//! Adding one is a new file and one line in the list of kinds.

use crate::source::{Diagnostics, Node};
use crate::transcript::Transcript;

/// What an assertion says of one transcript.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Holds(Finding),
    Fails(Finding),
    /// The transcript can't settle it (tools are not reported, the reply was cut): never a pass, never a fail.
    NotAssessable(String),
}

/// What was looked for, what was found, and where.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Finding {
    /// One sentence for a person: `"30 days" is not in the reply`.
    pub reason: String,
    /// The text that settled it, shortened, where there is one.
    pub found: Option<String>,
    /// Byte range in the reply, where it was found there.
    pub at: Option<std::ops::Range<usize>>,
    /// A near miss that a person should know of ("4021" would have matched under `lenient_types`).
    pub note: Option<String>,
}

impl Outcome {
    /// `Some(true)` holds, `Some(false)` fails, `None` is not assessable.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Outcome::Holds(_) => Some(true),
            Outcome::Fails(_) => Some(false),
            Outcome::NotAssessable(_) => None,
        }
    }

    /// Why, in one sentence.
    pub fn reason(&self) -> &str {
        match self {
            Outcome::Holds(finding) | Outcome::Fails(finding) => &finding.reason,
            Outcome::NotAssessable(reason) => reason,
        }
    }
}

/// One check.
pub trait Matcher: Send + Sync + std::fmt::Debug {
    /// The name under `expect:`, in its canonical spelling.
    fn kind(&self) -> &'static str;
    /// The check in a few words, for a report's line: `"30 days"`, `create_refund`, `status = "open"`.
    fn describe(&self) -> String;
    fn judge(&self, transcript: &Transcript) -> Outcome;
    /// Texts that this check is about (needles, arguments, tool names): protected in inputs, avoided in control rules.
    fn literals(&self) -> Vec<String>;
}

/// The matcher that `kind: value` means, or `None` with diagnostics. An unknown kind is a diagnostic with the nearest
/// known one.
pub fn parse(_kind: &Node, _value: &Node, _diagnostics: &mut Diagnostics) -> Option<Box<dyn Matcher>> {
    None
}
