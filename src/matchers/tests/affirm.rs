use super::*;

fn affirms(text: &str, reply: &str) -> bool {
    holds(&format!("reply_affirms: {}", Value::from(text)), reply)
}

#[test]
fn a_text_that_is_denied_everywhere_is_not_affirmed() {
    assert!(!affirms("refund", "I cannot refund this order."));
    assert!(!affirms("refund", "I can’t issue a refund, and a refund is not possible later."));
    assert!(affirms("refund", "I can't send a new one, but I have issued a refund."));
    assert!(affirms("refund", "No refund was made in May. The refund is now on its way."));
    let denied = finding(judge("reply_affirms: refund", "I cannot refund this order."));
    assert_eq!(denied.reason, "\"refund\" stands in the reply only negated");
    assert_eq!(denied.at, Some(9..15));
}

#[test]
fn an_option_that_is_ruled_out_is_not_affirmed() {
    let reply = "My answer: (A). Ruled out: (B), (C).";
    assert!(affirms("(A)", reply));
    assert!(!affirms("(C)", reply));
    assert!(holds(r"reply_matches: '\(C\)'", reply));
}

#[test]
fn the_customers_own_words_are_not_affirmed() {
    let quoted = finding(judge("reply_affirms: refund", "You asked for a refund. I will look into it."));
    assert_eq!(quoted.reason, "\"refund\" stands in the reply only as the customer's words");
    assert!(!affirms("refund", "> I want a refund\n\nLet me look into it."));
    assert!(!affirms("refund", "About “please refund my order”: let me look into it."));
    assert!(affirms("refunded", "The order is marked “refunded”."));
}

#[test]
fn a_question_and_a_condition_affirm_nothing() {
    assert!(!affirms("refund", "Would you like a refund?"));
    assert!(!affirms("refund", "I will tell you if a refund is due."));
    assert!(affirms("refund", "Your refund is on its way. Anything else?"));
}

#[test]
fn a_denial_that_is_asked_for_is_its_own_statement() {
    assert!(affirms("cannot refund", "I cannot refund this order."));
    assert!(affirms("no refund", "There will be no refund."));
    assert!(!affirms("cannot refund", "I never said that I cannot refund it."));
}

#[test]
fn every_text_must_be_affirmed_and_numbers_can_be() {
    assert!(holds("reply_affirms: [voucher, {number: 49.99}]", "You get a voucher worth $49.99."));
    assert!(!holds("reply_affirms: [voucher, {number: 49.99}]", "You get a voucher, not the $49.99 back."));
    let absent = finding(judge("reply_affirms: refund", "This is non-refundable."));
    assert_eq!(absent.reason, "\"refund\" is not in the reply");
    assert_eq!(absent.note.as_deref(), Some("\"refund\" stands there only as a part of \"non-refundable\""));
}

#[test]
fn a_clause_that_was_cut_is_not_settled() {
    let says = |reply: &str| matcher("reply_affirms: refund").judge(&cut(reply)).holds();
    assert_eq!(says("I will refund"), None);
    assert_eq!(says("I cannot refund this. Sorry. I"), None);
    assert_eq!(says("I have issued a refund. It will arrive on Friday. Please"), Some(true));
}
