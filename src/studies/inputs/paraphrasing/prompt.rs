//! What a helper is told, and how a message is put before it.

use crate::agents::fence::Fence;
use crate::agents::{InstructionFile, only_slots};
use crate::mutators::input::{Subject, Why, protected};

/// The prompt that comes with the program.
const TEXT: &str = include_str!("../../../../prompts/paraphrase.md");
const PLACE: &str = "{{ wanted }}";

/// The instructions for a helper model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt(String);

impl Default for Prompt {
    /// The one that comes with the program.
    fn default() -> Prompt {
        Prompt(TEXT.to_owned())
    }
}

impl Prompt {
    /// A suite's own prompt. `{{ wanted }}` stands for the number of paraphrases; it need not be there, since every
    /// message is followed by that number.
    ///
    /// # Errors
    /// What is wrong: nothing in it, or another slot in braces, which nobody fills.
    pub fn of_text(text: &str) -> Result<Prompt, String> {
        only_slots(text, &[PLACE])?;
        Ok(Prompt(text.to_owned()))
    }

    /// As the one instruction file of a request.
    pub(super) fn file(&self, wanted: usize) -> InstructionFile {
        let text = self.0.replace(PLACE, &wanted.to_string());
        InstructionFile { path: "prompts/paraphrase.md".into(), bytes: text.as_bytes().to_vec(), text }
    }
}

/// The frame around one message.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    fence: Fence,
    /// What must be kept byte for byte, in order, as often as it stands there.
    keep: Vec<String>,
    /// The words that negate or count.
    limits: Vec<String>,
}

impl Frame {
    pub(super) fn new(subject: &Subject) -> Frame {
        let mut frame = Frame { fence: Fence::around(&[subject.input]), keep: vec![], limits: vec![] };
        for span in protected(subject) {
            match span.why {
                Why::Opening => {}
                Why::Guard => frame.limits.push(subject.input[span.range].to_owned()),
                _ => frame.keep.push(subject.input[span.range].to_owned()),
            }
        }
        frame
    }

    /// Whether a text repeats a part of the frame, with its mark or without.
    pub(super) fn shows_in(&self, text: &str) -> bool {
        text.contains(self.fence.mark()) || text.contains("</message")
    }

    /// The message as data, what is asked of it last: `taken` are texts that were written before, `refused` what was
    /// wrong with some of them.
    pub(super) fn around(&self, input: &str, wanted: usize, taken: &[String], refused: &[String]) -> String {
        let lists = [("keep", self.keep.as_slice()), ("limits", &self.limits), ("taken", taken), ("refused", refused)];
        let text = self.fence.tagged("message", input) + &self.fence.lists(&lists);
        let number = if wanted == 1 { "1 paraphrase".to_owned() } else { format!("{wanted} paraphrases") };
        text + &format!("\nWrite {number} of this message, as one JSON array of strings.")
    }
}
