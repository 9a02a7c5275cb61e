//! Text with positions: YAML nodes with byte spans, and diagnostics that point at them.
//!
//! Asked of this folder: parse what a user wrote into [`Node`]s that remember where they stand and how a scalar was
//! spelled (`no`, `010`, `1.10` stay text until a reader wants a number), and collect every mistake of a suite in one
//! [`Diagnostics`], rendered with the place, the excerpt and what to do. It never knows what a case or an agent is.

mod diagnostic;
mod env;
mod fields;
mod json;
mod node;
mod render;
mod time;
mod yaml;
mod yaml_error;

pub use diagnostic::{Diagnostic, Diagnostics, Level, Place, SourceFile};
pub use env::{Secrets, expand, names_a_secret};
pub use fields::{Fields, nearest_name};
pub use json::{parse_json, parse_json_lines};
pub use node::{Node, NodeKind};
pub use time::{TIME_HELP, parse_time};
pub use yaml::{MAX_FILE_BYTES, parse_documents};

#[cfg(test)]
mod tests;
