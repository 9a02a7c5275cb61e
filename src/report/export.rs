//! Variants of inputs for other harnesses.

use serde::Serialize;

use super::json::json_line;
use crate::studies::inputs::ListedVariant;

/// One JSON object a line.
pub fn variant_lines(variants: &[ListedVariant]) -> String {
    variants.iter().map(json_line).collect()
}

#[derive(Serialize)]
struct Test<'v> {
    description: &'v str,
    vars: Vars,
    metadata: Metadata<'v>,
}

#[derive(Serialize)]
struct Vars {
    input: String,
}

#[derive(Serialize)]
struct Metadata<'v> {
    case: &'v str,
    mutator: &'v str,
    kind: &'v str,
}

/// A list of tests as promptfoo reads them from a YAML file: the text is the variable `input`.
pub fn promptfoo(variants: &[ListedVariant]) -> String {
    let tests: Vec<Test<'_>> = variants
        .iter()
        .map(|variant| Test {
            description: &variant.id,
            vars: Vars { input: literal(&variant.text) },
            metadata: Metadata { case: &variant.case, mutator: &variant.mutator, kind: &variant.kind },
        })
        .collect();
    serde_yaml::to_string(&tests).expect("texts and names are YAML")
}

/// Variables are templates there: braces that would be filled in are marked as text.
fn literal(text: &str) -> String {
    let opens = ["{{", "{%", "{#"].iter().any(|sign| text.contains(sign));
    if opens { format!("{{% raw %}}{text}{{% endraw %}}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(text: &str) -> ListedVariant {
        ListedVariant {
            id: "a/typo/omission/00000000".into(),
            case: "a".into(),
            mutator: "typo/omission".into(),
            kind: "typo".into(),
            text: text.into(),
            edits: vec![],
        }
    }

    #[test]
    fn an_export_reads_back_with_its_texts_unchanged() {
        let texts = ["yes", "- a: \"b\"\n  c", "1.10", " blank ", "it's #1\u{a0}\u{200b}"];
        let variants: Vec<ListedVariant> = texts.iter().map(|text| variant(text)).collect();
        let yaml: serde_json::Value = serde_yaml::from_str(&promptfoo(&variants)).unwrap();
        let lines = variant_lines(&variants);
        for (at, text) in texts.iter().enumerate() {
            assert_eq!(yaml[at]["vars"]["input"], *text);
            let line: serde_json::Value = serde_json::from_str(lines.lines().nth(at).unwrap()).unwrap();
            assert_eq!(line["text"], *text);
        }
        assert_eq!(lines.lines().count(), texts.len());
        assert_eq!(yaml[0]["metadata"]["mutator"], "typo/omission");
    }

    #[test]
    fn braces_of_a_text_are_no_template_elsewhere() {
        let yaml: serde_json::Value = serde_yaml::from_str(&promptfoo(&[variant("Hi {{name}}")])).unwrap();
        assert_eq!(yaml[0]["vars"]["input"], "{% raw %}Hi {{name}}{% endraw %}");
    }
}
