use super::*;
use crate::instructions::locate;

fn edited(text: &str, quote: &str, how: &Edit) -> Edited {
    let document = Document::from_bytes("rules.md", text.as_bytes().to_vec()).expect("readable");
    let statements = locate(&document, quote);
    assert!(!statements.is_empty(), "{quote:?} is not in {text:?}");
    edit(&document, &statements, how).expect("an edit")
}

fn without(text: &str, quote: &str) -> String {
    edited(text, quote, &Edit::Delete).text
}

fn with(text: &str, quote: &str, other: &str) -> String {
    edited(text, quote, &Edit::Replace(other.to_owned())).text
}

#[test]
fn an_item_goes_with_its_marker() {
    assert_eq!(without("- One.\n- Never\n  lie.\n- Three.\n", "Never lie."), "- One.\n- Three.\n");
}

#[test]
fn both_copies_of_a_rule_go_in_one_edit() {
    assert_eq!(
        without("Be kind. Never lie. Ask.\n\n- Never lie.\n- Stop.\n", "Never lie."),
        "Be kind. Ask.\n\n- Stop.\n"
    );
}

#[test]
fn a_numbered_list_is_renumbered_in_its_own_style() {
    let result = edited("8) A.\n9) Never lie.\n10) C.\n    More.\n11) D.\n", "Never lie.", &Edit::Delete);
    assert_eq!(result.text, "8) A.\n9) C.\n    More.\n10) D.\n");
    assert_eq!(result.notes, ["list renumbered"]);
    assert_eq!(result.changes.len(), 3);
    assert_eq!(result.changes[1], Change { before: 20..22, before_text: "10".into(), after_text: "9".into() });
    assert_eq!(without("01. A.\n02. Never lie.\n03. C.\n", "Never lie."), "01. A.\n02. C.\n");
    assert_eq!(without("1. A.\n1. Never lie.\n1. C.\n", "Never lie."), "1. A.\n1. C.\n");
    assert_eq!(without("1. Never lie.\n\n   Why: trust.\n\n2. B.\n", "Never lie."), "1. B.\n");
}

#[test]
fn an_emptied_heading_goes_and_a_filled_one_stays() {
    let result = edited("# A\n\nBe kind.\n\n## B\n\n- Never lie.\n\n## C\n\nAsk.\n", "Never lie.", &Edit::Delete);
    assert_eq!(result.text, "# A\n\nBe kind.\n\n## C\n\nAsk.\n");
    assert_eq!(result.notes, ["heading `B` removed with its only rule"]);
    assert_eq!(without("# A\n\n## B\n\nNever lie.\n\n# C\n\nAsk.\n", "Never lie."), "# C\n\nAsk.\n");
    assert_eq!(without("Rules\n-----\nNever lie.\n\nTone\n----\nAsk.\n", "Never lie."), "Tone\n----\nAsk.\n");
    assert_eq!(without("# A\n\nNever lie.\n\nAsk.\n", "Never lie."), "# A\n\nAsk.\n");
}

#[test]
fn an_empty_heading_that_was_empty_before_is_left_alone() {
    assert_eq!(without("# A\n\n# B\n\n- Never lie.\n- Ask.\n", "Never lie."), "# A\n\n# B\n\n- Ask.\n");
}

#[test]
fn sentences_are_joined_with_one_blank() {
    assert_eq!(without("Be kind. Never lie. Ask.", "Never lie."), "Be kind. Ask.");
    assert_eq!(without("Never lie. Ask.", "Never lie."), "Ask.");
    assert_eq!(without("Be kind.  Never lie.\n", "Never lie."), "Be kind.\n");
}

#[test]
fn a_wrapped_paragraph_stays_well_formed() {
    let text = "Be kind.\nNever lie to\nanyone.\nAsk first.\n";
    assert_eq!(without(text, "Never lie to anyone."), "Be kind.\nAsk first.\n");
    assert_eq!(without("Be kind. Never\nlie. Ask\nfirst.\n", "Never lie."), "Be kind. Ask\nfirst.\n");
    assert_eq!(without("- Never\n  lie.\n  Ask.\n", "Never lie."), "- Ask.\n");
    assert_eq!(without("> Be kind. Never\n> lie.\n> Ask.\n", "Never lie."), "> Be kind.\n> Ask.\n");
}

