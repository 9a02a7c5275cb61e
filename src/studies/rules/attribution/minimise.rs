//! A smallest set that still has a property, found by asking for few others. Knows nothing of rules or trials.

use std::collections::BTreeSet;

/// Candidates, by their place in the order of likeness.
pub type Set = BTreeSet<usize>;

/// Delta debugging: from `all`, which has the property, to a subset that has it and loses it with any one element.
///
/// The algorithm is *ddmin* (A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE
/// Transactions on Software Engineering 28, 2002): halves, then their complements, then finer parts. Parts are runs of
/// the order in which `all` is given, so that what is likely together is asked for together; of complements, the one
/// without the least likely part comes first.
///
/// # Errors
/// What `has` says, at once: the caller asks again from the start when it knows more.
pub(super) fn ddmin<E>(all: &[usize], has: &mut impl FnMut(&Set) -> Result<bool, E>) -> Result<Set, E> {
    let mut kept = all.to_vec();
    let mut parts = 2;
    'smaller: while kept.len() > 1 {
        let bounds: Vec<usize> = (0..=parts).map(|at| at * kept.len() / parts).collect();
        for ends in bounds.windows(2) {
            let part = &kept[ends[0]..ends[1]];
            if has(&part.iter().copied().collect())? {
                kept = part.to_vec();
                parts = 2;
                continue 'smaller;
            }
        }
        for ends in bounds.windows(2).rev().filter(|_| parts > 2) {
            let rest = [&kept[..ends[0]], &kept[ends[1]..]].concat();
            if has(&rest.iter().copied().collect())? {
                kept = rest;
                parts = (parts - 1).max(2);
                continue 'smaller;
            }
        }
        if parts == kept.len() {
            break;
        }
        parts = (2 * parts).min(kept.len());
    }
    Ok(kept.into_iter().collect())
}

/// The same for a property that every larger set has too: what lies in a set that was seen to lack it is not asked for.
///
/// # Errors
/// What `has` says.
pub(super) fn minimise<E>(
    all: &[usize],
    lacking: &mut Vec<Set>,
    has: &mut impl FnMut(&Set) -> Result<bool, E>,
) -> Result<Set, E> {
    ddmin(all, &mut |set: &Set| {
        if lacking.iter().any(|one| set.is_subset(one)) {
            return Ok(false);
        }
        let found = has(set)?;
        if !found {
            lacking.push(set.clone());
        }
        Ok(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimises in `0..many` where a set has the property if it holds one of these; returns the set, and how many were
    /// asked for.
    fn minimised(many: usize, truths: &[&[usize]]) -> (Set, usize) {
        let mut asked = 0;
        let truths: Vec<Set> = truths.iter().map(|truth| truth.iter().copied().collect()).collect();
        let mut has = |set: &Set| -> Result<bool, std::convert::Infallible> {
            asked += 1;
            Ok(truths.iter().any(|truth| truth.is_subset(set)))
        };
        let Ok(found) = minimise(&(0..many).collect::<Vec<_>>(), &mut vec![], &mut has);
        (found, asked)
    }

    #[test]
    fn the_smallest_set_is_found_wherever_it_lies() {
        for truth in [&[0][..], &[199], &[0, 1], &[3, 77], &[10, 90, 170], &[0, 50, 100, 150, 199]] {
            let (found, asked) = minimised(200, &[truth]);
            assert_eq!(found, truth.iter().copied().collect());
            assert!(asked <= 17 * truth.len(), "{truth:?} took {asked}");
        }
    }

    #[test]
    fn of_two_sets_the_more_likely_is_found() {
        assert_eq!(minimised(64, &[&[2, 5], &[40]]).0, [2, 5].into());
    }

    #[test]
    fn what_comes_first_in_the_order_costs_least() {
        let asked = |truth: &[usize]| minimised(64, &[truth]).1;
        assert!(asked(&[0]) < asked(&[63]) && asked(&[0, 1]) < asked(&[0, 63]));
        assert_eq!(minimised(1, &[&[0]]).1, 0, "a single element has nothing to lose");
    }

    #[test]
    fn what_lies_in_a_set_without_the_property_is_not_asked_for() {
        let mut asked: Vec<Set> = vec![];
        let mut lacking = vec![(0..6).collect::<Set>()];
        let mut has = |set: &Set| -> Result<bool, std::convert::Infallible> {
            asked.push(set.clone());
            Ok(set.contains(&6))
        };
        let Ok(found) = minimise(&(0..8).collect::<Vec<_>>(), &mut lacking, &mut has);
        assert_eq!(found, [6].into());
        assert_eq!(asked, [(4..8).collect(), Set::from([6, 7]), Set::from([6])]);
    }
}
