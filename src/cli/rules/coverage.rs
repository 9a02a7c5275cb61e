//! `mutate rules --coverage`: the study replayed from the journal alone, and laid over the instructions.

use super::Rules;
use crate::cli::asking::agent_line;
use crate::cli::{Failure, open};
use crate::report::{self, Format};
use crate::run::Budget;
use crate::source::{Diagnostic, Diagnostics};
use crate::studies::rules::{CoverageHeading, RulesStudy, Sensor, Settings, Subject, Workshop, assemble, coverage};
use crate::studies::{ExitCode, Heading};
use crate::suite::{Case, Suite};

impl Rules {
    pub(super) fn cover(
        &self,
        suite: &Suite,
        cases: &[Case],
        workshop: &Workshop<'_>,
        (subjects, settings): (Vec<Subject>, &Settings),
        mut diagnostics: Diagnostics,
    ) -> Result<ExitCode, Failure> {
        let unasked = open::unasked(suite, self.asking.agent.as_deref(), cases, &mut diagnostics);
        if diagnostics.errors() > 0 {
            return Err(diagnostics.into());
        }
        report::errors(&diagnostics);
        let whole = self.choice.is_everything();
        let mut heading = CoverageHeading {
            suite: self.suite.shown(&suite.root),
            seed: self.asking.seed,
            coverage_min: suite.config.gates.coverage_min.filter(|_| whole),
            ..CoverageHeading::default()
        };
        if !whole {
            heading.notes.push("only the chosen cases were looked at: others may quote what these do not".to_owned());
        }
        let sensors = match unasked {
            Ok(opened) => {
                let (mut engine, notes) = self.asking.engine(suite, opened)?;
                engine.budget = Budget::nothing();
                heading.agent = Some(agent_line(&engine));
                heading.notes.extend(notes);
                let mut study = RulesStudy::new(cases, workshop, subjects, settings, engine.agent.delivery())
                    .map_err(|error| Diagnostic::error(error.to_string()))?;
                let spent = self.asking.run(&mut engine, &mut study)?;
                let unread = Heading {
                    suite: String::new(),
                    agent: agent_line(&engine),
                    seed: heading.seed,
                    cases_left_out: 0,
                    notes: vec![],
                };
                let bare_note = engine.agent.bare_note();
                let replayed = assemble(&study, suite, cases, settings, &spent, unread, bare_note);
                replayed.cases.iter().map(Sensor::of).collect()
            }
            Err(reason) => {
                let note = format!("the journal could not be read for want of the agent's settings: {reason}");
                heading.notes.push(note);
                subjects.iter().map(|subject| Sensor::unasked(subject, "nothing is known of it")).collect::<Vec<_>>()
            }
        };
        let result = coverage(workshop.documents, &sensors, heading);
        let text = match self.format {
            Format::Terminal => report::coverage(&result),
            Format::Json => report::json(&result),
            Format::Markdown => report::coverage_markdown(&result),
        };
        self.output().write(&text)?;
        Ok(ExitCode::of(result.exit_code))
    }
}
