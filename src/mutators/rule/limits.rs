//! Rules that limit something: "only", "at most", "more than one". Their opposite lifts the limit.

use super::condition::negated;
use super::lexicon::Lexicon;
use super::refusal::{Refusal, RefusalReason};
use super::rewrite::{Patch, capitalised, do_not_before, is_upper, like};
use super::sentence::{Clause, after_openers, is_modal};
use super::words::{Kind, Token, word_in};

/// "V if and only if C" becomes "V even if not C".
pub(super) fn even_if_not(text: &str, tokens: &[Token], clause: &Clause) -> Option<Result<Vec<Patch>, Refusal>> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let at = clause.clone().find(|at| word(*at) == "if" && word(at + 1) == "and" && word(at + 2) == "only")?;
    let end = (at + 4..clause.end)
        .rev()
        .find(|at| !matches!(tokens[*at].kind, Kind::Sign(_)))
        .map_or(clause.end, |at| at + 1);
    let denies = (clause.start..at).any(|at| matches!(word(at), "not" | "never" | "no" | "don't" | "cannot"));
    let negation = if word(at + 3) == "if" && !denies { negated(text, tokens, at + 4..end) } else { None };
    Some(match negation {
        Some(mut patches) => {
            patches.push(Patch::new(tokens[at].range.start..tokens[at + 3].range.end, "even if"));
            Ok(patches)
        }
        None => Err(Refusal::new(RefusalReason::IfAndOnlyIf, "if and only if")),
    })
}

