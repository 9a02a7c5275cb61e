//! Rules that put one thing above another: "prefer A over B", "A instead of B", "A, not B", "not only A but also B".

use super::forms::gerund;
use super::lexicon::Lexicon;
use super::rewrite::{Patch, capitalised, like};
use super::sentence::Clause;
use super::words::{Kind, Token, word_in};

/// "Prefer A over B." becomes "Prefer B over A.", where both sides are plain; `at` is the verb.
pub(super) fn swapped_over(text: &str, tokens: &[Token], clause: &Clause, at: usize) -> Option<Patch> {
    let between = (at + 2..clause.end).find(|at| tokens[*at].is("over"));
    let between = between.or_else(|| {
        (at + 2..clause.end.min(at + 6)).find(|at| {
            let next = word_in(tokens, at + 1, clause.end);
            tokens[*at].is("to") && !Lexicon::get().is_verb(next) && !next.is_empty()
        })
    })?;
    swap(text, tokens, at + 1..between, between + 1..end_of(tokens, clause))
}

/// "V A instead of B" and "V A rather than B" with the sides swapped; "Ask rather than guessing" becomes "Guess rather than
/// asking". `verb` is the command.
pub(super) fn swapped_instead(text: &str, tokens: &[Token], clause: &Clause, verb: usize) -> Option<Vec<Patch>> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let joint = (verb + 1..clause.end).find(|at| {
        (word(*at) == "instead" && word(at + 1) == "of") || (word(*at) == "rather" && word(at + 1) == "than")
    })?;
    let lexicon = Lexicon::get();
    let end = end_of(tokens, clause);
    let second = joint + 2;
    let plain = |range: std::ops::Range<usize>| {
        !range.clone().any(|at| matches!(tokens[at].kind, Kind::Sign(_)) || is_side(word(at)))
    };
    if let Some(base) = lexicon.base_of_gerund(word(second)) {
        let first_end = if tokens[joint - 1].is_sign(&[',']) { joint - 1 } else { joint };
        let upper = text[tokens[verb].range.clone()].chars().all(|c| !c.is_lowercase());
        if !plain(verb..first_end) || !plain(second..end) || upper || joined(tokens, verb..end) {
            return None;
        }
        let rest = |range: std::ops::Range<usize>| {
            if range.is_empty() {
                String::new()
            } else {
                format!(" {}", &text[tokens[range.start].range.start..tokens[range.end - 1].range.end])
            }
        };
        let new_first = format!("{}{}", like(&text[tokens[verb].range.clone()], base), rest(second + 1..end));
        let new_second = format!("{}{}", gerund(word(verb)), rest(verb + 1..first_end));
        return Some(vec![
            Patch::new(tokens[verb].range.start..tokens[first_end - 1].range.end, new_first),
            Patch::new(tokens[second].range.start..tokens[end - 1].range.end, new_second),
        ]);
    }
    if word(verb + 1) == "to" {
        return None;
    }
    let mut stop = second;
    while stop < end
        && matches!(tokens[stop].kind, Kind::Word | Kind::Opaque)
        && !is_side(word(stop))
        && !lexicon.is_preposition(word(stop))
    {
        stop += 1;
    }
    let first = verb + 1..joint;
    let adverb = |at: usize| word(at).ends_with("ly");
    let nouns = !first.clone().any(|at| lexicon.is_preposition(word(at)) || adverb(at)) && !adverb(second);
    nouns.then(|| swap(text, tokens, first, second..stop).map(|patch| vec![patch])).flatten()
}

fn joined(tokens: &[Token], range: std::ops::Range<usize>) -> bool {
    tokens[range].iter().any(|token| token.is("and") || token.is("or"))
}

fn is_side(word: &str) -> bool {
    Lexicon::get().is_subordinator(word)
        || matches!(word, "unless" | "until" | "only" | "over" | "for" | "to" | "in" | "so" | "not")
}

fn swap(text: &str, tokens: &[Token], first: std::ops::Range<usize>, second: std::ops::Range<usize>) -> Option<Patch> {
    let plain = [&first, &second].into_iter().all(|side| {
        !side.is_empty()
            && !tokens[side.clone()].iter().any(|token| matches!(token.kind, Kind::Sign(_)) || is_side(&token.word))
    });
    if !plain {
        return None;
    }
    let first = tokens[first.start].range.start..tokens[first.end - 1].range.end;
    let second = tokens[second.start].range.start..tokens[second.end - 1].range.end;
    let between = &text[first.end..second.start];
    // "`` `a` ``" is opaque; bold marks around one side would move apart.
    if text[first.start..second.end].contains("**") {
        return None;
    }
    Some(Patch::new(first.start..second.end, format!("{}{between}{}", &text[second.clone()], &text[first.clone()])))
}

fn end_of(tokens: &[Token], clause: &Clause) -> usize {
    let mut end = clause.end;
    while end > clause.start + 1 && tokens[end - 1].is_sign(&['.', '!', ':', ';']) {
        end -= 1;
    }
    end
}

/// "not only A but also B" becomes "only A, not B".
pub(super) fn not_only(text: &str, tokens: &[Token], clause: &Clause) -> Option<Vec<Patch>> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let not = clause.clone().find(|at| word(*at) == "not" && matches!(word(at + 1), "only" | "just" | "merely"))?;
    let but = (not + 2..clause.end).find(|at| word(*at) == "but")?;
    let also = if matches!(word(but + 1), "also" | "even") { but + 1 } else { but };
    // "not only V but also V" would need other verbs, and a clause after "but" a "not" of its own.
    if matches!(word(also + 1), "must" | "should" | "do" | "you" | "it" | "they" | "always" | "never")
        || also + 1 >= clause.end
    {
        return None;
    }
    let source = &text[tokens[not].range.clone()];
    let only = Patch::new(tokens[not].range.start..tokens[not + 1].range.end, like(source, "only"));
    let comma = if tokens[but - 1].is_sign(&[',']) { "not" } else { "but not" };
    Some(vec![only, Patch::new(tokens[but].range.start..tokens[also].range.end, comma)])
}

/// "used not as A but as B" becomes "used as A but not as B".
pub(super) fn not_but(text: &str, tokens: &[Token], clause: &Clause) -> Option<Vec<Patch>> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let nots: Vec<usize> =
        clause.clone().filter(|at| matches!(word(*at), "not" | "never" | "don't" | "no" | "only")).collect();
    let [not] = nots.as_slice() else { return None };
    let not = *not;
    let preposition = |at: usize| Lexicon::get().is_preposition(word(at)) || word(at) == "as";
    let but = (not + 2..clause.end).find(|at| word(*at) == "but")?;
    if not == clause.start
        || !preposition(not + 1)
        || !preposition(but + 1) && word(but + 1) != "a" && word(but + 1) != "the"
    {
        return None;
    }
    Some(vec![
        Patch::new(tokens[not].range.start..tokens[not + 1].range.start, ""),
        Patch::new(tokens[but].range.end..tokens[but].range.end, if text.is_empty() { "" } else { " not" }),
    ])
}

/// "Do not just V" becomes "Just V"; `from` is the "do", `limit` the word behind the "not".
pub(super) fn just(text: &str, tokens: &[Token], from: usize, limit: usize) -> Patch {
    let word = &text[tokens[limit].range.clone()];
    let capital = text[tokens[from].range.start..].starts_with(char::is_uppercase);
    let with = if capital { capitalised(word) } else { word.to_owned() };
    Patch::new(tokens[from].range.start..tokens[limit].range.end, with)
}
