#![cfg(unix)]

use std::time::Instant;

use super::*;
use crate::agents::InstructionFile;
use crate::agents::testing::{agent_in, ask, file, read_text, request, surroundings};
use crate::transcript::Message;

/// A suite's folder of its own, and surroundings in it.
fn place() -> (tempfile::TempDir, Surroundings) {
    let folder = tempfile::tempdir().unwrap();
    let surroundings =
        Surroundings { root: folder.path().to_owned(), timeout: Duration::from_secs(20), max_output_bytes: 4_000_000 };
    (folder, surroundings)
}

fn shell(script: &str) -> String {
    format!("command: {}", json!(["sh", "-c", script]))
}

fn run(script: &str) -> Result<Transcript, AskError> {
    let (_folder, surroundings) = place();
    ask(&*agent_in(&shell(script), &surroundings), &request("Refund?", "Be kind.\n"))
}

fn alive(pid: &str) -> bool {
    // A zombie that nobody has reaped yet is as gone as can be.
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

/// The signal was sent; on a busy machine the system takes a moment to obey.
fn gone_soon(pid: &str) {
    let started = Instant::now();
    while alive(pid) {
        assert!(started.elapsed() < Duration::from_secs(5), "{pid} lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_prompt_comes_by_stdin_and_the_reply_from_stdout() {
    let answer = run("echo warning >&2; tr a-z A-Z").unwrap();
    assert_eq!(answer, Transcript::text("REFUND?"));
}

#[test]
fn a_transcript_on_the_last_line_is_read() {
    let answer =
        run("cat >/dev/null; echo starting; echo '{\"reply\": \"No.\", \"tool_calls\": [{\"name\": \"a\"}]}'").unwrap();
    assert_eq!((answer.reply.as_deref(), answer.tool_calls.unwrap().len()), (Some("No."), 1));
}

#[test]
fn a_status_other_than_zero_is_an_error_with_the_end_of_stderr() {
    let error = run("echo a fine answer; seq 5000 >&2; echo out of quota >&2; exit 3").unwrap_err();
    assert_eq!((error.fault, error.retry), (Fault::Crashed, Retry::No));
    assert!(error.message.starts_with("`sh` ended with status 3; stderr ends with:\n"), "{}", error.message);
    assert!(error.message.ends_with("5000\nout of quota") && error.message.len() < 5000);
    let error = run("kill -9 $$").unwrap_err();
    assert!(error.message.contains("was ended by signal 9"), "{}", error.message);
}

#[test]
fn nothing_on_stdout_is_silence() {
    assert!(run("exit 0").unwrap().is_silent());
}

#[test]
fn at_the_timeout_the_whole_group_is_gone() {
    for trap in ["", "trap '' TERM; "] {
        let (folder, surroundings) = place();
        let script = format!("{trap}sleep 60 & echo $! > pid; echo $$ > leader; sleep 60");
        let yaml = format!("command: {{run: {}, timeout: 1500ms}}", json!(["sh", "-c", script]));
        let started = Instant::now();
        let error = ask(&*agent_in(&yaml, &surroundings), &request("x", "")).unwrap_err();
        assert_eq!(error.fault, Fault::Timeout);
        assert!(error.message.contains("no answer within 1.5 s"), "{}", error.message);
        assert!(started.elapsed() < Duration::from_secs(5));
        for name in ["pid", "leader"] {
            let pid = std::fs::read_to_string(folder.path().join(name)).unwrap();
            gone_soon(&pid);
        }
    }
}

#[test]
fn a_dropped_trial_leaves_nothing_running() {
    let (folder, surroundings) = place();
    let agent = agent_in(&shell("sleep 60 & echo $! > pid; mv pid pid.done; sleep 60"), &surroundings);
    let pid_file = folder.path().join("pid.done");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let request = request("x", "");
        let mut asking = agent.ask(&request);
        let started = Instant::now();
        while !pid_file.exists() {
            assert!(started.elapsed() < Duration::from_secs(10));
            let _ = tokio::time::timeout(Duration::from_millis(20), &mut asking).await;
        }
        let pid = std::fs::read_to_string(&pid_file).unwrap();
        assert!(alive(&pid));
        drop(asking);
        gone_soon(&pid);
    });
}

#[test]
fn a_grandchild_that_holds_the_pipe_stops_nothing() {
    let (folder, surroundings) = place();
    let started = Instant::now();
    let script = "sleep 60 & echo $! > pid; echo done";
    let answer = ask(&*agent_in(&shell(script), &surroundings), &request("x", "")).unwrap();
    assert_eq!(answer.reply.as_deref(), Some("done"));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    gone_soon(&std::fs::read_to_string(folder.path().join("pid")).unwrap());
}

#[test]
fn a_grandchild_that_leaves_the_group_stops_nothing_either() {
    let (folder, surroundings) = place();
    let started = Instant::now();
    let script = "setsid sh -c 'echo $$ > pid; sleep 8' & while ! test -s pid; do sleep 0.05; done; echo done";
    let answer = ask(&*agent_in(&shell(script), &surroundings), &request("x", "")).unwrap();
    assert_eq!(answer.reply.as_deref(), Some("done"));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(folder.path().join("pid").exists());
}

#[test]
fn late_words_of_a_child_that_ends_soon_are_heard() {
    assert_eq!(run("(sleep 0.1; echo late) & echo soon").unwrap().reply.as_deref(), Some("soon\nlate"));
}

#[test]
fn too_much_output_is_an_error_and_never_cut() {
    let (_folder, surroundings) = place();
    let surroundings = Surroundings { max_output_bytes: 1000, ..surroundings };
    let agent = agent_in(&shell("yes | head -c $MUTATE_INPUT; sleep 0"), &surroundings);
    assert_eq!(ask(&*agent, &request("1000", "")).unwrap().reply.unwrap().len(), 999);
    let error = ask(&*agent, &request("1001", "")).unwrap_err();
    assert_eq!(error.fault, Fault::OutputTooLarge);
    assert!(error.message.contains("more than 1000 bytes"));
    let endless = ask(&*agent_in(&shell("yes"), &surroundings), &request("", "")).unwrap_err();
    assert_eq!(endless.fault, Fault::OutputTooLarge);
}

#[test]
fn a_program_that_ignores_a_long_input_is_no_error() {
    let (_folder, surroundings) = place();
    let long = "x".repeat(1_000_000);
    let deaf = agent_in(&shell("echo ${MUTATE_INPUT-unset}"), &surroundings);
    assert_eq!(ask(&*deaf, &request(&long, "")).unwrap().reply.as_deref(), Some("unset"));
    let echo = agent_in(&shell("cat"), &surroundings);
    assert_eq!(ask(&*echo, &request(&long, "")).unwrap().reply.unwrap().len(), 1_000_000);
    let argument = agent_in("command: [echo, '{input}']", &surroundings);
    let error = ask(&*argument, &request(&long, "")).unwrap_err();
    assert!(error.fault == Fault::Crashed && error.message.contains("goes by stdin"), "{}", error.message);
}

#[test]
fn the_variables_name_the_trial_and_the_files() {
    let (folder, surroundings) = place();
    let script = "cat > /dev/null; cd /; for n in CASE ARM TRIAL SEED RUN_SEED INPUT SUITE CONVERSATION FIXTURES; do eval \"echo \\\"\\$MUTATE_$n\\\"\"; done; \
                  cat \"$MUTATE_INSTRUCTIONS_DIR/prompts/support.md\" \"$MUTATE_INSTRUCTIONS\" \"$MUTATE_INSTRUCTIONS_2\" \"$MUTATE_FILE_B_TXT\"";
    let agent = agent_in(&shell(script), &surroundings);
    let mut request = Request { trial: 4, arm: "delete".to_owned(), ..request("a 'b' $HOME", "") };
    request.instructions = Arc::from([file("prompts/support.md", "one\n"), file("b.txt", "two\n")]);
    request.conversation = vec![Message { role: "user".to_owned(), content: "hi".to_owned() }];
    request.fixtures = json!({"a": 1});
    let reply = ask(&*agent, &request).unwrap().reply.unwrap();
    let expected = format!(
        "refund\ndelete\n4\n{}\n7\na 'b' $HOME\n{}\n[{{\"role\":\"user\",\"content\":\"hi\"}}]\n{{\"a\":1}}\none\none\ntwo\ntwo",
        request.trial_seed(),
        folder.path().display()
    );
    assert_eq!(reply, expected);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the user's tree is not touched");
}

#[test]
fn instruction_files_have_equal_bytes_and_are_written_once_for_each_set() {
    let (_folder, surroundings) = place();
    let agent =
        agent_in(&shell("echo \"$MUTATE_INSTRUCTIONS\"; ls -l \"$MUTATE_INSTRUCTIONS\" | cut -c1-10"), &surroundings);
    let bytes = b"\xef\xbb\xbfcaf\xc3\xa9\r\nx\xff".to_vec();
    let mut first = request("x", "");
    first.instructions =
        Arc::from([InstructionFile { path: "a/b.md".into(), bytes: bytes.clone(), text: "café\r\nx".to_owned() }]);
    let reply = ask(&*agent, &first).unwrap().reply.unwrap();
    let (path, mode) = reply.split_once('\n').unwrap();
    assert_eq!(std::fs::read(path).unwrap(), bytes);
    assert_eq!(mode, "-r--r--r--");
    let same_content = Request { instructions: Arc::from(first.instructions.to_vec()), trial: 1, ..first.clone() };
    assert_eq!(ask(&*agent, &same_content).unwrap().reply.unwrap(), reply);
    let other = ask(&*agent, &request("x", "other")).unwrap().reply.unwrap();
    assert_ne!(other, reply);
    let path = path.to_owned();
    drop(agent);
    assert!(!Path::new(&path).exists());
}

#[test]
fn a_program_that_changes_its_instructions_is_an_error_and_spoils_no_other_trial() {
    let (_folder, surroundings) = place();
    let script = "test \"$MUTATE_TRIAL\" = 0 && { rm -f \"$MUTATE_INSTRUCTIONS\"; echo bad > \"$MUTATE_INSTRUCTIONS\"; }; \
                  cat \"$MUTATE_INSTRUCTIONS\"";
    let agent = agent_in(&shell(script), &surroundings);
    let first = request("x", "Be kind.");
    let error = ask(&*agent, &first).unwrap_err();
    assert!(error.message.contains("changed the instruction file `prompts/support.md`"), "{}", error.message);
    let second = Request { trial: 1, ..first };
    assert_eq!(ask(&*agent, &second).unwrap().reply.as_deref(), Some("Be kind."));
}

#[test]
fn what_a_trial_leaves_beside_its_instructions_is_an_error_and_seen_by_no_other_trial() {
    for (spoil, message) in [
        ("touch \"$d/note.md\"", "left `note.md` in the folder of its instructions"),
        ("mkdir \"$d/prompts/cache\"", "left `prompts/cache` in the folder of its instructions"),
        ("rm -rf \"$d/prompts\"", "removed the instruction file `prompts/support.md`"),
        ("touch \"$d/note.md\"; exit 3", "left `note.md`"),
        // Its own failure is told, and the next trial is clean all the same.
        ("touch \"$d/note.md\"; sleep 30", "no answer within"),
    ] {
        let (_folder, surroundings) = place();
        let surroundings = Surroundings { timeout: Duration::from_secs(3), ..surroundings };
        let script = format!(
            "d=\"$MUTATE_INSTRUCTIONS_DIR\"; test \"$MUTATE_TRIAL\" = 0 && {{ {spoil}; }}; cat $d/prompts/support.md; cd $d && find . | sort"
        );
        let agent = agent_in(&shell(&script), &surroundings);
        let first = request("x", "Be kind.\n");
        let error = ask(&*agent, &first).unwrap_err();
        assert!(error.message.contains(message), "{}", error.message);
        let second = Request { trial: 1, ..first };
        let reply = ask(&*agent, &second).unwrap().reply.unwrap();
        assert_eq!(reply, "Be kind.\n.\n./prompts\n./prompts/support.md", "{spoil}");
    }
}

#[test]
fn what_an_abandoned_trial_left_is_seen_by_no_other_trial() {
    let (_folder, surroundings) = place();
    let script = "cd $MUTATE_INSTRUCTIONS_DIR; test $MUTATE_TRIAL = 0 && { touch note.md; sleep 30; }; ls";
    let agent = agent_in(&shell(script), &surroundings);
    let first = request("x", "");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let _ = tokio::time::timeout(Duration::from_secs(2), agent.ask(&first)).await;
    });
    assert_eq!(ask(&*agent, &Request { trial: 1, ..first }).unwrap().reply.as_deref(), Some("prompts"));
}