/// What becomes of a clause with an "only" of its own; none where it has no such word.
///
/// "V only if C" becomes "V even if not C", or "Do not V even if C" where C can't be negated with certainty; "V only after X"
/// "V before X"; "only V", "V only X" and "S must only V" get a "not" before them.
pub(super) fn lifted(text: &str, tokens: &[Token], clause: &Clause) -> Option<Result<Vec<Patch>, Refusal>> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let start = after_openers(&tokens[..clause.end], clause.start);
    let limits: Vec<usize> = (start..clause.end).filter(|at| is_limit(tokens, clause, start, *at)).collect();
    let first = *limits.first()?;
    let refuse = |at: usize| Some(Err(Refusal::new(RefusalReason::Only, word(at))));
    let denies =
        (start..first).any(|at| matches!(word(at), "not" | "never" | "no" | "don't" | "cannot" | "can't" | "avoid"));
    if denies {
        // "Do not print the code, only the result" is a contrast; "do not refund only because …" loses its "not".
        return None;
    }
    if limits.len() > 1 {
        return refuse(first);
    }
    let at = first;
    // "Ask at most one question, only when …" has two limits.
    let amount = (start..clause.end).any(|at| word(at) == "at" && matches!(word(at + 1), "most" | "least"));
    if amount {
        return Some(Err(Refusal::new(RefusalReason::Threshold, "at most")));
    }
    // "Preserve the title, updating the text only when necessary": the limit belongs to the side remark.
    let remark =
        (start..at).any(|at| tokens[at].is_sign(&[',']) && Lexicon::get().base_of_gerund(word(at + 1)).is_some());
    if remark {
        return None;
    }
    let source = |at: usize| &text[tokens[at].range.clone()];
    let leading = at == start;
    let near = (at + 1..clause.end.min(at + 6)).take_while(|at| !tokens[*at].is_sign(&[',']));
    if near.clone().all(|at| !matches!(word(at), "if" | "when"))
        && let Some(amount) = one(text, tokens, clause, at)
    {
        return Some(Ok(amount));
    }
    if let Some(condition) = (at + 1..clause.end).find(|at| matches!(word(*at), "if" | "when" | "whenever" | "while")) {
        let direct = condition == at + 1 || (condition == at + 2 && word(at + 1) == "ever");
        let applies = leading
            || is_modal(word(at.wrapping_sub(1)))
            || word(at.wrapping_sub(1)) == "be"
            || direct
            || is_be(word(at.wrapping_sub(1)));
        // "Only create a draft and send it when asked": which of the two the condition limits is not said.
        let joined = (start + 1..clause.end).filter(|at| !(condition..condition + 3).contains(at)).any(|at| {
            let doubtful = matches!(word(at), "and") && at > condition && Lexicon::get().is_mostly_verb(word(at + 1));
            doubtful
                || (matches!(word(at), "and" | "or")
                    && (at < condition || !follows_person(tokens, condition, at))
                    && super::sentence::is_second_command(tokens, at, clause))
        });
        // "Only use it for tests or when asked" has two limits.
        let two = matches!(word(condition - 1), "and" | "or");
        if !applies || joined || two || (leading && !Lexicon::get().is_verb(word(at + 1))) {
            return refuse(at);
        }
        return Some(Ok(even_if(text, tokens, clause, at, condition, leading)));
    }
    let replaced = |with: &str| {
        Some(Ok(vec![Patch::new(tokens[at].range.start..tokens[at + 1].range.end, like(source(at), with))]))
    };
    match word(at + 1) {
        "after" if !leading => return replaced("before"),
        "with" if !leading => return replaced("even without"),
        "after" | "with" | "before" | "once" | "in" | "for" | "to" | "from" | "by" | "where" | "within" | "during"
        | "at" | "as" | "on"
            if !leading =>
        {
            return refuse(at);
        }
        "once" | "because" | "after" | "with" | "under" | "in" | "by" | "for" | "from" | "at" | "on" if leading => {
            return refuse(at);
        }
        "once" | "because" => return refuse(at),
        _ => {}
    }
    if leading {
        let last = (at + 1..clause.end).rev().find(|at| matches!(word(*at), "after" | "once" | "until"));
        // "Only signed orders are shipped"
        let subject = (at + 2..clause.end)
            .take_while(|at| !Lexicon::get().is_subordinator(word(*at)) && !tokens[*at].is_sign(&[',', '-', ';', ':']))
            .any(|at| is_be(word(at)));
        let verb = Lexicon::get().is_verb(word(at + 1)) && !subject;
        if let Some(after) = last.filter(|after| verb && word(*after) == "after") {
            let next = &tokens[at + 1];
            let lead = like_start(source(at), &text[next.range.clone()]);
            return Some(Ok(vec![
                Patch::new(tokens[at].range.start..next.range.end, lead),
                Patch::new(tokens[after].range.clone(), "before"),
            ]));
        }
        let with = if verb { do_not_before(source(at)) } else { subject_first(source(at)) };
        let finite = verb || (at + 1..clause.end).any(|at| is_modal(word(at)) || is_be(word(at)));
        return if finite { Some(Ok(vec![Patch::new(tokens[at].range.clone(), with)])) } else { refuse(at) };
    }
    // "can be booked only X": a "cannot" before the limit would say two things.
    if (start..at).any(|at| matches!(word(at), "can" | "may")) {
        return refuse(at);
    }
    let before = word(at - 1);
    let insert =
        |at: usize, with: &str| Some(Ok(vec![Patch::new(tokens[at].range.start..tokens[at].range.start, with)]));
    if matches!(before, "must" | "should" | "shall" | "to") {
        return insert(at, "not ");
    }
    if is_modal(before) || before == "be" || is_be(before) {
        return refuse(at);
    }
    if is_participle_behind(tokens, at, clause.end) {
        return Some(Ok(vec![Patch::new(tokens[at].range.clone(), like(source(at), "not"))]));
    }
    // "Answer only questions …": the general way forbids it.
    None
}

/// "backed only by facts" and "only backed by facts" say what the thing before them must be.
fn is_participle_behind(tokens: &[Token], at: usize, end: usize) -> bool {
    let lexicon = Lexicon::get();
    lexicon.is_participle(word_in(tokens, at + 1, end))
        && lexicon.is_preposition(word_in(tokens, at + 2, end))
        && !lexicon.is_verb(word_in(tokens, at - 1, end))
}

fn is_be(word: &str) -> bool {
    matches!(word, "is" | "are" | "was" | "were")
}

fn is_limit(tokens: &[Token], clause: &Clause, start: usize, at: usize) -> bool {
    let word = |at: usize| word_in(tokens, at, clause.end);
    match word(at) {
        // "read-only" is one word; ", and only then" is another statement.
        "only" => at == 0 || !matches!(word(at - 1), "the" | "not" | "an" | "if" | "if-and"),
        "just" | "solely" | "exclusively" | "simply" | "merely" | "purely" => {
            at == start && Lexicon::get().is_verb(word(at + 1))
        }
        _ => false,
    }
}

/// "Do not only" and "Not only": the subject keeps its small letter.
fn subject_first(only: &str) -> String {
    if is_upper(only) { "NOT ONLY".to_owned() } else { like(only, "not only") }
}

