use serde::Serialize;

/// Any result as indented JSON with a final line break.
pub fn json<T: Serialize>(result: &T) -> String {
    let mut text = serde_json::to_string_pretty(result).expect("results hold only text, numbers and lists");
    text.push('\n');
    text
}
