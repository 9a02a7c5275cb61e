//! The command line: clap types, one file a command. Turns flags into calls and prints nothing itself.
