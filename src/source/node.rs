use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::{Place, SourceFile};

/// One node of a YAML (or JSON) text, with the place where it stands.
#[derive(Debug, Clone)]
pub struct Node {
    pub kind: NodeKind,
    pub place: Place,
}

/// What a node is. Scalars keep their spelling: whether `no` or `010` is text or something else is decided by who
/// reads it, never by the parser.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// `text` is the spelling without quotes; `plain` is false for quoted and block scalars, which are always text.
    Scalar {
        text: String,
        plain: bool,
    },
    Sequence(Vec<Node>),
    /// In the order of the file. Keys are unique: a doubled key is a diagnostic at parse time.
    Mapping(Vec<(Node, Node)>),
}

impl Node {
    /// A node that stands in no file, for values that are made rather than read.
    pub fn made(file: &Arc<SourceFile>, kind: NodeKind) -> Node {
        Node { kind, place: Place { file: Arc::clone(file), span: 0..0 } }
    }

    /// True for an empty value, `null` and `~`.
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, NodeKind::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The scalar's spelling, whatever it looks like: `no`, `010` and `1.10` are text here. Null is not text.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// `true` and `false` in YAML 1.2's spellings. `yes`, `no`, `on`, `off` are text, not booleans.
    pub fn boolean(&self) -> Option<bool> {
        match &self.kind {
            NodeKind::Scalar { text, plain: true } => match text.as_str() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// A number in JSON's or YAML 1.2's decimal spelling. Leading zeros (`010`, `0042`) make it text, since an
    /// identifier that lost its zeros is another identifier.
    pub fn number(&self) -> Option<Number> {
        let NodeKind::Scalar { text, plain: true } = &self.kind else { return None };
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let leading_zero = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        if leading_zero || !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let plain = text.strip_prefix('+').unwrap_or(text);
        if let Ok(whole) = plain.parse::<i64>() {
            return Some(whole.into());
        }
        if let Ok(whole) = plain.parse::<u64>() {
            return Some(whole.into());
        }
        let allowed = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+');
        if !plain.chars().all(allowed) {
            return None;
        }
        plain.parse::<f64>().ok().and_then(Number::from_f64)
    }

    pub fn sequence(&self) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::Sequence(items) => Some(items),
            _ => None,
        }
    }

    pub fn mapping(&self) -> Option<&[(Node, Node)]> {
        match &self.kind {
            NodeKind::Mapping(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The value under `key`, when this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.mapping()?.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    /// The node as a JSON value: plain scalars become null, booleans and numbers where YAML 1.2's core schema says so
    /// and nothing is lost by it, everything else stays text.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Scalar { text, .. } => {
                if self.is_null() {
                    Value::Null
                } else if let Some(truth) = self.boolean() {
                    Value::Bool(truth)
                } else if let Some(number) = self.number() {
                    Value::Number(number)
                } else {
                    Value::String(text.clone())
                }
            }
            NodeKind::Sequence(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            NodeKind::Mapping(pairs) => {
                let mut map = Map::new();
                for (key, value) in pairs {
                    map.insert(key.text().unwrap_or_default().to_owned(), value.to_value());
                }
                Value::Object(map)
            }
        }
    }

    /// What this node is, in the words of an error message: "a list", "text", "a number".
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            NodeKind::Sequence(_) => "a list",
            NodeKind::Mapping(_) => "a mapping",
            NodeKind::Scalar { .. } if self.is_null() => "nothing",
            NodeKind::Scalar { .. } if self.boolean().is_some() => "true or false",
            NodeKind::Scalar { .. } if self.number().is_some() => "a number",
            NodeKind::Scalar { .. } => "text",
        }
    }
}
