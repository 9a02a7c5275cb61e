use super::*;

fn document(text: &str) -> Document {
    Document::from_bytes("rules.md", text.as_bytes().to_vec()).expect("readable")
}

fn found(text: &str, quote: &str) -> Vec<String> {
    locate(&document(text), quote).into_iter().map(|statement| statement.text).collect()
}

#[test]
fn a_quote_across_a_wrapped_line_is_found() {
    let text = "- Be kind.\n- Never refund an order\n  that is older than 30 days.\n- Ask.\n";
    assert_eq!(
        found(text, "Never refund an order that is older than 30 days."),
        ["Never refund an order\n  that is older than 30 days."]
    );
}

#[test]
fn a_rule_that_is_stated_twice_is_found_twice() {
    let text = "# A\n\nNever lie. Be kind.\n\n# B\n\n1. **Never lie.**\n";
    let statements = locate(&document(text), "never lie");
    let places: Vec<(usize, usize, &str)> =
        statements.iter().map(|statement| (statement.line, statement.column, statement.text.as_str())).collect();
    assert_eq!(places, [(3, 1, "Never lie."), (7, 4, "**Never lie.**")]);
}

#[test]
fn line_and_column_are_exact_with_crlf_and_byte_order_mark() {
    let bytes = b"\xEF\xBB\xBF# R\xC3\xA8gles\r\n\r\n> \xC3\xA9t\xC3\xA9. Never lie.\r\n".to_vec();
    let document = Document::from_bytes("a.md", bytes).unwrap();
    let statement = locate(&document, "Never lie.").remove(0);
    assert_eq!((statement.line, statement.column), (3, 8));
    assert_eq!(&document.bytes()[document.byte_range(statement.range)], b"Never lie.");
}

#[test]
fn a_quote_never_matches_inside_a_longer_word_or_number() {
    assert!(found("Overuse tools.\n", "use tools").is_empty());
    assert!(found("Use toolset.\n", "use tool").is_empty());
    assert!(found("Wait 130 days.\n", "30 days").is_empty());
    assert!(found("Wait 2.5 days.\n", "5 days").is_empty());
    assert!(found("Pay at most 30.5\n", "at most 30").is_empty());
    assert!(found("call user_refund now\n", "refund now").is_empty());
    assert_eq!(found("用户不得退款。请客气。\n", "不得退款").len(), 1);
}

#[test]
fn signs_of_every_kind_do_not_matter() {
    let quote = "Don't say \"no\" - ever, to the customer.";
    for text in [
        "Don’t say “no” — ever, to the customer.",
        "don't say &quot;no&quot; &mdash; ever, to&nbsp;the customer.",
        "DON'T SAY \"NO\" -- EVER, TO\u{a0}THE CUS\u{ad}TOMER.",
        "**Don't** say \"_no_\" – ever, to the\u{200b} [customer](https://x.y).",
        "> Don't say \"no\" –\n> ever, to the customer",
        "<b>Don't</b> say \"no\" - ever, to the customer.<br>",
    ] {
        assert_eq!(found(text, quote).len(), 1, "{text}");
    }
}

#[test]
fn a_quote_may_hold_the_whole_link_or_its_text_only() {
    let text = "Always cite [the policy](https://x.y/policy) first.\n";
    for quote in ["cite the policy", "cite [the policy](https://x.y/policy)"] {
        assert_eq!(found(text, quote), ["cite [the policy](https://x.y/policy)"]);
    }
}

#[test]
fn marks_that_belong_to_the_words_are_in_the_range() {
    assert_eq!(found("- **Never** lie to users.", "never lie"), ["**Never** lie"]);
    assert_eq!(found("- **Be kind. Never lie.** Ever.", "never lie."), ["Never lie."]);
    assert_eq!(found("- Run `git push` never.", "git push"), ["`git push`"]);
    assert_eq!(found("_**Never lie**._ Ask.", "Never lie."), ["_**Never lie**._"]);
}

#[test]
fn a_final_period_may_be_missing_on_either_side() {
    assert_eq!(found("- Never lie\n- Ask\n", "Never lie."), ["Never lie"]);
    assert_eq!(found("- Never lie.\n- Ask\n", "Never lie"), ["Never lie."]);
    assert!(found("Never lie to a customer.", "Never lie.").is_empty());
}

