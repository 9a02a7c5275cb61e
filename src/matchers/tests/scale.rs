//! Sizes at which anything that is not linear would not come back.

use super::*;

/// Enough that quadratic work would not end, and little enough for a build without optimisation. The bench has 10 MB.
const SIZE: usize = 1_500_000;

fn filled(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

/// Judges `yaml` on a reply and says what came of it.
fn judged(yaml: &str, reply: &str, truncated: bool) -> Option<bool> {
    matcher(yaml).judge(&Transcript { truncated, ..Transcript::text(reply) }).holds()
}

#[test]
fn megabytes_of_near_misses_are_judged() {
    let near = filled("refunds 1300 non-refundable 30 dayss ");
    assert_eq!(judged("reply_mentions: [refund, 30 days, '300']", &near, false), Some(false));
    assert_eq!(judged("reply_does_not_mention: [refund, {number: 13}]", &near, false), Some(true));
    assert_eq!(judged("reply_matches: '(refund|days)\\b'", &near, false), Some(false));
}

#[test]
fn megabytes_of_denials_in_one_clause_are_judged() {
    for piece in ["not refund ", "if refund ", "refund? ", "\"a refund\" ", "no ( ) refund ", "you asked refund, "] {
        let reply = piece.repeat(300_000 / piece.len());
        assert_eq!(judged("reply_affirms: refund", &reply, false), Some(false), "{piece:?}");
    }
    let marks = filled("......!!!\"'') ");
    assert_eq!(judged("reply_affirms: refund", &format!("{marks} refund"), false), Some(true));
}

#[test]
fn megabytes_that_only_look_like_json_are_judged() {
    for piece in ["{\"a\": [", "\n{", "```\n{\n", "\n```json\n{]", "<think>"] {
        assert_eq!(judged("reply_is_json: {anywhere: true}", &filled(piece), false), Some(false), "{piece:?}");
    }
}

#[test]
fn a_pattern_that_matches_at_the_end_of_a_cut_reply_only_is_judged() {
    let reply = filled("a") + "b";
    assert_eq!(judged("reply_matches: '(a[^c]*c|a[^b]*b)$'", &reply, true), None);
}

#[test]
fn thousands_of_needles_are_looked_for_at_once() {
    let list: Vec<String> = (0..5_000).map(|n| format!("product {n} of ours")).collect();
    let yaml = format!("reply_mentions_any: {}", Value::from(list.clone()));
    assert!(judged(&yaml, &filled("product 77 of our "), false) == Some(false));
    assert!(holds(&yaml, "It is product 4,999 of ours."));
    let all = format!("reply_mentions: {}", Value::from(list));
    let some = finding(judge(&all, "product 1 of ours"));
    assert!(some.reason.contains("and 4987 more are not in the reply"), "{}", some.reason);
}

#[test]
fn a_thousand_calls_are_paired_with_as_many_patterns() {
    let made = calls((0..1_000).map(|_| call("search", Value::Null)).collect());
    let yaml = format!("tools_called_exactly: {}", Value::from(vec!["search"; 1_000]));
    assert_eq!(matcher(&yaml).judge(&made).holds(), Some(true));
}

#[test]
fn text_that_was_no_unicode_is_judged_as_it_was_replaced() {
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|n| (n % 251) as u8).collect();
    let reply = String::from_utf8_lossy(&bytes).into_owned();
    let transcript = Transcript::text(reply);
    let view = View::of(&transcript);
    for yaml in super::silence::EXAMPLES.iter().filter(|yaml| yaml.starts_with("reply_")) {
        assert!(matcher(yaml).judge_view(&view).holds().is_some(), "{yaml}");
    }
}
