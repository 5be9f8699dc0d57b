#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as _;

use super::Status::{Done, Failed, Running, Skipped, Waiting};
use super::*;
use crate::fixture::{ids, said, strategy, subtask};

/// brief → plan → (build, test) → ship, and a note that waits for nothing.
fn ship() -> Strategy {
    strategy([
        subtask("plan", "brief", "plan", ""),
        subtask("build", "plan", "binary", ""),
        subtask("test", "plan", "report", "build"),
        subtask("ship", "binary report", "", "test"),
        subtask("note", "", "", ""),
    ])
}

fn progress(statuses: &[Status]) -> Vec<Progress> {
    statuses.iter().map(|status| Progress { status: *status, gap: None }).collect()
}

fn statuses(progress: &[Progress]) -> Vec<Status> {
    progress.iter().map(|own| own.status).collect()
}

#[test]
fn a_subtask_is_ready_once_all_that_it_waits_for_is_done() {
    let strategy = ship();
    for (statuses, expected) in [
        ([Waiting, Waiting, Waiting, Waiting, Waiting], vec![0, 4]),
        ([Running, Waiting, Waiting, Waiting, Done], vec![]),
        ([Done, Waiting, Waiting, Waiting, Done], vec![1]),
        ([Done, Done, Waiting, Waiting, Done], vec![2]),
        ([Done, Done, Done, Waiting, Running], vec![3]),
        ([Done, Waiting, Done, Waiting, Done], vec![1]),
        ([Failed, Waiting, Waiting, Waiting, Done], vec![]),
        ([Skipped, Waiting, Waiting, Waiting, Failed], vec![]),
        ([Done, Done, Done, Done, Done], vec![]),
    ] {
        assert_eq!(ready(&strategy, &progress(&statuses)), expected, "{statuses:?}");
    }
    assert_eq!(ready(&strategy, &[]), [0, 4], "what no progress is told of waits");
}