#[test]
fn a_place_that_is_nearly_one_is_a_warning() {
    for (word, near) in [
        ("{inptu}", "{input}"),
        ("--q={Input}", "{input}"),
        ("{ input }", "{input}"),
        ("{input} {instruction-dir}", "{instructions_dir}"),
        ("{seeds}", "{seed}"),
    ] {
        let (agent, messages) = read_text(&format!("command: [echo, {}]", json!(word)));
        assert!(agent.is_some() && messages.contains(&format!("did you mean `{near}`?")), "{word}: {messages}");
        assert!(messages.contains("mutate.yaml:1:"), "{word}: {messages}");
    }
    for word in ["{input}", "{other}", "{}", "${inputs}", "{\"inptu\": 1}", "{inptu", "inptu}", "awk '{print $1}'"] {
        let (_, messages) = read_text(&format!("command: [echo, {}]", json!(word)));
        assert_eq!(messages, "", "{word}");
    }
}

#[test]
fn an_edited_module_is_another_agent() {
    let (folder, surroundings) = place();
    let root = folder.path().join("suite");
    let surroundings = Surroundings { root: root.clone(), ..surroundings };
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for name in ["a.py", "src/b.py", "src/deep/c.py", "src/d.txt", "src/.cache/e.py", "../shared/tools.json"] {
        write(name, "1");
    }
    let settings =
        || agent_in("command: {run: [sh], watch: [a.py, src/**/*.py, ../shared/*.json]}", &surroundings).settings();
    let mut before = settings();
    assert_eq!(before["watch"].as_object().unwrap().len(), 3);
    for (name, counts) in [
        ("a.py", true),
        ("src/b.py", true),
        ("src/deep/c.py", true),
        ("src/deep/new.py", true),
        ("../shared/tools.json", true),
        ("src/d.txt", false),
        ("src/.cache/e.py", false),
    ] {
        write(name, "2");
        let after = settings();
        assert_eq!(after != before, counts, "{name}");
        before = after;
    }
    assert!(agent_in("command: [sh]", &surroundings).settings().get("watch").is_none());
    for (pattern, message) in [
        ("src/*.js", "no file to watch matches `src/*.js`"),
        ("nowhere/**/*.py", "no file to watch matches"),
        ("b.py", "no file to watch matches `b.py`"),
        ("src", "`src` is a folder"),
        ("/etc/hosts", "is not relative to the suite's folder"),
        ("src/[", "is not a valid glob"),
        ("", "but this is empty"),
    ] {
        let (agent, messages) = crate::agents::testing::read_in(
            &format!("command: {{run: [sh], watch: [a.py, {}]}}", json!(pattern)),
            &surroundings,
        );
        assert!(agent.is_none() && messages.contains(message), "{pattern}: {messages}");
        assert!(messages.contains("mutate.yaml:1:"), "{messages}");
    }
}

