use super::*;

#[test]
fn a_number_never_matches_inside_a_longer_number() {
    for (needle, reply) in [
        ("5", "25"),
        ("5", "50 items"),
        ("10", "100"),
        ("10", "1,000"),
        ("10", "3.10"),
        ("10", "10.5"),
        ("10", "it is .10 now"),
        ("10", "1,10"),
        ("3.14", "33.14"),
        ("3.14", "3.145"),
        ("3.14", "3.14.1"),
        ("42", "42abc"),
        ("42", "abc42"),
        ("$49.99", "$149.99"),
        ("$49.99", "$49.990"),
        ("$7", "$7.00"),
        ("$7", "$75"),
        ("$7.", "$7.50"),
        ("10", "10²"),
        ("2", "2½"),
        ("000", "1,000"),
        ("4021", "order 14021"),
        ("1.2", "v1.2.3"),
    ] {
        assert!(!mentions(needle, reply), "{needle:?} must not be in {reply:?}");
        let loose = format!("reply_mentions: {{text: {}, whole_words: false}}", Value::from(needle));
        let letters = reply.contains("abc") || reply.contains('v');
        assert!(letters || !holds(&loose, reply), "{needle:?} must not be in {reply:?} without whole words either");
    }
}

#[test]
fn a_number_matches_beside_anything_that_is_no_number() {
    for (needle, reply) in [
        ("3.14", "(3.14)"),
        ("42", "42!"),
        ("42", "[42]"),
        ("42", "it is 42."),
        ("42", "42, or so"),
        ("10", "10% off"),
        ("10", "10:30"),
        ("10", "from 5-10 days"),
        ("10", "from 5–10 days"),
        ("10", "order-10"),
        ("10", "#10"),
        ("$7", "it costs $7."),
        ("$7", "US$7"),
        ("$49.99", "**$49.99**"),
        ("$49.99", "\\$49.99"),
        ("30", "30\u{a0}days"),
    ] {
        assert!(mentions(needle, reply), "{needle:?} must be in {reply:?}");
    }
}

#[test]
fn thousands_separators_make_no_difference() {
    for (needle, reply) in [
        ("1000", "1,000"),
        ("1,000", "1000"),
        ("$1,234,567.89", "$1234567.89"),
        ("1000", "1\u{202f}000"),
        ("1000", "1\u{a0}000 km"),
        ("1000", "１，０００"),
    ] {
        assert!(mentions(needle, reply), "{needle:?} must be in {reply:?}");
    }
    assert!(!mentions("1000", "10,00"));
    assert!(!mentions("12345678", "12345,678"));
    assert!(!mentions("30 400", "30,400"));
}

#[test]
fn the_sign_of_a_number_matters() {
    assert!(!mentions("5", "-5"));
    assert!(!mentions("5", "it is −5 degrees"));
    assert!(!mentions("$5", "-$5"));
    assert!(!mentions("5", "(-$5)"));
    assert!(mentions("-5", "it is -5 degrees"));
    assert!(mentions("-5", "it is −5 degrees"));
    assert!(!mentions("-5", "it is 5 degrees"));
    assert!(!mentions("-5", "pages 1-5"));
    assert!(!mentions("-5", "-55"));
    assert!(mentions("5", "+5"));
    assert!(mentions("$10", "$5-$10"));
}

#[test]
fn words_match_whole_and_hyphens_and_apostrophes_end_them() {
    assert!(!mentions("refund", "This item is non-refundable."));
    assert!(mentions("refund", "This item is a non-refund item."));
    assert!(mentions("refund", "We issue no refund."));
    assert!(!mentions("refund", "refunds"));
    assert!(mentions("customer", "the customer's order"));
    assert!(!mentions("can", "I can't do that"));
    assert!(!mentions("can", "I can’t do that"));
    assert!(mentions("can", "I can do that"));
    assert!(!mentions("order", "order_id"));
    assert!(mentions("order_id", "the order_id is"));
}

#[test]
fn whole_words_can_be_turned_off() {
    assert!(holds("reply_mentions: {text: refund, whole_words: false}", "non-refundable"));
    assert!(holds("reply_mentions: {text: [fund, able], whole_words: false}", "non-refundable"));
    assert!(holds("reply_mentions: [{text: fund, whole_words: false}, item]", "non-refundable item"));
    assert!(!holds("reply_mentions: [{text: fund, whole_words: false}, tem]", "non-refundable item"));
}

#[test]
fn an_edge_that_is_no_word_character_needs_no_boundary() {
    assert!(mentions("C++", "C++17 and C++"));
    assert!(mentions("#refund", "x#refund"));
    assert!(mentions("@acme", "mail@acme"));
}

