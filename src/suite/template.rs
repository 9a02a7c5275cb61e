//! `{{…}}` in texts that are sent as they stand.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use crate::source::{Diagnostics, Node, Place};

/// A slot that some template engine was meant to fill: a name, perhaps with filters or a path. `{{"a": 1}}` and other
/// braces are none.
static SLOT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{\{[-~]?\s*[\p{L}_$][\w .$|\-\[\]()'\x22]{0,80}?\s*[-~]?\}\}")
        .expect("the pattern is fixed and valid")
});

/// An error where a text holds a slot that nobody fills: an agent would answer politely about the braces.
pub(super) fn check(key: &str, text: &Node, case: &str, diagnostics: &mut Diagnostics) {
    let Some(slot) = text.text().and_then(|text| SLOT.find(text)) else { return };
    let slot = slot.as_str();
    let place = within(&text.place, slot);
    let case = if case.is_empty() { "a case".to_owned() } else { format!("case `{case}`") };
    let error = diagnostics.error(&place, format!("`{slot}` in the {key} of {case} is filled by nobody"));
    error.label = "the agent would be sent these braces".to_owned();
    error.help.push("texts of a case are sent as they stand: write the value here".to_owned());
    error.help.push("or say `literal: true` in the case, if the agent should see the braces".to_owned());
}

/// The place of `part` inside a larger place, where it stands there in the same spelling.
fn within(place: &Place, part: &str) -> Place {
    let source = place.file.text.get(place.span.clone()).unwrap_or_default();
    match source.find(part) {
        Some(at) => {
            let start = place.span.start + at;
            Place { file: Arc::clone(&place.file), span: start..start + part.len() }
        }
        None => place.clone(),
    }
}
