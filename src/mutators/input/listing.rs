//! What a listing of the mutators says of each.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Kind, Mutator};

/// One mutator, as `mutate mutators --format json` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MutatorEntry {
    /// Pack and name.
    pub name: String,
    pub kind: Kind,
    /// Whether it takes part where nobody names mutators or kinds.
    pub default: bool,
    /// Whether a reader of the variant is surely asked for the same thing.
    pub keeps_meaning: bool,
    /// Codes of the languages that it fits; empty for any.
    pub languages: Vec<String>,
    /// One sentence.
    pub does: String,
    /// `null` where the pack gives none, or where the mutator makes nothing of it.
    pub example: Option<Example>,
    /// The suite's file that it comes from, relative to the suite; `null` for one that comes with the program.
    pub file: Option<String>,
}

/// An input, and a variant of it that was made for the listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Example {
    pub input: String,
    pub variant: String,
}

impl MutatorEntry {
    /// The entry of one mutator, its example made now.
    pub fn of(mutator: &Mutator) -> MutatorEntry {
        MutatorEntry {
            name: mutator.name().to_owned(),
            kind: mutator.kind(),
            default: mutator.default_on(),
            keeps_meaning: mutator.keeps_meaning(),
            languages: mutator.languages().to_vec(),
            does: mutator.describe().to_owned(),
            example: mutator.example().map(|(input, variant)| Example { input, variant }),
            file: mutator.file().map(|file| file.display().to_string()),
        }
    }
}
