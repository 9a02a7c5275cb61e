//! What `mutate` itself costs: `cargo bench --bench spawn`.
//!
//! * A thousand trials of a program that does nothing, against a bare loop that starts it as often: CPU time of this
//!   process and of all that it started. Target: at most 1.5 times the loop.
//! * A thousand trials of an agent that takes 50 ms, at 50 jobs, against the second that they can't take less than.
//!   Target: at most 1.1 times.
//! * `mutate --version`, from start to end. Target: under 10 ms.
//!
//! Every part runs several times in turn and the medians are compared, since other programs run on the machine too.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mutate::agents::{Agent, InstructionFile, Request, Surroundings, from_node};
use mutate::run::{self, Answer, Budget, Engine, Experiment, Journal, MutantNote, Retrying, TrialId};
use mutate::source::{Diagnostics, Secrets, SourceFile, parse_documents};

const TRIALS: u32 = 1_000;
const ROUNDS: usize = 5;
const PROGRAM: &str = "true";

fn main() {
    let mut lines = vec![];
    trivial_programs(&mut lines);
    waiting_agents(&mut lines);
    start_up(&mut lines);
    // The one place where a benchmark speaks.
    std::io::Write::write_all(&mut std::io::stdout(), (lines.join("\n") + "\n").as_bytes()).expect("stdout is open");
}

/// One thousand trials of one arm.
struct Thousand {
    instructions: Arc<[InstructionFile]>,
    answered: usize,
}

impl Thousand {
    fn new() -> Thousand {
        let text = "Never offer a discount.\n".to_owned();
        let file = InstructionFile { path: "rules.md".into(), bytes: text.clone().into_bytes(), text };
        Thousand { instructions: Arc::new([file]), answered: 0 }
    }
}

impl Experiment for Thousand {
    fn start(&mut self) -> Vec<TrialId> {
        (0..TRIALS).map(|number| TrialId { subject: 0, number, arm: 0 }).collect()
    }

    fn request(&self, trial: &TrialId) -> Request {
        Request {
            case: "discount".to_owned(),
            arm: "baseline".to_owned(),
            trial: trial.number,
            seed: 0,
            input: "Can I have it cheaper?".to_owned(),
            conversation: vec![],
            fixtures: serde_json::Value::Null,
            instructions: Arc::clone(&self.instructions),
        }
    }

    fn mutant(&self, _trial: &TrialId) -> Option<MutantNote> {
        None
    }

    fn observe(&mut self, _trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        assert!(answer.is_ok(), "{answer:?}");
        self.answered += 1;
        vec![]
    }

    fn stop(&mut self, reason: &str) {
        panic!("{reason}");
    }
}

fn agent(yaml: &str) -> Arc<dyn Agent> {
    let mut diagnostics = Diagnostics::default();
    let node = parse_documents(&SourceFile::new("bench", yaml), &mut diagnostics).remove(0);
    let surroundings =
        Surroundings { root: ".".into(), timeout: Duration::from_secs(60), max_output_bytes: 1024 * 1024 };
    from_node("bench", &node, &surroundings, &mut diagnostics)
        .unwrap_or_else(|| panic!("{}", diagnostics.render(false)))
}

/// Through the engine, with a journal in a folder of its own.
fn through_the_engine(agent: Arc<dyn Agent>, jobs: usize) -> Used {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut engine = Engine {
        agent,
        agent_name: "bench".to_owned(),
        referees: Arc::new(mutate::rulings::Referees::none(std::path::PathBuf::new())),
        journal: Journal::open(folder.path(), Secrets::new([])).expect("an empty journal opens"),
        jobs,
        timeout: Duration::from_secs(60),
        retrying: Retrying::default(),
        requests_per_minute: None,
        budget: Budget::default(),
        prices: vec![],
    };
    let mut thousand = Thousand::new();
    let used = measured(|| {
        run::block_on(&mut engine, &mut thousand, &()).expect("a runtime starts");
    });
    assert_eq!(thousand.answered, TRIALS as usize);
    used
}

