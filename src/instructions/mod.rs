//! Instruction files as bytes with structure: find a quote, delete it, replace it.
//!
//! A [`Document`] is one file as it was read. [`locate()`](locate::locate) says where a quoted rule stands in it, [`units()`](units::units)
//! lists what could be a rule, and [`edit()`](edit::edit) gives the text without it or with another in its place.
//! Nothing here writes a file, and nothing here knows a case, a study or what a rule means.
//!
//! The layers, each knowing only those before it: [`document`] (bytes and encodings), `cut` (changes of a text), `container`
//! (strings of YAML, JSON and programs, tags), `layout` (lines and blocks), `inline` (emphasis pairs and sentences), `normal` (text as a reader sees it,
//! with a map back), `page` (the file and every text in a string of it), then [`mod@locate`], [`mod@nearest`], [`mod@units`],
//! `whole` and [`mod@edit`]; [`mod@includes`] stands beside them.

mod container;
mod cut;
pub mod document;
pub mod edit;
pub mod includes;
mod inline;
mod layout;
pub mod locate;
pub mod nearest;
mod normal;
mod page;
mod rearrange;
pub mod units;
mod whole;

pub(crate) use inline::sentences;

pub use document::{Document, DocumentError};
pub use edit::{Change, Edit, EditError, Edited, Revised, edit, patched, revise};
pub use includes::{Include, expanded, includes};
pub use locate::{Statement, locate};
pub use nearest::{Nearest, nearest};
pub use rearrange::{Rearrangement, rearranged};
pub use units::{Unit, UnitKind, front_matter, kin, units};
pub use whole::is_whole;
