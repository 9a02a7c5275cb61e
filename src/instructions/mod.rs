//! Instruction files as bytes with structure: find a quote, delete it, replace it. Knows no case and no study.
