use super::*;

fn shell(script: &str, timeout: Duration) -> CommandLine {
    let words = ["sh", "-c", script].map(str::to_owned);
    CommandLine::new(&words, &[], Path::new("."), timeout, 10_000)
}

fn lines(script: &str, timeout: Duration) -> Lines {
    Lines::new(shell(script, timeout))
}

fn run<T>(asking: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(asking)
}

fn text(line: &str) -> Result<String, String> {
    if line.starts_with("no ") { Err("it says no".to_owned()) } else { Ok(line.to_owned()) }
}

const SOON: Duration = Duration::from_secs(20);

#[test]
fn any_status_of_a_program_that_ends_is_an_answer() {
    let left = run(shell("read line; echo \"got $line\"; echo why >&2; exit 3", SOON).once(b"x\n")).unwrap();
    let (stdout, stderr) = (String::from_utf8(left.stdout).unwrap(), String::from_utf8(left.stderr).unwrap());
    assert_eq!((left.code, stdout.as_str(), stderr.as_str()), (Some(3), "got x\n", "why\n"));
    assert_eq!(left.how, "ended with status 3");
}

#[test]
fn a_program_that_is_too_slow_or_too_loud_or_not_there_is_an_error() {
    let slow = run(shell("sleep 30", Duration::from_millis(100)).once(b"")).unwrap_err();
    assert_eq!(slow.fault, Fault::Timeout);
    let loud = run(shell("yes | head -c 100000", SOON).once(b"")).unwrap_err();
    assert_eq!(loud.fault, Fault::OutputTooLarge);
    let words = ["./no-such-program".to_owned()];
    let missing = CommandLine::new(&words, &[], Path::new("."), SOON, 10);
    assert!(missing.check().unwrap_err().contains("there is no program"));
    assert_eq!(run(missing.once(b"")).unwrap_err().fault, Fault::Crashed);
    assert!(shell("true", SOON).check().is_ok());
}

#[test]
fn a_program_that_stays_answers_every_line_by_itself() {
    let lines = lines("n=0; while read -r line; do n=$((n+1)); echo \"$$ $n $line\"; done", SOON);
    let answers: Vec<String> = run(async {
        let mut answers = vec![];
        for line in ["a", "b", "c"] {
            answers.push(lines.ask(line, text).await.unwrap());
        }
        answers
    });
    let pids: Vec<&str> = answers.iter().map(|answer| answer.split(' ').next().unwrap()).collect();
    assert!(pids.iter().all(|pid| *pid == pids[0]), "one start for all: {answers:?}");
    assert!(answers[2].ends_with(" 3 c"), "{answers:?}");
}

#[test]
fn a_crash_is_an_error_of_the_line_in_flight_and_the_next_one_starts_it_again() {
    let lines = lines(
        "while read -r line; do if [ \"$line\" = die ]; then echo broken >&2; exit 7; fi; echo \"ok $line\"; done",
        SOON,
    );
    run(async {
        assert_eq!(lines.ask("a", text).await.unwrap(), "ok a");
        let died = lines.ask("die", text).await.unwrap_err();
        assert_eq!((died.fault, died.retry), (Fault::Crashed, Retry::No));
        assert!(died.message.contains("ended with status 7 before it answered"), "{}", died.message);
        assert!(died.message.contains("broken"), "{}", died.message);
        assert_eq!(lines.ask("b", text).await.unwrap(), "ok b");
    });
}

#[test]
fn an_answer_in_the_wrong_form_ends_the_program_so_that_no_later_line_gets_it() {
    // It answers the second line with two lines: the extra one must not become the answer to the third.
    let lines =
        lines("while read -r line; do if [ \"$line\" = two ]; then echo 'no sense'; fi; echo \"$line\"; done", SOON);
    run(async {
        assert_eq!(lines.ask("one", text).await.unwrap(), "one");
        assert_eq!(lines.ask("two", text).await.unwrap_err().fault, Fault::Malformed);
        assert_eq!(lines.ask("three", text).await.unwrap(), "three");
    });
}

#[test]
fn time_is_counted_for_one_line_and_a_slow_one_ends_the_program() {
    let lines = lines(
        "while read -r line; do if [ \"$line\" = slow ]; then sleep 60; fi; echo \"$line\"; done",
        Duration::from_millis(1500),
    );
    run(async {
        let slow = lines.ask("slow", text).await.unwrap_err();
        assert_eq!(slow.fault, Fault::Timeout);
        assert_eq!(lines.ask("next", text).await.unwrap(), "next");
    });
}

#[test]
fn a_question_that_is_abandoned_leaves_nothing_for_the_next() {
    let lines = lines("while read -r line; do if [ \"$line\" = late ]; then sleep 1; fi; echo \"$line\"; done", SOON);
    run(async {
        let given_up = tokio::time::timeout(Duration::from_millis(100), lines.ask("late", text)).await;
        assert!(given_up.is_err());
        assert_eq!(lines.ask("next", text).await.unwrap(), "next");
    });
}

#[test]
fn full_pipes_do_not_stop_a_program_that_stays() {
    // More than a pipe holds, both ways and on stderr.
    let script = "while read -r line; do head -c 200000 /dev/zero | tr '\\0' x >&2; printf '%s\\n' \"$line\"; done";
    let long = "y".repeat(300_000);
    let words = ["sh", "-c", script].map(str::to_owned);
    let lines = Lines::new(CommandLine::new(&words, &[], Path::new("."), SOON, 1_000_000));
    run(async {
        for _ in 0..2 {
            assert_eq!(lines.ask(&long, text).await.unwrap().len(), long.len());
        }
    });
}

#[test]
fn the_files_of_a_program_are_part_of_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let of = |watch: &[&str]| {
        let words = ["sh", "check.sh"].map(str::to_owned);
        let watch: Vec<String> = watch.iter().map(|name| (*name).to_owned()).collect();
        CommandLine::new(&words, &watch, folder.path(), SOON, 10)
    };
    std::fs::write(folder.path().join("check.sh"), "exit 0").unwrap();
    std::fs::write(folder.path().join("rules.txt"), "a").unwrap();
    let (first, watched) = (of(&[]).digests().clone(), of(&["*.txt"]).digests().clone());
    assert_ne!(first, watched);
    std::fs::write(folder.path().join("rules.txt"), "b").unwrap();
    assert_eq!((of(&[]).digests() == &first, of(&["*.txt"]).digests() == &watched), (true, false));
    std::fs::write(folder.path().join("check.sh"), "exit 1").unwrap();
    assert_ne!(of(&[]).digests(), &first);
    assert!(of(&["*.py"]).check().unwrap_err().contains("no file to watch matches"));
}
