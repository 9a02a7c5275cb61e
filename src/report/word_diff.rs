use anstyle::{AnsiColor, Style};

use super::escape::{shorten, terminal as escape};
use crate::mutators::input::TextEdit;

const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();

/// Signs beside each change that are always shown.
const BESIDE: usize = 40;
/// Signs of a change that are shown.
const CHANGE: usize = 60;

/// Two texts as one, what differs in brackets that tell the sides apart without colours as well:
/// `where is my [-parcel-]{+parcle+}?`. Line breaks are shown as `⏎`, spaces that don't break as `⍽`.
pub fn word_diff(before: &str, after: &str) -> String {
    marked(before, &TextEdit::between(before, after), usize::MAX)
}

/// The same in about `width` signs, with `…` where something is left out; `after` itself where little of `before` stayed.
pub fn short_word_diff(before: &str, after: &str, width: usize) -> String {
    let edits = TextEdit::between(before, after);
    let gone: usize = edits.iter().map(|edit| edit.before.len()).sum();
    if gone * 2 > before.len() {
        return format!("{GREEN}{}{GREEN:#}", shorten(&shown(after), width));
    }
    marked(before, &edits, width)
}

fn marked(before: &str, edits: &[TextEdit], width: usize) -> String {
    let new: usize = edits.iter().map(|edit| edit.after.chars().count() + 8).sum();
    let whole = (before.chars().count() + new) <= width;
    let (mut out, mut at) = (String::new(), 0);
    for (number, edit) in edits.iter().enumerate() {
        out.push_str(&kept(&before[at..edit.start], whole, number > 0, true));
        let change = |text: &str| if whole { shown(text) } else { shorten(&shown(text), CHANGE) };
        // A space that both end with has not changed.
        let (gone, new, space) = match (edit.before.strip_suffix(' '), edit.after.strip_suffix(' ')) {
            (Some(gone), Some(new)) => (gone, new, " "),
            _ => (edit.before.as_str(), edit.after.as_str(), ""),
        };
        if !gone.is_empty() {
            out.push_str(&format!("{RED}[-{}-]{RED:#}", change(gone)));
        }
        if !new.is_empty() {
            out.push_str(&format!("{GREEN}{{+{}+}}{GREEN:#}", change(new)));
        }
        out.push_str(space);
        at = edit.end;
    }
    out.push_str(&kept(&before[at..], whole, true, false));
    out
}

/// What stayed before, between or after changes: the part beside each change, where it is not shown whole.
fn kept(text: &str, whole: bool, after_change: bool, before_change: bool) -> String {
    let signs: Vec<char> = shown(text).chars().collect();
    let (head, tail) = (if after_change { BESIDE } else { 0 }, if before_change { BESIDE } else { 0 });
    if whole || signs.len() <= head + tail + 1 {
        return signs.into_iter().collect();
    }
    let start: String = signs[..head].iter().collect();
    let end: String = signs[signs.len() - tail..].iter().collect();
    format!("{start}…{end}")
}

fn shown(text: &str) -> String {
    escape(text).replace('\u{a0}', "⍽")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn plain(before: &str, after: &str) -> String {
        stripped(&word_diff(before, after))
    }

    #[test]
    fn only_the_words_that_differ_are_in_brackets() {
        assert_eq!(plain("Where is my parcel?", "Where is my parcle?"), "Where is my [-parcel-]{+parcle+}?");
        assert_eq!(plain("I'm here.", "I am here"), "[-I'm-]{+I am+} here[-.-]");
        assert_eq!(plain("my late parcel now", "our lost letter now"), "[-my late parcel-]{+our lost letter+} now");
        assert_eq!(plain("Please send it.", "> Please\nsend\u{a0}it."), "{+> +}Please[- -]{+⏎+}send[- -]{+⍽+}it.");
    }

    #[test]
    fn control_bytes_of_a_text_are_shown_and_not_obeyed() {
        assert_eq!(plain("a \u{1b}[31mb", "a \u{200b}b"), "a [-\u{fffd}[31mb-]{+\u{fffd}b+}");
    }

    #[test]
    fn a_long_text_is_shown_beside_its_changes() {
        let long = format!("{} tent {}", "one two three ".repeat(20), "four five six ".repeat(20));
        let seen = stripped(&short_word_diff(&long, &long.replace("tent", "tnet"), 150));
        assert!(seen.contains(" [-tent-]{+tnet+} four five six"), "{seen}");
        assert!(seen.starts_with('…') && seen.ends_with('…') && seen.chars().count() < 150, "{seen}");
    }

    #[test]
    fn where_little_stayed_the_new_text_is_shown() {
        assert_eq!(stripped(&short_word_diff("Send it now.", "SEND IT NOW.", 150)), "SEND IT NOW.");
        assert_eq!(
            stripped(&short_word_diff("Send it now, please.", "send it now, please.", 150)),
            "[-Send-]{+send+} it now, please."
        );
    }
}
