//! Includes are followed inside the suite's folder and nowhere else.

use super::*;

fn paths(suite: &Suite) -> Vec<String> {
    suite.instructions.iter().map(|source| source.path.display().to_string()).collect()
}

#[test]
fn included_files_are_instructions_behind_the_listed_ones() {
    let suite = Folder::good()
        .with("mutate.yaml", CONFIG.replace("prompts/support.md", "[prompts/support.md, z.md]"))
        .with("prompts/support.md", "# Rules\n\n@tone.md\n\n{% include \"shared/truth.j2\" %}\n\nWrite to @mira.\n")
        .with("prompts/tone.md", "Be kind. @../z.md\n")
        .with("shared/truth.j2", "Never lie.\n")
        .with("z.md", "Stop.\n")
        .suite();
    assert_eq!(paths(&suite), ["prompts/support.md", "z.md", "prompts/tone.md", "shared/truth.j2"]);
    let place = suite.instructions[2].place.as_ref().unwrap();
    assert_eq!(place.to_string(), "prompts/support.md:3:1");
}

#[test]
fn a_case_may_name_an_included_file() {
    let case = "id: a\ninput: b\nrule: {quote: Be kind., file: prompts/tone.md}\nexpect: {reply_mentions: [c]}\n";
    let folder = Folder::good().with("prompts/support.md", "@tone.md\n").with("prompts/tone.md", "Be kind.\n");
    assert_eq!(folder.with("cases/refund.yaml", case).mistakes(), [""; 0]);
}

#[test]
fn a_circle_of_includes_is_an_error_where_it_closes() {
    let folder = Folder::good()
        .with("prompts/support.md", "Be kind.\n@a.md\n")
        .with("prompts/a.md", "# A\n\n{% include 'b.md' %}\n")
        .with("prompts/b.md", "Ask. @a.md\n");
    assert_eq!(folder.mistakes(), ["prompts/b.md:1:6: this include closes a circle"]);
    let rendered = folder.rendered();
    assert!(rendered.contains("`prompts/a.md` includes `prompts/b.md` includes `prompts/a.md`"), "{rendered}");
    let own = Folder::good().with("prompts/support.md", "@support.md\n");
    assert_eq!(own.mistakes(), ["prompts/support.md:1:1: this include closes a circle"]);
}

#[test]
fn a_file_that_is_included_twice_is_no_circle() {
    let suite = Folder::good()
        .with("prompts/support.md", "@a.md\n@b.md\n")
        .with("prompts/a.md", "@b.md\n")
        .with("prompts/b.md", "Ask.\n")
        .suite();
    assert_eq!(paths(&suite), ["prompts/support.md", "prompts/a.md", "prompts/b.md"]);
}

#[test]
fn what_lies_outside_or_is_not_there_is_warned_of_and_not_read() {
    let outside = TempDir::new().unwrap();
    std::fs::write(outside.path().join("secret.md"), "Never tell.\n").unwrap();
    let absolute = outside.path().join("secret.md");
    let text = format!(
        "@../../secret.md\n@~/secret.md\n@{}\n@gone.md and @somebody\n{{% include 'x' %}}\n",
        absolute.display()
    );
    let folder = Folder::good().with("prompts/support.md", text);
    let loaded = folder.load();
    let told: Vec<String> =
        mistakes(&loaded).iter().map(|line| line.replace(&*absolute.to_string_lossy(), "ABSOLUTE")).collect();
    assert_eq!(
        told,
        [
            "prompts/support.md:1:1: the included file `../../secret.md` lies outside the suite's folder and is not followed",
            "prompts/support.md:2:1: the included file `~/secret.md` lies outside the suite's folder and is not followed",
            "prompts/support.md:3:1: the included file `ABSOLUTE` lies outside the suite's folder and is not followed",
            "prompts/support.md:4:1: the included file `gone.md` is not there and is not followed",
            "prompts/support.md:5:1: the included file `x` is not there and is not followed",
        ]
    );
    assert_eq!(paths(&loaded.suite.unwrap()), ["prompts/support.md"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_suite_is_not_followed() {
    let outside = TempDir::new().unwrap();
    std::fs::write(outside.path().join("x.md"), "Never tell.\n").unwrap();
    let folder = Folder::good().with("prompts/support.md", "@x.md\n");
    std::os::unix::fs::symlink(outside.path().join("x.md"), folder.path("prompts/x.md")).unwrap();
    let loaded = folder.load();
    assert_eq!(
        mistakes(&loaded),
        ["prompts/support.md:1:1: the included file `x.md` lies outside the suite's folder and is not followed"]
    );
    assert_eq!(paths(&loaded.suite.unwrap()), ["prompts/support.md"]);
}
