use std::sync::LazyLock;

use super::*;
use crate::stats::{Allocation, Boundary, Design};
use crate::studies::rules::Outcome;

static TEST: LazyLock<Arc<SequentialTest>> = LazyLock::new(|| {
    let test = SequentialTest::calibrate(&Design::default(), ROUNDS, Boundary::default(), Allocation::default());
    Arc::new(test.unwrap())
});

/// A search among so many statements, the first of them the quoted rule; two more candidates are headings or code.
fn plan(statements: usize) -> Plan {
    Plan {
        assertions: 1,
        vacuous: vec![],
        quoted: 1,
        statements,
        all: statements + 2,
        sections: vec![],
        control: Set::new(),
        needed: false,
    }
}

fn search(plan: Plan) -> Search {
    Search::new(plan, Arc::clone(&TEST))
}

/// Runs a search to its end; `says` tells the outcome of a trial by its arm and number.
fn played(mut search: Search, says: impl Fn(&Given, u32) -> Outcome) -> Search {
    loop {
        let wanted = search.wanted();
        if wanted.is_empty() {
            return search;
        }
        for (arm, number) in wanted {
            let outcome = says(search.given(arm), number);
            search.observe(arm, number, outcome);
        }
    }
}

fn held(held: bool) -> Outcome {
    Outcome::Judged(vec![Some(held)])
}

/// Where the case falls exactly where all of one of these sets are deleted.
fn carried_by(plan: Plan, carrying: &[&[usize]]) -> Search {
    let carrying: Vec<Set> = carrying.iter().map(|set| set.iter().copied().collect()).collect();
    played(search(plan), |given, _| {
        held(match given {
            Given::Without(deleted) => !carrying.iter().any(|set| set.is_subset(deleted)),
            Given::Bare => carrying.is_empty(),
            Given::Baseline | Given::Control => true,
        })
    })
}

fn found(search: &Search) -> (Verdict, Vec<usize>) {
    let finding = search.finding();
    (finding.verdict, finding.set.into_iter().collect())
}

#[test]
fn a_rule_that_carries_alone_is_found_in_17_calls_whatever_the_size_of_the_file() {
    for statements in [1, 20, 2_000] {
        let search = carried_by(plan(statements), &[&[0]]);
        assert_eq!(found(&search), (Verdict::Carried, vec![0]));
        // Baseline and deletion to search, both again to confirm, and the control.
        assert_eq!(search.asked(), 3 + 3 + 3 + 3 + 5);
    }
}

#[test]
fn what_says_the_same_elsewhere_is_found_with_it() {
    assert_eq!(found(&carried_by(plan(20), &[&[0, 1]])), (Verdict::Carried, vec![0, 1]));
    assert_eq!(found(&carried_by(plan(200), &[&[0, 2, 150]])), (Verdict::Carried, vec![0, 2, 150]));
    assert_eq!(found(&carried_by(plan(200), &[&[77]])), (Verdict::Carried, vec![77]));
    assert_eq!(found(&carried_by(plan(2), &[&[1]])), (Verdict::Carried, vec![1]));
}

#[test]
fn a_rule_stated_in_two_places_is_reduced_to_the_one_that_is_needed() {
    let twice = || Plan { quoted: 2, ..plan(20) };
    assert_eq!(found(&carried_by(twice(), &[&[0, 1]])), (Verdict::Carried, vec![0, 1]));
    assert_eq!(found(&carried_by(twice(), &[&[1]])), (Verdict::Carried, vec![1]));
}

#[test]
fn where_nothing_is_missed_without_any_instructions_the_model_behaves_so_anyway() {
    let search = carried_by(plan(20), &[]);
    assert_eq!(found(&search), (Verdict::ModelDefault, vec![]));
    let all = Given::Without((0..20).collect());
    for arm in [&all, &Given::Bare] {
        assert_eq!(search.tally(arm, None, 0), Tally { passes: 5, trials: 5 }, "{arm:?}");
    }
}

#[test]
fn headings_and_code_are_deleted_only_where_no_statement_carries_anything() {
    let search = carried_by(plan(20), &[&[21]]);
    assert_eq!(found(&search), (Verdict::Carried, vec![21]));
    let early = carried_by(plan(20), &[&[0, 5], &[20]]);
    assert_eq!(found(&early), (Verdict::Carried, vec![0, 5]));
}

