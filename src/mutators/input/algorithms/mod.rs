//! The algorithms that packs name, one file a family: a plan for one input, then any number of draws.

mod bold;
mod case;
mod dictation;
mod drop;
mod layout;
mod letters;
mod lines;
mod lookalike;
mod reorder;
mod replace;
mod request;
mod typography;
mod wrap;

use super::draw::Draw;
use super::edit::Edit;
use super::text::Text;
use crate::source::{Diagnostics, Node};

/// Makes the edits of one variant; `None` where a draw leads nowhere.
pub(super) type Maker<'t> = Box<dyn Fn(&mut Draw) -> Option<Vec<Edit>> + 't>;

/// One way to change a text, with its parameters.
pub(super) trait Algorithm: std::fmt::Debug + Send + Sync {
    /// What can be changed in `text`; an error says why nothing can.
    fn plan<'t>(&'t self, text: &'t Text<'t>) -> Result<Maker<'t>, String>;
}

type Read = fn(&Node, &mut Diagnostics) -> Option<Box<dyn Algorithm>>;

/// Every algorithm: the key that names it in a pack, and its reader.
pub(super) const ALL: [(&str, Read); 19] = [
    ("key_slip", letters::key_slip),
    ("transpose", letters::transpose),
    ("omit", letters::omit),
    ("double", letters::double),
    ("misspell", letters::misspell),
    ("replace", replace::read),
    ("wrap", wrap::read),
    ("case", case::read),
    ("final_mark", layout::final_mark),
    ("spacing", layout::spacing),
    ("line_wrap", layout::line_wrap),
    ("lines", lines::read),
    ("typography", typography::read),
    ("bold", bold::read),
    ("drop", drop::read),
    ("dictation", dictation::read),
    ("request", request::read),
    ("reorder", reorder::read),
    ("lookalike", lookalike::read),
];

/// `text` with its first letter made large.
fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// `text` with its first letter made small, unless it is "I" or "I'…".
fn uncapitalised(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let first_person = first == 'I' && !chars.clone().next().is_some_and(char::is_alphabetic);
    if first_person { text.to_owned() } else { first.to_lowercase().chain(chars).collect() }
}
