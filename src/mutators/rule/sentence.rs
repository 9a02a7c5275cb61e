//! Where a rule's commands stand in its sentence: behind labels, openers and scenes, one clause after the other.

use std::ops::Range;

use super::lexicon::Lexicon;
use super::words::{Kind, Token, word_in};

/// A clause with a cue of its own, as a range of tokens; what stands between clauses stays as it is.
pub(super) type Clause = Range<usize>;

/// The clauses of a sentence behind its label, without the scene; at least one.
pub(super) fn clauses(tokens: &[Token], after_label: usize) -> Vec<Clause> {
    let start = after_scene(tokens, after_label);
    let mut found: Vec<Clause> = Vec::new();
    let mut from = start;
    let mut at = start + 1;
    while at < tokens.len() {
        if let Some(next) = boundary(tokens, from, at) {
            found.push(from..at);
            from = next;
            at = next + 1;
        } else {
            at += 1;
        }
    }
    found.push(from..tokens.len());
    found
}

/// The first token behind openers ("However,") and a scene ("If the order is late,").
fn after_scene(tokens: &[Token], start: usize) -> usize {
    let lexicon = Lexicon::get();
    let start = after_openers(tokens, start);
    let Some(first) = tokens.get(start) else { return start };
    let even = first.is("even") && matches!(word_in(tokens, start + 1, tokens.len()), "if" | "when" | "though");
    if first.kind != Kind::Word || !(lexicon.is_scene(&first.word) || even) {
        return start;
    }
    let commas: Vec<usize> = (start + 1..tokens.len())
        .take_while(|at| !tokens[*at].is_sign(&[';']))
        .filter(|at| tokens[*at].is_sign(&[',']))
        .collect();
    // "Before adding async, retry, or timeout tests, read …": a list has its commas on both sides.
    let listed = |comma: usize| {
        tokens.get(comma + 2).is_some_and(|token| token.is_sign(&[','])) && !explicit_cue(tokens, comma + 3)
    };
    let strict = commas.iter().find(|comma| starts_clause(tokens, **comma + 1, false) && !listed(**comma));
    // "Every desk, counter, and lift needs …" is a list with verbs in it.
    let item = |comma: usize| {
        tokens.get(comma + 2).is_none_or(|token| token.is_sign(&[',', '.'])) || tokens[start].is("every")
    };
    let lenient = || commas.iter().rev().find(|comma| starts_clause(tokens, **comma + 1, true) && !item(**comma));
    if let Some(comma) = strict.or_else(lenient) {
        return after_openers(tokens, comma + 1);
    }
    let then = (start + 1..tokens.len()).find(|at| tokens[*at].is("then") && starts_clause(tokens, at + 1, false));
    // "For anything urgent — call the desk"
    let dash = (start + 1..tokens.len())
        .find(|at| matches!(tokens[*at].kind, Kind::Sign(_)))
        .filter(|at| tokens[*at].is_sign(&['-', ':']) && starts_clause(tokens, at + 1, false));
    if let Some(dash) = dash {
        return after_openers(tokens, dash + 1);
    }
    behind_gerund_scene(tokens, start)
        .or(then.map(|then| then + 1))
        .or_else(|| behind_finite_scene(tokens, start))
        .unwrap_or(start)
}

/// "Once the ticket is closed you must not reopen it": the scene has its verb already, and no comma.
fn behind_finite_scene(tokens: &[Token], start: usize) -> Option<usize> {
    let word = |at: usize| word_in(tokens, at, tokens.len());
    let scene = matches!(word(start), "if" | "when" | "once" | "whenever" | "after" | "before" | "while" | "until");
    let signs = |until: usize| tokens[start..until].iter().any(|token| matches!(token.kind, Kind::Sign(_)));
    let you = (start + 3..tokens.len()).find(|at| word(*at) == "you" && is_modal(word(at + 1)))?;
    let finite = tokens[start + 1..you].iter().any(|token| {
        matches!(token.word.as_str(), "is" | "are" | "was" | "has" | "have")
            || Lexicon::get().base_of_third(&token.word).is_some()
    });
    let free = !Lexicon::get().is_subordinator(word(you - 1)) && !matches!(word(you - 1), "and" | "or" | "than");
    (scene && finite && free && !signs(you)).then_some(you)
}