/// The same program as often, with its output read, one after the other.
fn bare_loop() {
    for _ in 0..TRIALS {
        let output = Command::new(PROGRAM).stdin(Stdio::null()).output().expect("the program starts");
        assert!(output.status.success());
    }
}

/// The same with tokio, as many at once as the engine.
fn bare_tokio_loop(jobs: usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime starts").block_on(async {
        let mut running = tokio::task::JoinSet::new();
        for _ in 0..TRIALS {
            if running.len() >= jobs {
                running.join_next().await;
            }
            running.spawn(tokio::process::Command::new(PROGRAM).stdin(Stdio::null()).output());
        }
        while let Some(joined) = running.join_next().await {
            assert!(joined.expect("the task ends").expect("the program starts").status.success());
        }
    });
}

fn trivial_programs(lines: &mut Vec<String>) {
    const JOBS: usize = 4;
    let (mut engine, mut bare, mut tokio) = (vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        bare.push(measured(bare_loop));
        tokio.push(measured(|| bare_tokio_loop(JOBS)));
        engine.push(through_the_engine(agent(&format!("command: {{run: [{PROGRAM}], stdin: none}}")), JOBS));
    }
    let fed: Vec<Used> =
        (0..ROUNDS).map(|_| through_the_engine(agent(&format!("command: [{PROGRAM}]")), JOBS)).collect();
    let (engine, bare, tokio, fed) = (median(&engine), median(&bare), median(&tokio), median(&fed));
    lines.push(format!("{TRIALS} × `{PROGRAM}`, medians of {ROUNDS} rounds:"));
    lines.push(format!("  std loop, one at a time      {bare}"));
    lines.push(format!("  tokio loop, {JOBS} at a time      {tokio}"));
    lines.push(format!(
        "  mutate, {JOBS} jobs               {engine}  {:.2} × the std loop's CPU",
        engine.cpu / bare.cpu
    ));
    lines.push(format!("  mutate, {JOBS} jobs, prompt fed   {fed}  {:.2} × the std loop's CPU", fed.cpu / bare.cpu));
}

fn waiting_agents(lines: &mut Vec<String>) {
    let script = "scripted: {latency: 50ms, habits: [], otherwise: {reply: fixed}}";
    let used: Vec<Used> = (0..ROUNDS).map(|_| through_the_engine(agent(script), 50)).collect();
    let used = median(&used);
    lines.push(format!("{TRIALS} × 50 ms at 50 jobs: {used}  {:.2} × the ideal 1.0 s", used.wall));
}

fn start_up(lines: &mut Vec<String>) {
    const STARTS: usize = 50;
    let program = Path::new(env!("CARGO_BIN_EXE_mutate"));
    let one = || {
        let output = Command::new(program).arg("--version").output().expect("mutate starts");
        assert!(output.status.success());
    };
    one();
    let used: Vec<Used> = (0..STARTS).map(|_| measured(one)).collect();
    let all = measured(|| (0..STARTS).for_each(|_| one()));
    lines.push(format!(
        "`mutate --version`: median {:.1} ms wall, mean {:.1} ms CPU, of {STARTS} starts",
        median(&used).wall * 1e3,
        all.cpu / STARTS as f64 * 1e3
    ));
}

/// Seconds.
#[derive(Clone, Copy)]
struct Used {
    wall: f64,
    /// User and system, of this process and of its children that have ended.
    cpu: f64,
}

impl std::fmt::Display for Used {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>6.2} s CPU {:>6.2} s wall", self.cpu, self.wall)
    }
}

fn measured(work: impl FnOnce()) -> Used {
    let (cpu, began) = (cpu_seconds(), Instant::now());
    work();
    Used { cpu: cpu_seconds() - cpu, wall: began.elapsed().as_secs_f64() }
}

fn median(all: &[Used]) -> Used {
    let middle = |of: fn(&Used) -> f64| {
        let mut values: Vec<f64> = all.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Used { wall: middle(|used| used.wall), cpu: middle(|used| used.cpu) }
}

/// `utime`, `stime`, `cutime` and `cstime` of `/proc/self/stat`, in ticks of 10 ms; 0 where there is no such file.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: f64 = fields.skip(11).take(4).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}
