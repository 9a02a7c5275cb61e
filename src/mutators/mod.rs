//! What changes instructions (rule mutators), inputs and transcripts.
