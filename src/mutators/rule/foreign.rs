//! Rules in other languages than English: the sure patterns of a pack (`mutators/polarity.de.yaml` and its like), and
//! refusals by name for everything else.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use regex::{Captures, Regex};
use serde::Deserialize;

use super::refusal::{Refusal, RefusalReason};
use super::rewrite::{Patch, capitalised};
use super::words::{Kind, Token};

const SOURCES: [&str; 5] = [
    include_str!("../../../mutators/polarity.de.yaml"),
    include_str!("../../../mutators/polarity.fr.yaml"),
    include_str!("../../../mutators/polarity.es.yaml"),
    include_str!("../../../mutators/polarity.zh.yaml"),
    include_str!("../../../mutators/polarity.ja.yaml"),
];

/// A pack as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    language: String,
    refuse: BTreeMap<String, Vec<String>>,
    subordinators: Vec<String>,
    #[serde(default)]
    relatives: Vec<String>,
    #[serde(default)]
    scene_ends: Vec<String>,
    joiners: HashSet<String>,
    #[serde(default)]
    joined: HashSet<String>,
    #[serde(default)]
    commands: BTreeMap<String, String>,
    turns: Vec<TurnSource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnSource {
    from: String,
    to: String,
    #[serde(default)]
    unless: Option<String>,
}

/// What is known of one language's rules.
#[derive(Debug)]
pub(super) struct Pack {
    language: String,
    refuse: Vec<(RefusalReason, Regex)>,
    subordinators: Vec<String>,
    relatives: Vec<String>,
    scene_ends: Vec<String>,
    joiners: HashSet<String>,
    joined: HashSet<String>,
    commands: BTreeMap<String, String>,
    turns: Vec<Turn>,
}

#[derive(Debug)]
struct Turn {
    from: Regex,
    to: String,
    unless: Option<Regex>,
}

/// The pack for a language code, if there is one.
pub(super) fn pack(code: &str) -> Option<&'static Pack> {
    static PACKS: OnceLock<Vec<Pack>> = OnceLock::new();
    let packs = PACKS.get_or_init(|| {
        SOURCES.iter().map(|source| read(source).expect("the embedded packs are read by a test")).collect()
    });
    packs.iter().find(|pack| pack.language == code)
}

fn read(source: &str) -> Result<Pack, String> {
    let source: Source = serde_yaml::from_str(source).map_err(|error| error.to_string())?;
    let regex = |pattern: &str| Regex::new(pattern).map_err(|error| error.to_string());
    let mut refuse = Vec::new();
    for (name, patterns) in &source.refuse {
        let reason = RefusalReason::named(name).ok_or_else(|| format!("no reason is called {name}"))?;
        for pattern in patterns {
            refuse.push((reason, regex(pattern)?));
        }
    }
    let any = |words: Vec<&String>| words.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("|");
    let affirmative = format!(r"\b(?P<command>{})\b", any(source.commands.keys().collect()));
    let negative = format!(r"\b(?P<command>{})\b", any(source.commands.values().collect()));
    let mut turns = Vec::new();
    for turn in source.turns {
        turns.push(Turn {
            from: regex(&turn.from.replace("<affirmative>", &affirmative).replace("<negative>", &negative))?,
            to: turn.to,
            unless: turn.unless.as_deref().map(regex).transpose()?,
        });
    }
    Ok(Pack {
        language: source.language,
        refuse,
        subordinators: source.subordinators,
        relatives: source.relatives,
        scene_ends: source.scene_ends,
        joiners: source.joiners,
        joined: source.joined,
        commands: source.commands,
        turns,
    })
}

impl Pack {
    /// Whether a word is one of the pack's commands.
    pub(super) fn commands(&self, word: &str) -> bool {
        self.commands.iter().any(|(affirmative, negative)| affirmative == word || negative == word)
    }

    /// The patches that turn one sentence around.
    ///
    /// # Errors
    /// A trap of the pack, a second command, or no cue that the pack knows.
    pub(super) fn turned(&self, text: &str, tokens: &[Token]) -> Result<Vec<Patch>, Refusal> {
        let masked = masked(text, tokens);
        for (reason, pattern) in &self.refuse {
            if let Some(found) = pattern.find(&masked) {
                return Err(Refusal::new(*reason, found.as_str().trim()));
            }
        }
        let mut patches = Vec::new();
        let mut left_alone = None;
        for clause in clauses(&masked) {
            let words = masked[clause.clone()].trim_start_matches([' ', '\n', '\t', '*', '_', '-', '¡']);
            let start = clause.end - words.len();
            let lower = words.to_lowercase();
            let relative = clause.start > 0 && self.relatives.iter().any(|word| opens(&lower, word));
            if relative || self.subordinators.iter().any(|word| opens(&lower, word)) {
                continue;
            }
            let found = self.turn(words);
            if let Some(second) = self.second_command(words) {
                return Err(Refusal::new(RefusalReason::TwoCommands, second));
            }
            let Some((range, with)) = found else {
                let sign = masked[clause.end..].chars().next();
                if self.may_command(words, sign, clause.start > 0 && masked[..clause.start].ends_with(';')) {
                    left_alone = left_alone.or(Some(words));
                }
                continue;
            };
            let rest = format!("{}\u{e000}{}", &words[..range.start], &words[range.end..]);
            // "Nie … und nicht …" has two cues in one clause; a positive pattern may match what is left of the first.
            if self.turns.iter().take(self.turns.len() / 2).any(|turn| turn.from.is_match(&rest)) {
                return Err(Refusal::new(RefusalReason::TwoCommands, text.trim()));
            }
            patches.push(Patch::new(start + range.start..start + range.end, with));
        }
        if patches.is_empty() {
            return Err(Refusal::new(RefusalReason::OtherLanguage, text.trim()));
        }
        match left_alone {
            Some(words) => Err(Refusal::new(RefusalReason::TwoCommands, words.trim())),
            None => Ok(patches),
        }
    }