#[test]
fn a_heading_that_goes_with_all_below_it_is_told_from_them() {
    let plan = || Plan { sections: vec![(20, [0, 1].into()), (21, [2].into())], ..plan(20) };
    // The case falls where the heading goes: deleted alone, or with both statements below it.
    let by_heading = played(search(plan()), |given, _| {
        held(match given {
            Given::Without(set) => !set.contains(&20) && !set.is_superset(&[0, 1].into()),
            given => *given != Given::Bare,
        })
    });
    assert_eq!(found(&by_heading), (Verdict::Carried, vec![20]));
    assert_eq!(found(&carried_by(plan(), &[&[0, 1]])), (Verdict::Carried, vec![0, 1]));
}

#[test]
fn what_is_neither_statement_nor_heading_is_not_blamed_on_either() {
    let search = played(search(plan(20)), |given, _| held(*given != Given::Bare));
    let finding = search.finding();
    assert_eq!((finding.verdict, finding.set.len()), (Verdict::Unproven, 0));
    assert!(finding.reason.unwrap().starts_with("it falls without any instructions, but holds"));
}

#[test]
fn what_chose_a_set_is_no_evidence_for_it() {
    // The deletion of the rule fails in its first three trials and never again.
    let lucky = played(search(plan(20)), |given, number| {
        held(!matches!(given, Given::Without(set) if set.len() == 1 && set.contains(&0) && number < 3))
    });
    assert_eq!(found(&lucky), (Verdict::ModelDefault, vec![]));
}

#[test]
fn a_statement_that_fresh_trials_do_not_need_is_left_out() {
    // Without the rule alone it holds in the first five trials, by luck: so the next one is taken for a carrier too.
    let lucky = played(search(plan(20)), |given, number| {
        held(match given {
            Given::Without(set) if set.len() == 1 => !set.contains(&0) || number < 5,
            Given::Without(set) => !set.contains(&0),
            given => *given != Given::Bare,
        })
    });
    assert_eq!(found(&lucky), (Verdict::Carried, vec![0]));
}

#[test]
fn a_set_that_is_contradicted_again_and_again_stays_unproven() {
    // Sets of two fall when they are searched for and hold when they are confirmed.
    let search = played(search(plan(3)), |given, number| {
        held(match given {
            Given::Without(set) if set.len() > 1 => number >= 3,
            given => *given != Given::Bare,
        })
    });
    let finding = search.finding();
    assert_eq!(finding.verdict, Verdict::Unproven);
    assert_eq!(finding.reason.as_deref(), Some("fresh trials contradicted the search 2 times"));
}

#[test]
fn a_case_that_falls_without_an_unrelated_rule_too_names_no_statement() {
    let search = played(search(plan(20)), |given, _| held(*given == Given::Baseline));
    assert_eq!(found(&search), (Verdict::WrongReason, vec![0]));
    // A control is no control for itself: another statement stands in for it.
    let own = |statements: usize| Plan { control: Set::from([0]), ..plan(statements) };
    let search = carried_by(own(20), &[&[0]]);
    assert_eq!(found(&search), (Verdict::Carried, vec![0]));
    assert_eq!(search.tally(&Given::Without([19].into()), None, 0), Tally { passes: 5, trials: 5 });
    assert_eq!(found(&carried_by(own(20), &[&[0], &[19]])), (Verdict::WrongReason, vec![0]));
    assert_eq!(found(&carried_by(own(1), &[&[0]])), (Verdict::Carried, vec![0]));
}

#[test]
fn nothing_is_deleted_where_nothing_holds() {
    let search = played(search(plan(20)), |_, _| held(false));
    assert_eq!((found(&search), search.asked()), ((Verdict::BaselineFailing, vec![]), 3));
    let vacuous = Plan { vacuous: vec![true], ..plan(20) };
    assert_eq!(found(&carried_by(vacuous, &[&[0]])).0, Verdict::Unproven);
}

#[test]
fn an_agent_that_can_not_be_asked_gives_an_error_and_no_verdict() {
    let errors = played(search(plan(20)), |_, _| Outcome::Error);
    assert_eq!((found(&errors).0, errors.asked()), (Verdict::Error, 3));
    // One that refuses to run without instructions: whether the model behaves so anyway is not known.
    let refuses = played(search(plan(20)), |given, _| match given {
        Given::Bare => Outcome::Error,
        _ => held(true),
    });
    assert_eq!(found(&refuses).0, Verdict::Error);
}

#[test]
fn what_can_not_be_assessed_is_neither_a_fall_nor_a_survival() {
    let search = played(search(plan(20)), |given, _| match given {
        Given::Baseline => held(true),
        _ => Outcome::Judged(vec![None]),
    });
    let finding = search.finding();
    assert_eq!((finding.verdict, finding.set.len()), (Verdict::Unproven, 0));
    assert!(finding.reason.unwrap().contains("not assessable in 3 of 3 trials"));
}

