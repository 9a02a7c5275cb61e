//! A weaker form of a rule: the same direction with less force.

use super::Inversion;
use super::cues::{Modal, Shape, shape};
use super::invert::{has_cue, is_unparted_scene};
use super::label::{Label, label};
use super::lexicon::Lexicon;
use super::refusal::{Refusal, RefusalReason};
use super::rewrite::{Patch, is_upper, turned};
use super::sentence::{Clause, after_openers, clauses};
use super::words::Token;

/// "must V" becomes "may want to V", "never V" "try not to V", "V" "where possible, V"; or a refusal by name.
pub fn weaken(rule_text: &str) -> Inversion {
    match turned(rule_text, weaken_sentence, false) {
        Ok(text) => Inversion::Inverted(text),
        Err(refusal) => Inversion::Refused(refusal),
    }
}

fn weaken_sentence(text: &str, tokens: &[Token]) -> Result<Vec<Patch>, Refusal> {
    let start = match label(text, tokens)? {
        Label::None => 0,
        Label::Stays { end } => end,
        Label::Turns { .. } | Label::IsTheCue { .. } | Label::IsACue { .. } => {
            return Err(Refusal::new(RefusalReason::LabelPolarity, tokens[0].word.clone()));
        }
    };
    let clauses = clauses(tokens, start);
    let mut patches = Vec::new();
    let last = clauses.len() - 1;
    for (index, clause) in clauses.iter().enumerate() {
        check_force(tokens, clause)?;
        match shape(tokens, clause).and_then(|found| weaker(text, tokens, clause, found)) {
            // The part before "; you must …" may be a fact.
            Err(refusal)
                if matches!(refusal.reason, RefusalReason::NoCue | RefusalReason::Description)
                    && index < last
                    && !is_unparted_scene(tokens, clause)
                    && !has_cue(&tokens[clause.clone()]) => {}
            found => patches.push(found?),
        }
    }
    Ok(patches)
}

/// # Errors
/// A clause that is as weak as its weaker form would be, or one with a second "never" that would keep its force.
fn check_force(tokens: &[Token], clause: &Clause) -> Result<(), Refusal> {
    let words: Vec<&str> = tokens[clause.clone()].iter().map(|token| token.word.as_str()).collect();
    if let Some(two) = words.windows(2).find(|two| {
        matches!(two[0], "where" | "when" | "whenever" | "if")
            && matches!(two[1], "possible" | "practical" | "feasible")
    }) {
        return Err(Refusal::new(RefusalReason::NoForce, two.join(" ")));
    }
    let joined = words.windows(2).skip(1).find(|two| matches!(two[0], "" | "and" | "but") && two[1] == "never");
    match joined {
        Some(_) => Err(Refusal::new(RefusalReason::TwoCommands, "never")),
        None => Ok(()),
    }
}

fn weaker(text: &str, tokens: &[Token], clause: &Clause, found: Shape) -> Result<Patch, Refusal> {
    let source = |at: usize| &text[tokens[at].range.clone()];
    let marks = |from: usize, to: usize| -> String {
        text[tokens[from].range.start..tokens[to].range.start].chars().filter(|c| matches!(c, '*' | '_')).collect()
    };
    let lowered = |at: usize| {
        let word = source(at);
        if is_upper(word) { word.to_owned() } else { word.to_lowercase() }
    };
    let refuse = |reason: RefusalReason, at: usize| Err(Refusal::new(reason, source(at).to_owned()));
    match found {
        // "Don't try to V" has its "try" already.
        Shape::DoNot { from, verb }
            if tokens[verb].is("try") && tokens.get(verb + 1).is_some_and(|next| next.is("to")) =>
        {
            Ok(Patch::new(tokens[from].range.start..tokens[verb + 1].range.end, title(source(from), "try not to")))
        }
        Shape::DoNot { from, verb } => {
            let until = tokens[verb].range.start;
            // "If unsure, DO NOT send it" goes on in small letters.
            let inside = is_upper(source(from)) && from > 0 && tokens[from - 1].is_sign(&[',']);
            let words = if inside { "try not to".to_owned() } else { title(source(from), "try not to") };
            Ok(Patch::new(tokens[from].range.start..until, format!("{}{words} ", marks(from, verb))))
        }
        Shape::Always { at } | Shape::Never { at } if !follows_verb(tokens, at) => refuse(RefusalReason::NoCue, at),
        Shape::Never { at } => Ok(Patch::new(tokens[at].range.clone(), title(source(at), "try not to"))),
        Shape::Always { at } => Ok(Patch::new(tokens[at].range.clone(), title(source(at), "where possible,"))),
        Shape::Command { from, .. } | Shape::Do { at: from } => Ok(Patch::new(
            tokens[from].range.clone(),
            format!("{} {}", title(source(from), "where possible,"), lowered(from)),
        )),
        Shape::NotJust { from, .. } => refuse(RefusalReason::NotOnly, from),
        Shape::Third { verb } => Ok(Patch::new(tokens[verb].range.start..tokens[verb].range.start, "preferably ")),
        Shape::Refrain { from, .. } => {
            Ok(Patch::new(tokens[from].range.clone(), title(source(from), &format!("try to {}", tokens[from].word))))
        }
        Shape::Avoid { at } => Ok(Patch::new(tokens[at].range.clone(), title(source(at), "try to avoid"))),
        Shape::Only { at } if !follows_verb(tokens, at) => refuse(RefusalReason::Only, at),
        // "Preferably open it when …" would ask for what "only" limits.
        Shape::Only { at } => Ok(Patch::new(tokens[at].range.clone(), title(source(at), "preferably only"))),
        Shape::Prefer { at } => Ok(Patch::new(tokens[at].range.clone(), title(source(at), "consider"))),
        Shape::Ensure { .. } | Shape::EnsureNot { .. } => {
            let from = after_openers(&tokens[..clause.end], clause.start);
            let with = format!("{} {}", title(source(from), "where possible,"), lowered(from));
            Ok(Patch::new(tokens[from].range.clone(), with))
        }
        Shape::You { verb } => Ok(Patch::new(tokens[verb].range.start..tokens[verb].range.start, "may ")),
        Shape::Modal { at, kind } => weaker_modal(text, tokens, at, kind),
    }
}