#[test]
fn places_in_arguments_are_filled_once_and_literally() {
    let (_folder, surroundings) = place();
    let agent = agent_in(
        "command: [printf, '%s|', '{input}', 'a{case}b{arm}', '{trial}-{run_seed}', '{other}', '{instructions}']",
        &surroundings,
    );
    let answer = ask(&*agent, &request("{case} $(ls) 'x'", "Be kind.\n")).unwrap();
    assert_eq!(answer.reply.as_deref(), Some("{case} $(ls) 'x'|arefundbbaseline|0-7|{other}|Be kind.|"));
    assert_eq!(agent.delivery(), Delivery::Handed);
    assert_eq!(agent_in("command: [cat]", &surroundings).delivery(), Delivery::Offered);
}

#[test]
fn an_agent_that_seeds_itself_differs_from_trial_to_trial_and_not_from_run_to_run() {
    let (_folder, surroundings) = place();
    let agent = agent_in("command: [sh, -c, 'echo $MUTATE_SEED $1', '-', '{seed}']", &surroundings);
    let told = |case: &str, arm: &str, trial: u32| {
        let request = Request { case: case.to_owned(), arm: arm.to_owned(), trial, ..request("x", "") };
        let reply = ask(&*agent, &request).unwrap().reply.unwrap();
        let (variable, place) = reply.split_once(' ').unwrap();
        assert_eq!(variable, place);
        variable.parse::<i32>().unwrap()
    };
    let seeds = [told("a", "baseline", 0), told("a", "baseline", 1), told("a", "delete", 0), told("b", "baseline", 0)];
    assert_eq!(seeds.iter().collect::<std::collections::HashSet<_>>().len(), 4, "{seeds:?}");
    assert_eq!(told("a", "baseline", 0), seeds[0]);
}

