//! What may follow a cue: joins, second commands, limits and exceptions.

use super::lexicon::Lexicon;
use super::refusal::{Refusal, RefusalReason};
use super::rewrite::{Patch, like};
use super::sentence::{Clause, is_command_verb, is_second_command};
use super::words::{Kind, Token, word_in};

/// Which way the clause was turned, for what may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Allow,
    AllowAlways,
    Forbid,
    ForbidNever,
    /// The two sides of a comparison were swapped: nothing else may follow.
    Swap,
}

impl Way {
    pub(super) fn forbids(self) -> bool {
        matches!(self, Self::Forbid | Self::ForbidNever)
    }
}

pub(super) fn check_after_verb(tokens: &[Token], at: usize) -> Result<(), Refusal> {
    let word = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.word.as_str());
    if matches!(word(0), "no" | "nothing" | "none" | "nobody") && word(1) != "more" {
        return Err(Refusal::new(RefusalReason::BareNo, word(0)));
    }
    Ok(())
}

/// Looks at what follows the cue: joins, second commands, limits and exceptions.
pub(super) fn check_rest(
    text: &str,
    tokens: &[Token],
    rest: Clause,
    way: Way,
    is_last: bool,
    patches: &mut Vec<Patch>,
) -> Result<(), Refusal> {
    let lexicon = Lexicon::get();
    let refuse =
        |reason: RefusalReason, at: usize| Err(Refusal::new(reason, text[tokens[at].range.clone()].to_owned()));
    let mut side_clause = false;
    let clause = rest.start.saturating_sub(1)..rest.end;
    // Behind a dash without a command: a remark.
    let mut remark = None;
    // "changes that add a test, fix a bug and remove …": verbs of the side clause, no commands.
    let mut verbs_inside = false;
    let mut series = Vec::new();
    for at in rest.clone() {
        let token = &tokens[at];
        let word = |ahead: usize| {
            let place = at + ahead;
            if place < rest.end { tokens.get(place).map_or("", |token| token.word.as_str()) } else { "" }
        };
        let before = &tokens[at - 1];
        if way == Way::Swap {
            if token.is_sign(&[',', ';', ':', '-'])
                || matches!(token.word.as_str(), "unless" | "until" | "not" | "never" | "only" | "but" | "then")
            {
                return refuse(RefusalReason::Preference, at);
            }
            continue;
        }
        match (token.kind, token.word.as_str()) {
            (Kind::Sign(';'), _) if at + 1 == rest.end => {}
            (Kind::Sign(';'), _) => return refuse(RefusalReason::TwoCommands, at),
            (Kind::Sign(sign @ ('-' | ':')), _) => {
                side_clause = false;
                // "— call the desk": a command or a noun.
                if is_doubtful_command(tokens, at + 1, rest.end) {
                    return refuse(RefusalReason::TwoCommands, at + 1);
                }
                if sign == '-' {
                    remark = Some(at);
                }
            }
            // "…, this keeps the log short": a remark, too.
            (Kind::Sign(','), _)
                if matches!(word(1), "this" | "it" | "they" | "that") && is_fact(tokens, at, rest.end.min(at + 3)) =>
            {
                remark = Some(at);
                side_clause = true;
            }
            // "- this is a chat, not a mail": the remark stays as it is.
            (Kind::Word, "not" | "but" | "and" | "or") if remark.is_some_and(|from| is_fact(tokens, from, at)) => {}
            (Kind::Word, "not") if remark.is_some() => return refuse(RefusalReason::Preference, at),
            // "Send one file - no folders"
            (Kind::Word, "no") if remark.is_some_and(|from| from + 1 == at) => {
                return refuse(RefusalReason::BareNo, at);
            }
            (Kind::Sign(','), _)
                if !verbs_inside
                    && at + 1 < rest.end
                    && (is_command_verb(tokens, at + 1)
                        || (lexicon.is_mostly_verb(word(1)) && lexicon.is_preposition(word(2)))
                        || (lexicon.is_verb(word(1)) && matches!(word(2), "what" | "why" | "how" | "whether"))) =>
            {
                side_clause = false;
                series.push(at);
            }
            // "Do not print the code, only the result" becomes "Print the code, not the result".
            (Kind::Word, "only")
                if before.is_sign(&[','])
                    && way == Way::Allow
                    && !is_command_verb(tokens, at + 1)
                    && word(1) != "then" =>
            {
                patches.push(Patch::new(token.range.clone(), "not"));
            }
            // "Answer only questions about orders" is forbidden as a whole; "Do not refund only because they ask" allowed.
            (Kind::Word, "only")
                if side_clause
                    || (way == Way::Forbid && !before.is_sign(&[',', '-']))
                    || word(1) == "because"
                    || word(1) == "to" => {}
            (Kind::Word, "only") => return refuse(RefusalReason::Only, at),
            // "don't add it at all" loses the words that only a "not" can have.
            (Kind::Word, "at")
                if matches!(way, Way::Allow)
                    && word(1) == "all"
                    && before.kind == Kind::Word
                    && (at + 2 >= rest.end || matches!(tokens[at + 2].kind, Kind::Sign(_))) =>
            {
                patches.push(Patch::new(before.range.end..tokens[at + 1].range.end, ""));
            }
            // Two "no" in one clause would say the contrary.
            (Kind::Word, "no")
                if way.forbids()
                    && !side_clause
                    && !lexicon.is_preposition(&before.word)
                    && !matches!(word(1), "longer" | "matter" | "more" | "less" | "later") =>
            {
                return refuse(RefusalReason::BareNo, at);
            }
            (Kind::Word, "unless") => {
                if way.forbids() {
                    side_clause = true;
                    continue;
                }
                if !is_last || tokens[at..rest.end].iter().any(|token| token.is_sign(&[';', ':', '-'])) {
                    return refuse(RefusalReason::Exception, at);
                }
                if (at..rest.end).any(|at| tokens[at].is("and") && is_command_verb(&tokens[..rest.end], at + 1)) {
                    return refuse(RefusalReason::TwoCommands, at);
                }
                patches.push(without_exception(text, tokens, at, rest.end));
                return Ok(());
            }
            (Kind::Word, "until") if matches!(way, Way::Allow | Way::AllowAlways) && !side_clause => {
                patches.push(Patch::new(token.range.clone(), like(&text[token.range.clone()], "before")));
                side_clause = true;
            }
            (Kind::Word, "otherwise" | "instead") if before.is_sign(&[',', '-']) => {
                return refuse(RefusalReason::TwoCommands, at);
            }
            // "never use glue, build with clips": the second command has no cue of its own.
            (Kind::Sign(','), _) if way == Way::ForbidNever && is_doubtful_command(tokens, at + 1, rest.end) => {
                return refuse(RefusalReason::TwoCommands, at + 1);
            }
            (Kind::Word, "never" | "always") if !side_clause => {
                let contrast = before.is_sign(&[',']) || matches!(before.word.as_str(), "but" | "and");
                match way {
                    Way::AllowAlways | Way::ForbidNever if contrast => {
                        let other = if token.word == "never" { "always" } else { "never" };
                        patches.push(Patch::new(token.range.clone(), like(&text[token.range.clone()], other)));
                    }
                    _ => return refuse(RefusalReason::TwoCommands, at),
                }
            }
            // "Use tabs, not spaces" becomes "Do not use tabs, but spaces"; "…, not just spaces" says no more than before.
            (Kind::Word, "not")
                if before.is_sign(&[','])
                    && way == Way::Forbid
                    && matches!(word(1), "just" | "only" | "merely" | "necessarily") => {}
            // "Say that it is a draft, not a contract"
            (Kind::Word, "not") if before.is_sign(&[',']) && way.forbids() && is_content(tokens, rest.start, at) => {}
            (Kind::Word, "not")
                if before.is_sign(&[',']) && way == Way::Forbid && is_last_contrast(tokens, at, rest.end) =>
            {
                patches.push(Patch::new(token.range.clone(), "but"));
            }
            (Kind::Word, "not") if before.is_sign(&[',', '-']) || before.is("but") || before.is("and") => {
                return refuse(RefusalReason::Preference, at);
            }
            (Kind::Word, "not")
                if before.kind == Kind::Opaque && matches!(word(1), "just" | "only") && way == Way::Forbid => {}
            // `"Say a" not "Say b"` compares two quotations.
            (Kind::Word, "not")
                if before.kind == Kind::Opaque && tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Opaque) => {}
            // "procedures not provided by the user" only describes the procedures.
            (Kind::Word, "not") if word(1).ends_with("ed") || word(1).ends_with("en") => {}
            // "a number you have not checked"
            (Kind::Word, "not")
                if at > rest.start + 2
                    && matches!(before.word.as_str(), "have" | "are" | "do" | "were" | "had" | "can" | "could")
                    && matches!(tokens[at - 2].word.as_str(), "you" | "they" | "we") => {}
            // "assume it does not": the object is a clause of its own.
            (Kind::Word, "not")
                if way.forbids()
                    && at > rest.start + 1
                    && matches!(before.word.as_str(), "does" | "is" | "has" | "did" | "was") => {}
            (Kind::Word, "not") if !side_clause => return refuse(RefusalReason::TwoCommands, at),
            // "anything you don't know", "hosts you cannot reach"
            (Kind::Word, "don't" | "do" | "must" | "should" | "cannot" | "can't")
                if matches!(before.word.as_str(), "you" | "they" | "we" | "it")
                    && at > rest.start + 1
                    && tokens[at - 2].kind == Kind::Word
                    && !matches!(tokens[at - 2].word.as_str(), "and" | "or" | "but" | "so" | "then") =>
            {
                side_clause = true;
            }
            // "so the view stays the same": an end, not a command.
            (Kind::Word, "so") if !is_command_verb(tokens, at + 1) => side_clause = true,
            (Kind::Word, "don't" | "must" | "should" | "shall" | "cannot" | "can't" | "mustn't" | "shouldn't")
                if !side_clause =>
            {
                return refuse(RefusalReason::TwoCommands, at);
            }
            // "Lock the card, then tell the caller": a second command, which gets its own "do not".
            (Kind::Word, "then")
                if !side_clause && before.is_sign(&[',']) && way == Way::Forbid && lexicon.is_verb(word(1)) =>
            {
                // "Ask, wait for the answer, then go on": one "not" for all of them.
                patches.push(Patch::new(token.range.clone(), if series.is_empty() { "and do not" } else { "or" }));
                series.clear();
            }
            (Kind::Word, "then") if before.is("and") && way.forbids() && is_command_verb(tokens, at + 1) => {}
            (Kind::Word, "then") if matches!(before.word.as_str(), "and") || before.is_sign(&[',']) => {
                return refuse(RefusalReason::TwoCommands, at);
            }
            // "Do not use tabs, but spaces" becomes "Use tabs, not spaces".
            (Kind::Word, "but")
                if !side_clause
                    && before.is_sign(&[','])
                    && way == Way::Allow
                    && is_noun_contrast(tokens, at, rest.end) =>
            {
                patches.push(Patch::new(token.range.clone(), "not"));
            }
            // "Keep it short but friendly" joins two words.
            (Kind::Word, "but")
                if !side_clause
                    && way == Way::Forbid
                    && !before.is_sign(&[','])
                    && rest.end - at <= 4
                    && is_noun_contrast(tokens, at, rest.end) => {}
            (Kind::Word, "but")
                if matches!(before.word.as_str(), "all" | "anything" | "anyone" | "everything" | "everyone") => {}
            (Kind::Word, "but") if !side_clause => return refuse(RefusalReason::TwoCommands, at),
            (Kind::Word, "and")
                if way.forbids() && !side_clause && word(1) == "then" && is_command_verb(tokens, at + 2) =>
            {
                patches.push(Patch::new(token.range.clone(), "or"));
                series.clear();
            }
            (Kind::Word, "and")
                if way.forbids()
                    && (!side_clause
                        || (before.is_sign(&[',']) && !verbs_inside)
                        || is_closed(tokens, rest.start, at))
                    && is_second_command(tokens, at, &clause) =>
            {
                side_clause = false;
                if matches!(word(2), "no" | "nothing" | "nobody") {
                    return refuse(RefusalReason::BareNo, at + 2);
                }
                if word(1) == "avoid" || word(1) == "refuse" {
                    return refuse(RefusalReason::LexicalNegation, at + 1);
                }
                patches.push(Patch::new(token.range.clone(), "or"));
                series.clear();
            }
            (Kind::Word, "and" | "or") if !side_clause && lexicon.is_verb(word(1)) => series.clear(),
            // "Apologise once and offer a call" has no side clause.
            (Kind::Word, "once" | "before" | "after") if matches!(word(1), "" | "and" | "or") => {}
            // "where possible", "explain why and ask": no clause of its own.
            (Kind::Word, here) if lexicon.is_subordinator(here) && lexicon.is_predicate(word(1)) => {}
            (Kind::Word, "why" | "how" | "what" | "where" | "when" | "which")
                if matches!(word(1), "" | "and" | "or") => {}
            (Kind::Word, here) if lexicon.is_subordinator(here) => {
                side_clause = true;
                verbs_inside |= matches!(here, "that" | "which" | "who") && lexicon.is_verb(word(1));
            }
            _ => {}
        }
    }
    match series.as_slice() {
        // "Use async for files, keep the rest plain": two commands with a comma between them.
        [at] if way == Way::Forbid => {
            let verb = tokens[at + 1].range.start;
            patches.push(Patch::new(verb..verb, "do not "));
            return Ok(());
        }
        _ => {}
    }
    match series.first() {
        Some(at) => refuse(RefusalReason::TwoCommands, at + 1),
        None => Ok(()),
    }
}