/// The next word with the capital that the word before it loses.
fn like_start(gone: &str, next: &str) -> String {
    if gone.starts_with(char::is_uppercase) { capitalised(next) } else { next.to_owned() }
}

fn even_if(text: &str, tokens: &[Token], clause: &Clause, only: usize, condition: usize, leading: bool) -> Vec<Patch> {
    let mut end = clause.end;
    while end > condition + 1 && tokens[end - 1].is_sign(&['.', '!', ':', ';']) {
        end -= 1;
    }
    let source = |at: usize| &text[tokens[at].range.clone()];
    let negation = negated(text, tokens, condition + 1..end);
    let even = if is_upper(source(only)) { "EVEN" } else { "even" };
    let direct = only + 1 == condition;
    let mut patches = Vec::new();
    let lifted = negation.is_some();
    if direct {
        patches.push(Patch::new(tokens[only].range.clone(), like(source(only), even)));
    } else {
        patches.push(Patch::new(tokens[condition].range.start..tokens[condition].range.start, "even "));
        let next = &tokens[only + 1];
        let with = if leading && lifted {
            like_start(source(only), &text[next.range.clone()])
        } else if leading {
            format!(
                "{} {}",
                do_not_before(source(only)).trim_end_matches("only").trim_end_matches("ONLY").trim_end(),
                &text[next.range.clone()]
            )
        } else {
            text[next.range.clone()].to_owned()
        };
        patches.push(Patch::new(tokens[only].range.start..next.range.end, with));
    }
    match negation {
        Some(negation) => patches.extend(negation),
        None if leading => {}
        None => patches.push(forbidden(text, tokens, clause, only)),
    }
    patches
}

/// "Do not V even if C", "You may not V even if C".
fn forbidden(text: &str, tokens: &[Token], clause: &Clause, only: usize) -> Patch {
    let start = after_openers(&tokens[..clause.end], clause.start);
    let modal =
        (start..only).find(|at| is_modal(word_in(tokens, *at, clause.end)) || is_be(word_in(tokens, *at, clause.end)));
    match modal {
        Some(at) => {
            let can = tokens[at].is("can");
            if can {
                Patch::new(tokens[at].range.clone(), like(&text[tokens[at].range.clone()], "cannot"))
            } else {
                Patch::new(tokens[at].range.end..tokens[at].range.end, " not")
            }
        }
        None => Patch::new(tokens[start].range.clone(), do_not_before(&text[tokens[start].range.clone()])),
    }
}

/// "only one" becomes "more than one", "only … once" "… more than once".
fn one(text: &str, tokens: &[Token], clause: &Clause, only: usize) -> Option<Vec<Patch>> {
    let word = |at: usize| word_in(tokens, at, clause.end);
    let gone = Patch::new(tokens[only].range.start..tokens.get(only + 1)?.range.start, "");
    if let Some(once) = (only + 1..only + 5).find(|at| matches!(word(*at), "once" | "twice")) {
        let more = Patch::new(tokens[once].range.start..tokens[once].range.start, "more than ");
        let merged = Patch::new(gone.range.start..tokens[once].range.start, "more than ");
        return Some(if once == only + 1 { vec![merged] } else { vec![gone, more] });
    }
    if let Some(single) = (only + 1..only + 4).find(|at| word(*at) == "a" && word(at + 1) == "single") {
        let range = tokens[single].range.start..tokens[single + 1].range.end;
        let merged = Patch::new(gone.range.start..range.end, like(&text[tokens[only].range.clone()], "more than one"));
        return Some(if single == only + 1 { vec![merged] } else { vec![gone, Patch::new(range, "more than one")] });
    }
    let one = (only + 1..only + 3).find(|at| word(*at) == "one" || is_number(word(*at)))?;
    if word(one + 1) == "of" || (one == only + 1 && matches!(word(one + 1), "")) {
        return None;
    }
    if one > only + 1 && word(one) != "one" {
        return None;
    }
    let more = format!("more than {}", &text[tokens[one].range.clone()]);
    let next = &tokens[only + 1];
    let opened = Patch::new(
        tokens[only].range.start..next.range.end,
        like_start(&text[tokens[only].range.clone()], &text[next.range.clone()]),
    );
    Some(if one == only + 1 {
        let more = like_start(&text[tokens[only].range.clone()], &more);
        vec![Patch::new(gone.range.start..tokens[one].range.end, more)]
    } else {
        vec![opened, Patch::new(tokens[one].range.clone(), more)]
    })
}

