//! The program killed at every step of a write to a board: the same command again brings it to its end, and nothing is
//! there twice, in part, or lost.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use crate::entries::relayed;
use crate::faults::can_inject;
use crate::program::{Folder, PROGRAM, Ran};

/// The system calls that change files. (What the C library calls itself differs.)
const CALLS: [&str; 10] =
    ["pwrite64", "write", "fsync", "fdatasync", "ftruncate", "rename", "renameat2", "unlink", "flock", "fcntl"];

/// Calls of one kind that a run is expected to make at most.
const CALLS_MAX: usize = 200;

/// Kills `words` at every one of its calls, each time in a folder that `prepare` makes; returns how often that happened.
fn campaign(words: &[&str], prepare: impl Fn() -> Folder, then: impl Fn(&Folder)) -> usize {
    let mut happened = 0;
    for call in CALLS {
        for number in 1..=CALLS_MAX {
            let folder = prepare();
            let inject = format!("inject={call}:signal=KILL:when={number}");
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject, PROGRAM]);
            command.args(words).current_dir(folder.path()).env_remove("BATON_BOARD").env_remove("LD_LIBRARY_PATH");
            let output = command.stdin(Stdio::null()).output().unwrap();
            if output.status.signal() != Some(9) {
                assert_eq!(output.status.code(), Some(0), "{call} {number}: {output:?}");
                break;
            }
            assert!(number < CALLS_MAX, "more calls of {call} than were looked at");
            happened += 1;
            then(&folder);
        }
    }
    println!("{happened} kills injected");
    happened
}

fn count(folder: &Folder) -> usize {
    folder.run(&["verify", "--replay"]).ends(0);
    folder.run(&["log"]).ends(0).out.lines().count()
}

#[test]
fn a_beginning_that_was_killed_is_taken_up() {
    if !can_inject() {
        return;
    }
    let words = ["init", "--goal", "g", "--tenant", "t", "--task", "k", "-o", "baton.json"];
    let happened = campaign(&words, Folder::new, |folder| {
        let is_there = folder.at("baton.json").exists();
        let again: Ran = folder.run(&words);
        assert_eq!(again.code, Some(if is_there { 5 } else { 0 }), "{again:?}");
        assert_eq!(count(folder), 1);
        folder.run(&["check", "baton.json"]).ends(0);
        folder.run_with(&["apply", "-i", "baton.json", "-", "--step", "x"], "{\"current_state\": \"y\"}").ends(0);
    });
    assert!(happened > 20, "{happened}");
}

#[test]
fn a_post_that_was_killed_is_posted_once() {
    if !can_inject() {
        return;
    }
    let words = ["post", "k", "1", "--as", "a", "--idempotency-key", "once"];
    let happened = campaign(&words, relayed, |folder| {
        folder.run(&words).ends(0);
        assert_eq!(count(folder), 5);
    });
    assert!(happened > 3, "{happened}");
}

#[test]
fn an_import_that_was_killed_is_taken_up() {
    if !can_inject() {
        return;
    }
    let export = relayed().run(&["export"]).ends(0).out;
    let words = ["import", "task.jsonl", "--board", "copy.board"];
    let happened = campaign(
        &words,
        || Folder::with(&[("task.jsonl", &export)]),
        |folder| {
            folder.run(&words).ends(0);
            let told = ["--board", "copy.board", "--tenant", "acme", "--task", "login"];
            assert_eq!(folder.run(&[&["export"][..], &told].concat()).ends(0).out, export);
        },
    );
    assert!(happened > 20, "{happened}");
}

#[test]
fn a_checkout_that_was_killed_leaves_a_whole_file() {
    if !can_inject() {
        return;
    }
    let old = |folder: &Folder| folder.run(&["checkout", "1"]).ends(0).out;
    let happened = campaign(&["checkout", "1", "-i"], relayed, |folder| {
        let found = folder.read("baton.json");
        assert!(found == old(folder) || found == folder.run(&["checkout", "newest"]).ends(0).out, "{found}");
        folder.run(&["checkout", "1", "-i"]).ends(0);
        assert_eq!(folder.read("baton.json"), old(folder));
        let _ = fs::metadata(folder.at("baton.board")).unwrap();
    });
    assert!(happened > 3, "{happened}");
}