#[test]
fn what_misses_its_data_is_skipped_with_all_that_wait_for_it() {
    let (strategy, mut found) = (ship(), progress(&[Waiting; 5]));
    let traces = skip(&strategy, &mut found, 0, ids("brief"));
    assert_eq!(statuses(&found), [Skipped, Skipped, Skipped, Skipped, Waiting]);
    let gap = |missing: &str, because: &str| Some(Gap { missing: ids(missing), because: ids(because) });
    let gaps: Vec<Option<Gap>> = found.iter().map(|own| own.gap.clone()).collect();
    assert_eq!(
        gaps,
        [gap("brief", ""), gap("plan", "plan"), gap("plan", "plan build"), gap("binary report", "build test"), None]
    );
    let skipped = |name: &str| format!(r#"subtask_skipped {{"subtask":"{name}","agent":"worker"}}"#);
    let recorded = |name: &str, missing: &str, because: &str| {
        format!(r#"gap_recorded {{"subtask":"{name}","missing":[{missing}],"because":[{because}]}}"#)
    };
    assert_eq!(
        said(&traces),
        [
            skipped("plan"),
            recorded("plan", r#""brief""#, ""),
            skipped("build"),
            recorded("build", r#""plan""#, r#""plan""#),
            skipped("test"),
            recorded("test", r#""plan""#, r#""plan","build""#),
            skipped("ship"),
            recorded("ship", r#""binary","report""#, r#""build","test""#),
        ]
    );
    assert!(!is_over(&found), "the note does not wait for it");
    assert_eq!(ready(&strategy, &found), [4]);
}

#[test]
fn what_waits_for_a_failure_is_skipped_and_the_rest_goes_on() {
    let (strategy, mut found) = (ship(), progress(&[Done, Running, Waiting, Waiting, Running]));
    let traces = fail(&strategy, &mut found, 1);
    assert_eq!(statuses(&found), [Done, Failed, Skipped, Skipped, Running]);
    assert_eq!(found[1].gap, None, "it was begun");
    assert_eq!(
        found[2].gap,
        Some(Gap { missing: vec![], because: ids("build") }),
        "it comes after, and consumes nothing of it"
    );
    assert_eq!(found[3].gap, Some(Gap { missing: ids("binary report"), because: ids("build test") }));
    assert_eq!(traces.len(), 4);
    assert!(!is_over(&found));
    assert_eq!(fail(&strategy, &mut found, 4), vec![], "nobody waits for the note");
    assert!(is_over(&found));
}

#[test]
fn a_chain_written_backwards_is_skipped_to_its_end() {
    let strategy = strategy([subtask("c", "", "", "b"), subtask("b", "", "", "a"), subtask("a", "", "", "")]);
    let mut found = progress(&[Waiting; 3]);
    assert_eq!(skip(&strategy, &mut found, 2, vec![]).len(), 6);
    assert_eq!((statuses(&found), is_over(&found)), (vec![Skipped; 3], true));
}

#[test]
fn what_is_begun_or_over_is_not_skipped_and_what_is_over_does_not_fail() {
    let strategy = ship();
    for status in [Running, Done, Failed, Skipped] {
        let mut found = progress(&[status, Waiting, Waiting, Waiting, Waiting]);
        let before = found.clone();
        assert_eq!((skip(&strategy, &mut found, 0, ids("brief")), &found), (vec![], &before), "{status:?}");
        if status != Running {
            assert_eq!((fail(&strategy, &mut found, 0), &found), (vec![], &before), "{status:?}");
        }
    }
    let mut found = progress(&[Waiting; 5]);
    for index in [5, usize::MAX] {
        assert_eq!((skip(&strategy, &mut found, index, vec![]), fail(&strategy, &mut found, index)), (vec![], vec![]));
    }
    assert_eq!(found, progress(&[Waiting; 5]));
}

#[test]
fn progress_comes_back_as_it_was_saved() {
    let (strategy, mut found) = (ship(), progress(&[Waiting; 5]));
    skip(&strategy, &mut found, 1, ids("plan"));
    let saved = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Progress>>(&saved).unwrap(), found);
    assert!(saved.starts_with(r#"[{"status":"waiting"},{"status":"skipped","gap":{"missing":["plan"],"because":[]}}"#));
    for status in [Waiting, Running, Done, Failed, Skipped] {
        assert_eq!(serde_json::to_string(&status).unwrap(), format!("\"{}\"", status.name()));
    }
}

/// A strategy of as many subtasks, each after some of those before it, and each producing what the next few may consume.
fn graphs() -> impl proptest::strategy::Strategy<Value = Strategy> {
    let node = (any::<u8>(), any::<u8>());
    prop::collection::vec(node, 1..8).prop_map(|nodes| {
        let chosen = |mask: u8, count: usize, letter: &str| {
            let names = (0..count).filter(|bit| mask >> bit & 1 == 1).map(|bit| format!("{letter}{bit}"));
            names.collect::<Vec<_>>().join(" ")
        };
        strategy(nodes.into_iter().enumerate().map(|(number, (after, consumes))| {
            let produces = if number % 2 == 0 { format!("d{number}") } else { String::new() };
            subtask(&format!("s{number}"), &chosen(consumes, number, "d"), &produces, &chosen(after, number, "s"))
        }))
    })
}

proptest! {
    #[test]
    fn every_run_comes_to_an_end_in_order(graph in graphs(), choices in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4), 64)) {
        let mut found = vec![Progress::default(); graph.subtasks.len()];
        let (mut choices, mut begun) = (choices.into_iter(), 0);
        while !is_over(&found) {
            let (index, what) = choices.next().unwrap();
            let ready = ready(&graph, &found);
            prop_assert!(!ready.is_empty(), "something is left, and nothing can begin");
            let index = ready[index.index(ready.len())];
            let before: Vec<usize> = blockers(&graph, &graph.subtasks[index]).collect();
            prop_assert!(before.iter().all(|other| found[*other].status == Done));
            match what {
                0 => { skip(&graph, &mut found, index, ids("x")); }
                1 => { begun += 1; fail(&graph, &mut found, index); }
                _ => { begun += 1; found[index].status = Done; }
            }
            // What can never begin says so at once, and why.
            for (index, own) in found.iter().enumerate() {
                let stuck = blockers(&graph, &graph.subtasks[index]).any(|other| matches!(found[other].status, Failed | Skipped));
                prop_assert!(!stuck || own.status == Skipped);
                prop_assert_eq!(own.gap.is_some(), own.status == Skipped);
            }
        }
        prop_assert_eq!(begun, found.iter().filter(|own| own.status != Skipped).count());
    }
}