/// A word that may be a noun or a command: no clause was seen there, and none can be ruled out.
fn is_doubtful_command(tokens: &[Token], at: usize, end: usize) -> bool {
    let lexicon = Lexicon::get();
    let next = word_in(tokens, at + 1, end);
    let finite = (at + 1..end)
        .take_while(|at| !matches!(tokens[*at].kind, Kind::Sign(_)))
        .any(|at| super::subject::is_auxiliary(word_in(tokens, at, end)));
    let verb = word_in(tokens, at, end);
    // "records of the visit", but "start with a greeting"
    let is_noun = matches!(next, "and" | "or" | "of")
        || (lexicon.is_preposition(next) && lexicon.is_also_noun(verb) && verb != "start");
    lexicon.is_verb(verb) && !finite && !next.is_empty() && !is_noun
}

/// Whether a comma belongs to what is said: "that it is a draft".
fn is_content(tokens: &[Token], from: usize, to: usize) -> bool {
    (from..to).rev().find(|at| tokens[*at].is("that")).is_some_and(|that| is_fact(tokens, that, to))
}

/// Whether a finite verb stands between two places.
fn is_fact(tokens: &[Token], from: usize, to: usize) -> bool {
    tokens[from..to].iter().any(|token| {
        matches!(token.word.as_str(), "is" | "are" | "was" | "it's" | "has" | "does" | "will" | "that's" | "they're")
            || Lexicon::get().base_of_third(&token.word).is_some_and(|base| !Lexicon::get().is_also_noun(base))
    })
}

