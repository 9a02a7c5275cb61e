//! How many verified, distinct variants a second, on one thread: `cargo bench --bench variants`.
//!
//! # On your own inputs
//!
//! `MUTATE_INPUTS=/path/to/inputs.jsonl cargo bench --bench variants` makes variants of each line, counts those that
//! lost what must survive, and ends with exit code 1 where any did. A line is JSON, of which only `text` is needed:
//!
//! ```json
//! {"text": "Refund order #4021.", "must_survive": ["#4021"], "lang": "en"}
//! ```
//!
//! or, in a file of plain text, the input itself. What stands in `must_survive` is yours to say: it is looked for by
//! plain search, as often as it stands in the input, and knows nothing of what `mutate` protects. Losses can be counted
//! without a release build, only slower: `MUTATE_INPUTS=… cargo test --bench variants`. Exit code 2: the file or a
//! variable is wrong.
//!
//! | variable | meaning | without it |
//! |---|---|---|
//! | `MUTATE_INPUTS` | the file; a relative path starts at the project's folder | the benchmark, on inputs of its own |
//! | `MUTATE_VARIANTS` | wanted of each input | 4000 |
//! | `MUTATE_KINDS` | `typo,format`: only these kinds | every kind that is on by default |
//! | `MUTATE_MUTATORS` | `typo/omission,paraphrase/`: these mutators or packs; `all` | those that are on by default |
//! | `MUTATE_SHOW` | `1` prints every variant, what was not made and why | only losses and the sum |

use std::collections::HashSet;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use mutate::mutators::input::{Choice, Kind, NotApplicable, Packs, Subject, variants};

const INPUTS: [&str; 6] = [
    "Refund order #4021, the tent arrived damaged and the zip is broken.",
    "Hi, I was charged twice for invoice INV-2024-0087. Can you refund the duplicate payment of $49.99?",
    "Please rename the function `parse_line` in src/reader.rs and run the tests again.",
    "Could you move my appointment with Dr. Okafor to Thursday at 14:30, please?",
    "My package was supposed to arrive on 12/05/2024 but the tracking page still says it has been delayed.",
    "I'd like to change the email address on my account from ann@example.org to ann.b@example.org.",
];

fn main() -> io::Result<ExitCode> {
    let Ok(path) = std::env::var("MUTATE_INPUTS") else {
        divan::main();
        return Ok(ExitCode::SUCCESS);
    };
    match score(&path) {
        // The reader of our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => {
            writeln!(io::stderr(), "error: {error}")?;
            Ok(ExitCode::from(2))
        }
        scored => scored,
    }
}

/// The default mutators, `wanted` variants of each input.
#[divan::bench(args = [12, 100, 1000, 10000])]
fn default_mutators(bencher: Bencher, wanted: usize) {
    let packs = Packs::embedded();
    let make = |seed: u64| -> usize {
        let choice = Choice { variants: wanted, seed, ..Choice::default() };
        INPUTS.iter().map(|input| variants(packs, &subject(input, None), &choice).variants.len()).sum()
    };
    let count = make(1);
    bencher.counter(ItemsCount::new(count)).bench_local(|| make(1));
}

fn subject<'a>(input: &'a str, language: Option<&'a str>) -> Subject<'a> {
    Subject { case: "bench", input, literals: &[], protect: &[], language }
}

/// One line of the file.
struct Line {
    number: usize,
    text: String,
    must_survive: Vec<String>,
    language: Option<String>,
}

