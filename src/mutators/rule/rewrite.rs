//! What every rule mutator does to a text around its sentences: marker, list and language checks, patches, letter case.

use std::ops::Range;

use super::foreign::{Pack, pack};
use super::lexicon::Lexicon;
use super::refusal::{Refusal, RefusalReason};
use super::sentence::is_command_verb;
use super::words::{Kind, Token, tokens};
use crate::instructions::sentences;
use crate::mutators::language::guess;

/// A replacement in the rule's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Patch {
    pub range: Range<usize>,
    pub with: String,
}

impl Patch {
    pub(super) fn new(range: Range<usize>, with: impl Into<String>) -> Self {
        Self { range, with: with.into() }
    }
}

/// Applies a sentence mutator to all sentences of a rule and puts the patches in.
pub(super) fn turned(
    rule_text: &str,
    of_sentence: fn(&str, &[Token]) -> Result<Vec<Patch>, Refusal>,
    foreign: bool,
) -> Result<String, Refusal> {
    let marker = marker_length(rule_text);
    if marker > 0 {
        return turned(&rule_text[marker..], of_sentence, foreign)
            .map(|text| format!("{}{text}", &rule_text[..marker]));
    }
    let head = without_list(rule_text)?;
    let all = tokens(head);
    let words: Vec<&Token> = all.iter().filter(|token| token.kind == Kind::Word).collect();
    if words.is_empty() {
        return Err(Refusal::new(RefusalReason::OnlyCode, rule_text.trim()));
    }
    let pack = other_language(&words, rule_text)?;
    if pack.is_some() && !foreign {
        return Err(Refusal::new(RefusalReason::OtherLanguage, rule_text.trim()));
    }
    let mut patches: Vec<Patch> = Vec::new();
    let mut idle: Option<Refusal> = None;
    for sentence in cells(head, &all) {
        let start = sentence.start;
        let text = &head[sentence];
        let own = tokens(text);
        if !own.iter().any(|token| token.kind == Kind::Word) {
            continue;
        }
        let quotes = own.last().is_some_and(|last| last.kind == Kind::Opaque);
        if !quotes && text.trim_end_matches(['*', '_', '"', ')', ' ']).ends_with(['?', '？']) {
            return Err(Refusal::new(RefusalReason::Question, text));
        }
        let found = match pack {
            Some(pack) => pack.turned(text, &own),
            None => of_sentence(text, &own),
        };
        match found {
            Ok(found) => patches.extend(
                found
                    .into_iter()
                    .map(|patch| Patch::new(start + patch.range.start..start + patch.range.end, patch.with)),
            ),
            // A sentence that only explains the rule may stay; one that says what must be is half of it.
            Err(refusal)
                if !own.iter().any(|token| matches!(token.word.as_str(), "must" | "shall" | "never" | "only"))
                    && !is_unparted_scene(&own)
                    && matches!(
                        refusal.reason,
                        RefusalReason::NoCue | RefusalReason::Description | RefusalReason::OtherLanguage
                    ) =>
            {
                idle = idle.or(Some(refusal));
            }
            Err(refusal) => return Err(refusal),
        }
    }
    if patches.is_empty() {
        return Err(idle.unwrap_or_else(|| Refusal::new(RefusalReason::NoCue, rule_text.trim())));
    }
    let text = patched(rule_text, patches);
    if text == rule_text {
        return Err(Refusal::new(RefusalReason::NoCue, rule_text.trim()));
    }
    Ok(text)
}

/// "When it rings pick it up": where its command starts is not marked.
fn is_unparted_scene(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| Lexicon::get().is_scene(&first.word))
        && !tokens.iter().any(|token| token.is_sign(&[',']))
}

/// The sentences of a text; in a row of a table those of each cell. What is quoted ends no sentence.
fn cells(text: &str, all: &[Token]) -> Vec<Range<usize>> {
    if !text.trim_start().starts_with('|') {
        let mut whole: Vec<Range<usize>> = Vec::new();
        for sentence in sentences(text) {
            match whole.last_mut() {
                Some(last) if is_inside(all, last.end) => last.end = sentence.end,
                _ => whole.push(sentence),
            }
        }
        return whole;
    }
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices('|').chain(std::iter::once((text.len(), ""))) {
        found.extend(sentences(&text[from..at]).into_iter().map(|range| range.start + from..range.end + from));
        from = (at + 1).min(text.len());
    }
    found
}

fn is_inside(all: &[Token], at: usize) -> bool {
    all.iter().any(|token| token.kind == Kind::Opaque && token.range.start < at && at < token.range.end)
}

/// Length of a list marker, quote sign or heading sign that was quoted with the rule.
fn marker_length(text: &str) -> usize {
    let blank = text.len() - text.trim_start().len();
    let rest = &text[blank..];
    let numbered = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let sign = if rest.starts_with(['-', '*', '+', '•', '>']) {
        rest.chars().next().map_or(0, char::len_utf8)
    } else if numbered.len() < rest.len() && numbered.starts_with(['.', ')']) {
        rest.len() - numbered.len() + 1
    } else {
        rest.len() - rest.trim_start_matches('#').len()
    };
    let after = &rest[sign..];
    if sign > 0 && after.starts_with([' ', '\t']) && after.contains(char::is_alphanumeric) {
        blank + sign + (after.len() - after.trim_start().len())
    } else {
        0
    }
}

