//! Where an endpoint is, and what lets one in.

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::agents::reading::MASK;
use crate::source::{Diagnostics, Fields, Node, names_a_secret};

/// An address, a key and headers.
#[derive(Clone)]
pub(in crate::agents) struct Access {
    /// Without the path of the call.
    pub(in crate::agents) base_url: Url,
    pub(in crate::agents) api_key: Option<String>,
    pub(in crate::agents) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Access {
    /// Takes `base_url`, `api_key` and `headers`. `path` is what will be added to the address.
    pub(in crate::agents) fn read(
        fields: &mut Fields<'_>,
        path: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<Access> {
        let base_url = fields.required("base_url", diagnostics).and_then(|node| read_url(node, path, diagnostics));
        let api_key = fields.take("api_key").and_then(|node| match node.text() {
            Some(key) if !key.trim().is_empty() && HeaderValue::try_from(format!("Bearer {key}")).is_ok() => {
                Some(key.to_owned())
            }
            _ => {
                diagnostics
                    .error(&node.place, "`api_key` is empty or holds characters that a header can't carry")
                    .help
                    .push("leave `api_key` out where the endpoint wants none".to_owned());
                None
            }
        });
        let headers = fields.take("headers").map(|node| read_headers(node, diagnostics)).unwrap_or_default();
        Some(Access { base_url: base_url?, api_key, headers })
    }

    /// Adds all that can change an answer, without secrets.
    pub(in crate::agents) fn show_in(&self, shown: &mut Value) {
        let mut url = self.base_url.clone();
        let query: Vec<(String, String)> = url.query_pairs().map(|(name, value)| (name.into(), value.into())).collect();
        url.set_query(None);
        let query: Map<String, Value> = query
            .into_iter()
            .map(|(name, value)| if names_a_secret(&name) { (name, MASK.into()) } else { (name, value.into()) })
            .collect();
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        shown["base_url"] = url.as_str().into();
        shown["query"] = query.into();
        shown["headers"] = headers.into();
        // Another value is another agent; a key may change without that.
        let values: Vec<String> = self
            .headers
            .iter()
            .filter(|(name, _)| !names_a_secret(name.as_str()))
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or_default()))
            .collect();
        if !values.is_empty() {
            shown["header_values"] = blake3::hash(values.join("\n").as_bytes()).to_hex()[..16].into();
        }
    }
}

/// Takes `model`, which must be there.
pub(in crate::agents) fn read_model(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    fields.required("model", diagnostics).and_then(|node| match node.text() {
        Some(model) if !model.trim().is_empty() => Some(model.to_owned()),
        _ => {
            diagnostics.error(&node.place, "`model` must be the name of a model");
            None
        }
    })
}

fn read_url(node: &Node, path: &str, diagnostics: &mut Diagnostics) -> Option<Url> {
    let text = node.text().unwrap_or_default();
    let parsed = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(url) = parsed else {
        diagnostics
            .error(
                &node.place,
                format!("`base_url` must be an address, not {}", node.text().unwrap_or(node.describe())),
            )
            .help
            .push("write it like `https://api.example.com/v1` or `http://127.0.0.1:8091/v1`".to_owned());
        return None;
    };
    if !url.username().is_empty() || url.password().is_some() {
        diagnostics
            .error(&node.place, "`base_url` must not hold a name or password")
            .help
            .push("put a key under `api_key`, or an `Authorization` under `headers`".to_owned());
        return None;
    }
    if url.path().trim_end_matches('/').ends_with(path) {
        diagnostics
            .error(&node.place, format!("`base_url` must end before `{path}`, which is added to it"))
            .help
            .push(format!("take `{path}` off"));
        return None;
    }
    Some(url)
}

fn read_headers(node: &Node, diagnostics: &mut Diagnostics) -> Vec<(HeaderName, HeaderValue)> {
    let Some(pairs) = node.mapping() else {
        diagnostics.error(&node.place, format!("`headers` must be a mapping, but this is {}", node.describe()));
        return vec![];
    };
    let mut headers = vec![];
    for (key, value) in pairs {
        let name = key.text().unwrap_or_default();
        let Ok(header) = HeaderName::try_from(name) else {
            diagnostics.error(&key.place, format!("`{name}` is no name of a header"));
            continue;
        };
        match value.text().map(HeaderValue::try_from) {
            Some(Ok(mut text)) => {
                text.set_sensitive(true);
                headers.push((header, text));
            }
            _ => {
                diagnostics.error(&value.place, format!("the value of `{name}` can't be sent as a header"));
            }
        }
    }
    headers
}
