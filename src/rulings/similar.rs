//! How alike two texts are, by their embeddings.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::agents::{AskError, Embeddings, Fault, Retry};
use crate::transcript::{Ruling, Transcript};

/// The vectors of references, each paid for once a run.
#[derive(Default)]
pub(super) struct References(Mutex<HashMap<String, Arc<Vec<f64>>>>);

impl References {
    pub(super) async fn similarity(
        &self,
        embeddings: &Embeddings,
        reference: &str,
        reply: &str,
        pay: &(dyn Fn(Transcript) + Sync),
    ) -> Result<Ruling, AskError> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(reference).cloned();
        let texts = if known.is_some() { vec![reply] } else { vec![reply, reference] };
        let embedded = embeddings.embed(&texts).await?;
        pay(Transcript { usage: embedded.usage, model: Some(embedded.model), ..Transcript::default() });
        let mut vectors = embedded.vectors.into_iter();
        let of_reply = vectors.next().unwrap_or_default();
        let of_reference = known.unwrap_or_else(|| Arc::new(vectors.next().unwrap_or_default()));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(reference.to_owned(), Arc::clone(&of_reference));
        cosine(&of_reply, &of_reference).map(Ruling::Similarity).ok_or_else(|| AskError {
            fault: Fault::Malformed,
            message: "the two vectors can't be compared: one has no direction, or their lengths differ".to_owned(),
            retry: Retry::No,
        })
    }
}

/// The cosine of the angle between two vectors, -1 to 1; `None` where one of them is zero or no number, or their lengths
/// differ.
fn cosine(one: &[f64], other: &[f64]) -> Option<f64> {
    if one.len() != other.len() {
        return None;
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let cosine = dot(one, other) / (dot(one, one).sqrt() * dot(other, other).sqrt());
    cosine.is_finite().then(|| cosine.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_is_that_of_the_angle_whatever_the_lengths() {
        let close = |one: &[f64], other: &[f64], wanted: f64| {
            assert!((cosine(one, other).unwrap() - wanted).abs() < 1e-12, "{one:?} {other:?}");
        };
        close(&[1.0, 0.0], &[5.0, 0.0], 1.0);
        close(&[1.0, 0.0], &[0.0, 2.0], 0.0);
        close(&[1.0, 1.0], &[-2.0, -2.0], -1.0);
        close(&[3.0, 4.0], &[4.0, 3.0], 24.0 / 25.0);
    }

    #[test]
    fn vectors_without_a_direction_are_not_compared() {
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[f64::NAN, 0.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
    }
}