    /// Whether a clause that no pattern knows may be a command of its own: one that a colon or a semicolon parts from the
    /// others and that is no short label, or one that sets no scene where the pack can tell.
    fn may_command(&self, clause: &str, sign: Option<char>, after_semicolon: bool) -> bool {
        let clause = clause.trim();
        let parted = matches!(sign, Some(';' | ':' | '；' | '：')) || after_semicolon;
        let is_short = clause.split_whitespace().count() <= 3 && clause.chars().count() <= 24;
        let spaceless = !self.scene_ends.is_empty();
        let label = matches!(sign, Some(':' | '：')) && clause.chars().count() <= if spaceless { 6 } else { 24 };
        let sets_scene = self.scene_ends.iter().any(|end| clause.ends_with(end.as_str()));
        let known = clause.chars().any(char::is_alphabetic);
        known && if spaceless { !sets_scene && !label } else { parted && !is_short }
    }

    fn turn(&self, clause: &str) -> Option<(Range<usize>, String)> {
        self.turns.iter().find_map(|turn| {
            let found = turn.from.captures(clause)?;
            if turn.unless.as_ref().is_some_and(|unless| unless.is_match(clause)) {
                return None;
            }
            let whole = found.get(0)?;
            let mut with = String::new();
            found.expand(&self.with_command(&turn.to, &found), &mut with);
            let mut range = whole.range();
            let shouted = whole.as_str().chars().filter(|c| c.is_alphabetic()).count() > 2
                && !whole.as_str().chars().any(char::is_lowercase);
            if shouted && !with.is_empty() {
                with = with.to_uppercase();
            } else if whole.as_str().starts_with(char::is_uppercase) {
                if with.is_empty() {
                    let next = clause[range.end..].chars().next()?;
                    range.end += next.len_utf8();
                    with = next.to_uppercase().collect();
                }
                with = capitalised(&decapitalised(&with));
            }
            Some((range, with))
        })
    }

    /// Puts the other form of a command into a replacement.
    fn with_command(&self, to: &str, found: &Captures<'_>) -> String {
        let Some(command) = found.name("command").map(|command| command.as_str().to_lowercase()) else {
            return to.to_owned();
        };
        let negative = self.commands.get(&command).cloned();
        let affirmative =
            self.commands.iter().find(|(_, negative)| **negative == command).map(|(form, _)| form.clone());
        to.replace("<negative>", negative.as_deref().unwrap_or(&command))
            .replace("<affirmative>", affirmative.as_deref().unwrap_or(&command))
    }

    /// A word that joins another command to this one.
    fn second_command<'t>(&self, clause: &'t str) -> Option<&'t str> {
        let words: Vec<&str> = clause.split_whitespace().collect();
        words
            .windows(2)
            .enumerate()
            .find_map(|(at, two)| {
                let joins = self.joiners.contains(&two[0].to_lowercase());
                let lower = two[1].starts_with(char::is_lowercase);
                let only_joins = self.joined.is_empty();
                (joins && (only_joins || (at > 0 && lower && !self.joined.contains(two[1])))).then_some(two[0])
            })
            .or_else(|| {
                let spaceless =
                    self.joiners.iter().find(|word| !word.is_ascii() && clause.starts_with(word.as_str()))?;
                Some(&clause[..spaceless.len()])
            })
    }
}

/// Whether a clause opens with a word; scripts without spaces have no end of a word.
fn opens(clause: &str, word: &str) -> bool {
    clause.strip_prefix(word).is_some_and(|rest| {
        word.ends_with(['\'', '’'])
            || !word.is_ascii() && !word.chars().next().is_some_and(char::is_lowercase)
            || rest.chars().next().is_none_or(|next| !next.is_alphanumeric())
    })
}

fn decapitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next();
    let second = chars.clone().next();
    match (first, second) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_uppercase() => text.to_owned(),
        // "n'Utilisez" must not keep the capital of the word that stood first.
        _ => text
            .split_inclusive(' ')
            .enumerate()
            .map(|(at, word)| if at < 2 { word.to_lowercase() } else { word.to_owned() })
            .collect(),
    }
}

/// The text with every opaque piece as a run of signs that no pattern matches, byte for byte as long.
fn masked(text: &str, tokens: &[Token]) -> String {
    let mut bytes = text.to_owned();
    for token in tokens.iter().rev().filter(|token| token.kind == Kind::Opaque) {
        bytes.replace_range(token.range.clone(), &"_".repeat(token.range.len()));
    }
    bytes
}

fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, sign) in text.char_indices() {
        if matches!(sign, ',' | ';' | ':' | '，' | '；' | '：' | '、') && sign != '、' {
            found.push(from..at);
            from = at + sign.len_utf8();
        }
    }
    found.push(from..text.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_packs_are_read() {
        for source in SOURCES {
            read(source).unwrap();
        }
        assert!(pack("de").is_some() && pack("nl").is_none());
    }
}
