//! A suite's own probes: `probes.yaml` in a folder that `mutators:` names, laid over those that come with the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::probes::{CallsOf, Means, Negation, Probe, Probes};
use crate::source::{Diagnostic, Diagnostics, Fields, Node, SourceFile, parse_documents};

/// The file's name.
const FILE: &str = "probes.yaml";

impl Probes {
    /// Those that come with the program, with what the `probes.yaml` among `named` (files and folders, relative to `root`)
    /// add, replace and leave out. Mistakes are diagnostics with their places.
    pub fn with_own(root: &Path, named: &[impl AsRef<Path>], diagnostics: &mut Diagnostics) -> Probes {
        let mut probes = Probes::clone(Probes::embedded());
        let of = |name: &Path| if name.ends_with(FILE) { name.to_owned() } else { name.join(FILE) };
        let files = named.iter().map(|name| of(name.as_ref()));
        for name in files.filter(|name| root.join(name).is_file()).collect::<Vec<PathBuf>>() {
            match std::fs::read_to_string(root.join(&name)) {
                Ok(text) => {
                    let file = SourceFile::inside(root, name, text.trim_start_matches('\u{feff}'));
                    for document in parse_documents(&file, diagnostics) {
                        probes.extend(&document, diagnostics);
                    }
                }
                Err(error) => {
                    diagnostics.push(Diagnostic::error(format!("can't read the probes {}: {error}", name.display())));
                }
            }
        }
        probes
    }

    /// A probe of a known name takes the other's place, a word's sentence that of the word; lists grow.
    pub(super) fn extend(&mut self, node: &Node, diagnostics: &mut Diagnostics) {
        let Some(mut fields) = Fields::of("`probes.yaml`", node, diagnostics) else { return };
        for item in items(&mut fields, "probes", diagnostics) {
            self.own_probe(item, diagnostics);
        }
        for (key, list) in [("numbers", &mut self.numbers), ("bare_numbers", &mut self.bare_numbers)] {
            let forms = fields.get(key).map(|node| node.place.clone());
            for form in fields.texts(key, diagnostics).unwrap_or_default() {
                if let (false, Some(place)) = (form.contains("{n}"), &forms) {
                    let error =
                        diagnostics.error(place, format!("`{key}` holds `{form}`, which has no place for a number"));
                    error.help.push("write `{n}` where the number stands".to_owned());
                }
                list.push(form);
            }
        }
        self.negating.extend(fields.texts("negating", diagnostics).unwrap_or_default());
        words(&mut fields, "words", &mut self.words, diagnostics);
        words(&mut fields, "longer_words", &mut self.longer_words, diagnostics);
        for item in items(&mut fields, "negations", diagnostics) {
            let Some(mut fields) = Fields::of("a negation", item, diagnostics) else { continue };
            let says = fields.required("says", diagnostics);
            let words = fields.texts("words", diagnostics).unwrap_or_default();
            fields.finish(diagnostics);
            match says.and_then(|says| Some((says, says.text()?))) {
                Some((_, text)) if text.contains("{word}") => {
                    // The first sentence that knows a word is taken: one's own come first.
                    self.negations.insert(0, Negation { says: text.to_owned(), words });
                }
                Some((node, _)) => {
                    let error = diagnostics.error(&node.place, "this sentence has no place for the word");
                    error.help.push("write `{word}` where it stands".to_owned());
                }
                None => {}
            }
        }
        fields.finish(diagnostics);
    }

    fn own_probe(&mut self, item: &Node, diagnostics: &mut Diagnostics) {
        let errors = diagnostics.errors();
        let Some(mut fields) = Fields::of("a probe", item, diagnostics) else { return };
        let name = fields.required("name", diagnostics).and_then(Node::text).unwrap_or_default().to_owned();
        let off = fields.boolean("off", diagnostics) == Some(true);
        let means = fields.choice("means", &["silence", "wrong", "fair"], diagnostics);
        let does = fields.text("does", diagnostics);
        let reply = fields.text("reply", diagnostics);
        let calls = fields.choice("calls", &["every-tool", "wrong-arguments"], diagnostics);
        fields.finish(diagnostics);
        let known = self.probes.iter().position(|probe| probe.name == name);
        if off {
            match known {
                Some(at) => drop(self.probes.remove(at)),
                None => {
                    let error = diagnostics.error(&item.place, format!("no probe is called `{name}`"));
                    let names: Vec<&str> = self.probes.iter().map(|probe| probe.name.as_str()).collect();
                    error.help.push(format!("there are {}", names.join(", ")));
                }
            }
            return;
        }
        let (Some(means), Some(does)) = (means, does) else {
            if diagnostics.errors() == errors {
                let error = diagnostics.error(&item.place, "a probe needs `name`, `means` and `does`");
                error.help.push(
                    "for example {name: all-done, means: wrong, does: says that all is done, reply: All done!}"
                        .to_owned(),
                );
            }
            return;
        };
        if diagnostics.errors() > errors {
            return;
        }
        let means = match means {
            "silence" => Means::Silence,
            "wrong" => Means::Wrong,
            _ => Means::Fair,
        };
        let calls = calls.map(|calls| if calls == "every-tool" { CallsOf::EveryTool } else { CallsOf::WrongArguments });
        let probe = Probe { name, means, does, reply, calls };
        match known {
            Some(at) => self.probes[at] = probe,
            None => self.probes.push(probe),
        }
    }
}

fn items<'n>(fields: &mut Fields<'n>, key: &'static str, diagnostics: &mut Diagnostics) -> &'n [Node] {
    let Some(node) = fields.take(key) else { return &[] };
    node.sequence().unwrap_or_else(|| {
        diagnostics.error(&node.place, format!("`{key}` must be a list, but this is {}", node.describe()));
        &[]
    })
}

fn words(
    fields: &mut Fields<'_>,
    key: &'static str,
    known: &mut BTreeMap<String, String>,
    diagnostics: &mut Diagnostics,
) {
    let Some(node) = fields.take(key) else { return };
    let Some(pairs) = node.mapping() else {
        let message = format!("`{key}` must be a mapping of words to texts, but this is {}", node.describe());
        diagnostics.error(&node.place, message);
        return;
    };
    for (word, text) in pairs {
        match (word.text(), text.text()) {
            (Some(word), Some(text)) => drop(known.insert(word.to_lowercase(), text.to_owned())),
            _ => {
                diagnostics.error(&text.place, format!("`{key}` wants a text, but this is {}", text.describe()));
            }
        }
    }
}