/// "When fixing bugs write a test first": the scene is a gerund, and no comma ends it.
fn behind_gerund_scene(tokens: &[Token], start: usize) -> Option<usize> {
    let lexicon = Lexicon::get();
    let word = |at: usize| word_in(tokens, at, tokens.len());
    let scene = matches!(word(start), "when" | "before" | "after" | "while")
        && lexicon.base_of_gerund(word(start + 1)).is_some();
    let verb = (start + 3..tokens.len().min(start + 9))
        .take_while(|at| !matches!(tokens[*at - 1].kind, Kind::Sign(_)))
        .find(|at| is_command_verb(tokens, *at) && lexicon.is_determiner(word(at + 1)) && word(at + 1) != "to")?;
    let before = word(verb - 1);
    let free = !lexicon.is_preposition(before)
        && !lexicon.is_determiner(before)
        && !lexicon.is_subordinator(before)
        && !matches!(before, "and" | "or" | "not" | "you" | "they" | "we" | "i" | "" | "than");
    (scene && free).then_some(verb)
}

pub(super) fn after_openers(tokens: &[Token], start: usize) -> usize {
    let lexicon = Lexicon::get();
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        let comma = tokens.get(at + 1).is_some_and(|next| next.is_sign(&[',']));
        let adverb =
            comma && (token.word.ends_with("ly") || matches!(token.word.as_str(), "first" | "instead" | "second"));
        // "Instead use the cache" has no comma.
        let instead = token.is("instead")
            && (is_verb_behind(tokens, at + 1)
                || (word_in(tokens, at + 1, tokens.len()) == "you" && is_modal(word_in(tokens, at + 2, tokens.len()))));
        if token.kind != Kind::Word || !(lexicon.is_opener(&token.word) || adverb || instead) {
            break;
        }
        at += if comma { 2 } else { 1 };
    }
    at
}

fn is_verb_behind(tokens: &[Token], at: usize) -> bool {
    let verb = (at..tokens.len()).find(|at| !is_adverb(word_in(tokens, *at, tokens.len()))).unwrap_or(at);
    Lexicon::get().is_verb(word_in(tokens, verb, tokens.len()))
}

