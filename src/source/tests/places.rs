use super::*;

#[test]
fn lines_and_columns_count_characters_from_one() {
    let file = file("ab\r\n日本x\n\n");
    assert_eq!(file.line_column(0), (1, 1));
    assert_eq!(file.line_column(4), (2, 1));
    assert_eq!(file.line_column(10), (2, 3));
    assert_eq!(file.line_column(12), (3, 1));
    assert_eq!(file.line_column(99), (4, 1));
}

#[test]
fn an_excerpt_marks_the_right_characters() {
    let file = file("a: 1\n\tб: \"😀 返金\" x\n");
    let at = file.text.find("返金").unwrap();
    let mut diagnostics = Diagnostics::default();
    diagnostics.error(&Place { file, span: at..at + 6 }, "wrong").label = "here".to_owned();
    let expected = "\
error: wrong
 --> x.yaml:2:8
  |
2 |     б: \"😀 返金\" x
  |            ^^^^ here

";
    let rendered = diagnostics.render(false);
    assert_eq!(rendered.trim_end(), expected.trim_end(), "{rendered}");
}

#[test]
fn a_place_of_many_lines_is_pointed_at_on_its_first() {
    let file = file("a:\n  b: 1\n  c: 2\n");
    let mut diagnostics = Diagnostics::default();
    diagnostics.error(&Place { file, span: 5..17 }, "wrong");
    let rendered = diagnostics.render(false);
    assert!(
        rendered.contains("2 |   b: 1\n  |   ^^^^\n") || rendered.ends_with("2 |   b: 1\n  |   ^^^^\n\n"),
        "{rendered}"
    );
    assert!(!rendered.contains("c: 2"), "{rendered}");
}

#[test]
fn two_places_of_one_file_share_an_excerpt_when_near_and_have_two_when_far() {
    let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let file = file(&text);
    let place = |word: &str| {
        let at = text.find(word).unwrap();
        Place { file: Arc::clone(&file), span: at..at + word.len() }
    };
    let rendered = |first: &str| {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(Diagnostic::error("twice").at(&place("line 30")).related(&place(first), "first here"));
        diagnostics.render(false)
    };
    assert!(rendered("line 28").contains("29 | line 29"), "{}", rendered("line 28"));
    assert!(rendered("line 12").contains("::: x.yaml:12:1"), "{}", rendered("line 12"));
    assert!(!rendered("line 12").contains("line 20"), "{}", rendered("line 12"));
}

#[test]
fn control_characters_are_not_sent_to_the_terminal() {
    let file = file("a: \u{1b}[31mred\u{7}\n");
    let mut diagnostics = Diagnostics::default();
    diagnostics.error(&Place { file, span: 0..1 }, "bad \u{1b}[31m").label = "\u{1b}".to_owned();
    let rendered = diagnostics.render(false);
    assert!(!rendered.contains(['\u{1b}', '\u{7}']), "{rendered:?}");
}

#[test]
fn an_excerpt_of_a_long_line_is_cut_around_the_mark() {
    let file = file(&format!("{} HERE {}\n", "x".repeat(5000), "y".repeat(5000)));
    let mut diagnostics = Diagnostics::default();
    diagnostics.error(&Place { file, span: 5001..5005 }, "wrong");
    let rendered = diagnostics.render(false);
    assert!(rendered.contains("HERE"), "{rendered}");
    assert!(rendered.lines().all(|line| line.chars().count() < 200), "{rendered}");
}
