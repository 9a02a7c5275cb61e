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
