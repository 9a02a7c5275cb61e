use serde_json::Value;

use super::settings::ReplyFormat;
use crate::agents::{AskError, Fault, Retry};
use crate::transcript::{Transcript, messages};

/// Any of these makes a JSON object on the last line a transcript.
const TELLING: [&str; 5] = ["reply", "tool_calls", "fields", "messages", "error"];

/// The transcript that a program printed. Nothing at all is an empty reply; invalid UTF-8 is replaced.
pub(super) fn transcript(stdout: &[u8], format: ReplyFormat) -> Result<Transcript, AskError> {
    let text = String::from_utf8_lossy(stdout);
    let printed = text.trim_end_matches(['\n', '\r']);
    let last_line = printed.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let json = |text: &str| serde_json::from_str::<Value>(text.trim()).ok();
    let telling = |value: &Value| value.as_object().is_some_and(|map| TELLING.iter().any(|key| map.contains_key(*key)));
    let value = match format {
        ReplyFormat::Text => None,
        // All of it first: a transcript may be printed over several lines.
        ReplyFormat::Auto => [printed, last_line].into_iter().find_map(|text| json(text).filter(telling)),
        ReplyFormat::Json => match json(printed).or_else(|| json(last_line)) {
            Some(value) => Some(value),
            None => return Err(malformed(format!("stdout is no JSON: {}", start(printed)))),
        },
    };
    let Some(value) = value else { return Ok(Transcript::text(printed)) };
    let hint = match format {
        ReplyFormat::Auto => " (set `reply: text` where JSON is the answer itself)",
        _ => "",
    };
    let transcript =
        messages::from_json(value).map_err(|reason| malformed(format!("the transcript on stdout: {reason}{hint}")))?;
    match transcript.error {
        Some(message) => {
            Err(AskError { fault: Fault::Reported, message: format!("the agent reports: {message}"), retry: Retry::No })
        }
        None => Ok(transcript),
    }
}

fn malformed(message: String) -> AskError {
    AskError { fault: Fault::Malformed, message, retry: Retry::No }
}

fn start(text: &str) -> String {
    if text.trim().is_empty() { "it is empty".to_owned() } else { text.chars().take(200).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(text: &str) -> Transcript {
        transcript(text.as_bytes(), ReplyFormat::Auto).unwrap()
    }

    #[test]
    fn plain_text_is_the_reply_without_its_last_newline() {
        assert_eq!(auto("No refund.\n"), Transcript::text("No refund."));
        assert_eq!(auto("  One\n\nTwo\r\n"), Transcript::text("  One\n\nTwo"));
        assert_eq!(transcript(b"caf\xe9\n", ReplyFormat::Auto).unwrap(), Transcript::text("caf\u{fffd}"));
    }

    #[test]
    fn nothing_is_silence_and_no_error() {
        assert_eq!(auto(""), Transcript::text(""));
        assert!(auto("\n").is_silent());
    }

    #[test]
    fn a_transcript_is_the_last_line_or_all() {
        let read = auto("loading…\n{\"reply\": \"No.\", \"tool_calls\": []}\n\n");
        assert_eq!((read.reply.as_deref(), read.tool_calls), (Some("No."), Some(vec![])));
        assert_eq!(auto("{\n  \"reply\": \"No.\"\n}\n").reply.as_deref(), Some("No."));
    }

    #[test]
    fn json_that_is_no_transcript_is_the_reply() {
        assert_eq!(auto("{\"status\": \"open\"}").reply.as_deref(), Some("{\"status\": \"open\"}"));
        let text = transcript(b"{\"reply\": 1}", ReplyFormat::Text).unwrap();
        assert_eq!(text.reply.as_deref(), Some("{\"reply\": 1}"));
    }

    #[test]
    fn a_broken_transcript_and_a_reported_error_are_errors() {
        let broken = transcript(b"{\"reply\": \"x\", \"tool_cals\": []}", ReplyFormat::Auto).unwrap_err();
        assert_eq!(broken.fault, Fault::Malformed);
        assert!(broken.message.contains("did you mean `tool_calls`?") && broken.message.contains("reply: text"));
        let told = transcript(b"{\"error\": \"quota\"}", ReplyFormat::Auto).unwrap_err();
        assert_eq!((told.fault, told.message.as_str()), (Fault::Reported, "the agent reports: quota"));
        assert_eq!(transcript(b"hm", ReplyFormat::Json).unwrap_err().fault, Fault::Malformed);
    }

    #[test]
    fn foreign_shapes_are_read_on_demand() {
        let line = br#"[{"role": "user", "content": "x"}, {"role": "assistant", "content": "No."}]"#;
        assert_eq!(transcript(line, ReplyFormat::Json).unwrap().reply.as_deref(), Some("No."));
    }
}