#[test]
fn line_ends_are_kept() {
    assert_eq!(
        without("# A\r\n\r\n1. One.\r\n2. Never lie.\r\n3. Three.\r\n", "Never lie."),
        "# A\r\n\r\n1. One.\r\n2. Three.\r\n"
    );
    assert_eq!(without("- One.\n- Never lie.", "Never lie."), "- One.");
    assert_eq!(without("One.\r\n\r\nNever lie.\r\n\r\nThree.\r\n", "Never lie."), "One.\r\n\r\nThree.\r\n");
}

#[test]
fn bold_stays_paired() {
    assert_eq!(without("**Be kind. Never lie.** Ask.", "Never lie."), "**Be kind.** Ask.");
    assert_eq!(without("**Never lie. Be kind.** Ask.", "Never lie."), "**Be kind.** Ask.");
    assert_eq!(without("Ask **first. Never lie** at all.", "Never lie at all."), "Ask **first.**");
    assert_eq!(without("- **Never** lie. **Ask.**\n", "Never lie."), "- **Ask.**\n");
    assert_eq!(without("- Ask. **Never lie**. Be kind.\n", "Never lie."), "- Ask. Be kind.\n");
}

#[test]
fn a_label_goes_with_its_rule() {
    assert_eq!(without("- Ask.\n- **No lies**: Never lie.\n", "Never lie."), "- Ask.\n");
    assert_eq!(without("- Ask.\n- **Truth** — Never lie.\n", "Never lie."), "- Ask.\n");
    assert_eq!(without("- **Truth**: Never lie. Ask.\n", "Never lie."), "- **Truth**: Ask.\n");
}

#[test]
fn nested_rules_are_kept_one_level_further_out() {
    let text = "- Ask.\n- Never lie.\n\n  Trust matters.\n\n  - Be kind.\n    - Smile,\n      often.\n- Stop.\n";
    let result = edited(text, "Never lie.", &Edit::Delete);
    assert_eq!(result.text, "- Ask.\n- Be kind.\n  - Smile,\n    often.\n- Stop.\n");
    assert_eq!(result.notes, ["2 nested items kept, one level further out"]);
}

#[test]
fn what_a_lead_in_leads_into_goes_with_it() {
    let result = edited("1. Never share:\n   - keys\n   - names\n2. Ask.\n", "Never share:", &Edit::Delete);
    assert_eq!(result.text, "1. Ask.\n");
    assert!(result.notes.contains(&"2 items below the rule's lead-in removed with it".to_owned()));
    assert_eq!(without("Ask.\n\nNever share:\n\n- keys\n- names\n\nStop.\n", "Never share:"), "Ask.\n\nStop.\n");
}

#[test]
fn a_quoted_list_goes_as_a_whole() {
    let text = "### Never share:\n- keys\n- names\n\n### Tone\nBe kind.\n";
    assert_eq!(without(text, "Never share:\n- keys\n- names"), "### Tone\nBe kind.\n");
}

#[test]
fn a_fragment_leaves_a_whole_sentence() {
    assert_eq!(without("Confirm orders, never refund.\n", "never refund."), "Confirm orders.\n");
    assert_eq!(without("Confirm orders and never refund.\n", "never refund."), "Confirm orders.\n");
    assert_eq!(without("Never refund, and confirm orders.\n", "Never refund"), "Confirm orders.\n");
    assert_eq!(without("Ask (never lie). Stop.\n", "never lie"), "Ask. Stop.\n");
}

#[test]
fn a_table_stays_a_table() {
    let head = "| When | Rule |\n|---|---|\n";
    assert_eq!(
        without(&format!("{head}| late | Never refund. |\n| soon | Ask. |\n"), "Never refund."),
        format!("{head}| soon | Ask. |\n")
    );
    assert_eq!(
        without(&format!("{head}| When it is later than a month ago. | Never refund. |\n"), "Never refund."),
        format!("{head}| When it is later than a month ago. |  |\n")
    );
    assert_eq!(
        without(&format!("{head}| late | Never refund. Ask. |\n"), "Never refund."),
        format!("{head}| late | Ask. |\n")
    );
    assert_eq!(without(&format!("Hi.\n\n{head}| late | Never refund. |\n"), "Never refund."), "Hi.\n");
}

