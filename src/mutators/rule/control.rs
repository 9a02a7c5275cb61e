//! The unrelated rule whose deletion shows whether an assertion falls for any change of the instructions.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::instructions::{Document, Statement, Unit, UnitKind, kin, units};

/// Why no unrelated rule can be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoControl {
    /// The document holds nothing but the rule.
    #[error("the instructions hold no rule besides the quoted one: add a second, unrelated rule to get a control arm")]
    NothingElse,
    /// Every other rule shares words with the rule, the input or the assertions.
    #[error("every other rule shares words with the quoted rule, the input or the assertions, so none is unrelated")]
    AllRelated,
    /// The unrelated ones are far shorter or far longer than the rule.
    #[error("no unrelated rule is of about the rule's length (a third to three times)")]
    NoneOfItsLength,
}

/// A rule is comparable from a third of the quoted rule's words to three times as many.
const LENGTH_FACTOR: usize = 3;
/// The seed chooses among this many that are nearest in length.
const CHOICE: usize = 8;

/// What of a document could serve as a control of any of its rules: every unit with its content words, read once.
#[derive(Debug)]
pub struct Bystanders {
    units: Vec<Unit>,
    /// Items and sentences of at least two words that open no list, in order.
    candidates: Vec<Candidate>,
    /// For each content word, the candidates that have it.
    having: HashMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct Candidate {
    /// Index of the unit.
    unit: usize,
    words: usize,
    is_role: bool,
}

impl Bystanders {
    pub fn of(document: &Document) -> Self {
        let text = document.text();
        let units = units(document);
        let mut candidates = Vec::new();
        let mut having: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, unit) in units.iter().enumerate() {
            let said = &text[unit.range.clone()];
            let words = word_count(said);
            let could = matches!(unit.kind, UnitKind::Item | UnitKind::Sentence)
                && words >= 2
                && !said.trim_end().ends_with(':');
            if could {
                for word in content_words(said) {
                    having.entry(word).or_default().push(candidates.len());
                }
                candidates.push(Candidate { unit: at, words, is_role: is_role(said) });
            }
        }
        Self { units, candidates, having }
    }

    /// All units of the document, in order.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// An unrelated rule of about the same length: no content word in common with the quoted statements or with `avoid`
    /// (the input and the literals of the assertions), an item for an item and a sentence for a sentence where there is
    /// one, chosen by the seed among those nearest in length.
    ///
    /// Never an item above or below the quoted one, which may give it its meaning, and not a sentence that says who the
    /// agent is while the document holds any other rule: without it everything changes. The direct neighbours of the
    /// quoted rule are taken only where nothing else fits, since often they are about the same matter in other words.
    ///
    /// # Errors
    /// [`NoControl`] says why there is none.
    pub fn control(
        &self,
        document: &Document,
        quoted: &[Statement],
        avoid: &[String],
        seed: u64,
    ) -> Result<Statement, NoControl> {
        let length = quoted.iter().map(|statement| word_count(&statement.text)).max().unwrap_or(0).max(1);
        let ranges: Vec<Range<usize>> = quoted.iter().map(|statement| statement.range.clone()).collect();
        let own = self.meeting(&ranges);
        let family = self.meeting(&kin(document, &ranges));
        let is_own = |unit: usize| own.binary_search(&unit).is_ok();
        let range = |candidate: &Candidate| &self.units[candidate.unit].range;
        let mut others: Vec<usize> = (0..self.candidates.len())
            .filter(|at| {
                let unit = self.candidates[*at].unit;
                !is_own(unit) && family.binary_search(&unit).is_err()
            })
            .collect();
        if others.is_empty() {
            return Err(NoControl::NothingElse);
        }
        prefer(&mut others, |at| !self.candidates[at].is_role);
        let related = self.related(quoted.iter().map(|statement| &statement.text).chain(avoid));
        others.retain(|at| !related[*at]);
        if others.is_empty() {
            return Err(NoControl::AllRelated);
        }
        others.retain(|at| {
            let words = self.candidates[*at].words;
            words <= length * LENGTH_FACTOR && length <= words * LENGTH_FACTOR
        });
        if others.is_empty() {
            return Err(NoControl::NoneOfItsLength);
        }
        let is_beside = |unit: usize| is_own(unit + 1) || unit.checked_sub(1).is_some_and(is_own);
        prefer(&mut others, |at| !is_beside(self.candidates[at].unit));
        let kinds: Vec<UnitKind> = own.iter().map(|unit| self.units[*unit].kind).collect();
        prefer(&mut others, |at| kinds.contains(&self.units[self.candidates[at].unit].kind));
        others.sort_by_key(|at| {
            let candidate = &self.candidates[*at];
            (candidate.words.abs_diff(length), range(candidate).start)
        });
        others.truncate(CHOICE);
        let chosen = ChaCha8Rng::seed_from_u64(seed).random_range(0..others.len());
        Ok(Statement::at(document, range(&self.candidates[others[chosen]]).clone()))
    }

