//! What holds for every edit of every file. The property tests and the fuzz target both ask here.

use std::path::Path;

use mutate::instructions::{Document, Edit, EditError, Edited, Statement, edit, locate, nearest, units};

/// File names by which a text is read as each of its kinds.
pub const NAMES: [&str; 12] =
    ["a.md", "a.txt", "a.json", "a.jsonl", "a.yaml", "a.py", "a.ts", "a.toml", "a.j2", "a.xml", "a.html", "prompt"];

/// Finds, lists, deletes and replaces ranges of a file, and panics with what is broken.
pub fn hold(name: &str, bytes: &[u8], from: usize, to: usize, quote: &str) {
    let Ok(document) = Document::from_bytes(name, bytes.to_vec()) else { return };
    let text = document.text();
    let (from, to) = (text.floor_char_boundary(from.min(text.len())), text.floor_char_boundary(to.min(text.len())));
    let listed = units(&document);
    assert!(listed.is_sorted_by(|a, b| a.range.end <= b.range.start), "units of {text:?} overlap: {listed:?}");
    let near = nearest(&document, quote);
    assert!(near.is_none_or(|near| text.get(near.range.clone()).is_some() && near.likeness <= 1.0));
    let found = locate(&document, quote);
    assert!(found.is_sorted_by(|a, b| a.range.end <= b.range.start), "statements of {text:?} overlap: {found:?}");
    let arbitrary = statement(&document, from.min(to), from.max(to));
    for statements in [found, vec![arbitrary]] {
        for how in [Edit::Delete, Edit::Replace("Say \"x\\y\", 'z' & {{ it }}: *ok* # |`${q}`".to_owned())] {
            match edit(&document, &statements, &how) {
                Ok(edited) => sound(&document, &edited, name),
                Err(EditError::Broken { .. } | EditError::NotText { .. } | EditError::Unwritable { .. }) => {}
                Err(EditError::NoStatement | EditError::OutsideText { .. } | EditError::NothingChanged) => {}
                Err(error) => panic!("{error}: {text:?}"),
            }
        }
    }
}

fn statement(document: &Document, start: usize, end: usize) -> Statement {
    let (line, column) = document.line_column(start);
    Statement { range: start..end, line, column, text: document.text()[start..end].to_owned() }
}

/// The changes make the new text, and what could be parsed still can.
pub fn sound(document: &Document, edited: &Edited, name: &str) {
    let mut rebuilt = document.text().to_owned();
    for change in edited.changes.iter().rev() {
        assert_eq!(&rebuilt[change.before.clone()], change.before_text);
        rebuilt.replace_range(change.before.clone(), &change.after_text);
    }
    assert_eq!(rebuilt, edited.text, "the changes of {:?}", document.text());
    if document.encoding_name() == "UTF-8" {
        assert!(document.encode(&edited.text).is_ok());
    }
    if parses(name, document.text()) {
        assert!(parses(name, &edited.text), "no longer {name}:\n{:?}\n{:?}", document.text(), edited.text);
    }
}

/// Whether another parser than the one that the edits use takes the text for what its name says; false where none is asked.
pub fn parses(name: &str, text: &str) -> bool {
    match Path::new(name).extension().and_then(|extension| extension.to_str()) {
        Some("json") => serde_json::from_str::<serde_json::Value>(text).is_ok(),
        Some("jsonl") => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()),
        Some("yaml") => serde_yaml::from_str::<serde_yaml::Value>(text).is_ok(),
        _ => false,
    }
}
