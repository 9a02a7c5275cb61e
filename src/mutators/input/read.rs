//! From a pack's YAML to mutators. The format is described in `mutators/README.md`.

use super::Kind;
use super::algorithms::{self, Algorithm};
use super::packs::Mutator;
use crate::source::{Diagnostics, Fields, Node};

const PACK_KINDS: [&str; 5] = ["typo", "format", "paraphrase", "distraction", "adversarial"];

/// The mutators of one document.
pub(super) fn pack(document: &Node, diagnostics: &mut Diagnostics) -> Vec<Mutator> {
    let mut mutators = vec![];
    let Some(mut fields) = Fields::of("a mutator pack", document, diagnostics) else { return mutators };
    let pack = fields.required("pack", diagnostics);
    let pack = pack.and_then(|node| name_of("pack", node, diagnostics));
    let kind = match fields.has("kind") {
        true => fields.choice("kind", &PACK_KINDS, diagnostics),
        false => {
            fields.required("kind", diagnostics);
            None
        }
    };
    let languages = languages_of(&mut fields, diagnostics).unwrap_or_default();
    let list = fields.required("mutators", diagnostics);
    fields.finish(diagnostics);
    let Some(list) = list else { return mutators };
    let Some(items) = list.sequence() else {
        diagnostics.error(&list.place, format!("`mutators` must be a list, but this is {}", list.describe()));
        return mutators;
    };
    for item in items {
        let made = mutator(item, pack.as_deref().unwrap_or("pack"), kind, &languages, diagnostics);
        let Some((mutator, name)) = made else { continue };
        if mutators.iter().any(|known: &Mutator| known.name == mutator.name) {
            diagnostics.error(&name.place, format!("the mutator `{}` stands twice in this pack", mutator.name));
        } else if pack.is_some() && kind.is_some() {
            mutators.push(mutator);
        }
    }
    mutators
}

fn mutator<'n>(
    item: &'n Node,
    pack: &str,
    kind: Option<&'static str>,
    languages: &[String],
    diagnostics: &mut Diagnostics,
) -> Option<(Mutator, &'n Node)> {
    let mut fields = Fields::of("a mutator", item, diagnostics)?;
    let name_node = fields.required("name", diagnostics);
    let name = name_node.and_then(|node| name_of("name", node, diagnostics));
    let does = fields.required("does", diagnostics).and_then(|node| {
        if node.text().is_none() {
            diagnostics.error(&node.place, format!("`does` must be text, but this is {}", node.describe()));
        }
        node.text().map(str::to_owned)
    });
    let default_on = fields.boolean("default", diagnostics).unwrap_or(false);
    let keeps_meaning = fields.boolean("keeps_meaning", diagnostics).unwrap_or(true);
    let languages = languages_of(&mut fields, diagnostics).unwrap_or_else(|| languages.to_vec());
    let sample = fields.text("example", diagnostics);
    let algorithm = algorithm(&mut fields, item, diagnostics);
    fields.finish(diagnostics);
    let mutator = Mutator {
        name: format!("{pack}/{}", name?),
        kind: Kind::from_name(kind.unwrap_or("typo"))?,
        does: does?,
        keeps_meaning,
        default_on,
        languages,
        sample,
        algorithm: algorithm?.into(),
        file: None,
    };
    Some((mutator, name_node?))
}

/// The one key of a mutator that names an algorithm.
fn algorithm(fields: &mut Fields, item: &Node, diagnostics: &mut Diagnostics) -> Option<Box<dyn Algorithm>> {
    let mut found = vec![];
    for (name, read) in algorithms::ALL {
        if let Some((key, value)) = fields.take_entry(name) {
            found.push((key, value, read));
        }
    }
    match found.as_slice() {
        [(_, value, read)] => read(value, diagnostics),
        [] => {
            let names: Vec<&str> = algorithms::ALL.iter().map(|(name, _)| *name).collect();
            diagnostics
                .error(&item.place, "a mutator needs one key that names its algorithm")
                .help
                .push(format!("the algorithms are {}", names.join(", ")));
            None
        }
        [_, (key, ..), ..] => {
            diagnostics
                .error(&key.place, "a mutator has one algorithm, but here is a second one")
                .help
                .push("write two mutators".to_owned());
            None
        }
    }
}

fn name_of(key: &str, node: &Node, diagnostics: &mut Diagnostics) -> Option<String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let found = node.text().filter(|text| !text.is_empty() && text.chars().all(plain));
    if found.is_none() {
        diagnostics
            .error(&node.place, format!("`{key}` must be a name, but this is {}", node.describe()))
            .help
            .push("a name has small letters, digits and hyphens: `warehouse-jargon`".to_owned());
    }
    found.map(str::to_owned)
}

/// `languages: any` is an empty list.
fn languages_of(fields: &mut Fields, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    let node = fields.get("languages")?;
    let codes = fields.texts("languages", diagnostics)?;
    let mut languages = vec![];
    for code in codes.into_iter().filter(|code| code != "any") {
        if (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase()) {
            languages.push(code);
        } else {
            diagnostics
                .error(&node.place, format!("`{code}` is no language code"))
                .help
                .push("write codes of two or three letters (`en`, `de`), or `any`".to_owned());
        }
    }
    Some(languages)
}
