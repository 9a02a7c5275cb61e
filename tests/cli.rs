//! The command line as its users see it: `tests/cmd` holds what is typed and all that is printed.
//!
//! `TRYCMD=overwrite cargo test --test cli` writes down what is printed now; read the diff before it is committed.

mod common;

use std::path::Path;

use walkdir::WalkDir;

#[test]
fn every_command_prints_what_tests_cmd_says() {
    trycmd::TestCases::new()
        .register_bin("mutate", Path::new(env!("CARGO_BIN_EXE_mutate")))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("tests/cmd/*.trycmd")
        .case("tests/cmd/*.toml")
        .run();
    // The suites' agent is `touch asked`: had it been asked for anything, the file would be there, or a journal.
    let traces: Vec<_> = WalkDir::new("tests/cmd")
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| ["asked", ".mutate"].iter().any(|name| entry.file_name() == *name))
        .map(|entry| entry.path().to_owned())
        .collect();
    assert!(traces.is_empty(), "a mistake was found only after the agent was asked: {traces:?}");
}

#[test]
fn what_init_writes_is_a_suite_whose_mutants_can_be_listed() {
    for (kind, runs) in [("command", false), ("chat", false), ("scripted", true)] {
        let lab = common::Lab::new("", "", "");
        std::fs::remove_file(lab.path().join("mutate.yaml")).unwrap();
        lab.write("AGENTS.md", "# Shop\n\n- Greet first.\n- Never offer a discount.\n- Sign with your name.\n");
        let wrote = lab.run(&["init", "--agent", kind]);
        assert_eq!(wrote.code, 0, "{}", wrote.stderr);
        let listed = lab.run(&["rules", "--list"]);
        assert_eq!(listed.code, 0, "{kind}: {}", listed.stderr);
        assert!(listed.stdout.contains("- Never offer a discount."), "{}", listed.stdout);
        if runs {
            let report = lab.rules(&[]);
            assert_eq!(common::only_case(&report)["verdict"], "rule-derived", "{report:#}");
        }
    }
}

#[test]
fn the_example_that_init_writes_is_the_one_of_the_repository() {
    let lab = common::Lab::new("", "", "");
    let wrote = lab.run(&["init", "--example", "shop"]);
    assert_eq!(wrote.code, 0, "{}", wrote.stderr);
    let (theirs, ours) = (lab.path().join("shop"), Path::new("cases/support-desk"));
    let names = |folder: &Path| -> Vec<std::path::PathBuf> {
        let files =
            WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(|entry| entry.file_name() != ".mutate");
        let files = files.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
        files.map(|entry| entry.path().strip_prefix(folder).unwrap().to_owned()).collect()
    };
    assert_eq!(names(&theirs), names(ours));
    for name in names(ours) {
        assert_eq!(std::fs::read(theirs.join(&name)).unwrap(), std::fs::read(ours.join(&name)).unwrap(), "{name:?}");
    }
}

#[test]
fn outside_of_a_suite_the_mutators_of_the_program_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let listed = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mutate"));
        command.arg("mutators").args(arguments).current_dir(folder.path()).output().unwrap()
    };
    let entries: Vec<serde_json::Value> = serde_json::from_slice(&listed(&["--format", "json"]).stdout).unwrap();
    let names: Vec<&str> = entries.iter().filter_map(|entry| entry["name"].as_str()).collect();
    let packs = mutate::mutators::input::Packs::embedded();
    assert_eq!(names, packs.mutators().map(|mutator| mutator.name()).collect::<Vec<_>>());
    assert!(entries.iter().all(|entry| entry["file"].is_null() && entry["example"]["variant"].is_string()));
    // A suite that is named must be there, and one that stands around must be right.
    assert_eq!(listed(&["--suite", "."]).status.code(), Some(2));
    std::fs::write(folder.path().join("mutate.yaml"), "mutators: [packs]\n").unwrap();
    let refused = listed(&[]);
    assert_eq!((refused.status.code(), refused.stdout.is_empty()), (Some(2), true));
}
