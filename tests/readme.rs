//! The README's output is the output.

use std::path::Path;
use std::process::Command;

/// The text block after `<!-- output: ARGUMENTS -->`, and its arguments.
fn blocks(readme: &str) -> Vec<(Vec<String>, String)> {
    readme
        .split("<!-- output: ")
        .skip(1)
        .map(|part| {
            let (arguments, rest) = part.split_once(" -->").unwrap();
            let text = rest.split_once("```text\n").unwrap().1.split_once("\n```").unwrap().0;
            (arguments.split_whitespace().map(str::to_owned).collect(), text.to_owned())
        })
        .collect()
}

/// Times differ from run to run.
fn without_seconds(text: &str) -> String {
    let words: Vec<&str> = text.trim_end().split(" · ").collect();
    words
        .join(" · ")
        .lines()
        .map(|line| match line.rsplit_once(" · ") {
            Some((before, last)) if last.ends_with(" s") => before.to_owned(),
            _ => line.trim_end().to_owned(),
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Without the journals that earlier runs have left there.
fn copy_of_the_cases() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for entry in walkdir::WalkDir::new(&cases).into_iter().filter_entry(|entry| entry.file_name() != ".mutate") {
        let entry = entry.unwrap();
        let to = folder.path().join("cases").join(entry.path().strip_prefix(&cases).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(to).unwrap();
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
    folder
}

#[test]
fn the_readme_shows_what_the_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let blocks = blocks(&readme);
    assert!(!blocks.is_empty());
    let shared = copy_of_the_cases();
    for (arguments, shown) in blocks {
        // A command that writes into the cases gets some of its own: what others print must not depend on it.
        let own = arguments.iter().any(|argument| argument == "--pin").then(copy_of_the_cases);
        let folder = own.as_ref().unwrap_or(&shared).path();
        let output = Command::new(env!("CARGO_BIN_EXE_mutate"))
            .args(&arguments)
            .current_dir(folder)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            without_seconds(&printed),
            without_seconds(&shown),
            "README.md is not what `mutate {}` prints",
            arguments.join(" ")
        );
    }
}

// Its pack is the one of the suite in `tests/cmd/mutators.in`.
#[test]
fn the_readme_of_the_packs_shows_a_pack_and_what_is_listed_of_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("mutators/README.md")).unwrap();
    let block = |language: &str| {
        readme.split_once(&format!("```{language}\n")).unwrap().1.split_once("```").unwrap().0.to_owned()
    };
    let suite = root.join("tests/cmd/mutators.in");
    assert_eq!(block("yaml"), std::fs::read_to_string(suite.join("mutators/warehouse.yaml")).unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_mutate"))
        .args(["mutators", "--kinds", "paraphrase"])
        .current_dir(&suite)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.ends_with(&block("text")), "{printed}");
}

#[test]
fn init_example_writes_the_suite_that_the_repository_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/support-desk");
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("demo");
    let status = Command::new(env!("CARGO_BIN_EXE_mutate")).args(["init", "--example"]).arg(&to).status().unwrap();
    assert!(status.success());
    let files = |folder: &Path| -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = walkdir::WalkDir::new(folder)
            .into_iter()
            .filter_entry(|entry| entry.file_name() != ".mutate")
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                (
                    entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned(),
                    std::fs::read(entry.path()).unwrap(),
                )
            })
            .collect();
        files.sort();
        files
    };
    assert_eq!(files(&to), files(&root));
}
