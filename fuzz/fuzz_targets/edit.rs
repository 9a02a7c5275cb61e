//! Any bytes under any name, any range of them: nothing panics, and what could be parsed still can after the edit.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/common/edits.rs"]
mod edits;

fuzz_target!(|case: (u8, u16, u16, String, Vec<u8>)| {
    let (name, from, to, quote, bytes) = case;
    edits::hold(edits::NAMES[usize::from(name) % edits::NAMES.len()], &bytes, from.into(), to.into(), &quote);
});
