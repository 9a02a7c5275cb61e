//! Packs: the mutators that there are.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::algorithms::Algorithm;
use super::make::{Choice, variants};
use super::{Kind, Subject, read};
use crate::source::{Diagnostic, Diagnostics, SourceFile, parse_documents};

/// The embedded packs, in the order of a listing.
const EMBEDDED: [(&str, &str); 7] = [
    ("mutators/typo.yaml", include_str!("../../../mutators/typo.yaml")),
    ("mutators/format.yaml", include_str!("../../../mutators/format.yaml")),
    ("mutators/paraphrase.yaml", include_str!("../../../mutators/paraphrase.yaml")),
    ("mutators/phrases.yaml", include_str!("../../../mutators/phrases.yaml")),
    ("mutators/frames.yaml", include_str!("../../../mutators/frames.yaml")),
    ("mutators/distraction.yaml", include_str!("../../../mutators/distraction.yaml")),
    ("mutators/adversarial.yaml", include_str!("../../../mutators/adversarial.yaml")),
];

/// Files of a `mutators/` folder that hold something else than input mutators.
const OTHERS: [&str; 4] = ["polarity.yaml", "languages.yaml", "probes.yaml", "stances.yaml"];

/// A set of mutators, in a stable order.
#[derive(Debug, Clone, Default)]
pub struct Packs {
    mutators: Vec<Mutator>,
}

impl Packs {
    /// The packs that come with the program.
    pub fn embedded() -> &'static Packs {
        static PACKS: OnceLock<Packs> = OnceLock::new();
        PACKS.get_or_init(|| {
            let mut packs = Packs::default();
            for (name, text) in EMBEDDED {
                packs.add(&SourceFile::new(name, text), None, &mut Diagnostics::default());
            }
            packs
        })
    }

    /// The embedded packs and those of `named`, in that order: files, or folders of files, relative to `root`.
    ///
    /// A mutator of a name that is there already takes its place; others are appended. Of a folder `*.yaml` and `*.yml`
    /// directly in it count, in the order of their names. What can't be read is an error in `diagnostics` and is left
    /// out.
    pub fn with_own(root: &Path, named: &[impl AsRef<Path>], diagnostics: &mut Diagnostics) -> Packs {
        let mut packs = Packs::embedded().clone();
        for name in named {
            for name in files(root, name.as_ref(), diagnostics) {
                match std::fs::read_to_string(root.join(&name)) {
                    Ok(text) => {
                        let file = SourceFile::inside(root, name, text.trim_start_matches('\u{feff}'));
                        packs.add(&file, Some(&file.name), diagnostics);
                    }
                    Err(error) => {
                        diagnostics.push(Diagnostic::error(format!("can't read the pack {}: {error}", name.display())));
                    }
                }
            }
        }
        packs
    }

    /// The packs of one text, without the embedded ones.
    #[cfg(test)]
    pub(super) fn of_text(text: &str, diagnostics: &mut Diagnostics) -> Packs {
        let mut packs = Packs::default();
        packs.add(&SourceFile::new("pack.yaml", text), None, diagnostics);
        packs
    }

    /// Every mutator, in the order of the packs.
    pub fn mutators(&self) -> impl Iterator<Item = &Mutator> {
        self.mutators.iter()
    }

    /// `own` is the file's name where it is the suite's.
    fn add(&mut self, file: &Arc<SourceFile>, own: Option<&Path>, diagnostics: &mut Diagnostics) {
        for document in parse_documents(file, diagnostics) {
            for mut mutator in read::pack(&document, diagnostics) {
                mutator.file = own.map(Path::to_owned);
                match self.mutators.iter_mut().find(|known| known.name == mutator.name) {
                    Some(known) => *known = mutator,
                    None => self.mutators.push(mutator),
                }
            }
        }
    }
}

/// The files that `name` stands for, relative to `root`.
fn files(root: &Path, name: &Path, diagnostics: &mut Diagnostics) -> Vec<PathBuf> {
    let folder = root.join(name);
    let is_other = |path: &Path| OTHERS.iter().any(|other| path.file_name().is_some_and(|name| name == *other));
    if folder.is_file() {
        return if is_other(name) { vec![] } else { vec![name.to_owned()] };
    }
    let shown = name.display();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("can't read the mutator packs of {shown}: {error}");
            diagnostics.push(Diagnostic::error(message).help("make the file or folder, or take it out of `mutators:`"));
            return vec![];
        }
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| name.join(entry.file_name())))
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml"))
        .filter(|path| !is_other(path))
        .filter(|path| root.join(path).is_file())
        .collect();
    files.sort();
    if files.is_empty() && !OTHERS.iter().any(|other| folder.join(other).is_file()) {
        let warning = Diagnostic::warning(format!("the folder {shown} of `mutators:` holds no pack"));
        diagnostics.push(warning.help("a pack is a file `*.yaml` or `*.yml` directly in the folder"));
    }
    files
}

/// One named way to change an input.
#[derive(Debug, Clone)]
pub struct Mutator {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) does: String,
    pub(super) keeps_meaning: bool,
    pub(super) default_on: bool,
    /// Codes; empty for any language.
    pub(super) languages: Vec<String>,
    pub(super) sample: Option<String>,
    pub(super) algorithm: Arc<dyn Algorithm>,
    pub(super) file: Option<PathBuf>,
}

impl Mutator {
    /// Pack and name: `typo/key-slip-qwerty`.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether a reader of the variant would be asked for the same thing, surely. Where false, a fall may be right.
    pub fn keeps_meaning(&self) -> bool {
        self.keeps_meaning
    }

    /// Codes of the languages that it fits; empty for any.
    pub fn languages(&self) -> &[String] {
        &self.languages
    }

    /// Whether it takes part where nobody names mutators or kinds.
    pub fn default_on(&self) -> bool {
        self.default_on
    }

    /// One sentence on what it does.
    pub fn describe(&self) -> &str {
        &self.does
    }

    /// The suite's file that it comes from; `None` for one that comes with the program.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// An input and a variant of it, made now. `None` where the pack gives no example or the mutator makes nothing of it.
    pub fn example(&self) -> Option<(String, String)> {
        let input = self.sample.as_deref()?;
        let subject = Subject {
            case: "example",
            input,
            literals: &[],
            protect: &[],
            language: self.languages.first().map(String::as_str),
        };
        let alone = Packs { mutators: vec![self.clone()] };
        let choice = Choice { mutators: Some(vec![self.name.clone()]), variants: 1, ..Choice::default() };
        let made = variants(&alone, &subject, &choice).variants.into_iter().next()?;
        Some((input.to_owned(), made.text))
    }
}
