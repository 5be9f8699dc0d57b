//! Tasks whose program is killed at any moment: what was done is not done again, and the end is the same.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::faults::can_inject;
use crate::program::{Folder, PROGRAM, Ran};
use crate::tasks::{approval, pending, run, sent, story};

const RUN: [&str; 6] = ["run", "charter.toml", "--input", "brief.json", "--person", "kim"];

/// Runs the program until its main thread makes the call `call` for the `number`th time; whether it was killed there.
fn killed(folder: &Folder, call: &str, number: usize, words: &[&str]) -> bool {
    let inject = format!("inject={call}:signal=KILL:when={number}");
    let ran = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject, PROGRAM])
        .args(words)
        .current_dir(folder.path())
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("BATON_BY")
        .env_remove("BATON_BOARD")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    ran.status.signal() == Some(9)
}

/// Goes on as people would, until the task is over; gives how often a call was in doubt.
fn go_on(folder: &Folder) -> usize {
    let mut doubts = 0;
    for _ in 0..20 {
        // What the killed program had started may still be at it.
        thread::sleep(Duration::from_millis(60));
        let ran = if folder.at("baton.json").exists() { folder.run(&["resume"]) } else { run(folder) };
        match ran.code {
            Some(0) => {
                assert_eq!(ran.json()["report"]["verdict"], "good");
                return doubts;
            }
            Some(6) => doubts += decide(folder),
            Some(1) if ran.err.contains("run.none") => drop(run(folder)),
            Some(1) if ran.err.contains("run.under_way") => {}
            _ => panic!("{ran:?}"),
        }
    }
    panic!("it does not end");
}

fn decide(folder: &Folder) -> usize {
    let waiting = pending(folder);
    for approval in waiting["approvals"].as_array().unwrap() {
        folder.run(&["approve", approval["id"].as_str().unwrap(), "--by", "kim"]).ends(0);
    }
    let doubts = waiting["doubts"].as_array().unwrap();
    for doubt in doubts {
        let end = if sent(folder) == 1 { "--happened" } else { "--did-not-happen" };
        folder.run(&["resolve", doubt["short"].as_str().unwrap(), end, "--by", "kim"]).ends(0);
    }
    doubts.len()
}

fn check(folder: &Folder, doubts: usize, what: &str) {
    assert!(sent(folder) == 1 || doubts == 1 && sent(folder) == 0, "{what}: sent {} times", sent(folder));
    folder.run(&["verify", "--replay"]).ends(0);
    assert!(pending(folder)["approvals"].as_array().unwrap().is_empty());
}

