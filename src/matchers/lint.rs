//! Patterns that say something else than they seem to.

use crate::source::{Diagnostics, Node};

/// Warns of an alternation whose first branch alone has the opening anchor and whose last alone the closing one:
/// `\bthe|a\b` is `\bthe` or `a\b`, not one of two whole words.
pub fn alternation(pattern: &str, value: &Node, diagnostics: &mut Diagnostics) {
    let branches = branches(pattern);
    let [first, .., last] = branches.as_slice() else { return };
    for (open, close) in [(r"\b", r"\b"), ("^", "$")] {
        let body = |branch: &str| branch.strip_prefix(open).unwrap_or(branch).to_owned();
        let opens = |branch: &str| branch.starts_with(open);
        let closes = |branch: &str| branch.ends_with(close) && !branch.ends_with(&format!(r"\{close}"));
        if opens(first) && !closes(&body(first)) && !opens(last) && closes(last) {
            let message =
                format!("`{pattern}`: `{open}` and `{close}` belong to the first and the last alternative only");
            let inner = pattern.strip_prefix(open).unwrap_or(pattern);
            let inner = inner.strip_suffix(close).unwrap_or(inner);
            let help = format!("if all alternatives are meant, write `{open}(?:{inner}){close}`");
            diagnostics.warning(&value.place, message).help.push(help);
            return;
        }
    }
}

/// The alternatives at the top of a pattern.
fn branches(pattern: &str) -> Vec<&str> {
    let (mut depth, mut class, mut from) = (0_usize, false, 0);
    let mut found = vec![];
    let mut chars = pattern.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '[' => class = true,
            ']' => class = false,
            '(' if !class => depth += 1,
            ')' if !class => depth = depth.saturating_sub(1),
            '|' if !class && depth == 0 => {
                found.push(&pattern[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&pattern[from..]);
    found
}
