use std::time::Duration;

use crate::suite::Price;
use crate::transcript::Transcript;

/// Limits on a whole run; `None` is no limit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Budget {
    /// Calls of this run; trials that the journal answers are free.
    pub max_trials: Option<u64>,
    /// US dollars of this run.
    pub max_cost: Option<f64>,
}

/// The price of a model: the entry with the longest name that the model's name starts with.
pub fn price_of<'p>(prices: &'p [Price], model: &str) -> Option<&'p Price> {
    prices.iter().filter(|price| model.starts_with(&price.model)).max_by_key(|price| price.model.len())
}

/// US dollars for these tokens.
pub fn dollars(price: &Price, input_tokens: u64, output_tokens: u64) -> f64 {
    (input_tokens as f64 * price.input_per_million + output_tokens as f64 * price.output_per_million) / 1e6
}

/// Why a run ended before its questions did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    MaxTrials(u64),
    MaxCost(String),
    /// `max_cost` is set, but the agent reports neither cost nor tokens of a model that has a price.
    CostUnknown(String),
    Interrupted,
    /// The journal could not be written.
    Journal(String),
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StopReason::MaxTrials(limit) => write!(f, "the budget of {limit} calls is used up"),
            StopReason::MaxCost(limit) => write!(f, "the budget of ${limit} is used up"),
            StopReason::CostUnknown(model) => {
                write!(f, "max_cost is set, but the cost of {model} is not known: add it under `prices:`")
            }
            StopReason::Interrupted => f.write_str("interrupted"),
            StopReason::Journal(error) => write!(f, "the journal could not be written: {error}"),
        }
    }
}

/// What a run has used, counted from the trials themselves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spent {
    /// Trials that were asked of the agent, errors among them.
    pub calls: u64,
    /// Trials that the journal answered.
    pub reused: u64,
    /// Calls that ended in an error after all retries.
    pub errors: u64,
    /// Further attempts after transport faults, 429 and 5xx.
    pub retries: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// US dollars, as far as they are known.
    pub cost: f64,
    /// Calls whose cost is not known.
    pub unpriced: u64,
    pub elapsed: Duration,
    pub stopped: Option<StopReason>,
}

impl Spent {
    /// Adds what one answered call used.
    pub fn add(&mut self, transcript: &Transcript, prices: &[Price]) {
        if let Some(usage) = &transcript.usage {
            self.input_tokens += usage.input_tokens;
            self.output_tokens += usage.output_tokens;
        }
        match cost_of(transcript, prices) {
            Some(cost) => self.cost += cost,
            None => self.unpriced += 1,
        }
    }
}

/// What one trial cost: as the agent says, else its tokens at the model's price.
fn cost_of(transcript: &Transcript, prices: &[Price]) -> Option<f64> {
    if transcript.cost_usd.is_some() {
        return transcript.cost_usd;
    }
    let usage = transcript.usage.as_ref()?;
    let price = price_of(prices, transcript.model.as_deref()?)?;
    Some(dollars(price, usage.input_tokens, usage.output_tokens))
}
