use super::*;
use crate::source::Diagnostics;

#[test]
fn the_embedded_packs_have_no_mistake() {
    let mut diagnostics = Diagnostics::default();
    for name in ["typo", "format", "paraphrase", "phrases", "frames", "distraction", "adversarial"] {
        let path = format!("{}/mutators/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let packs = Packs::of_text(&std::fs::read_to_string(path).unwrap(), &mut diagnostics);
        assert!(diagnostics.is_empty(), "{}", diagnostics.render(false));
        assert!(name == "phrases" || packs.mutators().count() > 0);
    }
}

// Such a pair could never make a variant: the words that negate or count must stay.
#[test]
fn both_sides_of_every_embedded_pair_hold_the_same_guards_and_digits() {
    let mut wrong = vec![];
    for name in ["typo", "paraphrase", "phrases"] {
        let path = format!("{}/mutators/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let pack: serde_json::Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        for mutator in pack["mutators"].as_array().unwrap() {
            for table in ["pairs", "swaps"] {
                for (from, to) in mutator["replace"][table].as_object().into_iter().flatten() {
                    let from = format!("so {from} there");
                    let subject =
                        Subject { case: "case", input: &from, literals: &[], protect: &[], language: Some("en") };
                    for to in to.as_array().map_or(vec![to], |all| all.iter().collect()) {
                        let to = format!("so {} there", to.as_str().unwrap());
                        let verified = verify(&subject, &to, Kind::Paraphrase);
                        wrong.extend(verified.err().map(|breach| format!("{from}: {breach}")));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

fn kept(input: &str) -> Vec<String> {
    let subject = Subject { case: "case", input, literals: &[], protect: &[], language: None };
    protected(&subject)
        .into_iter()
        .filter(|span| span.why != Why::Guard)
        .map(|span| input[span.range].to_owned())
        .collect()
}

#[test]
fn what_a_request_depends_on_is_protected() {
    for (input, expected) in [
        ("Refund order #4021, it came on March 14.", vec!["#4021", "March 14"]),
        ("Send it to 42 Elm Street, Springfield, IL 62704 please.", vec!["42 Elm Street", "Springfield", "IL 62704"]),
        ("Call +1 (555) 010-4477 at 7:30 pm or 5pm.", vec!["+1 (555) 010-4477", "7:30 pm", "5pm"]),
        ("I paid 89,90 € and $1,250.00 (see INV-2024-0087).", vec!["89,90 €", "$1,250.00", "INV-2024-0087"]),
        ("Exchange size M for size L tomorrow.", vec!["size M", "size L tomorrow"]),
        ("Run `git log` in src/main.rs, then --force it.", vec!["`git log`", "src/main.rs", "--force"]),
        ("It says \"locked out\" and 'try again', doesn't it?", vec!["\"locked out\"", "'try again'"]),
        ("Mail ana@example.org or see https://x.org/a?b=1.", vec!["ana@example.org", "https://x.org/a?b=1"]),
        ("Hello {{name}}, use ${TOKEN} and {\"a\": 1}.", vec!["{{name}}", "${TOKEN}", "{\"a\": 1}"]),
        ("注文番号88213をキャンセルして", vec!["88213"]),
        ("Priya asked. Grace Kim did too. Will you?", vec!["Priya", "Grace Kim"]),
        ("| a | b |\nplease", vec!["| a | b |"]),
        ("a \"b \"c d\" e", vec!["\"b \"c d\""]),
        ("Is the eBay deadbeef commit in snake_case?", vec!["eBay deadbeef", "snake_case"]),
    ] {
        assert_eq!(kept(input), expected, "{input}");
    }
}

#[test]
fn a_pack_of_ones_own_overrides_and_extends() {
    let folder = tempfile::tempdir().unwrap();
    let pack = "pack: typo\nkind: typo\nmutators:\n  - name: omission\n    does: ours\n    omit: {}\n";
    std::fs::write(folder.path().join("a.yaml"), pack).unwrap();
    let jargon = "pack: jargon\nkind: paraphrase\nlanguages: en\nmutators:\n  - name: warehouse\n    does: speaks as our warehouse does\n    example: The pallet is late.\n    replace: {swaps: {the pallet: the skid}}\n";
    std::fs::write(folder.path().join("b.yml"), jargon).unwrap();
    std::fs::write(folder.path().join("polarity.yaml"), "verbs: []").unwrap();
    let mut diagnostics = Diagnostics::default();
    let packs = Packs::with_own(folder.path(), &["."], &mut diagnostics);
    assert!(diagnostics.is_empty(), "{}", diagnostics.render(false));
    let embedded = Packs::embedded().mutators().count();
    assert_eq!(packs.mutators().count(), embedded + 1);
    let place = |packs: &Packs| packs.mutators().position(|mutator| mutator.name() == "typo/omission");
    assert_eq!(place(&packs), place(Packs::embedded()));
    let own = packs.mutators().find(|mutator| mutator.name() == "typo/omission").unwrap();
    assert_eq!(own.describe(), "ours");
    let last = packs.mutators().last().unwrap();
    assert_eq!(last.example(), Some(("The pallet is late.".into(), "The skid is late.".into())));
}

#[test]
fn a_pack_may_be_named_as_a_file_or_by_its_folder() {
    let root = tempfile::tempdir().unwrap();
    let pack = |name: &str| {
        format!(
            "pack: own\nkind: paraphrase\nmutators:\n  - {{name: {name}, does: ours, replace: {{pairs: {{a: b}}}}}}\n"
        )
    };
    for (file, name) in [("one.yaml", "one"), ("two.yaml", "two"), ("packs/b.yaml", "b"), ("packs/a.yml", "a")] {
        std::fs::create_dir_all(root.path().join("packs/deeper.yaml")).unwrap();
        std::fs::write(root.path().join(file), pack(name)).unwrap();
    }
    let own = |named: &[&str]| -> (Vec<String>, String) {
        let mut diagnostics = Diagnostics::default();
        let packs = Packs::with_own(root.path(), named, &mut diagnostics);
        let own = packs.mutators().filter_map(|mutator| Some((mutator.name(), mutator.file()?)));
        let own = own.map(|(name, file)| format!("{name} {}", file.display())).collect();
        (own, diagnostics.render(false))
    };
    assert_eq!(own(&["two.yaml"]), (vec!["own/two two.yaml".to_owned()], String::new()));
    assert_eq!(own(&["packs"]), (vec!["own/a packs/a.yml".to_owned(), "own/b packs/b.yaml".to_owned()], String::new()));
    let (none, said) = own(&["packs/deeper.yaml"]);
    assert!(none.is_empty() && said.contains("warning: the folder packs/deeper.yaml of `mutators:` holds no pack"));
    std::fs::write(root.path().join("one.yaml"), "pack: own\nkind: typos\nmutators: []\n").unwrap();
    let (none, said) = own(&["one.yaml"]);
    assert!(none.is_empty() && said.contains("one.yaml:2:7"), "{said}");
    assert!(own(&["three.yaml"]).1.contains("can't read the mutator packs of three.yaml"));
}

#[test]
fn mistakes_in_a_pack_are_shown_where_they_stand() {
    for (text, line, expected) in [
        ("pack: a\nkind: typo\nmutators:\n- {name: b, does: c, omit: {rat: 1}}", 4, "unknown key `rat`"),
        ("pack: a\nkind: typos\nmutators: []", 2, "`kind` can't be `typos`"),
        ("pack: a\nkind: typo\nmutators:\n- {name: B b, does: c, omit: {}}", 4, "`name` must be a name"),
        ("pack: a\nkind: typo\nmutators:\n- {name: b, does: c}", 4, "names its algorithm"),
        ("pack: a\nkind: typo\nmutators:\n- {name: b, does: c, omit: {}, double: {}}", 4, "a second one"),
        ("pack: a\nkind: typo\nmutators:\n- {name: b, does: c, omit: {rate: 2}}", 4, "`rate` must be a number"),
        ("pack: a\nkind: format\nmutators:\n- {name: b, does: c, replace: {pairs: {Big: x}}}", 4, "small letters"),
        (
            "pack: a\nkind: typo\nmutators:\n- {name: b, does: c, omit: {}}\n- {name: b, does: c, omit: {}}",
            5,
            "stands twice",
        ),
        ("pack: a\nkind: typo\nlanguages: [english]\nmutators: []", 3, "no language code"),
        ("verbs: [a]", 1, "needs `pack`"),
    ] {
        let mut diagnostics = Diagnostics::default();
        Packs::of_text(text, &mut diagnostics);
        let found = diagnostics.iter().find(|found| found.message.contains(expected));
        let found = found.unwrap_or_else(|| panic!("{expected}: {}", diagnostics.render(false)));
        assert_eq!(found.place.as_ref().map(|place| place.line_column().0), Some(line), "{expected}");
    }
}

#[test]
fn a_misspelling_or_a_slip_is_no_other_word() {
    let input = "Please send the form from the cold store to my wife, the quiet trial went on and I saw it there.";
    let subject = Subject { case: "case", input, literals: &[], protect: &[], language: None };
    let choice = Choice {
        mutators: Some(
            ["key-slip-qwerty", "transposition", "omission", "doubling", "misspelling"]
                .map(|name| format!("typo/{name}"))
                .to_vec(),
        ),
        variants: 500,
        ..Choice::default()
    };
    let result = variants(Packs::embedded(), &subject, &choice);
    assert!(result.variants.len() > 300, "{}", result.variants.len());
    let original: Vec<&str> = input.split([' ', ',', '.']).collect();
    for variant in &result.variants {
        for word in variant.text.split([' ', ',', '.']).filter(|word| !original.contains(word)) {
            // A slip is judged without its ending as well; a misspelling is known to be one.
            let is_word = if variant.mutator == "typo/misspelling" { words::is_word } else { words::may_be_word };
            assert!(!is_word(&word.to_lowercase()), "{word} in {}", variant.text);
        }
    }
}

#[test]
fn requests_are_turned_only_where_it_is_sure() {
    let made = |input: &str| -> Vec<String> {
        let subject = Subject { case: "case", input, literals: &[], protect: &[], language: None };
        let choice =
            Choice { mutators: Some(vec!["paraphrase/request-form".into()]), variants: 40, ..Choice::default() };
        variants(Packs::embedded(), &subject, &choice).variants.into_iter().map(|variant| variant.text).collect()
    };
    let turned = made("Refund the order, it arrived broken.");
    assert!(turned.contains(&"Could you refund the order? It arrived broken.".to_owned()), "{turned:?}");
    assert!(turned.contains(&"I need you to refund the order, it arrived broken.".to_owned()), "{turned:?}");
    assert!(made("Could you cancel it?").contains(&"Cancel it.".to_owned()));
    assert!(made("Fix the test, don't delete it.").iter().all(|text| !text.contains('?')));
    for fixed in [
        "Do not ship it.",
        "Order 5540-A is late.",
        "Refunds take long.",
        "Is it late?",
        "Where is it?",
        "Never call me.",
    ] {
        assert_eq!(made(fixed), Vec::<String>::new(), "{fixed}");
    }
}

#[test]
fn clauses_change_places_only_where_nothing_is_lost() {
    let made = |input: &str| -> Vec<String> {
        let subject = Subject { case: "case", input, literals: &[], protect: &[], language: None };
        let choice =
            Choice { mutators: Some(vec!["paraphrase/clause-order".into()]), variants: 4, ..Choice::default() };
        variants(Packs::embedded(), &subject, &choice).variants.into_iter().map(|variant| variant.text).collect()
    };
    assert_eq!(
        made("If it is not broken, keep it before it rains."),
        Vec::<String>::new(),
        "\"not\" and \"before\" keep their order"
    );
    assert_eq!(made("If the tent is broken, please replace it."), ["Please replace it if the tent is broken."]);
    assert_eq!(
        made("Please replace it because the tent is broken."),
        ["Because the tent is broken, please replace it."]
    );
    assert_eq!(made("Tell me if the tests pass today."), Vec::<String>::new());
    assert_eq!(made("If order 12 is late, cancel order 13."), Vec::<String>::new());
}

#[test]
fn a_text_of_somebody_else_breaks_the_promise_by_what_it_lost() {
    let input = "Move order 12 from Monday to 30 May, not to June.";
    let of = |text: &str, kind| {
        let subject = Subject { case: "case", input, literals: &[], protect: &[], language: None };
        verify(&subject, text, kind).map_err(|breach| breach.to_string())
    };
    let (model, written) = (Kind::Model, Kind::Written);
    assert_eq!(of("Order 12 goes from Monday to 30 May and not to June.", model), Ok(()));
    let lost = "number `12` stands 1 times in the original and 0 times here".to_owned();
    assert_eq!(of("The order goes from Monday to 30 May, not to June.", model), Err(lost.clone()));
    assert_eq!(of("The order goes from Monday to 30 May, not to June.", written), Err(lost));
    let digits = "its digits differ from those of the original".to_owned();
    assert_eq!(of("Order 12 goes from Monday to 30 May, not to June: 1 thing.", model), Err(digits.clone()));
    assert_eq!(of("Order 12 goes from Monday to 30 May, not to June: 1 thing.", written), Err(digits));
    // A person may turn it around, a model may not.
    let turned = "To 30 May, not to June, is where from Monday on order 12 goes.";
    assert_eq!(of(turned, written), Ok(()));
    assert!(of(turned, model).is_err_and(|error| error.contains("differ") || error.contains("order")));
}

#[test]
fn a_variant_of_somebody_elses_text_has_the_id_of_its_text() {
    let subject = Subject { case: "late", input: "Where is it?", literals: &[], protect: &[], language: None };
    let one = Variant::of_text(&subject, "case/paraphrases", Kind::Written, "Where did it go?".into(), 3);
    let hash = blake3::hash(b"Where did it go?").to_hex();
    assert_eq!(one.id, format!("late/case/paraphrases/{}", &hash[..8]));
    assert_eq!((one.kind, one.index, apply("Where is it?", &one.edits)), (Kind::Written, 3, Some(one.text)));
    assert_eq!(rephrasable(&subject), Ok(()));
    assert!(rephrasable(&Subject { input: "#4021 12.50", ..subject }).is_err());
}
