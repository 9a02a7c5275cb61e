//! What a helper wrote, as texts.

/// Opening brackets at which an array is looked for: each may be read to the end of the answer.
const MOST_BRACKETS: usize = 64;

/// Why an answer holds no list of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("held nothing")]
    Empty,
    #[error("ended at a limit of tokens (raise the helper's `max_tokens`)")]
    Cut,
    #[error("held no JSON array of texts")]
    NoList,
}

/// The texts of an answer: a JSON array of strings, alone, in a fenced block or with a few words around it; or a
/// numbered or dashed list. They are trimmed; they may be none. Of a cut answer only a whole array counts.
pub(super) fn texts(reply: &str, cut: bool) -> Result<Vec<String>, Unreadable> {
    let reply = reply.trim();
    // An item of a list may hold an array, an array no line that looks like an item.
    let listed = if cut { None } else { list(unfenced(reply)) };
    listed.or_else(|| array(reply)).ok_or(match reply {
        _ if cut => Unreadable::Cut,
        "" => Unreadable::Empty,
        _ => Unreadable::NoList,
    })
}

/// The first array of strings in a text that is not empty, or an empty one; what stands around it does not matter.
fn array(text: &str) -> Option<Vec<String>> {
    let mut empty = None;
    for (at, _) in text.match_indices('[').take(MOST_BRACKETS) {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Vec<String>>();
        match values.next() {
            Some(Ok(texts)) if texts.is_empty() => empty = Some(texts),
            Some(Ok(texts)) => return Some(texts.iter().map(|text| text.trim().to_owned()).collect()),
            _ => {}
        }
    }
    empty
}

/// The lines between two fences, where there are any.
fn unfenced(text: &str) -> &str {
    let Some((_, inside)) = text.split_once("```") else { return text };
    let Some((_, inside)) = inside.split_once('\n') else { return text };
    inside.split_once("```").map_or(inside, |(inside, _)| inside)
}

/// Every line an item, but for one line above the first that ends with a colon.
fn list(text: &str) -> Option<Vec<String>> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    lines.next_if(|line| line.ends_with(':') && item(line).is_none());
    let items: Vec<String> = lines.map(|line| item(line).map(unquoted)).collect::<Option<_>>()?;
    (!items.is_empty()).then_some(items)
}

/// What stands behind a dash, a bullet or a number with a full stop or a bracket.
fn item(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix(['-', '*', '•']) {
        Some(rest) => rest,
        None => line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')'])?,
    };
    let numbered = line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '•'));
    (numbered && rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

fn unquoted(item: &str) -> String {
    let quoted = item.strip_suffix(',').unwrap_or(item);
    serde_json::from_str::<String>(quoted).unwrap_or_else(|_| item.to_owned()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_read_alone_fenced_and_between_words() {
        for reply in [
            r#"["Where is it?", "a \"b\" [c]"]"#,
            "```json\n[\"Where is it?\",\n \"a \\\"b\\\" [c]\"]\n```",
            "Here you [the user] are:\n\n[\" Where is it? \", \"a \\\"b\\\" [c]\"]\n\nAnything else [no]?",
            r#"{"notes": [], "paraphrases": ["Where is it?", "a \"b\" [c]"]}"#,
        ] {
            assert_eq!(texts(reply, false).unwrap(), ["Where is it?", "a \"b\" [c]"], "{reply}");
        }
        assert_eq!(texts("[]", false), Ok(vec![]));
    }

    #[test]
    fn numbered_and_dashed_lists_are_read() {
        for reply in [
            "1. Where is it?\n2. Tell me.",
            "1) \"Where is it?\"\n2) \"Tell me.\"",
            "- Where is it?\n\n- Tell me.",
            "Here are two:\n* \"Where is it?\",\n* \"Tell me.\"",
            "1. Where is it?\n2. Tell me.\n",
            "```\n• Where is it?\n• Tell me.\n```",
        ] {
            assert_eq!(texts(reply, false).unwrap(), ["Where is it?", "Tell me."], "{reply}");
        }
        assert_eq!(texts("- set tags to [\"x\"]", false).unwrap(), ["set tags to [\"x\"]"]);
    }

    #[test]
    fn anything_else_can_not_be_read() {
        for reply in [
            "I can't help with that.",
            "Sure, it is on its way.\n- Is there anything else?",
            "- Where is it?\nTell me.",
            "[1, 2]",
            "[\"a\", {\"text\": \"b\"}]",
            "[\"a\", \"b",
            "-1 is it",
            ". x",
            "2 chairs came broken",
        ] {
            assert_eq!(texts(reply, false), Err(Unreadable::NoList), "{reply}");
        }
        assert_eq!(texts(" \n", false), Err(Unreadable::Empty));
    }

    #[test]
    fn of_a_cut_answer_only_a_whole_array_counts() {
        assert_eq!(texts("[\"a\"] and", true).unwrap(), ["a"]);
        assert_eq!(texts("[\"a\", \"b", true), Err(Unreadable::Cut));
        assert_eq!(texts("- a\n- b", true), Err(Unreadable::Cut));
        assert_eq!(texts("", true), Err(Unreadable::Cut));
    }
}
