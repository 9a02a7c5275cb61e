use std::fmt::Write as _;

use super::{BOLD, DIM, GREEN, YELLOW, paint};
use crate::report::escape::terminal as escape;
use crate::studies::rules::{PinOutcome, PinReport};

/// What `mutate rules --pin` did, rule by rule.
pub fn pins(reports: &[PinReport]) -> String {
    let mut out = String::new();
    for report in reports {
        let outcome = match report.outcome {
            PinOutcome::Pinned => paint(GREEN, "pinned"),
            PinOutcome::Kept => paint(DIM, "has an opposite already"),
            PinOutcome::Refused => paint(YELLOW, "refused"),
            PinOutcome::ByHand => paint(YELLOW, "to be pasted by hand"),
        };
        let place = paint(DIM, escape(&report.place));
        let _ = writeln!(out, "{}  {outcome}  {place}", paint(BOLD, escape(&report.id)));
        if let Some(reason) = &report.reason {
            let _ = writeln!(out, "  {}", escape(reason));
        }
        if let Some(helper) = &report.would_ask {
            let _ = writeln!(out, "  {}", paint(DIM, format_args!("a run would ask {} for it", escape(helper))));
        }
        match (&report.paste, &report.inverted) {
            (Some(paste), _) => {
                let _ = writeln!(out, "  {}", paint(GREEN, escape(paste)));
            }
            (None, Some(text)) if report.outcome == PinOutcome::Pinned => {
                let _ = writeln!(out, "  - {}", escape(report.quote.trim_end()));
                let _ = writeln!(out, "  {}", paint(GREEN, format_args!("+ {}", escape(text))));
            }
            _ => {}
        }
        if let Some(helper) = report.made_by.as_ref().filter(|_| report.inverted.is_some()) {
            let _ =
                writeln!(out, "  {}", paint(YELLOW, format_args!("worded by the model {}: read it", escape(helper))));
        }
    }
    let number = |outcome| reports.iter().filter(|report| report.outcome == outcome).count();
    let _ = writeln!(
        out,
        "\n{} pinned, {} had one already, {} refused, {} to be pasted by hand",
        number(PinOutcome::Pinned),
        number(PinOutcome::Kept),
        number(PinOutcome::Refused),
        number(PinOutcome::ByHand)
    );
    out
}
