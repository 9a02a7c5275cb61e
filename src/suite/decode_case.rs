//! From one mapping of a case file to a [`Case`].

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::Value;

use super::case::{Case, Provenance, Rule};
use super::expect::{self, ParseMatcher, Wish};
use super::files::clean;
use super::import_prompted::INPUT_KEYS;
use super::{
    draft, id, import_actions, import_asserted, import_golden, import_graded, import_labeled, import_prompted, pass_if,
    samples, template,
};
use crate::source::{Diagnostics, Fields, Node, Place, nearest_name};
use crate::transcript::Message;

/// Keys of other formats that mean something no key of ours says, with what to write.
const STRANGERS: [(&str, &str); 9] = [
    ("answer", "write `expected: …` with `grader: exact_match` or `contains`"),
    ("ideal", "write `expected: …` with `grader: exact_match` or `contains`"),
    ("target", "write `expected: …` with `grader: exact_match` or `contains`"),
    ("truth", "write `expected: …` with `grader: contains` if it is an answer that a reply must hold"),
    ("ground_truth", "write `expected: …` with `grader: contains` if it is an answer that a reply must hold"),
    ("assertions", "write the checks under `expect:`, such as `expect: {reply_mentions: [\"30 days\"]}`"),
    ("vars", "texts are not templates here: write the whole message as `input:`"),
    ("messages", "write earlier turns as `conversation:` and the last message as `input:`"),
    ("name", "write `id:`"),
];

const LOOKS_LIKE_THIS: &str = "a case looks like this:\nid: refund-outside-window\ninput: \"Refund order #4021.\"\n\
                               expect: {reply_mentions: [\"30 days\"]}";

/// What cases are decoded with, and what is only known when all of them are.
pub(super) struct Decoder<'a> {
    pub parse_matcher: ParseMatcher<'a>,
    /// The suite's instruction files; `None` where `mutate.yaml` can't be read, so that nothing is said of them.
    pub instructions: Option<Vec<String>>,
    /// Cases that quote a rule in a suite without instructions: the first one's place.
    pub rule_without_instructions: Option<Place>,
    /// What was read but is not scored: by file and key, how often and where first.
    unscored: Vec<Unscored>,
    ids: HashMap<String, Place>,
    /// By the id in lower case.
    folded: HashMap<String, (String, Place)>,
}

