//! A suite in a temporary folder, and the real binary run on it.

#![allow(dead_code, reason = "each test file uses what it needs")]

pub mod endpoint;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder with a suite; gone when dropped.
pub struct Lab {
    folder: tempfile::TempDir,
}

/// What a run of the binary gave.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }
}

impl Lab {
    /// A suite with these instructions, these cases and this agent (the YAML under `agents: demo:`).
    pub fn new(instructions: &str, cases: &str, agent: &str) -> Lab {
        let lab = Lab { folder: tempfile::tempdir().unwrap() };
        let agent = agent.trim().replace('\n', "\n    ");
        lab.write(
            "mutate.yaml",
            &format!("instructions: rules.md\ncases: cases.yaml\nagents:\n  demo:\n    {agent}\n"),
        );
        lab.write("rules.md", instructions);
        lab.write("cases.yaml", cases);
        lab
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn append(&self, name: &str, text: &str) {
        let before = std::fs::read_to_string(self.path().join(name)).unwrap();
        self.write(name, &format!("{before}{text}"));
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Forgets all recorded trials.
    pub fn forget(&self) {
        let _ = std::fs::remove_dir_all(self.path().join(".mutate"));
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mutate"));
        command.args(arguments).current_dir(self.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.command(arguments).output().unwrap())
    }

    /// `mutate rules --format json` with further arguments.
    pub fn rules(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[&["rules", "--format", "json", "--quiet"], arguments].concat());
        ran.json()
    }

    /// Every line of the journal.
    pub fn journal(&self) -> Vec<Value> {
        let mut lines = vec![];
        let Ok(listing) = std::fs::read_dir(self.path().join(".mutate/journal")) else { return lines };
        for file in listing {
            for line in std::fs::read_to_string(file.unwrap().path()).unwrap().lines() {
                lines.push(serde_json::from_str(line).unwrap());
            }
        }
        lines
    }

    /// Names and contents of all files but the tool's own folder.
    pub fn tree(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<(PathBuf, Vec<u8>)> = walkdir::WalkDir::new(self.path())
            .into_iter()
            .filter_entry(|entry| entry.file_name() != ".mutate")
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| (entry.path().to_owned(), std::fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }
}

pub fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The only case of a report.
pub fn only_case(report: &Value) -> &Value {
    let cases = report["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 1, "{report:#}");
    &cases[0]
}

/// `passes/trials` of the first assertion in an arm.
pub fn rate(case: &Value, arm: &str) -> String {
    let rate = &case["assertions"][0]["arms"][arm];
    format!("{}/{}", rate["passes"], rate["trials"])
}
