//! What the attribution hands to a report.

use schemars::JsonSchema;
use serde::Serialize;

use super::verdict::Verdict;
use crate::studies::Report;
use crate::studies::rules::{DesignLine, Rate, RuleReport};

/// The result of `mutate rules --attribute`.
pub type AttributionReport = Report<AttributedCase, AttributionOwn>;

/// What only this study's result has.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttributionOwn {
    pub design: DesignLine,
    /// The instruction files as they are, for a report that prints them; no part of the JSON.
    #[serde(skip)]
    pub files: Vec<FileLines>,
}

/// One instruction file, line by line.
#[derive(Debug, Clone)]
pub struct FileLines {
    pub path: String,
    pub lines: Vec<String>,
}

/// One case and one rule that it quotes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttributedCase {
    /// The case's id; `id#2` for the second rule that a case quotes.
    pub id: String,
    /// `file:line:column` of the case.
    pub place: String,
    /// What the search began with: the case's rule, or that of `--rule`.
    pub rule: RuleReport,
    pub verdict: Verdict,
    /// Why, where the verdict's name does not say it.
    pub reason: Option<String>,
    /// What was found, in a sentence.
    pub conclusion: String,
    /// What to do next.
    pub advice: String,
    /// Every statement with a part in the answer, in the order of the files.
    pub statements: Vec<AttributedStatement>,
    /// How many statements the instruction files have that can be deleted.
    pub candidates: usize,
    /// Statements that can't be deleted without breaking their file: they were kept in every arm but the bare one.
    pub fixed: usize,
    /// The smallest set that is enough, where `--thorough` asked for it and a carrying set was found.
    pub needed: Option<NeededReport>,
    pub assertions: Vec<AttributedAssertion>,
    /// Every arm that was asked, in the order of the search.
    pub arms: Vec<AttributedArm>,
    /// Trials that this verdict rests on, reused ones and errors among them.
    pub calls: usize,
}

/// Whether it is known which statements are enough; they are those with `needed: true`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NeededReport {
    pub settled: bool,
    pub statements: usize,
    /// Why it is not settled, else null.
    pub reason: Option<String>,
}

/// A statement's part in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// One of the carrying set.
    Carries,
    /// One of the smallest set that was seen to fall, where no carrying set is settled.
    Suspect,
    /// A part of the quoted rule that is in no such set.
    Quoted,
    /// Only one of those that are enough.
    Needed,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::Carries => "carries",
            Role::Suspect => "suspect",
            Role::Quoted => "quoted",
            Role::Needed => "needed",
        }
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttributedStatement {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// The line of its last byte.
    pub last_line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Byte offsets in the file.
    pub start: usize,
    pub end: usize,
    /// The words as they stand in the file.
    pub text: String,
    pub role: Role,
    /// Whether it is part of the rule that the search began with.
    pub quoted: bool,
    /// Whether it is one of the smallest set that is enough (`--thorough`).
    pub needed: bool,
    /// With all of the carrying set deleted but this one: passes and trials of the confirmation. Null where it is alone.
    pub put_back: Option<Rate>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttributedAssertion {
    pub id: String,
    pub kind: String,
    /// The check in a few words.
    pub check: String,
    /// `file:line:column`.
    pub place: String,
    /// With the instructions as they are.
    pub baseline: Rate,
    /// Without the carrying set (or the smallest set that fell, or all statements where none did); null where that was not
    /// asked.
    pub without: Option<Rate>,
    pub control: Option<Rate>,
    pub bare: Option<Rate>,
    /// What the check said of the first trial in which it fell without the set (or with everything, where it fails there).
    pub evidence: Option<String>,
}

/// One arm: a trial passes when every assessable assertion held.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AttributedArm {
    /// Its name for the agent and in the journal.
    pub name: String,
    /// How many statements it deletes; null for arms that are no set of statements.
    pub deleted: Option<usize>,
    pub passes: usize,
    pub trials: usize,
    pub errors: usize,
}
