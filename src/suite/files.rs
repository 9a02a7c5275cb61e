//! Which files a suite consists of, and their bytes: globs, confinement to the suite's folder, encodings.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::GlobBuilder;
use walkdir::WalkDir;

use crate::source::{Diagnostic, Diagnostics, MAX_FILE_BYTES, Place, SourceFile, nearest_name};

/// The first line of a file that git-lfs has not fetched.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The suite's folder.
pub(super) struct Folder {
    pub root: PathBuf,
    /// With symbolic links followed, to compare with.
    real: PathBuf,
}

/// One file that a pattern named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Relative to the root, with forward slashes.
    pub name: String,
    /// True where the pattern was this file's own name, not a glob.
    pub literal: bool,
}

impl Folder {
    pub(super) fn new(root: PathBuf) -> Folder {
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        Folder { root, real }
    }

    /// An error where no file or folder of this name is there.
    pub(super) fn expect(&self, name: &str, place: &Place, diagnostics: &mut Diagnostics) {
        let name = clean(name);
        if is_outside(&name, place, diagnostics) || self.root.join(&name).is_dir() {
            return;
        }
        self.literal("file or folder", &name, place, diagnostics);
    }

    /// The files that a name or a glob stands for, sorted. None is an error.
    pub(super) fn find(&self, what: &str, pattern: &str, place: &Place, diagnostics: &mut Diagnostics) -> Vec<Found> {
        let pattern = clean(pattern);
        if is_outside(&pattern, place, diagnostics) {
            return vec![];
        }
        if !pattern.contains(['*', '?', '[', '{']) {
            return self.literal(what, &pattern, place, diagnostics).into_iter().collect();
        }
        let glob = match GlobBuilder::new(&pattern).literal_separator(true).build() {
            Ok(glob) => glob.compile_matcher(),
            Err(error) => {
                diagnostics.error(place, format!("`{pattern}` is not a valid glob: {}", error.kind()));
                return vec![];
            }
        };
        let (mut found, mut skipped) = (vec![], 0);
        for name in self.walk(&base(&pattern), place, diagnostics) {
            if !glob.is_match(&name) {
                continue;
            }
            if name.ends_with(super::VARIANTS_SUFFIX) {
                skipped += 1;
            } else if self.is_inside(&name, place, diagnostics) {
                found.push(Found { name, literal: false });
            }
        }
        if found.is_empty() {
            let error = diagnostics.error(place, format!("no {what} matches `{pattern}`"));
            error.help.push(match skipped {
                0 => {
                    "globs start at the folder of mutate.yaml; `*` stays in one folder, `**/` goes into all".to_owned()
                }
                _ => "files named `*.variants.yaml` are not read as cases".to_owned(),
            });
        }
        found
    }

    fn literal(&self, what: &str, name: &str, place: &Place, diagnostics: &mut Diagnostics) -> Option<Found> {
        let path = self.root.join(name);
        match path.metadata() {
            Err(error) => {
                let missing = error.kind() == std::io::ErrorKind::NotFound;
                let reason = if missing { "is not there".to_owned() } else { format!("can't be read: {error}") };
                let error = diagnostics.error(place, format!("the {what} `{name}` {reason}"));
                if let Some(near) = self.nearest_file(name).filter(|_| missing) {
                    error.help.push(format!("did you mean `{near}`?"));
                } else {
                    error.help.push("names start at the folder of mutate.yaml".to_owned());
                }
                None
            }
            Ok(metadata) if metadata.is_dir() => {
                let error = diagnostics.error(place, format!("`{name}` is a folder, not a file"));
                error
                    .help
                    .push(format!("name the files in it with a glob, such as `{}/*.md`", name.trim_end_matches('/')));
                None
            }
            Ok(_) if !self.is_inside(name, place, diagnostics) => None,
            Ok(_) => Some(Found { name: name.to_owned(), literal: true }),
        }
    }

    /// False, with a diagnostic, where a symbolic link leads out of the folder.
    fn is_inside(&self, name: &str, place: &Place, diagnostics: &mut Diagnostics) -> bool {
        let inside = self.holds(name);
        if !inside {
            let error =
                diagnostics.error(place, format!("`{name}` is a symbolic link to a place outside the suite's folder"));
            error.help.push("copy the file into the suite".to_owned());
        }
        inside
    }