#[test]
fn letter_case_is_folded_in_every_script_unless_asked_not_to() {
    for (needle, reply) in [
        ("REFUND", "refund"),
        ("straße", "STRASSE"),
        ("STRASSE", "straße"),
        ("ΟΔΟΣ", "οδος"),
        ("ÉTÉ", "été"),
        ("МИР", "мир"),
    ] {
        assert!(mentions(needle, reply), "{needle:?} must be in {reply:?}");
    }
    assert!(!holds("reply_mentions: {text: Refund, case_sensitive: true}", "refund"));
    assert!(holds("reply_mentions: {text: Refund, case_sensitive: true}", "a Refund"));
}

#[test]
fn unicode_forms_are_folded() {
    for (needle, reply) in [
        ("42", "４２"),
        ("café", "cafe\u{301}"),
        ("cafe\u{301}", "café"),
        ("office", "oﬃce"),
        ("ガス", "ｶﾞｽ"),
        ("no. 5", "no. 5\u{200b}"),
        ("refund", "re\u{ad}fund"),
        ("wait...", "wait…"),
    ] {
        assert!(mentions(needle, reply), "{needle:?} must be in {reply:?}");
    }
    assert!(mentions("Acme", "Acme™"));
    assert!(!mentions("cafe", "cafe\u{301}"));
}

#[test]
fn quotes_dashes_and_spaces_are_folded() {
    assert!(mentions("don't", "Don’t do it"));
    assert!(mentions("“no refunds”", "we say \"no refunds\" here"));
    assert!(mentions("24-hour", "a 24‑hour wait"));
    assert!(mentions("30 days", "within 30\n  days"));
    assert!(mentions("30 days", "within 30&nbsp;days"));
    assert!(mentions("30\u{a0}days", "within 30 days"));
    assert!(mentions("R&D", "our R&amp;D team"));
}

#[test]
fn emphasis_does_not_hide_a_needle() {
    assert!(mentions("within 30 days", "within **30 days**"));
    assert!(mentions("30 days", "**30** _days_"));
    assert!(mentions("run make test", "run `make test` first"));
    assert!(mentions("**30 days**", "30 days"));
    assert!(!mentions("53", "5*3"));
    assert!(!mentions("53", "5_3"));
    assert!(mentions("3 * 4", "it is 3 * 4"));
}

#[test]
fn scripts_without_spaces_need_no_boundary() {
    assert!(mentions("退款", "您可以在30天内退款吗"));
    assert!(mentions("30", "您可以在30天内退款"));
    assert!(!mentions("30天", "在130天内"));
    assert!(mentions("返金", "返金はできません"));
    assert!(mentions("환불", "환불이 불가합니다"));
    assert!(mentions("คืนเงิน", "ไม่สามารถคืนเงินได้"));
}

#[test]
fn the_place_is_in_the_bytes_of_the_original_reply() {
    let reply = "Größe: “ok” — within **30\u{a0}days**, ﬃ then refund. ȺȺ";
    for (needle, original) in
        [("30 days", "30\u{a0}days"), ("refund", "refund"), ("größe", "Größe"), ("ffi", "ﬃ"), ("ȺȺ", "ȺȺ")]
    {
        let outcome = judge(&format!("reply_mentions: {needle}"), reply);
        assert_eq!(&reply[finding(outcome).at.expect("found")], original);
    }
}

#[test]
fn a_composed_letter_is_located_whole() {
    let reply = "un cafe\u{301}, merci";
    let at = finding(judge("reply_mentions: café", reply)).at.expect("found");
    assert_eq!(&reply[at], "cafe\u{301}");
}

#[test]
fn overlapping_occurrences_are_all_looked_at() {
    assert!(holds("reply_mentions: {text: aa b aa}", "xaa b aa b aa"));
    assert!(!holds("reply_mentions: {text: aa b aa}", "xaa b aa b aax"));
}

#[test]
fn a_repeating_needle_in_a_repeating_reply_is_found_in_linear_time() {
    let needle = "ab ".repeat(2_000) + "ab";
    let reply = "ab ".repeat(200_000) + "abc";
    let started = std::time::Instant::now();
    assert!(mentions(&needle, &reply));
    let needle = "a".repeat(5_000);
    let reply = "a".repeat(500_000);
    assert!(!mentions(&needle, &reply));
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
}

#[test]
fn a_near_miss_is_noted() {
    let missed = finding(judge("reply_mentions: refund", "This item is non-refundable."));
    assert_eq!(missed.reason, "\"refund\" is not in the reply");
    assert_eq!(missed.note.as_deref(), Some("\"refund\" stands there only as a part of \"non-refundable\""));
    let missed = finding(judge("reply_mentions: 10", "It costs $100.50."));
    assert_eq!(missed.note.as_deref(), Some("\"10\" stands there only as a part of \"$100.50\""));
}

#[test]
fn what_was_found_is_shortened_around_its_place() {
    let reply = format!("{} refund {}", "before ".repeat(100), "after ".repeat(100));
    let found = finding(judge("reply_mentions: refund", &reply)).found.expect("found");
    assert!(found.contains("refund") && found.starts_with('…') && found.ends_with('…'));
    assert!(found.chars().count() <= 124, "{found:?}");
}