/// A side clause whose verb can't go on with a base form: "before you close it" can, "that it is late" and "before
/// closing it" can't, so that a command behind "and" is the rule's own.
fn is_closed(tokens: &[Token], from: usize, and: usize) -> bool {
    let lexicon = Lexicon::get();
    let Some(opens) = (from..and).rev().find(|at| lexicon.is_subordinator(&tokens[*at].word)) else { return false };
    let inside = &tokens[opens + 1..and];
    let open = inside.iter().any(|token| {
        super::sentence::is_modal(&token.word)
            || token.is_sign(&[','])
            || matches!(
                token.word.as_str(),
                "to" | "you" | "they" | "we" | "i" | "will" | "would" | "do" | "don't" | "are" | "have" | "let"
            )
    });
    let third = inside.iter().any(|token| {
        matches!(token.word.as_str(), "is" | "has" | "was" | "does")
            || lexicon.base_of_third(&token.word).is_some_and(|base| !lexicon.is_also_noun(base))
    });
    let gerund = matches!(tokens[opens].word.as_str(), "before" | "after" | "while" | "when")
        && inside.first().is_some_and(|token| lexicon.base_of_gerund(&token.word).is_some());
    !open && (third || gerund)
}

/// Nothing but one noun phrase follows the "not".
fn is_last_contrast(tokens: &[Token], at: usize, end: usize) -> bool {
    let more = tokens[at + 1..end].iter().any(|token| {
        token.is_sign(&[';', ':', '-']) || matches!(token.word.as_str(), "not" | "never" | "unless" | "but")
    });
    !more
        && at + 1 < end
        && !matches!(word_in(tokens, at + 1, end), "even" | "if" | "when" | "all" | "every" | "because")
}