#[test]
fn a_block_quote_stays_a_block_quote() {
    assert_eq!(without("> - Ask.\n> - Never lie.\n> - Stop.\n", "Never lie."), "> - Ask.\n> - Stop.\n");
}

#[test]
fn neighbours_do_not_become_one_paragraph_or_a_heading() {
    assert_eq!(without("Be kind.\n# Never lie\nAsk.\n", "Never lie"), "Be kind.\n\nAsk.\n");
    assert_eq!(without("Be kind.\n- Never lie.\n---\nAsk.\n", "Never lie."), "Be kind.\n\n---\nAsk.\n");
}

#[test]
fn a_json_string_stays_a_json_string() {
    let text = "{\"rules\": [\"Ask.\",\n\"Never say \\\"no\\\".\"]}\n";
    let document = Document::from_bytes("prompt.json", text.as_bytes().to_vec()).unwrap();
    let statements = locate(&document, "Never say \"no\".");
    for how in [Edit::Delete, Edit::Replace("Always say \"no\" \\ \"yes\".".into())] {
        let result = edit(&document, &statements, &how).unwrap().text;
        serde_json::from_str::<serde_json::Value>(&result).unwrap_or_else(|error| panic!("{error}: {result}"));
    }
}

#[test]
fn a_replacement_keeps_marker_emphasis_and_place() {
    assert_eq!(with("1. **Never** lie.\n2. Ask.\n", "Never lie.", "Always lie."), "1. **Always** lie.\n2. Ask.\n");
    assert_eq!(
        with("> - Never lie to\n>   anyone.\n", "Never lie to anyone.", "Lie to anyone."),
        "> - Lie to anyone.\n"
    );
    assert_eq!(with("- **Never lie.** Ask.\n", "Never lie.", "Always lie."), "- **Always lie.** Ask.\n");
    assert_eq!(with("- **Never lie**. Ask.\n", "Never lie", "Always lie"), "- **Always lie**. Ask.\n");
    assert_eq!(
        with("- Never run `git push`.\r\n- Ask.\r\n", "Never run git push.", "Always run git push."),
        "- Always run `git push`.\r\n- Ask.\r\n"
    );
    assert_eq!(
        with("| a |\n|---|\n| Never lie. |\n", "Never lie.", "Lie | cheat."),
        "| a |\n|---|\n| Lie \\| cheat. |\n"
    );
}

#[test]
fn a_replaced_list_keeps_its_items() {
    assert_eq!(
        with("### Never share:\n* keys\n* names\n", "Never share:\n- keys\n- names", "Always share:\n- keys\n- names"),
        "### Always share:\n* keys\n* names\n"
    );
}

#[test]
fn what_cannot_be_edited_is_an_error() {
    let document = Document::from_bytes("a.md", "Né.".into()).unwrap();
    assert_eq!(edit(&document, &[], &Edit::Delete), Err(EditError::NoStatement));
    let broken = Statement { range: 0..2, line: 1, column: 1, text: String::new() };
    assert_eq!(edit(&document, &[broken], &Edit::Delete), Err(EditError::OutsideText { start: 0, end: 2 }));
    let statement = locate(&document, "Né.");
    assert_eq!(edit(&document, &statement, &Edit::Replace("Né.".into())), Err(EditError::NothingChanged));
    assert_eq!(edit(&document, &statement, &Edit::Replace(" ".into())), Err(EditError::EmptyReplacement));
}

