//! What changes instructions (rule mutators), inputs and transcripts. A mutator is a function from a text to another
//! text or to a refusal with a reason; it knows no case, no agent and no study, and it never guesses.

pub mod input;
mod language;
pub mod rule;
pub mod transcript;
