//! `<case>.variants.yaml`: variants of a case's input that people have read, kept or refused.
//!
//! Reading and writing stand side by side, so that what is written loads. A file is only ever added to: what somebody
//! decided, and every comment, stays.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Case;
use super::files::Folder;
use crate::mutators::input::{Kind, Variant};
use crate::source::{Diagnostic, Diagnostics, Fields, Node, Place, nearest_name, parse_documents};

/// The end of the name of such a file.
pub const VARIANTS_SUFFIX: &str = ".variants.yaml";

/// One file of reviewed variants.
#[derive(Debug, Clone)]
pub struct Reviewed {
    /// The case's id.
    pub case: String,
    /// The case's input when the file was written.
    pub input: String,
    pub variants: Vec<ReviewedVariant>,
    /// Relative to the suite's root, with forward slashes.
    pub file: String,
    /// Of `input`.
    pub place: Place,
}

/// One entry.
#[derive(Debug, Clone)]
pub struct ReviewedVariant {
    pub text: String,
    /// The mutator that made it; `None` where a person wrote it.
    pub mutator: Option<String>,
    pub kind: Kind,
    /// The seed that it was made with.
    pub seed: Option<u64>,
    /// False where it must never be used.
    pub keep: bool,
    pub place: Place,
}

/// All reviewed variants beside the files of these cases, by case id.
pub(super) fn load(folder: &Folder, cases: &[Case], diagnostics: &mut Diagnostics) -> BTreeMap<String, Reviewed> {
    let mut folders: Vec<String> = cases.iter().map(|case| folder_of(&file_of(case))).collect();
    folders.sort();
    folders.dedup();
    let mut reviewed: BTreeMap<String, Reviewed> = BTreeMap::new();
    for name in folders.iter().flat_map(|name| names(folder, name)) {
        let Some(file) = folder.text(&name, None, diagnostics) else { continue };
        for node in parse_documents(&file, diagnostics).iter().filter(|node| !node.is_null()) {
            let Some(one) = decode(node, &name, diagnostics) else { continue };
            if !cases.iter().any(|case| case.id == one.case) {
                let warning = diagnostics
                    .warning(&node.place, format!("these are variants of `{}`, but no case has this id", one.case));
                let known = cases.iter().map(|case| case.id.as_str());
                warning.help.push(match nearest_name(&one.case, known) {
                    Some(near) => format!("did you mean `{near}`? if the case is gone, delete the file"),
                    None => "if the case is gone, delete the file".to_owned(),
                });
                continue;
            }
            if let Some(first) = reviewed.get(&one.case) {
                let error = diagnostics.error(&one.place, format!("`{}` has two files of variants", one.case));
                error.related.push((first.place.clone(), "the other one".to_owned()));
                error.help.push("put them into one".to_owned());
                continue;
            }
            reviewed.insert(one.case.clone(), one);
        }
    }
    reviewed
}

/// The name of the file for a case that has none yet, beside the case's own, relative to the root.
pub fn reviewed_name(case: &Case) -> String {
    // What is not safe in a file's name on every system becomes `_`, and a hash keeps two such ids apart.
    let safe: String =
        case.id.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    let mark = match safe == case.id {
        true => String::new(),
        false => format!("-{}", &blake3::hash(case.id.as_bytes()).to_hex()[..6]),
    };
    let folder = folder_of(&file_of(case));
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}{safe}{mark}{VARIANTS_SUFFIX}")
}

/// The head of a new file.
pub fn head(case: &Case) -> String {
    format!(
        "# Variants of `{id}`, written by `mutate inputs --save`. Read them: would a customer write this, and is it still\n\
         # the same request? Set `keep: false` where not; such a text is never used again. Add your own as `- text: \"…\"`.\n\
         case: {quoted}\n\
         input: {input}\n\
         variants:\n",
        id = case.id,
        quoted = scalar(&case.id),
        input = scalar(&case.input)
    )
}

/// One entry, to be added at a file's end.
pub fn entry(variant: &Variant, seed: u64) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "- text: {}", scalar(&variant.text));
    let _ = writeln!(out, "  mutator: {}", variant.mutator);
    let _ = writeln!(out, "  kind: {}", variant.kind.name());
    let _ = writeln!(out, "  seed: {seed}");
    let _ = writeln!(out, "  keep: true");
    out
}

/// In double quotes, with escapes for what a reader would not see.
pub(super) fn scalar(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{a0}'
            | '\u{ad}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn file_of(case: &Case) -> String {
    case.place.file.name.to_string_lossy().replace('\\', "/")
}

fn folder_of(name: &str) -> String {
    name.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

/// The files of variants in one folder, sorted.
fn names(folder: &Folder, within: &str) -> Vec<String> {
    let Ok(listing) = std::fs::read_dir(folder.root.join(within)) else { return vec![] };
    let mut names: Vec<String> = listing
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.ends_with(VARIANTS_SUFFIX))
        .map(|name| if within.is_empty() { name } else { format!("{within}/{name}") })
        .collect();
    names.sort();
    names
}

fn decode(node: &Node, file: &str, diagnostics: &mut Diagnostics) -> Option<Reviewed> {
    let mut fields = Fields::of("a file of variants", node, diagnostics)?;
    let case = fields.required("case", diagnostics);
    let input = fields.required("input", diagnostics);
    let mut variants: Vec<ReviewedVariant> = vec![];
    if let Some(list) = fields.take("variants") {
        match list.sequence() {
            _ if list.is_null() => {}
            None => {
                diagnostics.error(&list.place, format!("`variants` must be a list, but this is {}", list.describe()));
            }
            Some(items) => {
                for item in items {
                    let Some(one) = variant(item, diagnostics) else { continue };
                    if let Some(first) = variants.iter().find(|first| first.text == one.text) {
                        let place = first.place.clone();
                        let error = diagnostics.error(&one.place, "this text stands here twice");
                        error.related.push((place, "first here".to_owned()));
                        continue;
                    }
                    variants.push(one);
                }
            }
        }
    }
    fields.finish(diagnostics);
    let text = |node: &Node, key: &str, diagnostics: &mut Diagnostics| match node.text() {
        Some(text) => Some(text.to_owned()),
        None => {
            diagnostics.error(&node.place, format!("`{key}` must be text, but this is {}", node.describe()));
            None
        }
    };
    let (case, place) = (text(case?, "case", diagnostics)?, input?.place.clone());
    let input = text(input?, "input", diagnostics)?;
    Some(Reviewed { case, input, variants, file: file.to_owned(), place })
}

fn variant(node: &Node, diagnostics: &mut Diagnostics) -> Option<ReviewedVariant> {
    let mut fields = Fields::of("a variant", node, diagnostics)?;
    let text = fields.required("text", diagnostics);
    let mutator = fields.text("mutator", diagnostics);
    let kind = fields.choice("kind", &Kind::NAMES, diagnostics).and_then(Kind::from_name);
    let seed = fields.whole("seed", 0, diagnostics);
    let keep = fields.boolean("keep", diagnostics).unwrap_or(true);
    fields.finish(diagnostics);
    let node = text?;
    let Some(text) = node.text().filter(|text| !text.trim().is_empty()) else {
        let seen = if node.text().is_some() { "empty" } else { node.describe() };
        diagnostics.push(Diagnostic::error(format!("`text` must be a phrasing, but this is {seen}")).at(&node.place));
        return None;
    };
    Some(ReviewedVariant {
        text: text.to_owned(),
        mutator,
        kind: kind.unwrap_or(Kind::Written),
        seed,
        keep,
        place: node.place.clone(),
    })
}
