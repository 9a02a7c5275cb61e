use std::time::Duration;

use crate::suite::Price;
use crate::transcript::{Ruling, Transcript};

/// Limits on a whole run; `None` is no limit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Budget {
    /// Calls of this run; trials that the journal answers are free.
    pub max_trials: Option<u64>,
    /// US dollars of this run.
    pub max_cost: Option<f64>,
    /// From the start of the run; what is out then is waited for.
    pub max_time: Option<Duration>,
    /// What an earlier part of the run took of `max_time`.
    pub earlier: Duration,
}

/// Whether one more call may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leave {
    Ask,
    /// Not while others are out: their cost decides.
    Wait,
    Stop(StopReason),
}

impl Budget {
    /// Leave for nothing: no call of the agent, and no ruling. What the journal has is answered.
    pub fn nothing() -> Budget {
        Budget { max_trials: Some(0), max_cost: Some(0.0), ..Budget::default() }
    }

    /// What is left of it after an earlier part of the run: no call after an interrupt.
    pub fn after(&self, spent: &Spent) -> Budget {
        let left = self.max_trials.map(|limit| limit.saturating_sub(spent.calls));
        Budget {
            max_trials: if spent.stopped == Some(StopReason::Interrupted) { Some(0) } else { left },
            max_cost: self.max_cost.map(|limit| (limit - spent.cost).max(0.0)),
            max_time: self.max_time,
            earlier: self.earlier + spent.elapsed,
        }
    }

    /// Until nothing more may be asked, from the start of this part of the run.
    pub fn time_left(&self) -> Option<Duration> {
        Some(self.max_time?.saturating_sub(self.earlier))
    }

    /// Whether one more call may be made while `running` are out. Every call is taken to cost as much as the dearest so
    /// far, those that are out among them; until one has told its cost, only one is out at a time.
    pub fn leave(&self, spent: &Spent, running: usize) -> Leave {
        if let Some(limit) = self.max_trials.filter(|limit| spent.calls >= *limit) {
            return Leave::Stop(StopReason::MaxTrials(limit));
        }
        if let Some(limit) = self.max_time.filter(|limit| spent.elapsed + self.earlier >= *limit) {
            return Leave::Stop(StopReason::MaxTime(limit));
        }
        let Some(limit) = self.max_cost else { return Leave::Ask };
        if spent.unpriced > 0 {
            return Leave::Stop(StopReason::CostUnknown("the agent's model".into()));
        }
        let answered = spent.calls - spent.errors > running as u64;
        let expected = spent.cost + spent.dearest * (running + 1) as f64;
        match (answered, running) {
            (false, 1..) => Leave::Wait,
            (true, _) if expected > limit && running > 0 => Leave::Wait,
            (true, 0) if expected > limit => Leave::Stop(StopReason::MaxCost(limit.to_string())),
            _ if limit <= 0.0 => Leave::Stop(StopReason::MaxCost(limit.to_string())),
            _ => Leave::Ask,
        }
    }
}

impl Budget {
    /// Whether a ruling may still be asked for: not once the money is spent.
    pub fn affords(&self, spent: &Spent) -> bool {
        self.max_cost.is_none_or(|limit| spent.cost < limit)
    }

    /// Why it stops where [`Budget::affords`] says no.
    pub fn cost_reached(&self) -> StopReason {
        StopReason::MaxCost(self.max_cost.unwrap_or_default().to_string())
    }
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
    MaxTime(Duration),
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
            StopReason::MaxTime(limit) => write!(f, "the time limit of {limit:?} is over"),
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
    /// The dearest call so far.
    pub dearest: f64,
    /// Calls whose cost is not known.
    pub unpriced: u64,
    /// Rulings that were asked of helpers and judges, errors among them.
    pub rulings: u64,
    /// Rulings that the journal had, or an earlier trial of this run.
    pub rulings_reused: u64,
    /// Rulings that ended in an error after all retries: what they were wanted for is not assessed.
    pub ruling_errors: u64,
    /// Rulings of two judges, and those of them in which both chose the same label.
    pub judged_twice: u64,
    pub judges_agreed: u64,
    pub elapsed: Duration,
    pub stopped: Option<StopReason>,
}

