//! The sequential test and the intervals: no other module does arithmetic on rates.
