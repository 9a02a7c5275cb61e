use serde::Serialize;

const WRITABLE: &str = "results hold only text, numbers and lists";

/// Any result as indented JSON with a final line break.
pub fn json<T: Serialize>(result: &T) -> String {
    let mut text = serde_json::to_string_pretty(result).expect(WRITABLE);
    text.push('\n');
    text
}

/// The same on one line.
pub fn json_line<T: Serialize>(result: &T) -> String {
    let mut text = serde_json::to_string(result).expect(WRITABLE);
    text.push('\n');
    text
}
