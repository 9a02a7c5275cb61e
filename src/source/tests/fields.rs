use std::time::Duration;

use super::*;

fn read<T>(text: &str, read: impl Fn(&mut Fields<'_>, &mut Diagnostics) -> T) -> (T, Vec<String>) {
    let node = node(text);
    let mut diagnostics = Diagnostics::default();
    let mut fields = Fields::of("this", &node, &mut diagnostics).unwrap();
    let value = read(&mut fields, &mut diagnostics);
    fields.finish(&mut diagnostics);
    (value, said(&diagnostics))
}

#[test]
fn a_key_that_nobody_takes_is_unknown() {
    let (_, mistakes) = read("{name: a, nmae: b}", |fields, diagnostics| fields.text("name", diagnostics));
    assert_eq!(mistakes, ["1:11: unknown key `nmae` in this"]);
}

#[test]
fn time_spans_are_read_with_and_without_units() {
    for (text, milliseconds) in
        [("30", 30_000), ("0.5", 500), ("500ms", 500), ("2m", 120_000), ("3 s", 3000), ("1h", 3_600_000)]
    {
        let (found, mistakes) = read(&format!("a: {text}"), |fields, diagnostics| fields.seconds("a", diagnostics));
        assert_eq!((found, mistakes), (Some(Duration::from_millis(milliseconds)), vec![]), "{text}");
    }
    for text in ["soon", "-1", "1d", "inf", "NaN"] {
        let (found, mistakes) = read(&format!("a: {text}"), |fields, diagnostics| fields.seconds("a", diagnostics));
        assert_eq!((found, mistakes), (None, vec![format!("1:4: `a` must be a time span, not {text}")]));
    }
}

#[test]
fn numbers_are_kept_within_their_range() {
    let whole = |text: &str| read(text, |fields, diagnostics| fields.whole_within("a", 2, 4, diagnostics));
    assert_eq!(whole("a: 2"), (Some(2), vec![]));
    assert_eq!(whole("a: 4"), (Some(4), vec![]));
    for text in ["1", "5", "2.5", "two", "010", "-2", "[2]"] {
        let (found, mistakes) = whole(&format!("a: {text}"));
        assert_eq!((found, mistakes.len()), (None, 1), "{text}");
    }
    let share = |text: &str| read(text, |fields, diagnostics| fields.fraction("a", 0.5, false, diagnostics)).0;
    assert_eq!((share("a: 0.05"), share("a: 0.5"), share("a: 0"), share("a: x")), (Some(0.05), None, None, None));
}

#[test]
fn an_absent_or_null_value_is_no_mistake() {
    for text in ["{}", "a: ", "a: ~"] {
        let (found, mistakes) = read(text, |fields, diagnostics| fields.texts("a", diagnostics));
        assert_eq!((found, mistakes), (None, vec![]));
    }
}

#[test]
fn one_text_is_a_list_of_one() {
    assert_eq!(read("a: no", |f, d| f.texts("a", d)).0, Some(vec!["no".to_owned()]));
    assert_eq!(read("a: [1.10, x]", |f, d| f.texts("a", d)).0, Some(vec!["1.10".to_owned(), "x".to_owned()]));
}
