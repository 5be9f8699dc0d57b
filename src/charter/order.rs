//! The order of subtasks: each after those that it waits for, else as they stand in the file.

use std::collections::{BTreeMap, BTreeSet};

use super::Subtask;
use crate::baton::Id;

/// Places of the subtasks in the order in which they can be done.
///
/// # Errors
/// The ids of a circle, each of which waits for the next, and the last for the first.
pub(super) fn order(subtasks: &[Subtask]) -> Result<Vec<usize>, Vec<Id>> {
    let waits: Vec<BTreeSet<usize>> = waits(subtasks);
    let mut left: Vec<usize> = waits.iter().map(BTreeSet::len).collect();
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); subtasks.len()];
    for (place, before) in waits.iter().enumerate() {
        for earlier in before {
            followers.get_mut(*earlier).into_iter().for_each(|list| list.push(place));
        }
    }
    let mut ready: BTreeSet<usize> =
        left.iter().enumerate().filter(|(_, left)| **left == 0).map(|(place, _)| place).collect();
    let mut ordered = Vec::with_capacity(subtasks.len());
    while let Some(place) = ready.pop_first() {
        ordered.push(place);
        for follower in followers.get(place).into_iter().flatten() {
            let Some(left) = left.get_mut(*follower) else { continue };
            *left = left.saturating_sub(1);
            if *left == 0 {
                ready.insert(*follower);
            }
        }
    }
    if ordered.len() == subtasks.len() { Ok(ordered) } else { Err(circle(subtasks, &waits, &ordered)) }
}

/// For each subtask the places of those that it waits for.
fn waits(subtasks: &[Subtask]) -> Vec<BTreeSet<usize>> {
    let ids: BTreeMap<&Id, usize> = subtasks.iter().enumerate().map(|(place, subtask)| (&subtask.id, place)).collect();
    let made = subtasks.iter().enumerate();
    let producers: BTreeMap<&Id, usize> =
        made.filter_map(|(place, subtask)| Some((subtask.produces.as_ref()?, place))).collect();
    let of = |subtask: &Subtask| {
        let after = subtask.after.iter().filter_map(|id| ids.get(id));
        after.chain(subtask.consumes.iter().filter_map(|key| producers.get(key))).copied().collect()
    };
    subtasks.iter().map(of).collect()
}

/// One circle among the subtasks that are not `done`: each of them waits for another of them.
fn circle(subtasks: &[Subtask], waits: &[BTreeSet<usize>], done: &[usize]) -> Vec<Id> {
    let done: BTreeSet<usize> = done.iter().copied().collect();
    let Some(mut at) = (0..subtasks.len()).find(|place| !done.contains(place)) else { return Vec::new() };
    let mut way: Vec<usize> = Vec::new();
    while !way.contains(&at) {
        way.push(at);
        let next = waits.get(at).and_then(|before| before.iter().find(|place| !done.contains(place)));
        let Some(next) = next else { break };
        at = *next;
    }
    let round = way.iter().skip_while(|place| **place != at);
    round.filter_map(|place| subtasks.get(*place)).map(|subtask| subtask.id.clone()).collect()
}
