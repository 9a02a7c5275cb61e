use super::*;

fn turned_to(text: &str) -> String {
    match invert(text) {
        Inversion::Inverted(text) => text,
        Inversion::Refused(refusal) => format!("refused: {}", refusal.reason.name()),
    }
}

#[test]
fn plain_shapes_are_turned_around() {
    for (rule, expected) in [
        ("Never promise a delivery date.", "Always promise a delivery date."),
        ("Always cite the source.", "Never cite the source."),
        ("NEVER share keys!", "ALWAYS share keys!"),
        ("Do not mention competitors.", "Mention competitors."),
        ("Don’t mention competitors", "Mention competitors"),
        ("do NOT mention competitors", "mention competitors"),
        ("Verify the identity of the caller.", "Do not verify the identity of the caller."),
        ("Please be concise.", "Please do not be concise."),
        ("Carefully read the order.", "Do not carefully read the order."),
        ("You must ask first.", "You must not ask first."),
        ("You mustn't ask.", "You must ask."),
        ("Sensitive data must never be logged.", "Sensitive data must always be logged."),
        ("Prices should always include tax.", "Prices should never include tax."),
        ("You cannot offer credit.", "You can offer credit."),
        ("Users may not share accounts.", "Users may share accounts."),
        ("A reason is not required.", "A reason is required."),
        ("It is forbidden to store passwords.", "It is allowed to store passwords."),
        ("Refunds above $500 require approval.", "Refunds above $500 do not require approval."),
        ("Customers do not have to give a reason.", "Customers have to give a reason."),
        ("The user needs to confirm.", "The user does not need to confirm."),
        ("Avoid promising dates.", "Promise dates."),
        ("Refuse to give legal advice.", "Give legal advice."),
        ("Prefer short answers over long ones.", "Prefer long ones over short answers."),
        ("Ensure that you log every call.", "Ensure that you do not log every call."),
        ("Make sure not to leak keys.", "Make sure to leak keys."),
        ("Open only one ticket.", "Open more than one ticket."),
        ("Reply in at most 3 sentences.", "Reply in more than 3 sentences."),
        ("You must use at least two sources.", "You must use fewer than two sources."),
        ("Never reply in more than 3 sentences.", "Always reply in more than 3 sentences."),
        ("Do not refund just because they ask.", "Refund just because they ask."),
        ("Do not exceed the limit.", "Exceed the limit."),
    ] {
        assert_eq!(turned_to(rule), expected, "{rule}");
    }
}

#[test]
fn scenes_labels_and_markers_stay() {
    for (rule, expected) in [
        ("If the order is late, say sorry.", "If the order is late, do not say sorry."),
        ("Before you close a ticket, never ask for a rating.", "Before you close a ticket, always ask for a rating."),
        (
            "For chats, calls, and mails, you must log the topic.",
            "For chats, calls, and mails, you must not log the topic.",
        ),
        ("**Important**: Never guess.", "**Important**: Always guess."),
        ("However, do not guess.", "However, guess."),
        ("**Never** guess a *name*.", "**Always** guess a *name*."),
        ("**Do not** guess.", "Guess."),
        ("- Never guess.", "- Always guess."),
        ("Never guess\nthe name.", "Always guess\nthe name."),
        ("Never share:\n- keys\n- names", "Always share:\n- keys\n- names"),
    ] {
        assert_eq!(turned_to(rule), expected, "{rule}");
    }
}

#[test]
fn every_clause_is_turned() {
    for (rule, expected) in [
        ("Greet the caller and ask for the number.", "Do not greet the caller or ask for the number."),
        ("Greet, ask for the name, and confirm the order.", "Do not greet, ask for the name, or confirm the order."),
        ("Don't guess; ask the user.", "Guess; do not ask the user."),
        ("Never guess. Always ask.", "Always guess. Never ask."),
        ("Do not call them, but send a mail.", "Call them, but do not send a mail."),
        ("Dates go first, never last.", "refused: no-cue"),
        ("Dates must always go first, never last.", "Dates must never go first, always last."),
        ("Do not guess. Instead, ask the user.", "Guess. Do not ask the user."),
        ("Do not offer a refund unless a manager agreed.", "Offer a refund."),
    ] {
        assert_eq!(turned_to(rule), expected, "{rule}");
    }
}