#[test]
fn a_match_does_not_run_over_a_blank_line_unless_the_quote_does() {
    let text = "Never lie\n\nto customers.\n";
    assert!(found(text, "never lie to customers").is_empty());
    assert_eq!(found(text, "Never lie\n\nto customers."), ["Never lie\n\nto customers."]);
}

#[test]
fn an_ellipsis_stands_for_words_left_out() {
    let text = "Be kind. Never refund an order that is older than 30 days. Ask first.\n";
    let whole = "Never refund an order that is older than 30 days.";
    for quote in ["Never refund … 30 days.", "Never refund an order...", "… older than 30 days."] {
        assert_eq!(found(text, quote), [whole], "{quote}");
    }
    assert_eq!(found("Say \"Wait...\" first.", "Say \"Wait...\" first"), ["Say \"Wait...\" first."]);
}

#[test]
fn a_table_cell_and_a_whole_row_are_found() {
    let text = "| When | Rule |\n|---|---|\n| late | Never refund. |\n";
    assert_eq!(found(text, "Never refund."), ["Never refund."]);
    assert_eq!(found(text, "| late | Never refund. |"), ["late | Never refund."]);
}

#[test]
fn a_quote_without_a_word_is_nowhere() {
    assert!(found("Never lie...\n", "...").is_empty());
    assert!(found("Never lie.\n", " ").is_empty());
    assert!(found("", "Never lie.").is_empty());
}

mod corpus {
    use super::*;
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    /// Where real instruction files with expected ranges may lie; the test says so and stops where they don't.
    fn shared() -> Option<PathBuf> {
        let folder = std::env::var_os("MUTATE_SHARED")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
            .join("data/rules");
        folder.is_dir().then_some(folder)
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped measurement must be heard of")]
    fn real_quotes_are_found_with_exact_ranges() {
        let Some(folder) = shared() else {
            eprintln!("skipped: no folder of real rules (set MUTATE_SHARED to one)");
            return;
        };
        let rows = std::fs::read_to_string(folder.join("find_variants.dev.jsonl")).unwrap();
        let mut counts: BTreeMap<(bool, String), (usize, usize)> = BTreeMap::new();
        let (mut exact, mut plain_exact, mut all, mut plain_all) = (0, 0, 0, 0);
        for row in rows.lines() {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let file = row["file"].as_str().unwrap();
            let document = Document::from_bytes(file, std::fs::read(folder.join("files").join(file)).unwrap()).unwrap();
            let offset = |key: &str| {
                let chars = usize::try_from(row[key].as_u64().unwrap()).unwrap();
                document.text().char_indices().nth(chars).map_or(document.text().len(), |(at, _)| at)
            };
            let expected = offset("expect_start")..offset("expect_end");
            let statements = locate(&document, row["query"].as_str().unwrap());
            let times = row["occurrences_normalised"].as_u64().unwrap();
            let hit =
                statements.iter().any(|statement| statement.range == expected) && statements.len() as u64 == times;
            let plain = file.ends_with(".md") || file.ends_with(".txt") || file.ends_with(".mdc");
            let count = counts.entry((plain, row["variant"].as_str().unwrap().to_owned())).or_default();
            count.1 += 1;
            all += 1;
            plain_all += usize::from(plain);
            if hit {
                count.0 += 1;
                exact += 1;
                plain_exact += usize::from(plain);
            } else {
                eprintln!(
                    "missed {} {}: {:?}\n  wanted {:?}\n  got {:?}",
                    row["id"],
                    row["variant"],
                    row["query"].as_str().unwrap(),
                    &document.text()[expected],
                    statements.iter().map(|statement| &statement.text).collect::<Vec<_>>()
                );
            }
        }
        eprintln!("exact ranges: {exact}/{all}, Markdown and plain text {plain_exact}/{plain_all}");
        eprintln!("{counts:?}");
        assert!(plain_exact * 1000 >= plain_all * 985, "{plain_exact} of {plain_all}");
        assert!(exact * 1000 >= all * 970, "{exact} of {all}");
    }
}