#[test]
fn a_session_never_comes_twice_not_even_for_the_same_trial() {
    let (_folder, surroundings) = place();
    let agent = agent_in("command: [sh, -c, 'echo $MUTATE_SESSION']", &surroundings);
    let sessions: Vec<String> = (0..5).map(|_| ask(&*agent, &request("x", "")).unwrap().reply.unwrap()).collect();
    assert_eq!(sessions.iter().collect::<std::collections::HashSet<_>>().len(), 5, "{sessions:?}");
    let safe = |c: char| c.is_ascii_hexdigit() || c == '-';
    assert!(sessions.iter().all(|id| id.chars().all(safe) && id.len() > 10), "{sessions:?}");
}

#[test]
fn the_whole_request_goes_by_stdin_as_json_on_demand() {
    let (_folder, surroundings) = place();
    let agent = agent_in("command: {run: [cat], stdin: json, reply: text}", &surroundings);
    assert_eq!(agent.delivery(), Delivery::Handed);
    let request = Request { fixtures: json!({"orders": {}}), ..request("Refund?", "Be kind.") };
    let told: Value = serde_json::from_str(&ask(&*agent, &request).unwrap().reply.unwrap()).unwrap();
    assert_eq!(
        told,
        json!({"input": "Refund?", "conversation": [], "fixtures": {"orders": {}}, "case": "refund", "arm": "baseline",
            "trial": 0, "seed": request.trial_seed(), "run_seed": 7, "instructions": [{"path": "prompts/support.md", "text": "Be kind."}]})
    );
}