impl Spent {
    /// Takes an earlier part of the same run in. Why that part ended stays its own affair, but for an interrupt, which
    /// ends the run.
    pub fn include(&mut self, earlier: &Spent) {
        self.calls += earlier.calls;
        self.reused += earlier.reused;
        self.errors += earlier.errors;
        self.retries += earlier.retries;
        self.input_tokens += earlier.input_tokens;
        self.output_tokens += earlier.output_tokens;
        self.cost += earlier.cost;
        self.unpriced += earlier.unpriced;
        self.elapsed += earlier.elapsed;
        if earlier.stopped == Some(StopReason::Interrupted) {
            self.stopped = Some(StopReason::Interrupted);
        }
    }

    /// Takes in the rulings of an earlier part of the same run.
    pub fn include_rulings(&mut self, earlier: &Spent) {
        self.rulings += earlier.rulings;
        self.rulings_reused += earlier.rulings_reused;
        self.ruling_errors += earlier.ruling_errors;
        self.judged_twice += earlier.judged_twice;
        self.judges_agreed += earlier.judges_agreed;
    }

    /// Counts a ruling of two judges.
    pub fn add_votes(&mut self, ruling: &Ruling) {
        let Some(agreed) = ruling.agreed() else { return };
        self.judged_twice += 1;
        self.judges_agreed += u64::from(agreed);
    }

    /// Adds what one answered call used.
    pub fn add(&mut self, transcript: &Transcript, prices: &[Price]) {
        if let Some(usage) = &transcript.usage {
            self.input_tokens += usage.input_tokens;
            self.output_tokens += usage.output_tokens;
        }
        match cost_of(transcript, prices) {
            Some(cost) => {
                self.cost += cost;
                self.dearest = self.dearest.max(cost);
            }
            None => self.unpriced += 1,
        }
    }
}

impl Spent {
    /// Adds what one call for a ruling used. It says nothing about what a trial costs.
    pub fn add_ruling(&mut self, call: &Transcript, prices: &[Price]) {
        let dearest = self.dearest;
        self.add(call, prices);
        self.dearest = dearest;
    }

