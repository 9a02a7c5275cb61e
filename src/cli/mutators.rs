use std::path::PathBuf;

use clap::Args;

use super::{Failure, SuiteFlag, open};
use crate::mutators::input::{Kind, MutatorEntry, Packs};
use crate::report::{self, Format, Output};
use crate::source::Diagnostics;
use crate::studies::ExitCode;
use crate::suite;

/// Flags of `mutate mutators`.
#[derive(Debug, Args)]
pub(super) struct Mutators {
    /// Folder of a suite whose own packs are listed, too [default: looked for upwards from here; none is fine]
    #[arg(long, value_name = "DIR")]
    suite: Option<PathBuf>,
    /// Only mutators of these kinds
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    kinds: Vec<PackKind>,
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// Write the list to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The kinds that packs hold: paraphrases of a model or a person come from no mutator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PackKind {
    Typo,
    Format,
    Paraphrase,
    Distraction,
    Adversarial,
}

impl PackKind {
    fn kind(self) -> Kind {
        match self {
            PackKind::Typo => Kind::Typo,
            PackKind::Format => Kind::Format,
            PackKind::Paraphrase => Kind::Paraphrase,
            PackKind::Distraction => Kind::Distraction,
            PackKind::Adversarial => Kind::Adversarial,
        }
    }
}

impl Mutators {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let output = self.output.clone().map_or(Output::Stdout, Output::File);
        output.check()?;
        let packs = self.packs()?;
        let wanted = |kind: Kind| self.kinds.is_empty() || self.kinds.iter().any(|named| named.kind() == kind);
        let entries: Vec<MutatorEntry> =
            packs.mutators().filter(|mutator| wanted(mutator.kind())).map(MutatorEntry::of).collect();
        output.write(&match self.format {
            Format::Terminal => report::mutators(&entries),
            Format::Json => report::json(&entries),
            Format::Markdown => report::mutators_markdown(&entries),
        })?;
        Ok(ExitCode::Clean)
    }

    /// Those of the suite that is named or stands around; outside of any, those that come with the program.
    fn packs(&self) -> Result<Packs, Failure> {
        if self.suite.is_none() && suite::find(".".as_ref()).is_none() {
            return Ok(Packs::embedded().clone());
        }
        let suite = open::suite(&SuiteFlag { suite: self.suite.clone() })?;
        let mut diagnostics = Diagnostics::default();
        let packs = open::packs(&suite, &mut diagnostics);
        if diagnostics.errors() > 0 {
            return Err(diagnostics.into());
        }
        report::errors(&diagnostics);
        Ok(packs)
    }
}
