//! The label before a rule: "**Important**: Never …", "**No slang**: …", "Never: …".

use super::cues::{Modal, Shape, shape};
use super::lexicon::Lexicon;
use super::refusal::{Refusal, RefusalReason};
use super::rewrite::{Patch, like};
use super::sentence::{Clause, explicit_cue, is_command_verb, is_modal, is_mostly_command, starts_clause};
use super::words::Token;

/// What a sentence's label does with the rule behind it; `end` is the first token behind the label.
#[derive(Debug)]
pub(super) enum Label {
    None,
    /// A noun or a word such as "Important".
    Stays {
        end: usize,
    },
    /// The label says itself which way the rule goes: it is turned with it. Without a command it is "No X".
    Turns {
        end: usize,
        command: Option<Clause>,
    },
    /// "Never: promise a date": the label alone carries the direction.
    IsTheCue {
        patch: Patch,
    },
    /// "Forbidden: you must not promise a date": both are turned.
    IsACue {
        patch: Patch,
        end: usize,
    },
}

/// # Errors
/// A label with a direction that can't be turned around.
pub(super) fn label(text: &str, tokens: &[Token]) -> Result<Label, Refusal> {
    let lexicon = Lexicon::get();
    let Some((end, is_bold)) = sign(text, tokens) else { return Ok(Label::None) };
    let words = &tokens[..end - 1];
    if words.iter().any(|token| token.is_sign(&[',', ';', '-'])) {
        return Ok(Label::None);
    }
    let first = &words[0];
    let source = &text[first.range.clone()];
    if words.len() <= 2 && lexicon.is_label(&first.word) {
        return Ok(Label::Stays { end });
    }
    // "If the till is empty: call the desk" is a scene.
    let starts = starts_clause(tokens, end, false);
    if matches!(first.word.as_str(), "if" | "when" | "whenever" | "before" | "after" | "once" | "while") && starts {
        return Ok(Label::None);
    }
    if let Some(other) = alone(words) {
        let patch = Patch::new(first.range.start..words[words.len() - 1].range.end, like(source, other));
        if let Some(only) = tokens[end..].iter().find(|token| token.is("only")) {
            return Err(Refusal::new(RefusalReason::LabelPolarity, &text[only.range.clone()]));
        }
        return match shape(tokens, &(end..tokens.len())) {
            // "Forbidden: you must not …" says it twice, "Never: you must …" is against itself.
            Ok(found) if denies(found) && !matches!(other, "never" | "do not" | "not allowed") => {
                Ok(Label::IsACue { patch, end })
            }
            Ok(Shape::Modal { kind: Modal::Plain, at }) if is_allowing(tokens, at) && other == "not allowed" => {
                Ok(Label::IsACue { patch, end })
            }
            Ok(Shape::Modal { .. } | Shape::DoNot { .. } | Shape::Never { .. } | Shape::Always { .. }) => {
                Err(Refusal::new(RefusalReason::LabelPolarity, source))
            }
            _ => Ok(Label::IsTheCue { patch }),
        };
    }
    if !is_bold && !starts {
        return Ok(Label::None);
    }
    let commands = is_command_verb(tokens, 0)
        || explicit_cue(tokens, 0)
        || first.is("avoid")
        || first.is("prefer")
        || first.is("only")
        || (words.len() > 1 && is_mostly_command(tokens, 0));
    let commands = commands
        || (is_bold
            && shape(tokens, &(0..end - 1)).is_ok_and(|shape| !matches!(shape, Shape::Modal { .. }))
            && !lexicon.is_also_noun(&first.word));
    let refuse = |token: &Token| Err(Refusal::new(RefusalReason::LabelPolarity, &text[token.range.clone()]));
    if commands {
        // A command before a colon and another behind it are two clauses.
        if !is_bold && starts && !first.is("avoid") {
            return Ok(Label::None);
        }
        return Ok(Label::Turns { end, command: Some(0..end - 1) });
    }
    if first.is("no") && words.len() > 1 && words.len() <= 4 {
        return if starts { Ok(Label::Turns { end, command: None }) } else { refuse(first) };
    }
    match words.iter().find(|token| lexicon.has_polarity(&token.word) || is_modal(&token.word)) {
        Some(token) => refuse(token),
        None => Ok(Label::Stays { end }),
    }
}

fn denies(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::DoNot { .. }
            | Shape::Never { .. }
            | Shape::Modal {
                kind: Modal::Not { .. } | Modal::Negated | Modal::Never { .. } | Modal::Forbidden { .. },
                ..
            }
    )
}

fn is_allowing(tokens: &[Token], modal: usize) -> bool {
    matches!(tokens[modal].word.as_str(), "can" | "may")
}

/// The token behind the label's sign, and whether the label is bold. Only a bold label may end with a dash.
fn sign(text: &str, tokens: &[Token]) -> Option<(usize, bool)> {
    let at = tokens.iter().take(8).position(|token| token.is_sign(&[':', '-']))?;
    if at == 0 || at + 1 >= tokens.len() {
        return None;
    }
    let marks = ['*', '_'];
    let sign = &tokens[at].range;
    let closes = text[tokens[at - 1].range.end..].starts_with(marks) || text[sign.end..].starts_with(marks);
    let is_bold = text.trim_start().starts_with(marks) && closes;
    (tokens[at].is_sign(&[':']) || is_bold).then_some((at + 1, is_bold))
}

/// "Never:", "Do not:" and their opposites.
fn alone(words: &[Token]) -> Option<&'static str> {
    let said: Vec<&str> = words.iter().map(|token| token.word.as_str()).collect();
    match said.as_slice() {
        ["never"] => Some("always"),
        ["always"] => Some("never"),
        ["do", "not"] | ["don't"] => Some("do"),
        ["do"] => Some("do not"),
        ["forbidden"] | ["not", "allowed"] | ["prohibited"] => Some("allowed"),
        ["allowed"] => Some("not allowed"),
        _ => None,
    }
}
