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

#[cfg(test)]
mod tests {
    use super::super::Fault;
    use super::super::testing::{Server, http, ok, surroundings};
    use super::*;
    use crate::source::{SourceFile, parse_documents};

    fn read(yaml: &str) -> (Option<Embeddings>, String) {
        let mut diagnostics = Diagnostics::default();
        let node = parse_documents(&SourceFile::new("mutate.yaml", yaml), &mut diagnostics).remove(0);
        let around = Surroundings { timeout: Duration::from_secs(10), ..surroundings() };
        (Embeddings::read(&node, &around, &mut diagnostics), diagnostics.render(false))
    }

    fn of(server: &Server) -> Embeddings {
        let yaml = format!("{{base_url: 'http://127.0.0.1:{}/v1/', model: e-1, api_key: sk-secret-4021}}", server.port);
        read(&yaml).0.unwrap()
    }

    fn embed(answer: String) -> Result<Embedded, AskError> {
        let server = Server::new(vec![answer]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let embedded = runtime.block_on(of(&server).embed(&["a", "b"]));
        assert_eq!(server.bodies()[0], json!({"model": "e-1", "input": ["a", "b"]}));
        let head = server.head(0).to_lowercase();
        assert!(head.starts_with("post /v1/embeddings http/1.1") && head.contains("bearer sk-secret-4021"), "{head}");
        embedded
    }

    #[test]
    fn vectors_come_back_in_the_order_of_the_texts() {
        let answer = json!({"model": "e-1-2026", "usage": {"prompt_tokens": 4, "total_tokens": 4}, "data": [
            {"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0.5]}]});
        let embedded = embed(ok(answer)).unwrap();
        assert_eq!(embedded.vectors, [vec![1.0, 0.5], vec![0.0, 1.0]]);
        assert_eq!((embedded.model.as_str(), embedded.usage.map(|usage| usage.input_tokens)), ("e-1-2026", Some(4)));
    }

    #[test]
    fn anything_but_one_vector_a_text_is_an_error() {
        for (data, told) in [
            (json!([{"index": 0, "embedding": [1, 0]}]), "2 texts were sent, 1 vectors came back"),
            (json!([{"embedding": [1, 0]}, {"embedding": [1]}]), "of different lengths"),
            (json!([{"embedding": [1, 0]}, {"embedding": []}]), "entry 1 of `data` is no vector"),
            (json!([{"embedding": [1, 0]}, {"embedding": "AAAA"}]), "entry 1 of `data` is no vector"),
            (json!([{"index": 7, "embedding": [1, 0]}]), "entry 0 of `data` is no vector"),
        ] {
            let error = embed(ok(json!({ "data": data }))).unwrap_err();
            assert!(error.fault == Fault::Malformed && error.message.contains(told), "{}", error.message);
        }
        assert_eq!(embed(http("503 Service Unavailable", "", "")).unwrap_err().fault, Fault::Server);
    }

    #[test]
    fn the_key_never_shows_and_mistakes_are_told_with_their_places() {
        let shown = of(&Server::new(vec![])).settings().to_string();
        assert!(shown.contains("e-1") && !shown.contains("secret"), "{shown}");
        for (yaml, told) in [
            ("{model: m}", "`embeddings` needs `base_url`"),
            ("{base_url: 'http://h/v1'}", "needs `model`"),
            ("{base_url: 'http://h/v1/embeddings', model: m}", "must end before `/embeddings`"),
            ("{base_url: 'http://h/v1', model: m, dimension: 3}", "unknown key `dimension`"),
        ] {
            let (embeddings, messages) = read(yaml);
            assert!(embeddings.is_none() && messages.contains(told), "{yaml}: {messages}");
        }
    }
}
