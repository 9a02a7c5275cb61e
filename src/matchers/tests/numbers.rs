use super::*;

/// What `reply_mentions: {number: …}` says.
fn has(number: &str, reply: &str) -> bool {
    holds(&format!("reply_mentions: {{number: {}}}", Value::from(number)), reply)
}

#[test]
fn a_number_is_compared_by_its_worth_and_its_sign() {
    for (number, reply, expected) in [
        ("5", "It is 25.", false),
        ("5", "50 of them", false),
        ("-5", "5", false),
        ("5", "-5", false),
        ("-5", "it fell by -5 in all", true),
        ("3.14", "33.14", false),
        ("1e3", "1000", true),
        ("1000", "1e3", true),
        ("1000", "1,000.00", true),
        ("1,000", "1000", true),
        ("7", "$7.00", true),
        ("0.5", ".5", true),
        ("007", "7", true),
        ("100000", "100,000", true),
    ] {
        assert_eq!(has(number, reply), expected, "{number} in {reply:?}");
    }
}

#[test]
fn punctuation_around_a_number_is_no_part_of_it() {
    for (number, reply, expected) in [
        ("42", "So it is 42!", true),
        ("42", "So it is (42).", true),
        ("42", "[42]", true),
        ("42", "42abc", false),
        ("3.14", "(3.14)", true),
        ("3.14", "about 3.14.", true),
        ("314", "(3.14)", false),
        ("72", "In all 72, which is enough, I think.", true),
        ("11", "RESULT: 711", false),
        ("49", "RESULT: 149", false),
    ] {
        assert_eq!(has(number, reply), expected, "{number} in {reply:?}");
        let text = format!("reply_mentions: {}", Value::from(number));
        assert_eq!(holds(&text, reply), expected, "the text {number} in {reply:?}");
    }
    assert!(!holds("reply_ends_with: 11", "RESULT: 711"));
}

#[test]
fn commas_join_groups_of_three_only() {
    for (number, reply, expected) in [
        ("1000", "1,000", true),
        ("115000", "115,000", true),
        ("01", "0,1", false),
        ("1234", "12,34", false),
        ("10", "1,10", false),
    ] {
        assert_eq!(has(number, reply), expected, "{number} in {reply:?}");
        assert_eq!(holds(&format!("reply_mentions: {}", Value::from(number)), reply), expected, "as text: {reply:?}");
    }
}

#[test]
fn the_numbers_of_a_list_do_not_depend_on_the_blank_after_a_comma() {
    let yaml = "reply_mentions: [{number: 4.5}, {number: 9.25}]";
    assert!(holds(yaml, "[4.5, 9.25]"));
    assert!(holds(yaml, "[4.5,9.25]"));
    assert!(!holds(yaml, "[4.5,9.2]"));
}

#[test]
fn a_unit_counts_where_it_is_asked_for() {
    assert!(has("60", "Of 20 people, RESULT: 60%"));
    assert!(has("60%", "60 percent"));
    assert!(has("60%", "60 %"));
    assert!(!has("60%", "60 people"));
    assert!(has("$49.99", "It costs 49.99 USD."));
    assert!(has("49.99 EUR", "It costs €49.99."));
    assert!(!has("$49.99", "It costs 49.99 EUR."));
    assert!(has("-$7", "a change of -$7"));
    let wrong = finding(judge("reply_mentions: {number: 60%}", "60 people"));
    assert_eq!(wrong.reason, "the number 60% is not in the reply");
    assert_eq!(wrong.note.as_deref(), Some("the number stands there as \"60\""));
}

#[test]
fn the_number_that_was_compared_is_shown() {
    let shown = finding(judge("reply_mentions: {number: 20}", "That makes 20% of the 100 units."));
    assert_eq!(shown.note.as_deref(), Some("the number stands there as \"20%\""));
    assert_eq!(shown.at, Some(11..14));
}

#[test]
fn number_words_count_where_they_are_asked_for() {
    assert!(!has("5", "within five days"));
    assert!(holds("reply_mentions: {number: 5, words: true}", "within five days"));
    assert!(holds("reply_mentions: {number: 125, words: true}", "one hundred and twenty-five"));
    assert!(!holds("reply_mentions: {number: 25, words: true}", "one hundred and twenty-five"));
    assert!(!holds("reply_mentions: {number: 1, words: true}", "none of them, someone said"));
    assert!(holds("reply_does_not_mention: {number: 5, words: true}", "twenty-five"));
}

#[test]
fn a_tolerance_is_how_far_off_a_number_may_be() {
    assert!(holds("reply_mentions: {number: 49.99, tolerance: 0.01}", "about $50"));
    assert!(!holds("reply_mentions: {number: 49.99, tolerance: 0.01}", "about $51"));
    assert!(holds("reply_does_not_mention: {number: 10, tolerance: 1}", "12 of 8"));
}

#[test]
fn what_is_no_number_is_refused() {
    for (yaml, message) in [
        ("reply_mentions: {number: many}", "is not one number"),
        ("reply_mentions: {number: 1 to 2}", "is not one number"),
        ("reply_mentions: {number: 5, tolerance: -1}", "at least 0"),
        ("reply_mentions: {number: 5, word: true}", "did you mean `words`?"),
        ("reply_equals: {number: 5}", "unknown key `number`"),
    ] {
        let rendered = refused(yaml);
        assert!(rendered.contains(message), "{message:?} is not in: {rendered}");
    }
}
