use unicode_normalization::UnicodeNormalization;

/// A text as the script compares it: line wraps, list markers' blanks, letter case, quotation marks and emphasis don't
/// count.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.nfkc().flat_map(char::to_lowercase) {
        let c = match c {
            '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{2032}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2033}' => '"',
            '\u{2010}'..='\u{2015}' => '-',
            '*' | '`' | '\u{ad}' | '\u{200b}' | '\u{feff}' => continue,
            c if c.is_whitespace() => {
                blank = true;
                continue;
            }
            c => c,
        };
        if blank && !folded.is_empty() {
            folded.push(' ');
        }
        blank = false;
        folded.push(c);
    }
    folded
}

/// Whether `needle` stands in `text` with no letter or digit right before or after it. Both are folded.
pub(super) fn stands_in(text: &str, needle: &str) -> bool {
    text.match_indices(needle).any(|(at, found)| {
        let joins = |inner: Option<char>, outer: Option<char>| {
            inner.is_some_and(char::is_alphanumeric) && outer.is_some_and(char::is_alphanumeric)
        };
        let end = at + found.len();
        !joins(needle.chars().next(), text[..at].chars().next_back())
            && !joins(needle.chars().next_back(), text[end..].chars().next())
    })
}
