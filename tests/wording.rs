//! What people who read hundreds of variants stumbled over: nobody would write this, or it asks for something else.
//! One test a kind of fault, over every variant that the mutator makes.

use std::collections::BTreeSet;

use mutate::mutators::input::{Choice, Packs, Subject, variants};

/// Every variant of one mutator, as far as 300 go, without the input.
fn made(mutator: &str, input: &str) -> BTreeSet<String> {
    let subject = Subject { case: "case", input, literals: &[], protect: &[], language: None };
    let mut all = BTreeSet::new();
    for seed in 0..3 {
        let choice = Choice { mutators: Some(vec![mutator.to_owned()]), variants: 100, seed, kinds: None };
        let result = variants(Packs::embedded(), &subject, &choice);
        let known = result.variants.len() + result.not_applicable.len() + result.shortfalls.len();
        assert!(known > 0, "is there a mutator `{mutator}`?");
        all.extend(result.variants.into_iter().map(|variant| variant.text));
    }
    all
}

fn only<'t>(texts: impl IntoIterator<Item = &'t str>) -> BTreeSet<String> {
    texts.into_iter().map(str::to_owned).collect()
}

#[track_caller]
fn none_holds(variants: &BTreeSet<String>, needle: &str) {
    let found = variants.iter().find(|text| text.contains(needle));
    assert_eq!(found, None, "{needle:?}");
}

// "fourteem" may be forty or fourteen.
#[test]
fn words_for_numbers_are_never_mistyped() {
    let input = "We ordered fourteen desks and twenty chairs, the fifteenth is the ninth delivery.";
    for mutator in ["typo/key-slip-qwerty", "typo/transposition", "typo/misspelling", "typo/omission", "typo/doubling"]
    {
        let variants = made(mutator, input);
        assert!(variants.len() > 10, "{mutator}");
        for text in &variants {
            assert!(["fourteen", "twenty", "ninth"].iter().all(|word| text.contains(word)), "{text}");
        }
    }
}

// "helo" is "hello" to everybody.
#[test]
fn a_slip_is_no_misspelling_of_another_word() {
    let variants = made("typo/key-slip-qwerty", "help");
    assert!(variants.contains("hekp") && !variants.contains("helo"), "{variants:?}");
}

// 故事 is a story and 事故 an accident.
#[test]
fn chinese_signs_do_not_change_places() {
    assert_eq!(made("typo/transposition", "请告诉我这个故事的作者。"), only([]));
    assert!(made("typo/doubled-sign", "请告诉我这个故事的作者。").contains("请告诉我这个故故事的作者。"));
    // Kana is spelled, and so may be misspelled.
    assert!(made("typo/transposition", "キャンセルしたい").contains("キャセンルしたい"));
}

#[test]
fn a_long_text_has_at_most_four_typos() {
    let input =
        "please change delivery address because customer already waited several terribly annoying months ".repeat(6);
    let words: Vec<&str> = input.split(' ').collect();
    for text in made("typo/transposition", &input) {
        let changed = text.split(' ').zip(&words).filter(|(now, was)| now != *was).count();
        assert!((1..=4).contains(&changed), "{changed}");
    }
}

#[test]
fn lines_are_wrapped_paragraph_by_paragraph() {
    let input = "The note shows the right number.\n\nCould you please send us a corrected invoice for the desks as soon as you can?";
    let variants = made("format/line-wrap", input);
    assert!(variants.len() > 5);
    for text in &variants {
        let paragraphs: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(paragraphs[0].replace('\n', " "), "The note shows the right number.", "{text}");
        // Every line of the second paragraph is as full as the width that its longest line shows.
        let lines: Vec<&str> = paragraphs[1].lines().collect();
        let width = lines.iter().map(|line| line.len()).max().unwrap();
        for pair in lines.windows(2) {
            let next = pair[1].split(' ').next().unwrap();
            assert!(pair[0].len() + 1 + next.len() > width, "{pair:?} within {width}: {text}");
        }
    }
    assert!(variants.iter().any(|text| text.lines().all(|line| line.len() <= 24)), "the last line is wrapped, too");
    // Nobody presses return in the middle of three words.
    assert_eq!(made("format/line-wrap", "Where's my order?"), only([]));
    assert_eq!(made("format/line-wrap", "Hi. Is it late?"), only(["Hi.\nIs it late?", "Hi.\n\nIs it late?"]));
}

#[test]
fn an_empty_line_gets_no_bullet() {
    let input = "The desks are late.\n\nPlease call me. I am in.";
    assert_eq!(
        made("format/list", input),
        only(
            ["-", "*", "•"]
                .map(|dot| format!("{dot} The desks are late.\n\n{dot} Please call me.\n{dot} I am in."))
                .iter()
                .map(String::as_str)
        )
    );
    assert_eq!(made("format/quote", input), only(["> The desks are late.\n>\n> Please call me. I am in."]));
}

#[test]
fn a_code_fence_ends_as_it_began() {
    for text in made("format/code-fence", "Send it again.") {
        assert!(text.starts_with("```") && text.ends_with("\n```"), "{text}");
    }
}

