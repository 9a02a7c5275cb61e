//! Which answers of an endpoint are errors, and whether asking again can help.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;

use crate::agents::{AskError, Fault, Retry};
use crate::transcript::parts;

/// Nobody waits longer for one trial: the run says so and goes on.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// What came back.
pub(super) struct Answer<'a> {
    pub(super) status: StatusCode,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: &'a str,
    pub(super) host: &'a str,
    pub(super) path: &'a str,
}

/// The body as JSON, where it is an answer; an error otherwise. HTTP 200 with an error in the body is an error.
pub(super) fn judge(answer: &Answer<'_>) -> Result<Value, AskError> {
    let json = serde_json::from_str::<Value>(answer.body).ok();
    if !answer.status.is_success() {
        return Err(refused(answer, json.as_ref()));
    }
    let about = format!("HTTP {} from {}", answer.status.as_u16(), answer.host);
    let Some(json) = json else {
        let message = format!("{about}, but the body is no JSON: {}", short(answer.body));
        return Err(AskError { fault: Fault::Malformed, message, retry: Retry::No });
    };
    let choice = json.get("choices").and_then(|choices| choices.get(0));
    let inner = json.get("error").or_else(|| choice.and_then(|choice| choice.get("error")));
    let Some(error) = inner.filter(|error| parts::error_text(error).is_some()) else { return Ok(json) };
    let message =
        format!("{about}, but its body is an error: {}", short(&parts::error_text(error).unwrap_or_default()));
    let code = error.get("code").and_then(Value::as_u64);
    let (fault, retry) = match code {
        _ if is_context_length(answer.body) => (Fault::ContextLength, Retry::No),
        Some(429) => (Fault::RateLimited, Retry::Backoff),
        _ => (Fault::Server, Retry::Backoff),
    };
    Err(AskError { fault, message, retry })
}

fn refused(answer: &Answer<'_>, json: Option<&Value>) -> AskError {
    let code = answer.status.as_u16();
    let told = json
        .and_then(|json| json.get("error").and_then(parts::error_text))
        .or_else(|| json.and_then(|json| json.get("message").or(json.get("detail")).and_then(parts::error_text)));
    let told = short(told.as_deref().unwrap_or(answer.body));
    let mut message = format!("HTTP {code} from {}", answer.host);
    if !told.is_empty() {
        message.push_str(": ");
        message.push_str(&told);
    }
    if is_context_length(answer.body) {
        return AskError { fault: Fault::ContextLength, message, retry: Retry::No };
    }
    let (fault, mut retry) = match code {
        429 if is_out_of_quota(answer.body) => {
            return AskError { fault: Fault::RateLimited, message, retry: Retry::No };
        }
        429 => (Fault::RateLimited, Retry::Backoff),
        500.. | 408 | 425 => (Fault::Server, Retry::Backoff),
        _ => (Fault::Rejected, Retry::No),
    };
    if retry == Retry::Backoff
        && let Some(wait) = asked_wait(answer.headers)
    {
        if wait > LONGEST_WAIT {
            message.push_str(&format!("; the server asks to wait {} s", wait.as_secs()));
            retry = Retry::No;
        } else if !wait.is_zero() {
            retry = Retry::After(wait);
        }
    }
    match code {
        401 | 403 => message.push_str("; is `api_key` right?"),
        404 | 405 => message.push_str(&format!("; was `{}` the path? See `base_url`, and `model`", answer.path)),
        300..=399 => {
            let to = answer.headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("another address");
            // A query may hold a token.
            let to = to.split('?').next().unwrap_or_default();
            message.push_str(&format!("; it redirects to {to}, which is not followed: correct `base_url`"));
        }
        _ => {}
    }
    AskError { fault, message, retry }
}

/// `Retry-After` in seconds or as an HTTP date, or OpenAI's finer `retry-after-ms`.
fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok().and_then(|n| Duration::try_from_secs_f64(n).ok());
    if let Some(wait) = headers.get("retry-after-ms").and_then(|value| number(value.to_str().ok()?)) {
        return Some(wait / 1000);
    }
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    number(text).or_else(|| {
        let then = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
        let seconds = then.duration_since(jiff::Timestamp::now()).as_secs_f64();
        Some(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
    })
}

fn is_context_length(body: &str) -> bool {
    const SIGNS: [&str; 6] = [
        "context_length_exceeded",
        "maximum context length",
        "context window",
        "available context size",
        "prompt is too long",
        "exceed_context_size",
    ];
    let body = body.to_lowercase();
    SIGNS.iter().any(|sign| body.contains(sign))
}

fn is_out_of_quota(body: &str) -> bool {
    ["insufficient_quota", "billing_hard_limit"].iter().any(|sign| body.contains(sign))
}

/// A body on one line, without the tags of an HTML page, cut.
fn short(body: &str) -> String {
    const MOST: usize = 300;
    let mut text = String::new();
    let mut in_tag = false;
    let html = body.trim_start().starts_with('<');
    for c in body.chars().take(20_000) {
        match c {
            '<' if html => in_tag = true,
            '>' if html && in_tag => {
                in_tag = false;
                text.push(' ');
            }
            c if !in_tag => text.push(c),
            _ => {}
        }
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() > MOST { text.chars().take(MOST).chain(['…']).collect() } else { text }
}
