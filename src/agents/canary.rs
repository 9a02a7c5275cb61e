//! The canary: instructions that demand a nonce. An agent that answers with it has proved that what is written in the
//! mutated instructions reaches its model.

use crate::transcript::Transcript;

/// The prompt's text, with a place for the nonce.
const TEXT: &str = include_str!("../../prompts/canary.md");
const PLACE: &str = "{{ nonce }}";

/// Instructions that ask for exactly `nonce`, whatever the input is.
pub fn canary_text(nonce: &str) -> String {
    TEXT.replace(PLACE, nonce)
}

/// True where the reply, or a field, holds the nonce. More words around it are no counter-evidence: whoever repeats the
/// nonce has read it.
pub fn echoes(transcript: &Transcript, nonce: &str) -> bool {
    let nonce = nonce.trim().to_lowercase();
    let holds = |text: &str| !nonce.is_empty() && text.to_lowercase().contains(&nonce);
    transcript.reply.as_deref().is_some_and(holds)
        || transcript.fields.values().any(|value| value.as_str().is_some_and(holds))
}

/// The nonce that some canary text demands; what the scripted agent obeys.
pub(crate) fn demanded_nonce(instructions: &str) -> Option<&str> {
    let (before, _) = TEXT.split_once(PLACE)?;
    let line = before.rsplit('\n').next()?.trim();
    let (_, after) = instructions.split_once(line)?;
    after.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nonce_is_found_again_in_the_canary_text() {
        let text = canary_text("kx-4471");
        assert!(text.contains("kx-4471") && !text.contains("{{"));
        assert_eq!(demanded_nonce(&text), Some("kx-4471"));
        assert_eq!(demanded_nonce(&format!("# Other file\n\nBe kind.\n\n{text}\n\nMore.")), Some("kx-4471"));
        assert_eq!(demanded_nonce("Be kind."), None);
    }

    #[test]
    fn a_reply_echoes_when_the_nonce_stands_in_it() {
        assert!(echoes(&Transcript::text("kx-4471"), "kx-4471"));
        assert!(echoes(&Transcript::text("Sure: **KX-4471**."), "kx-4471"));
        assert!(!echoes(&Transcript::text("How can I help?"), "kx-4471"));
        assert!(!echoes(&Transcript::default(), "kx-4471"));
        assert!(!echoes(&Transcript::text("anything"), ""));
    }
}
