//! Do mutated instructions get to the agent? Told from what their arms changed, or else from a canary.

use std::collections::BTreeSet;

use super::study::RulesStudy;
use super::{Arm, CaseVerdict, Reach};
use crate::agents::{Delivery, canary};
use crate::run::{Answer, TrialId};
use crate::transcript::Transcript;

/// How often the canary is asked before its silence means something.
const CANARY_TRIALS: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Canary {
    Asked,
    Echoed,
    Deaf,
}

impl Canary {
    /// What one more answer to the canary's demand says; `None` where it is asked again.
    pub(super) fn heard(number: u32, answer: &Answer, nonce: &str) -> Option<Canary> {
        match answer {
            Ok(transcript) if canary::echoes(transcript, nonce) => Some(Canary::Echoed),
            _ if number + 1 < CANARY_TRIALS => None,
            Ok(_) => Some(Canary::Deaf),
            // It was asked, and nobody knows.
            Err(_) => Some(Canary::Asked),
        }
    }
}

/// The answers of one arm: how many, and the digest of each where all are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answers {
    trials: usize,
    all: Option<blake3::Hash>,
}

impl RulesStudy<'_> {
    /// How it is known that mutants of a document get to the agent.
    pub(super) fn reach_of(&self, document: usize) -> Reach {
        // What is handed over is one text: a change anywhere in it shows that all of it arrives.
        let handed = self.delivery == Delivery::Handed;
        if self.reached.contains(&document) || (handed && !self.reached.is_empty()) {
            return Reach::Seen;
        }
        match self.canaries.get(&document) {
            Some(Canary::Echoed) => Reach::CanaryEchoed,
            Some(Canary::Deaf) if handed => Reach::CanaryIgnored,
            Some(Canary::Deaf) => Reach::NotSeen,
            // The run ended before the canary did.
            Some(Canary::Asked) if !handed => Reach::NotSeen,
            Some(Canary::Asked) | None => Reach::NotAsked,
        }
    }

    /// The same for the whole run: the worst of the documents that were asked about.
    pub fn reach(&self) -> Reach {
        let worst = [Reach::NotSeen, Reach::CanaryIgnored, Reach::CanaryEchoed, Reach::Seen];
        let seen: Vec<Reach> = self.subjects.iter().map(|subject| self.reach_of(subject.document)).collect();
        worst.into_iter().find(|reach| seen.contains(reach)).unwrap_or(Reach::NotAsked)
    }

    /// Once for each document of which a case says that its rule moves nothing, and whose mutants were never seen to
    /// change anything: does its text arrive at all?
    pub(super) fn canary_trials(&mut self) -> Vec<TrialId> {
        if self.open > 0 || !self.canaries.is_empty() {
            return vec![];
        }
        let mut trials = vec![];
        for (subject, one) in self.subjects.iter().enumerate() {
            if self.reach_of(one.document) == Reach::NotAsked
                && self.trees[subject].finding().verdict == CaseVerdict::ModelDefault
            {
                self.canaries.insert(one.document, Canary::Asked);
                trials.push(TrialId { subject, number: 0, arm: Arm::Canary.number() });
                if self.delivery == Delivery::Handed {
                    break;
                }
            }
        }
        // One text is handed over: what is heard from one document goes for all.
        if self.delivery == Delivery::Handed && !trials.is_empty() {
            let documents: Vec<usize> = self.subjects.iter().map(|one| one.document).collect();
            self.canaries.extend(documents.into_iter().map(|document| (document, Canary::Asked)));
        }
        trials
    }

    pub(super) fn hear_canary(&mut self, trial: &TrialId, answer: &Answer) -> Vec<TrialId> {
        let Some(heard) = Canary::heard(trial.number, answer, &self.nonce) else {
            return vec![TrialId { number: trial.number + 1, ..trial.clone() }];
        };
        let document = self.subjects[trial.subject].document;
        for (of, canary) in &mut self.canaries {
            if *of == document || self.delivery == Delivery::Handed {
                *canary = heard;
            }
        }
        vec![]
    }

    /// Counts a subject as done when its verdict stands, and keeps what its arms showed of the mutants' way.
    pub(super) fn settle(&mut self, subject: usize) {
        if self.settled[subject] || !self.trees[subject].is_settled() {
            return;
        }
        self.settled[subject] = true;
        self.open -= 1;
        self.let_go(subject);
        let otherwise = self.arms_that_answer_otherwise(subject);
        let shown: Vec<usize> = otherwise.into_iter().flat_map(|arm| self.documents_of(subject, arm)).collect();
        self.reached.extend(shown);
        let killing = self.trees[subject].killing_arms();
        let killed: BTreeSet<usize> = killing.into_iter().flat_map(|arm| self.documents_of(subject, arm)).collect();
        for document in killed {
            *self.kills.entry(document).or_default() += 1;
        }
        if self.open == 0 {
            // One kill in a hundred cases is what chance gives: in a tenth of a document's cases it is not.
            for (document, kills) in &self.kills {
                if 10 * kills >= self.subjects.iter().filter(|one| one.document == *document).count() {
                    self.reached.insert(*document);
                }
            }
        }
    }

    /// Documents of which an arm shows that they arrive: what is handed over is one text.
    fn documents_of(&self, subject: usize, arm: Arm) -> Vec<usize> {
        let subject = &self.subjects[subject];
        match self.delivery {
            Delivery::Handed => vec![subject.document],
            Delivery::Offered => subject.changed.get(&arm).cloned().unwrap_or_default(),
        }
    }

    /// Whether an arm answers otherwise than the baseline; `None` where either of them answers now so and now so: three and
    /// three trials that differ like this are no chance.
    pub(super) fn answers_otherwise(&self, subject: usize, arm: Arm) -> Option<bool> {
        let settled = |arm: Arm| self.answers.get(&(subject, arm)).filter(|seen| seen.trials >= 3)?.all;
        Some(settled(arm)? != settled(Arm::Baseline)?)
    }

    fn arms_that_answer_otherwise(&self, subject: usize) -> Vec<Arm> {
        Arm::ALL.into_iter().filter(|arm| self.answers_otherwise(subject, *arm) == Some(true)).collect()
    }

    pub(super) fn remember_answer(&mut self, subject: usize, arm: Arm, transcript: &Transcript) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(transcript.reply.as_deref().unwrap_or_default().as_bytes());
        for call in transcript.tool_calls.iter().flatten() {
            hasher.update(&[0]).update(call.name.as_bytes()).update(call.arguments.to_string().as_bytes());
        }
        let digest = hasher.finalize();
        let seen = self.answers.entry((subject, arm)).or_insert(Answers { trials: 0, all: Some(digest) });
        seen.trials += 1;
        seen.all = seen.all.filter(|all| *all == digest);
        if arm == Arm::Baseline && transcript.reply.as_deref().is_some_and(|reply| !reply.trim().is_empty()) {
            self.speaks.insert(subject);
        }
    }
}
