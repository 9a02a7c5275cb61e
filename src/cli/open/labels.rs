//! A file of people's labels: which judge each line is for, what it judges, and the label.

use std::path::Path;
use std::sync::Arc;

use crate::matchers::{self, Ask, Matcher, Question};
use crate::source::{
    Diagnostic, Diagnostics, Fields, Node, NodeKind, Place, SourceFile, nearest_name, parse_json_lines,
};
use crate::suite::{Assertion, Case, Suite};
use crate::transcript::{Asked, Ruling, Transcript, messages};

/// What a file of labels holds.
#[derive(Debug, Default)]
pub(in crate::cli) struct Labels<'s> {
    pub judges: Vec<LabelledJudge<'s>>,
    pub lines: Vec<LabelLine>,
}

/// A judge that people's labels are held against.
#[derive(Debug)]
pub(in crate::cli) struct LabelledJudge<'s> {
    /// `case/assertion`, or the file whose criteria they are.
    pub name: String,
    matcher: Judging<'s>,
    place: Place,
    question: Arc<Question>,
}

#[derive(Debug)]
enum Judging<'s> {
    OfCase(&'s dyn Matcher),
    OfFile(Box<dyn Matcher>),
}

/// One text and a person's label.
#[derive(Debug)]
pub(in crate::cli) struct LabelLine {
    /// By its number in [`Labels::judges`].
    pub judge: usize,
    pub transcript: Transcript,
    /// By its number among the judge's labels.
    pub label: usize,
    pub place: Place,
}

impl LabelledJudge<'_> {
    pub(in crate::cli) fn question(&self) -> &Arc<Question> {
        &self.question
    }

    pub(in crate::cli) fn place(&self) -> &Place {
        &self.place
    }

    /// Whether the assertion holds where the judge is sure of this label.
    pub(in crate::cli) fn passes(&self, label: &str) -> bool {
        let mut transcript = Transcript { tool_calls: Some(vec![]), ..Transcript::text("x") };
        let ruling = Ruling::Label { label: label.to_owned(), reason: None, confidence: Some(1.0) };
        transcript.rulings.insert(self.question.digest(), Ok(ruling));
        let matcher = match &self.matcher {
            Judging::OfCase(matcher) => *matcher,
            Judging::OfFile(matcher) => matcher.as_ref(),
        };
        matcher.judge(&transcript).holds() == Some(true)
    }

    fn labels(&self) -> &[String] {
        match &self.question.ask {
            Ask::Judge(criteria) => &criteria.labels,
            _ => &[],
        }
    }
}

impl<'s> Labels<'s> {
    /// Reads the file; `case` and `assertion` are for lines that name none. Every mistake is a diagnostic with its line.
    pub(in crate::cli) fn read(
        path: &Path,
        suite: &'s Suite,
        case: Option<&str>,
        assertion: Option<&str>,
        diagnostics: &mut Diagnostics,
    ) -> Labels<'s> {
        let mut labels = Labels::default();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                let message = format!("the labels in {} can't be read: {error}", path.display());
                diagnostics.push(Diagnostic::error(message));
                return labels;
            }
        };
        let errors = diagnostics.errors();
        let file = SourceFile::new(path, text.trim_start_matches('\u{feff}'));
        let mut head = None;
        for node in parse_json_lines(&file, diagnostics) {
            if node.get("criteria").is_some() && node.get("label").is_none() {
                head = labels.own_judge(path, &node, diagnostics);
                continue;
            }
            labels.line(&node, suite, (case, assertion), head, diagnostics);
        }
        if labels.lines.is_empty() && diagnostics.errors() == errors {
            let place = Place { file, span: 0..0 };
            let error = diagnostics.error(&place, "this file holds no label");
            error
                .help
                .push("one JSON object a line: {\"reply\": \"…\", \"label\": \"pass\", \"case\": \"ID\"}".to_owned());
        }
        labels
    }

    /// A line with criteria is a judge of its own, for the lines below it.
    fn own_judge(&mut self, path: &Path, node: &Node, diagnostics: &mut Diagnostics) -> Option<usize> {
        let kind = NodeKind::Scalar { text: "judge".to_owned(), plain: true };
        let kind = Node { kind, place: node.place.clone() };
        let matcher = matchers::parse(&kind, node, diagnostics)?;
        let question = Arc::clone(matcher.question()?);
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let name = match self.judges.iter().filter(|judge| matches!(judge.matcher, Judging::OfFile(_))).count() {
            0 => name,
            more => format!("{name}#{}", more + 1),
        };
        let place = node.place.clone();
        self.judges.push(LabelledJudge { name, matcher: Judging::OfFile(matcher), place, question });
        Some(self.judges.len() - 1)
    }

    fn line(
        &mut self,
        node: &Node,
        suite: &'s Suite,
        (case, assertion): (Option<&str>, Option<&str>),
        head: Option<usize>,
        diagnostics: &mut Diagnostics,
    ) {
        let errors = diagnostics.errors();
        let Some(mut fields) = Fields::of("a label", node, diagnostics) else { return };
        let transcript = read_transcript(&mut fields, diagnostics);
        let own_input = fields.take("input");
        let label = fields.required("label", diagnostics);
        let own_case = fields.take("case");
        let own_assertion = fields.take("assertion");
        // What people note beside a label is theirs.
        for key in ["id", "note", "by"] {
            fields.take(key);
        }
        fields.finish(diagnostics);
        if diagnostics.errors() > errors {
            return;
        }
        let place = |own: Option<&Node>| own.map_or(&node.place, |own| &own.place).clone();
        let case_name = own_case.and_then(Node::text).or(case);
        let mut of_case = None;
        let judge = match (case_name, head) {
            (Some(name), _) => {
                let assertion_name = own_assertion.and_then(Node::text).or(assertion);
                match find(suite, (name, place(own_case)), (assertion_name, place(own_assertion)), diagnostics) {
                    Some((case, assertion)) => {
                        of_case = Some(case);
                        self.judge_of(&case.id, assertion)
                    }
                    None => return,
                }
            }
            (None, Some(head)) => head,
            (None, None) => {
                let error = diagnostics.error(&node.place, "this label names no judge");
                error.help.push("add `\"case\": \"ID\"` to the line, or say `--case ID` for all lines".to_owned());
                error.help.push(
                    "or write criteria in a line above: {\"criteria\": \"…\", \"labels\": [\"pass\", \"fail\"]}"
                        .to_owned(),
                );
                return;
            }
        };
        let (Some(mut transcript), Some(label)) = (transcript, label) else { return };
        let input = own_input.and_then(Node::text).or(of_case.map(|case| case.input.as_str()));
        transcript.asked = input.map(|input| {
            let conversation = of_case.map_or_else(Vec::new, |case| case.conversation.clone());
            Arc::new(Asked { input: input.to_owned(), conversation })
        });
        let known = self.judges[judge].labels();
        let written = label.text().unwrap_or_default().trim();
        let Some(number) = known.iter().position(|one| one.to_lowercase() == written.to_lowercase()) else {
            let error = diagnostics.error(&label.place, format!("`{written}` is no label of this judge"));
            error.help.push(match nearest_name(written, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its labels are {}", known.join(", ")),
            });
            return;
        };
        self.lines.push(LabelLine { judge, transcript, label: number, place: node.place.clone() });
    }

    fn judge_of(&mut self, case: &str, assertion: &'s Assertion) -> usize {
        let name = format!("{case}/{}", assertion.id);
        if let Some(at) = self.judges.iter().position(|judge| judge.name == name) {
            return at;
        }
        let question = assertion.matcher.question().expect("only assertions that ask are found");
        self.judges.push(LabelledJudge {
            name,
            matcher: Judging::OfCase(assertion.matcher.as_ref()),
            place: assertion.place.clone(),
            question: Arc::clone(question),
        });
        self.judges.len() - 1
    }
}

