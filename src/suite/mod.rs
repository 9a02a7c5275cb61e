//! Configuration and cases, loaded strictly.
//!
//! Asked of this folder: [`load`] the suite that a folder belongs to. Every mistake of `mutate.yaml`, of all case files
//! and of the list of instruction files comes back in one go, with its place; a suite comes back only when there is none.
//! Each foreign spelling of a case is translated here (`import_*.rs`, one file a family) and nowhere else. This folder
//! never asks an agent, never judges a transcript, and never looks for a quote inside the instructions.

mod case;
mod config;
mod decode_case;
mod decode_config;
mod draft;
mod expect;
mod files;
mod id;
mod import_actions;
mod import_asserted;
mod import_golden;
mod import_graded;
mod import_labeled;
mod import_prompted;
mod includes;
mod load;
mod pass_if;
mod pin;
mod reviewed;
mod samples;
pub mod schema;
mod template;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::source::{Diagnostics, Place};

pub use case::{Assertion, Case, PassIf, Provenance, Rule, Sample};
pub use config::{Accepted, AgentEntry, Config, DesignConfig, GATE_VERDICTS, Gate, Gates, Limits, Price};
pub use draft::{DRAFT_SUFFIX, DraftRule, draft, draft_id};
pub use load::{CONFIG_NAME, DEFAULT_CASES};
pub use pin::{Pin, PinnedFile, Unpinned, pin, pin_line};
pub use reviewed::{Reviewed, ReviewedVariant, VARIANTS_SUFFIX, entry, head, reviewed_name};

/// A folder with `mutate.yaml`, cases and instruction files, all of them read.
#[derive(Debug)]
pub struct Suite {
    /// The folder of `mutate.yaml`, absolute.
    pub root: PathBuf,
    pub config: Config,
    /// In the order of files and within them.
    pub cases: Vec<Case>,
    /// In the order of `mutate.yaml`, those of one glob sorted; then the files that these include.
    pub instructions: Vec<InstructionSource>,
    /// Variants of inputs that people have reviewed, by the case's id.
    pub reviewed: BTreeMap<String, Reviewed>,
    /// Files with drafts of cases, which are not read: in the order of their names.
    pub drafts: Vec<PathBuf>,
}

/// One instruction file as it lies on the disk.
#[derive(Debug, Clone)]
pub struct InstructionSource {
    /// Relative to the suite's root, with forward slashes.
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// Where `mutate.yaml` names it, or another instruction file includes it.
    pub place: Option<Place>,
}

/// What [`load`] found.
#[derive(Debug)]
pub struct Loaded {
    /// `None` where there are errors.
    pub suite: Option<Suite>,
    /// May hold warnings although there is a suite.
    pub diagnostics: Diagnostics,
}

/// Loads the suite that `start` names: a folder in which, or above which, `mutate.yaml` lies, or the path of a
/// configuration file. `environment` gives the values for `${NAME}`.
///
/// Every mistake is reported, not only the first; none is found by asking an agent.
pub fn load(start: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Loaded {
    load::load_with(start, environment, &crate::matchers::parse)
}

/// The same for who is about to write the first cases: a suite without one is loaded too.
pub fn load_without_cases(start: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Loaded {
    load::load_some(start, environment, &crate::matchers::parse, false)
}

/// The configuration file that [`load`] would read; `None` where there is none.
pub fn find(start: &Path) -> Option<PathBuf> {
    load::find_config(start).ok()
}

#[cfg(test)]
mod tests;
