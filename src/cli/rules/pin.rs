//! `mutate rules --pin`: opposites written into the cases, to be reviewed in git.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cli::Failure;
use crate::report::{self, Format, Output};
use crate::source::{Diagnostic, SourceFile};
use crate::studies::ExitCode;
use crate::studies::rules::{Arm, PinOutcome, PinReport, Subject};
use crate::suite::{self, Case, Pin, Suite, Unpinned};

/// Writes the opposite of each subject's rule into the file of its case, where it holds none, and says what became of it.
pub(super) fn pin(
    suite: &Suite,
    cases: &[Case],
    subjects: &[Subject],
    (format, output): (Format, Output),
) -> Result<ExitCode, Failure> {
    let mut reports: Vec<PinReport> = subjects.iter().map(|subject| before(cases, subject)).collect();
    let mut by_file: BTreeMap<&std::path::Path, Vec<(usize, Pin)>> = BTreeMap::new();
    for (at, (subject, report)) in subjects.iter().zip(&reports).enumerate() {
        let Some(text) = report.inverted.clone().filter(|_| report.outcome == PinOutcome::Pinned) else { continue };
        let place = &cases[subject.case].rules[subject.number].place;
        // A model's words stay known as such to whoever reads the case.
        let comment = report.made_by.as_ref().map(|helper| format!("worded by {helper}, not by a person"));
        by_file.entry(&place.file.name).or_default().push((at, Pin { place: place.clone(), text, comment }));
    }
    for pins in by_file.into_values() {
        let file = Arc::clone(&pins[0].1.place.file);
        let (numbers, pins): (Vec<usize>, Vec<Pin>) = pins.into_iter().unzip();
        let made = suite::pin(&file, &pins);
        for (at, (outcome, pin)) in numbers.into_iter().zip(made.outcomes.iter().zip(&pins)) {
            if let Err(why) = outcome {
                by_hand(&mut reports[at], *why, pin);
            }
        }
        if made.text != file.text {
            write(suite, &file, &made.text)?;
        }
    }
    output.write(&match format {
        Format::Json => report::json(&reports),
        Format::Terminal | Format::Markdown => report::pins(&reports),
    })?;
    let held = |report: &PinReport| matches!(report.outcome, PinOutcome::Pinned | PinOutcome::Kept);
    Ok(if reports.iter().any(held) { ExitCode::Clean } else { ExitCode::NotAssessed })
}

/// What there is to pin; whether it can be written is not known yet.
fn before(cases: &[Case], subject: &Subject) -> PinReport {
    let rule = &cases[subject.case].rules[subject.number];
    let mutant = subject.mutants.iter().find(|mutant| mutant.operator == Arm::Invert);
    let reason = mutant.and_then(|mutant| mutant.refused.clone());
    let (outcome, inverted) = match (&rule.inverted, &subject.opposite) {
        (Some(own), _) => (PinOutcome::Kept, Some(own.clone())),
        (None, Some(text)) => (PinOutcome::Pinned, Some(text.clone())),
        (None, None) => (PinOutcome::Refused, None),
    };
    PinReport {
        id: subject.id.clone(),
        place: rule.place.to_string(),
        quote: rule.quote.clone(),
        outcome,
        inverted,
        made_by: mutant.and_then(|mutant| mutant.made_by.clone()),
        reason: reason.filter(|_| outcome == PinOutcome::Refused),
        would_ask: mutant.and_then(|mutant| mutant.would_ask.clone()),
        paste: None,
    }
}

fn by_hand(report: &mut PinReport, why: Unpinned, pin: &Pin) {
    report.outcome = PinOutcome::ByHand;
    report.reason = Some(why.to_string());
    report.paste = Some(suite::pin_line(&pin.text, why, &pin.place.file));
}

/// Replaces the file of cases, unless somebody changed it since it was read.
fn write(suite: &Suite, file: &SourceFile, text: &str) -> Result<(), Failure> {
    let path = suite.root.join(&file.name);
    let (mark, now) = match std::fs::read_to_string(&path) {
        Ok(now) => match now.strip_prefix('\u{feff}') {
            Some(rest) => ("\u{feff}", rest.to_owned()),
            None => ("", now),
        },
        Err(error) => {
            let message = format!("{} can't be read any more: {error}", file.name.display());
            return Err(Diagnostic::error(message).into());
        }
    };
    if now != file.text {
        let error = Diagnostic::error(format!("{} has changed since it was read", file.name.display()));
        return Err(error.help("nothing was written to it: run the same command again").into());
    }
    Ok(report::replace_text(&path, &format!("{mark}{text}"))?)
}
