//! The opposite of a condition: "the user asks" and "the user does not ask", "necessary" and "not necessary".

use std::ops::Range;

use super::lexicon::Lexicon;
use super::rewrite::Patch;
use super::sentence::is_adverb;
use super::words::{Kind, Token, word_in};

/// Patches that negate what follows "if", "when" or "unless", up to the end of the range; none where a part of it has no
/// verb that is known for certain.
pub(super) fn negated(text: &str, tokens: &[Token], range: Range<usize>) -> Option<Vec<Patch>> {
    let mut patches = Vec::new();
    let mut from = range.start;
    for part in parts(tokens, range) {
        from = from.max(part.start);
        patches.extend(negated_part(text, tokens, from..part.end)?);
    }
    Some(patches)
}

/// "you must and you are sure", "asked or if it fails": each of them is a condition.
fn parts(tokens: &[Token], range: Range<usize>) -> Vec<Range<usize>> {
    let word = |at: usize| word_in(tokens, at, range.end);
    let mut found = Vec::new();
    let mut from = range.start;
    for at in range.clone() {
        if !matches!(word(at), "and" | "or") || at <= from {
            continue;
        }
        let next = word(at + 1);
        let conditional = matches!(next, "if" | "when");
        if conditional || matches!(next, "you" | "they" | "it" | "he" | "she" | "we") {
            let comma = tokens[at - 1].is_sign(&[',']);
            found.push(from..if comma { at - 1 } else { at });
            from = if conditional { at + 2 } else { at + 1 };
        }
    }
    found.push(from..range.end);
    found
}

const AUXILIARIES: [&str; 14] =
    ["is", "are", "was", "were", "can", "could", "will", "would", "must", "should", "may", "might", "has", "have"];

/// "… is late or has no seat": a second verb that one "not" would not reach.
fn is_joined_finite(tokens: &[Token], at: usize, end: usize) -> bool {
    let word = word_in(tokens, at, end);
    matches!(word_in(tokens, at - 1, end), "and" | "or")
        && (AUXILIARIES.contains(&word)
            || Lexicon::get().base_of_third(word).is_some_and(|base| {
                !Lexicon::get().is_also_noun(base) || Lexicon::get().is_determiner(word_in(tokens, at + 1, end))
            }))
}

fn negated_part(text: &str, tokens: &[Token], part: Range<usize>) -> Option<Vec<Patch>> {
    let lexicon = Lexicon::get();
    let word = |at: usize| word_in(tokens, at, part.end);
    if part.is_empty() {
        return None;
    }
    let insert = |at: usize, with: &str| Patch::new(tokens[at].range.start..tokens[at].range.start, with);
    let after = |at: usize, with: &str| Patch::new(tokens[at].range.end..tokens[at].range.end, with);
    let drop = |at: usize| {
        Patch::new(tokens[at].range.start..tokens.get(at + 1).map_or(text.len(), |next| next.range.start), "")
    };
    let start = part.start;
    let head = (start..part.end).find(|at| !is_adverb(word(*at))).unwrap_or(start);
    if word(start) == "not" {
        return Some(vec![drop(start)]);
    }
    let bare = lexicon.is_predicate(word(head))
        || (lexicon.is_participle(word(head)) && !is_noun_behind(tokens, head, part.end));
    if bare {
        return joined_finite(tokens, head + 1, part.end).is_none().then(|| vec![insert(start, "not ")]);
    }
    for at in start..part.end {
        let token = &tokens[at];
        if matches!(token.kind, Kind::Sign(_)) || (at > start && lexicon.is_subordinator(word(at))) {
            return None;
        }
        let negated = word(at + 1) == "not";
        let finite = AUXILIARIES.contains(&word(at));
        if at > start && finite && (at + 1..part.end).any(|at| is_joined_finite(tokens, at, part.end)) {
            return None;
        }
        match word(at) {
            "no" => return None,
            "can" if at > start && !negated => return Some(vec![Patch::new(token.range.clone(), "cannot")]),
            "is" | "are" | "was" | "were" | "can" | "could" | "will" | "would" | "must" | "should" | "may"
            | "might"
                if at > start =>
            {
                return Some(vec![if negated { drop(at + 1) } else { after(at, " not") }]);
            }
            "has" | "have" | "had" if at > start && negated => return Some(vec![drop(at + 1)]),
            "has" | "have"
                if at > start
                    && (lexicon.is_participle(word(at + 1)) || is_adverb(word(at + 1)) || word(at + 1) == "been") =>
            {
                return Some(vec![after(at, " not")]);
            }
            "cannot" | "can't" => return Some(vec![Patch::new(token.range.clone(), "can")]),
            "isn't" => return Some(vec![Patch::new(token.range.clone(), "is")]),
            "aren't" => return Some(vec![Patch::new(token.range.clone(), "are")]),
            "you're" | "they're" | "it's" | "we're" => return Some(vec![after(at, " not")]),
            "do" if negated && at > start => {
                return Some(vec![Patch::new(token.range.start..tokens[at + 2..part.end].first()?.range.start, "")]);
            }
            "don't" | "doesn't" | "does" | "do" | "did" | "didn't" => return None,
            _ => {}
        }
        if at == start || token.kind != Kind::Word {
            continue;
        }
        let subject = word(at - 1);
        // "the caller clearly and explicitly agrees"
        let joins = |at: usize| matches!(word(at), "and" | "or") && is_adverb(word(at + 1));
        let adverb = |at: &usize| is_adverb(word(*at)) || (is_adverb(word(at - 1)) && joins(*at));
        let adverbs = (at..part.end).take_while(adverb).count();
        let verb = at + adverbs;
        if let Some(base) = lexicon.base_of_third(word(verb))
            && is_third(tokens, start, verb, part.end)
        {
            let mut patches = Vec::new();
            patches.push(if adverbs > 0 {
                insert(at, "does not ")
            } else {
                Patch::new(tokens[verb].range.clone(), format!("does not {base}"))
            });
            if adverbs > 0 {
                patches.push(Patch::new(tokens[verb].range.clone(), base));
            }
            // "asks for or approves it" has a second verb.
            let mut from = verb + 1;
            while let Some(second) = joined_finite(tokens, from, part.end) {
                patches.push(Patch::new(tokens[second].range.clone(), lexicon.base_of_third(word(second))?));
                from = second + 1;
            }
            return Some(patches);
        }
        let plural = matches!(subject, "you" | "they" | "we" | "i" | "users" | "customers" | "people");
        if plural && lexicon.is_verb(word(verb)) {
            return Some(vec![insert(at, "do not ")]);
        }
        if adverbs > 0 && plural {
            return None;
        }
    }
    None
}

