//! What the tests of all kinds of agents share.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use super::{Agent, AskError, InstructionFile, Request, Surroundings, from_node};
use crate::source::{Diagnostics, SourceFile, parse_documents};
use crate::transcript::Transcript;

pub(crate) fn surroundings() -> Surroundings {
    Surroundings { root: ".".into(), timeout: Duration::from_millis(30), max_output_bytes: 1_000_000 }
}

/// The agent of a YAML text, and the diagnostics as text.
pub(crate) fn read_in(yaml: &str, surroundings: &Surroundings) -> (Option<Arc<dyn Agent>>, String) {
    let mut diagnostics = Diagnostics::default();
    let documents = parse_documents(&SourceFile::new("mutate.yaml", yaml), &mut diagnostics);
    let agent = documents.first().and_then(|node| from_node("demo", node, surroundings, &mut diagnostics));
    (agent, diagnostics.render(false))
}

pub(crate) fn read_text(yaml: &str) -> (Option<Arc<dyn Agent>>, String) {
    read_in(yaml, &surroundings())
}

pub(crate) fn agent_in(yaml: &str, surroundings: &Surroundings) -> Arc<dyn Agent> {
    let (agent, messages) = read_in(yaml, surroundings);
    agent.unwrap_or_else(|| panic!("{messages}"))
}

pub(crate) fn agent(yaml: &str) -> Arc<dyn Agent> {
    agent_in(yaml, &surroundings())
}

pub(crate) fn file(path: &str, text: &str) -> InstructionFile {
    InstructionFile { path: path.into(), bytes: text.as_bytes().to_vec(), text: text.to_owned() }
}

pub(crate) fn request(input: &str, instructions: &str) -> Request {
    Request {
        case: "refund".to_owned(),
        arm: "baseline".to_owned(),
        trial: 0,
        seed: 7,
        input: input.to_owned(),
        conversation: vec![],
        fixtures: Value::Null,
        instructions: Arc::from([file("prompts/support.md", instructions)]),
    }
}

pub(crate) fn ask(agent: &dyn Agent, request: &Request) -> Result<Transcript, AskError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(agent.ask(request))
}

/// A server that gives canned answers, one a connection, and keeps what it was asked.
pub(crate) struct Server {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
    _thread: JoinHandle<()>,
}

impl Server {
    pub(crate) fn new(answers: Vec<String>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(vec![]));
        let kept = Arc::clone(&asked);
        let thread = std::thread::spawn(move || {
            for answer in answers {
                let Ok((stream, _)) = listener.accept() else { return };
                let heard = hear(&stream);
                kept.lock().unwrap().push(heard);
                let _ = (&stream).write_all(answer.as_bytes());
            }
        });
        Server { port, asked, _thread: thread }
    }

    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.asked.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    pub(crate) fn head(&self, at: usize) -> String {
        self.asked.lock().unwrap()[at].0.clone()
    }
}

/// Head and JSON body of one request.
fn hear(stream: &TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let before = head.len();
        if reader.read_line(&mut head).unwrap_or(0) == 0 || head[before..].trim().is_empty() {
            break;
        }
    }
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    let _ = reader.read_exact(&mut body);
    (head, serde_json::from_slice(&body).unwrap_or_default())
}

pub(crate) fn http(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

pub(crate) fn ok(body: Value) -> String {
    http("200 OK", "Content-Type: application/json\r\n", &body.to_string())
}
