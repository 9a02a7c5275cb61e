use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use crate::agents::InstructionFile;

/// The files of one set of instructions, on disk, as long as this lives.
pub(super) struct Folder {
    folder: TempDir,
    variables: Vec<(String, PathBuf)>,
    /// Each file with what tells that it was written since.
    written: Vec<(PathBuf, Option<Stamp>)>,
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
        Ok(Folder { folder, variables, written })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The file that a program changed or removed, if one did: later trials would see other instructions than theirs.
    /// The read-only mark stops only programs without the rights of an administrator.
    pub(super) fn spoilt(&self) -> Option<&Path> {
        self.written.iter().find(|(path, before)| stamp(path) != *before).map(|(path, _)| path.as_path())
    }

    /// The variables that name the files.
    pub(super) fn variables(&self) -> &[(String, PathBuf)] {
        &self.variables
    }
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
