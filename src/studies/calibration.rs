//! How far a judge agrees with people: a pure function of labels and rulings.

use schemars::JsonSchema;
use serde::Serialize;

use super::ExitCode;
use crate::stats::{Interval, Tally, cohen_kappa, wilson};

/// Fewer labels than this say little: with 50, an agreement of 90 % may be one of 79 %.
pub const ENOUGH_LABELS: usize = 50;

/// Confidence of all intervals.
const LEVEL: f64 = 0.95;

/// Where the bands of confidence begin.
const BANDS: [f64; 5] = [0.0, 0.6, 0.8, 0.9, 0.98];

/// One judge with everything that people labelled for it.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// `case/assertion`, or the file whose criteria they are.
    pub name: String,
    pub criteria: String,
    pub labels: Vec<String>,
    /// Whether the assertion holds with each of the labels.
    pub passing: Vec<bool>,
    pub items: Vec<Item>,
}

/// One text with a person's label and the judge's.
#[derive(Debug, Clone)]
pub struct Item {
    /// Where the label stands.
    pub place: String,
    /// The person's label, by its number.
    pub human: usize,
    /// The judge's label by its number, and how sure it was; or why it gave none.
    pub judge: Result<(usize, Option<f64>), String>,
    /// Why it gave it.
    pub reason: Option<String>,
}

/// The result of `mutate calibrate`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CalibrationReport {
    pub version: u32,
    pub study: &'static str,
    pub suite: String,
    /// The model that judged.
    pub model: String,
    pub judges: Vec<JudgeReport>,
    pub notes: Vec<String>,
    pub exit_code: u8,
    pub exit_reason: Option<String>,
}