fn score(path: &str) -> io::Result<ExitCode> {
    let packs = Packs::embedded();
    let lines = lines(path)?;
    let wanted = match std::env::var("MUTATE_VARIANTS") {
        Ok(number) => number.parse().map_err(|_| wrong(format!("MUTATE_VARIANTS is `{number}`, and no number")))?,
        Err(_) => 4000,
    };
    let choice = Choice { variants: wanted, kinds: kinds()?, mutators: mutators(packs)?, ..Choice::default() };
    let show = std::env::var_os("MUTATE_SHOW").is_some();
    let mut out = io::stdout().lock();
    let (mut made, mut distinct, mut lost, mut seconds) = (0, 0, 0, 0.0);
    for line in &lines {
        let case = format!("line-{}", line.number);
        let subject = Subject { case: &case, ..subject(&line.text, line.language.as_deref()) };
        let start = Instant::now();
        let result = variants(packs, &subject, &choice);
        seconds += start.elapsed().as_secs_f64();
        made += result.variants.len();
        let texts = result.variants.iter().map(|variant| variant.text.as_str());
        distinct += texts.filter(|made| *made != line.text).collect::<HashSet<_>>().len();
        for variant in &result.variants {
            let stands = |text: &str, keep: &str| text.matches(keep).count();
            for keep in line.must_survive.iter().filter(|keep| stands(&variant.text, keep) != stands(&line.text, keep))
            {
                lost += 1;
                writeln!(out, "lost {keep}: {}: {:?}", variant.id, variant.text)?;
            }
            if show {
                writeln!(out, "{:<28} {:?}", variant.mutator, variant.text)?;
            }
        }
        if show {
            for short in &result.shortfalls {
                writeln!(out, "short  {} {} of {}: {}", short.mutator, short.made, short.wanted, short.reason)?;
            }
            for NotApplicable { mutator, reason, .. } in &result.not_applicable {
                writeln!(out, "n/a    {mutator}: {reason}")?;
            }
            writeln!(out)?;
        }
    }
    let named: usize = lines.iter().map(|line| line.must_survive.len()).sum();
    let losses = match named {
        0 => "losses not counted (no line has `must_survive`)".to_owned(),
        _ => format!("{lost} losses of the {named} texts that must survive"),
    };
    let rate = made as f64 / seconds;
    writeln!(
        out,
        "{} inputs, {made} variants, {distinct} distinct and changed, {losses}, {rate:.0} a second",
        lines.len()
    )?;
    Ok(if lost == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn lines(path: &str) -> io::Result<Vec<Line>> {
    let file = std::fs::read_to_string(path)
        .map_err(|error| wrong(format!("MUTATE_INPUTS names {path}, which can't be read: {error}")))?;
    let mut lines = vec![];
    for (at, line) in file.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = at + 1;
        if !line.starts_with('{') || line.starts_with("{{") {
            lines.push(Line { number, text: line.to_owned(), must_survive: vec![], language: None });
            continue;
        }
        let here = |what: String| wrong(format!("{path}:{number}: {what}"));
        let input: serde_json::Value = serde_json::from_str(line).map_err(|error| here(error.to_string()))?;
        let text = input["text"].as_str().ok_or_else(|| here("`text` is missing, or no text".to_owned()))?.to_owned();
        let must_survive: Vec<String> = match &input["must_survive"] {
            serde_json::Value::Null => vec![],
            list => serde_json::from_value(list.clone()).map_err(|error| here(format!("`must_survive`: {error}")))?,
        };
        if let Some(keep) = must_survive.iter().find(|keep| keep.is_empty() || !text.contains(keep.as_str())) {
            return Err(here(format!("`{keep}` must survive, but does not stand in `text`")));
        }
        lines.push(Line { number, text, must_survive, language: input["lang"].as_str().map(str::to_owned) });
    }
    if lines.is_empty() { Err(wrong(format!("{path} holds no input"))) } else { Ok(lines) }
}

fn kinds() -> io::Result<Option<Vec<Kind>>> {
    let Ok(list) = std::env::var("MUTATE_KINDS") else { return Ok(None) };
    let kind = |name: &str| {
        Kind::from_name(name.trim()).ok_or_else(|| {
            wrong(format!("MUTATE_KINDS: there is no kind `{name}`; there are {}", Kind::NAMES.join(", ")))
        })
    };
    list.split(',').map(kind).collect::<io::Result<_>>().map(Some)
}

fn mutators(packs: &Packs) -> io::Result<Option<Vec<String>>> {
    let Ok(list) = std::env::var("MUTATE_MUTATORS") else { return Ok(None) };
    let known = || packs.mutators().map(|mutator| mutator.name().to_owned());
    if list.trim() == "all" {
        return Ok(Some(known().collect()));
    }
    let names: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
    for name in &names {
        if !known().any(|known| known == *name || name.ends_with('/') && known.starts_with(name)) {
            let help = "`mutate mutators` lists them, and `typo/` stands for a pack";
            return Err(wrong(format!("MUTATE_MUTATORS: there is no mutator `{name}`; {help}")));
        }
    }
    Ok(Some(names))
}

fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
