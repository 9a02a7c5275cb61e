//! Finds a suite, reads all of it, and reports every mistake in one go.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::case::Case;
use super::config::Config;
use super::decode_case::Decoder;
use super::decode_config::{self, Named};
use super::draft::DRAFT_SUFFIX;
use super::expect::ParseMatcher;
use super::files::{Folder, Found, clean};
use super::{InstructionSource, Loaded, Suite, includes, reviewed};
use crate::source::{
    Diagnostic, Diagnostics, Node, Place, Secrets, SourceFile, nearest_name, parse_documents, parse_json,
    parse_json_lines,
};

/// The name of a suite's configuration.
pub const CONFIG_NAME: &str = "mutate.yaml";

/// Where cases are looked for when `mutate.yaml` does not say.
pub const DEFAULT_CASES: &str = "cases/**/*.{yaml,yml,json,jsonl}";

pub(super) fn load_with(
    start: &Path,
    environment: &dyn Fn(&str) -> Option<String>,
    parse_matcher: ParseMatcher<'_>,
) -> Loaded {
    load_some(start, environment, parse_matcher, true)
}

/// `needs_cases` is false where a suite without a case is no mistake.
pub(super) fn load_some(
    start: &Path,
    environment: &dyn Fn(&str) -> Option<String>,
    parse_matcher: ParseMatcher<'_>,
    needs_cases: bool,
) -> Loaded {
    let mut diagnostics = Diagnostics::default();
    let config_path = match find_config(start) {
        Ok(path) => path,
        Err(error) => {
            diagnostics.push(*error);
            return Loaded { suite: None, diagnostics };
        }
    };
    let root = config_path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let config_name = config_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = Folder::new(root.clone());
    let mut secrets = vec![];

    let node = config_node(&folder, &config_name, &mut diagnostics);
    let readable = node.is_some();
    let (config, named) = match &node {
        Some(node) => decode_config::decode(node, environment, &mut secrets, &mut diagnostics),
        None => (Config::default(), Named::default()),
    };
    let (instructions, instruction_names) = instructions(&folder, &named, &mut diagnostics);
    for (name, place) in &named.mutators {
        folder.expect(name, place, &mut diagnostics);
    }
    let known = readable.then_some(instruction_names);
    let mut decoder = Decoder::new(parse_matcher, known);
    let place = node.as_ref().map(|node| Place { file: Arc::clone(&node.place.file), span: 0..0 });
    let (names, drafts) = case_files(&folder, &config_name, place.as_ref(), &named, needs_cases, &mut diagnostics);
    if needs_cases && let Some(first) = drafts.first() {
        let message = match drafts.len() {
            1 => format!("the draft `{}` is not read as a case", first.display()),
            many => format!("{many} drafts are not read as cases, `{}` first", first.display()),
        };
        let help = "write its `input` and `expect`, then take `.draft` out of its name";
        diagnostics.push(Diagnostic::note(message).help(help));
    }
    let cases = cases(&folder, names, &mut decoder, &mut diagnostics);
    decoder.finish(&mut diagnostics);
    let reviewed = reviewed::load(&folder, &cases, &mut diagnostics);

    diagnostics.redact(&Secrets::new(secrets));
    let suite = (diagnostics.errors() == 0).then_some(Suite { root, config, cases, instructions, reviewed, drafts });
    Loaded { suite, diagnostics }
}

/// The configuration that `start` names, stands in or stands below.
pub(super) fn find_config(start: &Path) -> Result<PathBuf, Box<Diagnostic>> {
    let shown = start.display();
    let start = std::path::absolute(start)
        .map_err(|error| Diagnostic::error(format!("the folder `{shown}` can't be found: {error}")))?;
    if start.is_file() {
        return Ok(start);
    }
    if !start.is_dir() {
        return Err(Box::new(Diagnostic::error(format!("there is no folder or file `{shown}`"))));
    }
    if let Some(found) = start.ancestors().map(|folder| folder.join(CONFIG_NAME)).find(|path| path.is_file()) {
        return Ok(found);
    }
    let error = Diagnostic::error(format!("no {CONFIG_NAME} in `{shown}` or in a folder above it"));
    Err(Box::new(if start.join("mutate.yml").is_file() {
        error.help(format!("there is a mutate.yml: rename it to {CONFIG_NAME}"))
    } else {
        error.help("`mutate init` writes one; `--suite DIR` names another folder")
    }))
}

fn config_node(folder: &Folder, name: &str, diagnostics: &mut Diagnostics) -> Option<Node> {
    let file = folder.text(name, None, diagnostics)?;
    let errors = diagnostics.errors();
    let mut documents = parse_documents(&file, diagnostics);
    documents.retain(|node| !node.is_null());
    if let Some(second) = documents.get(1) {
        diagnostics.error(&second.place, format!("{name} must be one document, but a second one starts here"));
    }
    if documents.is_empty() && diagnostics.errors() == errors {
        let error = diagnostics.error(&Place { file, span: 0..0 }, format!("{name} is empty"));
        error.help.push("`mutate init` writes a commented one".to_owned());
    }
    documents.into_iter().next()
}

