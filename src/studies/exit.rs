use crate::run::StopReason;

/// What one case means for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Clean,
    /// Something was found, under the suite's gates.
    Finding,
    /// It fails before anything is mutated.
    Failing,
    /// It was not assessed.
    Open,
}

/// How a command ends. Where several apply, the first in the order 2, 130, 3, 4, 1, 0 is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Everything was assessed and nothing was found.
    Clean,
    /// Findings, under the suite's gates.
    Findings,
    /// The command line or the suite is wrong; nothing was asked of the agent.
    Usage,
    /// Something was not assessed: errors of the agent, a budget, noise, or nothing to test.
    NotAssessed,
    /// A case fails with the instructions as they are.
    BaselineFailing,
    /// Interrupted; the journal is kept.
    Interrupted,
}

impl ExitCode {
    /// The exit code of a study and, where it is not 0, why in one sentence. `nothing` is said where no case is left.
    pub fn judge(
        standings: &[(&str, Standing)],
        stopped: Option<&StopReason>,
        nothing: &str,
    ) -> (ExitCode, Option<String>) {
        let named = |wanted: Standing| -> Option<String> {
            let ids: Vec<&str> =
                standings.iter().filter(|(_, standing)| *standing == wanted).map(|(id, _)| *id).collect();
            match ids.as_slice() {
                [] => None,
                [a] => Some((*a).to_owned()),
                [a, b] => Some(format!("{a} and {b}")),
                [a, b, c] => Some(format!("{a}, {b} and {c}")),
                [a, b, rest @ ..] => Some(format!("{a}, {b} and {} more", rest.len())),
            }
        };
        if stopped == Some(&StopReason::Interrupted) {
            (ExitCode::Interrupted, Some("interrupted; run the same command again to go on".to_owned()))
        } else if standings.is_empty() {
            (ExitCode::NotAssessed, Some(nothing.to_owned()))
        } else if let Some(ids) = named(Standing::Open) {
            (ExitCode::NotAssessed, Some(format!("not assessed: {ids}")))
        } else if let Some(ids) = named(Standing::Failing) {
            (ExitCode::BaselineFailing, Some(format!("failing before anything is changed: {ids}")))
        } else if let Some(ids) = named(Standing::Finding) {
            (ExitCode::Findings, Some(format!("findings: {ids}")))
        } else {
            (ExitCode::Clean, None)
        }
    }

    /// The same from its number; an unknown number is a usage error.
    pub fn of(code: u8) -> ExitCode {
        [ExitCode::Clean, ExitCode::Findings, ExitCode::NotAssessed, ExitCode::BaselineFailing, ExitCode::Interrupted]
            .into_iter()
            .find(|exit| exit.code() == code)
            .unwrap_or(ExitCode::Usage)
    }

    pub fn code(self) -> u8 {
        match self {
            ExitCode::Clean => 0,
            ExitCode::Findings => 1,
            ExitCode::Usage => 2,
            ExitCode::NotAssessed => 3,
            ExitCode::BaselineFailing => 4,
            ExitCode::Interrupted => 130,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(exit: ExitCode) -> std::process::ExitCode {
        std::process::ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(standings: &[Standing]) -> u8 {
        let named: Vec<(&str, Standing)> = standings.iter().map(|standing| ("x", *standing)).collect();
        ExitCode::judge(&named, None, "nothing").0.code()
    }

    #[test]
    fn what_was_not_assessed_comes_before_what_fails_and_that_before_what_was_found() {
        use Standing::{Clean, Failing, Finding, Open};
        assert_eq!(code(&[Clean, Finding, Failing, Open]), 3);
        assert_eq!(code(&[Clean, Finding, Failing]), 4);
        assert_eq!(code(&[Clean, Finding]), 1);
        assert_eq!(code(&[Clean]), 0);
        assert_eq!(code(&[]), 3);
    }

    #[test]
    fn an_interruption_comes_first() {
        let judged = ExitCode::judge(&[("x", Standing::Open)], Some(&StopReason::Interrupted), "nothing");
        assert_eq!(judged.0, ExitCode::Interrupted);
    }

    #[test]
    fn codes_and_names_go_both_ways() {
        for code in [0, 1, 2, 3, 4, 130] {
            assert_eq!(ExitCode::of(code).code(), code);
        }
    }
}