/// The verb of "… or approves".
fn joined_finite(tokens: &[Token], from: usize, end: usize) -> Option<usize> {
    let lexicon = Lexicon::get();
    (from..end).take_while(|at| !lexicon.is_subordinator(word_in(tokens, *at, end))).find(|at| {
        let word = word_in(tokens, *at, end);
        matches!(word_in(tokens, at - 1, end), "and" | "or")
            && lexicon
                .base_of_third(word)
                .is_some_and(|base| !lexicon.is_also_noun(base) || lexicon.is_determiner(word_in(tokens, at + 1, end)))
    })
}

/// Whether "requests" is what the subject does and no plural: it stands behind a noun and before an object or the end.
fn is_third(tokens: &[Token], start: usize, at: usize, end: usize) -> bool {
    let lexicon = Lexicon::get();
    let word = word_in(tokens, at, end);
    let before = word_in(tokens, at - 1, end);
    let pronoun =
        matches!(before, "it" | "he" | "she" | "this" | "that" | "nobody" | "someone" | "somebody" | "anyone");
    if pronoun {
        return true;
    }
    if lexicon.is_determiner(before) || lexicon.is_preposition(before) || matches!(before, "and" | "or") {
        return false;
    }
    // "the user asks": a determiner opens the subject, and the noun before the verb is no plural.
    let subject = word_in(tokens, start, end);
    let opened = lexicon.is_determiner(subject) || matches!(tokens[start].kind, Kind::Opaque) || subject == "no";
    if !opened || (before.ends_with('s') && !before.ends_with("ss")) {
        return false;
    }
    let noun = lexicon.base_of_third(word).is_some_and(|base| lexicon.is_also_noun(base));
    let next = word_in(tokens, at + 1, end);
    let object = at + 1 >= end
        || next.is_empty()
        || lexicon.is_determiner(next)
        || lexicon.is_preposition(next)
        || matches!(next, "that" | "not" | "one" | "more" | "no" | "again" | "twice")
        || next.starts_with(|c: char| c.is_ascii_digit());
    !noun || (object && at > start + 1)
}

/// "if requested by …" is a condition, "if updated values …" starts with a subject.
fn is_noun_behind(tokens: &[Token], at: usize, end: usize) -> bool {
    let next = word_in(tokens, at + 1, end);
    let lexicon = Lexicon::get();
    !(at + 1 >= end
        || tokens[at + 1].kind != Kind::Word
        || lexicon.is_preposition(next)
        || lexicon.is_subordinator(next)
        || is_adverb(next)
        || matches!(next, "to" | "and" | "or" | "otherwise" | "so" | "again"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutators::rule::rewrite::patched;
    use crate::mutators::rule::words::tokens;

    #[test]
    fn conditions_are_negated_at_their_verb() {
        for (condition, expected) in [
            ("the user asks", "the user does not ask"),
            ("the caller explicitly requests it", "the caller does not explicitly request it"),
            ("a change breaks the build", "a change does not break the build"),
            ("you need to see the log", "you do not need to see the log"),
            ("explicitly asked to do so", "not explicitly asked to do so"),
            ("necessary", "not necessary"),
            ("the order is late", "the order is not late"),
            ("the tool cannot reach the host", "the tool can reach the host"),
            ("it has been approved", "it has not been approved"),
            ("requested or if the page is down", "not requested or if the page is not down"),
            ("she asks for or approves it", "she does not ask for or approve it"),
        ] {
            let all = tokens(condition);
            let patches = negated(condition, &all, 0..all.len()).unwrap_or_else(|| panic!("{condition}"));
            assert_eq!(patched(condition, patches), expected);
        }
    }

    #[test]
    fn what_has_no_certain_verb_is_not_negated() {
        for condition in ["user requests", "the tests", "", "quux", "updated values"] {
            let all = tokens(condition);
            assert_eq!(negated(condition, &all, 0..all.len()), None, "{condition}");
        }
    }
}
