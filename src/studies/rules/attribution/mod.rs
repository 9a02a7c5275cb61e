//! Which statements of the instruction files carry a case's behaviour?
//!
//! A *carrying set* is a set of statements without which, all of them deleted together, an assertion falls that held,
//! while any one of them, put back, keeps it up. [`Candidates`] lists what can be deleted, the likely ones first;
//! [`Search`] asks for arms and decides; [`AttributionStudy`] brings it to the engine; [`assemble`] makes the
//! [`AttributionReport`]. Nothing here reads a file or asks an agent, and nothing here knows what a statement means.

mod candidates;
mod likeness;
mod minimise;
mod search;
mod study;
mod verdict;

pub use candidates::{Candidate, Candidates};
pub use minimise::Set;
pub use search::{Given, Plan, Search};
pub use study::AttributionStudy;
pub use verdict::{Finding, Needed, Verdict};
