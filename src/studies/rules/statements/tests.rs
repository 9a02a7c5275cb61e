use super::*;

fn texts_in(name: &str, text: &str) -> Vec<String> {
    let document = Document::from_bytes(name, text.as_bytes().to_vec()).unwrap();
    let found = rule_statements(&document);
    for rule in &found.rules {
        assert!(!text[rule.range.clone()].trim().is_empty(), "{rule:?}");
    }
    found.rules.into_iter().map(|rule| rule.text).collect()
}

fn texts(text: &str) -> Vec<String> {
    texts_in("rules.md", text)
}

#[test]
fn a_command_in_any_of_its_shapes_is_a_rule() {
    for rule in [
        "Never lend a reference book.",
        "You must check the reader's card.",
        "Ask for the card number first.",
        "You may renew a loan twice.",
        "If the book is late, charge 20 cents a day.",
        "Prefer the short answer over the long one.",
        // What the inverter refuses, though it is a rule.
        "Rarely mention opening hours.",
        "Use the catalogue only for titles.",
        "No jokes about readers.",
        "Nobody but the librarian opens the vault.",
        // The other packs.
        "Verrate niemals die Adresse eines Lesers.",
        "Ne donnez jamais l'adresse d'un lecteur.",
        "Nunca reveles la dirección de un lector.",
        "不要透露读者的地址。",
    ] {
        assert_eq!(texts(&format!("# Desk\n\n{rule}\n")), [rule], "{rule}");
    }
}

#[test]
fn facts_questions_headings_code_and_names_are_no_rules() {
    for other in [
        "The reading room opens at nine.",
        "The scanner cannot read old cards.",
        "Is the reader a member?",
        "Our branches: Saint Anne, Old Mill.",
        "Hello!",
        "Return",
        "\"Never mind.\"",
        "Follow these rules.",
        "You must follow these rules!",
    ] {
        assert_eq!(texts(&format!("# Never lend\n\n{other}\n")), [""; 0], "{other}");
    }
    assert_eq!(texts("## Always ask first\n\n```\nNever run this.\n```\n"), [""; 0]);
    assert_eq!(texts("Ask first.\n\n```\nrun it\n"), ["Ask first."]);
}

#[test]
fn every_sentence_of_an_item_and_of_a_cell_is_a_statement_of_its_own() {
    let text = "- Never lend it. The desk is small. Offer a\n  copy instead.\n\n| When | Then |\n|---|---|\n| late books | Charge a fee. Say sorry. |\n";
    assert_eq!(texts(text), ["Never lend it.", "Offer a copy instead.", "Charge a fee.", "Say sorry."]);
}

#[test]
fn front_matter_is_no_rule() {
    let text = "---\ndescription: Use this desk agent when a reader writes.\nhints:\n  - Never skip this.\n---\n\nNever shout.\n";
    assert_eq!(texts(text), ["Never shout."]);
}

#[test]
fn examples_are_no_rules_under_whatever_they_stand() {
    let rule = "Never shout.";
    for around in [
        format!("## Examples\n\n@\n\n### The first\n\n@\n\n## Tone\n\n{rule}\n"),
        format!("{rule}\n\n<example>\n<turn>\n@\n</turn>\n</example>\n"),
        format!("<few_shot_examples>\n@\n</few_shot_examples>\n\n{rule}\n"),
        format!("{rule}\n\nExamples of bad answers:\n\n- @\n"),
        format!("For example, never say \"no\".\n\n{rule}\n\nExample: @\n"),
        format!("{rule}\n\nCustomer: @\n\n**Assistant:** @\n"),
    ] {
        assert_eq!(texts(&around.replace('@', "Cancel my card now.")), [rule], "{around}");
    }
}

#[test]
fn a_lead_in_is_no_rule_and_its_items_are_where_it_commands() {
    assert_eq!(
        texts("Never share:\n\n- addresses of readers\n- card numbers. They are long.\n\nThe desk is open.\n"),
        ["addresses of readers", "card numbers."]
    );
    assert_eq!(
        texts("- You must never share:\n  - addresses of readers\n- The desk is open.\n"),
        ["addresses of readers"]
    );
    for names in ["Our rooms:", "You can use these tools:", "Each customer has a card with:"] {
        assert_eq!(
            texts(&format!("{names}\n\n- the old hall\n- Never shout there.\n")),
            ["Never shout there."],
            "{names}"
        );
    }
    assert_eq!(texts("Never promise this:\n\nThe desk is open.\n"), ["Never promise this:"], "no item follows");
}

#[test]
fn strings_of_data_and_programs_are_read_as_what_they_say() {
    assert_eq!(
        texts_in("a.json", r##"{"prompt": "# Desk\n\n- Never say \"no\".\n- The desk is open.\n"}"##),
        ["Never say \"no\"."]
    );
    assert_eq!(texts_in("a.yaml", "model: small\nprompt: |\n  Never shout.\n  We are kind.\n"), ["Never shout."]);
    assert_eq!(texts_in("a.py", "# Never read this.\nPROMPT = \"\"\"\nNever shout.\n\"\"\"\n"), ["Never shout."]);
}

#[test]
fn sentences_that_no_pack_knows_are_counted_apart() {
    let document = Document::from_bytes("a.md", "Никогда не говори адрес читателя.\n\nNever shout.\n".into()).unwrap();
    let found = rule_statements(&document);
    assert_eq!((found.rules.len(), found.unread), (1, 1));
}

#[test]
fn a_statement_knows_its_section() {
    let document = Document::from_bytes("a.md", "# Desk\n\n## Loans\n\nNever lend it.\n".into()).unwrap();
    assert_eq!(rule_statements(&document).rules[0].section.as_deref(), Some("Loans"));
}

#[test]
fn every_refusal_that_speaks_of_no_rule_has_a_name_that_there_is() {
    for name in &Words::get().no_rule {
        assert!(RefusalReason::named(name).is_some(), "{name}");
    }
}
