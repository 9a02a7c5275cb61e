//! An endpoint that turns texts into vectors: OpenAI's `/embeddings`, by whomever it is served.

use std::time::Duration;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::chat::access::{Access, read_model};
use super::chat::endpoint::Endpoint;
use super::reading::timeout;
use super::{AskError, Surroundings};
use crate::source::{Diagnostics, Fields, Node};
use crate::transcript::{Usage, parts};

const PATH: &str = "/embeddings";

/// An endpoint that speaks OpenAI's `/embeddings`: a vendor's, a proxy's, or a local model server.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes what the reader accepts")]
struct EmbeddingsSettings {
    /// Up to and without `/embeddings`.
    #[schemars(url)]
    base_url: String,
    model: String,
    /// Sent as `Authorization: Bearer …`. Write `${NAME}`, never the key itself.
    api_key: Option<String>,
    /// More headers. Their values are never shown.
    headers: Option<std::collections::BTreeMap<String, String>>,
    /// For one call: `30`, `500ms`, `2m`; in place of `limits.timeout`.
    timeout: Option<String>,
}

/// An endpoint that turns texts into vectors.
pub struct Embeddings {
    access: Access,
    model: String,
    endpoint: Endpoint,
    timeout: Duration,
}

/// Vectors in the order of the texts, all of one length.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    pub vectors: Vec<Vec<f64>>,
    pub usage: Option<Usage>,
    /// As the endpoint names it, or as it was asked for.
    pub model: String,
}

impl Embeddings {
    /// What stands under `embeddings:`, or `None` with diagnostics.
    pub fn read(node: &Node, surroundings: &Surroundings, diagnostics: &mut Diagnostics) -> Option<Embeddings> {
        let errors = diagnostics.errors();
        let mut fields = Fields::of("`embeddings`", node, diagnostics)?;
        let access = Access::read(&mut fields, PATH, diagnostics);
        let model = read_model(&mut fields, diagnostics);
        let timeout = timeout(&mut fields, diagnostics).unwrap_or(surroundings.timeout);
        fields.finish(diagnostics);
        if diagnostics.errors() > errors {
            return None;
        }
        let (access, model) = (access?, model?);
        let endpoint = Endpoint::new(&access, PATH, timeout, surroundings.max_output_bytes);
        Some(Embeddings { access, model, endpoint, timeout })
    }

    /// A JSON Schema of what [`Embeddings::read`] reads.
    pub fn schema() -> schemars::Schema {
        schemars::schema_for!(EmbeddingsSettings)
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// Everything that can change a vector, without secrets.
    pub fn settings(&self) -> Value {
        let mut shown = json!({ "kind": "embeddings", "model": self.model });
        self.access.show_in(&mut shown);
        shown
    }

    pub fn check(&self) -> Result<(), String> {
        self.endpoint.check()
    }

    /// The vectors of some texts, in one call.
    pub async fn embed(&self, texts: &[&str]) -> Result<Embedded, AskError> {
        let mut body = Map::new();
        body.insert("model".to_owned(), self.model.as_str().into());
        body.insert("input".to_owned(), texts.into());
        let answer = self.endpoint.post(&body, Instant::now() + self.timeout).await?;
        let vectors = vectors(&answer, texts.len()).map_err(|reason| self.endpoint.malformed(&reason))?;
        Ok(Embedded {
            vectors,
            usage: answer.get("usage").and_then(parts::usage),
            model: answer.get("model").and_then(Value::as_str).unwrap_or(&self.model).to_owned(),
        })
    }
}

fn vectors(answer: &Value, wanted: usize) -> Result<Vec<Vec<f64>>, String> {
    let Some(data) = answer.get("data").and_then(Value::as_array) else {
        return Err("the answer has no `data`".to_owned());
    };
    let mut vectors: Vec<Option<Vec<f64>>> = vec![None; wanted];
    for (at, one) in data.iter().enumerate() {
        let index = one.get("index").and_then(Value::as_u64).map_or(at, |index| index as usize);
        let numbers = one.get("embedding").and_then(Value::as_array);
        let vector = numbers.and_then(|numbers| numbers.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
        match (vectors.get_mut(index), vector) {
            (Some(slot), Some(vector)) if !vector.is_empty() => *slot = Some(vector),
            _ => return Err(format!("entry {at} of `data` is no vector of a text that was sent")),
        }
    }
    let vectors = vectors.into_iter().collect::<Option<Vec<Vec<f64>>>>();
    let vectors = vectors.ok_or_else(|| format!("{wanted} texts were sent, {} vectors came back", data.len()))?;
    match vectors.iter().any(|vector| vector.len() != vectors[0].len()) {
        true => Err("the vectors are of different lengths".to_owned()),
        false => Ok(vectors),
    }
}
