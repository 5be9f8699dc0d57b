use std::time::Instant;
use std::{env, fs, process};

use super::*;

/// Two queues on one new file.
fn two(name: &str) -> (Queue, Queue) {
    let path = env::temp_dir().join(format!("relay-baton-queue-{name}-{}", process::id()));
    let _ = fs::remove_file(&path);
    (Queue::new(path.clone()), Queue::new(path))
}

#[test]
fn a_turn_is_one_writers_until_it_leaves() {
    let (mut one, mut two) = two("leave");
    let turn = one.enter();
    assert!(turn.is_some());
    let other = thread::spawn(move || (two.enter().is_some(), Instant::now()));
    thread::sleep(Duration::from_millis(60));
    let left = Instant::now();
    one.leave(turn);
    let (got, at) = other.join().unwrap();
    assert!(got && at >= left);
    fs::remove_file(one.path()).unwrap();
}

#[test]
fn a_kept_turn_is_had_again_before_all_others() {
    let (mut one, mut two) = two("keep");
    let turn = one.enter();
    let other = thread::spawn(move || (two.enter().is_some(), Instant::now()));
    thread::sleep(Duration::from_millis(30));
    one.keep(turn);
    thread::sleep(Duration::from_millis(30));
    let turn = one.enter();
    let again = Instant::now();
    assert!(turn.is_some());
    one.leave(turn);
    let (got, at) = other.join().unwrap();
    assert!(got && at >= again);
    fs::remove_file(one.path()).unwrap();
}

#[test]
fn a_kept_turn_ends_by_itself() {
    let (mut one, mut two) = two("lapse");
    let turn = one.enter();
    one.keep(turn);
    let start = Instant::now();
    let turn = two.enter();
    assert!(turn.is_some() && start.elapsed() < WAIT_MAX, "{:?}", start.elapsed());
    two.leave(turn);
    assert!(one.enter().is_some(), "who kept it too long queues again");
    fs::remove_file(one.path()).unwrap();
}

#[test]
fn a_handle_that_goes_ends_its_turn() {
    let (mut one, mut two) = two("drop");
    let turn = one.enter();
    one.keep(turn);
    drop(one);
    let start = Instant::now();
    assert!(two.enter().is_some());
    assert!(start.elapsed() < KEPT_MAX, "{:?}", start.elapsed());
    fs::remove_file(two.path()).unwrap();
}

#[test]
fn who_had_to_wait_lets_others_go_first() {
    let (mut one, mut two) = two("away");
    let turn = one.enter();
    let waiting = thread::spawn(move || {
        let turn = two.enter();
        two.leave(turn);
        let start = Instant::now();
        let turn = two.enter();
        (turn.is_some(), start.elapsed())
    });
    thread::sleep(Duration::from_millis(60));
    one.leave(turn);
    let start = Instant::now();
    let turn = one.enter();
    one.leave(turn);
    let unhindered = start.elapsed();
    let (got, away) = waiting.join().unwrap();
    assert!(got && away >= Duration::from_millis(20), "{away:?}");
    assert!(unhindered < WAIT_MAX, "{unhindered:?}");
    fs::remove_file(one.path()).unwrap();
}

#[test]
fn nobody_waits_for_a_turn_for_ever_and_a_late_one_is_given_back() {
    let (mut one, mut two) = two("late");
    let turn = one.enter();
    let start = Instant::now();
    assert!(two.enter().is_none());
    assert!(start.elapsed() >= WAIT_MAX);
    one.leave(turn);
    thread::sleep(Duration::from_millis(50));
    assert!(one.enter().is_some(), "the turn that came too late was not kept");
    fs::remove_file(one.path()).unwrap();
}

#[test]
fn without_a_file_there_is_no_turn() {
    let mut queue = Queue::new(PathBuf::from("/nowhere/at/all"));
    assert!(queue.enter().is_none());
}

#[cfg(unix)]
#[test]
fn the_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let (mut one, _) = two("mode");
    let turn = one.enter();
    assert_eq!(fs::metadata(one.path()).unwrap().permissions().mode() & 0o777, 0o600);
    one.leave(turn);
    fs::remove_file(one.path()).unwrap();
}