/// Where the next clause starts, if the token at `at` parts two clauses.
fn boundary(tokens: &[Token], from: usize, at: usize) -> Option<usize> {
    let token = &tokens[at];
    if token.is_sign(&[';', '-', ':']) {
        let next = after_openers(tokens, at + 1);
        // "…; when the caller agrees, book it": the second clause has a scene of its own.
        if !matches!(word_in(tokens, next, tokens.len()), "unless" | "until" | "except" | "without") {
            let behind = after_scene(tokens, next);
            if behind > next {
                return Some(behind);
            }
        }
        let lenient = token.is_sign(&[';'])
            && !tokens.get(next + 1).is_some_and(|next| matches!(next.word.as_str(), "is" | "are" | "was"));
        return starts_clause(tokens, next, lenient).then_some(at + 1);
    }
    if token.is_sign(&[',']) && is_splice(tokens, from, at) {
        return Some(at + 1);
    }
    let comma = token.is_sign(&[',']);
    if !comma && token.kind != Kind::Word {
        return None;
    }
    let joiner = if comma { at + 1 } else { at };
    let word = tokens.get(joiner)?;
    let joined = matches!(word.word.as_str(), "and" | "but" | "or" | "so");
    if !comma && !joined {
        return None;
    }
    let next = if joined { joiner + 1 } else { joiner };
    // "Do not retry and instead report the error"
    if joined
        && matches!(word_in(tokens, next, tokens.len()), "instead" | "otherwise")
        && is_verb_behind(tokens, next + 1)
    {
        return Some(next);
    }
    // "Do not open or close, never lock" is one clause; a joiner needs a full cue behind it.
    // "…, and if it fails, you must stop": the second clause has a scene of its own.
    if comma && joined && matches!(word_in(tokens, next, tokens.len()), "if" | "when" | "unless") {
        let behind = after_scene(tokens, next);
        return (behind > next).then_some(behind);
    }
    // "what they know and don't know" is one clause.
    if !comma
        && word_in(tokens, next, tokens.len()) == "don't"
        && word_in(tokens, next + 1, tokens.len()) == tokens[at - 1].word
    {
        return None;
    }
    // "Avoid guessing and ask": what is avoided has another form than what is to be done.
    if word.is("and") && tokens[from].is("avoid") && is_command_verb(tokens, next) && at > from + 1 {
        return Some(next);
    }
    // "Format fixes and refactoring should be …" has one subject.
    let compound = !comma
        && Lexicon::get().is_also_noun(&tokens[from].word)
        && tokens.get(from + 1).is_some_and(|next| !Lexicon::get().is_determiner(&next.word))
        && !tokens[from..at].iter().any(|token| is_modal(&token.word) || token.is("not") || token.is("never"))
        && modal_subject(tokens, next)
        && !explicit_cue(tokens, next);
    if compound {
        return None;
    }
    // "so that the user can choose": an end, no rule.
    let aim = word.is("so")
        && tokens[next.min(tokens.len())..]
            .iter()
            .take(9)
            .find(|token| is_modal(&token.word))
            .is_some_and(|modal| matches!(modal.word.as_str(), "can" | "may" | "cannot" | "can't"));
    if aim {
        return None;
    }
    let full = explicit_cue(tokens, next)
        || (joined && modal_subject(tokens, next))
        || (joined
            && tokens.get(next).is_some_and(|word| matches!(word.word.as_str(), "must" | "should" | "shall"))
            && tokens[from..at].iter().any(|word| is_modal(&word.word) || matches!(word.word.as_str(), "is" | "are")))
        || (comma && tokens.get(next).is_some_and(|word| word.is("avoid") || word.is("prefer")))
        || (joined && tokens.get(next).is_some_and(|word| word.is("avoid")))
        || (word.is("but") && is_command_verb(tokens, next))
        // "It is a shared disk, so ask before you fill it"
        || (comma && word.is("so") && (is_command_verb(tokens, next) || is_mostly_command(tokens, next)));
    let whole_before = at > from && !tokens[from..at].iter().any(|token| token.is("either") || token.is("whether"));
    // "ask, don't guess": one word may be a clause.
    let word_alone = comma && explicit_cue(tokens, next) && is_command_verb(tokens, from);
    (full && whole_before && (at > from + 1 || word_alone)).then_some(next)
}

/// "Do not hardcode keys, use variables": a prohibition, a comma and a command, and no list that goes on.
fn is_splice(tokens: &[Token], from: usize, comma: usize) -> bool {
    let word = |at: usize| word_in(tokens, at, tokens.len());
    let forbids = match word(from) {
        "do" => word(from + 1) == "not",
        "don't" | "never" | "avoid" => true,
        _ => false,
    };
    let listed = tokens[from..comma]
        .iter()
        .chain(&tokens[comma + 1..])
        .any(|token| token.is_sign(&[',']) || matches!(token.word.as_str(), "and" | "or" | "nor"));
    let noun = matches!(word(comma + 2), "" | "is" | "are");
    let just = matches!(word(comma + 1), "just" | "simply" | "instead") && Lexicon::get().is_verb(word(comma + 2));
    forbids && !listed && !noun && (just || Lexicon::get().is_verb(word(comma + 1)))
}

/// Whether a command or a subject with a modal starts here.
pub(super) fn starts_clause(tokens: &[Token], at: usize, lenient: bool) -> bool {
    let at = after_openers(tokens, at);
    let Some(token) = tokens.get(at).filter(|token| token.kind == Kind::Word) else {
        return modal_subject(tokens, at);
    };
    explicit_cue(tokens, at)
        || is_command_verb(tokens, at)
        || matches!(token.word.as_str(), "only" | "prefer" | "avoid")
        || (is_modal(&token.word) && Lexicon::get().is_verb(word_in(tokens, at + 1, tokens.len())))
        || (lenient && Lexicon::get().is_verb(&token.word))
        || is_mostly_command(tokens, at)
        || modal_subject(tokens, at)
}

