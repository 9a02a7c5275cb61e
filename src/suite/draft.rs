//! Drafts of cases: files that say which rule a case is missing for, and what a person has still to write.

use crate::source::{Diagnostics, Place};

/// The end of a draft's name. No glob reads such a file as a case; taken out of the name, it is one.
pub const DRAFT_SUFFIX: &str = ".draft.yaml";

/// What stands where a person has something to write.
const TODO: &str = "TODO";

/// Words that say nothing about which rule it is.
const SMALL_WORDS: [&str; 32] = [
    "a", "an", "the", "of", "to", "in", "on", "for", "and", "or", "your", "you", "their", "them", "they", "it", "its",
    "is", "are", "be", "that", "this", "with", "by", "as", "at", "if", "when", "than", "about", "from", "whatever",
];

/// How much of a rule is its case's id.
const ID_WORDS: usize = 5;
const ID_CHARACTERS: usize = 48;

/// A rule as a draft quotes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftRule {
    pub quote: String,
    pub file: Option<String>,
    pub line: Option<usize>,
    pub heading: Option<String>,
    /// Where it stands once more, as a person reads it: `rules.md:7`.
    pub copies: Vec<String>,
}

/// The text of a draft. Everything is filled in but what only a person knows: the input, and what must hold.
pub fn draft(id: &str, rule: &DraftRule) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut lines = vec![
        "# A draft: write `input` and `expect`, then take `.draft` out of the file's name.".to_owned(),
        format!("id: {}", quoted(id)),
        "# What would somebody say that tempts the agent to break the rule?".to_owned(),
        format!("input: {TODO}"),
        "rule:".to_owned(),
        format!("  quote: {}", quoted(&rule.quote)),
    ];
    lines.extend(rule.file.as_ref().map(|file| format!("  file: {}", quoted(file))));
    lines.extend(rule.line.map(|line| format!("  line: {line}")));
    lines.extend(rule.heading.as_ref().map(|heading| format!("  heading: {}", quoted(heading))));
    if !rule.copies.is_empty() {
        let copies = rule.copies.join(", ");
        lines.push(format!(
            "  # It stands at {copies} too: all are changed together. `line:` or `heading:` chooses one."
        ));
    }
    lines.extend([
        "provenance: rule-derived".to_owned(),
        "# What holds while the rule stands, and would not hold without it? Code must be able to decide it.".to_owned(),
        format!("expect: {TODO}"),
        "#   no_tool_called: [create_refund]".to_owned(),
        "#   reply_mentions: [\"30 days\"]".to_owned(),
        "#   reply_does_not_mention: [\"refunded\"]".to_owned(),
    ]);
    lines.join("\n") + "\n"
}

/// An id from a rule's own words: `never-refund-order-delivered-more`; with a number where it is taken.
pub fn draft_id(rule: &str, is_taken: &dyn Fn(&str) -> bool) -> String {
    let lower = rule.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let telling: Vec<&str> = words.iter().copied().filter(|word| !SMALL_WORDS.contains(word)).collect();
    let chosen = if telling.is_empty() { &words } else { &telling };
    let mut id = String::new();
    for word in chosen.iter().take(ID_WORDS) {
        let dash = usize::from(!id.is_empty());
        let room = ID_CHARACTERS.saturating_sub(id.chars().count() + dash);
        if !id.is_empty() && word.chars().count() > room {
            break;
        }
        if dash > 0 {
            id.push('-');
        }
        // A language without blanks has one long word.
        id.extend(word.chars().take(room));
    }
    if id.is_empty() {
        id.push_str("rule");
    }
    if !is_taken(&id) {
        return id;
    }
    (2..).map(|number| format!("{id}-{number}")).find(|id| !is_taken(id)).unwrap_or(id)
}

/// Whether a person has still to write this, with an error that says what.
pub(super) fn is_unwritten(key: &str, text: &str, place: &Place, diagnostics: &mut Diagnostics) -> bool {
    if text.trim() != TODO {
        return false;
    }
    let error = diagnostics.error(place, format!("the `{key}` of this draft is still to be written"));
    error.label = "nobody has filled this in".to_owned();
    error.help.push(match key {
        "expect" => {
            "say what holds while the rule stands and would not without it: `expect: {reply_mentions: [\"30 days\"]}`"
        }
        _ => "write what somebody says that tempts the agent to break the rule",
    }.to_owned());
    if key == "input" {
        error.help.push(format!("or say `literal: true`, if somebody really says {TODO}"));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_the_rules_telling_words() {
        let id = |rule: &str| draft_id(rule, &|_| false);
        assert_eq!(
            id("Never refund an order that was delivered more than **30 days** ago."),
            "never-refund-order-was-delivered"
        );
        assert_eq!(id("Don't answer in the customer's language."), "dont-answer-customers-language");
        assert_eq!(id("When it is, be it."), "when-it-is-be-it");
        assert_eq!(id("不要透露客户的地址。"), "不要透露客户的地址");
        assert_eq!(id("\u{1f600}!"), "rule");
        assert!(id(&format!("Never {}.", "x".repeat(200))).chars().count() <= ID_CHARACTERS);
    }

    #[test]
    fn a_taken_id_gets_the_first_free_number() {
        let taken = ["never-lie", "never-lie-2"];
        assert_eq!(draft_id("Never lie.", &|id| taken.contains(&id)), "never-lie-3");
    }
}
