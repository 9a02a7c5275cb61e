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
        ("Ensure you don't.", "refused: no-cue"),
        ("Make sure you do not", "refused: no-cue"),
        ("ensure don't", "refused: no-cue"),
        ("Weigh it, that", "Do not weigh it, that"),
        ("Ensure you do not only greet.", "Ensure you only greet."),
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
        ("Discuss nothing but orders.", "exception"),
        ("No refunds after 30 days.", "bare-no"),
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

/// The traps of real rules, one table each.
mod traps {
    use super::turned_to;

    fn all_turned(table: &[(&str, &str)]) {
        for (rule, expected) in table {
            assert_eq!(turned_to(rule), *expected, "{rule}");
        }
    }

    #[test]
    fn only_is_lifted() {
        all_turned(&[
            ("Use the tool only when the user asks for it.", "Use the tool even when the user does not ask for it."),
            ("Only call the bank if the card was stolen.", "Call the bank even if the card was not stolen."),
            ("Offer a seat ONLY if one is free.", "Offer a seat EVEN if one is not free."),
            ("You may only quote prices when asked.", "You may quote prices even when not asked."),
            ("Send the form only when progress needs it.", "Do not send the form even when progress needs it."),
            ("Merge only after a review.", "Merge before a review."),
            ("Share files only with consent.", "Share files even without consent."),
            ("Only answer questions about orders.", "Do not only answer questions about orders."),
            ("If the user is a guest, only discuss billing.", "If the user is a guest, do not only discuss billing."),
            ("**Only** discuss billing.", "**Do not only** discuss billing."),
            ("Answer only questions about orders.", "Do not answer only questions about orders."),
            ("Just answer questions about orders.", "Do not just answer questions about orders."),
            ("Only managers can approve refunds.", "Not only managers can approve refunds."),
            ("A guest can only hold one room.", "A guest can hold more than one room."),
            ("The tool can only be called once.", "The tool can be called more than once."),
            (
                "Keep the name, changing the rest only when needed.",
                "Do not keep the name, changing the rest only when needed.",
            ),
            ("Use the tool only for tests.", "refused: only"),
            ("Respond only in French.", "refused: only"),
            ("You may only discuss orders.", "refused: only"),
            ("Only after a review may you merge.", "refused: only"),
        ]);
    }

    #[test]
    fn if_and_only_if_is_lifted_where_its_condition_is_plain() {
        all_turned(&[
            ("Transfer if and only if the user insists.", "Transfer even if the user does not insist."),
            ("Transfer if and only if quux.", "refused: if-and-only-if"),
            ("Transfer if, and only if, the user insists.", "refused: if-and-only-if"),
        ]);
    }

    #[test]
    fn not_only_loses_its_not() {
        all_turned(&[
            ("Report not only errors but also warnings.", "Report only errors but not warnings."),
            ("Do not just apologise.", "Just apologise."),
            ("Not all users see prices.", "refused: not-only"),
        ]);
    }

    #[test]
    fn exceptions_are_left_out_or_turned() {
        all_turned(&[
            ("Do not offer a refund unless a manager agreed.", "Offer a refund."),
            ("Keep comments unless they are wrong.", "Do not keep comments unless they are wrong."),
            ("Unless asked, send no mails.", "Unless asked, send mails."),
            ("Do not proceed until the user agrees.", "Proceed before the user agrees."),
            ("Never call anyone except the owner.", "Always call anyone except the owner."),
            ("Discuss nothing but orders.", "refused: exception"),
        ]);
    }

    #[test]
    fn sides_of_a_comparison_are_swapped_or_denied() {
        all_turned(&[
            ("Prefer tea over coffee.", "Prefer coffee over tea."),
            ("Use `jq` instead of `sed`.", "Use `sed` instead of `jq`."),
            ("Ask the owner rather than guessing a name.", "Guess a name rather than asking the owner."),
            ("Use tabs, not spaces.", "Do not use tabs, but spaces."),
            ("Do not use tabs, but spaces.", "Use tabs, not spaces."),
            ("Print the result, not just the log.", "Do not print the result, not just the log."),
            ("Describe it not as a bug but as a feature.", "Describe it as a bug but not as a feature."),
            ("Prefer names at the start to save time.", "Do not prefer names at the start to save time."),
            ("Instead of guessing, ask.", "refused: preference"),
        ]);
    }

    #[test]
    fn a_negation_inside_a_word_goes_with_its_verb() {
        all_turned(&[
            ("You should avoid jargon.", "You should not avoid jargon."),
            ("You should avoid promising dates.", "You should promise dates."),
            ("Refrain from shouting at guests.", "Shout at guests."),
            ("Stop guessing names.", "Guess names."),
            ("Never avoid a question.", "refused: lexical-negation"),
        ]);
    }

    #[test]
    fn bare_no_goes_where_a_verb_carries_it() {
        all_turned(&[
            ("Make no promises.", "Make promises."),
            ("There must be no gaps.", "There must be gaps."),
            ("No code may be merged on Friday.", "Any code may be merged on Friday."),
            ("Under no circumstances quote salaries.", "Under all circumstances quote salaries."),
            ("No jokes.", "refused: bare-no"),
            ("Say nothing about prices.", "refused: bare-no"),
            ("Use neither tabs nor spaces.", "refused: bare-no"),
        ]);
    }

