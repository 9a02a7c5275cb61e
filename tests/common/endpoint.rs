//! A chat endpoint on this machine.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// An endpoint that answers every question, and keeps it.
pub struct Endpoint {
    port: u16,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Endpoint {
    /// `answer` makes the body under HTTP 200.
    pub fn new(mut answer: impl FnMut(&Value) -> Value + Send + 'static) -> Endpoint {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(vec![]));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (head, question) = hear(&stream);
                let body = answer(&question).to_string();
                kept.lock().unwrap().push((head, question));
                // A server that knows its visitors again by a cookie.
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: session=1; Path=/\r\n";
                let _ = write!(&stream, "{head}Connection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            }
        });
        Endpoint { port, asked }
    }

    /// How many questions came.
    pub fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Their bodies.
    pub fn bodies(&self) -> Vec<Value> {
        self.asked.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    /// Their header lines, in lower case.
    pub fn heads(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(head, _)| head.clone()).collect()
    }

    /// The agent that asks it, with more settings.
    pub fn agent(&self, more: &str) -> String {
        format!("chat: {{base_url: 'http://127.0.0.1:{}/v1', model: m-1{more}}}", self.port)
    }
}

/// The head and the body of one request.
fn hear(stream: &TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        let line = line.to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, serde_json::from_slice(&body).unwrap_or_default())
}

/// A reply as an OpenAI-compatible server gives it.
pub fn says(text: &str) -> Value {
    json!({"model": "m-1", "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}]})
}
