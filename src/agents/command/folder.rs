use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;
use walkdir::WalkDir;

use crate::agents::InstructionFile;

/// The files of one set of instructions, on disk, as long as this lives.
pub(super) struct Folder {
    folder: TempDir,
    variables: Vec<(String, PathBuf)>,
    /// Each file with what tells that it was written since.
    written: Vec<(PathBuf, Option<Stamp>)>,
    /// Everything that belongs into the folder, folders too.
    own: HashSet<PathBuf>,
}

/// What a program did to the folder: later trials would see other instructions than theirs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Spoilt {
    /// The file, as the suite names it.
    Changed(PathBuf),
    Removed(PathBuf),
    Added(PathBuf),
}

/// The end of "the program …", with what to do.
impl fmt::Display for Spoilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (did, file) = match self {
            Spoilt::Changed(file) => ("changed the instruction file", file),
            Spoilt::Removed(file) => ("removed the instruction file", file),
            Spoilt::Added(file) => {
                return write!(
                    f,
                    "left `{}` in the folder of its instructions, which other trials read too: let it write elsewhere \
                     (`cwd: temp` runs it in an empty folder)",
                    file.display()
                );
            }
        };
        write!(f, "{did} `{}`, which other trials read too: let it work on a copy", file.display())
    }
}

/// Length and time of change.
type Stamp = (u64, SystemTime);

fn stamp(path: &Path) -> Option<Stamp> {
    let about = path.metadata().ok()?;
    Some((about.len(), about.modified().ok()?))
}

impl Folder {
    /// Writes the files, read-only, under the same relative paths.
    pub(super) fn write(files: &[InstructionFile]) -> io::Result<Folder> {
        let folder = tempfile::Builder::new().prefix("mutate-instructions-").tempdir()?;
        let mut variables = vec![];
        let mut written = vec![];
        for (at, file) in files.iter().enumerate() {
            let path = folder.path().join(inside(&file.path));
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&path, &file.bytes)?;
            let mut permissions = std::fs::metadata(&path)?.permissions();
            permissions.set_readonly(true);
            std::fs::set_permissions(&path, permissions)?;
            written.push((path.clone(), stamp(&path)));
            if at == 0 {
                variables.push(("MUTATE_INSTRUCTIONS".to_owned(), path.clone()));
            }
            variables.push((format!("MUTATE_INSTRUCTIONS_{}", at + 1), path.clone()));
            variables.push((variable(&file.path), path));
        }
        let own = entries(folder.path()).collect();
        Ok(Folder { folder, variables, written, own })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What a program did to the files, if it did anything. The read-only mark stops only programs without the rights of
    /// an administrator, and nothing stops new files.
    ///
    /// Time and length of every file, and one look into every folder: microseconds, beside the start of a program.
    pub(super) fn spoilt(&self) -> Option<Spoilt> {
        let named = |path: &Path| path.strip_prefix(self.path()).unwrap_or(path).to_owned();
        let touched = self.written.iter().find_map(|(path, before)| match stamp(path) {
            now if now == *before => None,
            Some(_) => Some(Spoilt::Changed(named(path))),
            None => Some(Spoilt::Removed(named(path))),
        });
        touched.or_else(|| {
            let added = entries(self.path()).find(|path| !self.own.contains(path))?;
            Some(Spoilt::Added(named(&added)))
        })
    }

    /// The variables that name the files.
    pub(super) fn variables(&self) -> &[(String, PathBuf)] {
        &self.variables
    }
}

/// Everything below a folder.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    WalkDir::new(folder).min_depth(1).into_iter().filter_map(|entry| Some(entry.ok()?.into_path()))
}

/// The same path, unable to leave the folder that it is joined to.
fn inside(path: &Path) -> PathBuf {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(PathBuf::from(name)),
            Component::ParentDir => Some(PathBuf::from("_up")),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
        })
        .collect()
}

/// `prompts/support.md` is told in `MUTATE_FILE_PROMPTS_SUPPORT_MD`: upper case, `_` for everything but letters and
/// digits of ASCII.
fn variable(path: &Path) -> String {
    let name = path.to_string_lossy().to_ascii_uppercase();
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("MUTATE_FILE_{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_can_not_leave_the_folder() {
        assert_eq!(inside(Path::new("../../etc/./passwd")), Path::new("_up/_up/etc/passwd"));
        assert_eq!(inside(Path::new("/etc/passwd")), Path::new("etc/passwd"));
    }

    #[test]
    fn a_file_has_a_variable_made_from_its_name() {
        assert_eq!(variable(Path::new("prompts/über-support.md")), "MUTATE_FILE_PROMPTS__BER_SUPPORT_MD");
    }
}
