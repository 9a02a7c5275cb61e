use std::time::{Duration, Instant};

use super::*;

/// Reading a place costs no reading of the file: with 5,000 cases a quadratic reader needs minutes.
#[test]
fn a_large_file_is_loaded_and_all_places_are_printed_in_time() {
    let mut text = String::new();
    for number in 0..5000 {
        text.push_str(&format!(
            "- id: case-{number}\n  input: \"Bitte erstatten Sie Bestellung {number} – sie kam vor 45 Tagen an.\"\n  rule: Never refund an order older than 30 days.\n  tags: [refunds]\n  expect: {{reply_mentions: [30 days], no_tool_called: [create_refund]}}\n"
        ));
    }
    let start = Instant::now();
    let cases = cases_of("cases/x.yaml", &text);
    let places: Vec<String> = cases.iter().map(|case| case.place.to_string()).collect();
    let took = start.elapsed();
    assert_eq!(places[4999], "cases/x.yaml:24996:7");
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn thousands_of_mistakes_in_one_file_are_rendered_in_time() {
    let text: String = (0..3000).map(|number| format!("- {{id: c{number}, input: Hi, expect: {{}}}}\n")).collect();
    let folder = Folder::good().with("cases/refund.yaml", text);
    let start = Instant::now();
    let rendered = folder.rendered();
    let took = start.elapsed();
    assert_eq!(rendered.matches("this case can't fail").count(), 3000);
    assert!(took < Duration::from_secs(20), "{took:?}");
}