pub(super) fn patched(text: &str, mut patches: Vec<Patch>) -> String {
    patches.sort_by_key(|patch| (patch.range.start, patch.range.end));
    let mut result = String::new();
    let mut at = 0;
    for patch in patches {
        if patch.range.start < at {
            continue;
        }
        result.push_str(&text[at..patch.range.start]);
        result.push_str(&patch.with);
        at = patch.range.end;
    }
    result.push_str(&text[at..]);
    // "**Do not** use" leaves a pair with nothing in it.
    for empty in ["****", "____"] {
        if !text.contains(empty) {
            result = result.replace(empty, "");
        }
    }
    result
}

/// The text before a list, when the list only names things; a list of commands is refused.
fn without_list(text: &str) -> Result<&str, Refusal> {
    let is_item = |line: &str| {
        let line = line.trim_start();
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with("- ")
            || line.starts_with("* ")
            || line.starts_with("+ ")
            || line.starts_with("• ")
            || (numbered.len() < line.len() && numbered.starts_with(". "))
    };
    let mut at = 0;
    let mut head_end = None;
    for line in text.split_inclusive('\n') {
        if is_item(line) && at > 0 {
            head_end = head_end.or(Some(at));
            let words = tokens(line);
            let first = words
                .iter()
                .position(|token| token.kind == Kind::Word && !token.word.starts_with(|c: char| c.is_ascii_digit()));
            let cue = words.iter().find(|token| {
                matches!(
                    token.word.as_str(),
                    "not" | "never" | "always" | "must" | "should" | "don't" | "only" | "cannot" | "no"
                )
            });
            let command = first.is_some_and(|first| is_command_verb(&words, first));
            if cue.is_some() || command {
                return Err(Refusal::new(RefusalReason::ListLeadIn, line.trim()));
            }
        }
        at += line.len();
    }
    Ok(&text[..head_end.unwrap_or(text.len())])
}

/// The rule's language as the input mutators tell it; English words settle what few words leave open.
/// No pack for English.
///
/// # Errors
/// A language without a pack.
fn other_language(words: &[&Token], text: &str) -> Result<Option<&'static Pack>, Refusal> {
    let all: Vec<String> = words.iter().map(|token| token.word.clone()).collect();
    let lexicon = Lexicon::get();
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (all_letters, latin) =
        letters.fold((0usize, 0usize), |(all, latin), c| (all + 1, latin + usize::from(c.is_ascii())));
    let known = |word: &str| {
        lexicon.is_verb(word)
            || lexicon.is_function_word(word)
            || matches!(word, "never" | "always" | "not" | "do" | "prefer")
    };
    let english = all.iter().filter(|word| known(word)).count();
    let code = guess(text, &all);
    let foreign = latin * 4 < all_letters * 3 || (code != "en" && english * 3 < all.len());
    // The frequent words of related languages are alike; a rule's own cue says more.
    let cued = if foreign || english * 3 < all.len() || all.len() < 6 { cued(text, &all) } else { None };
    match cued.or(if foreign { Some(code) } else { None }) {
        None => Ok(None),
        Some(code) => match pack(code) {
            Some(pack) => Ok(Some(pack)),
            None => Err(Refusal::new(RefusalReason::OtherLanguage, text.trim())),
        },
    }
}

/// The language of a rule by a word that only its rules have.
fn cued(text: &str, words: &[String]) -> Option<&'static str> {
    let lower = text.to_lowercase().replace('’', "'");
    let has = |cues: &[&str]| words.iter().any(|word| cues.contains(&word.as_str()));
    if has(&["niemals", "nie", "nicht", "immer", "stets", "nur", "keine", "keinen", "kein"]) {
        return Some("de");
    }
    let elided = lower.starts_with("n'") || lower.contains(" n'");
    let polite = words.first().is_some_and(|word| word.ends_with("ez") && word.len() > 4);
    if has(&["jamais", "toujours", "veuillez"]) || (has(&["ne"]) && has(&["pas", "que"])) || elided || polite {
        return Some("fr");
    }
    let commands =
        || pack("es").is_some_and(|pack| words.iter().take(2).any(|word| pack.commands(word) && word.len() > 2));
    if has(&["nunca", "jamás", "siempre", "debes", "puedes"]) || (has(&["no"]) && commands()) {
        return Some("es");
    }
    None
}

/// A word in the case of another one.
pub(super) fn like(model: &str, word: &str) -> String {
    if is_upper(model) {
        word.to_uppercase()
    } else if model.starts_with(char::is_uppercase) {
        capitalised(word)
    } else {
        word.to_owned()
    }
}

pub(super) fn is_upper(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).count() > 1 && !word.chars().any(char::is_lowercase)
}

pub(super) fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// "Do not verify" for "Verify", "do not verify" for "verify", "do not STOP" for "STOP".
pub(super) fn do_not_before(word: &str) -> String {
    let first = word.chars().next().unwrap_or('a');
    let lead = if first.is_uppercase() && !is_upper(word) {
        "Do not"
    } else if is_upper(word) {
        "DO NOT"
    } else {
        "do not"
    };
    let word = if is_upper(word) { word.to_owned() } else { word.to_lowercase() };
    format!("{lead} {word}")
}
