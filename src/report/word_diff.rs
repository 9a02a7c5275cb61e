use anstyle::{AnsiColor, Style};
use similar::utils::TextDiffRemapper;
use similar::{ChangeTag, TextDiff};

use super::escape::terminal as escape;

const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();

/// Two texts as one, what differs in brackets that tell the sides apart without colours as well:
/// `where is my [-parcel-]{+parcle+}?`. Line breaks are shown as `⏎`, spaces that don't break as `⍽`.
pub fn word_diff(before: &str, after: &str) -> String {
    let diff = TextDiff::from_unicode_words(before, after);
    let texts = TextDiffRemapper::from_text_diff(&diff, before, after);
    let mut parts = diff.ops().iter().flat_map(|op| texts.iter_slices(op)).peekable();
    let mut out = String::new();
    let (mut gone, mut new) = (String::new(), String::new());
    while let Some((tag, text)) = parts.next() {
        match tag {
            ChangeTag::Delete => gone.push_str(text),
            ChangeTag::Insert => new.push_str(text),
            // Two changed words with a space between them are one change to a reader.
            ChangeTag::Equal
                if text.trim().is_empty()
                    && !(gone.is_empty() || new.is_empty())
                    && parts.peek().is_some_and(|(next, _)| *next != ChangeTag::Equal) =>
            {
                gone.push_str(text);
                new.push_str(text);
            }
            ChangeTag::Equal => {
                flush(&mut out, &mut gone, &mut new);
                out.push_str(&shown(text));
            }
        }
    }
    flush(&mut out, &mut gone, &mut new);
    out
}

fn shown(text: &str) -> String {
    escape(text).replace('\u{a0}', "⍽")
}

fn flush(out: &mut String, gone: &mut String, new: &mut String) {
    // A space that both end with has not changed.
    let same = gone.ends_with(' ') && new.ends_with(' ') && gone.trim() != new.trim();
    if same {
        gone.pop();
        new.pop();
    }
    if !gone.is_empty() {
        out.push_str(&format!("{RED}[-{}-]{RED:#}", shown(gone)));
    }
    if !new.is_empty() {
        out.push_str(&format!("{GREEN}{{+{}+}}{GREEN:#}", shown(new)));
    }
    if same {
        out.push(' ');
    }
    gone.clear();
    new.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(before: &str, after: &str) -> String {
        anstream::adapter::strip_str(&word_diff(before, after)).to_string()
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
}
