//! Which files an instruction file includes, and the text that all of them make together.
//!
//! Two spellings are read: `@path`, as a word of its own outside of code, and `{% include "path" %}`. Names are resolved
//! against the including file's folder, those of templates then against the suite's folder. Nothing here opens a file.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// One place that includes another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// Bytes of the text: the whole `@path` or tag.
    pub range: Range<usize>,
    /// The path as it is written.
    pub target: String,
    /// A tag of a template; else an `@path`, which may also be somebody's name.
    pub template: bool,
}

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\{%[-+~]?\s*include\s+(?:"([^"\n]+)"|'([^'\n]+)')[^%]*%\}"#).expect("the pattern is valid")
});
static AT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s(])(@([\p{L}\p{N}_~./\\-]+))").expect("the pattern is valid"));

/// All includes of a text, in order.
pub fn includes(text: &str) -> Vec<Include> {
    let mut found: Vec<Include> = TAG
        .captures_iter(text)
        .filter_map(|tag| {
            let target = tag.get(1).or(tag.get(2))?.as_str().to_owned();
            Some(Include { range: tag.get(0)?.range(), target, template: true })
        })
        .collect();
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start();
        let sign = ["```", "~~~"].into_iter().find(|sign| words.starts_with(sign));
        match (fence, sign) {
            (None, Some(sign)) => fence = Some(sign),
            (Some(open), Some(sign)) if open == sign => fence = None,
            (None, None) => found.extend(at_paths(line, start)),
            _ => {}
        }
        start += line.len();
    }
    found.sort_by_key(|include| include.range.start);
    found
}

fn at_paths(line: &str, start: usize) -> Vec<Include> {
    if !line.contains('@') {
        return Vec::new();
    }
    AT.captures_iter(line)
        .filter_map(|found| {
            let all = found.get(1)?;
            let in_code = line[..all.start()].matches('`').count() % 2 == 1;
            let target = found.get(2)?.as_str().trim_end_matches('.');
            let end = all.start() + 1 + target.len();
            (!in_code && !target.is_empty()).then(|| Include {
                range: start + all.start()..start + end,
                target: target.to_owned(),
                template: false,
            })
        })
        .collect()
}

impl Include {
    /// The names, relative to the suite's folder with forward slashes, that the target may have; none where it lies
    /// outside of that folder.
    pub fn names(&self, includer: &Path) -> Vec<String> {
        let mut names = Vec::new();
        names.extend(joined(includer.parent().unwrap_or(Path::new("")), &self.target));
        if self.template {
            names.extend(joined(Path::new(""), &self.target));
        }
        names.dedup();
        names
    }
}

fn joined(folder: &Path, target: &str) -> Option<String> {
    if target.starts_with(['/', '~', '\\']) || Path::new(target).is_absolute() {
        return None;
    }
    let folder = folder.to_string_lossy().replace('\\', "/");
    let target = target.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// All files as one text: each include that is one of the files stands where it is included, and no more at its own place.
/// An include on a line of its own and a template's tag are replaced; one inside of a sentence keeps its words, and the
/// file follows on the next lines. Between two files stands a blank line.
pub fn expanded(files: &[(&Path, &str)]) -> String {
    let inner: BTreeSet<usize> = (0..files.len())
        .flat_map(|at| includes(files[at].1).into_iter().filter_map(move |include| index(files, at, &include)))
        .collect();
    let texts: Vec<String> =
        (0..files.len()).filter(|at| !inner.contains(at)).map(|at| expand(files, at, &mut Vec::new())).collect();
    let texts: Vec<&str> = texts.iter().map(|text| text.trim_end()).collect();
    texts.join("\n\n").trim_end().to_owned()
}

fn index(files: &[(&Path, &str)], from: usize, include: &Include) -> Option<usize> {
    let names = include.names(files[from].0);
    let is = |name: &String| {
        files.iter().position(|(path, _)| path.to_string_lossy().replace('\\', "/").trim_start_matches("./") == name)
    };
    names.iter().find_map(is).filter(|at| *at != from)
}

fn expand(files: &[(&Path, &str)], at: usize, open: &mut Vec<usize>) -> String {
    let text = files[at].1;
    open.push(at);
    let mut made = String::new();
    let mut from = 0;
    for include in includes(text) {
        let Some(target) = index(files, at, &include).filter(|target| !open.contains(target)) else { continue };
        if include.range.start < from {
            continue;
        }
        let inner = expand(files, target, open);
        let inner = inner.trim_end();
        let line_start = text[..include.range.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[include.range.end..].find('\n').map_or(text.len(), |at| include.range.end + at);
        let alone = text[line_start..include.range.start].trim().is_empty()
            && text[include.range.end..line_end].trim().is_empty();
        if alone || include.template {
            made.push_str(&text[from..include.range.start]);
            made.push_str(inner);
            from = include.range.end;
        } else if line_end >= from {
            made.push_str(text[from..line_end].trim_end());
            made.push_str("\n\n");
            made.push_str(inner);
            made.push('\n');
            from = line_end;
        }
    }
    made.push_str(&text[from.min(text.len())..]);
    open.pop();
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<String> {
        includes(text).into_iter().map(|include| include.target).collect()
    }

    #[test]
    fn both_spellings_are_read_outside_of_code() {
        let text = "@docs/a.md\nSee (@b.md) and @../c.md. Mail x@y.org, `@no.md`.\n```\n@no.md\n```\n{%- include 'd.j2' ignore missing -%}\n{% include name %}\n";
        assert_eq!(targets(text), ["docs/a.md", "b.md", "../c.md", "d.j2"]);
    }

    #[test]
    fn names_never_leave_the_suite() {
        let include = |target: &str, template| Include { range: 0..0, target: target.into(), template };
        let from = Path::new("prompts/main.md");
        assert_eq!(include("../a.md", false).names(from), ["a.md"]);
        assert_eq!(include("b/./c.md", true).names(from), ["prompts/b/c.md", "b/c.md"]);
        for target in ["../../a.md", "/etc/a.md", "~/a.md"] {
            assert!(include(target, true).names(from).is_empty() || target.starts_with(".."), "{target}");
            assert!(include(target, false).names(from).is_empty(), "{target}");
        }
    }

    #[test]
    fn an_include_stands_where_it_is_included_and_nowhere_else() {
        let files = [
            (Path::new("main.md"), "# A\n\n@docs/b.md\n\nSee @c.md for more.\nAsk.\n"),
            (Path::new("docs/b.md"), "Be kind.\n{% include \"d.md\" %}\n"),
            (Path::new("c.md"), "Never lie.\n"),
            (Path::new("docs/d.md"), "Stop.\n"),
            (Path::new("e.md"), "Last. @mira\n"),
        ];
        assert_eq!(
            expanded(&files),
            "# A\n\nBe kind.\nStop.\n\nSee @c.md for more.\n\nNever lie.\n\nAsk.\n\nLast. @mira"
        );
    }

    #[test]
    fn files_that_include_nothing_are_joined_and_empty_ones_are_empty() {
        assert_eq!(expanded(&[(Path::new("a.md"), "One.\n"), (Path::new("b.md"), "Two.\n\n")]), "One.\n\nTwo.");
        assert_eq!(expanded(&[(Path::new("a.md"), ""), (Path::new("b.md"), "")]), "");
    }
}