/// One judge against people.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JudgeReport {
    pub name: String,
    pub criteria: String,
    pub labels: Vec<String>,
    /// Labels with which the assertion holds.
    pub passing: Vec<String>,
    /// Texts with a person's label.
    pub labelled: usize,
    /// Of them, those that the judge gave a label.
    pub judged: usize,
    /// The same label.
    pub strict: Agreement,
    /// The same side: both labels let the assertion hold, or neither does.
    pub lenient: Agreement,
    /// Rows are the person's label, columns the judge's, both in the order of `labels`.
    pub confusion: Vec<Vec<usize>>,
    /// By how sure the judge was; texts for which its endpoint tells no probability are in none.
    pub bands: Vec<Band>,
    pub disagreements: Vec<Disagreement>,
    pub unjudged: Vec<Unjudged>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Agreement {
    pub agree: usize,
    pub of: usize,
    /// Ends of Wilson's interval, 95 %.
    pub low: f64,
    pub high: f64,
    /// Cohen's kappa; null where both gave one and the same label to all.
    pub kappa: Option<KappaReport>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KappaReport {
    pub value: f64,
    /// Ends of the interval, 95 %.
    pub low: f64,
    pub high: f64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Band {
    /// Confidence of at least this, and below `to`; the last band includes it.
    pub from: f64,
    pub to: f64,
    pub agree: usize,
    pub of: usize,
    pub low: f64,
    pub high: f64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Disagreement {
    pub place: String,
    pub human: String,
    pub judge: String,
    pub confidence: Option<f64>,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Unjudged {
    pub place: String,
    pub why: String,
}

/// The result for some judges. `stopped` says why the run ended early.
pub fn calibrate(
    suite: String,
    model: String,
    judges: &[Labelled],
    mut notes: Vec<String>,
    stopped: Option<(ExitCode, String)>,
) -> CalibrationReport {
    let reports: Vec<JudgeReport> = judges.iter().map(report).collect();
    for judge in reports.iter().filter(|judge| judge.labelled < ENOUGH_LABELS) {
        notes.push(format!(
            "{}: {} label{} of people are few; with fewer than {ENOUGH_LABELS} the intervals are too wide to rely on the judge",
            judge.name,
            judge.labelled,
            if judge.labelled == 1 { "" } else { "s" }
        ));
    }
    let unjudged: usize = reports.iter().map(|judge| judge.unjudged.len()).sum();
    let labelled: usize = reports.iter().map(|judge| judge.labelled).sum();
    let (exit, reason) = match stopped {
        Some((exit, reason)) => (exit, Some(reason)),
        None if labelled == 0 => (ExitCode::NotAssessed, Some("no label was given".to_owned())),
        None if unjudged > 0 => (ExitCode::NotAssessed, Some(format!("not judged: {unjudged} of {labelled}"))),
        None => (ExitCode::Clean, None),
    };
    CalibrationReport {
        version: 1,
        study: "calibration",
        suite,
        model,
        judges: reports,
        notes,
        exit_code: exit.code(),
        exit_reason: reason,
    }
}

fn report(judge: &Labelled) -> JudgeReport {
    let size = judge.labels.len();
    let mut confusion = vec![vec![0; size]; size];
    let mut sides = vec![vec![0; 2]; 2];
    let mut bands = vec![Tally::default(); BANDS.len()];
    let (mut disagreements, mut unjudged) = (vec![], vec![]);
    for item in &judge.items {
        let (given, confidence) = match &item.judge {
            Ok(given) => *given,
            Err(why) => {
                unjudged.push(Unjudged { place: item.place.clone(), why: why.clone() });
                continue;
            }
        };
        confusion[item.human][given] += 1;
        sides[usize::from(!judge.passing[item.human])][usize::from(!judge.passing[given])] += 1;
        let agrees = item.human == given;
        if let Some(confidence) = confidence {
            let band = BANDS.iter().rposition(|from| confidence >= *from).unwrap_or(0);
            bands[band].trials += 1;
            bands[band].passes += usize::from(agrees);
        }
        if !agrees {
            disagreements.push(Disagreement {
                place: item.place.clone(),
                human: judge.labels[item.human].clone(),
                judge: judge.labels[given].clone(),
                confidence,
                reason: item.reason.clone(),
            });
        }
    }
    let passing = judge.labels.iter().zip(&judge.passing).filter(|(_, passing)| **passing);
    JudgeReport {
        name: judge.name.clone(),
        criteria: judge.criteria.clone(),
        labels: judge.labels.clone(),
        passing: passing.map(|(label, _)| label.clone()).collect(),
        labelled: judge.items.len(),
        judged: judge.items.len() - unjudged.len(),
        strict: agreement(&confusion),
        lenient: agreement(&sides),
        confusion,
        bands: BANDS
            .iter()
            .zip(BANDS.iter().skip(1).chain([&1.0]))
            .zip(bands)
            .filter(|(_, tally)| tally.trials > 0)
            .map(|((from, to), tally)| {
                let Interval { low, high } = wilson(tally, LEVEL);
                Band { from: *from, to: *to, agree: tally.passes, of: tally.trials, low, high }
            })
            .collect(),
        disagreements,
        unjudged,
    }
}

fn agreement(table: &[Vec<usize>]) -> Agreement {
    let tally = Tally { passes: (0..table.len()).map(|at| table[at][at]).sum(), trials: table.iter().flatten().sum() };
    let Interval { low, high } = wilson(tally, LEVEL);
    let kappa = cohen_kappa(table, LEVEL);
    let kappa =
        kappa.map(|kappa| KappaReport { value: kappa.value, low: kappa.interval.low, high: kappa.interval.high });
    Agreement { agree: tally.passes, of: tally.trials, low, high, kappa }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Given = Result<(usize, Option<f64>), String>;

    fn judge(items: Vec<(usize, Given)>) -> Labelled {
        let item = |(at, (human, judge))| Item { place: format!("labels.jsonl:{at}"), human, judge, reason: None };
        Labelled {
            name: "refund/judge".to_owned(),
            criteria: "It declines.".to_owned(),
            labels: ["pass", "partly", "fail"].map(str::to_owned).to_vec(),
            passing: vec![true, true, false],
            items: items.into_iter().enumerate().map(item).collect(),
        }
    }

    fn of(judges: &[Labelled]) -> CalibrationReport {
        calibrate("shop".into(), "m".into(), judges, vec![], None)
    }

    #[test]
    fn strict_asks_for_the_same_label_and_lenient_for_the_same_side() {
        let report = of(&[judge(vec![(0, Ok((0, None))), (0, Ok((1, None))), (1, Ok((1, None))), (2, Ok((0, None)))])]);
        let judge = &report.judges[0];
        assert_eq!((judge.strict.agree, judge.strict.of), (2, 4));
        assert_eq!((judge.lenient.agree, judge.lenient.of), (3, 4));
        assert_eq!(judge.confusion, [[1, 1, 0], [0, 1, 0], [1, 0, 0]], "rows are the people's");
        assert_eq!(judge.passing, ["pass", "partly"]);
        let disagreements: Vec<_> =
            judge.disagreements.iter().map(|one| (one.human.as_str(), one.judge.as_str())).collect();
        assert_eq!(disagreements, [("pass", "partly"), ("fail", "pass")]);
        assert_eq!((report.exit_code, report.exit_reason), (0, None));
    }

    #[test]
    fn what_was_not_judged_is_in_no_rate_and_not_green() {
        let none = || Err("the judge gave no answer".to_owned());
        let report = of(&[judge(vec![(0, Ok((0, None))), (2, none()), (2, none())])]);
        let judge = &report.judges[0];
        assert_eq!((judge.labelled, judge.judged, judge.strict.of, judge.unjudged.len()), (3, 1, 1, 2));
        assert_eq!((report.exit_code, report.exit_reason.as_deref()), (3, Some("not judged: 2 of 3")));
    }

    #[test]
    fn agreement_is_told_by_how_sure_the_judge_was() {
        let sure = |confidence: f64, agrees: bool| (0, Ok((if agrees { 0 } else { 2 }, Some(confidence))));
        let report = of(&[judge(vec![sure(0.5, false), sure(0.59, true), sure(0.6, true), sure(1.0, true)])]);
        let bands: Vec<_> =
            report.judges[0].bands.iter().map(|band| (band.from, band.to, band.agree, band.of)).collect();
        assert_eq!(bands, [(0.0, 0.6, 1, 2), (0.6, 0.8, 1, 1), (0.98, 1.0, 1, 1)]);
    }

    #[test]
    fn few_labels_are_a_warning() {
        let labels = |number: usize| judge((0..number).map(|at| (at % 3, Ok((at % 3, None)))).collect());
        assert!(of(&[labels(49)]).notes[0].contains("49 labels of people are few"));
        assert_eq!(of(&[labels(50)]).notes, [""; 0]);
        let all = &of(&[labels(60)]).judges[0].strict;
        assert!(all.kappa.as_ref().is_some_and(|kappa| kappa.value == 1.0 && kappa.low < 0.95), "{all:?}");
    }

    #[test]
    fn without_a_label_nothing_is_assessed() {
        assert_eq!(of(&[]).exit_code, 3);
    }
}