mod generated {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser};

    const RULE: &str = "Never refund an order older than 30 days";

    /// What a Markdown reader sees, block by block, without marks and blanks.
    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            if let Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) = event {
                words.extend(
                    text.split(|c: char| !c.is_alphanumeric())
                        .filter(|word| word.starts_with(char::is_alphabetic))
                        .map(str::to_owned),
                );
            }
        }
        words
    }

    fn line_end() -> impl Strategy<Value = &'static str> {
        prop_oneof![Just("\n"), Just("\r\n")]
    }

    /// The rule as authors write it: wrapped, emphasised, in a list, a quote, a paragraph, a table.
    fn written() -> impl Strategy<Value = String> {
        let prefix = prop_oneof![
            Just(""),
            Just("- "),
            Just("3. "),
            Just("> "),
            Just("> - "),
            Just("* [ ] "),
            Just("Be kind. "),
            Just("- **Money**: "),
            Just("# "),
            Just("   - "),
        ];
        let shape = prop_oneof![
            Just("Never refund an order older than 30 days."),
            Just("**Never** refund an order older than 30 days."),
            Just("**Never refund an order older than 30 days.**"),
            Just("_Never refund_ an [order](https://x.y/z) older than `30 days`"),
            Just("never\u{a0}refund an order older than 30\u{200b} days."),
            Just("Never refund an order older &nbsp; than 30 days."),
        ];
        (prefix, shape, any::<bool>()).prop_map(|(prefix, shape, wrapped)| {
            let quote = if prefix.starts_with('>') { "> " } else { "" };
            let indent = if prefix.contains(['-', '3', '[']) { "     " } else { "" };
            let wrapped = wrapped && prefix != "# ";
            let shape = if wrapped {
                shape.replacen(" older", &format!("\n{quote}{indent}older"), 1)
            } else {
                shape.to_owned()
            };
            format!("{prefix}{shape}")
        })
    }

    fn filler() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("# Head"),
            Just("Some text. More text."),
            Just("- item one"),
            Just("1. first"),
            Just("2. second"),
            Just("  - nested"),
            Just(""),
            Just("| a | b |\n|---|---|\n| c | d |"),
            Just("```\ncode\n```"),
            Just("> quoted"),
            Just("---"),
            Just("<rules>"),
            Just("**bold** and _soft_"),
            Just("    indented"),
            Just("Title\n====="),
            Just("\t- tab"),
            Just("ünïcödé 日本"),
        ]
        .prop_map(str::to_owned)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_rule_is_found_however_it_is_written_and_gone_after_the_edit(
            before in proptest::collection::vec(filler(), 0..4),
            rule in written(),
            after in proptest::collection::vec(filler(), 0..4),
            line_end in line_end(),
        ) {
            let parts = [before.join("\n"), rule, after.join("\n")];
            let text = parts.join("\n\n").replace('\n', line_end);
            let document = Document::from_bytes("a.md", text.clone().into_bytes()).unwrap();
            let statements = locate(&document, RULE);
            prop_assert_eq!(statements.len(), 1, "{:?}", text);
            let result = edit(&document, &statements, &Edit::Delete).unwrap();
            let again = Document::from_bytes("a.md", result.text.clone().into_bytes()).unwrap();
            prop_assert!(locate(&again, RULE).is_empty(), "{:?}", result.text);
            prop_assert!(!result.text.contains("****"));
            prop_assert_eq!(result.text.replace("\r\n", "").contains(['\n', '\r']), line_end == "\n" && result.text.contains('\n'));
            let mut left = words(&result.text).into_iter();
            let kept: Vec<String> = words(&text);
            // Only words went: what is left is a subsequence of what was there.
            let mut rest = kept.iter();
            prop_assert!(left.all(|word| rest.any(|kept| *kept == word)), "{:?} -> {:?}", text, result.text);
            let replaced = edit(&document, &statements, &Edit::Replace("Always pay.".into())).unwrap();
            let again = Document::from_bytes("a.md", replaced.text.clone().into_bytes()).unwrap();
            prop_assert_eq!(locate(&again, "Always pay.").len(), 1, "{:?}", replaced.text);
        }

        #[test]
        fn no_text_and_no_quote_makes_anything_panic(
            pieces in proptest::collection::vec(prop_oneof![filler(), written(), "[ \\t\\r\\n*_`>|#.\\[\\]()<&;:a1-]{0,12}", "\\PC{0,6}"], 0..8),
            glue in prop_oneof![Just("\n"), Just("\n\n"), Just(" "), Just("\r\n"), Just("\r"), Just("")],
            quote in prop_oneof!["[a-z .*…]{0,8}", Just("text. More".to_owned()), Just("item one".to_owned()), Just("... text".to_owned()), Just("e".to_owned()), Just("a".to_owned()), Just("1".to_owned())],
            name in prop_oneof![Just("a.md"), Just("a.txt"), Just("a.json"), Just("a.py")],
        ) {
            let text = pieces.join(glue);
            let Ok(document) = Document::from_bytes(name, text.into_bytes()) else { return Ok(()) };
            let mut statements = locate(&document, &quote);
            for unit in crate::instructions::units(&document) {
                prop_assert!(document.text().get(unit.range.clone()).is_some());
                if statements.is_empty() {
                    statements = vec![Statement::at(&document, unit.range)];
                }
            }
            let _ = crate::instructions::nearest(&document, &quote);
            for how in [Edit::Delete, Edit::Replace("x **y**\n- z".into())] {
                if let Ok(result) = edit(&document, &statements, &how) {
                    let mut rebuilt = document.text().to_owned();
                    for change in result.changes.iter().rev() {
                        rebuilt.replace_range(change.before.clone(), &change.after_text);
                    }
                    prop_assert_eq!(rebuilt, result.text);
                }
            }
        }
    }
}