#[test]
fn a_task_that_nobody_carries_out_is_told_of() {
    let folder = story();
    std::fs::write(folder.at("planner"), "#!/bin/sh\nexec sleep 3\n").unwrap();
    let mut child = folder.program(&RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut waits = folder.run(&["pending"]);
    for _ in 0..200 {
        if waits.code == Some(0) {
            break;
        }
        thread::sleep(Duration::from_millis(20));
        waits = folder.run(&["pending"]);
    }
    assert_eq!(waits.out, "a task is under way, and a process carries it out\n", "{waits:?}");
    assert_eq!(pending(&folder)["carried_out"], true);
    child.kill().unwrap();
    child.wait().unwrap();
    let waits = folder.run(&["pending"]).ends(0);
    assert_eq!(waits.out, "a task is under way and nobody carries it out: baton-patch resume\n");
    assert_eq!(pending(&folder)["carried_out"], false);
}

#[test]
fn a_run_that_is_killed_at_any_record_goes_on() {
    if !can_inject() {
        return;
    }
    let mut kills = 0;
    for call in ["fdatasync", "fsync"] {
        for number in 1..100 {
            let folder = story();
            if !killed(&folder, call, number, &RUN) {
                break;
            }
            kills += 1;
            let doubts = go_on(&folder);
            assert_eq!(doubts, 0);
            check(&folder, doubts, &format!("{call} {number}"));
        }
    }
    assert!(kills > 8, "{kills} kills only");
    println!("{kills} kills injected");
}

#[test]
fn a_resume_that_is_killed_at_any_record_goes_on() {
    if !can_inject() {
        return;
    }
    let (mut kills, mut doubtful) = (0, 0);
    for call in ["fdatasync", "pwrite64"] {
        for number in 1..100 {
            let folder = story();
            run(&folder).ends(6);
            folder.run(&["approve", &approval(&folder), "--by", "kim"]).ends(0);
            if !killed(&folder, call, number, &["resume"]) {
                break;
            }
            kills += 1;
            let doubts = go_on(&folder);
            doubtful += doubts;
            check(&folder, doubts, &format!("{call} {number}"));
        }
    }
    assert!(kills > 8 && doubtful > 0, "{kills} kills, {doubtful} calls in doubt");
    println!("{kills} kills injected, {doubtful} calls in doubt");
}

#[test]
fn a_kill_at_any_moment_is_gone_on_from() {
    let mut killed = 0;
    for round in 0..12_u64 {
        let folder = story();
        let mut child =
            folder.program(&RUN).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(5 + round * 17));
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().signal() == Some(9));
        let doubts = go_on(&folder);
        check(&folder, doubts, &format!("round {round}"));
    }
    assert!(killed > 0, "no kill came in time");
}

#[test]
fn of_two_that_go_on_at_once_one_does() {
    for _ in 0..4 {
        let folder = story();
        run(&folder).ends(6);
        folder.run(&["approve", &approval(&folder), "--by", "kim"]).ends(0);
        let ran: Vec<Ran> = thread::scope(|scope| {
            let both: Vec<_> = (0..3).map(|_| scope.spawn(|| folder.run(&["resume", "--report", "json"]))).collect();
            both.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(sent(&folder), 1);
        assert!(ran.iter().any(|ran| ran.code == Some(0)), "{ran:?}");
        for ran in ran.iter().filter(|ran| ran.code != Some(0)) {
            let last: Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
            assert_eq!((ran.code, &last["refusals"][0]["code"]), (Some(1), &Value::from("run.under_way")));
        }
        assert!(fs::metadata(folder.at("baton.json")).is_ok());
    }
}

#[test]
fn a_task_on_a_server_is_carried_out_by_several_and_the_effect_comes_once() {
    let Some(url) = relay_baton_postgres_server::url().unwrap() else { return };
    let folder = story();
    let at = |words: &[&str]| folder.run(&[words, &["--board", &url]].concat());
    let ran = at(&RUN).ends(6);
    assert!(ran.err.contains("--board BOARD") && !ran.err.contains("://"), "the address is not told: {ran:?}");
    let waiting = at(&["pending", "--format", "json"]).ends(0).json();
    at(&["approve", waiting["approvals"][0]["id"].as_str().unwrap(), "--by", "kim"]).ends(0);
    let raced: Vec<Ran> = thread::scope(|scope| {
        let all: Vec<_> = (0..3).map(|_| scope.spawn(|| at(&["resume"]))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for ran in &raced {
        let lost = ran.code == Some(1) && ran.err.contains("run.moved");
        assert!(lost || matches!(ran.code, Some(0 | 6)), "{ran:?}");
    }
    for _ in 0..4 {
        let waiting = at(&["pending", "--format", "json"]).ends(0).json();
        for doubt in waiting["doubts"].as_array().unwrap() {
            let end = if sent(&folder) == 1 { "--happened" } else { "--did-not-happen" };
            at(&["resolve", doubt["short"].as_str().unwrap(), end, "--by", "kim"]).ends(0);
        }
        if at(&["resume"]).code == Some(0) {
            break;
        }
    }
    at(&["resume"]).ends(0);
    assert!(sent(&folder) <= 1, "sent {} times", sent(&folder));
    at(&["verify", "--replay"]).ends(0);
}
