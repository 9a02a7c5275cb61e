//! Makes the table of English words and their real misspellings that the input mutators read.
//!
//! One line a word, sorted: the word, then the ways in which people mistype it. Words come from the corrections of the
//! dictionary `typos-dict` and from `mutators/words.txt`; misspellings from that dictionary, turned around. It is a
//! build dependency because its own table would double the binary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=mutators/words.txt");
    let own = fs::read_to_string("mutators/words.txt")?;
    let mut table: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in own.lines().filter(|line| !line.starts_with('#')) {
        for word in line.split_whitespace() {
            table.entry(word).or_default();
        }
    }
    let mut pairs = vec![];
    for (misspelling, corrections) in typos_dict::WORD.map.entries() {
        for correction in corrections.iter().filter(|word| plain(word)) {
            table.entry(correction).or_default();
        }
        if let [correction] = corrections {
            pairs.push((*correction, misspelling.into_inner()));
        }
    }
    for (correction, misspelling) in pairs {
        // "shouldbe" is two words without their space.
        let joined = misspelling
            .strip_prefix(correction)
            .is_some_and(|rest| table.contains_key(rest) && rest.len() != 1 || rest == "a");
        if likely(correction, misspelling) && !joined && !table.contains_key(misspelling) {
            table.entry(correction).or_default().insert(misspelling);
        }
    }
    let mut text = String::new();
    for (word, misspellings) in &table {
        text.push_str(word);
        for misspelling in misspellings {
            text.push(' ');
            text.push_str(misspelling);
        }
        text.push('\n');
    }
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(PathBuf::from(folder).join("words.txt"), text)
}

/// Verbs that take "n't".
const MODALS: [&str; 10] = ["should", "could", "would", "does", "have", "were", "must", "might", "ought", "will"];

fn plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// What a person writes who knows the word: the first letter is right, and one letter is wrong, or two of a long word.
fn likely(correction: &str, misspelling: &str) -> bool {
    plain(correction)
        && plain(misspelling)
        // "shoudln" may be read as "shouldn't".
        && !(MODALS.contains(&correction) && misspelling.contains('n'))
        && correction.len() >= 4
        && correction.as_bytes()[0] == misspelling.as_bytes()[0]
        && distance(correction.as_bytes(), misspelling.as_bytes()) <= if correction.len() < 6 { 1 } else { 2 }
}

/// Edit distance with transpositions of neighbours counted as one.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = match (i, j) {
                (0, j) => j,
                (i, 0) => i,
                (i, j) => {
                    let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        best = best.min(rows[i - 2][j - 2] + 1);
                    }
                    best
                }
            };
        }
    }
    rows[a.len()][b.len()]
}
