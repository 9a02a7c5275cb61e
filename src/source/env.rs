use serde_json::Value;

use super::{Diagnostics, Node, NodeKind, Place};

/// Values of variables with one of these words in their name are never written anywhere.
const SECRET_WORDS: [&str; 14] = [
    "KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PWD",
    "AUTH",
    "AUTHORIZATION",
    "CREDENTIAL",
    "CREDENTIALS",
    "COOKIE",
    "BEARER",
];
/// Shorter values are not looked for: they would blank out half of every text.
const SHORTEST_SECRET: usize = 6;

/// A copy of `node` with every `${NAME}` in its values replaced by what `environment` gives for the name; `$${` stands
/// for a literal `${`. Keys are left alone.
///
/// A variable that is unset or empty is an error that names it and shows no value. What a plain scalar becomes is read
/// like any plain scalar, so that `jobs: ${JOBS}` is a number. Values of variables that look like secrets by name
/// (see [`names_a_secret`]) are added to `secrets`.
pub fn expand(
    node: &Node,
    environment: &dyn Fn(&str) -> Option<String>,
    secrets: &mut Vec<String>,
    diagnostics: &mut Diagnostics,
) -> Node {
    let kind = match &node.kind {
        NodeKind::Scalar { text, plain } if text.contains("${") => {
            match expand_text(text, &node.place, environment, secrets, diagnostics) {
                Some(text) => {
                    // A variable that holds `null` or `~` is that text, never an absent value.
                    let plain = *plain && !matches!(text.as_str(), "~" | "null" | "Null" | "NULL");
                    NodeKind::Scalar { text, plain }
                }
                // The mistake is reported; an absent number gives no second one, as `${NAME}` would.
                None if *plain => NodeKind::Scalar { text: String::new(), plain: true },
                None => node.kind.clone(),
            }
        }
        NodeKind::Scalar { .. } => node.kind.clone(),
        NodeKind::Sequence(items) => {
            NodeKind::Sequence(items.iter().map(|item| expand(item, environment, secrets, diagnostics)).collect())
        }
        NodeKind::Mapping(pairs) => NodeKind::Mapping(
            pairs.iter().map(|(key, value)| (key.clone(), expand(value, environment, secrets, diagnostics))).collect(),
        ),
    };
    Node { kind, place: node.place.clone() }
}

/// `None`, with diagnostics, where a name can't be replaced.
fn expand_text(
    text: &str,
    place: &Place,
    environment: &dyn Fn(&str) -> Option<String>,
    secrets: &mut Vec<String>,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let mut out = String::new();
    let mut complete = true;
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            out.push_str(&rest[..at]);
            out.push('{');
            rest = &rest[at + 2..];
            continue;
        }
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let name = after.find('}').map(|end| &after[..end]).filter(|name| is_name(name));
        let Some(name) = name else {
            let entry = diagnostics.error(place, "`${` does not start the name of an environment variable");
            entry
                .help
                .push("write `${NAME}` with letters, digits and `_`; write `$${` for the characters `${`".to_owned());
            complete = false;
            rest = after;
            continue;
        };
        match environment(name) {
            Some(value) if !value.is_empty() => {
                if names_a_secret(name) {
                    secrets.push(value.clone());
                }
                out.push_str(&value);
            }
            found => {
                let state = if found.is_some() { "is empty" } else { "is not set" };
                let entry = diagnostics.error(place, format!("the environment variable `{name}` {state}"));
                entry.help.push(format!("set it before the run: `export {name}=…`"));
                complete = false;
            }
        }
        rest = &after[name.len() + 1..];
    }
    out.push_str(rest);
    complete.then_some(out)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// True for the name of a variable, header, flag or field whose value is likely a secret: one of its words says so
/// (`MY_API_KEY`, `X-Auth-Token`, `--password`, `apiKey`; but not `MAX_TOKENS` or `TOKENIZER`).
pub fn names_a_secret(name: &str) -> bool {
    let mut words: Vec<String> = vec![String::new()];
    let mut last_was_lower = false;
    for c in name.chars() {
        let starts_a_word = c.is_uppercase() && last_was_lower;
        last_was_lower = c.is_lowercase();
        if !c.is_alphanumeric() || starts_a_word {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_uppercase());
        }
    }
    words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()))
}

/// Texts that must stand in no journal, report or log.
#[derive(Clone, Default)]
pub struct Secrets {
    /// Longest first, so that a secret inside another one leaves no rest.
    values: Vec<String>,
}

impl Secrets {
    /// Values shorter than six characters are left out. Each is looked for as it is and as a JSON text spells it.
    pub fn new(values: impl IntoIterator<Item = String>) -> Secrets {
        let long = values.into_iter().filter(|value| value.chars().count() >= SHORTEST_SECRET);
        let mut values: Vec<String> = long.flat_map(|value| [in_json(&value), value]).collect();
        values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Secrets { values }
    }

    /// These and those.
    pub fn and(mut self, other: Secrets) -> Secrets {
        self.values.extend(other.values);
        self.values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.values.dedup();
        self
    }

    /// True where nothing has to be looked for.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Takes every secret out of all texts of a value, keys among them.
    pub fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redact(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(pairs) => {
                *pairs = std::mem::take(pairs)
                    .into_iter()
                    .map(|(key, mut value)| {
                        self.redact_value(&mut value);
                        (self.redact(&key), value)
                    })
                    .collect();
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// `text` with every secret replaced by `[redacted]`.
    pub fn redact(&self, text: &str) -> String {
        self.values.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "[redacted]"))
    }
}

/// As it stands between the quotes of a JSON text.
fn in_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Shows how many there are, never one.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.values.len())
    }
}