    /// The units that any of the ranges touches, in order.
    fn meeting(&self, ranges: &[Range<usize>]) -> Vec<usize> {
        let touched = |range: &Range<usize>| {
            let first = self.units.partition_point(|unit| unit.range.end <= range.start);
            let end = range.end;
            (first..self.units.len()).take_while(move |at| self.units[*at].range.start < end)
        };
        let mut units: Vec<usize> = ranges.iter().flat_map(touched).collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// For each candidate, whether it shares a content word with any of the texts.
    fn related<'t>(&self, texts: impl Iterator<Item = &'t String>) -> Vec<bool> {
        let mut related = vec![false; self.candidates.len()];
        let words: HashSet<String> = texts.flat_map(|text| content_words(text)).collect();
        for at in words.iter().filter_map(|word| self.having.get(word)).flatten() {
            related[*at] = true;
        }
        related
    }
}

/// Keeps the better ones, where there are any.
fn prefer(candidates: &mut Vec<usize>, is_better: impl Fn(usize) -> bool) {
    if candidates.iter().any(|at| is_better(*at)) {
        candidates.retain(|at| is_better(*at));
    }
}

/// Whether two texts have no content word in common.
pub fn are_unrelated(one: &str, other: &str) -> bool {
    content_words(one).is_disjoint(&content_words(other))
}

/// "You are …", "You run …", "Your role is …": who the agent is, and nothing that it must or must not do.
fn is_role(text: &str) -> bool {
    const CUES: &str = " must should shall may can cannot can't not don't never always only no required allowed permitted forbidden prohibited expected ";
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let introduces = match word(0) {
        "you" | "you're" => true,
        "your" => matches!(word(1), "role" | "job" | "task" | "name" | "goal" | "purpose" | "mission" | "persona"),
        "act" => word(1) == "as",
        "i" | "we" => matches!(word(1), "am" | "are"),
        _ => false,
    };
    introduces && !words.iter().any(|word| CUES.contains(&format!(" {word} ")))
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Words that say nothing about the matter.
const FUNCTION_WORDS: &str = " a about after all also always an and any are as ask at be because been before being but by can cannot do does don't each ever every first for from had has have how if in into is it its just like make may more most must need never no not of off on once one only or other our out over own please same shall should so some such than that the their them then there these they this to too under until up use used user users very was we were what when where whether which while who will with without would you your yours ";

/// Content words of a text, cut to a rough stem so that "refunds" and "refunded" meet.
fn content_words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| word.to_lowercase().replace('’', "'"))
        .filter(|word| word.chars().count() >= 2 && !FUNCTION_WORDS.contains(&format!(" {word} ")))
        .map(|word| stem(&word))
        .collect()
}

