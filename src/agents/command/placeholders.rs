use crate::agents::Request;
use crate::source::nearest_name;

/// One word of the command line, with the places where a trial's own texts go.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Place(Place),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Input,
    Instructions,
    InstructionsDir,
    Case,
    Arm,
    Trial,
    Seed,
    RunSeed,
}

const PLACES: [(&str, Place); 8] = [
    ("{input}", Place::Input),
    ("{instructions}", Place::Instructions),
    ("{instructions_dir}", Place::InstructionsDir),
    ("{case}", Place::Case),
    ("{arm}", Place::Arm),
    ("{trial}", Place::Trial),
    ("{seed}", Place::Seed),
    ("{run_seed}", Place::RunSeed),
];

impl Argument {
    /// Any other word in braces stays as it is.
    pub(super) fn new(text: &str) -> Argument {
        let mut parts = vec![];
        let mut rest = text;
        while let Some((at, name, place)) = PLACES
            .iter()
            .filter_map(|(name, place)| rest.find(name).map(|at| (at, *name, *place)))
            .min_by_key(|hit| hit.0)
        {
            parts.push(Part::Literal(rest[..at].to_owned()));
            parts.push(Part::Place(place));
            rest = &rest[at + name.len()..];
        }
        parts.push(Part::Literal(rest.to_owned()));
        Argument { text: text.to_owned(), parts }
    }

    /// The first word in braces that is no place but nearly one, with the place that it looks like.
    pub(super) fn nearly(&self) -> Option<(String, &'static str)> {
        let known = || PLACES.iter().map(|(name, _)| name.trim_matches(['{', '}']));
        self.parts.iter().find_map(|part| {
            let Part::Literal(text) = part else { return None };
            let mut opened = text.match_indices('{');
            opened.find_map(|(at, _)| {
                let word = &text[at + 1..at + text[at..].find('}')?];
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
                // `${…}` is a shell's own variable.
                if text[..at].ends_with('$') || word.is_empty() || !word.chars().all(plain) {
                    return None;
                }
                let folded = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
                Some((format!("{{{word}}}"), nearest_name(&folded, known())?))
            })
        })
    }

    pub(super) fn as_text(&self) -> &str {
        &self.text
    }

    pub(super) fn holds_instructions(&self) -> bool {
        self.parts.contains(&Part::Place(Place::Instructions))
    }

    /// The word of one trial. What is put in is never looked through for further places.
    pub(super) fn fill(&self, request: &Request, instructions_dir: &str) -> String {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => filled.push_str(text),
                Part::Place(Place::Input) => filled.push_str(&request.input),
                Part::Place(Place::Instructions) => filled.push_str(&request.instructions_text()),
                Part::Place(Place::InstructionsDir) => filled.push_str(instructions_dir),
                Part::Place(Place::Case) => filled.push_str(&request.case),
                Part::Place(Place::Arm) => filled.push_str(&request.arm),
                Part::Place(Place::Trial) => filled.push_str(&request.trial.to_string()),
                Part::Place(Place::Seed) => filled.push_str(&request.trial_seed().to_string()),
                Part::Place(Place::RunSeed) => filled.push_str(&request.seed.to_string()),
            }
        }
        filled
    }
}
