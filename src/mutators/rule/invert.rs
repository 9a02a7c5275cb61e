//! A rule's opposite, where its shape leaves no doubt.

use super::Inversion;
use super::bare_no::{without_no, without_non};
use super::contrast::{just, not_but, not_only, swapped_instead, swapped_over};
use super::cues::{Modal, Shape, shape};
use super::label::{Label, label};
use super::lexicon::Lexicon;
use super::limits::{even_if_not, lifted, other_amount};
use super::modal::{dropped, turn_modal};
use super::refusal::{Refusal, RefusalReason};
use super::rest::{Way, check_after_verb, check_rest};
use super::rewrite::{Patch, capitalised, do_not_before, is_upper, like, turned};
use super::sentence::{Clause, clauses};
use super::words::{Kind, Token};

/// Turns every clause of a rule around, or refuses by name.
///
/// Labels, scenes ("If the order is late, …"), code, quotations and parentheses stay as they are, as do emphasis marks,
/// the final sign, line breaks and the case of the first letter. What the words are is data: `mutators/polarity.yaml`.
pub fn invert(rule_text: &str) -> Inversion {
    match turned(rule_text, invert_sentence, true) {
        Ok(text) => Inversion::Inverted(text),
        Err(refusal) => Inversion::Refused(refusal),
    }
}

fn invert_sentence(text: &str, tokens: &[Token]) -> Result<Vec<Patch>, Refusal> {
    check_whole(tokens)?;
    let mut patches = Vec::new();
    let start = match label(text, tokens)? {
        Label::None => 0,
        Label::Stays { end } => end,
        // "Never: promise a date" is turned around by its label alone.
        Label::IsTheCue { patch } => return Ok(vec![patch]),
        Label::IsACue { patch, end } => {
            patches.push(patch);
            end
        }
        Label::Turns { end, command } => {
            match command {
                Some(clause) => patches.extend(turn_clause(text, tokens, &clause, true)?),
                None => patches.push(dropped_no(text, tokens)),
            }
            end
        }
    };
    let clauses = clauses(tokens, start);
    let last = clauses.len() - 1;
    for (index, clause) in clauses.iter().enumerate() {
        match turn_clause(text, tokens, clause, index == last) {
            // "Formatting is checked in CI — always run it": the first part is a fact.
            Err(refusal)
                if matches!(refusal.reason, RefusalReason::NoCue | RefusalReason::Description)
                    && index < last
                    && !is_unparted_scene(tokens, clause)
                    && !has_cue(&tokens[clause.clone()]) => {}
            found => patches.extend(found?),
        }
        drop_instead(text, tokens, clause, &mut patches);
    }
    Ok(patches)
}

/// Whether a clause says more than a fact, though its shape is not known: it can't be left as it is.
pub(super) fn has_cue(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| {
        matches!(
            token.word.as_str(),
            "only"
                | "never"
                | "always"
                | "must"
                | "should"
                | "shall"
                | "may"
                | "avoid"
                | "prefer"
                | "declined"
                | "denied"
                | "refused"
                | "rejected"
                | "needs"
                | "requires"
                | "require"
        )
    })
}

/// "For big parcels call the desk; …": the scene of this clause holds its command, and no sign parts the two.
pub(super) fn is_unparted_scene(tokens: &[Token], clause: &Clause) -> bool {
    let parted = |end: &Token| end.is("and") || matches!(end.kind, Kind::Sign(_));
    Lexicon::get().is_scene(&tokens[clause.start].word) && tokens.get(clause.end).is_some_and(parted)
}

fn turn_clause(text: &str, tokens: &[Token], clause: &Clause, is_last: bool) -> Result<Vec<Patch>, Refusal> {
    let special = not_only(text, tokens, clause).or_else(|| not_but(text, tokens, clause)).map(Ok);
    let special = special.or_else(|| even_if_not(text, tokens, clause));
    let special = special.or_else(|| lifted(text, tokens, clause)).or_else(|| without_no(text, tokens, clause));
    let special = special.or_else(|| without_non(text, tokens, clause).map(Ok));
    if let Some(special) = special {
        return special;
    }
    // "Each booking can use at most one voucher": the amount is the rule, whoever may do it.
    let may = clause.clone().any(|at| matches!(tokens[at].word.as_str(), "can" | "may"));
    if may && let Some(Ok(amount)) = other_amount(text, tokens, clause, true) {
        return Ok(amount);
    }
    let found = shape(tokens, clause)?;
    turn(text, tokens, clause, found, is_last)
}

