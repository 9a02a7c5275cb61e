//! What a case expects of a transcript. One file a family. A matcher knows no agent.
