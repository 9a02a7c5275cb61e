use super::*;

fn instructions(list: &str) -> Folder {
    Folder::good().with("mutate.yaml", format!("instructions: {list}\nagents: {{bot: {{}}}}\n"))
}

#[test]
fn a_suite_is_found_from_its_file_and_from_any_folder_below() {
    let folder = Folder::good().with("cases/deep/er/x.txt", "");
    for start in ["", "mutate.yaml", "cases", "cases/deep/er"] {
        let loaded = load_from(&folder.path(start));
        assert_eq!(loaded.suite.expect(start).root, folder.dir.path(), "{start}");
    }
}

#[test]
fn no_suite_is_an_error_with_a_way_out() {
    let folder = Folder::good().without("mutate.yaml");
    let rendered = folder.rendered();
    assert!(rendered.contains("no mutate.yaml in `"), "{rendered}");
    assert!(rendered.contains("`mutate init`"), "{rendered}");
    assert!(folder.with("mutate.yml", CONFIG).rendered().contains("rename it to mutate.yaml"));
    assert!(mistakes(&load_from(Path::new("/no/such/folder")))[0].contains("there is no folder or file"));
}

#[test]
fn an_empty_or_doubled_configuration_is_an_error() {
    assert_eq!(Folder::good().with("mutate.yaml", "# nothing\n").mistakes(), ["mutate.yaml:1:1: mutate.yaml is empty"]);
    assert_eq!(
        Folder::good().with("mutate.yaml", format!("{CONFIG}---\na: 1\n")).mistakes(),
        ["mutate.yaml:4:1: mutate.yaml must be one document, but a second one starts here"]
    );
}

#[test]
fn globs_are_sorted_and_a_file_is_taken_once() {
    let suite =
        instructions("[prompts/z.md, 'prompts/*.md']").with("prompts/z.md", "z").with("prompts/a.md", "a").suite();
    let paths: Vec<_> = suite.instructions.iter().map(|file| file.path.to_str().unwrap()).collect();
    assert_eq!(paths, ["prompts/z.md", "prompts/a.md", "prompts/support.md"]);
    assert_eq!(suite.instructions[0].place.as_ref().unwrap().to_string(), "mutate.yaml:1:16");
}

