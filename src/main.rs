use std::process::ExitCode;

fn main() -> ExitCode {
    mutate::cli::main(std::env::args_os()).into()
}
