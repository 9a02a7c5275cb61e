use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::escape::{markdown as escape_markdown, terminal as escape};
use super::word_diff::word_diff;
use crate::mutators::input::{Kind, MutatorEntry};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// The mutators for a person: by kind, each with an example.
pub fn mutators(entries: &[MutatorEntry]) -> String {
    let mut out = format!("{BOLD}mutate mutators{BOLD:#}  {DIM}{}{DIM:#}\n", sum(entries, " (*)"));
    for (kind, entries) in by_kind(entries) {
        let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", kind.name(), kind.describe());
        for entry in entries {
            write_entry(&mut out, entry);
        }
    }
    out
}

fn write_entry(out: &mut String, entry: &MutatorEntry) {
    let default = if entry.default { format!("{GREEN}*{GREEN:#}") } else { " ".to_owned() };
    let _ = write!(out, "{default} {BOLD}{}{BOLD:#}  {}", escape(&entry.name), escape(&entry.does));
    let _ = write!(out, "  {DIM}{}{DIM:#}", languages(entry));
    if let Some(file) = &entry.file {
        let _ = write!(out, "  {DIM}{}{DIM:#}", escape(file));
    }
    out.push('\n');
    if !entry.keeps_meaning {
        let _ = writeln!(out, "    {YELLOW}may change what is asked{YELLOW:#}");
    }
    match &entry.example {
        Some(example) => {
            let _ = writeln!(out, "    {}", word_diff(&example.input, &example.variant));
        }
        None => {
            let _ = writeln!(out, "    {DIM}no example{DIM:#}");
        }
    }
}

/// The mutators as Markdown: a table a kind.
pub fn mutators_markdown(entries: &[MutatorEntry]) -> String {
    let mut out = format!("## mutate mutators\n\n{}\n", sum(entries, ""));
    for (kind, entries) in by_kind(entries) {
        let _ = writeln!(out, "\n### {}: {}\n", kind.name(), kind.describe());
        let _ =
            writeln!(out, "| mutator | default | does | languages | example | becomes |\n|---|---|---|---|---|---|");
        for entry in entries {
            let default = if entry.default { "yes" } else { "no" };
            let mut does = entry.does.clone();
            if !entry.keeps_meaning {
                does.push_str(" (may change what is asked)");
            }
            if let Some(file) = &entry.file {
                let _ = write!(does, " ({file})");
            }
            let cell = |text: &str| escape_markdown(&text.replace('\n', "⏎").replace('\u{a0}', "⍽"));
            let (before, after) = match &entry.example {
                Some(example) => (cell(&example.input), cell(&example.variant)),
                None => ("no example".to_owned(), String::new()),
            };
            let (name, does) = (cell(&entry.name), cell(&does));
            let _ = writeln!(out, "| {name} | {default} | {does} | {} | {before} | {after} |", languages(entry));
        }
    }
    out
}

/// Kinds in their order, each with its mutators in the order of the packs.
fn by_kind(entries: &[MutatorEntry]) -> impl Iterator<Item = (Kind, Vec<&MutatorEntry>)> {
    let of = |kind: Kind| entries.iter().filter(|entry| entry.kind == kind).collect::<Vec<_>>();
    Kind::ALL.into_iter().map(move |kind| (kind, of(kind))).filter(|(_, entries)| !entries.is_empty())
}

/// `mark` is how the list marks a default.
fn sum(entries: &[MutatorEntry], mark: &str) -> String {
    let default = entries.iter().filter(|entry| entry.default).count();
    let changing = entries.iter().filter(|entry| !entry.keeps_meaning).count();
    let mut sum = match entries.len() {
        1 => "1 mutator".to_owned(),
        number => format!("{number} mutators"),
    };
    let _ = write!(sum, ", {default} on by default{mark}");
    sum.push_str(&match changing {
        0 => "; all are meant to keep what is asked".to_owned(),
        _ => format!("; {changing} may change what is asked"),
    });
    sum
}

fn languages(entry: &MutatorEntry) -> String {
    if entry.languages.is_empty() { "any language".to_owned() } else { entry.languages.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutators::input::Example;

    #[test]
    fn what_a_pack_says_is_shown_and_not_obeyed() {
        let entry = MutatorEntry {
            name: "own/red".into(),
            kind: Kind::Paraphrase,
            default: false,
            keeps_meaning: false,
            languages: vec![],
            does: "\u{1b}[31mred | <b>".into(),
            example: Some(Example { input: "a | b".into(), variant: "a |\n`b".into() }),
            file: Some("own.yaml".into()),
        };
        let entries = [entry];
        let shown = anstream::adapter::strip_str(&mutators(&entries)).to_string();
        assert_eq!(
            shown,
            "mutate mutators  1 mutator, 0 on by default (*); 1 may change what is asked\n\n\
             paraphrase  other words for the same request\n  \
             own/red  \u{fffd}[31mred | <b>  any language  own.yaml\n    may change what is asked\n    \
             a |[- -]{+⏎`+}b\n"
        );
        let table = mutators_markdown(&entries);
        assert!(table.ends_with(
            "| own/red | no | \u{fffd}\\[31mred \\| &lt;b&gt; (may change what is asked) (own.yaml) | any language | a \\| b | a \\|⏎\\`b |\n"
        ));
    }
}