#[test]
fn a_search_that_is_stopped_names_the_smallest_set_that_fell() {
    let mut search = search(plan(64));
    loop {
        for (arm, number) in search.wanted() {
            let falls = matches!(search.given(arm), Given::Without(set) if set.contains(&0) && set.contains(&5));
            search.observe(arm, number, held(!falls));
        }
        if search.asked() > 20 {
            break;
        }
    }
    search.stop("the limit of 20 trials is reached");
    let finding = search.finding();
    assert_eq!(finding.verdict, Verdict::Unproven);
    assert_eq!(finding.set, (0..8).collect(), "the rule with what is like it");
    assert_eq!(finding.reason.as_deref(), Some("the limit of 20 trials is reached"));
    assert!(search.wanted().is_empty() && search.is_settled());
}

#[test]
fn a_loss_that_is_too_small_to_tell_stays_unproven_and_says_how_many_trials_more() {
    let search = played(search(plan(1)), |given, number| match given {
        Given::Without(_) => held(number % 4 != 0),
        _ => held(true),
    });
    let finding = search.finding();
    assert_eq!(finding.verdict, Verdict::Unproven);
    let reason = finding.reason.unwrap();
    assert!(reason.starts_with("delete is undecided after 20 trials (20/20 against 15/20)"), "{reason}");
    assert!(reason.contains("more an arm would settle it"), "{reason}");
}

#[test]
fn one_assertion_is_enough_to_fall_and_the_clearest_is_confirmed() {
    let two = Plan { assertions: 2, ..plan(20) };
    let search = played(search(two), |given, _| {
        let without = |one: usize| matches!(given, Given::Without(set) if set.contains(&one));
        Outcome::Judged(vec![Some(!without(3)), Some(!without(0))])
    });
    let finding = search.finding();
    assert_eq!((finding.verdict, finding.target), (Verdict::Carried, Some(1)));
    assert_eq!(finding.set, [0].into());
}

#[test]
fn a_set_that_can_not_be_deleted_is_passed_over() {
    let mut search = search(plan(3));
    loop {
        let mut wanted = search.wanted();
        let refused: Vec<usize> = (0..search.arms())
            .filter(|arm| matches!(search.given(*arm), Given::Without(set) if set.len() == 2))
            .collect();
        refused.iter().for_each(|arm| search.refuse(*arm, "the file would break"));
        let some = !wanted.is_empty();
        wanted.retain(|(arm, _)| !refused.contains(arm));
        for (arm, number) in wanted {
            let falls = matches!(search.given(arm), Given::Without(set) if set.contains(&0) && set.contains(&1));
            search.observe(arm, number, held(!falls));
        }
        if !some {
            break;
        }
    }
    let finding = search.finding();
    assert_eq!((finding.verdict, finding.set), (Verdict::Unproven, (0..3).collect()));
    assert_eq!(finding.reason.as_deref(), Some("the file would break"));
}

#[test]
fn the_answer_does_not_depend_on_what_finished_first() {
    let answer = |reverse: bool| {
        let mut search = search(plan(40));
        loop {
            let mut wanted = search.wanted();
            if wanted.is_empty() {
                return (search.finding(), search.asked());
            }
            if reverse {
                wanted.reverse();
            }
            for (arm, number) in wanted {
                let noise = (number + 3) % 7 == 0;
                let falls = matches!(search.given(arm), Given::Without(set) if set.contains(&0) && set.contains(&30));
                search.observe(arm, number, held(falls == noise));
            }
        }
    };
    assert_eq!(answer(false), answer(true));
    assert_eq!(answer(false).0.set, [0, 30].into());
}

/// Where every one of these is needed.
fn needs(plan: Plan, needed: &[usize]) -> Finding {
    let search = played(search(Plan { needed: true, ..plan }), |given, _| {
        held(match given {
            Given::Without(deleted) => !needed.iter().any(|one| deleted.contains(one)),
            given => *given != Given::Bare,
        })
    });
    search.finding()
}

#[test]
fn where_two_statements_are_needed_either_carries_and_both_are_enough() {
    let finding = needs(plan(40), &[0, 17]);
    assert_eq!((finding.verdict, finding.set), (Verdict::Carried, [0].into()));
    let needed = finding.needed.unwrap();
    assert_eq!((needed.settled, needed.set), (true, [0, 17].into()));
}

#[test]
fn where_either_of_two_carries_one_is_enough() {
    let search = carried_by(Plan { needed: true, ..plan(40) }, &[&[0, 2]]);
    let finding = search.finding();
    assert_eq!(finding.set, [0, 2].into());
    assert_eq!(finding.needed.unwrap().set, [0].into());
    assert_eq!(carried_by(plan(40), &[&[0, 2]]).finding().needed, None, "it is asked for only where it is wanted");
}
