//! Which statements of the instruction files carry a case's behaviour?
//!
//! A *carrying set* is a set of statements without which, all of them deleted together, an assertion falls that held,
//! while any one of them, put back, keeps it up. [`Candidates`] lists what can be deleted, the likely ones first;
//! [`Search`] asks for arms and decides; [`AttributionStudy`] brings it to the engine; [`assemble`] makes the
//! [`AttributionReport`]. Nothing here reads a file or asks an agent, and nothing here knows what a statement means.

mod assemble;
mod candidates;
mod conclusion;
mod forecast;
mod likeness;
mod minimise;
mod result;
mod search;
mod study;
mod verdict;

pub use assemble::assemble;
pub use candidates::{Candidate, Candidates};
pub use forecast::{AttributionForecast, forecast};
pub use minimise::Set;
pub use result::*;
pub use search::{Given, Plan, Search};
pub use study::{AttributionStudy, WITHOUT};
pub use verdict::{Finding, Needed, Verdict};
