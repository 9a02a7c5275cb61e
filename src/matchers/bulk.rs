//! Many needles at once, in one pass over a reply.

use aho_corasick::AhoCorasick;

use super::needle::{Form, Needle};
use super::phrase::Sighting;
use super::view::View;

/// From so many texts on one pass for all of them is faster than one pass each.
const FROM: usize = 16;

/// The texts of one list of needles, as one automaton for each way to treat letter case.
#[derive(Debug)]
pub struct Bulk(Vec<Group>);

#[derive(Debug)]
struct Group {
    finder: AhoCorasick,
    /// The needle of each pattern, by its place in the list.
    needles: Vec<usize>,
    case_sensitive: bool,
}

impl Bulk {
    /// `None` where there are too few to be worth it, or too many to build.
    pub fn of(needles: &[Needle]) -> Option<Bulk> {
        if needles.len() < FROM {
            return None;
        }
        let group = |case_sensitive: bool| -> Option<Group> {
            let chosen: Vec<usize> = (0..needles.len())
                .filter(|at| needles[*at].case_sensitive == case_sensitive && needles[*at].folded().is_some())
                .collect();
            let finder = AhoCorasick::new(chosen.iter().filter_map(|at| needles[*at].folded())).ok()?;
            Some(Group { finder, needles: chosen, case_sensitive })
        };
        let groups = [group(false)?, group(true)?];
        Some(Bulk(groups.into_iter().filter(|group| !group.needles.is_empty()).collect()))
    }

    /// What came of each needle; `Absent` for those that are no texts. Linear in the reply and the occurrences.
    pub fn sightings(&self, needles: &[Needle], view: &View<'_>, cut: bool) -> Vec<Sighting> {
        let mut seen = vec![Sighting::Absent; needles.len()];
        for group in &self.0 {
            let text = view.reading(group.case_sensitive).text();
            let mut open = group.needles.len();
            for found in group.finder.find_overlapping_iter(text) {
                let at = group.needles[found.pattern().as_usize()];
                let Form::Text(phrase) = &needles[at].form else { continue };
                if matches!(seen[at], Sighting::Found(_)) {
                    continue;
                }
                seen[at].improve(phrase.sight(text, found.start(), cut));
                open -= usize::from(matches!(seen[at], Sighting::Found(_)));
                if open == 0 {
                    break;
                }
            }
        }
        seen
    }
}
