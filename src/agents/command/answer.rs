use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::settings::ReplyFormat;
use crate::agents::{AskError, Fault, Retry};
use crate::transcript::{Transcript, messages};

/// Any of these makes a JSON object on the last line a transcript.
const TELLING: [&str; 5] = ["reply", "tool_calls", "fields", "messages", "error"];

const HINT: &str = " (set `reply: text` where JSON is the answer itself)";

/// The transcript that a program printed. Nothing at all is an empty reply; invalid UTF-8 is replaced.
///
/// What begins like a transcript and can't be read as JSON (cut off by a crash, printed as a Python dict) is no reply:
/// words of the agent stand in it that it never said alone.
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
            None => {
                let reason = serde_json::from_str::<IgnoredAny>(printed).err().map(|error| format!(" ({error})"));
                return Err(malformed(format!("stdout is no JSON{}: {}", reason.unwrap_or_default(), start(printed))));
            }
        },
    };
    let Some(value) = value else {
        return match format {
            ReplyFormat::Auto => match broken_transcript(printed, last_line) {
                Some((reason, text)) => {
                    let message = format!("stdout begins like a transcript, but it is no JSON: {reason}{HINT}");
                    Err(malformed(format!("{message}: {}", start(text))))
                }
                None => Ok(Transcript::text(printed)),
            },
            _ => Ok(Transcript::text(printed)),
        };
    };
    let hint = if format == ReplyFormat::Auto { HINT } else { "" };
    let only_error = value.as_object().is_some_and(|map| map.len() == 1);
    let transcript =
        messages::from_json(value).map_err(|reason| malformed(format!("the transcript on stdout: {reason}{hint}")))?;
    match transcript.error {
        Some(message) => {
            // Beside other keys of a transcript it is surely one.
            let hint = if only_error { hint } else { "" };
            let message = format!("the agent reports: {message}{hint}");
            Err(AskError { fault: Fault::Reported, message, retry: Retry::No })
        }
        None => Ok(transcript),
    }
}

/// Why what was printed is no JSON, and the piece that is not, where that piece begins like a transcript: all of it, its
/// last line, or what stands from its last line that opens an object up to an end that comes too early.
fn broken_transcript<'t>(printed: &'t str, last_line: &'t str) -> Option<(serde_json::Error, &'t str)> {
    let opened = printed.rfind("\n{").map_or("", |at| &printed[at + 1..]);
    [(printed, false), (last_line, false), (opened, true)].into_iter().find_map(|(text, only_cut)| {
        let text = text.trim();
        let inner = text.strip_prefix('{')?.trim_start();
        let error = serde_json::from_str::<IgnoredAny>(text).err().filter(|error| !only_cut || error.is_eof())?;
        let mut keys = vec![];
        let _ = Keys(&mut keys).deserialize(&mut serde_json::Deserializer::from_str(text));
        // A Python dict has its keys in other quotes, a JavaScript object in none.
        let word = inner.trim_start_matches(['\'', '"']);
        let first = &word[..word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len())];
        let assigned = word[first.len()..].trim_start_matches(['\'', '"']).trim_start().starts_with(':');
        let telling = |key: &str| TELLING.contains(&key);
        (keys.iter().any(|key| telling(key)) || (assigned && telling(first))).then_some((error, text))
    })
}

/// Collects the keys of an object up to where it can't be read any more.
struct Keys<'k>(&'k mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.push(key);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
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
        assert_eq!(told.fault, Fault::Reported);
        assert!(told.message.starts_with("the agent reports: quota (set `reply: text`"), "{}", told.message);
        let told = transcript(b"{\"reply\": null, \"error\": \"quota\"}", ReplyFormat::Auto).unwrap_err();
        assert_eq!(told.message, "the agent reports: quota");
        assert_eq!(transcript(b"hm", ReplyFormat::Json).unwrap_err().fault, Fault::Malformed);
    }

    #[test]
    fn what_begins_like_a_transcript_and_is_no_json_is_malformed() {
        for (text, reason) in [
            ("{\"reply\":\"line one\",\"tool_calls\":[{\"name\":", "EOF while parsing"),
            ("{\"reply\":\"line one", "EOF while parsing a string"),
            ("loading\n{\"usage\": {}, \"reply\": \"No", "EOF while parsing a string"),
            ("loading\n{\n  \"reply\": \"No.\",\n  \"tool_calls\": [\n", "EOF while parsing"),
            ("{\"reply\": \"line one\nline two\"}", "control character"),
            ("{\"reply\": \"No.\"}\nbye", "trailing characters"),
            ("{'reply': 'No.', 'tool_calls': []}", "key must be a string"),
            ("ready\n{reply: \"No.\"}\n", "key must be a string"),
        ] {
            let error = transcript(text.as_bytes(), ReplyFormat::Auto).unwrap_err();
            assert_eq!(error.fault, Fault::Malformed, "{text}");
            assert!(error.message.contains(reason) && error.message.contains("`reply: text`"), "{}", error.message);
            assert_eq!(transcript(text.as_bytes(), ReplyFormat::Text).unwrap(), Transcript::text(text.trim_end()));
        }
        let unread = transcript(b"{\"reply\": \"x", ReplyFormat::Json).unwrap_err();
        assert!(unread.message.contains("EOF while parsing a string"), "{}", unread.message);
    }

    #[test]
    fn braces_that_open_no_transcript_are_text() {
        for text in [
            "{\"status\": \"open\", \"note",
            "{reply} is a placeholder",
            "{replying: now}",
            "{\"note\": \"the key \\\"reply\\\": is missing",
            "Send this:\n{\"reply\": \"x\"}\nand wait.",
            "{",
            "{}{",
        ] {
            assert_eq!(auto(text), Transcript::text(text), "{text}");
        }
    }

    #[test]
    fn foreign_shapes_are_read_on_demand() {
        let line = br#"[{"role": "user", "content": "x"}, {"role": "assistant", "content": "No."}]"#;
        assert_eq!(transcript(line, ReplyFormat::Json).unwrap().reply.as_deref(), Some("No."));
    }
}
