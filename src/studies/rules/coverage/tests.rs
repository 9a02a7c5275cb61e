use super::*;

const TEXT: &str = "# Lending\n\n- Never lend it. Offer a copy.\n- Ask for the card.\n\nThe desk opens at nine.\n";

fn document(name: &str, text: &str) -> Document {
    Document::from_bytes(name, text.as_bytes().to_vec()).unwrap()
}

/// A case that quotes a text everywhere.
fn sensor(documents: &[Document], case: &str, quote: &str, verdict: CaseVerdict, bites: bool) -> Sensor {
    let places = documents.iter().flat_map(|document| {
        crate::instructions::locate(document, quote).into_iter().map(|at| {
            let bytes = document.byte_range(at.range.clone());
            StatementReport {
                file: shown(document.path()),
                line: at.line,
                column: at.column,
                start: bytes.start,
                end: bytes.end,
            }
        })
    });
    let places: Vec<StatementReport> = places.collect();
    assert!(!places.is_empty(), "{quote}");
    Sensor { case: CoveringCase { case: case.to_owned(), verdict, bites, reason: None }, places }
}

fn statuses(report: &CoverageReport) -> Vec<(&str, StatementStatus)> {
    report.statements.iter().map(|one| (one.text.as_str(), one.status)).collect()
}

#[test]
fn a_statement_is_what_its_best_case_shows_and_open_while_one_is() {
    use CaseVerdict::*;
    let documents = [document("rules.md", TEXT)];
    let status = |cases: &[(CaseVerdict, bool)]| {
        let sensors: Vec<Sensor> = cases
            .iter()
            .enumerate()
            .map(|(at, (verdict, bites))| {
                sensor(&documents, &format!("case-{at}"), "Ask for the card.", *verdict, *bites)
            })
            .collect();
        coverage(&documents, &sensors, CoverageHeading::default()).statements[2].status
    };
    assert_eq!(status(&[]), StatementStatus::NotQuoted);
    for (verdict, bites, expected) in [
        (RuleDerived, true, StatementStatus::Biting),
        (Steerable, true, StatementStatus::Biting),
        (ModelDefault, false, StatementStatus::Inert),
        (Redundant, false, StatementStatus::Inert),
        (WrongReason, false, StatementStatus::Inert),
        (BaselineFailing, false, StatementStatus::Unproven),
        (Unproven, false, StatementStatus::Unproven),
        (Unreached, false, StatementStatus::Unproven),
        (Error, false, StatementStatus::Unproven),
    ] {
        assert_eq!(status(&[(verdict, bites)]), expected, "{verdict:?}");
        assert_eq!(status(&[(verdict, bites), (RuleDerived, true)]), StatementStatus::Biting, "{verdict:?}");
    }
    assert_eq!(status(&[(ModelDefault, false), (Unproven, false)]), StatementStatus::Unproven);
    assert_eq!(status(&[(Unproven, true)]), StatementStatus::Biting, "one assertion bites, another is open");
}

