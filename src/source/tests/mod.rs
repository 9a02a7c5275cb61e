mod env;
mod fields;
mod json;
mod places;
mod yaml;

use std::sync::Arc;

use super::*;

fn file(text: &str) -> Arc<SourceFile> {
    SourceFile::new("x.yaml", text)
}

/// The one document of a text without mistakes.
fn node(text: &str) -> Node {
    let mut diagnostics = Diagnostics::default();
    let mut documents = parse_documents(&file(text), &mut diagnostics);
    assert_eq!(diagnostics.render(false), "");
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// `line:column: message` of every diagnostic.
fn said(diagnostics: &Diagnostics) -> Vec<String> {
    diagnostics
        .iter()
        .map(|item| {
            let (line, column) = item.place.as_ref().unwrap().line_column();
            format!("{line}:{column}: {}", item.message)
        })
        .collect()
}

fn yaml_mistakes(text: &str) -> Vec<String> {
    let mut diagnostics = Diagnostics::default();
    parse_documents(&file(text), &mut diagnostics);
    said(&diagnostics)
}
