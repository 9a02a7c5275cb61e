//! Cells of a Markdown table: where they stand in a row, and how a text is written in one.

use std::ops::Range;

/// The trimmed cells of a table row.
pub(in crate::instructions) fn cells(text: &str, row: Range<usize>) -> Vec<Range<usize>> {
    let content = &text[row.clone()];
    let mut edges = Vec::new();
    let mut escaped = false;
    for (at, c) in content.char_indices() {
        match c {
            '\\' => escaped = !escaped,
            '|' if !escaped => edges.push(at),
            _ => escaped = false,
        }
    }
    let mut starts = vec![0];
    starts.extend(edges.iter().map(|edge| edge + 1));
    edges.push(content.len());
    starts
        .into_iter()
        .zip(edges)
        .enumerate()
        .filter(|(index, (start, end))| {
            // The blanks before a leading and after a trailing bar are no cells.
            let outside = *index == 0 || *end == content.len();
            !(outside && content[*start..*end].trim().is_empty())
        })
        .map(|(_, (start, end))| {
            let cell = &content[start..end];
            let leading = cell.len() - cell.trim_start().len();
            let from = row.start + start + leading;
            from..from + cell.trim().len()
        })
        .collect()
}

/// A text in one line, with a backslash before each bar that has none.
pub(in crate::instructions) fn escaped(line: &str) -> String {
    let mut written = String::new();
    let mut escaped = false;
    for c in line.chars() {
        match c {
            '|' if !escaped => written.push_str("\\|"),
            '\n' | '\r' => written.push(' '),
            _ => written.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_in_a_cell_gets_one_backslash() {
        assert_eq!(escaped(r"a | b \| c \\| d"), r"a \| b \| c \\\| d");
    }
}