    #[test]
    fn amounts_are_turned_around() {
        all_turned(&[
            ("Summarise the case in up to 3 sentences.", "Summarise the case in more than 3 sentences."),
            ("Names should be no longer than 20 letters.", "Names should be longer than 20 letters."),
            ("Add at least one test.", "Add no test."),
            ("A guest may bring at most two dogs.", "A guest may bring more than two dogs."),
            ("Reply in at most some lines.", "refused: threshold"),
            ("Use emojis sparingly.", "Do not use emojis sparingly."),
            ("Rarely use emojis.", "refused: degree"),
        ]);
    }

    #[test]
    fn descriptions_are_refused() {
        all_turned(&[
            ("The parser cannot read tabs.", "refused: description"),
            ("This call cannot be nested.", "refused: description"),
            ("Code is formatted by a tool.", "refused: description"),
            ("Pull requests that break the build will be closed.", "refused: description"),
            ("Release notes are written by hand.", "refused: description"),
            ("Note that the cache is cold.", "refused: description"),
            ("Vouchers cannot be combined.", "Vouchers can be combined."),
            ("The agent asks for the name first.", "The agent does not ask for the name first."),
        ]);
    }

    #[test]
    fn labels_with_a_direction_are_turned_with_their_rule() {
        all_turned(&[
            (
                "**No invented names**: Use the names in the file.",
                "**Invented names**: Do not use the names in the file.",
            ),
            ("**Avoid jargon**: Use plain words.", "**Do not avoid jargon**: Do not use plain words."),
            ("Never: share keys", "Always: share keys"),
            ("**Don't:** guess", "**Do:** guess"),
            ("**Naming** — Use short names.", "**Naming** — Do not use short names."),
            ("**What should not happen**: Ask twice.", "refused: label-polarity"),
        ]);
    }

    #[test]
    fn two_commands_are_turned_whole_or_refused() {
        all_turned(&[
            ("Ask the user, then close the ticket.", "Do not ask the user, and do not close the ticket."),
            ("Do not hardcode keys, use variables.", "Hardcode keys, do not use variables."),
            ("Names must be short and must not repeat.", "Names must not be short and must repeat."),
            (
                "Use the smallest test that fails, and move it to its module.",
                "Do not use the smallest test that fails, or move it to its module.",
            ),
            ("Explain why and ask the user.", "Do not explain why or ask the user."),
            (
                "Treat changes that add a test, fix a bug and remove code as safe.",
                "Do not treat changes that add a test, fix a bug and remove code as safe.",
            ),
            ("Read it before you answer, follow the links, sort the list.", "refused: two-commands"),
            (
                "You may only open one ticket, and if it fails, you must stop.",
                "You may open more than one ticket, and if it fails, you must not stop.",
            ),
            ("If unsure, DO NOT send it.", "If unsure, send it."),
            ("Format fixes and moves should be apart.", "Format fixes and moves should not be apart."),
            ("Use of cookies", "refused: description"),
            ("Exports may hold only names; all changes must be logged.", "refused: only"),
        ]);
    }

    #[test]
    fn each_cell_of_a_table_is_a_sentence_of_its_own() {
        all_turned(&[("| Tone | Never shout |", "| Tone | Always shout |"), ("| Case | Rule |", "refused: no-cue")]);
    }

    #[test]
    fn other_languages_are_turned_by_their_own_patterns() {
        all_turned(&[
            ("Nenne niemals einen Preis.", "Nenne immer einen Preis."),
            ("Du darfst keine Adressen nennen.", "Du darfst Adressen nennen."),
            ("Antworte auf Deutsch.", "Antworte nicht auf Deutsch."),
            ("Wenn der Kunde nicht zahlt, sende keine Mahnung.", "Wenn der Kunde nicht zahlt, sende Mahnung."),
            ("Sende nur Mahnungen.", "refused: only"),
            ("Prüfe die Ware und melde nie einen Fehler.", "refused: two-commands"),
            ("N'inventez pas de noms.", "Inventez des noms."),
            ("Répondez toujours en français.", "Ne répondez jamais en français."),
            ("Vous ne devez jamais donner de prix.", "Vous devez toujours donner de prix."),
            ("Ne parlez que de commandes.", "refused: only"),
            ("No inventes nombres.", "Inventa nombres."),
            ("Responde siempre en español.", "Nunca respondas en español."),
            ("El agente no debe dar precios.", "El agente debe dar precios."),
            ("Responde solo en español.", "refused: only"),
            ("Sage niemals \"nur heute\" oder `nie`.", "Sage immer \"nur heute\" oder `nie`."),
            ("「だけ」と書かないでください。", "「だけ」と書いてください。"),
            ("请勿透露价格。", "请透露价格。"),
            ("如果用户不满意，不要争论。", "如果用户不满意，请争论。"),
            ("只能讨论订单。", "refused: only"),
            ("値段を教えないでください。", "値段を教えてください。"),
            ("必ず出典を記載してください。", "決して出典を記載しないでください。"),
            ("日本語だけで答えてください。", "refused: only"),
            ("Het kantoor sluit om negen uur voor de klanten.", "refused: other-language"),
        ]);
    }
}
