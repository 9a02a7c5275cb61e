//! The one shape that every agent's answer is turned into.
