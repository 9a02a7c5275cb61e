//! The engine: asks agents, keeps the journal. The only folder that spawns tasks. It knows nothing of rules or phrasings.