/// "stop when …", "use absolute paths": a word that is a noun too, but hardly at the start of a clause.
pub(super) fn is_mostly_command(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| word_in(tokens, at, tokens.len());
    Lexicon::get().is_mostly_verb(word(at))
        && !is_modal(word(at + 1))
        && !matches!(word(at + 1), "is" | "are" | "of" | "and" | "or" | "has" | "was")
}

/// "do not V", "never V", "always V", "avoid V-ing".
pub(super) fn explicit_cue(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    match word(at) {
        "do" => word(at + 1) == "not" || Lexicon::get().is_verb(word(at + 1)),
        "don't" | "dont" => true,
        "never" | "always" => Lexicon::get().is_verb(word(at + 1)) || word(at + 1).ends_with("ly"),
        "avoid" => Lexicon::get().base_of_gerund(word(at + 1)).is_some(),
        _ => false,
    }
}

/// A base form that is not likely to be a noun here.
pub(super) fn is_command_verb(tokens: &[Token], at: usize) -> bool {
    let lexicon = Lexicon::get();
    let Some(token) = tokens.get(at) else { return false };
    if is_adverb(&token.word) {
        return is_command_verb(tokens, at + 1) || tokens.get(at + 1).is_some_and(|next| lexicon.is_verb(&next.word));
    }
    if token.kind != Kind::Word || !lexicon.is_verb(&token.word) {
        return false;
    }
    if !lexicon.is_also_noun(&token.word) {
        return true;
    }
    tokens.get(at + 1).is_some_and(|next| {
        next.kind == Kind::Opaque
            || lexicon.is_determiner(&next.word)
            || lexicon.is_particle(&next.word)
            || next.word.contains('_')
            || matches!(next.word.as_str(), "what" | "why" | "how" | "whether" | "one")
    })
}

/// Whether a joiner is followed by one more command: "…, and wait for the answer" is one where no list goes before it.
pub(super) fn is_second_command(tokens: &[Token], joiner: usize, clause: &Clause) -> bool {
    let lexicon = Lexicon::get();
    let at = joiner + 1;
    let word = |at: usize| word_in(tokens, at, clause.end);
    if at >= clause.end {
        return false;
    }
    if is_command_verb(&tokens[..clause.end], at) {
        return true;
    }
    if !lexicon.is_verb(word(at)) {
        return false;
    }
    let next = word(at + 1);
    let plain = lexicon.is_preposition(next) || is_adverb(next) || lexicon.is_subordinator(next) || next == "again";
    let comma = tokens[joiner - 1].is_sign(&[',']);
    let listed = tokens[clause.start..joiner.saturating_sub(1)].iter().any(|token| token.is_sign(&[',']));
    (plain || next.is_empty()) && ((comma && !listed) || lexicon.is_mostly_verb(word(at)))
}

/// An adverb that may stand before a command.
pub(super) fn is_adverb(word: &str) -> bool {
    let adjective =
        matches!(word, "monthly" | "weekly" | "daily" | "yearly" | "early" | "friendly" | "only" | "family");
    matches!(word, "first" | "just") || (word.ends_with("ly") && !adjective && !Lexicon::get().is_verb(word))
}

/// A short subject and a word such as "must" or "is required" behind it.
fn modal_subject(tokens: &[Token], at: usize) -> bool {
    let lexicon = Lexicon::get();
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    if lexicon.is_subordinator(word(at)) {
        return false;
    }
    for (place, token) in tokens.iter().enumerate().skip(at).take(9) {
        let here = word(place);
        if matches!(token.kind, Kind::Sign(_)) || (place > at && lexicon.is_subordinator(here)) {
            return false;
        }
        let said = if word(place + 1) == "not" { word(place + 2) } else { word(place + 1) };
        let allows = matches!(here, "is" | "are" | "isn't" | "aren't")
            && (lexicon.is_allowed(said) || lexicon.unforbidden(said).is_some());
        let needs = matches!(here, "needs" | "need" | "has" | "have") && word(place + 1) == "to";
        if place > at && (is_modal(here) || allows || needs) {
            return true;
        }
    }
    false
}

pub(super) fn is_modal(word: &str) -> bool {
    matches!(
        word,
        "must" | "should" | "shall" | "may" | "can" | "cannot" | "can't" | "mustn't" | "shouldn't" | "shan't"
    )
}