    /// Whether a file lies inside the folder, with symbolic links followed.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.root.join(name).canonicalize().is_ok_and(|real| real.starts_with(&self.real))
    }

    /// Every file below a folder, by name, without those that start with a dot.
    fn walk(&self, base: &str, place: &Place, diagnostics: &mut Diagnostics) -> Vec<String> {
        let start = self.root.join(base);
        if !start.is_dir() {
            return vec![];
        }
        let hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
        let entries = WalkDir::new(start)
            .follow_links(true)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !hidden(entry.file_name()));
        let mut names = vec![];
        for entry in entries {
            match entry {
                Ok(entry) if entry.file_type().is_file() => names.extend(self.relative(entry.path())),
                Ok(_) => {}
                // A link to one of its own parents holds nothing new; one to nowhere is no file.
                Err(error) if error.loop_ancestor().is_some() || is_missing(&error) => {}
                Err(error) => {
                    diagnostics.error(place, format!("can't look for files: {error}"));
                }
            }
        }
        names.sort();
        names
    }

    /// Relative to the root with forward slashes; `None` where the name is no Unicode.
    fn relative(&self, path: &Path) -> Option<String> {
        let parts: Option<Vec<&str>> =
            path.strip_prefix(&self.root).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    }

    fn nearest_file(&self, name: &str) -> Option<String> {
        let (folder, _) = name.rsplit_once('/').unwrap_or(("", name));
        let entries = self.root.join(folder).read_dir().ok()?;
        let names: Vec<String> =
            entries.flatten().filter(|entry| entry.path().is_file()).filter_map(|e| self.relative(&e.path())).collect();
        nearest_name(name, names.iter().map(String::as_str)).map(str::to_owned)
    }

    /// The bytes of a file of the suite. `place` is where it is named, if anywhere.
    pub(super) fn bytes(&self, name: &str, place: Option<&Place>, diagnostics: &mut Diagnostics) -> Option<Vec<u8>> {
        let mut refuse = |message: String, help: &str| {
            let mut error = Diagnostic::error(message);
            error.place = place.cloned();
            if !help.is_empty() {
                error = error.help(help);
            }
            diagnostics.push(error);
        };
        let path = self.root.join(name);
        let size = path.metadata().map_or(0, |metadata| metadata.len());
        if size > MAX_FILE_BYTES as u64 {
            refuse(format!("`{name}` has {size} bytes; the limit is {MAX_FILE_BYTES}"), "split it into several files");
            return None;
        }
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                refuse(format!("`{name}` can't be read: {error}"), "");
                return None;
            }
        };
        if bytes.starts_with(LFS_POINTER) {
            refuse(format!("`{name}` is a git-lfs pointer, not the file itself"), "fetch it with `git lfs pull`");
            return None;
        }
        Some(bytes)
    }

    /// The text of a YAML or JSON file, without a byte order mark.
    pub(super) fn text(
        &self,
        name: &str,
        place: Option<&Place>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Arc<SourceFile>> {
        let bytes = self.bytes(name, place, diagnostics)?;
        match String::from_utf8(bytes) {
            Ok(text) => Some(SourceFile::inside(
                &self.root,
                name,
                text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text),
            )),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
                let file = SourceFile::inside(&self.root, name, String::from_utf8_lossy(&bytes).into_owned());
                // Everything before the broken byte is the same in both texts.
                let span = valid..valid + '\u{fffd}'.len_utf8();
                let message = if wide {
                    "this file is UTF-16, but cases and settings are read as UTF-8"
                } else {
                    "this file is not UTF-8"
                };
                let mut diagnostic = Diagnostic::error(message).at(&Place { file, span }).help("save it as UTF-8");
                if !wide {
                    diagnostic = diagnostic.label(format!("byte 0x{:02x}", bytes[valid]));
                }
                diagnostics.push(diagnostic);
                None
            }
        }
    }
}

fn is_missing(error: &walkdir::Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Without `./` at the start.
pub(super) fn clean(name: &str) -> String {
    let mut name = name.trim();
    while let Some(rest) = name.strip_prefix("./") {
        name = rest;
    }
    name.to_owned()
}

fn is_outside(name: &str, place: &Place, diagnostics: &mut Diagnostics) -> bool {
    let leaves = leaves_the_folder(name);
    if leaves {
        let error = diagnostics.error(place, format!("`{name}` lies outside the suite's folder"));
        error.help.push(
            "a suite is one folder, so that its evidence can be checked elsewhere: copy the file into it".to_owned(),
        );
    }
    leaves
}

fn leaves_the_folder(name: &str) -> bool {
    let path = Path::new(name);
    path.is_absolute() || name.starts_with('~') || path.components().any(|part| part == Component::ParentDir)
}

/// The folders of a glob before its first wildcard.
fn base(pattern: &str) -> String {
    let wild = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    pattern[..wild].rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}
