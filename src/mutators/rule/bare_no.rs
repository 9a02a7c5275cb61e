//! "no" before a noun: "Make no promises", "There must be no gaps", "No code may be merged".

use super::lexicon::Lexicon;
use super::refusal::{Refusal, RefusalReason};
use super::rewrite::{Patch, like};
use super::sentence::{Clause, after_openers, is_modal};
use super::words::{Kind, Token, word_in};

/// What becomes of a clause whose rule is a "no"; none where it has no such word.
pub(super) fn without_no(text: &str, tokens: &[Token], clause: &Clause) -> Option<Result<Vec<Patch>, Refusal>> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let start = after_openers(&tokens[..clause.end], clause.start);
    let refuse = |at: usize| Some(Err(Refusal::new(RefusalReason::BareNo, word(at))));
    if matches!(word(start), "nothing" | "none" | "nobody" | "neither") {
        return refuse(start);
    }
    if let Some(not) = without_be(tokens, clause, start) {
        return Some(Ok(vec![super::modal::dropped(text, tokens, not)]));
    }
    let at = (start..clause.end).find(|at| word(*at) == "no")?;
    if word(at - usize::from(at > 0)) == "under"
        && matches!(word(at + 1), "circumstances" | "circumstance" | "condition" | "conditions")
    {
        return Some(Ok(vec![Patch::new(tokens[at].range.start..tokens[at + 1].range.end, "all circumstances")]));
    }
    if matches!(word(at + 1), "more" | "less" | "fewer" | "longer" | "matter" | "later" | "earlier" | "") {
        return None;
    }
    let lexicon = Lexicon::get();
    // "No need to cite common knowledge" becomes "You need to cite common knowledge".
    if at == start && word(at + 1) == "need" && word(at + 2) == "to" && lexicon.is_verb(word(at + 3)) {
        let source = &text[tokens[at].range.clone()];
        return Some(Ok(vec![Patch::new(tokens[at].range.clone(), like_first(source, "you"))]));
    }
    // "No attachments allowed."
    let last = (at + 2..clause.end).rev().find(|at| tokens[*at].kind == Kind::Word);
    if at == start
        && let Some(last) = last.filter(|last| matches!(word(*last), "allowed" | "permitted" | "accepted"))
        && (at + 1..last).all(|at| {
            tokens[at].kind == Kind::Word
                && !lexicon.is_subordinator(word(at))
                && !matches!(word(at), "is" | "are" | "not")
        })
    {
        return Some(Ok(vec![any(text, tokens, at, last)]));
    }
    let finite = |range: std::ops::Range<usize>| {
        let range = range.clone();
        range.clone().find(|at| {
            is_modal(word(*at))
                || (matches!(word(*at), "is" | "are")
                    && (lexicon.is_allowed(word(at + 1)) || lexicon.is_deed(word(at + 1))))
        })
    };
    if at == start {
        let found = finite(at + 1..clause.end);
        let signs = tokens[at + 1..found.unwrap_or(clause.end)]
            .iter()
            .any(|token| matches!(token.kind, Kind::Sign(_)) || lexicon.is_subordinator(&token.word));
        let negative = found.is_some_and(|at| {
            matches!(word(at), "cannot" | "can't" | "mustn't" | "shouldn't") || word(at + 1) == "not"
        });
        if found.is_none() || signs || negative {
            return refuse(at);
        }
        return Some(Ok(vec![any(text, tokens, at, clause.end)]));
    }
    // "Make no promises", "must have no gaps", "There must be no gaps"; elsewhere it only describes something.
    let before = word(at - 1);
    let command = at == start + 1 && lexicon.is_verb(before);
    let modal = (start..at).find(|at| is_modal(word(*at)));
    let obliged = modal.is_some_and(|modal| {
        matches!(word(modal), "must" | "should" | "shall" | "may" | "can")
            && word(modal + 1) != "not"
            && at <= modal + 3
            && lexicon.is_verb(before)
    });
    // "Small parcels require no signature."
    let lexical = at > start + 1
        && matches!(before, "require" | "requires" | "need" | "needs")
        && !lexicon.is_verb(word(start))
        && !(start..at).any(|at| is_modal(word(at)));
    let need = word(start) == "there" && matches!(before, "is" | "are") && word(at + 1) == "need";
    let denied = (start..at).any(|at| matches!(word(at), "not" | "never" | "don't" | "avoid"));
    let more = (at + 1..clause.end).any(|at| matches!(word(at), "not" | "never" | "unless" | "only" | "no"));
    let joined = (at + 1..clause.end)
        .any(|at| matches!(word(at), "and" | "or") && super::sentence::is_command_verb(&tokens[..clause.end], at + 1));
    if denied || !(command || obliged || need || lexical) {
        return None;
    }
    if more || joined {
        return refuse(at);
    }
    Some(Ok(vec![if need || (lexical && !is_plural(tokens, at, clause.end)) {
        Patch::new(tokens[at].range.clone(), article(word(at + 1)))
    } else {
        any(text, tokens, at, clause.end)
    }]))
}

