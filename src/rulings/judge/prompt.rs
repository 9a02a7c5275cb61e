//! What a judge is told, and how the text to be judged is put before it.

use serde_json::{Value, json};

use crate::agents::fence::Fence;
use crate::agents::{InstructionFile, only_slots};
use crate::matchers::Criteria;
use crate::transcript::Transcript;

/// The prompt that comes with the program.
const TEXT: &str = include_str!("../../../prompts/judge.md");
const CRITERIA: &str = "{{ criteria }}";
const LABELS: &str = "{{ labels }}";

/// The instructions for a model that judges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt(String);

impl Default for Prompt {
    /// The one that comes with the program.
    fn default() -> Prompt {
        Prompt(TEXT.to_owned())
    }
}

impl Prompt {
    /// A suite's own prompt, with a place for the criteria and one for the labels. The text to be judged always follows
    /// in a message of its own.
    ///
    /// # Errors
    /// What is wrong: no such place, so that the model would judge by nothing, or a slot that nobody fills.
    pub fn of_text(text: &str) -> Result<Prompt, String> {
        for slot in [CRITERIA, LABELS] {
            if !text.contains(slot) {
                return Err(format!("it has no `{slot}`: the judge would not know what it judges by"));
            }
        }
        only_slots(text, &[CRITERIA, LABELS])?;
        Ok(Prompt(text.to_owned()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// As the one instruction file of a request. The criteria go in last, since they may hold braces of their own.
    pub(super) fn file(&self, criteria: &Criteria) -> InstructionFile {
        let labels = criteria.labels.iter().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(", ");
        let text = self.0.replace(LABELS, &labels).replace(CRITERIA, &criteria.text);
        InstructionFile { path: "prompts/judge.md".into(), bytes: text.as_bytes().to_vec(), text }
    }
}

/// What of a transcript a judge gets to see: what was asked, the reply, values beside it, and the tool calls where tools
/// are judged.
pub(in crate::rulings) fn shown(transcript: &Transcript, show_tools: bool) -> Value {
    let calls = transcript.tool_calls.as_ref().filter(|_| show_tools);
    json!({ "asked": transcript.asked.as_deref(), "reply": transcript.reply, "tool_calls": calls, "fields": transcript.fields })
}

/// The message: the text to be judged as data, and what is asked of it last.
pub(super) fn question(criteria: &Criteria, transcript: &Transcript) -> String {
    let reply = transcript.reply.as_deref().unwrap_or_default();
    let calls = transcript.tool_calls.as_ref().filter(|_| criteria.show_tools).map(pretty);
    let fields = (!transcript.fields.is_empty()).then(|| pretty(&transcript.fields));
    let asked = transcript.asked.as_deref();
    let earlier = asked.map(|asked| &asked.conversation).filter(|turns| !turns.is_empty()).map(pretty);
    let input = asked.map(|asked| asked.input.as_str());
    let texts = [earlier.as_deref(), input, Some(reply), calls.as_deref(), fields.as_deref()];
    let fence = Fence::around(&texts.into_iter().flatten().collect::<Vec<&str>>());
    let mut message = String::new();
    for (name, text) in [("earlier-turns", earlier.as_deref()), ("customer-message", input)] {
        if let Some(text) = text {
            message += &fence.tagged(name, text);
        }
    }
    if reply.trim().is_empty() {
        message += "The assistant gave no reply: it is empty.\n";
    }
    message += &fence.tagged("reply", reply);
    for (name, text) in [("tool-calls", &calls), ("fields", &fields)] {
        if let Some(text) = text {
            message += &fence.tagged(name, text);
        }
    }
    let labels = criteria.labels.iter().map(|label| format!("\"{label}\"")).collect::<Vec<_>>().join(" or ");
    message += &format!("\nJudge it. Answer with one JSON object: {{\"reason\": \"…\", \"label\": {labels}}}.");
    message
}

fn pretty<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).expect("a transcript holds only text, numbers and lists")
}