fn read_transcript(fields: &mut Fields<'_>, diagnostics: &mut Diagnostics) -> Option<Transcript> {
    let place = fields.node().place.clone();
    let (reply, whole) = (fields.take("reply"), fields.take("transcript"));
    match (reply, whole) {
        (Some(reply), None) => match reply.text() {
            Some(text) => Some(Transcript::text(text)),
            None => {
                diagnostics.error(&reply.place, format!("`reply` must be text, but this is {}", reply.describe()));
                None
            }
        },
        (None, Some(whole)) => match messages::from_json(whole.to_value()) {
            Ok(transcript) => Some(transcript),
            Err(problem) => {
                diagnostics.error(&whole.place, format!("this is no transcript: {problem}"));
                None
            }
        },
        _ => {
            let error = diagnostics.error(&place, "a label needs either `reply` or `transcript`");
            error.help.push("that is what the person judged".to_owned());
            None
        }
    }
}

/// The judge that a case and an assertion name.
fn find<'s>(
    suite: &'s Suite,
    (case_name, case_place): (&str, Place),
    (assertion_name, assertion_place): (Option<&str>, Place),
    diagnostics: &mut Diagnostics,
) -> Option<(&'s Case, &'s Assertion)> {
    let Some(case) = suite.cases.iter().find(|case| case.id == case_name) else {
        let error = diagnostics.error(&case_place, format!("no case is called `{case_name}`"));
        if let Some(near) = nearest_name(case_name, suite.cases.iter().map(|case| case.id.as_str())) {
            error.help.push(format!("did you mean `{near}`?"));
        }
        return None;
    };
    let judges: Vec<&Assertion> = case.expect.iter().filter(|one| one.matcher.kind() == "judge").collect();
    let names = || judges.iter().map(|one| one.id.as_str()).collect::<Vec<_>>().join(", ");
    let found = match (assertion_name, judges.as_slice()) {
        (Some(name), _) => judges.iter().find(|one| one.id == name).copied(),
        (None, [only]) => Some(*only),
        (None, _) => None,
    };
    if found.is_none() {
        let (place, message) = match (assertion_name, judges.is_empty()) {
            (_, true) => (&case_place, format!("the case `{case_name}` has no judge")),
            (Some(name), false) => (&assertion_place, format!("`{name}` is no judge of the case `{case_name}`")),
            (None, false) => (&case_place, format!("the case `{case_name}` has several judges")),
        };
        let error = diagnostics.error(place, message);
        if !judges.is_empty() {
            error.help.push(format!("name one as `assertion`: {}", names()));
        }
    }
    found.map(|assertion| (case, assertion))
}
