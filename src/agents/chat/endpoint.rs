use std::error::Error as _;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Response, Url};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

use super::access::Access;
use super::faults::{self, Answer};
use crate::agents::reading::MASK;
use crate::agents::{AskError, Fault, Retry};

/// Longest wait for a connection; the whole trial has its own time.
const CONNECT: Duration = Duration::from_secs(10);
/// A shorter secret is not looked for in answers: `none` and `test` are words too.
const SHORTEST_SECRET: usize = 12;

/// One address to which bodies are posted.
pub(in crate::agents) struct Endpoint {
    /// Made when it is first needed: reading the system's certificates takes time that a listing need not spend.
    client: OnceLock<Result<Client, String>>,
    url: Url,
    host: String,
    headers: HeaderMap,
    secrets: Vec<String>,
    timeout: Duration,
    max_output_bytes: usize,
}

impl Endpoint {
    /// `path` is added to the address of `access`. `timeout` is told in errors; the deadline of a question is its own.
    pub(in crate::agents) fn new(access: &Access, path: &str, timeout: Duration, max_output_bytes: usize) -> Endpoint {
        let mut url = access.base_url.clone();
        let path = format!("{}{path}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let name = url.host_str().unwrap_or_default();
        let host = url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
        let mut headers = HeaderMap::new();
        let mut secrets = vec![];
        if let Some(key) = &access.api_key
            && let Ok(mut value) = HeaderValue::try_from(format!("Bearer {key}"))
        {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
            secrets.push(key.clone());
        }
        for (name, value) in &access.headers {
            headers.insert(name.clone(), value.clone());
            secrets.extend(value.to_str().map(str::to_owned));
        }
        // The longest first: one may hold another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Endpoint { client: OnceLock::new(), url, host, headers, secrets, timeout, max_output_bytes }
    }

    /// Name and port.
    pub(in crate::agents) fn host(&self) -> &str {
        &self.host
    }

    pub(in crate::agents) fn check(&self) -> Result<(), String> {
        self.client().map(|_| ())
    }

    fn client(&self) -> Result<&Client, String> {
        let made = self.client.get_or_init(|| {
            // Whoever was first has installed one; any will do.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let mut builder = Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(CONNECT.min(self.timeout))
                .default_headers(self.headers.clone())
                .user_agent(concat!("mutate/", env!("CARGO_PKG_VERSION")));
            if is_loopback(&self.url) {
                builder = builder.no_proxy();
            }
            if self.url.scheme() == "http" {
                // No certificate is ever looked at: spare a machine that has none.
                builder = builder.tls_certs_only([]);
            }
            builder.build().map_err(|error| format!("can't set up HTTP for {}: {}", self.host, cause(&error)))
        });
        made.as_ref().map_err(Clone::clone)
    }

    /// The JSON that the endpoint answers to a body. Every error names the host and never a secret.
    pub(in crate::agents) async fn post(
        &self,
        body: &Map<String, Value>,
        deadline: Instant,
    ) -> Result<Value, AskError> {
        let client = self.client().map_err(|message| error(Fault::Transport, message, Retry::No))?;
        let asked = async {
            let response =
                client.post(self.url.clone()).json(body).send().await.map_err(|error| self.transport(&error))?;
            let status = response.status();
            let headers = response.headers().clone();
            let text = self.hide(self.body(response).await?, SHORTEST_SECRET);
            Ok((status, headers, text))
        };
        let (status, headers, text) = match timeout_at(deadline, asked).await {
            Ok(answered) => answered?,
            Err(_) => {
                let message = format!("{}: no answer within {} s (total)", self.host, self.timeout.as_secs_f64());
                return Err(error(Fault::Timeout, message, Retry::No));
            }
        };
        let answer = Answer { status, headers: &headers, body: &text, host: &self.host, path: self.url.path() };
        faults::judge(&answer).map_err(|mut refused| {
            // A message quotes the body: here even a short key must not show.
            refused.message = self.hide(refused.message, 4);
            refused
        })
    }

    /// The body as text; bytes that are no UTF-8 are replaced.
    async fn body(&self, mut response: Response) -> Result<String, AskError> {
        let mut bytes = vec![];
        while let Some(chunk) = response.chunk().await.map_err(|error| self.transport(&error))? {
            if bytes.len() + chunk.len() > self.max_output_bytes {
                let message = format!(
                    "{} answered more than {} bytes; raise `limits.max_output_bytes` if that is meant",
                    self.host, self.max_output_bytes
                );
                return Err(error(Fault::OutputTooLarge, message, Retry::No));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn transport(&self, failed: &reqwest::Error) -> AskError {
        if failed.is_connect() && failed.is_timeout() {
            let seconds = CONNECT.min(self.timeout).as_secs_f64();
            let message = format!("{}: no connection within {seconds} s (connect)", self.host);
            return error(Fault::Timeout, message, Retry::Backoff);
        }
        let what = if failed.is_connect() { "can't connect to" } else { "the connection failed to" };
        let message = self.hide(format!("{what} {}: {}", self.host, cause(failed)), 4);
        error(Fault::Transport, message, Retry::Backoff)
    }

    /// An answer that is JSON, but not what was asked for.
    pub(in crate::agents) fn malformed(&self, reason: &str) -> AskError {
        error(Fault::Malformed, self.hide(format!("{}: {reason}", self.host), 4), Retry::No)
    }

    fn hide(&self, mut text: String, least: usize) -> String {
        for secret in self.secrets.iter().filter(|secret| secret.len() >= least) {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), MASK);
            }
        }
        text
    }
}

fn error(fault: Fault, message: String, retry: Retry) -> AskError {
    AskError { fault, message, retry }
}

/// The innermost reason, which is the one that says something; never the address, whose query may be secret.
fn cause(error: &reqwest::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    let mut source = error.source();
    while let Some(inner) = source {
        reason = inner;
        source = inner.source();
    }
    let text = reason.to_string();
    match error.url() {
        Some(url) => text.replace(url.as_str(), url.host_str().unwrap_or_default()),
        None => text,
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
