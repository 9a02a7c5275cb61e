use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::source::Diagnostics;

/// Where a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Standard output; colours only on a terminal and not under `NO_COLOR`.
    Stdout,
    /// A file, without colours, replaced in one step.
    File(PathBuf),
}

#[derive(Debug, thiserror::Error)]
#[error("the report could not be written to {target}: {error}")]
pub struct OutputError {
    target: String,
    error: std::io::Error,
}

impl Output {
    /// Finds before a run what would lose its report at the end: a target that is a folder, or stands below a file.
    pub fn check(&self) -> Result<(), OutputError> {
        let Output::File(path) = self else { return Ok(()) };
        let refused = |kind: std::io::ErrorKind| OutputError { target: path.display().to_string(), error: kind.into() };
        if path.is_dir() {
            return Err(refused(std::io::ErrorKind::IsADirectory));
        }
        match path.ancestors().skip(1).find(|folder| folder.exists()) {
            Some(folder) if !folder.is_dir() => Err(refused(std::io::ErrorKind::NotADirectory)),
            _ => Ok(()),
        }
    }

    /// Writes a finished report. A reader that closed the pipe early (`| head`) is no error.
    pub fn write(&self, report: &str) -> Result<(), OutputError> {
        match self {
            Output::Stdout => {
                let mut out = anstream::stdout().lock();
                match out.write_all(report.as_bytes()).and_then(|()| out.flush()) {
                    Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                        Err(OutputError { target: "standard output".into(), error })
                    }
                    _ => Ok(()),
                }
            }
            Output::File(path) => {
                let plain = anstream::adapter::strip_str(report).to_string();
                replace(path, plain.as_bytes())
                    .map_err(|error| OutputError { target: path.display().to_string(), error })
            }
        }
    }
}

/// Writes `text` at the end of a file of the user's, which is made where it is not there. What stands in it stays.
pub fn add_to_file(path: &Path, text: &str) -> Result<(), OutputError> {
    let mut options = fs::OpenOptions::new();
    let written = options.create(true).append(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| OutputError { target: path.display().to_string(), error })
}

/// Replaces a file of the user's with `text`, in one step and with its permissions; behind a link, the file that it leads to.
/// What was written is read back first: a full disk leaves the old file.
pub fn replace_text(path: &Path, text: &str) -> Result<(), OutputError> {
    let replaced = path.canonicalize().and_then(|path| {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        fs::set_permissions(file.path(), fs::metadata(&path)?.permissions())?;
        if fs::read(file.path())? != text.as_bytes() {
            return Err(std::io::Error::other("it does not read as it was written"));
        }
        file.persist(&path).map_err(|error| error.error)
    });
    replaced.map(drop).map_err(|error| OutputError { target: path.display().to_string(), error })
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Mistakes of the suite or the command line, on standard error.
pub fn errors(diagnostics: &Diagnostics) {
    let colour = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    let _ = anstream::stderr().lock().write_all(diagnostics.render(colour).as_bytes());
}
