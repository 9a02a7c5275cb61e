//! Finds a suite, reads all of it, and reports every mistake in one go.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::case::Case;
use super::config::Config;
use super::decode_case::Decoder;
use super::decode_config::{self, Named};
use super::expect::ParseMatcher;
use super::files::{Folder, clean};
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
    let cases = cases(&folder, &config_name, node.as_ref(), &named, &mut decoder, &mut diagnostics);
    decoder.finish(&mut diagnostics);
    let reviewed = reviewed::load(&folder, &cases, &mut diagnostics);

    diagnostics.redact(&Secrets::new(secrets));
    let suite = (diagnostics.errors() == 0).then_some(Suite { root, config, cases, instructions, reviewed });
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

fn cases(
    folder: &Folder,
    config_name: &str,
    config: Option<&Node>,
    named: &Named,
    decoder: &mut Decoder<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Case> {
    let mut names: Vec<(String, Option<Place>)> = vec![];
    match &named.cases {
        Some(patterns) => {
            for (pattern, place) in patterns {
                let found = folder.find("case file", pattern, place, diagnostics);
                names.extend(found.into_iter().map(|found| (found.name, Some(place.clone()))));
            }
        }
        None => {
            let nowhere = config.map_or_else(
                || Place { file: SourceFile::new(config_name, ""), span: 0..0 },
                |node| Place { file: Arc::clone(&node.place.file), span: 0..0 },
            );
            // Whether nothing is there is said below, in other words than those of a glob that the user wrote.
            let mut unsaid = Diagnostics::default();
            let found = folder.find("case file", DEFAULT_CASES, &nowhere, &mut unsaid);
            if found.is_empty() && config.is_some() {
                let error = diagnostics.error(&nowhere, "this suite has no cases");
                error.help.push(format!("put them below `cases/`, or say where they are: `cases: {DEFAULT_CASES}`"));
            } else if !found.is_empty() {
                diagnostics.extend(unsaid);
            }
            names.extend(found.into_iter().map(|found| (found.name, None)));
        }
    }
    let mut seen = HashSet::new();
    let mut cases = vec![];
    for (name, place) in names {
        if name == config_name || !seen.insert(name.clone()) {
            continue;
        }
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