#[test]
fn a_quote_covers_the_statements_that_it_holds_and_those_alone() {
    let documents = [document("rules.md", TEXT)];
    let covered = |quote: &str| {
        let sensors = [sensor(&documents, "a", quote, CaseVerdict::RuleDerived, true)];
        let report = coverage(&documents, &sensors, CoverageHeading::default());
        let biting = statuses(&report).into_iter().filter(|(_, status)| *status == StatementStatus::Biting);
        biting.map(|(text, _)| text.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(covered("Offer a copy."), ["Offer a copy."]);
    assert_eq!(covered("Never lend it. Offer a copy."), ["Never lend it.", "Offer a copy."]);
    assert_eq!(covered("for the card"), ["Ask for the card."], "a part of it");
}

#[test]
fn what_a_case_quotes_counts_whatever_it_is() {
    let documents = [document("rules.md", TEXT)];
    let of = |sensors: &[Sensor]| coverage(&documents, sensors, CoverageHeading::default());
    assert_eq!(of(&[]).counts.statements, 3);
    for fact in ["The desk opens at nine.", "Lending", "opens at nine."] {
        let twice = ["a", "b"].map(|case| sensor(&documents, case, fact, CaseVerdict::ModelDefault, false));
        let report = of(&twice);
        assert_eq!((report.counts.statements, report.counts.quoted), (4, 1), "{fact}");
        let added = report.statements.iter().find(|one| one.status == StatementStatus::Inert).unwrap();
        assert_eq!((added.text.to_lowercase(), added.cases.len()), (fact.to_lowercase(), 2));
    }
}

#[test]
fn a_rule_that_stands_twice_is_covered_in_both_places_and_its_case_is_named_once_in_each() {
    let documents = [document("a.md", "Never lend it.\n\nNever lend it.\n"), document("b/c.md", "- Never lend it.\n")];
    let report = coverage(
        &documents,
        &[sensor(&documents, "a", "Never lend it.", CaseVerdict::RuleDerived, true)],
        CoverageHeading::default(),
    );
    let places: Vec<(&str, usize, usize)> =
        report.statements.iter().map(|one| (one.file.as_str(), one.line, one.cases.len())).collect();
    assert_eq!(places, [("a.md", 1, 1), ("a.md", 3, 1), ("b/c.md", 1, 1)]);
    assert_eq!(report.files.iter().map(|file| file.counts.biting).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(report.counts.biting_share, Some(1.0));
}

#[test]
fn counts_and_shares_are_of_all_statements() {
    let documents = [document("rules.md", TEXT)];
    let sensors = [
        sensor(&documents, "a", "Never lend it.", CaseVerdict::RuleDerived, true),
        sensor(&documents, "b", "Ask for the card.", CaseVerdict::Redundant, false),
    ];
    let counts = coverage(&documents, &sensors, CoverageHeading::default()).counts;
    assert_eq!((counts.quoted, counts.biting, counts.inert, counts.not_quoted), (2, 1, 1, 1));
    assert_eq!((counts.quoted_share, counts.biting_share), (Some(2.0 / 3.0), Some(1.0 / 3.0)));
    let none = coverage(&[document("a.md", "The desk is open.\n")], &[], CoverageHeading::default());
    assert_eq!((none.counts.quoted_share, none.notes.len(), none.exit_code), (None, 1, 0));
}

#[test]
fn a_gate_is_met_at_its_share_missed_below_and_open_where_nothing_is_a_rule() {
    let documents = [document("rules.md", "Never lend it.\n\nOffer a copy.\n")];
    let sensors = [sensor(&documents, "a", "Never lend it.", CaseVerdict::Unproven, false)];
    let exit = |documents: &[Document], least: Option<f64>| {
        let heading = CoverageHeading { coverage_min: least, ..CoverageHeading::default() };
        coverage(documents, &sensors, heading).exit_code
    };
    assert_eq!([None, Some(0.5), Some(0.51)].map(|least| exit(&documents, least)), [0, 0, 1]);
    assert_eq!(exit(&[document("a.md", "The desk is open.\n")], Some(0.5)), 3);
}

#[test]
fn places_are_bytes_of_the_file_in_any_encoding() {
    let text = "Für alle:\n\n- Never lend it.\n";
    let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let documents = [Document::from_bytes("a.md", wide.clone()).unwrap()];
    let sensors = [sensor(&documents, "a", "never lend it", CaseVerdict::RuleDerived, true)];
    let report = coverage(&documents, &sensors, CoverageHeading::default());
    let one = &report.statements[0];
    assert_eq!((report.statements.len(), one.line, one.status), (1, 3, StatementStatus::Biting));
    let units: Vec<u16> =
        wide[one.start..one.end].chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert_eq!(String::from_utf16(&units).unwrap(), "Never lend it.");
}
