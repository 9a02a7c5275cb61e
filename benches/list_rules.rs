//! `mutate rules --list` over a large instruction file: `cargo bench --bench list_rules`.
//!
//! A Markdown file of 1 MB with 2,000 rules, and suites of 125, 250, 500 and 1,000 cases that each quote one. The program
//! is run as a user runs it. Targets for 500 cases: under 1 s and under 200 MB; growth with the cases no more than linear.
//! Prints for each the best wall time of three, and on Linux its CPU time and its largest memory, read from `/proc`.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RULES: usize = 2_000;
const BYTES_PER_RULE: usize = 500;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{:>6} {:>9} {:>9} {:>9}", "cases", "wall s", "CPU s", "MB")?;
    for cases in [125, 250, 500, 1_000] {
        let folder = tempfile::tempdir()?;
        write_suite(folder.path(), cases)?;
        let mut best: Option<Run> = None;
        for _ in 0..3 {
            let run = list(folder.path())?;
            if best.as_ref().is_none_or(|best| run.wall < best.wall) {
                best = Some(run);
            }
        }
        let Some(Run { wall, cpu, megabytes }) = best else { continue };
        writeln!(out, "{cases:>6} {:>9.2} {cpu:>9.2} {megabytes:>9.0}", wall.as_secs_f64())?;
    }
    Ok(())
}

struct Run {
    wall: Duration,
    /// 0 where the system does not say.
    cpu: f64,
    megabytes: f64,
}

fn list(suite: &Path) -> io::Result<Run> {
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mutate"))
        .args(["rules", "--list", "--suite"])
        .arg(suite)
        .stdout(Stdio::null())
        .spawn()?;
    let (mut cpu, mut megabytes) = (0.0, 0.0);
    let status = loop {
        cpu = cpu_seconds(child.id()).unwrap_or(cpu);
        megabytes = largest_memory(child.id()).unwrap_or(megabytes);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let wall = began.elapsed();
    if status.success() { Ok(Run { wall, cpu, megabytes }) } else { Err(io::Error::other(status.to_string())) }
}

/// User and system time so far, in hundredths of a second as Linux counts them.
fn cpu_seconds(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0).filter(|seconds| *seconds > 0.0)
}

fn largest_memory(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

fn rule(at: usize) -> String {
    let verb = ["refund", "exchange", "reserve", "describe", "insure"][at % 5];
    format!("Never {verb} parcel {at} for a customer of shop {} without a word from the lead.", at % 97)
}

fn write_suite(folder: &Path, cases: usize) -> io::Result<()> {
    let mut text = "# Desk\n".to_owned();
    for at in 0..RULES {
        if at % 20 == 0 {
            text.push_str(&format!("\n## Part {at}\n\n"));
        }
        let start = text.len();
        text.push_str(&format!("- {}\n", rule(at)));
        for month in 0.. {
            if text.len() - start > BYTES_PER_RULE {
                break;
            }
            text.push_str(&format!(
                "  In month {month} of year {at} the desk keeps the slip in the folder of that day, so that the crew finds it.\n"
            ));
        }
    }
    std::fs::write(folder.join("prompt.md"), text)?;
    std::fs::write(
        folder.join("mutate.yaml"),
        "instructions: prompt.md\ncases: cases/*.yaml\nagents: {nobody: {scripted: {habits: []}}}\n",
    )?;
    std::fs::create_dir(folder.join("cases"))?;
    for case in 0..cases {
        let quote = rule(case * RULES / cases);
        let text = format!(
            "id: case-{case}\ninput: Please look at my parcel.\nrule: {{quote: \"{quote}\"}}\nexpect: {{reply_mentions: [lead]}}\n"
        );
        std::fs::write(folder.join(format!("cases/{case}.yaml")), text)?;
    }
    Ok(())
}
