//! The files that a program is made of: an edited module is another agent.

use std::path::Path;

use globset::GlobBuilder;
use serde_json::Value;
use walkdir::WalkDir;

use crate::source::{Diagnostics, Node, Place};

/// One of `watch:`, as it was written.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pattern: String,
    place: Place,
}

impl Watched {
    /// One name or glob, or a list of them.
    pub(super) fn read(node: &Node, diagnostics: &mut Diagnostics) -> Vec<Watched> {
        let items = node.sequence().unwrap_or(std::slice::from_ref(node));
        let mut watched = vec![];
        for item in items {
            match item.text().map(str::trim) {
                Some(text) if !text.is_empty() => {
                    watched.push(Watched { pattern: text.to_owned(), place: item.place.clone() });
                }
                seen => {
                    let seen = seen.map_or(item.describe(), |_| "empty");
                    diagnostics.error(&item.place, format!("`watch` lists files or globs, but this is {seen}"));
                }
            }
        }
        watched
    }

    pub(super) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// See [`watched_digest`].
    pub(super) fn digest(&self, root: &Path) -> Result<String, (String, &'static str)> {
        watched_digest(&self.pattern, root)
    }

    /// Where it stands.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }
}

/// A digest of the names and contents of all files that the pattern stands for.
///
/// # Errors
/// What is wrong with the pattern, and what to do: it is absolute, no glob, names a folder or nothing, or a file of
/// it can't be read.
pub(in crate::agents) fn watched_digest(pattern: &str, root: &Path) -> Result<String, (String, &'static str)> {
    const FROM_HERE: &str = "names start at the folder of mutate.yaml; `*` stays in one folder, `**/` goes into all";
    if Path::new(pattern).is_absolute() || pattern.starts_with('~') {
        return Err((format!("`{pattern}` is not relative to the suite's folder"), FROM_HERE));
    }
    let unreadable = |name: &str, error: &dyn std::fmt::Display| {
        (format!("the watched file `{name}` can't be read: {error}"), "make it readable, or leave it out of `watch`")
    };
    let mut names = vec![];
    if let Some(wild) = pattern.find(['*', '?', '[', '{']) {
        // What stands before the first wildcard may lead out of the suite: an agent's code often lies beside it.
        let (base, glob) = pattern[..wild].rfind('/').map_or(("", pattern), |at| pattern.split_at(at + 1));
        let glob = GlobBuilder::new(glob)
            .literal_separator(true)
            .build()
            .map_err(|error| (format!("`{pattern}` is not a valid glob: {}", error.kind()), FROM_HERE))?
            .compile_matcher();
        let start = root.join(base);
        let hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
        let entries = WalkDir::new(&start).sort_by_file_name().into_iter();
        for entry in entries.filter_entry(|entry| entry.depth() == 0 || !hidden(entry.file_name())) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if error.depth() == 0 => break,
                Err(error) => return Err(unreadable(pattern, &error)),
            };
            let Ok(name) = entry.path().strip_prefix(&start) else { continue };
            if entry.path().is_file() && glob.is_match(name) {
                names.push(format!("{base}{}", name.to_string_lossy().replace('\\', "/")));
            }
        }
    } else if root.join(pattern).is_dir() {
        return Err((
            format!("`{pattern}` is a folder, not a file"),
            "name the files in it with a glob, such as `src/**/*.py`",
        ));
    } else if root.join(pattern).exists() {
        names.push(pattern.to_owned());
    }
    if names.is_empty() {
        return Err((format!("no file to watch matches `{pattern}`"), FROM_HERE));
    }
    let mut digest = blake3::Hasher::new();
    for name in names {
        let file = std::fs::File::open(root.join(&name)).map_err(|error| unreadable(&name, &error))?;
        let mut content = blake3::Hasher::new();
        content.update_reader(file).map_err(|error| unreadable(&name, &error))?;
        digest.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        digest.update(content.finalize().as_bytes());
    }
    Ok(digest.finalize().to_hex().to_string())
}

/// A larger file is not read for its digest.
const LARGEST_DIGESTED: u64 = 4 * 1024 * 1024;

/// Digests of the suite's own files that the words of a command line name.
pub(in crate::agents) fn named_files<'w>(words: impl Iterator<Item = &'w str>, root: &Path) -> Value {
    let mut digests = serde_json::Map::new();
    for word in words {
        let path = root.join(word);
        let small = path.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST_DIGESTED);
        if small
            && Path::new(word).is_relative()
            && let Ok(bytes) = std::fs::read(&path)
        {
            digests.insert(word.to_owned(), blake3::hash(&bytes).to_hex().as_str().into());
        }
    }
    Value::Object(digests)
}
