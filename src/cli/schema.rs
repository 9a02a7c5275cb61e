use clap::Args;

use super::Failure;
use crate::agents;
use crate::matchers;
use crate::mutators::input::MutatorEntry;
use crate::report::{self, Output};
use crate::studies::ExitCode;
use crate::studies::calibration::CalibrationReport;
use crate::studies::inputs::{self, InputsReport, ListedVariant};
use crate::studies::matchers::MatchersReport;
use crate::studies::rules::attribution::AttributionReport;
use crate::studies::rules::{CoverageReport, Forecast, MutantReport, PinReport, RulesReport};
use crate::suite::schema;
use crate::transcript::Transcript;

/// Flags of `mutate schema`.
#[derive(Debug, Args)]
pub(super) struct Schema {
    /// Which format
    #[arg(value_enum)]
    format: Described,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Described {
    /// mutate.yaml
    Suite,
    /// A file under cases/
    Case,
    /// What an agent hands back
    Transcript,
    /// `mutate rules --format json`
    Report,
    /// `mutate rules --attribute --format json`
    Attribution,
    /// `mutate matchers --format json`
    MatchersReport,
    /// `mutate rules --list --format json`
    Mutants,
    /// `mutate rules --pin --format json`
    Pins,
    /// `mutate rules --dry-run --format json`
    Forecast,
    /// `mutate rules --coverage --format json`
    Coverage,
    /// `mutate inputs --format json`
    Inputs,
    /// `mutate inputs --list --format json`; `--export jsonl` has one such object a line
    Variants,
    /// `mutate inputs --dry-run --format json`
    InputsForecast,
    /// A file `<case>.variants.yaml`
    Reviewed,
    /// `mutate mutators --format json`
    Mutators,
    /// `mutate calibrate --format json`
    Calibration,
}

impl Schema {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let schema = match self.format {
            Described::Suite => {
                let kinds = agents::schemas();
                let agent = schema::agent_of(kinds.into_iter().map(|(name, kind)| (name, kind.to_value())));
                schema::suite(agent, agents::Embeddings::schema().to_value())
            }
            Described::Case => {
                let kinds = matchers::kinds().iter();
                schema::case(schema::expect_of(kinds.map(|kind| (kind.name, kind.summary, (kind.schema)()))))
            }
            Described::Transcript => schemars::schema_for!(Transcript).to_value(),
            Described::Report => schemars::schema_for!(RulesReport).to_value(),
            Described::Attribution => schemars::schema_for!(AttributionReport).to_value(),
            Described::MatchersReport => schemars::schema_for!(MatchersReport).to_value(),
            Described::Mutants => schemars::schema_for!(Vec<MutantReport>).to_value(),
            Described::Pins => schemars::schema_for!(Vec<PinReport>).to_value(),
            Described::Forecast => schemars::schema_for!(Forecast).to_value(),
            Described::Coverage => schemars::schema_for!(CoverageReport).to_value(),
            Described::Inputs => schemars::schema_for!(InputsReport).to_value(),
            Described::Variants => schemars::schema_for!(Vec<ListedVariant>).to_value(),
            Described::InputsForecast => schemars::schema_for!(inputs::Forecast).to_value(),
            Described::Reviewed => schema::reviewed(),
            Described::Calibration => schemars::schema_for!(CalibrationReport).to_value(),
            Described::Mutators => schemars::schema_for!(Vec<MutatorEntry>).to_value(),
        };
        Output::Stdout.write(&report::json(&schema))?;
        Ok(ExitCode::Clean)
    }
}