struct Unscored {
    key: &'static str,
    first: Place,
    cases: usize,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(parse_matcher: ParseMatcher<'a>, instructions: Option<Vec<String>>) -> Decoder<'a> {
        Decoder {
            parse_matcher,
            instructions,
            rule_without_instructions: None,
            unscored: vec![],
            ids: HashMap::new(),
            folded: HashMap::new(),
        }
    }

    /// `None`, with diagnostics, where it is no case; where it is a broken one the case is incomplete.
    pub(super) fn case(&mut self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Case> {
        if node.mapping().is_none() {
            let message = format!("a case must be a mapping of keys to values, but this is {}", node.describe());
            diagnostics.error(&node.place, message).help.push(LOOKS_LIKE_THIS.to_owned());
            return None;
        }
        let mut fields = Fields::of("a case", node, diagnostics)?;
        if is_something_else(&fields, diagnostics) {
            return None;
        }
        let (id, place) = self.id(&mut fields, diagnostics);
        let literal = fields.boolean("literal", diagnostics).unwrap_or(false);
        let check = |key: &str, node: &Node, diagnostics: &mut Diagnostics| {
            if !literal {
                template::check(key, node, &id, diagnostics);
            }
        };
        let input = input(&mut fields, diagnostics);
        if let Some(node) = input {
            let unwritten =
                !literal && draft::is_unwritten("input", node.text().unwrap_or_default(), &node.place, diagnostics);
            if !unwritten {
                check("input", node, diagnostics);
            }
        }
        let rules = self.rules(&mut fields, diagnostics);
        let provenance = fields.choice("provenance", &Provenance::NAMES, diagnostics);
        let (runs, pass_if) = pass_if::take(&mut fields, diagnostics);
        let conversation = conversation(&mut fields, &check, diagnostics);
        let paraphrases = paraphrases(&mut fields, input, &check, diagnostics);
        let fixtures = fixtures(&mut fields, diagnostics);
        let mut case = Case {
            id: id.clone(),
            input: input.and_then(Node::text).unwrap_or_default().to_owned(),
            rules,
            provenance: provenance.map(Provenance::from_name).unwrap_or_default(),
            source: fields.text("source", diagnostics),
            added: fields.text("added", diagnostics),
            owner: fields.text("owner", diagnostics),
            tags: fields.texts("tags", diagnostics).unwrap_or_default(),
            notes: fields.text("notes", diagnostics),
            runs,
            pass_if,
            conversation,
            fixtures,
            paraphrases,
            examples: samples::take("examples", &mut fields, diagnostics),
            incident: samples::take("incident", &mut fields, diagnostics),
            expect: vec![],
            place,
        };
        self.expect(&mut case, &mut fields, diagnostics);
        for (key, _) in fields.take_where(|key| STRANGERS.iter().any(|(name, _)| *name == key)) {
            let name = key.text().unwrap_or_default();
            let error = diagnostics.error(&key.place, format!("unknown key `{name}` in a case"));
            error.label = "not a key here".to_owned();
            error.help.extend(STRANGERS.iter().filter(|(known, _)| *known == name).map(|(_, help)| (*help).to_owned()));
        }
        fields.finish(diagnostics);
        Some(case)
    }

    fn id(&mut self, fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> (String, Place) {
        let whole = fields.node().place.clone();
        let Some(node) = fields.take("id") else {
            let error = diagnostics.error(&whole, "a case needs `id`");
            error.help.push("a short name that never changes, such as `id: refund-outside-window`".to_owned());
            return (String::new(), whole);
        };
        let Some(text) = node.text() else {
            diagnostics.error(&node.place, format!("`id` must be text, but this is {}", node.describe()));
            return (String::new(), node.place.clone());
        };
        if let Err(reason) = id::check(text) {
            let error = diagnostics.error(&node.place, format!("the id {text:?} {reason}"));
            error.help.push(id::HELP.to_owned());
        } else if let Some(first) = self.ids.get(text) {
            let error = diagnostics.error(&node.place, format!("the case id `{text}` is used twice"));
            error.label = "again here".to_owned();
            error.related.push((first.clone(), "first here".to_owned()));
            error.help.push("evidence is kept by id: give one of them another".to_owned());
        } else if let Some((other, first)) = self.folded.get(&text.to_lowercase()) {
            let warning = diagnostics
                .warning(&node.place, format!("the case ids `{other}` and `{text}` differ in letter case only"));
            warning.related.push((first.clone(), "the other one".to_owned()));
        }
        self.ids.entry(text.to_owned()).or_insert_with(|| node.place.clone());
        self.folded.entry(text.to_lowercase()).or_insert_with(|| (text.to_owned(), node.place.clone()));
        (text.to_owned(), node.place.clone())
    }

    fn rules(&mut self, fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Vec<Rule> {
        let one = fields.take_entry("rule");
        let many = fields.take_entry("rules");
        if let (Some((first, _)), Some((second, _))) = (one, many) {
            let error = diagnostics.error(&second.place, "`rule` and `rules` say the same thing");
            error.related.push((first.place.clone(), "`rule` here".to_owned()));
            error.help.push("put all of them into the list `rules`".to_owned());
        }
        let mut nodes: Vec<&Node> = vec![];
        if let Some((key, node)) = one {
            match node.sequence() {
                Some(items) => {
                    let error = diagnostics.error(&node.place, "`rule` is one rule, but this is a list");
                    error.help.push("write `rules:` for several".to_owned());
                    nodes.extend(items);
                }
                None if node.is_null() => {
                    diagnostics.error(&key.place, "`rule` is empty");
                }
                None => nodes.push(node),
            }
        }
        if let Some((_, node)) = many.filter(|(_, node)| !node.is_null()) {
            match node.sequence() {
                Some(items) => nodes.extend(items),
                None => {
                    let error = diagnostics
                        .error(&node.place, format!("`rules` must be a list, but this is {}", node.describe()));
                    error.help.push("write `rule:` for one rule".to_owned());
                }
            }
        }
        let rules: Vec<Rule> = nodes.into_iter().filter_map(|node| self.rule(node, diagnostics)).collect();
        for (index, rule) in rules.iter().enumerate() {
            let same = |other: &&Rule| other.quote == rule.quote && other.file == rule.file && other.line == rule.line;
            if let Some(first) = rules[..index].iter().find(same) {
                let error = diagnostics.error(&rule.place, "this rule is quoted twice in one case");
                error.label = "again here".to_owned();
                error.related.push((first.place.clone(), "first here".to_owned()));
            }
        }
        if let Some(rule) = rules.first().filter(|_| self.instructions.as_ref().is_some_and(Vec::is_empty)) {
            self.rule_without_instructions.get_or_insert_with(|| rule.place.clone());
        }
        rules
    }

    fn rule(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<Rule> {
        let blank = |text: &str| text.trim().is_empty();
        if node.text().is_some_and(blank) {
            diagnostics.error(&node.place, "the quote of a rule is empty");
            return None;
        }
        if let Some(quote) = node.text() {
            let place = node.place.clone();
            return Some(Rule {
                quote: quote.to_owned(),
                file: None,
                line: None,
                heading: None,
                also: vec![],
                inverted: None,
                control: None,
                place,
            });
        }
        let mut fields = Fields::of("a rule", node, diagnostics)?;
        let quote = fields.take_entry("quote");
        if quote.is_none() {
            let error = diagnostics.error(&node.place, "a rule needs `quote`");
            error.help.push("quote the rule's text as it stands in the instructions".to_owned());
        }
        let quote = quote.and_then(|(key, node)| match node.text() {
            Some(text) if !blank(text) => Some((text, node)),
            Some(_) => {
                diagnostics.error(&node.place, "the quote of a rule is empty");
                None
            }
            None if node.is_null() => {
                diagnostics.error(&key.place, "the quote of a rule is empty");
                None
            }
            None => {
                diagnostics.error(&node.place, format!("`quote` must be text, but this is {}", node.describe()));
                None
            }
        });
        let file = fields.take("file").and_then(|node| self.rule_file(node, diagnostics));
        let line = fields.whole_within("line", 1, u64::from(u32::MAX), diagnostics).map(|line| line as usize);
        let heading = not_blank("heading", &mut fields, diagnostics);
        let inverted_node = fields.get("inverted");
        let inverted = not_blank("inverted", &mut fields, diagnostics);
        if let (Some((text, _)), Some(opposite), Some(node)) = (quote, &inverted, inverted_node)
            && text.trim() == opposite.trim()
        {
            let error = diagnostics.error(&node.place, "`inverted` is the rule itself");
            error.help.push("write what the rule forbids, or leave it out".to_owned());
        }
        let also = also(&mut fields, quote.map(|(text, _)| text), diagnostics);
        let control_node = fields.get("control");
        let control = not_blank("control", &mut fields, diagnostics);
        let own = quote.map(|(text, _)| text).into_iter().chain(also.iter().map(String::as_str));
        if let (Some(control), Some(node)) = (&control, control_node)
            && own.into_iter().any(|text| text.trim() == control.trim())
        {
            let error = diagnostics.error(&node.place, "`control` is the rule itself");
            error.help.push("quote another rule that this case has nothing to do with, or leave it out".to_owned());
        }
        fields.finish(diagnostics);
        let (text, node) = quote?;
        Some(Rule { quote: text.to_owned(), file, line, heading, also, inverted, control, place: node.place.clone() })
    }

    fn rule_file(&self, node: &Node, diagnostics: &mut Diagnostics) -> Option<PathBuf> {
        let Some(text) = node.text() else {
            diagnostics.error(&node.place, format!("`file` must be text, but this is {}", node.describe()));
            return None;
        };
        let name = clean(text);
        match &self.instructions {
            Some(known) if !known.is_empty() && !known.contains(&name) => {
                let error = diagnostics.error(&node.place, format!("`{name}` is not among the suite's instructions"));
                error.help.push(match nearest_name(&name, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("instructions: {}", super::config::list(known.iter().take(10).map(String::as_str))),
                });
            }
            _ => {}
        }
        Some(PathBuf::from(name))
    }

    fn expect(&mut self, case: &mut Case, fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) {
        let mut wishes: Vec<Wish> = vec![];
        let errors = diagnostics.errors();
        let native = expect::take(fields, &mut wishes, diagnostics);
        import_golden::translate(fields, &mut wishes);
        import_graded::translate(fields, &mut wishes, diagnostics);
        let unscored = import_prompted::translate(fields, &mut wishes);
        import_labeled::translate(fields, &mut wishes);
        let mut notes = import_asserted::translate(fields, &mut wishes, diagnostics);
        notes.extend(import_actions::translate(fields, &mut wishes, diagnostics));
        if wishes.is_empty() && !native && diagnostics.errors() == errors {
            let name = if case.id.is_empty() { "this case".to_owned() } else { format!("case `{}`", case.id) };
            let error = diagnostics.error(&case.place, format!("{name} has no check: it can't fail"));
            error.label = "no `expect`".to_owned();
            for (key, _) in &unscored {
                let key = key.text().unwrap_or_default();
                error.help.push(format!("`{key}` is a note: code can't decide it"));
            }
            if !notes.is_empty() {
                error.help.push("nothing of what stands there is scored: see the warnings".to_owned());
            }
            error.help.push("add one, such as `expect: {reply_mentions: [\"30 days\"]}`".to_owned());
        } else {
            self.count_unscored(&unscored);
        }
        let unscored = unscored.into_iter().map(|(key, value)| {
            let value = value.text().map_or_else(|| value.to_value().to_string(), str::to_owned);
            format!("{}: {value}", key.text().unwrap_or_default())
        });
        for note in unscored.chain(notes) {
            let notes = case.notes.get_or_insert_with(String::new);
            if !notes.is_empty() {
                notes.push('\n');
            }
            notes.push_str(&note);
        }
        case.expect = expect::parse(&wishes, self.parse_matcher, diagnostics);
    }

    fn count_unscored(&mut self, unscored: &[(&Node, &Node)]) {
        for (key, _) in unscored {
            let known = import_prompted::UNSCORED_KEYS.iter().find(|name| key.text() == Some(**name));
            let Some(name) = known else { continue };
            let same = |entry: &&mut Unscored| {
                entry.key == *name && std::sync::Arc::ptr_eq(&entry.first.file, &key.place.file)
            };
            match self.unscored.iter_mut().rev().find(same) {
                Some(entry) => entry.cases += 1,
                None => self.unscored.push(Unscored { key: name, first: key.place.clone(), cases: 1 }),
            }
        }
    }

    /// What can be said only after the last case.
    pub(super) fn finish(self, diagnostics: &mut Diagnostics) {
        if let Some(place) = &self.rule_without_instructions {
            let error = diagnostics.error(place, "a case quotes a rule, but the suite names no instructions");
            error.help.push("list the files in mutate.yaml: `instructions: [prompts/*.md]`".to_owned());
        }
        for Unscored { key, first, cases } in &self.unscored {
            let further = match cases {
                1 => String::new(),
                2 => " (and of 1 further case in this file)".to_owned(),
                _ => format!(" (and of {} further cases in this file)", cases - 1),
            };
            let warning = diagnostics.warning(first, format!("`{key}` is not scored{further}"));
            warning.help.push("code can't decide it; it is kept as a note, and the other checks count".to_owned());
        }
    }
}

/// True, with one error instead of one for every key, for a mapping that has nothing of a case.
fn is_something_else(fields: &Fields<'_>, diagnostics: &mut Diagnostics) -> bool {
    let node = fields.node();
    let ours = INPUT_KEYS.iter().chain(&["id", "expect"]).any(|key| fields.has(key));
    if ours {
        return false;
    }
    let keys = node.mapping().unwrap_or_default().iter().filter_map(|(key, _)| key.text());
    let found: Vec<&str> = keys.take(8).collect();
    let error = diagnostics.error(&node.place, "this is no case: it has neither `id` nor `input` nor `expect`");
    if !found.is_empty() {
        error.label = format!("has {}", super::config::list(found));
    }
    error.help.push(LOOKS_LIKE_THIS.to_owned());
    true
}

type CheckText<'a> = &'a dyn Fn(&str, &Node, &mut Diagnostics);

/// The one of `input`, `prompt`, `question` that is there.
fn input<'n>(fields: &mut Fields<'n>, diagnostics: &mut Diagnostics) -> Option<&'n Node> {
    let case = fields.node().place.clone();
    let found: Vec<_> = INPUT_KEYS.iter().filter_map(|key| fields.take_entry(key)).collect();
    let Some((key, node)) = found.first() else {
        let error = diagnostics.error(&case, "a case needs `input`");
        error.help.push("the user's message, such as `input: \"Refund order #4021.\"`".to_owned());
        return None;
    };
    for (second, _) in &found[1..] {
        let spelled = |node: &Node| node.text().unwrap_or_default().to_owned();
        let error = diagnostics.error(
            &second.place,
            format!("`{}` and `{}` are two spellings of one thing", spelled(key), spelled(second)),
        );
        error.related.push((key.place.clone(), "first here".to_owned()));
        error.help.push("keep `input`".to_owned());
    }
    let name = key.text().unwrap_or_default();
    match node.text() {
        Some(text) if text.trim().is_empty() => {
            diagnostics.error(&node.place, format!("`{name}` is empty"));
        }
        Some(_) => return Some(node),
        None if node.is_null() => {
            diagnostics.error(&key.place, format!("`{name}` is empty"));
        }
        None => {
            let error =
                diagnostics.error(&node.place, format!("`{name}` must be text, but this is {}", node.describe()));
            if node.sequence().is_some() {
                error.help.push("earlier turns go into `conversation:`, the last message is the input".to_owned());
            }
        }
    }
    None
}

fn conversation(fields: &mut Fields<'_>, check: CheckText<'_>, diagnostics: &mut Diagnostics) -> Vec<Message> {
    let Some(node) = fields.take("conversation") else { return vec![] };
    let Some(items) = node.sequence() else {
        let error = diagnostics
            .error(&node.place, format!("`conversation` must be a list of turns, but this is {}", node.describe()));
        error.help.push("write `- {role: user, content: \"…\"}` for each turn".to_owned());
        return vec![];
    };
    let mut messages = vec![];
    for item in items {
        let Some(mut turn) = Fields::of("a turn", item, diagnostics) else { continue };
        if turn.get("role").is_none() {
            diagnostics.error(&item.place, "a turn needs `role`");
        }
        let role = turn.choice("role", &["user", "assistant", "system"], diagnostics);
        if let Some(node) = turn.get("content") {
            check("conversation", node, diagnostics);
        } else {
            diagnostics.error(&item.place, "a turn needs `content`");
        }
        let content = turn.text("content", diagnostics);
        turn.finish(diagnostics);
        if let (Some(role), Some(content)) = (role, content) {
            messages.push(Message { role: role.to_owned(), content });
        }
    }
    messages
}

fn paraphrases(
    fields: &mut Fields<'_>,
    input: Option<&Node>,
    check: CheckText<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<String> {
    let listed = fields.get("paraphrases");
    let texts = fields.texts("paraphrases", diagnostics).unwrap_or_default();
    let Some(node) = listed else { return texts };
    let mut seen: Vec<&str> = input.and_then(Node::text).into_iter().collect();
    for item in node.sequence().unwrap_or(std::slice::from_ref(node)) {
        check("paraphrases", item, diagnostics);
        let Some(text) = item.text() else { continue };
        if text.trim().is_empty() {
            diagnostics.error(&item.place, "a paraphrase is empty");
        } else if seen.contains(&text) {
            diagnostics.error(&item.place, "this phrasing stands here already: a paraphrase must differ");
        }
        seen.push(text);
    }
    texts
}

fn fixtures(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Value {
    let Some(node) = fields.take("fixtures") else { return Value::Null };
    if node.mapping().is_none() {
        let message = format!("`fixtures` must be a mapping of names to values, but this is {}", node.describe());
        diagnostics.error(&node.place, message);
        return Value::Null;
    }
    node.to_value()
}

/// The further places of a rule: one text or a list of them.
fn also(fields: &mut Fields<'_>, quote: Option<&str>, diagnostics: &mut Diagnostics) -> Vec<String> {
    let Some(node) = fields.take("also") else { return vec![] };
    let mut texts: Vec<String> = vec![];
    for item in node.sequence().unwrap_or(std::slice::from_ref(node)) {
        match item.text() {
            None if item.is_null() => {
                diagnostics.error(&item.place, "`also` holds an empty text");
            }
            None => {
                diagnostics.error(&item.place, format!("`also` must hold texts, but this is {}", item.describe()));
            }
            Some(text) if text.trim().is_empty() => {
                diagnostics.error(&item.place, "`also` holds an empty text");
            }
            Some(text) => {
                let same = |known: &str| known.trim() == text.trim();
                if quote.is_some_and(same) || texts.iter().any(|known| same(known)) {
                    let error = diagnostics.error(&item.place, "`also` says what is quoted already");
                    error.help.push("every place where a quote stands is found by itself: leave it out".to_owned());
                }
                texts.push(text.to_owned());
            }
        }
    }
    texts
}

fn not_blank(key: &'static str, fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let node = fields.get(key);
    let text = fields.text(key, diagnostics)?;
    if let Some(node) = node.filter(|_| text.trim().is_empty()) {
        diagnostics.error(&node.place, format!("`{key}` is empty"));
        return None;
    }
    Some(text)
}
