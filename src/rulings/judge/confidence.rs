//! How sure a judge was of its label, from the probabilities of its tokens.

use crate::agents::Token;

/// The probability of `label` among all labels, 0 to 1, given everything before it in the answer. `None` where the tokens
/// don't tell.
///
/// At each token of the label, the alternatives that lead to this label are set against those that lead to another one;
/// alternatives that lead to no label count for neither. The product over the label's tokens is the result.
pub(super) fn of(label: &str, labels: &[String], tokens: &[Token]) -> Option<f64> {
    let text: String = tokens.iter().map(|token| token.text.as_str()).collect();
    let start = place(label, &text)?;
    let end = start + label.len();
    let chosen = label.to_lowercase();
    let others: Vec<String> = labels.iter().map(|one| one.to_lowercase()).filter(|one| *one != chosen).collect();
    let mut product = None;
    let mut at = 0;
    for token in tokens {
        let (from, to) = (at, at + token.text.len());
        at = to;
        if to <= start || from >= end {
            continue;
        }
        // What of the token stands before the label, and what of the label stands before the token.
        let before = &token.text[..start.saturating_sub(from)];
        let known = text.get(start..from.max(start))?.to_lowercase();
        let (mut ours, mut theirs) = (0.0, 0.0);
        for (alternative, chance) in &token.alternatives {
            let Some(rest) = alternative.strip_prefix(before) else { continue };
            let grown = format!("{known}{}", rest.to_lowercase());
            if leads_to(&grown, &chosen) {
                ours += chance;
            } else if others.iter().any(|other| leads_to(&grown, other)) {
                theirs += chance;
            }
        }
        if ours > 0.0 {
            product = Some(product.unwrap_or(1.0) * ours / (ours + theirs));
        }
    }
    product
}

/// Where the label stands: as the last `"label": "…"`, or as all that was said.
fn place(label: &str, text: &str) -> Option<usize> {
    let stands = |at: usize| {
        let there = text.get(at..at + label.len())?;
        there.eq_ignore_ascii_case(label).then_some(at)
    };
    if let Some(key) = text.rfind("\"label\"") {
        let rest = &text[key + 7..];
        let value = rest.find(|c: char| !c.is_whitespace() && c != ':' && c != '"')?;
        return stands(key + 7 + value);
    }
    let value = text.find(|c: char| c.is_alphanumeric())?;
    stands(value).filter(|at| text[at + label.len()..].chars().all(|c| !c.is_alphanumeric()))
}

/// A text so far that becomes this label as it goes on, or has become it.
fn leads_to(grown: &str, label: &str) -> bool {
    match grown.strip_prefix(label) {
        Some(rest) => !rest.starts_with(|c: char| c.is_alphanumeric()),
        None => !grown.is_empty() && label.starts_with(grown),
    }
}