/// The instruction files, and the names of all that were listed, readable or not.
fn instructions(
    folder: &Folder,
    named: &Named,
    diagnostics: &mut Diagnostics,
) -> (Vec<InstructionSource>, Vec<String>) {
    let mut sources: Vec<InstructionSource> = vec![];
    let mut names: Vec<String> = vec![];
    let mut literal: Vec<(String, &Place)> = vec![];
    for (pattern, place) in &named.instructions {
        let name = clean(pattern);
        if let Some((_, first)) = literal.iter().find(|(known, _)| *known == name) {
            let error = diagnostics.error(place, format!("`{name}` is listed twice"));
            error.label = "again here".to_owned();
            error.related.push(((*first).clone(), "first here".to_owned()));
            continue;
        }
        literal.push((name.clone(), place));
        let found = folder.find("instruction file", pattern, place, diagnostics);
        if found.is_empty() && !names.contains(&name) {
            names.push(name);
        }
        for file in found {
            if names.contains(&file.name) {
                continue;
            }
            names.push(file.name.clone());
            if let Some(bytes) = folder.bytes(&file.name, Some(place), diagnostics) {
                sources.push(InstructionSource { path: file.name.into(), bytes, place: Some(place.clone()) });
            }
        }
    }
    includes::follow(folder, &mut sources, &mut names, diagnostics);
    (sources, names)
}

/// The files that hold cases, each with the place that names it, and the drafts among what the globs match.
fn case_files(
    folder: &Folder,
    config_name: &str,
    config: Option<&Place>,
    named: &Named,
    needs_cases: bool,
    diagnostics: &mut Diagnostics,
) -> (Vec<(String, Option<Place>)>, Vec<PathBuf>) {
    let nowhere = config.cloned().unwrap_or_else(|| Place { file: SourceFile::new(config_name, ""), span: 0..0 });
    let default = vec![(DEFAULT_CASES.to_owned(), nowhere.clone())];
    let mut found = vec![];
    for (pattern, place) in named.cases.as_ref().unwrap_or(&default) {
        // Whether nothing is there is said below, in other words than those of a glob that the user wrote.
        let mut said = Diagnostics::default();
        let files = folder.find("case file", pattern, place, &mut said);
        if named.cases.is_some() && (needs_cases || !files.is_empty()) || !files.is_empty() {
            diagnostics.extend(said);
        }
        let place = named.cases.as_ref().map(|_| place.clone());
        found.extend(files.into_iter().map(|file| (file, place.clone())));
    }
    let mut seen = HashSet::new();
    found.retain(|(file, _)| file.name != config_name && seen.insert(file.name.clone()));
    // A name that the user wrote out is read, whatever its end.
    let is_draft = |file: &Found| !file.literal && file.name.ends_with(DRAFT_SUFFIX);
    let (drafts, files): (Vec<_>, Vec<_>) = found.into_iter().partition(|(file, _)| is_draft(file));
    if files.is_empty() && needs_cases && config.is_some() && (named.cases.is_none() || !drafts.is_empty()) {
        let only = if drafts.is_empty() { "" } else { ", only drafts" };
        let error = diagnostics.error(&nowhere, format!("this suite has no cases{only}"));
        error.help.push(match drafts.first() {
            Some((first, _)) => {
                format!("write `input` and `expect` of a draft, then take `.draft` out of its name: `{}`", first.name)
            }
            None => format!("put them below `cases/`, or say where they are: `cases: {DEFAULT_CASES}`"),
        });
    }
    let names = files.into_iter().map(|(file, place)| (file.name, place)).collect();
    (names, drafts.into_iter().map(|(file, _)| PathBuf::from(file.name)).collect())
}

fn cases(
    folder: &Folder,
    names: Vec<(String, Option<Place>)>,
    decoder: &mut Decoder<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Case> {
    let mut cases = vec![];
    for (name, place) in names {
        let Some(file) = folder.text(&name, place.as_ref(), diagnostics) else { continue };
        for node in case_nodes(&file, diagnostics) {
            cases.extend(decoder.case(&node, diagnostics));
        }
    }
    cases
}

/// The cases of one file: one mapping, a list, `cases: […]`, several documents, JSON, or one JSON object a line.
pub(super) fn case_nodes(file: &Arc<SourceFile>, diagnostics: &mut Diagnostics) -> Vec<Node> {
    let errors = diagnostics.errors();
    let documents = match file.name.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl" | "ndjson") => parse_json_lines(file, diagnostics),
        Some("json") if !file.text.trim().is_empty() => parse_json(file, diagnostics).into_iter().collect(),
        Some("json") => vec![],
        _ => parse_documents(file, diagnostics),
    };
    let mut nodes = vec![];
    for document in documents {
        if !document.is_null() {
            flatten(document, &mut nodes, diagnostics);
        }
    }
    if nodes.is_empty() && diagnostics.errors() == errors {
        let error = diagnostics.error(&Place { file: Arc::clone(file), span: 0..0 }, "this file holds no case");
        error.help.push("write one, or delete the file".to_owned());
    }
    nodes
}

fn flatten(document: Node, nodes: &mut Vec<Node>, diagnostics: &mut Diagnostics) {
    use crate::source::NodeKind;

    let place = document.place.clone();
    match document.kind {
        NodeKind::Sequence(items) => nodes.extend(items),
        NodeKind::Mapping(pairs) if pairs.iter().any(|(key, _)| key.text() == Some("cases")) => {
            for (key, value) in pairs {
                if key.text() != Some("cases") {
                    let name = key.text().unwrap_or_default();
                    let error = diagnostics.error(&key.place, format!("unknown key `{name}` beside `cases`"));
                    error.label = "not a key here".to_owned();
                    error.help.push(match nearest_name(name, ["cases"]) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "a file that lists `cases:` holds nothing else".to_owned(),
                    });
                    continue;
                }
                let described = value.describe();
                match value.kind {
                    NodeKind::Sequence(items) => nodes.extend(items),
                    _ => {
                        diagnostics.error(&value.place, format!("`cases` must be a list, but this is {described}"));
                    }
                }
            }
        }
        kind => nodes.push(Node { kind, place }),
    }
}
