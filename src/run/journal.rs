use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Key;
use crate::agents::{AskError, Fault};
use crate::matchers::Question;
use crate::source::Secrets;
use crate::transcript::{Ruling, Transcript};

/// One line of the journal: a finished trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    pub key: String,
    /// False for an error, which is kept for people and never reused.
    pub ok: bool,
    /// RFC 3339, UTC.
    pub at: String,
    /// Milliseconds until the answer, retries included.
    pub ms: u64,
    pub agent: String,
    pub case: String,
    pub arm: String,
    pub trial: u32,
    pub seed: u64,
    /// Which text of the instructions was sent: trials of an arm with different ones are not of one experiment.
    #[serde(default)]
    pub instructions: String,
    /// What the customer wrote.
    #[serde(default)]
    pub input: String,
    /// The [`asked_digest`](super::asked_digest) of the trial: an edited case is another one. Empty in lines of older
    /// versions.
    #[serde(default)]
    pub asked: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
}

/// One line of the journal: what an arm changed in the instructions, written before the arm's first trial of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantNote {
    pub mutant: String,
    pub case: String,
    pub arm: String,
    /// A unified diff of the instruction files.
    pub diff: String,
}

/// One line of the journal: what was said of a transcript to somebody's question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RulingRecord {
    pub key: String,
    /// False for an error, which is kept for people and never reused.
    pub ok: bool,
    /// RFC 3339, UTC.
    pub at: String,
    /// Milliseconds until the answer, retries included.
    pub ms: u64,
    /// The kind of matcher that asks: `helper`, `judge`, `similar`.
    pub asks: String,
    /// The digest of the question.
    pub question: String,
    /// The model that answered, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl RulingRecord {
    pub(super) fn of(
        key: Key,
        question: &Question,
        answer: &Result<Ruling, AskError>,
        model: Option<String>,
        took: Duration,
    ) -> RulingRecord {
        RulingRecord {
            key: key.to_string(),
            ok: answer.is_ok(),
            at: now(),
            ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            asks: question.kind().to_owned(),
            question: question.digest().to_owned(),
            model,
            ruling: answer.as_ref().ok().cloned(),
            message: answer.as_ref().err().map(|error| error.message.clone()),
        }
    }
}

/// The time as lines of the journal have it.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Any line of the journal.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    Trial(Box<TrialRecord>),
    Mutant(MutantNote),
    Ruling(RulingRecord),
}

#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct JournalError {
    pub path: PathBuf,
    pub error: std::io::Error,
}

/// The append-only record of trials and rulings: `.mutate/journal/*.jsonl`, one file a run, one flushed line each.
///
/// In memory it keeps only where each answer stands, so that a journal of a million trials costs tens of megabytes,
/// not gigabytes.
pub struct Journal {
    folder: PathBuf,
    secrets: Secrets,
    files: Vec<PathBuf>,
    index: HashMap<Key, Slot>,
    out: Option<File>,
    /// Lines that could not be read: torn by a kill, or not ours.
    skipped: Vec<String>,
    open: Option<(usize, File)>,
}

#[derive(Clone, Copy)]
struct Slot {
    file: usize,
    offset: u64,
    length: u32,
}

/// The part of a line that the index needs.
#[derive(Deserialize)]
struct Head {
    key: Option<String>,
    #[serde(default)]
    ok: bool,
}

impl Journal {
    /// Opens the journal under a suite's folder and indexes what is there. Nothing is written yet; `secrets` never are.
    pub fn open(suite: &Path, secrets: Secrets) -> Result<Journal, JournalError> {
        let folder = suite.join(".mutate").join("journal");
        let files = journal_files(&folder)?;
        let mut journal = Journal { folder, secrets, files, ..Journal::none() };
        for file in 0..journal.files.len() {
            journal.scan(file)?;
        }
        Ok(journal)
    }

    /// A journal that remembers nothing and writes nothing, for simulations.
    pub fn none() -> Journal {
        Journal {
            folder: PathBuf::new(),
            secrets: Secrets::new([]),
            files: vec![],
            index: HashMap::new(),
            out: None,
            skipped: vec![],
            open: None,
        }
    }

    /// Forgets every earlier answer for this run; the files keep them.
    pub fn forget(&mut self) {
        self.index.clear();
    }

    /// What is never written.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// False for [`Journal::none`]: nothing that is appended is ever read.
    pub fn is_kept(&self) -> bool {
        !self.folder.as_os_str().is_empty()
    }

