use crate::matchers::View;
use crate::suite::{Assertion, Case};
use crate::transcript::Transcript;

/// What it means that an agent said and did nothing. What *holds* on silence holds for no reason, and is no evidence in
/// any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// A check that falls on it fell: the agent was asked something, and did not answer.
    Fails,
    /// A check that falls on it fell for another reason than the one that is asked about.
    NoEvidence,
    /// As `NoEvidence`, but not where the agent reports its tool calls: it may have nothing else to say.
    Wordless,
}

/// What a transcript says of each assertion of a case, and why: `None` is not assessable.
pub fn assess(case: &Case, transcript: &Transcript, silence: Silence) -> Vec<(Option<bool>, String)> {
    let answers = silence == Silence::Wordless && transcript.tool_calls.is_some();
    let silent = transcript.is_silent() && !answers;
    let view = View::of(transcript);
    let one = |assertion: &Assertion| {
        let outcome = assertion.matcher.judge_view(&view);
        match outcome.holds() {
            Some(holds) if silent && (holds || silence != Silence::Fails) => {
                (None, "the agent said and did nothing".to_owned())
            }
            holds => (holds, outcome.told()),
        }
    };
    case.expect.iter().map(one).collect()
}