#[test]
fn a_trial_may_have_an_empty_folder_of_its_own() {
    let (_folder, surroundings) = place();
    let agent = agent_in("command: {run: [sh, -c, 'pwd; ls -A; touch left'], cwd: temp, stdin: none}", &surroundings);
    let first = ask(&*agent, &request("x", "")).unwrap().reply.unwrap();
    let second = ask(&*agent, &request("x", "")).unwrap().reply.unwrap();
    assert!(first != second && !first.contains("left"), "{first} {second}");
    assert!(!Path::new(&first).exists());
}

#[test]
fn a_program_that_is_not_there_is_found_by_the_check() {
    let (folder, surroundings) = place();
    let check = |yaml: &str| agent_in(yaml, &surroundings).check();
    assert_eq!(
        check("command: [no-such-program-anywhere]"),
        Err("there is no program `no-such-program-anywhere` in PATH; one that lies in the suite is named with its \
             folder: `./no-such-program-anywhere`"
            .to_owned())
    );
    assert!(check("command: [./agent.sh]").unwrap_err().contains("there is no program `"));
    std::fs::write(folder.path().join("agent.sh"), "#!/bin/sh\necho here\n").unwrap();
    assert!(check("command: [./agent.sh]").unwrap_err().contains("chmod +x"));
    std::fs::set_permissions(folder.path().join("agent.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    assert_eq!(check("command: [./agent.sh]"), Ok(()));
    assert_eq!(check("command: [sh]"), Ok(()));
    assert_eq!(
        ask(&*agent_in("command: {run: [./agent.sh], cwd: temp}", &surroundings), &request("x", ""))
            .unwrap()
            .reply
            .as_deref(),
        Some("here")
    );
    let error = ask(&*agent_in("command: [no-such-program-anywhere]", &surroundings), &request("x", "")).unwrap_err();
    assert!(error.fault == Fault::Crashed && error.message.contains("can't start `no-such-program-anywhere`"));
}

#[test]
fn secrets_are_masked_and_an_edited_program_is_another_agent() {
    let (folder, surroundings) = place();
    let yaml =
        "command: {run: [sh, a.sh, --api-key, s3cret-a, --token=s3cret-b, --fast], env: {API_KEY: s3cret-c, MODE: x}}";
    std::fs::write(folder.path().join("a.sh"), "echo 1").unwrap();
    let first = agent_in(yaml, &surroundings);
    let shown = format!("{} {}", first.settings(), first.describe());
    assert!(!shown.contains("s3cret") && shown.contains("--fast") && shown.contains("\"MODE\":\"x\""), "{shown}");
    std::fs::write(folder.path().join("a.sh"), "echo 2").unwrap();
    assert_ne!(agent_in(yaml, &surroundings).settings(), first.settings());
}

#[test]
fn mistakes_are_told_with_their_places() {
    for (yaml, message) in [
        ("command: python agent.py", "a command must be a list, but this is text"),
        ("command: []", "names no program"),
        ("command: {}", "needs `run`"),
        ("command: {run: [a], stdin: yaml}", "`stdin` must be one of `prompt`, `json`, `none`, not yaml"),
        ("command: {run: [a], timout: 3}", "did you mean `timeout`?"),
        ("command: {run: [a], timeout: 0}", "`timeout` must be more than 0"),
        ("command: {run: [a, [b]]}", "an argument must be text, but this is a list"),
        ("command: {run: [a], env: {X: [1]}}", "`X` must be text"),
    ] {
        let (agent, messages) = read_text(yaml);
        assert!(agent.is_none() && messages.contains(message), "{yaml}: {messages}");
        assert!(messages.contains("mutate.yaml:1:"), "{yaml}: {messages}");
    }
    assert!(surroundings().root.is_relative());
}
