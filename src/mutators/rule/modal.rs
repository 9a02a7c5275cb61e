//! "S must V", "S is required", "S needs to V": the opposite has a "not" more or less.

use super::cues::{Modal, behind_insertion};
use super::forms::third_person;
use super::lexicon::Lexicon;
use super::refusal::Refusal;
use super::rest::{Way, check_after_verb};
use super::rewrite::{Patch, is_upper, like};
use super::words::Token;

pub(super) fn turn_modal(
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
        // "You need not V" becomes "You need to V".
        Modal::Not { at: not } if tokens[at].is("need") => {
            patches.push(Patch::new(tokens[not].range.clone(), "to"));
            rest(not + 2, Way::Allow, patches)
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
            // "is strictly prohibited" becomes "is allowed".
            let from = if said > at + 1 { at + 1 } else { said };
            let range = tokens[from].range.start..tokens[said].range.end;
            patches.push(Patch::new(range, like(source(from), allowed)));
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
                (word, true) => third_person(word),
                (word, false) => word.to_owned(),
            };
            patches.push(Patch::new(tokens[from].range.start..tokens[verb].range.end, said));
            rest(verb + 2, Way::Allow, patches)
        }
    }
}

/// Checks what follows a cue that stands before the given token.
pub(super) type Rest<'a> = dyn Fn(usize, Way, &mut Vec<Patch>) -> Result<(), Refusal> + 'a;

/// Takes a "not" out with the blank behind it.
pub(super) fn dropped(text: &str, tokens: &[Token], at: usize) -> Patch {
    let start = tokens[at].range.start;
    let next = behind_insertion(tokens, at + 1).unwrap_or(at + 1);
    let end = tokens.get(next).map_or(tokens[at].range.end, |next| next.range.start);
    let marks: String = text[start..end].chars().filter(|c| matches!(c, '*' | '_' | '`' | '"' | '(')).collect();
    Patch::new(start..end.max(start), marks)
}