fn weaker_modal(text: &str, tokens: &[Token], at: usize, kind: Modal) -> Result<Patch, Refusal> {
    let source = |at: usize| &text[tokens[at].range.clone()];
    let word = tokens[at].word.as_str();
    let obliges = matches!(word, "must" | "should" | "shall" | "mustn't" | "shouldn't" | "shan't");
    // "You may not" and "You cannot" forbid as "must not" does; "You may" obliges to nothing.
    let forbids =
        matches!(word, "cannot" | "can't") || (matches!(word, "may" | "can") && matches!(kind, Modal::Not { .. }));
    let refusal = Refusal::new(RefusalReason::NoForce, source(at));
    match kind {
        _ if !obliges && !forbids && kind != Modal::Lexical => Err(refusal),
        // Only somebody can want something: "Refunds should preferably be approved".
        Modal::Plain | Modal::Always { .. } => {
            let subject = at.checked_sub(1).map_or("", |before| tokens[before].word.as_str());
            let wants = Lexicon::get().is_person(subject) && !tokens.get(at + 1).is_some_and(|next| next.is("be"));
            let end = if let Modal::Always { at } = kind { at } else { at };
            let with = if wants { "may want to" } else { "should preferably" };
            Ok(Patch::new(tokens[at].range.start..tokens[end].range.end, with))
        }
        Modal::Negated => Ok(Patch::new(tokens[at].range.clone(), "should preferably not")),
        Modal::Not { at: second } | Modal::Never { at: second } => {
            Ok(Patch::new(tokens[at].range.start..tokens[second].range.end, "should preferably not"))
        }
        Modal::Lexical if !tokens[at].word.starts_with("require") => {
            Ok(Patch::new(tokens[at].range.clone(), "may want"))
        }
        Modal::Lexical | Modal::Forbidden { .. } | Modal::LexicalNot { .. } => Err(refusal),
    }
}

fn follows_verb(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| {
        next.word.ends_with("ly") || next.is("ever") || next.is("first") || Lexicon::get().is_verb(&next.word)
    })
}

/// Several words with the first letter's case of another; capitals are not shouted over.
fn title(model: &str, words: &str) -> String {
    let first = model.chars().next().unwrap_or('a');
    if first.is_uppercase() {
        let mut chars = words.chars();
        chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
    } else {
        words.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weak(text: &str) -> String {
        match weaken(text) {
            Inversion::Inverted(text) => text,
            Inversion::Refused(refusal) => format!("refused: {}", refusal.reason.name()),
        }
    }

    #[test]
    fn force_is_taken_out_and_direction_kept() {
        for (rule, expected) in [
            ("You must ask for the order number.", "You may want to ask for the order number."),
            ("You must not share addresses.", "You should preferably not share addresses."),
            ("Never promise a date.", "Try not to promise a date."),
            ("**NEVER** promise a date.", "**Try not to** promise a date."),
            ("Do NOT promise a date.", "Try not to promise a date."),
            ("Refunds must be approved.", "Refunds should preferably be approved."),
            ("Prices should always include tax.", "Prices should preferably include tax."),
            ("Only managers can approve refunds.", "refused: only"),
            ("Always, without exception, cite.", "refused: no-cue"),
            ("You may not open attachments.", "You should preferably not open attachments."),
            ("You may open attachments.", "refused: no-force"),
            ("Don't try to fix it.", "Try not to fix it."),
            ("Ensure that calls are logged.", "Where possible, ensure that calls are logged."),
            ("Use the tool only when asked.", "Where possible, use the tool only when asked."),
            ("| Tone | Always be formal |", "| Tone | Where possible, be formal |"),
            ("**No slang**: Write complete sentences.", "refused: label-polarity"),
            ("Versprich niemals einen Termin.", "refused: other-language"),
            ("Always greet first.", "Where possible, greet first."),
            ("If it is late, apologise.", "If it is late, where possible, apologise."),
            ("Avoid jargon.", "Try to avoid jargon."),
            ("The shop closes at nine.", "refused: no-cue"),
            ("If it is hot, DO NOT open it.", "If it is hot, try not to open it."),
            ("For big parcels call the desk first; sign the list.", "refused: no-cue"),
            ("Use the lift where possible.", "refused: no-force"),
            ("Use glue for paper, never for glass.", "refused: two-commands"),
            ("Only open the vault when asked.", "Preferably only open the vault when asked."),
        ] {
            assert_eq!(weak(rule), expected);
        }
    }
}
