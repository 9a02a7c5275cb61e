//! The shapes of a clause that can be turned around, and where their cue stands.

use super::lexicon::Lexicon;
use super::refusal::{Refusal, RefusalReason};
use super::sentence::{Clause, after_openers, is_adverb};
use super::subject::{agent_verb, describes_subject, hedged, is_auxiliary, is_policy, is_subject, is_unknown_command};
use super::words::{Kind, Token, word_in};

/// What a clause does with its verb; every number is a place among the tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// "do not V": from the "do" to the verb.
    DoNot {
        from: usize,
        verb: usize,
    },
    /// "do V", with stress.
    Do {
        at: usize,
    },
    Never {
        at: usize,
    },
    Always {
        at: usize,
    },
    /// "avoid V-ing" or "avoid X".
    Avoid {
        at: usize,
    },
    /// "refrain from V-ing", "stop V-ing".
    Refrain {
        from: usize,
        verb: usize,
    },
    /// "do not just V", "do not only V".
    NotJust {
        from: usize,
        limit: usize,
    },
    /// "The agent asks …".
    Third {
        verb: usize,
    },
    /// "only V …" at the start.
    Only {
        at: usize,
    },
    /// "prefer …" at the start.
    Prefer {
        at: usize,
    },
    /// "ensure you V", "make sure to V": what is to be done stands at `verb`; `to` for "to V".
    Ensure {
        verb: usize,
        to: Option<usize>,
    },
    /// "make sure not to V": the "not" goes.
    EnsureNot {
        not: usize,
    },
    /// A bare command; `from` is before its adverb.
    Command {
        from: usize,
        verb: usize,
    },
    /// "S must V", "S is required": a "not" goes behind `at`, or the ones there go.
    Modal {
        at: usize,
        kind: Modal,
    },
    /// "You V …", "You do not V …", "You never V …".
    You {
        verb: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modal {
    /// must, should, shall, can, may, will, is, are.
    Plain,
    /// mustn't, cannot, aren't.
    Negated,
    /// must not, is not.
    Not { at: usize },
    /// must never.
    Never { at: usize },
    /// must always.
    Always { at: usize },
    /// is forbidden.
    Forbidden { at: usize },
    /// needs to, has to, requires.
    Lexical,
    /// does not need to.
    LexicalNot { from: usize },
}

pub(super) fn shape(tokens: &[Token], clause: &Clause) -> Result<Shape, Refusal> {
    let lexicon = Lexicon::get();
    let at = after_openers(&tokens[..clause.end], clause.start);
    let word = |at: usize| {
        if at < clause.end { tokens.get(at).map_or("", |token| token.word.as_str()) } else { "" }
    };
    let refuse = |reason: RefusalReason, at: usize| Err(Refusal::new(reason, word(at)));
    match word(at) {
        "do" if word(at + 1) == "not" => return do_not(tokens, clause, at, at + 2),
        "don't" | "dont" => return do_not(tokens, clause, at, at + 1),
        "do" if lexicon.is_verb(word(at + 1)) && !matches!(word(at + 1), "not") => return Ok(Shape::Do { at }),
        "never" => return Ok(Shape::Never { at }),
        "always" => return Ok(Shape::Always { at }),
        "avoid" => return Ok(Shape::Avoid { at }),
        "only" => return Ok(Shape::Only { at }),
        "prefer" => return Ok(Shape::Prefer { at }),
        "refuse" | "decline" if word(at + 1) == "to" && lexicon.is_verb(word(at + 2)) => {
            return Ok(Shape::DoNot { from: at, verb: at + 2 });
        }
        "refrain" | "abstain" | "desist"
            if word(at + 1) == "from" && lexicon.base_of_gerund(word(at + 2)).is_some() =>
        {
            return Ok(Shape::Refrain { from: at, verb: at + 2 });
        }
        "stop" if lexicon.base_of_gerund(word(at + 1)).is_some() => {
            return Ok(Shape::Refrain { from: at, verb: at + 1 });
        }
        "refrain" | "abstain" | "desist" => return refuse(RefusalReason::LexicalNegation, at),
        "instead" | "rather" => return refuse(RefusalReason::Preference, at),
        "rarely" | "seldom" => return refuse(RefusalReason::Degree, at),
        "no" | "nothing" | "none" | "nobody" | "neither" => return refuse(RefusalReason::BareNo, at),
        "not" => return refuse(RefusalReason::NotOnly, at),
        "feel" if word(at + 1) == "free" => return Ok(Shape::Command { from: at, verb: at }),
        "ensure" | "make" | "be" | "remember" | "try" | "aim" | "strive" => {
            if let Some(ensure) = ensure(tokens, clause, at)? {
                return Ok(ensure);
            }
        }
        _ => {}
    }
    if let Some(that) = hedged(tokens, clause, at) {
        return match modal(tokens, &(that + 1..clause.end), that + 1)? {
            Some(modal) => Ok(modal),
            None => refuse(RefusalReason::Description, at),
        };
    }
    // "Commit it so people can read it": the modal is not the command's.
    let commands = lexicon.is_verb(word(at)) && !lexicon.is_also_noun(word(at));
    let found = match modal(tokens, clause, at) {
        Err(_) if commands => None,
        found => found?,
    };
    if let Some(modal) = found
        && (!lexicon.is_verb(word(at)) || lexicon.is_also_noun(word(at)) || modal_is_near(modal, at))
    {
        return Ok(modal);
    }
    let adverbs = (at..clause.end).take_while(|at| is_adverb(word(*at))).count();
    let verb = at + adverbs;
    if lexicon.is_verb(word(verb)) || is_unknown_command(tokens, clause, at, verb) {
        let is_noun =
            is_auxiliary(word(verb + 1)) || (lexicon.is_also_noun(word(verb)) && is_subject(tokens, clause, verb));
        if is_noun {
            return refuse(RefusalReason::Description, verb);
        }
        return Ok(Shape::Command { from: at, verb });
    }
    if matches!(word(at), "you" | "we") {
        if lexicon.is_verb(word(at + 1)) && !matches!(word(at + 1), "have" | "need" | "do" | "be") {
            return Ok(Shape::You { verb: at + 1 });
        }
        if word(at + 1) == "do" && word(at + 2) == "not" && lexicon.is_verb(word(at + 3)) {
            return Ok(Shape::DoNot { from: at + 1, verb: at + 3 });
        }
        if word(at + 1) == "don't" && lexicon.is_verb(word(at + 2)) {
            return Ok(Shape::DoNot { from: at + 1, verb: at + 2 });
        }
        if matches!(word(at + 1), "never" | "always") && lexicon.is_verb(word(at + 2)) {
            return Ok(if word(at + 1) == "never" {
                Shape::Never { at: at + 1 }
            } else {
                Shape::Always { at: at + 1 }
            });
        }
    }
    let often = if word(at) == "the" { at + 2 } else { at + 1 };
    if lexicon.is_agent(word(often - 1)) && lexicon.base_of_third(word(often + 1)).is_some() {
        match word(often) {
            "never" => return Ok(Shape::Never { at: often }),
            "always" => return Ok(Shape::Always { at: often }),
            _ => {}
        }
    }
    if let Some(verb) = agent_verb(tokens, clause, at) {
        return Ok(Shape::Third { verb });
    }
    let fact = (at..clause.end).take(8).any(|at| is_auxiliary(word(at)) || matches!(word(at), "cannot" | "can't"));
    let reason = if fact && word(at) != "you" { RefusalReason::Description } else { RefusalReason::NoCue };
    refuse(reason, at)
}

/// The token behind ", for any reason," where such an insertion starts here.
pub(super) fn behind_insertion(tokens: &[Token], at: usize) -> Option<usize> {
    tokens.get(at).filter(|token| token.is_sign(&[',']))?;
    let close = (at + 1..tokens.len().min(at + 9)).find(|at| tokens[*at].is_sign(&[',']))?;
    (close + 1 < tokens.len()).then_some(close + 1)
}

fn modal_is_near(shape: Shape, at: usize) -> bool {
    matches!(shape, Shape::Modal { at: modal, .. } if modal == at + 1)
}

fn do_not(tokens: &[Token], clause: &Clause, from: usize, verb: usize) -> Result<Shape, Refusal> {
    // "Do not, for any reason, reveal …"
    let verb = behind_insertion(tokens, verb).filter(|verb| *verb < clause.end).unwrap_or(verb);
    let next = tokens.get(verb).filter(|_| verb < clause.end);
    match next {
        Some(token) if matches!(token.word.as_str(), "only" | "just" | "merely" | "simply") => {
            Ok(Shape::NotJust { from, limit: verb })
        }
        // "Do not need to …" and "do not hesitate to …" are no prohibitions.
        Some(token)
            if matches!(token.word.as_str(), "need" | "have" | "be" | "want")
                && word_in(tokens, verb + 1, clause.end) == "to" =>
        {
            Err(Refusal::new(RefusalReason::NoCue, token.word.clone()))
        }
        Some(token) if token.kind == Kind::Word => Ok(Shape::DoNot { from, verb }),
        Some(_) | None => Err(Refusal::new(RefusalReason::NoCue, "do not")),
    }
}

fn ensure(tokens: &[Token], clause: &Clause, at: usize) -> Result<Option<Shape>, Refusal> {
    let lexicon = Lexicon::get();
    let word = |at: usize| {
        if at < clause.end { tokens.get(at).map_or("", |token| token.word.as_str()) } else { "" }
    };
    let mut next = match (word(at), word(at + 1)) {
        ("ensure", _) => at + 1,
        ("make" | "be", "sure" | "certain") => at + 2,
        ("remember" | "try" | "aim" | "strive", _) => at + 1,
        ("be", "careful") => at + 2,
        _ => return Ok(None),
    };
    if word(next) == "to" && lexicon.is_verb(word(next + 1)) {
        let soft = matches!(word(at), "try" | "aim" | "strive");
        return Ok((!soft).then_some(Shape::Ensure { verb: next + 1, to: Some(next) }));
    }
    if word(next) == "not" && word(next + 1) == "to" {
        return Ok(Some(Shape::EnsureNot { not: next }));
    }
    // "make sure to never V"
    if word(next) == "to" && lexicon.is_verb(word(next + 2)) {
        match word(next + 1) {
            "never" => return Ok(Some(Shape::Never { at: next + 1 })),
            "always" => return Ok(Some(Shape::Always { at: next + 1 })),
            "not" => return Ok(Some(Shape::EnsureNot { not: next + 1 })),
            _ => {}
        }
    }
    if word(next) == "that" {
        next += 1;
    }
    // "Ensure you never log keys": the "never" is the cue.
    let inner = if word(next) == "you" { next + 1 } else { next };
    match word(inner) {
        "never" => return Ok(Some(Shape::Never { at: inner })),
        "always" => return Ok(Some(Shape::Always { at: inner })),
        "do" if word(inner + 1) == "not" => return do_not(tokens, clause, inner, inner + 2).map(Some),
        "don't" => return do_not(tokens, clause, inner, inner + 1).map(Some),
        _ => {}
    }
    let follows = word(next) == "you" && lexicon.is_verb(word(next + 1)) && !matches!(word(next + 1), "have" | "need");
    Ok(follows.then_some(Shape::Ensure { verb: next + 1, to: None }))
}

fn modal(tokens: &[Token], clause: &Clause, start: usize) -> Result<Option<Shape>, Refusal> {
    let lexicon = Lexicon::get();
    let word = |at: usize| {
        if at < clause.end { tokens.get(at).map_or("", |token| token.word.as_str()) } else { "" }
    };
    let mut relative = None;
    for at in start..clause.end {
        let token = &tokens[at];
        if token.is_sign(&[',', ';', ':', '-', '?']) {
            return Ok(None);
        }
        if token.kind != Kind::Word {
            continue;
        }
        let word_here = token.word.as_str();
        // "Commit it so people can read it"
        if at > start && word_here == "so" {
            return Ok(None);
        }
        let attached = word_here == "as" && !matches!(word(at + 1), "you" | "it" | "they" | "we");
        if at > start && lexicon.is_subordinator(word_here) && !attached {
            if relative.is_none() && describes_subject(tokens, clause, start, at) {
                relative = Some(at);
                continue;
            }
            return Ok(None);
        }
        if let Some(that) = relative {
            let said = if word(at + 1) == "not" { word(at + 2) } else { word(at + 1) };
            let done = word(at + 1) == "be" && lexicon.is_deed(word(at + 2));
            match word_here {
                "must" | "should" | "shall" if at > that + 1 => return plain(tokens, clause, at),
                "cannot" | "can't" if at > that + 1 && done => {
                    return Ok(Some(Shape::Modal { at, kind: Modal::Negated }));
                }
                "is" | "are" if at > that + 1 && lexicon.is_allowed(said) => {
                    let kind = if word(at + 1) == "not" { Modal::Not { at: at + 1 } } else { Modal::Plain };
                    return Ok(Some(Shape::Modal { at, kind }));
                }
                _ => continue,
            }
        }
        let subject = if at > start { word(at - 1) } else { "" };
        let person = at == start || lexicon.is_person(subject);
        let found = |kind: Modal| Ok(Some(Shape::Modal { at, kind }));
        match word_here {
            "must" | "should" | "shall" => return plain(tokens, clause, at),
            "mustn't" | "shouldn't" | "shan't" => return found(Modal::Negated),
            "can" | "may" | "will" | "cannot" | "can't" | "won't" => {
                let policy = word_here != "will" && word_here != "won't" && is_policy(tokens, clause, at);
                if !person && !policy {
                    return Err(Refusal::new(RefusalReason::Description, format!("{subject} {word_here}").trim()));
                }
                // "Other guests may be waiting" is a possibility.
                if matches!(word_here, "may" | "can")
                    && word(at + 1) == "be"
                    && lexicon.base_of_gerund(word(at + 2)).is_some()
                {
                    return Err(Refusal::new(RefusalReason::Description, format!("{subject} {word_here} be")));
                }
                if matches!(word_here, "will" | "won't")
                    && (word(at + 1) == "be" || (word(at + 1) == "not" && word(at + 2) == "be"))
                {
                    return Err(Refusal::new(RefusalReason::Description, format!("{subject} {word_here} be")));
                }
                if matches!(word_here, "cannot" | "can't" | "won't") {
                    return found(Modal::Negated);
                }
                return plain(tokens, clause, at);
            }
            "need" | "needs" | "have" | "has" if word(at + 1) == "to" && at > start => return found(Modal::Lexical),
            "need" if word(at + 1) == "not" && at > start => return found(Modal::Not { at: at + 1 }),
            "needs"
                if at > start
                    && !lexicon.is_verb(word(start))
                    && !is_auxiliary(word(at + 1))
                    && (lexicon.is_determiner(word(at + 1)) || !lexicon.is_determiner(subject)) =>
            {
                return found(Modal::Lexical);
            }
            "requires" | "require" if at > start && !lexicon.is_verb(word(start)) => return found(Modal::Lexical),
            "do" | "does" if word(at + 1) == "not" && requirement(word(at + 2), word(at + 3)) && at > start => {
                return found(Modal::LexicalNot { from: at });
            }
            "don't" | "doesn't" if requirement(word(at + 1), word(at + 2)) && at > start => {
                return found(Modal::LexicalNot { from: at });
            }
            "is" | "are" | "it's" | "isn't" | "aren't" | "am" | "you're" | "they're" => {
                let negated = word(at + 1) == "not";
                let behind = if negated { at + 2 } else { at + 1 };
                let firmly =
                    matches!(word(behind), "strictly" | "absolutely" | "explicitly" | "expressly" | "generally");
                let place = if firmly { behind + 1 } else { behind };
                let said = word(place);
                // "is never acceptable", "are never to be combined"
                if matches!(said, "never" | "always")
                    && (lexicon.is_allowed(word(place + 1)) || word(place + 1) == "to")
                {
                    return found(if said == "never" {
                        Modal::Never { at: place }
                    } else {
                        Modal::Always { at: place }
                    });
                }
                if said == "only" {
                    return Err(Refusal::new(RefusalReason::Only, "only"));
                }
                if said == "free" && word(place + 1) != "to" {
                    return Ok(None);
                }
                if let Some(kind) = permission(lexicon, word_here, said, negated, place, at) {
                    return found(kind);
                }
                return Ok(None);
            }
            _ => {}
        }
    }
    Ok(None)
}

fn requirement(word: &str, next: &str) -> bool {
    word == "require" || (word == "need" && !next.is_empty()) || (word == "have" && next == "to")
}

fn permission(lexicon: &Lexicon, be: &str, said: &str, negated: bool, place: usize, at: usize) -> Option<Modal> {
    if be == "isn't" || be == "aren't" {
        return lexicon.is_allowed(said).then_some(Modal::Negated);
    }
    if lexicon.is_allowed(said) || said == "free" {
        return Some(if negated { Modal::Not { at: at + 1 } } else { Modal::Plain });
    }
    lexicon.unforbidden(said)?;
    Some(if negated { Modal::Not { at: at + 1 } } else { Modal::Forbidden { at: place } })
}

fn plain(tokens: &[Token], clause: &Clause, at: usize) -> Result<Option<Shape>, Refusal> {
    let next = tokens.get(at + 1).filter(|_| at + 1 < clause.end).map_or("", |token| token.word.as_str());
    let kind = match next {
        "not" => {
            let after = tokens.get(at + 2).map_or("", |token| token.word.as_str());
            if matches!(after, "only" | "just" | "merely") {
                return Err(Refusal::new(RefusalReason::NotOnly, format!("not {after}")));
            }
            if after == "avoid" {
                return Err(Refusal::new(RefusalReason::LexicalNegation, "not avoid"));
            }
            Modal::Not { at: at + 1 }
        }
        "never" => Modal::Never { at: at + 1 },
        "always" => Modal::Always { at: at + 1 },
        "only" => return Err(Refusal::new(RefusalReason::Only, "only")),
        "avoid" if Lexicon::get().base_of_gerund(word_in(tokens, at + 2, clause.end)).is_some() => {
            return Ok(Some(Shape::Refrain { from: at + 1, verb: at + 2 }));
        }
        "refrain" if Lexicon::get().base_of_gerund(word_in(tokens, at + 3, clause.end)).is_some() => {
            return Ok(Some(Shape::Refrain { from: at + 1, verb: at + 3 }));
        }
        "refrain" => return Err(Refusal::new(RefusalReason::LexicalNegation, next)),
        _ => Modal::Plain,
    };
    Ok(Some(Shape::Modal { at, kind }))
}
