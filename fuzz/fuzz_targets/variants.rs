//! Any text, any seed, any literals: the variants keep what they promise, or the run ends with the input that breaks it.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/common/promises.rs"]
mod promises;

fuzz_target!(|case: (u64, Vec<String>, String)| {
    let (seed, literals, input) = case;
    promises::hold(&input, &literals, seed);
});
