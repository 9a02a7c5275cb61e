//! What the text says of items by their number, once the numbers have moved.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::Place;

/// Numbers of items that are gone, and of those that have another number now.
#[derive(Debug, Default)]
pub(super) struct References {
    pub gone: BTreeSet<u64>,
    pub moved: BTreeSet<u64>,
}

/// A word for an item and its number, or two of them: `step 4`, `rules 3-5`, `Schritt 2`.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:steps?|rules?|items?|points?|numbers?|no\.|clauses?|guidelines?|instructions?|schritte?|regeln?|punkte?|nr\.|étapes?|règles?|points?|pasos?|reglas?|puntos?)\s+#?(\d{1,3})(?:\s*(?:-|–|to|and|or|und|bis|et|ou|y|o)\s*#?(\d{1,3}))?\b",
    )
    .expect("the pattern is valid")
});

impl References {
    /// A note for each place that refers to a number that is gone or has moved; `is_gone` tells of each line.
    pub(super) fn notes(&self, place: &Place, is_gone: impl Fn(usize) -> bool) -> Vec<String> {
        if self.gone.is_empty() {
            return Vec::new();
        }
        let mut notes = Vec::new();
        for found in REFERENCE.captures_iter(place.text) {
            let Some(all) = found.get(0) else { continue };
            if is_gone(place.layout.line_at(all.start())) {
                continue;
            }
            let numbers: Vec<u64> = (1..3).filter_map(|group| found.get(group)?.as_str().parse().ok()).collect();
            let line = (place.line_of)(all.start());
            let words = all.as_str();
            if numbers.iter().any(|number| self.gone.contains(number)) {
                notes.push(format!("line {line} says \"{words}\": that item may be the removed one"));
            } else if numbers.iter().any(|number| self.moved.contains(number)) {
                notes.push(format!("line {line} says \"{words}\": that item may have another number now"));
            }
        }
        notes
    }
}
