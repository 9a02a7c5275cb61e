//! Text that came from an agent or a file, made harmless in each format.

/// For a terminal: control bytes and invisible direction marks are shown as symbols, line breaks as `⏎`.
pub fn terminal(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' => '⏎',
            '\t' => ' ',
            c if is_hidden(c) => '\u{fffd}',
            c => c,
        })
        .filter(|c| *c != '\r')
        .collect()
}

/// The same, but line breaks stay.
pub fn terminal_lines(text: &str) -> String {
    text.lines().map(terminal).collect::<Vec<_>>().join("\n")
}

/// A short text for a terminal as it is, ended by a line break.
pub fn plain(text: &str) -> String {
    format!("{}\n", terminal_lines(text))
}

/// A text for the end of a terminal's line.
pub fn short(text: &str) -> String {
    shorten(&terminal(text), 70)
}

/// For a Markdown table's cell or a line of prose.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '|' | '[' | ']' | '#' | '~' | '!' | '@' => {
                out.push('\\');
                out.push(c);
            }
            c if is_hidden(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Control characters, and marks that reorder or hide text.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// At most `width` characters, with `…` where something was left out.
pub fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_bytes_do_not_reach_the_terminal() {
        assert_eq!(terminal("a\u{1b}[31mred\u{7}\u{202e}b\nc"), "a\u{fffd}[31mred\u{fffd}\u{fffd}b⏎c");
    }

    #[test]
    fn markdown_shows_markup_instead_of_obeying_it() {
        assert_eq!(markdown("<b>|x|</b> @team"), "&lt;b&gt;\\|x\\|&lt;/b&gt; \\@team");
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shorten("äöüß", 4), "äöüß");
        assert_eq!(shorten("äöüßx", 4), "äöü…");
    }
}
