use regex::Regex;

use super::*;
use crate::agents::{self, Surroundings};
use crate::source::{Diagnostics, expand};
use crate::suite;

fn environment(_: &str) -> Option<String> {
    Some("a-value".to_owned())
}

/// A template with every commented setting made a setting, and how many there were.
fn uncommented(text: &str) -> (String, usize) {
    let setting = Regex::new(r"^(\s*)# ?(\s*(?:- )?\{?[A-Za-z_-]+:(?:\s.*)?)$").unwrap();
    let lines: Vec<String> = text.lines().map(|line| setting.replace(line, "$1$2").into_owned()).collect();
    let changed = lines.iter().zip(text.lines()).filter(|(new, old)| new != old).count();
    (lines.join("\n") + "\n", changed)
}

#[test]
fn every_commented_line_of_the_templates_loads_when_it_is_uncommented() {
    for (agent, commented) in [(COMMAND, 11), (CHAT, 12), (SCRIPTED, 11)] {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let whole = format!("{}{agent}{TAIL}", HEAD.replace("@instructions@", "AGENTS.md"));
        for plain in [true, false] {
            let (config, found) = uncommented(&whole);
            let (case, notes) = uncommented(&CASE.replace("@quote@", "\"Always end with BYE.\""));
            assert_eq!((found, notes), (commented, 1), "{config}");
            write("AGENTS.md", "Always end with BYE.\n");
            write("mutate.yaml", if plain { &whole } else { &config });
            write("cases/first.yaml", &case);
            write("agent.yaml", &AGENT.replace("@quote@", "\"Always end with BYE.\""));
            let loaded = suite::load(folder.path(), &environment);
            assert_eq!(loaded.diagnostics.render(false), "", "{config}");
            let suite = loaded.suite.unwrap();
            assert_eq!(suite.config.prices.len(), usize::from(!plain));
            assert_eq!(suite.config.design.max_trials_per_arm, (!plain).then_some(20));
            let mut diagnostics = Diagnostics::default();
            let node = expand(&suite.config.agents[0].node, &environment, &mut vec![], &mut diagnostics);
            let surroundings = Surroundings {
                root: suite.root.clone(),
                timeout: suite.config.limits.timeout,
                max_output_bytes: suite.config.limits.max_output_bytes,
            };
            let made = agents::from_node("mine", &node, &surroundings, &mut diagnostics);
            assert!(made.is_some(), "{}", diagnostics.render(false));
            assert_eq!(diagnostics.render(false), "");
        }
    }
}
