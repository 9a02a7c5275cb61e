//! `mutate` asks of every golden case of an AI agent: would this case notice if its rule were gone?
//!
//! # The house
//!
//! Each folder is a noun of the domain and knows only what stands below it in this list:
//!
//! | folder | lives there |
//! |---|---|
//! | [`cli`] | flags, turned into calls; one file a command |
//! | [`report`] | everything that a person or a program reads; one file a format |
//! | [`studies`] | the questions: arms, decision trees, verdicts. Pure state machines over outcomes |
//! | [`run`] | the engine (jobs, retries, budgets, cancellation) and the journal |
//! | [`rulings`] | whom a matcher may ask outside: a helper program, a judge model, an embedding endpoint |
//! | [`agents`] | what can be asked: scripted, command, chat |
//! | [`suite`] | configuration and cases, loaded strictly; every foreign spelling is translated here |
//! | [`matchers`] | what a case expects of a transcript; one file a family |
//! | [`mutators`] | what changes instructions, inputs and transcripts |
//! | [`instructions`] | instruction files: find a quote, delete it, replace it |
//! | [`stats`] | the sequential test, intervals: the only arithmetic on rates |
//! | [`transcript`] | the one shape that every agent's answer is turned into |
//! | [`source`] | text with positions: YAML with spans, and errors that point at them |
//!
//! # The way of the data
//!
//! `suite` loads cases and instructions → a study says which trials it wants next → `run` asks the agent and
//! writes the journal → `matchers` turn a transcript into outcomes → the study says what it wants next, or its
//! verdicts → `report`.

pub mod agents;
pub mod cli;
pub mod instructions;
pub mod matchers;
pub mod mutators;
pub mod report;
pub mod rulings;
pub mod run;
pub mod source;
pub mod stats;
pub mod studies;
pub mod suite;
pub mod transcript;
