//! Why a rule is not turned around offline, and what its author can do.

/// A refusal with the words that caused it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} ({}): {}", reason.name(), what, reason.advice())]
pub struct Refusal {
    /// The kind of trap.
    pub reason: RefusalReason,
    /// The word or piece of the rule that it was seen in.
    pub what: String,
}

impl Refusal {
    pub(super) fn new(reason: RefusalReason, what: impl Into<String>) -> Self {
        Self { reason, what: what.into() }
    }
}

/// The traps that the offline mutators know by name, and what is wrong with a helper model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalReason {
    /// Nothing in the text says that something must, may or must not be done.
    NoCue,
    /// There is no text besides code or quotation.
    OnlyCode,
    /// The text does not look like English.
    OtherLanguage,
    /// A question states no rule.
    Question,
    /// Two statements with cues of their own that cannot be told apart with certainty.
    TwoCommands,
    /// "only" limits something: its opposite needs another wording, not a "not".
    Only,
    /// "not only … but also", "not just".
    NotOnly,
    /// "unless", "until" or "except" would keep their old exception.
    Exception,
    /// "if and only if".
    IfAndOnlyIf,
    /// "prefer A" or a contrast "A, not B" whose sides cannot be swapped with certainty.
    Preference,
    /// "avoid", "refrain from", "refuse to" and the like where the opposite is not plain.
    LexicalNegation,
    /// "no refunds", "nothing", "none".
    BareNo,
    /// "rarely", "sparingly": a degree, not a direction.
    Degree,
    /// "at most", "at least" without a plain number behind it, or several amounts.
    Threshold,
    /// A permission, or another rule without a word whose force could be taken out.
    NoForce,
    /// There is no number with a unit that could be moved.
    NoNumber,
    /// A date, a time of day or a version: another one is no other threshold.
    Date,
    /// A fact such as "the parser cannot …", which no agent can do otherwise.
    Description,
    /// The label before the colon has a direction of its own.
    LabelPolarity,
    /// A lead-in whose list items carry cues of their own.
    ListLeadIn,
    /// A helper model's text says what the rule says.
    SameDirection,
    /// A helper model's text brings a number that the rule does not have.
    NewNumber,
    /// A helper model's text lost code, a quotation or a placeholder of the rule.
    LostLiteral,
    /// A helper model's text is much shorter or longer than the rule.
    OtherLength,
    /// A helper model's text is about something else.
    OffTopic,
    /// A helper model gave no text, or one that can't be read.
    NoAnswer,
    /// The helper model could not be asked.
    HelperError,
}

impl RefusalReason {
    /// All reasons, for documentation and schemas.
    pub const ALL: [Self; 27] = [
        Self::NoCue,
        Self::OnlyCode,
        Self::OtherLanguage,
        Self::Question,
        Self::TwoCommands,
        Self::Only,
        Self::NotOnly,
        Self::Exception,
        Self::IfAndOnlyIf,
        Self::Preference,
        Self::LexicalNegation,
        Self::BareNo,
        Self::Degree,
        Self::Threshold,
        Self::NoForce,
        Self::NoNumber,
        Self::Date,
        Self::Description,
        Self::LabelPolarity,
        Self::ListLeadIn,
        Self::SameDirection,
        Self::NewNumber,
        Self::LostLiteral,
        Self::OtherLength,
        Self::OffTopic,
        Self::NoAnswer,
        Self::HelperError,
    ];

    /// The reason's stable name in lists and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoCue => "no-cue",
            Self::OnlyCode => "only-code",
            Self::OtherLanguage => "other-language",
            Self::Question => "question",
            Self::TwoCommands => "two-commands",
            Self::Only => "only",
            Self::NotOnly => "not-only",
            Self::Exception => "exception",
            Self::IfAndOnlyIf => "if-and-only-if",
            Self::Preference => "preference",
            Self::LexicalNegation => "lexical-negation",
            Self::BareNo => "bare-no",
            Self::Degree => "degree",
            Self::Threshold => "threshold",
            Self::NoForce => "no-force",
            Self::NoNumber => "no-number",
            Self::Date => "date",
            Self::Description => "description",
            Self::LabelPolarity => "label-polarity",
            Self::ListLeadIn => "list-lead-in",
            Self::SameDirection => "same-direction",
            Self::NewNumber => "new-number",
            Self::LostLiteral => "lost-literal",
            Self::OtherLength => "other-length",
            Self::OffTopic => "off-topic",
            Self::NoAnswer => "no-answer",
            Self::HelperError => "helper-error",
        }
    }

    /// The reason of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// What the author can do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::NoCue | Self::Description => {
                "this reads as a fact: quote the sentence that commands something, or rely on the delete arm alone"
            }
            Self::OnlyCode => "quote the words around the code, or rely on the delete arm alone",
            Self::OtherLanguage => {
                "of this language only plain patterns are turned around offline: write the opposite in `rule.inverted`"
            }
            Self::Question => "quote the rule that answers the question, or rely on the delete arm alone",
            Self::TwoCommands => {
                "quote one of the commands, list them as two entries of `rules`, or write the opposite in `rule.inverted`"
            }
            Self::Only | Self::NotOnly | Self::IfAndOnlyIf => {
                "say in `rule.inverted` what is then done outside of the limit"
            }
            Self::Exception => "write the opposite in `rule.inverted`, with the exception turned around or left out",
            Self::Preference => "write the rule with its sides swapped in `rule.inverted`",
            Self::LexicalNegation | Self::BareNo => "write as a command what should be done instead in `rule.inverted`",
            Self::NoForce => "nothing in it can be said with less force: rely on the delete and invert arms",
            Self::NoNumber => "leave this operator out for the rule: it has no amount",
            Self::Date => "write the rule with another date in `rule.inverted`",
            Self::Degree | Self::Threshold => "write the opposite amount in `rule.inverted`",
            Self::LabelPolarity => "quote the rule without its label, or write label and rule anew in `rule.inverted`",
            Self::ListLeadIn => "quote one item, or write the list anew in `rule.inverted`",
            Self::SameDirection
            | Self::NewNumber
            | Self::LostLiteral
            | Self::OtherLength
            | Self::OffTopic
            | Self::NoAnswer => "write the opposite in `rule.inverted`, or name another `helper_model`",
            Self::HelperError => "run the same command again, or write the opposite in `rule.inverted`",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_has_a_name_of_its_own_and_advice() {
        let names: BTreeSet<&str> = RefusalReason::ALL.iter().map(|reason| reason.name()).collect();
        assert_eq!(names.len(), RefusalReason::ALL.len());
        assert!(RefusalReason::ALL.iter().all(|reason| reason.advice().len() > 20));
    }
}
