//! `mutate rules --attribute`: which statements carry one case's behaviour?

use super::{Asking, Rules, open};
use crate::cli::Failure;
use crate::cli::asking::agent_line;
use crate::report::{self, Format};
use crate::source::{Diagnostic, Diagnostics};
use crate::studies::rules::attribution::{AttributionStudy, assemble, forecast};
use crate::studies::rules::{Arm, Subject, Workshop, nonce};
use crate::studies::{ExitCode, Heading};
use crate::suite::{Case, Rule};

impl Rules {
    pub(super) fn attribute(&self) -> Result<ExitCode, Failure> {
        let mut suite = open::suite(&self.suite)?;
        let mut diagnostics = Diagnostics::default();
        let documents = open::documents(&suite, &mut diagnostics);
        let cases = [self.only_case(std::mem::take(&mut suite.cases))?];
        let settings = self.settings(&suite, &mut diagnostics);
        let seed = self.asking.seed;
        let workshop = Workshop::new(&documents, &[Arm::Delete], seed, &nonce(seed));
        let mut subjects = workshop.subjects(0, &cases[0], &mut diagnostics);
        subjects.retain(|subject: &Subject| self.choice.names(&subject.case_id, &subject.id));
        let impossible = |error: crate::stats::DesignError| Diagnostic::error(error.to_string());
        if self.dry_run {
            if diagnostics.errors() > 0 {
                return Err(diagnostics.into());
            }
            report::errors(&diagnostics);
            let model = Asking::model(&self.asking, &suite);
            let forecast = forecast(&cases, &workshop, &subjects, &settings, &suite.config.prices, model.as_deref())
                .map_err(impossible)?;
            let text = match self.format {
                Format::Json => report::json(&forecast),
                Format::Terminal | Format::Markdown => report::attribution_plan(&forecast),
            };
            self.output().write(&text)?;
            return Ok(ExitCode::Clean);
        }
        let opened = self.asking.open(&suite, &cases, diagnostics)?;
        let (mut engine, notes) = self.asking.engine(&suite, opened)?;
        let delivery = engine.agent.delivery();
        let mut study = AttributionStudy::new(&cases, &workshop, subjects, &settings, delivery).map_err(impossible)?;
        let spent = self.asking.run(&mut engine, &mut study)?;
        let suite = self.suite.shown(&suite.root);
        let heading = Heading { suite, agent: agent_line(&engine), seed, cases_left_out: 0, notes };
        let result = assemble(&study, &settings, &spent, heading, engine.agent.bare_note());
        let text = match self.format {
            Format::Terminal => report::attribution(&result),
            Format::Json => report::json(&result),
            Format::Markdown => report::attribution_markdown(&result),
        };
        self.output().write(&text)?;
        Ok(ExitCode::of(result.summary.exit_code))
    }

    /// The one case that was chosen, with the rule that the search begins with.
    fn only_case(&self, cases: Vec<Case>) -> Result<Case, Failure> {
        let mut chosen = self.choice.of(cases)?;
        let (Some(mut case), None) = (chosen.pop(), chosen.first()) else {
            let mut error = Diagnostic::error("--attribute looks at exactly one case");
            if !chosen.is_empty() {
                let chosen = chosen.len() + 1;
                error = error.help(format!("{chosen} cases were chosen: name one with `--case ID`"));
            }
            return Err(error.into());
        };
        if let Some(quote) = &self.rule {
            let place = case.place.clone();
            case.rules = vec![Rule {
                quote: quote.clone(),
                file: None,
                line: None,
                heading: None,
                also: vec![],
                inverted: None,
                control: None,
                place,
            }];
        }
        if case.rules.is_empty() {
            return Err(Diagnostic::error(format!("the case `{}` quotes no rule to begin with", case.id))
                .at(&case.place)
                .help("name a first guess: `--rule \"a sentence of the instructions\"`")
                .into());
        }
        Ok(case)
    }
}