/// The "not" of "Dogs and other pets not allowed."
fn without_be(tokens: &[Token], clause: &Clause, start: usize) -> Option<usize> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let last = (start..clause.end).rev().find(|at| !tokens[*at].is_sign(&['.', '!']))?;
    let said = matches!(word(last), "allowed" | "permitted" | "accepted");
    let not = last.checked_sub(1).filter(|not| said && *not > start && word(*not) == "not")?;
    let noun = (start..not).all(|at| {
        let here = word(at);
        tokens[at].kind != Kind::Sign(',')
            && !is_modal(here)
            && !super::subject::is_auxiliary(here)
            && !matches!(here, "be" | "it's" | "it" | "that" | "which" | "if" | "not" | "never" | "am" | "as")
    });
    noun.then_some(not)
}

/// "Final-sale items are non-refundable" becomes "… are refundable".
pub(super) fn without_non(text: &str, tokens: &[Token], clause: &Clause) -> Option<Vec<Patch>> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let at = (clause.start + 1..clause.end).find(|at| word(*at).starts_with("non-"))?;
    let said = &tokens[at].range;
    let adjective = ["able", "ible"].iter().any(|end| word(at).ends_with(end));
    let ends = at + 1 >= clause.end || matches!(tokens[at + 1].kind, Kind::Sign(_));
    let subject = &tokens[clause.start..at - 1];
    let plain = subject.iter().all(|token| token.kind == Kind::Word && !is_modal(&token.word) && !token.is("not"));
    let fits = adjective && ends && plain && !subject.is_empty() && matches!(word(at - 1), "is" | "are");
    fits.then(|| vec![Patch::new(said.clone(), text[said.clone()].get(4..).unwrap_or_default())])
}

/// A plural stands alone, other nouns get an "any".
fn any(text: &str, tokens: &[Token], at: usize, end: usize) -> Patch {
    let plural = is_plural(tokens, at, end);
    let no = tokens[at].range.clone();
    let source = &text[no.clone()];
    match tokens.get(at + 1) {
        Some(next) if plural => Patch::new(no.start..next.range.end, like_first(source, &text[next.range.clone()])),
        _ => Patch::new(no, like(source, "any")),
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// Whether the noun behind a "no" is a plural.
fn is_plural(tokens: &[Token], at: usize, end: usize) -> bool {
    let lexicon = Lexicon::get();
    let noun = (at + 1..end).take_while(|at| {
        let word = word_in(tokens, *at, end);
        !word.is_empty()
            && !is_modal(word)
            && !lexicon.is_preposition(word)
            && !lexicon.is_subordinator(word)
            && !matches!(word, "is" | "are" | "to" | "and" | "or")
    });
    noun.last().is_some_and(|at| {
        let word = word_in(tokens, at, end);
        (word.ends_with('s') && !word.ends_with("ss")) || matches!(word, "people" | "children" | "data")
    })
}

fn like_first(gone: &str, word: &str) -> String {
    if gone.starts_with(char::is_uppercase) { super::rewrite::capitalised(word) } else { word.to_owned() }
}