#[test]
fn instruction_files_that_can_not_be_used_are_errors() {
    let of = |list: &str| instructions(list).mistakes();
    assert_eq!(of("prompts/suport.md"), ["mutate.yaml:1:15: the instruction file `prompts/suport.md` is not there"]);
    assert!(instructions("prompts/suport.md").rendered().contains("did you mean `prompts/support.md`?"));
    assert_eq!(of("../x.md"), ["mutate.yaml:1:15: `../x.md` lies outside the suite's folder"]);
    assert_eq!(of("/etc/passwd"), ["mutate.yaml:1:15: `/etc/passwd` lies outside the suite's folder"]);
    assert_eq!(of("prompts"), ["mutate.yaml:1:15: `prompts` is a folder, not a file"]);
    assert_eq!(of("prompts/*.txt"), ["mutate.yaml:1:15: no instruction file matches `prompts/*.txt`"]);
    assert_eq!(of("nowhere/*.txt"), ["mutate.yaml:1:15: no instruction file matches `nowhere/*.txt`"]);
    assert_eq!(
        of("'prompts/[.md'"),
        ["mutate.yaml:1:15: `prompts/[.md` is not a valid glob: unclosed character class; missing ']'"]
    );
    assert_eq!(
        of("[prompts/support.md, ./prompts/support.md]"),
        ["mutate.yaml:1:36: `prompts/support.md` is listed twice"]
    );
    assert_eq!(of("[]"), ["mutate.yaml:1:15: `instructions` lists nothing"]);
    assert_eq!(of("[{a: 1}]"), ["mutate.yaml:1:16: `instructions` lists files or globs, but this is a mapping"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_suite_is_an_error() {
    let outside = TempDir::new().unwrap();
    std::fs::write(outside.path().join("x.md"), "x").unwrap();
    for list in ["prompts/x.md", "prompts/*.md"] {
        let folder = instructions(list);
        std::os::unix::fs::symlink(outside.path().join("x.md"), folder.path("prompts/x.md")).unwrap();
        assert_eq!(
            folder.mistakes(),
            ["mutate.yaml:1:15: `prompts/x.md` is a symbolic link to a place outside the suite's folder"]
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_its_own_parent_is_walked_once() {
    let folder = Folder::good();
    std::os::unix::fs::symlink(folder.path("cases"), folder.path("cases/again")).unwrap();
    assert_eq!(folder.suite().cases.len(), 1);
}

#[test]
fn hidden_files_are_no_cases() {
    let folder = Folder::good().with("cases/.hidden.yaml", "broken: [").with("cases/.git/x.yaml", "broken: [");
    assert_eq!(folder.suite().cases.len(), 1);
}

#[test]
fn a_wide_glob_does_not_read_the_configuration_as_a_case() {
    let suite = Folder::good().with("mutate.yaml", format!("{CONFIG}cases: '**/*.yaml'\n")).suite();
    assert_eq!(suite.cases.len(), 1);
}

#[test]
fn a_case_file_that_two_globs_name_is_read_once() {
    let suite =
        Folder::good().with("mutate.yaml", format!("{CONFIG}cases: ['cases/*.yaml', cases/refund.yaml]\n")).suite();
    assert_eq!(suite.cases.len(), 1);
}

#[test]
fn no_case_at_all_is_an_error() {
    assert_eq!(Folder::good().without("cases/refund.yaml").mistakes(), ["mutate.yaml:1:1: this suite has no cases"]);
    assert_eq!(config_mistakes("cases: tests/*.yaml\n"), ["mutate.yaml:3:8: no case file matches `tests/*.yaml`"]);
    for text in ["", "# soon\n", "---\n", "[]\n"] {
        assert_eq!(case_mistakes(text), ["cases/refund.yaml:1:1: this file holds no case"], "{text:?}");
    }
    assert_eq!(Folder::good().with("cases/x.json", " ").mistakes(), ["cases/x.json:1:1: this file holds no case"]);
}

#[test]
fn a_git_lfs_pointer_is_named_as_such() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 170626821\n";
    let folder = Folder::good().with("cases/x.jsonl", pointer).with("prompts/support.md", pointer);
    assert_eq!(
        folder.mistakes(),
        [
            "mutate.yaml:1:15: `prompts/support.md` is a git-lfs pointer, not the file itself",
            "`cases/x.jsonl` is a git-lfs pointer, not the file itself",
        ]
    );
    assert!(folder.rendered().contains("git lfs pull"));
}

#[test]
fn a_case_file_in_another_encoding_is_an_error() {
    assert_eq!(
        Folder::good().with("cases/refund.yaml", b"id: a\ninput: caf\xe9\n").mistakes(),
        ["cases/refund.yaml:2:11: this file is not UTF-8"]
    );
    assert_eq!(
        Folder::good().with("cases/refund.yaml", b"\xff\xfei\0d\0").mistakes(),
        ["cases/refund.yaml:1:1: this file is UTF-16, but cases and settings are read as UTF-8"]
    );
}

#[test]
fn a_mark_at_the_start_of_a_file_is_fine_and_inside_it_is_an_error() {
    let folder = Folder::good()
        .with("cases/refund.yaml", format!("\u{feff}{CASE}"))
        .with("mutate.yaml", format!("\u{feff}{CONFIG}"));
    assert_eq!(folder.suite().cases[0].place.to_string(), "cases/refund.yaml:1:5");
    assert_eq!(
        Folder::good().with("cases/refund.yaml", format!("\u{feff}\u{feff}{CASE}")).mistakes(),
        ["cases/refund.yaml:1:1: there is a byte order mark (U+FEFF) inside the text"]
    );
}

#[test]
fn tabs_and_anchor_bombs_are_errors() {
    assert_eq!(
        case_mistakes("id: a\nexpect:\n\treply_mentions: [x]\n"),
        ["cases/refund.yaml:3:1: this line is indented with a tab"]
    );
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    let bomb = case_mistakes(&bomb);
    assert!(bomb[0].contains("aliases grow this file past"), "{bomb:?}");
}

#[test]
fn a_file_over_the_limit_is_refused_unread() {
    let folder = Folder::good();
    let file = std::fs::File::create(folder.path("cases/big.json")).unwrap();
    file.set_len(crate::source::MAX_FILE_BYTES as u64 + 1).unwrap();
    assert_eq!(folder.mistakes(), ["`cases/big.json` has 33554433 bytes; the limit is 33554432"]);
}
