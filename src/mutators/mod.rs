//! What changes instructions (rule mutators), inputs and transcripts. A mutator is a function from a text to another
//! text or to a refusal with a reason; it knows no case, no agent and no study, and it never guesses.

pub mod input;
mod language;
pub mod rule;
pub mod transcript;

/// Letters and digits, in small letters, one space between words: what is left of a text when its marks don't count.
pub fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}
