//! Who acts in a clause: nobody in a command, a noun that looks like one, the agent, or a thing that a policy is about.

use super::lexicon::Lexicon;
use super::sentence::Clause;
use super::words::{Kind, Token, word_in};

/// "Release notes are …", "Pull requests that … will be closed", "Build and test scripts", "Type checking:": the first word
/// is a noun, since a finite verb follows or since nothing follows that it could command.
pub(super) fn is_subject(tokens: &[Token], clause: &Clause, verb: usize) -> bool {
    let lexicon = Lexicon::get();
    let word = |at: usize| word_in(tokens, at, clause.end);
    let next = word(verb + 1);
    let end = |at: usize| at >= clause.end || matches!(tokens[at].kind, Kind::Sign(_));
    if lexicon.base_of_gerund(next).is_some() && end(verb + 2) {
        return true;
    }
    let relative = matches!(next, "that" | "which" | "who");
    if next == "of" || (relative && is_auxiliary(word(verb + 2))) {
        return true;
    }
    // "Code that changes together" is a noun with its clause, "Check that changes are logged" a command.
    let behind = word(verb + 3);
    let object = lexicon.is_determiner(behind) || lexicon.is_preposition(behind) || behind.ends_with("ly");
    if relative
        && lexicon.base_of_third(word(verb + 2)).is_some()
        && (object || matches!(behind, "together" | "must" | "should"))
        && !lexicon.is_mostly_verb(word(verb))
    {
        return true;
    }
    let object = tokens.get(verb + 1).is_some_and(|next| next.kind == Kind::Opaque)
        || lexicon.is_determiner(next)
        || lexicon.is_particle(next);
    if object || end(verb + 1) {
        return false;
    }
    if matches!(next, "and" | "or") {
        let second = word(verb + 2);
        let third = word(verb + 3);
        return lexicon.is_also_noun(second)
            && !lexicon.is_determiner(third)
            && tokens.get(verb + 3).is_some_and(|token| token.kind == Kind::Word)
            && !lexicon.is_preposition(third);
    }
    let mut at = verb + 1;
    while !end(at) {
        if at > verb + 1 && matches!(word(at), "that" | "which" | "who") {
            at += 2;
            continue;
        }
        if lexicon.is_subordinator(word(at)) || matches!(word(at), "and" | "or" | "to") {
            return false;
        }
        let plural = word(at - 1).ends_with('s') || at == verb + 2;
        let finite = is_auxiliary(word(at))
            || (matches!(word(at), "remain" | "remains" | "do" | "go" | "goes" | "live" | "lives") && at > verb + 1);
        let verb_again = plural
            && at > verb + 1
            && lexicon.is_verb(word(at))
            && !lexicon.is_also_noun(word(at))
            && !lexicon.is_determiner(next)
            && !lexicon.is_mostly_verb(word(verb));
        if finite || verb_again {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether the "that" at a place opens what only describes a subject: "Tools that write files must ask".
pub(super) fn describes_subject(tokens: &[Token], clause: &Clause, start: usize, that: usize) -> bool {
    let lexicon = Lexicon::get();
    let word = |at: usize| word_in(tokens, at, clause.end);
    let verb = word(that + 1);
    let finite = is_auxiliary(verb)
        || matches!(verb, "must" | "should" | "do")
        || lexicon.is_verb(verb)
        || lexicon.base_of_third(verb).is_some();
    let whose = word(that) == "whose"
        && (that + 2..clause.end.min(that + 5))
            .any(|at| is_auxiliary(word(at)) || lexicon.base_of_third(word(at)).is_some());
    // "a plan that they are keeping"
    let object = matches!(verb, "you" | "they" | "it" | "we" | "users" | "customers");
    (whose || (word(that) == "that" && object) || (matches!(word(that), "that" | "which" | "who") && finite))
        && (!lexicon.is_verb(word(start)) || is_subject(tokens, clause, start))
}

/// An unknown word that opens the clause before a determiner can only be a command: "Frobnicate the widget".
pub(super) fn is_unknown_command(tokens: &[Token], clause: &Clause, from: usize, verb: usize) -> bool {
    let lexicon = Lexicon::get();
    let word = word_in(tokens, verb, clause.end);
    let next = word_in(tokens, verb + 1, clause.end);
    let letters = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let article = matches!(next, "the" | "a" | "an" | "all" | "any" | "each" | "every" | "your" | "their" | "its");
    let form = ["s", "ed", "ing", "ly"].iter().any(|end| word.ends_with(end));
    from == verb && letters && article && !form && !lexicon.is_function_word(word)
}

/// The "that" of "Note that replies must …".
pub(super) fn hedged(tokens: &[Token], clause: &Clause, at: usize) -> Option<usize> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let that = (at + 1..at + 5).find(|at| word(*at) == "that")?;
    let said: Vec<&str> = (at..that).map(word).collect();
    Lexicon::get().is_hedge(&said.join(" ")).then_some(that)
}

/// The verb of "The agent asks …".
pub(super) fn agent_verb(tokens: &[Token], clause: &Clause, at: usize) -> Option<usize> {
    let lexicon = Lexicon::get();
    let word = |at: usize| word_in(tokens, at, clause.end);
    let noun = if word(at) == "the" { at + 1 } else { at };
    let verb = noun + 1;
    (lexicon.is_agent(word(noun)) && lexicon.base_of_third(word(verb)).is_some()).then_some(verb)
}

/// "Gift cards cannot be exchanged", "There cannot be any change": what a policy says of things.
pub(super) fn is_policy(tokens: &[Token], clause: &Clause, modal: usize) -> bool {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let not = if word(modal + 1) == "not" { modal + 1 } else { modal };
    let named = (clause.start..modal).all(|at| matches!(tokens[at].kind, Kind::Word | Kind::Opaque));
    let done = word(not + 1) == "be" && Lexicon::get().is_deed(word(not + 2));
    let there = word(modal.wrapping_sub(1)) == "there" && word(not + 1) == "be";
    named && (done || there)
}

pub(super) fn is_auxiliary(word: &str) -> bool {
    matches!(
        word,
        "is" | "are" | "was" | "were" | "has" | "have" | "had" | "does" | "will" | "would" | "can" | "could" | "might"
    )
}
