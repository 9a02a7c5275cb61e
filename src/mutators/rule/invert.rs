//! A rule's opposite, where its shape leaves no doubt.

use super::Inversion;
use super::cues::{Modal, Shape, shape};
use super::lexicon::Lexicon;
use super::refusal::{Refusal, RefusalReason};
use super::rest::{Way, check_after_verb, check_rest};
use super::rewrite::{Patch, capitalised, is_upper, like, turned};
use super::sentence::{Clause, clauses};
use super::words::{Kind, Token};

/// Turns every clause of a rule around, or refuses by name.
///
/// Labels, scenes ("If the order is late, …"), code, quotations and parentheses stay as they are, as do emphasis marks,
/// the final sign, line breaks and the case of the first letter. What the words are is data: `mutators/polarity.yaml`.
pub fn invert(rule_text: &str) -> Inversion {
    match turned(rule_text, invert_sentence) {
        Ok(text) => Inversion::Inverted(text),
        Err(refusal) => Inversion::Refused(refusal),
    }
}

fn invert_sentence(text: &str, tokens: &[Token]) -> Result<Vec<Patch>, Refusal> {
    check_whole(tokens)?;
    let clauses = clauses(text, tokens)?;
    let mut patches = Vec::new();
    let last = clauses.len() - 1;
    if last > 0 && clauses.iter().any(|clause| tokens[clause.clone()].first().is_some_and(|token| token.is("only"))) {
        return Err(Refusal::new(RefusalReason::Only, "only"));
    }
    for (index, clause) in clauses.iter().enumerate() {
        let found = shape(tokens, clause);
        let found = match found {
            // "Formatting is checked in CI — always run it": the first part is a fact.
            Err(refusal)
                if refusal.reason == RefusalReason::NoCue
                    && index < last
                    && tokens.get(clause.end).is_some_and(|token| token.is_sign(&['-', ':'])) =>
            {
                continue;
            }
            found => found?,
        };
        patches.extend(turn(text, tokens, clause, found, index == last)?);
        drop_instead(text, tokens, clause, &mut patches);
    }
    Ok(patches)
}

/// "Instead, V" would point at what the opposite no longer says.
fn drop_instead(text: &str, tokens: &[Token], clause: &Clause, patches: &mut Vec<Patch>) {
    let places = [Some(clause.start), clause.start.checked_sub(1), clause.start.checked_sub(2)];
    let Some(at) = places.into_iter().flatten().find(|at| tokens.get(*at).is_some_and(|token| token.is("instead")))
    else {
        return;
    };
    let comma = tokens.get(at + 1).is_some_and(|token| token.is_sign(&[',']));
    let Some(next) = tokens.get(at + if comma { 2 } else { 1 }) else { return };
    if text[tokens[at].range.clone()].starts_with(char::is_uppercase) {
        match patches.iter_mut().find(|patch| patch.range.start == next.range.start && !patch.with.is_empty()) {
            Some(patch) => patch.with = capitalised(&patch.with),
            None => patches.push(Patch::new(next.range.clone(), capitalised(&text[next.range.clone()]))),
        }
    }
    patches.push(Patch::new(tokens[at].range.start..next.range.start, ""));
}

