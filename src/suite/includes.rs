//! Follows the includes of instruction files inside the suite's folder, and never out of it.

use std::path::Path;
use std::sync::Arc;

use super::InstructionSource;
use super::files::Folder;
use crate::instructions::{Document, Include, includes};
use crate::source::{Diagnostics, Place, SourceFile};

/// What one file includes.
struct Edge {
    from: usize,
    to: usize,
    place: Place,
}

/// Adds every file that an instruction file includes, and those that these include, behind the listed ones. An include
/// that leads out of the folder or to nothing is a warning; a circle of files is an error at the include that closes it.
pub(super) fn follow(
    folder: &Folder,
    sources: &mut Vec<InstructionSource>,
    names: &mut Vec<String>,
    diagnostics: &mut Diagnostics,
) {
    let mut edges: Vec<Edge> = vec![];
    let mut from = 0;
    while from < sources.len() {
        let path = sources[from].path.clone();
        // What can't be read as text is said where the documents are made.
        if let Ok(document) = Document::from_bytes(path.clone(), sources[from].bytes.clone()) {
            let file = SourceFile::inside(&folder.root, &path, document.text());
            for include in includes(document.text()) {
                let place = Place { file: Arc::clone(&file), span: include.range.clone() };
                let Some(name) = found(folder, &path, &include, &place, diagnostics) else { continue };
                let known = sources.iter().position(|source| source.path == Path::new(&name));
                let to = match known {
                    Some(to) => to,
                    None => {
                        let Some(bytes) = folder.bytes(&name, Some(&place), diagnostics) else { continue };
                        names.push(name.clone());
                        sources.push(InstructionSource { path: name.into(), bytes, place: Some(place.clone()) });
                        sources.len() - 1
                    }
                };
                edges.push(Edge { from, to, place });
            }
        }
        from += 1;
    }
    circles(sources, &edges, diagnostics);
}

/// The file that an include means; `None`, with a warning where it is surely meant as one, for what is not in the folder.
fn found(
    folder: &Folder,
    includer: &Path,
    include: &Include,
    place: &Place,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let names = include.names(includer);
    let there = names.iter().find(|name| folder.root.join(name).is_file());
    if let Some(name) = there
        && folder.holds(name)
    {
        return Some(name.clone());
    }
    let target = &include.target;
    let looks_like_a_file = Path::new(target).extension().is_some_and(|extension| {
        ["md", "mdc", "txt", "j2", "jinja", "yaml", "yml", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    });
    if !include.template && !looks_like_a_file {
        return None;
    }
    let (message, help) = if there.is_some() || names.is_empty() {
        (
            "lies outside the suite's folder and is not followed",
            "copy the file into the suite, or its rules can't be found or changed",
        )
    } else {
        (
            "is not there and is not followed",
            "names start at the including file's folder; what the file says can't be found or changed",
        )
    };
    diagnostics.warning(place, format!("the included file `{target}` {message}")).help.push(help.to_owned());
    None
}

fn circles(sources: &[InstructionSource], edges: &[Edge], diagnostics: &mut Diagnostics) {
    // Each file once: 0 not seen, 1 on the way, 2 done.
    let mut state = vec![0u8; sources.len()];
    for start in 0..sources.len() {
        visit(start, sources, edges, &mut state, &mut vec![], diagnostics);
    }
}

fn visit(
    at: usize,
    sources: &[InstructionSource],
    edges: &[Edge],
    state: &mut [u8],
    way: &mut Vec<usize>,
    diagnostics: &mut Diagnostics,
) {
    if state[at] != 0 {
        return;
    }
    state[at] = 1;
    way.push(at);
    for edge in edges.iter().filter(|edge| edge.from == at) {
        if state[edge.to] == 1 {
            let first = way.iter().position(|one| *one == edge.to).unwrap_or(0);
            let circle: Vec<String> = way[first..]
                .iter()
                .chain([&edge.to])
                .map(|one| format!("`{}`", sources[*one].path.display()))
                .collect();
            let error = diagnostics.error(&edge.place, "this include closes a circle");
            error.help.push(format!("{}: take one of these includes out", circle.join(" includes ")));
        } else {
            visit(edge.to, sources, edges, state, way, diagnostics);
        }
    }
    way.pop();
    state[at] = 2;
}