fn is_noun_contrast(tokens: &[Token], at: usize, end: usize) -> bool {
    let lexicon = Lexicon::get();
    let next = word_in(tokens, at + 1, end);
    let finite = tokens[at + 1..end].iter().any(|token| {
        token.is_sign(&[',', ';', ':', '-'])
            || super::sentence::is_modal(&token.word)
            || matches!(token.word.as_str(), "is" | "are" | "do" | "not" | "never" | "always")
    });
    !finite
        && at + 1 < end
        && !lexicon.is_verb(next)
        && !matches!(next, "only" | "also" | "you" | "it" | "they" | "rather" | "instead")
}

/// The opposite of "do not V unless X" is V without the exception.
fn without_exception(text: &str, tokens: &[Token], unless: usize, end: usize) -> Patch {
    let start = tokens[unless - 1].range.end;
    let start = if tokens[unless - 1].is_sign(&[',']) { tokens[unless - 1].range.start } else { start };
    let mut last = end;
    while last > unless + 1 && tokens[last - 1].is_sign(&['.', '!']) {
        last -= 1;
    }
    let cut = start..tokens[last - 1].range.end;
    let marks: String = text[cut.clone()].chars().filter(|c| *c == '*').collect();
    let kept = if marks.len() % 4 == 2 { "**" } else { "" };
    Patch::new(cut, kept)
}
