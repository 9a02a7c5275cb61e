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