    /// How many answers can be reused.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Notes on lines that were dropped, for the report.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// The recorded answer to a question, if it was ever answered.
    pub fn get(&mut self, key: Key) -> Option<Transcript> {
        let slot = *self.index.get(&key)?;
        let line = self.read(slot).ok()?;
        serde_json::from_slice::<TrialRecord>(&line).ok()?.transcript
    }

    /// The recorded ruling with this key, if there is one.
    pub fn ruling(&mut self, key: Key) -> Option<Ruling> {
        let slot = *self.index.get(&key)?;
        let line = self.read(slot).ok()?;
        serde_json::from_slice::<RulingRecord>(&line).ok()?.ruling
    }

    /// Appends a finished trial in one write and flushes it to the system: a kill loses at most trials in flight.
    pub fn append(&mut self, record: &TrialRecord) -> Result<(), JournalError> {
        self.write_line(record)
    }

    pub fn append_ruling(&mut self, record: &RulingRecord) -> Result<(), JournalError> {
        self.write_line(record)
    }

    pub fn note(&mut self, note: &MutantNote) -> Result<(), JournalError> {
        self.write_line(note)
    }

    fn write_line<T: Serialize>(&mut self, record: &T) -> Result<(), JournalError> {
        if !self.is_kept() {
            return Ok(());
        }
        let mut line = serde_json::to_vec(record).map_err(|error| self.error(error.into()))?;
        line.push(b'\n');
        if self.out.is_none() {
            self.out = Some(self.create()?);
        }
        let out = self.out.as_mut().expect("it was made on the line above");
        out.write_all(&line)
            .and_then(|()| out.flush())
            .map_err(|error| JournalError { path: self.folder.clone(), error })
    }

    /// Every readable line, oldest run first.
    pub fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        let mut entries = vec![];
        for path in &self.files {
            let text = fs::read(path).map_err(|error| JournalError { path: path.clone(), error })?;
            for line in text.split(|byte| *byte == b'\n') {
                if let Ok(record) = serde_json::from_slice::<TrialRecord>(line) {
                    entries.push(Entry::Trial(Box::new(record)));
                } else if let Ok(note) = serde_json::from_slice::<MutantNote>(line) {
                    entries.push(Entry::Mutant(note));
                } else if let Ok(record) = serde_json::from_slice::<RulingRecord>(line) {
                    entries.push(Entry::Ruling(record));
                }
            }
        }
        Ok(entries)
    }

    fn create(&self) -> Result<File, JournalError> {
        let fail = |path: &Path| {
            let path = path.to_owned();
            move |error| JournalError { path, error }
        };
        fs::create_dir_all(&self.folder).map_err(fail(&self.folder))?;
        let ignore = self.folder.with_file_name(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(fail(&ignore))?;
        }
        let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S").to_string();
        let path = self.folder.join(format!("{stamp}-{}.jsonl", std::process::id()));
        OpenOptions::new().create(true).append(true).open(&path).map_err(fail(&path))
    }

    fn scan(&mut self, file: usize) -> Result<(), JournalError> {
        let path = self.files[file].clone();
        let fail = |error| JournalError { path: path.clone(), error };
        let mut reader = BufReader::with_capacity(1 << 16, File::open(&path).map_err(fail)?);
        let mut offset = 0u64;
        let mut line = vec![];
        let mut number = 0;
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(fail)?;
            if length == 0 {
                return Ok(());
            }
            number += 1;
            match serde_json::from_slice::<Head>(&line) {
                Ok(head) if line.ends_with(b"\n") => {
                    if let Some(key) = head.key.as_deref().and_then(Key::parse).filter(|_| head.ok) {
                        self.index.insert(key, Slot { file, offset, length: length as u32 });
                    }
                }
                _ => self.skipped.push(format!("{}:{number} is torn or not a journal line", path.display())),
            }
            offset += length as u64;
        }
    }

    fn read(&mut self, slot: Slot) -> std::io::Result<Vec<u8>> {
        if self.open.as_ref().is_none_or(|(file, _)| *file != slot.file) {
            self.open = Some((slot.file, File::open(&self.files[slot.file])?));
        }
        let (_, file) = self.open.as_mut().expect("it was opened on the line above");
        file.seek(SeekFrom::Start(slot.offset))?;
        let mut line = vec![0; slot.length as usize];
        file.read_exact(&mut line)?;
        Ok(line)
    }

    fn error(&self, error: std::io::Error) -> JournalError {
        JournalError { path: self.folder.clone(), error }
    }
}

fn journal_files(folder: &Path) -> Result<Vec<PathBuf>, JournalError> {
    let listing = match fs::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(JournalError { path: folder.to_owned(), error }),
    };
    let mut files: Vec<PathBuf> = listing
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    Ok(files)
}