    /// What there is to say of rulings, for people; nothing where none was wanted.
    pub fn rulings_note(&self) -> Option<String> {
        let (asked, reused, errors) = (self.rulings, self.rulings_reused, self.ruling_errors);
        if asked + reused == 0 {
            return None;
        }
        let mut note = match asked {
            0 => format!("{reused} rulings of helpers and judges known from before"),
            1 => "1 ruling asked of helpers and judges".to_owned(),
            _ => format!("{asked} rulings asked of helpers and judges"),
        };
        if asked > 0 && reused > 0 {
            note += &format!(", {reused} known from before");
        }
        if self.judged_twice > 0 {
            note += &format!("; the two judges agreed on {} of {}", self.judges_agreed, self.judged_twice);
        }
        if errors > 0 {
            note += &format!("; {errors} ended in an error, and what they were wanted for is not assessed");
        }
        Some(note)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(calls: u64, cost: f64, dearest: f64) -> Spent {
        Spent { calls, cost, dearest, ..Spent::default() }
    }

    #[test]
    fn a_cost_limit_is_kept_with_calls_in_flight() {
        let budget = Budget { max_cost: Some(1.0), ..Budget::default() };
        assert_eq!(budget.leave(&spent(0, 0.0, 0.0), 0), Leave::Ask);
        assert_eq!(budget.leave(&spent(1, 0.0, 0.0), 1), Leave::Wait, "nobody knows yet what a call costs");
        assert_eq!(budget.leave(&spent(9, 0.5, 0.1), 4), Leave::Ask, "five at 0.1 fit beside 0.5");
        assert_eq!(budget.leave(&spent(10, 0.5, 0.1), 5), Leave::Wait, "six do not");
        assert_eq!(
            budget.leave(&spent(10, 0.95, 0.1), 0),
            Leave::Stop(StopReason::MaxCost("1".into())),
            "the next would go over"
        );
    }

    #[test]
    fn a_limit_on_calls_counts_those_in_flight() {
        let budget = Budget { max_trials: Some(4), ..Budget::default() };
        assert_eq!(budget.leave(&spent(3, 0.0, 0.0), 3), Leave::Ask);
        assert_eq!(budget.leave(&spent(4, 0.0, 0.0), 4), Leave::Stop(StopReason::MaxTrials(4)));
    }

    #[test]
    fn what_an_earlier_part_used_is_gone_and_counted() {
        let budget = Budget { max_trials: Some(10), max_cost: Some(1.0), ..Budget::default() };
        let earlier = spent(4, 0.75, 0.25);
        let left = budget.after(&earlier);
        assert_eq!((left.max_trials, left.max_cost), (Some(6), Some(0.25)));
        let interrupted = Spent { stopped: Some(StopReason::Interrupted), ..earlier.clone() };
        assert_eq!(Budget::default().after(&interrupted).max_trials, Some(0));
        let mut rest = spent(0, 0.0, 0.0);
        rest.include(&interrupted);
        assert_eq!(rest.stopped, Some(StopReason::Interrupted));
        let none = budget.after(&spent(40, 3.0, 0.25));
        assert_eq!((none.max_trials, none.max_cost), (Some(0), Some(0.0)));
        let mut all = spent(6, 0.125, 0.0625);
        all.include(&earlier);
        assert_eq!((all.calls, all.cost, all.dearest), (10, 0.875, 0.0625));
    }

    #[test]
    fn a_limit_on_time_counts_from_the_first_part_and_is_named_as_it_was_set() {
        let second = Duration::from_secs(1);
        let budget = Budget { max_time: Some(10 * second), ..Budget::default() };
        let at = |seconds: u32| Spent { elapsed: seconds * second, ..Spent::default() };
        assert_eq!((budget.time_left(), budget.leave(&at(9), 3)), (Some(10 * second), Leave::Ask));
        assert_eq!(budget.leave(&at(10), 3), Leave::Stop(StopReason::MaxTime(10 * second)));
        let rest = budget.after(&at(4));
        assert_eq!((rest.time_left(), rest.leave(&at(5), 0)), (Some(6 * second), Leave::Ask));
        assert_eq!(rest.leave(&at(6), 0), Leave::Stop(StopReason::MaxTime(10 * second)));
        assert_eq!(budget.after(&at(4)).after(&at(30)).time_left(), Some(Duration::ZERO));
        assert_eq!(StopReason::MaxTime(90 * second).to_string(), "the time limit of 90s is over");
    }

    #[test]
    fn without_a_price_a_cost_limit_stops_after_the_first_answer() {
        let budget = Budget { max_cost: Some(1.0), ..Budget::default() };
        let unknown = Spent { unpriced: 1, ..spent(1, 0.0, 0.0) };
        assert!(matches!(budget.leave(&unknown, 0), Leave::Stop(StopReason::CostUnknown(_))));
    }

    #[test]
    fn the_longest_name_that_fits_has_the_price() {
        let price = |model: &str, input_per_million: f64| Price {
            model: model.to_owned(),
            input_per_million,
            output_per_million: 0.0,
        };
        let prices = [price("m", 1.0), price("m-mini", 2.0)];
        let of = |model: &str| price_of(&prices, model).map(|price| price.input_per_million);
        assert_eq!(of("m-mini-2026"), Some(2.0));
        assert_eq!(of("m-large"), Some(1.0));
        assert_eq!(of("other"), None);
        assert!((dollars(&prices[1], 1_000_000, 5) - 2.0).abs() < 1e-12);
    }
}