/// "when you need it and ask for it": the second verb is the person's.
fn follows_person(tokens: &[Token], condition: usize, and: usize) -> bool {
    tokens[condition..and].iter().any(|token| matches!(token.word.as_str(), "you" | "they" | "we" | "i" | "to"))
}

pub(super) fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '$' | '€' | '£'))
        || matches!(
            word,
            "one"
                | "two"
                | "three"
                | "four"
                | "five"
                | "six"
                | "seven"
                | "eight"
                | "nine"
                | "ten"
                | "twelve"
                | "twenty"
                | "fifty"
        )
}

/// "at most 3" becomes "more than 3", "at least 3" "fewer than 3", "up to 3" "more than 3": the amount is the rule.
///
/// # Errors
/// An amount that is no number ("at most some"), or one next to another limit.
pub(super) fn other_amount(
    text: &str,
    tokens: &[Token],
    clause: &Clause,
    obliges: bool,
) -> Option<Result<Vec<Patch>, Refusal>> {
    if !obliges {
        return None;
    }
    let word = |at: usize| word_in(tokens, at, clause.end);
    let amount = |at: usize| {
        is_number(word(at))
            || matches!(word(at), "once" | "twice")
            || (word(at) == "a" && matches!(word(at + 1), "few" | "couple" | "single" | "dozen"))
    };
    let mut found = Vec::new();
    for at in clause.clone() {
        let (end, with) = match (word(at), word(at + 1), word(at + 2)) {
            ("at", "most", _) => (at + 2, "more than"),
            ("at", "least", _) => (at + 2, "fewer than"),
            ("no", "more", "than") => (at + 3, "more than"),
            ("no", "fewer" | "less", "than") => (at + 3, "fewer than"),
            ("no", longer, "than") if longer.ends_with("er") => {
                let range = tokens[at].range.start..tokens[at + 1].range.start;
                return Some(Ok(vec![Patch::new(range, "")]));
            }
            ("up", "to", _) if amount(at + 2) => (at + 2, "more than"),
            ("a", "maximum", "of") => (at + 3, "more than"),
            ("a", "minimum", "of") => (at + 3, "fewer than"),
            _ => continue,
        };
        found.push((at, end, with));
    }
    let [(at, end, with)] = found.as_slice() else {
        let at = found.first()?.0;
        return Some(Err(Refusal::new(RefusalReason::Threshold, word(at))));
    };
    let said: Vec<&str> = (*at..*end).map(word).collect();
    let limits = clause.clone().any(|at| matches!(word(at), "unless" | "until" | "never" | "not" | "don't" | "only"));
    // "Keep it short: at most 80 words" says it in two ways.
    let side =
        (clause.start + 1..*at).any(|at| Lexicon::get().is_subordinator(word(at)) || tokens[at].is_sign(&[':', '-']));
    if !amount(*end) || limits || side || second_command(tokens, clause, *end) {
        return Some(Err(Refusal::new(RefusalReason::Threshold, said.join(" "))));
    }
    // Fewer than one is none.
    let none = matches!(word(*end), "1" | "one" | "a") && *with == "fewer than";
    // Time and money are not counted: "less than 24 hours".
    let mass = |word: &str| {
        matches!(
            word.trim_end_matches('s'),
            "second" | "minute" | "hour" | "day" | "week" | "month" | "year" | "percent" | "dollar" | "euro"
        )
    };
    let sign = |word: &str| word.starts_with(['$', '€', '£']) || word.ends_with('%');
    let with = &if *with == "fewer than" && (mass(word(end + 1)) || sign(word(*end))) { "less than" } else { *with };
    let with = if none { "no" } else { with };
    let range = tokens[*at].range.start..tokens[if none { *end } else { end - 1 }].range.end;
    Some(Ok(vec![Patch::new(range, like(&text[tokens[*at].range.clone()], with))]))
}

/// "Ask at most twice and close the ticket" has a command that the amount does not reach.
fn second_command(tokens: &[Token], clause: &Clause, from: usize) -> bool {
    (from..clause.end).any(|at| {
        let joins = tokens[at].kind == Kind::Word && matches!(tokens[at].word.as_str(), "and" | "or" | "then");
        joins && super::sentence::is_command_verb(&tokens[..clause.end], at + 1)
    })
}
