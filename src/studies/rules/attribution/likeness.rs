//! How much two texts are about the same: an order for guesses, never evidence.

use std::collections::HashMap;

/// The texts of a suite's statements, ready to be compared with what a case says.
///
/// A text is the multiset of its words' trigrams, each weighted by how rare it is among all texts (*tf-idf*) and
/// compared by the cosine (G. Salton, C. Buckley, "Term-weighting approaches in automatic text retrieval", Information
/// Processing & Management 24, 1988). Trigrams stand for stems in any language that writes words.
pub(super) struct Texts {
    rarity: HashMap<u64, f64>,
    vectors: Vec<HashMap<u64, f64>>,
    /// Of a trigram that stands nowhere.
    unseen: f64,
}

impl Texts {
    pub(super) fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Texts {
        let counted: Vec<HashMap<u64, f64>> = texts.map(grams).collect();
        let mut seen: HashMap<u64, usize> = HashMap::new();
        counted.iter().flat_map(HashMap::keys).for_each(|gram| *seen.entry(*gram).or_default() += 1);
        let all = counted.len() as f64;
        let weight = |seen: usize| ((1.0 + all) / (1.0 + seen as f64)).ln();
        let rarity: HashMap<u64, f64> = seen.into_iter().map(|(gram, seen)| (gram, weight(seen))).collect();
        let mut texts = Texts { rarity, vectors: vec![], unseen: weight(0) };
        texts.vectors = counted.into_iter().map(|counts| texts.weighted(counts)).collect();
        texts
    }

    /// The likeness of every text with `other`, from 0 (no trigram in common) to 1.
    pub(super) fn like(&self, other: &str) -> Vec<f64> {
        let other = self.weighted(grams(other));
        let common = |one: &HashMap<u64, f64>| {
            let (few, many) = if one.len() < other.len() { (one, &other) } else { (&other, one) };
            // A sum in hash order would differ in its last digits from run to run.
            let mut shared: Vec<(u64, f64)> =
                few.iter().filter_map(|(gram, weight)| Some((*gram, weight * many.get(gram)?))).collect();
            shared.sort_by_key(|(gram, _)| *gram);
            shared.iter().map(|(_, product)| product).sum()
        };
        self.vectors.iter().map(common).collect()
    }

    /// Scaled to length 1.
    fn weighted(&self, counts: HashMap<u64, f64>) -> HashMap<u64, f64> {
        let mut weights: Vec<(u64, f64)> = counts
            .into_iter()
            .map(|(gram, count)| (gram, count.sqrt() * self.rarity.get(&gram).copied().unwrap_or(self.unseen)))
            .collect();
        weights.sort_by_key(|(gram, _)| *gram);
        let length = weights.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        weights.into_iter().filter(|_| length > 0.0).map(|(gram, weight)| (gram, weight / length)).collect()
    }
}

/// The trigrams of a text's words, in lower case and with a blank at either end of a word, and how often each stands.
fn grams(text: &str) -> HashMap<u64, f64> {
    let mut found: HashMap<u64, f64> = HashMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let letters: Vec<u64> =
            [' '].into_iter().chain(word.chars().flat_map(char::to_lowercase)).chain([' ']).map(u64::from).collect();
        for three in letters.windows(3) {
            *found.entry(three[0] << 42 | three[1] << 21 | three[2]).or_default() += 1.0;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_alike_and_other_ones_are_not() {
        let texts = ["Never share another customer's address.", "Sign with your name.", "..."];
        let like = Texts::new(texts.into_iter()).like("never share another customer’s address");
        assert!(like[0] > 0.99 && like[1] < 0.1 && like[2] == 0.0, "{like:?}");
    }

    #[test]
    fn a_paraphrase_comes_before_what_only_shares_common_words() {
        let texts = [
            "Always answer the customer in a friendly way and never in a hurry.",
            "Whatever the customer says, addresses go to nobody but the person who lives there.",
            "Never promise the customer a delivery date.",
            "Greet the customer by name.",
        ];
        let like = Texts::new(texts.into_iter()).like("Never share another customer's address.");
        assert!(like.iter().enumerate().all(|(at, one)| at == 1 || *one < like[1]), "{like:?}");
    }

    #[test]
    fn stems_meet_in_other_languages_too() {
        let texts = ["Erstattungen nach dreißig Tagen sind ausgeschlossen.", "Grüße zuerst den Kunden."];
        let like = Texts::new(texts.into_iter()).like("Erstatte nie nach 30 Tagen.");
        assert!(like[0] > 2.0 * like[1] && like[0] > 0.1, "{like:?}");
    }
}