mod corpus {
    use super::*;
    use std::path::PathBuf;

    /// On real files: the rule is gone, every other rule stands, and nothing but the rule's own lines changed.
    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped measurement must be heard of")]
    fn deleting_a_real_rule_leaves_every_other_rule() {
        let folder = std::env::var_os("MUTATE_SHARED")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
            .join("data/rules");
        let Ok(rules) = std::fs::read_to_string(folder.join("rules.dev.jsonl")) else {
            eprintln!("skipped: no folder of real rules (set MUTATE_SHARED to one)");
            return;
        };
        let rules: Vec<(String, String)> = rules
            .lines()
            .map(|line| {
                let rule: serde_json::Value = serde_json::from_str(line).unwrap();
                let field = |key: &str| rule[key].as_str().unwrap().to_owned();
                (field("file"), field("quote"))
            })
            .collect();
        let (mut clean, mut all) = (0, 0);
        for (file, quote) in &rules {
            let document = Document::from_bytes(file, std::fs::read(folder.join("files").join(file)).unwrap()).unwrap();
            let statements = locate(&document, quote);
            let result = edit(&document, &statements, &Edit::Delete).unwrap();
            let after = Document::from_bytes(file, result.text.clone().into_bytes()).unwrap();
            if std::env::var_os("MUTATE_SHOW").is_some() {
                eprintln!("=== {file}: {quote:?}\n    notes {:?}", result.notes);
                for change in &result.changes {
                    let from = document.text().floor_char_boundary(change.before.start.saturating_sub(40));
                    let to = document.text().ceil_char_boundary((change.before.end + 40).min(document.text().len()));
                    eprintln!(
                        "    {:?} [{:?} -> {:?}] {:?}",
                        &document.text()[from..change.before.start],
                        change.before_text,
                        change.after_text,
                        &document.text()[change.before.end..to]
                    );
                }
            }
            all += 1;
            let gone = locate(&after, quote).is_empty();
            let lost: Vec<&String> = rules
                .iter()
                .filter(|(other_file, other)| other_file == file && !overlaps(&document, &statements, other))
                .filter(|(_, other)| locate(&after, other).is_empty())
                .map(|(_, other)| other)
                .collect();
            let lines = |text: &str| {
                text.lines().map(|line| !line.is_empty() && line.trim().is_empty()).filter(|odd| *odd).count()
            };
            let blank_lines = lines(&result.text) <= lines(document.text());
            if gone && lost.is_empty() && blank_lines {
                clean += 1;
            } else {
                eprintln!("not clean: {file} {quote:?}: gone {gone}, lost {lost:?}, blank lines {blank_lines}");
            }
        }
        eprintln!("clean deletions: {clean}/{all}");
        assert_eq!(clean, all);
    }

    fn overlaps(document: &Document, statements: &[Statement], other: &str) -> bool {
        locate(document, other).iter().any(|place| {
            statements
                .iter()
                .any(|statement| place.range.start < statement.range.end && statement.range.start < place.range.end)
        })
    }
}