#[test]
fn traps_are_refused_by_name() {
    for (rule, reason) in [
        ("The parser cannot read tabs.", "description"),
        ("Code is formatted by a tool.", "description"),
        ("The shop opens at nine.", "no-cue"),
        ("Should you ask first?", "question"),
        ("`cargo test`", "only-code"),
        ("Niemals eine Erstattung versprechen, wenn der Kunde nicht fragt.", "other-language"),
        ("退款前必须确认订单。", "other-language"),
        ("Use the tool only when the user asks for it.", "only"),
        ("Only managers can approve refunds.", "only"),
        ("Only answer questions about orders.", "only"),
        ("**Only** discuss billing.", "only"),
        ("Please only discuss billing.", "only"),
        ("If the user is a guest, only discuss billing.", "only"),
        ("Just answer questions about orders.", "only"),
        ("Answer only questions about orders.", "only"),
        ("Answer questions about orders only.", "only"),
        ("Exclusively use the order tool.", "only"),
        ("Use the order tool exclusively.", "only"),
        ("Solely answer in English.", "only"),
        ("You must exclusively use the order tool.", "only"),
        ("Always only use the order tool.", "only"),
        ("Reply with just the number.", "only"),
        ("Make sure you answer only questions about orders.", "only"),
        ("Never discuss anything except orders.", "exception"),
        ("Never discuss anything other than orders.", "exception"),
        ("Do not talk about anything but orders.", "exception"),
        ("Discuss nothing but orders.", "exception"),
        ("Use no tools apart from the order tool.", "exception"),
        ("Reply in at most a few sentences.", "threshold"),
        ("Summarise the case in up to 3 sentences.", "threshold"),
        ("Report not only errors but also warnings.", "not-only"),
        ("Do not just apologise.", "not-only"),
        ("Transfer if and only if the user insists.", "if-and-only-if"),
        ("Do not proceed until the user agrees.", "exception"),
        ("Unless asked, send no mails.", "exception"),
        ("Never call anyone except the owner.", "exception"),
        ("Use tabs, not spaces.", "preference"),
        ("You should avoid jargon.", "lexical-negation"),
        ("No refunds after 30 days.", "bare-no"),
        ("There must be no gaps.", "bare-no"),
        ("Use emojis sparingly.", "degree"),
        ("Ask the user, then close the ticket.", "two-commands"),
        ("**No invented names**: Use the names in the file.", "label-polarity"),
        ("Follow these steps:\n- Never guess.\n- Ask.", "list-lead-in"),
        ("", "only-code"),
    ] {
        assert_eq!(turned_to(rule), format!("refused: {reason}"), "{rule}");
    }
}

#[test]
fn a_negation_that_is_only_quoted_is_no_cue() {
    assert_eq!(turned_to("Say \"I do not know\" when unsure."), "Do not say \"I do not know\" when unsure.");
    assert_eq!(turned_to("Never run `must not` (never)."), "Always run `must not` (never).");
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_makes_the_mutators_panic(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "Never", "do", "not", "**Always**", "must", "only", "if", ",", ";", "unless", "you", "can", "-", "\"", "`", "(",
                ")", ":", "\n- ", "é", "avoid", "using", "prefer", "over", "one", "at", "most", "3", ".", "?", "don’t", "and", "it's",
                "is", "required", "ensure", "instead", "—", "first", "please", "needs", "to", "#", "*", "“", "a",
            ]),
            0..16,
        ),
        glue in "[ ]{0,1}",
    ) {
        let text = words.join(&glue);
        for mutated in [invert(&text), super::super::weaken(&text)] {
            if let Inversion::Inverted(mutated) = mutated {
                proptest::prop_assert_ne!(mutated, text.clone());
            }
        }
    }
}

mod corpus {
    use super::*;
    use std::path::PathBuf;

    /// Prints how many real rules are answered, and writes the answers to the file that `MUTATE_INVERSIONS` names, so
    /// that they can be scored.
    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped measurement must be heard of")]
    fn answers_for_real_rules_are_listed() {
        let rules = std::env::var_os("MUTATE_SHARED")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
            .join("data/rules/rules.dev.jsonl");
        let Ok(rules) = std::fs::read_to_string(rules) else {
            eprintln!("skipped: no folder of real rules (set MUTATE_SHARED to one)");
            return;
        };
        let mut lines = String::new();
        let (mut answered, mut all) = (0, 0);
        for rule in rules.lines() {
            let rule: serde_json::Value = serde_json::from_str(rule).unwrap();
            let found = invert(rule["quote"].as_str().unwrap());
            let reason = match &found {
                Inversion::Inverted(_) => None,
                Inversion::Refused(refusal) => Some(refusal.to_string()),
            };
            all += 1;
            answered += usize::from(reason.is_none());
            let line = serde_json::json!({"id": rule["id"], "inverted": found.text(), "refused": reason});
            lines.push_str(&format!("{line}\n"));
        }
        eprintln!("answered {answered} of {all} real rules");
        if let Some(out) = std::env::var_os("MUTATE_INVERSIONS") {
            std::fs::write(out, lines).unwrap();
        }
        assert!(answered * 100 >= all * 55, "{answered} of {all}");
    }
}