/// "**No slang**: …" loses its "No" with the rule's direction.
fn dropped_no(text: &str, tokens: &[Token]) -> Patch {
    let range = tokens[0].range.start..tokens[1].range.end;
    Patch::new(range, like(&text[tokens[0].range.clone()], &text[tokens[1].range.clone()]))
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
            "neither" => return Err(Refusal::new(RefusalReason::BareNo, "neither")),
            "and" if next(1) == "only" && next(2) == "if" && at > 0 && tokens[at - 1].is_sign(&[',']) => {
                return Err(Refusal::new(RefusalReason::IfAndOnlyIf, "if, and only if"));
            }
            "nothing" | "nobody" | "no-one" if matches!(next(1), "but" | "except") => {
                return Err(Refusal::new(RefusalReason::Exception, format!("{} {}", token.word, next(1))));
            }
            word if Lexicon::get().is_degree(word) && (at == 0 || Lexicon::get().is_verb(next(1))) => {
                return Err(Refusal::new(RefusalReason::Degree, word));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The patches that turn one clause around.
fn turn(text: &str, tokens: &[Token], clause: &Clause, found: Shape, is_last: bool) -> Result<Vec<Patch>, Refusal> {
    let obliges = matches!(
        found,
        Shape::Do { .. }
            | Shape::Prefer { .. }
            | Shape::Ensure { .. }
            | Shape::Command { .. }
            | Shape::You { .. }
            | Shape::Third { .. }
            | Shape::Modal { kind: Modal::Plain | Modal::Lexical, .. }
    );
    if let Some(amount) = other_amount(text, tokens, clause, obliges) {
        return amount;
    }
    let mut patches = Vec::new();
    let source = |at: usize| &text[tokens[at].range.clone()];
    let rest = |from: usize, way: Way, patches: &mut Vec<Patch>| {
        check_rest(text, tokens, from..clause.end, way, is_last, patches)
    };
    match found {
        Shape::DoNot { from, verb } if tokens[verb].is("ever") => {
            patches.push(Patch::new(tokens[from].range.start..tokens[verb].range.end, like(source(from), "always")));
            rest(verb + 2, Way::AllowAlways, &mut patches)?;
        }
        Shape::DoNot { from, verb } => {
            patches.push(without_do_not(text, tokens, from, verb));
            rest(verb + 1, Way::Allow, &mut patches)?;
        }
        Shape::Refrain { from, verb } => {
            let base = Lexicon::get().base_of_gerund(&tokens[verb].word).unwrap_or(&tokens[verb].word);
            let range = tokens[from].range.start..tokens[verb].range.end;
            patches.push(Patch::new(range, like(source(from), base)));
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
            let ever = (at + 1..at + 3).find(|at| tokens.get(*at).is_some_and(|token| token.is("ever")));
            let end = ever.unwrap_or(at);
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
        Shape::NotJust { from, limit } => {
            patches.push(just(text, tokens, from, limit));
            rest(limit + 2, Way::Allow, &mut patches)?;
        }
        Shape::Third { verb } => {
            let base = Lexicon::get().base_of_third(&tokens[verb].word).unwrap_or("do");
            patches.push(Patch::new(tokens[verb].range.clone(), format!("does not {base}")));
            check_after_verb(tokens, verb + 1)?;
            rest(verb + 1, Way::Forbid, &mut patches)?;
        }
        Shape::Prefer { at } => match swapped_over(text, tokens, clause, at) {
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
        // "If you can, please do."
        Shape::Command { from, verb } if tokens[verb].is("do") && is_end(tokens, verb + 1, clause) => {
            patches.push(Patch::new(tokens[from].range.end..tokens[from].range.end, " not"));
        }
        Shape::Command { from, verb } => {
            if from == verb
                && let Some(swapped) = swapped_instead(text, tokens, clause, verb)
                && rest(verb + 1, Way::Swap, &mut Vec::new()).is_ok()
            {
                return Ok(swapped);
            }
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

fn is_end(tokens: &[Token], at: usize, clause: &Clause) -> bool {
    at >= clause.end || tokens[at].is_sign(&['.', '!'])
}

/// Takes "do not " out, keeps emphasis marks, and moves the capital letter to the verb.
fn without_do_not(text: &str, tokens: &[Token], from: usize, verb: usize) -> Patch {
    let start = tokens[from].range.start;
    let place = tokens[verb].range.clone();
    let marks: String = text[start..place.start].chars().filter(|c| matches!(c, '*' | '_')).collect();
    // "If unsure, DO NOT send it" goes on in small letters.
    let shouted = is_upper(&text[tokens[from].range.clone()]);
    let inside = from > 0 && tokens[from - 1].is_sign(&[',']);
    let capital = text[start..].starts_with(char::is_uppercase) && !(shouted && inside);
    let word = &text[place.clone()];
    let word = if capital { capitalised(word) } else { word.to_owned() };
    Patch::new(start..place.end, marks + &word)
}

#[cfg(test)]
mod tests;
