//! Text with positions: YAML nodes with byte spans, and diagnostics that point at them.
