//! Spelling of English verb forms: "-ing", "-s" and "-ed", as regular verbs have them; the others are listed in the pack.

/// The usual spelling of a verb's "-ing" form.
pub(super) fn gerund(verb: &str) -> String {
    if verb == "be" {
        return "being".to_owned();
    }
    if let Some(stem) = verb.strip_suffix("ie") {
        return format!("{stem}ying");
    }
    if verb.ends_with('e') && !verb.ends_with("ee") && !verb.ends_with("ye") && !verb.ends_with("oe") {
        return format!("{}ing", &verb[..verb.len() - 1]);
    }
    format!("{}ing", doubled(verb))
}

/// The form behind "he" and "it": "asks", "tries", "passes".
pub(super) fn third_person(verb: &str) -> String {
    match verb {
        "be" => return "is".to_owned(),
        "have" => return "has".to_owned(),
        _ => {}
    }
    if let Some(stem) = consonant_y(verb) {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| verb.ends_with(end));
    format!("{verb}{}", if hisses { "es" } else { "s" })
}

/// The regular past form and participle: "asked", "tried", "stopped".
pub(super) fn past(verb: &str) -> String {
    if let Some(stem) = consonant_y(verb) {
        return format!("{stem}ied");
    }
    if verb.ends_with('e') {
        return format!("{verb}d");
    }
    format!("{}ed", doubled(verb))
}

fn consonant_y(verb: &str) -> Option<&str> {
    let stem = verb.strip_suffix('y')?;
    (!stem.is_empty() && !stem.ends_with(['a', 'e', 'i', 'o', 'u'])).then_some(stem)
}

/// Verbs of several syllables with the stress on the last one, which doubles its letter.
const STRESSED: [&str; 28] = [
    "commit", "submit", "permit", "refer", "infer", "prefer", "defer", "transfer", "occur", "omit", "rerun", "reset",
    "format", "begin", "forget", "transmit", "admit", "embed", "debug", "emit", "regret", "equip", "unplug", "unzip",
    "compel", "deter", "confer", "recap",
];

fn doubled(verb: &str) -> String {
    let vowel = |c: &char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    let letters: Vec<char> = verb.chars().collect();
    let syllables = letters.windows(2).filter(|two| vowel(&two[0]) && !vowel(&two[1])).count();
    let short = match letters.as_slice() {
        [first, last] => vowel(first) && !vowel(last),
        [.., before, middle, last] => {
            !vowel(before)
                && vowel(middle)
                && !vowel(last)
                && !matches!(last, 'w' | 'x' | 'y')
                && (syllables == 1 || STRESSED.contains(&verb))
        }
        _ => false,
    };
    match letters.last() {
        Some(last) if short => format!("{verb}{last}"),
        _ => verb.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_spelled_as_usual() {
        for (verb, ing, s, ed) in [
            ("change", "changing", "changes", "changed"),
            ("lie", "lying", "lies", "lied"),
            ("visit", "visiting", "visits", "visited"),
            ("commit", "committing", "commits", "committed"),
            ("fix", "fixing", "fixes", "fixed"),
            ("answer", "answering", "answers", "answered"),
            ("try", "trying", "tries", "tried"),
            ("play", "playing", "plays", "played"),
            ("stop", "stopping", "stops", "stopped"),
            ("pass", "passing", "passes", "passed"),
            ("agree", "agreeing", "agrees", "agreed"),
        ] {
            assert_eq!((gerund(verb), third_person(verb), past(verb)), (ing.into(), s.into(), ed.into()));
        }
    }
}