fn stem(word: &str) -> String {
    let chars = word.chars().count();
    for (suffix, least) in [
        ("ations", 9),
        ("ation", 8),
        ("ings", 7),
        ("ing", 6),
        ("ies", 5),
        ("ied", 5),
        ("ers", 6),
        ("ed", 5),
        ("es", 5),
        ("er", 6),
        ("s", 4),
        ("y", 4),
        ("e", 4),
    ] {
        if chars >= least
            && let Some(stem) = word.strip_suffix(suffix)
        {
            let doubled =
                stem.len() > 3 && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2] && stem.is_ascii();
            return if doubled && suffix != "s" { stem[..stem.len() - 1].to_owned() } else { stem.to_owned() };
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::locate;

    const RULES: &str = "# Refunds\n\n- Never refund an order older than 30 days.\n- Refunded money goes to the same card.\n\n# Tone\n\n\
        - Answer in at most three short sentences.\n- Keep a warm and friendly voice in chats.\n- Sign every message with your first name.\n- Hi.\n";

    fn choose(text: &str, avoid: &[&str], seed: u64) -> Result<String, NoControl> {
        let document = Document::from_bytes("a.md", text.as_bytes().to_vec()).unwrap();
        let quoted = locate(&document, "Never refund an order older than 30 days.");
        let avoid: Vec<String> = avoid.iter().map(|words| (*words).to_owned()).collect();
        Bystanders::of(&document).control(&document, &quoted, &avoid, seed).map(|statement| statement.text)
    }

    #[test]
    fn the_control_rule_is_unrelated_and_chosen_by_the_seed() {
        let chosen: HashSet<String> = (0..50).map(|seed| choose(RULES, &["my order"], seed).unwrap()).collect();
        let expected = [
            "Answer in at most three short sentences.",
            "Keep a warm and friendly voice in chats.",
            "Sign every message with your first name.",
        ];
        assert_eq!(chosen, expected.map(str::to_owned).into());
        assert_eq!(choose(RULES, &[], 7), choose(RULES, &[], 7));
    }

    /// The rule's own words do not matter here, only where it stands.
    fn choices(text: &str, quote: &str) -> Vec<String> {
        let document = Document::from_bytes("a.md", text.as_bytes().to_vec()).unwrap();
        let quoted = locate(&document, quote);
        assert_eq!(quoted.len(), 1, "{quote}");
        let chosen = (0..40).map(|seed| match Bystanders::of(&document).control(&document, &quoted, &[], seed) {
            Ok(statement) => statement.text,
            Err(error) => format!("{error:?}"),
        });
        let mut chosen: Vec<String> = chosen.collect();
        chosen.sort();
        chosen.dedup();
        chosen
    }

    #[test]
    fn neither_what_stands_above_the_rule_nor_what_stands_below_it_is_its_control() {
        let text = "- Greet every caller by name.\n- Handle late parcels kindly.\n  - Never promise dates.\n    Look up depots first.\n    - Quote numbers from invoices.\n\n    Mention opening hours twice.\n  - Offer small vouchers.\n";
        assert_eq!(
            choices(text, "Never promise dates. Look up depots first."),
            ["Greet every caller by name.", "Offer small vouchers."],
        );
        assert_eq!(choices(text, "Handle late parcels kindly."), ["Greet every caller by name."]);
        assert_eq!(
            choices(text, "Offer small vouchers."),
            [
                "Greet every caller by name.",
                "Never promise dates.\n    Look up depots first.",
                "Quote numbers from invoices."
            ]
        );
    }

    #[test]
    fn the_rules_own_item_or_sentence_is_no_control() {
        let text = "- Never promise dates. Sign with initials.\n- Offer small vouchers.\n";
        assert_eq!(choices(text, "Never promise dates."), ["Offer small vouchers."]);
        let text = "Never promise dates; sign with initials. Offer small vouchers.\n";
        assert_eq!(choices(text, "Never promise dates"), ["Offer small vouchers."]);
    }

    #[test]
    fn a_direct_neighbour_is_taken_only_where_nothing_else_fits() {
        let text = "- Greet callers warmly.\n- Never promise dates.\n- Offer small vouchers.\n- Sign with initials.\n";
        assert_eq!(choices(text, "Never promise dates."), ["Sign with initials."]);
        assert_eq!(choices(text, "Offer small vouchers."), ["Greet callers warmly."]);
        let text = "- Greet callers warmly.\n- Never promise dates.\n";
        assert_eq!(choices(text, "Never promise dates."), ["Greet callers warmly."]);
        // A heading stands between two that are not about one matter.
        let text = "- Never promise dates.\n\n# Tone\n\n- Sign with initials.\n";
        assert_eq!(choices(text, "Never promise dates."), ["Sign with initials."]);
    }

    #[test]
    fn who_the_agent_is_stays_while_there_is_another_rule() {
        for role in
            ["You are the desk of Acme.", "You run the support desk.", "**You’re** Ada of Acme.", "Act as a clerk."]
        {
            let text = format!("{role}\n\n- Never promise dates.\n- Sign with initials.\n");
            assert_eq!(choices(&text, "Never promise dates."), ["Sign with initials."], "{role}");
            let alone = format!("{role}\n\n- Never promise dates.\n");
            assert_eq!(choices(&alone, "Never promise dates."), [role], "{role}");
        }
        assert!(!is_role("You must sign with initials.") && !is_role("You are not allowed to guess."));
    }

    #[test]
    fn words_of_input_and_assertions_are_avoided() {
        for seed in 0..20 {
            let chosen = choose(RULES, &["Send me a short message", "friendly"], seed);
            assert_eq!(chosen, Err(NoControl::AllRelated));
        }
    }

    #[test]
    fn a_missing_control_says_why() {
        assert_eq!(choose("- Never refund an order older than 30 days.\n", &[], 1), Err(NoControl::NothingElse));
        assert_eq!(
            choose("Never refund an order older than 30 days. Be kind.\n", &[], 1),
            Err(NoControl::NoneOfItsLength)
        );
    }
}
