//! What a run would take, whatever the study: ranges of calls, and what they cost.

use schemars::JsonSchema;
use serde::Serialize;

use crate::agents::InstructionFile;
use crate::run::{dollars, price_of};
use crate::suite::{Case, Price};

/// Characters a token, roughly, for English text.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Tokens that a reply is taken to have where nobody knows.
const REPLY_TOKENS: usize = 200;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CaseForecast {
    pub id: String,
    pub calls: CallRange,
}

/// Calls, before retries and errors; answers in the journal make it fewer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallRange {
    /// Where nothing holds before anything is changed.
    pub fewest: usize,
    /// Where every arm always passes or always fails: the cheapest and the dearest verdict.
    pub clear_least: usize,
    pub clear_most: usize,
    /// Where every arm runs to its last trial.
    pub most: usize,
}

impl CallRange {
    pub(super) fn add(&mut self, other: CallRange) {
        self.fewest += other.fewest;
        self.clear_least += other.clear_least;
        self.clear_most += other.clear_most;
        self.most += other.most;
    }

    /// Where it is not known which of the two it will be.
    pub(super) fn or(self, other: CallRange) -> CallRange {
        CallRange {
            fewest: self.fewest.min(other.fewest),
            clear_least: self.clear_least.min(other.clear_least),
            clear_most: self.clear_most.max(other.clear_most),
            most: self.most.max(other.most),
        }
    }
}

/// US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct CostRange {
    pub fewest: f64,
    pub clear_most: f64,
    pub most: f64,
}

/// The sum over cases.
#[derive(Debug, Clone, Default)]
pub struct Forecasts {
    pub cases: Vec<CaseForecast>,
    pub calls: CallRange,
    price: Option<Price>,
    cost: CostRange,
}

impl Forecasts {
    /// `model` is what the agent says that it asks.
    pub fn new(prices: &[Price], model: Option<&str>) -> Forecasts {
        Forecasts { price: model.and_then(|model| price_of(prices, model)).cloned(), ..Forecasts::default() }
    }

    /// Adds a case under its `id`, or under that of one of its rules.
    pub fn add(&mut self, id: String, calls: CallRange, case: &Case, instructions: &[InstructionFile]) {
        self.calls.add(calls);
        if let Some(price) = &self.price {
            let instructions: usize = instructions.iter().map(|file| file.text.len()).sum();
            let turns: usize = case.conversation.iter().map(|turn| turn.content.len()).sum();
            let input = (instructions + turns + case.input.len()) / CHARACTERS_PER_TOKEN;
            let each = dollars(price, input as u64, REPLY_TOKENS as u64);
            self.cost.fewest += each * calls.fewest as f64;
            self.cost.clear_most += each * calls.clear_most as f64;
            self.cost.most += each * calls.most as f64;
        }
        self.cases.push(CaseForecast { id, calls });
    }

    /// `None` where the model has no price.
    pub fn cost(&self) -> Option<CostRange> {
        self.price.as_ref().map(|_| self.cost)
    }
}