#[test]
fn have_to_and_let_us_are_not_contracted() {
    let wrong = "Do I have to call? Please let us know where we are with it, I have a question and we have waited.";
    assert_eq!(made("paraphrase/contraction", wrong), only([]));
    let right = "I have been waiting, we are here and it is a pity. I've no idea.";
    let variants = made("paraphrase/contraction", right);
    for part in ["I've been", "we're here", "it's a pity", "I have no idea"] {
        assert!(variants.iter().any(|text| text.contains(part)), "{part}");
    }
}

#[test]
fn a_terse_request_keeps_what_counts_and_reads_on() {
    let variants = made(
        "paraphrase/terse",
        "Please wait a few days for a really urgent form, it is not very late. Send all the forms for a little while.",
    );
    assert!(!variants.is_empty());
    for text in &variants {
        for part in ["a few days", "not very late", "all the forms", "a little while"] {
            assert!(text.to_lowercase().contains(part), "{part}: {text}");
        }
    }
    none_holds(&variants, "a urgent");
    assert_eq!(
        made("paraphrase/terse", "Can you do it today? It rains."),
        only(["do it today. it rains."]).into_iter().map(|text| text.trim_end_matches('.').to_owned()).collect()
    );
    assert_eq!(made("paraphrase/terse", "Could you please call?"), only([]));
    assert_eq!(made("paraphrase/terse", "Could you please call me back?"), only(["call me back"]));
    // The second question keeps its mark, and "would you mind" is no "mind".
    assert_eq!(made("paraphrase/terse", "Can you call me, or is it late?"), only(["call me, or is it late?"]));
    assert_eq!(made("paraphrase/terse", "Would you mind calling me?"), only([]));
    // A wish is no command: "have it paid out" would be one.
    assert_eq!(made("paraphrase/terse", "I'd like to have it paid out."), only([]));
}

#[test]
fn dictation_keeps_numbers_and_names_apart() {
    let variants =
        made("paraphrase/dictation", "Hello, invite Priya, Sam and Lee, and book rooms 12, 14 and 15, please.");
    assert!(!variants.is_empty());
    for text in &variants {
        assert!(text.contains("Priya, Sam and Lee") && text.contains("12, 14 and 15 please"), "{text}");
        assert!(text.starts_with("hello invite"), "{text}");
    }
}

// A command can't take a second question along.
#[test]
fn two_questions_in_one_sentence_stay_questions() {
    let variants = made(
        "paraphrase/request-form",
        "Could you tell me how I can get a new lid, and do I have to send the old one back?",
    );
    assert!(variants.len() > 2);
    assert!(variants.iter().all(|text| text.ends_with('?')), "{variants:?}");
    assert!(made("paraphrase/request-form", "Can you fix it and run it?").contains("Fix it and run it."));
    assert!(
        !made("paraphrase/request-form", "Can you fix it and can you run it?").contains("Fix it and can you run it.")
    );
}

#[test]
fn phrases_are_changed_only_where_they_mean_that() {
    for fixed in [
        "We have been waiting for a few weeks.",
        "Look at the log in the build folder.",
        "Is the deal with the supplier signed?",
        "Offer a repair voucher.",
        "Do I want to return it?",
        "How many days do I have to return it?",
        "How long do I have to decide?",
        "Then configure it.",
        "She works for me.",
        "Open your help center.",
        "Confirm that it was paid.",
    ] {
        assert_eq!(made("paraphrase/phrase", fixed), only([]), "{fixed}");
    }
    assert_eq!(made("paraphrase/phrase", "I need to return the lid."), only(["I have to return the lid."]));
    assert_eq!(
        made("paraphrase/phrase", "I want to log in to see it."),
        only(["I want to sign in to see it.", "I'd like to log in to see it.", "I'd like to sign in to see it.",])
    );
}

#[test]
fn only_words_that_matter_are_bold() {
    let variants = made("format/bold", "Could you please send order #4021 again to the warehouse?");
    assert!(variants.contains("Could you please send order **#4021** again to the warehouse?"));
    for text in &variants {
        assert!(!["**Could", "**please", "**again"].iter().any(|part| text.contains(part)), "{text}");
        assert!(!text.contains("** **"), "{text}");
    }
}

#[test]
fn text_message_style_shortens_no_word_into_another() {
    for fixed in ["My visa application is late.", "I'm not going to Paris.", "I got to the airport late."] {
        for text in made("paraphrase/sms", fixed) {
            assert!(!text.contains(" app ") && !text.contains("gonna") && !text.contains("gotta"), "{text}");
        }
    }
}

#[test]
fn talk_before_the_request_stands_before_no_greeting() {
    assert_eq!(made("distraction/before", "Hello, where is it?"), only([]));
    assert!(!made("distraction/before", "Where is it?").is_empty());
}

// A name is somebody, and "quick question" announces one.
#[test]
fn greetings_and_sign_offs_that_are_on_by_default_bring_nothing_in() {
    for mutator in ["paraphrase/greeting", "paraphrase/sign-off"] {
        for text in made(mutator, "Do not ship it.") {
            let frame = text.replace("Do not ship it.", "");
            for word in ["Sam", "question", "Chris"] {
                assert!(!frame.contains(word), "{text}");
            }
        }
    }
    for text in made("format/markdown", "Do not ship it.") {
        assert!(!text.to_lowercase().contains("question"), "{text}");
    }
}