/// Traps that spoil a sentence wherever they stand.
fn check_whole(tokens: &[Token]) -> Result<(), Refusal> {
    for (at, token) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.word.as_str());
        match token.word.as_str() {
            "if" if next(1) == "and" && next(2) == "only" => {
                return Err(Refusal::new(RefusalReason::IfAndOnlyIf, "if and only if"));
            }
            "not" if matches!(next(1), "only" | "just" | "merely") => {
                return Err(Refusal::new(RefusalReason::NotOnly, format!("not {}", next(1))));
            }
            "except" | "excluding" | "besides" => {
                return Err(Refusal::new(RefusalReason::Exception, token.word.clone()));
            }
            "other" if next(1) == "than" => return Err(Refusal::new(RefusalReason::Exception, "other than")),
            "apart" | "aside" if next(1) == "from" => {
                return Err(Refusal::new(RefusalReason::Exception, format!("{} from", token.word)));
            }
            "anything" | "anyone" | "everything" | "everyone" | "nothing" if next(1) == "but" => {
                return Err(Refusal::new(RefusalReason::Exception, format!("{} but", token.word)));
            }
            word if Lexicon::get().is_degree(word) => {
                return Err(Refusal::new(RefusalReason::Degree, word));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The patches that turn one clause around.
fn turn(text: &str, tokens: &[Token], clause: &Clause, found: Shape, is_last: bool) -> Result<Vec<Patch>, Refusal> {
    if let Some(amount) = other_amount(text, tokens, clause, found) {
        return Ok(amount);
    }
    check_limits(tokens, clause, found)?;
    let mut patches = Vec::new();
    let source = |at: usize| &text[tokens[at].range.clone()];
    let rest = |from: usize, way: Way, patches: &mut Vec<Patch>| {
        check_rest(text, tokens, from..clause.end, way, is_last, patches)
    };
    match found {
        Shape::DoNot { from, verb } => {
            patches.push(without_do_not(text, tokens, from, verb));
            rest(verb + 1, Way::Allow, &mut patches)?;
        }
        Shape::Do { at } => {
            let with = if is_upper(source(at)) { " NOT" } else { " not" };
            patches.push(Patch::new(tokens[at].range.end..tokens[at].range.end, with));
            rest(at + 2, Way::Forbid, &mut patches)?;
        }
        Shape::Never { at } => {
            if tokens.get(at + 1).is_some_and(|token| token.is("avoid")) {
                return Err(Refusal::new(RefusalReason::LexicalNegation, "never avoid"));
            }
            let ever = tokens.get(at + 1).is_some_and(|token| token.is("ever"));
            let end = if ever { at + 1 } else { at };
            patches.push(Patch::new(tokens[at].range.start..tokens[end].range.end, like(source(at), "always")));
            rest(end + 2, Way::AllowAlways, &mut patches)?;
        }
        Shape::Always { at } => {
            patches.push(Patch::new(tokens[at].range.clone(), like(source(at), "never")));
            rest(at + 2, Way::ForbidNever, &mut patches)?;
        }
        Shape::Avoid { at } => {
            let next = tokens.get(at + 1).filter(|_| at + 1 < clause.end);
            let base = next.and_then(|next| Lexicon::get().base_of_gerund(&next.word));
            match (next, base) {
                (Some(next), Some(base)) => {
                    patches.push(Patch::new(tokens[at].range.start..next.range.end, like(source(at), base)));
                }
                _ => patches.push(Patch::new(tokens[at].range.clone(), do_not_before(source(at)))),
            }
            rest(at + 2, Way::Allow, &mut patches)?;
        }
        Shape::Only { at } => return Err(Refusal::new(RefusalReason::Only, source(at))),
        Shape::Prefer { at } => match swapped(text, tokens, clause, at) {
            Some(patch) => patches.push(patch),
            None => {
                patches.push(Patch::new(tokens[at].range.clone(), do_not_before(source(at))));
                rest(at + 1, Way::Forbid, &mut patches)?;
            }
        },
        Shape::Ensure { verb, to } => {
            match to {
                Some(to) => patches.push(Patch::new(tokens[to].range.start..tokens[to].range.start, "not ")),
                None => patches.push(Patch::new(tokens[verb].range.start..tokens[verb].range.start, "do not ")),
            }
            rest(verb + 1, Way::Forbid, &mut patches)?;
        }
        Shape::EnsureNot { not } => {
            patches.push(dropped(text, tokens, not));
            rest(not + 2, Way::Allow, &mut patches)?;
        }
        Shape::Command { from, verb } => {
            patches.push(Patch::new(tokens[from].range.clone(), do_not_before(source(from))));
            check_after_verb(tokens, verb + 1)?;
            rest(verb + 1, Way::Forbid, &mut patches)?;
        }
        Shape::You { verb } => {
            patches.push(Patch::new(tokens[verb].range.start..tokens[verb].range.start, "do not "));
            check_after_verb(tokens, verb + 1)?;
            rest(verb + 1, Way::Forbid, &mut patches)?;
        }
        Shape::Modal { at, kind } => turn_modal(text, tokens, at, kind, &mut patches, &rest)?,
    }
    Ok(patches)
}

/// "Just answer …", "You must exclusively use …", "Reply in at most a few words": a "not" before them forbids what the
/// rule wants, where its opposite lifts the limit.
fn check_limits(tokens: &[Token], clause: &Clause, found: Shape) -> Result<(), Refusal> {
    let forbids = matches!(
        found,
        Shape::Do { .. }
            | Shape::Only { .. }
            | Shape::Prefer { .. }
            | Shape::Ensure { .. }
            | Shape::Command { .. }
            | Shape::You { .. }
            | Shape::Modal { kind: Modal::Plain | Modal::Lexical, .. }
    );
    for at in clause.clone() {
        let word = |ahead: usize| {
            if at + ahead < clause.end { tokens.get(at + ahead).map_or("", |token| token.word.as_str()) } else { "" }
        };
        // "Do not refund just because they ask" loses its "not" and means what it should.
        let is_soft = matches!(word(0), "just" | "simply");
        if Lexicon::get().is_limit(word(0)) && (forbids || !is_soft) {
            return Err(Refusal::new(RefusalReason::Only, word(0)));
        }
        let amount = match (word(0), word(1), word(2)) {
            ("at", "most" | "least", _) => 2,
            ("no", "more" | "fewer" | "less", "than") => 3,
            ("up", "to", number) if number.starts_with(|c: char| c.is_ascii_digit()) => 2,
            _ => continue,
        };
        if forbids {
            let said: Vec<&str> = (0..amount).map(word).collect();
            return Err(Refusal::new(RefusalReason::Threshold, said.join(" ")));
        }
    }
    Ok(())
}

/// "only one" becomes "more than one", "at most 3" "more than 3", "at least 3" "fewer than 3": the amount is the rule.
fn other_amount(text: &str, tokens: &[Token], clause: &Clause, found: Shape) -> Option<Vec<Patch>> {
    let positive = matches!(found, Shape::Command { .. } | Shape::You { .. } | Shape::Modal { kind: Modal::Plain, .. });
    if !positive {
        return None;
    }
    let word = |at: usize| {
        if at < clause.end { tokens.get(at).map_or("", |token| token.word.as_str()) } else { "" }
    };
    let number = |at: usize| {
        word(at).starts_with(|c: char| c.is_ascii_digit() || c == '$')
            || matches!(word(at), "one" | "two" | "three" | "four" | "five" | "six" | "ten" | "twelve")
    };
    let limits: Vec<usize> = clause
        .clone()
        .filter(|at| matches!(word(*at), "only" | "most" | "least" | "more" | "unless" | "until" | "never" | "not"))
        .collect();
    let [at] = limits.as_slice() else { return None };
    let at = *at;
    if (clause.start..at).any(|at| Lexicon::get().is_subordinator(word(at))) {
        return None;
    }
    let replace = |from: usize, to: usize, with: &str| {
        Some(vec![Patch::new(tokens[from].range.start..tokens[to].range.end, with)])
    };
    match word(at) {
        "only" => {
            let one = (at + 1..at + 3).find(|at| word(*at) == "one")?;
            let gone = Patch::new(tokens[at].range.start..tokens[at + 1].range.start, "");
            let more = Patch::new(tokens[one].range.clone(), format!("more than {}", &text[tokens[one].range.clone()]));
            if one == at + 1 {
                Some(vec![Patch::new(gone.range.start..more.range.end, more.with)])
            } else {
                Some(vec![gone, more])
            }
        }
        "most" if word(at.wrapping_sub(1)) == "at" && number(at + 1) => replace(at - 1, at, "more than"),
        "least" if word(at.wrapping_sub(1)) == "at" && number(at + 1) => replace(at - 1, at, "fewer than"),
        "more" if word(at.wrapping_sub(1)) == "no" && word(at + 1) == "than" => replace(at - 1, at + 1, "more than"),
        _ => None,
    }
}

fn turn_modal(
    text: &str,
    tokens: &[Token],
    at: usize,
    kind: Modal,
    patches: &mut Vec<Patch>,
    rest: &Rest<'_>,
) -> Result<(), Refusal> {
    let source = |at: usize| &text[tokens[at].range.clone()];
    let after = |at: usize, with: &str| Patch::new(tokens[at].range.end..tokens[at].range.end, with);
    match kind {
        Modal::Plain => {
            let word = tokens[at].word.as_str();
            if word == "can" {
                patches.push(Patch::new(tokens[at].range.clone(), like(source(at), "cannot")));
            } else {
                patches.push(after(at, if is_upper(source(at)) { " NOT" } else { " not" }));
            }
            check_after_verb(tokens, at + 1)?;
            rest(at + 2, Way::Forbid, patches)
        }
        Modal::Negated => {
            let positive = match tokens[at].word.as_str() {
                "mustn't" => "must",
                "shouldn't" => "should",
                "shan't" => "shall",
                "won't" => "will",
                "isn't" => "is",
                "aren't" => "are",
                _ => "can",
            };
            patches.push(Patch::new(tokens[at].range.clone(), like(source(at), positive)));
            rest(at + 2, Way::Allow, patches)
        }
        Modal::Not { at: not } => {
            patches.push(dropped(text, tokens, not));
            rest(not + 2, Way::Allow, patches)
        }
        Modal::Never { at: never } => {
            patches.push(Patch::new(tokens[never].range.clone(), like(source(never), "always")));
            rest(never + 2, Way::AllowAlways, patches)
        }
        Modal::Always { at: always } => {
            patches.push(Patch::new(tokens[always].range.clone(), like(source(always), "never")));
            rest(always + 2, Way::ForbidNever, patches)
        }
        Modal::Forbidden { at: said } => {
            let allowed = Lexicon::get().unforbidden(&tokens[said].word).unwrap_or("allowed");
            patches.push(Patch::new(tokens[said].range.clone(), like(source(said), allowed)));
            rest(said + 1, Way::Allow, patches)
        }
        Modal::Lexical => {
            let (auxiliary, base) = match tokens[at].word.as_str() {
                "needs" => ("does not", "need"),
                "has" => ("does not", "have"),
                "requires" => ("does not", "require"),
                word => ("do not", word),
            };
            patches.push(Patch::new(tokens[at].range.clone(), format!("{auxiliary} {base}")));
            rest(at + 2, Way::Forbid, patches)
        }
        Modal::LexicalNot { from } => {
            let verb = if tokens[from].word.ends_with("n't") { from + 1 } else { from + 2 };
            let third = tokens[from].word.starts_with("does");
            let said = match (tokens[verb].word.as_str(), third) {
                ("have", true) => "has".to_owned(),
                (word, true) => format!("{word}s"),
                (word, false) => word.to_owned(),
            };
            patches.push(Patch::new(tokens[from].range.start..tokens[verb].range.end, said));
            rest(verb + 2, Way::Allow, patches)
        }
    }
}

/// Checks what follows a cue that stands before the given token.
type Rest<'a> = dyn Fn(usize, Way, &mut Vec<Patch>) -> Result<(), Refusal> + 'a;

/// "Prefer A over B." becomes "Prefer B over A.", where both sides are plain.
fn swapped(text: &str, tokens: &[Token], clause: &Clause, at: usize) -> Option<Patch> {
    let over = (at + 2..clause.end).find(|at| tokens[*at].is("over"))?;
    let mut end = clause.end;
    while end > over + 1 && tokens[end - 1].is_sign(&['.', '!']) {
        end -= 1;
    }
    let sides = [at + 1..over, over + 1..end];
    let plain = sides.iter().all(|side| {
        !side.is_empty()
            && !tokens[side.clone()].iter().any(|token| {
                matches!(token.kind, Kind::Sign(_))
                    || Lexicon::get().is_subordinator(&token.word)
                    || matches!(token.word.as_str(), "for" | "unless" | "only" | "over" | "in" | "to")
            })
    });
    if !plain {
        return None;
    }
    let first = tokens[at + 1].range.start..tokens[over - 1].range.end;
    let second = tokens[over + 1].range.start..tokens[end - 1].range.end;
    let between = &text[first.end..second.start];
    Some(Patch::new(first.start..second.end, format!("{}{between}{}", &text[second], &text[first])))
}

/// Takes "do not " out, keeps emphasis marks, and moves the capital letter to the verb.
fn without_do_not(text: &str, tokens: &[Token], from: usize, verb: usize) -> Patch {
    let start = tokens[from].range.start;
    let place = tokens[verb].range.clone();
    let marks: String = text[start..place.start].chars().filter(|c| matches!(c, '*' | '_')).collect();
    let capital = text[start..].starts_with(char::is_uppercase);
    let word = &text[place.clone()];
    let word = if capital { capitalised(word) } else { word.to_owned() };
    Patch::new(start..place.end, marks + &word)
}

/// Takes a "not" out with the blank behind it.
fn dropped(text: &str, tokens: &[Token], at: usize) -> Patch {
    let start = tokens[at].range.start;
    let end = tokens.get(at + 1).map_or(tokens[at].range.end, |next| next.range.start);
    let marks: String = text[start..end].chars().filter(|c| matches!(c, '*' | '_' | '`' | '"' | '(')).collect();
    Patch::new(start..end.max(start), marks)
}

/// "Do not verify" for "Verify", "do not verify" for "verify", "do not STOP" for "STOP".
fn do_not_before(word: &str) -> String {
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

#[cfg(test)]
mod tests;
