//! Several writers of one file.

use std::fs::File;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::program::{BATON, Folder, PROGRAM};

const WRITERS: usize = 16;
const ROUNDS: usize = 4;

/// Runs `once(writer, round)` for every writer at once, round after round.
fn race(once: impl Fn(usize, usize) -> bool + Sync) -> usize {
    thread::scope(|scope| {
        let once = &once;
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || (0..ROUNDS).filter(|round| once(writer, *round)).count()))
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    })
}

fn patch(writer: usize, round: usize) -> String {
    format!("{{\"decision_log\": [\"Decision of {writer} in {round}\"]}}")
}

fn revision(folder: &Folder) -> u64 {
    let baton: Value = serde_json::from_str(&folder.read("b.json")).unwrap();
    let decisions = baton["decision_log"].as_array().unwrap().len() as u64;
    let revision = baton["stamp"]["revision"].as_u64().unwrap();
    assert_eq!(decisions, revision + 1, "one decision a revision, and the first");
    revision
}

#[test]
fn all_writers_in_place_land() {
    let folder = Folder::with(&[("b.json", BATON)]);
    let landed = race(|writer, round| {
        let step = format!("s{writer}");
        let words = ["apply", "b.json", "-", "--step", step.as_str(), "-i"];
        folder.run_with(&words, &patch(writer, round)).ends(0);
        true
    });
    assert_eq!((landed, revision(&folder)), (WRITERS * ROUNDS, (WRITERS * ROUNDS) as u64));
    assert_eq!(folder.documents(), ["b.json"]);
}

#[test]
fn writers_without_the_lock_lose_patches() {
    let folder = Folder::with(&[("b.json", BATON)]);
    race(|writer, round| {
        let script = format!(
            "echo '{}' | '{PROGRAM}' apply b.json - --step s{writer} 2>/dev/null > {writer}.tmp && mv {writer}.tmp b.json",
            patch(writer, round)
        );
        Command::new("sh").args(["-c", &script]).current_dir(folder.path()).status().unwrap().success()
    });
    assert!(revision(&folder) < (WRITERS * ROUNDS) as u64, "the twin that takes no lock must be caught");
}

#[test]
fn of_several_that_make_a_file_one_wins() {
    for _ in 0..4 {
        let folder = Folder::new();
        let made = race(|writer, _| {
            folder.run(&["init", "--goal", &format!("goal {writer}"), "-o", "b.json"]).code == Some(0)
        });
        assert_eq!(made, 1);
        assert_eq!(folder.documents(), ["b.json"]);
    }
}

#[test]
fn a_lock_is_waited_for_and_not_for_ever() {
    let folder = Folder::with(&[("d.json", "{}"), ("p.json", "{\"a\": 1}")]);
    let words = ["merge", "d.json", "p.json", "-i", "--report", "json"];
    let held = File::open(folder.at("d.json")).unwrap();
    held.lock().unwrap();
    let ran = folder.run(&words).ends(5);
    let report = ran.report();
    assert_eq!(
        (&report["refusals"][0]["code"], &report["refusals"][0]["action"]),
        (&"io.write".into(), &"wait".into())
    );
    assert_eq!(folder.read("d.json"), "{}");
    let waiting = thread::scope(|scope| {
        let waiting = scope.spawn(|| folder.run(&words));
        thread::sleep(Duration::from_millis(300));
        held.unlock().unwrap();
        waiting.join().unwrap()
    });
    waiting.ends(0);
    assert!(folder.read("d.json").contains("\"a\""));
}

#[test]
fn every_post_of_several_is_there_once() {
    let folder = crate::boards::begun();
    let posted = race(|writer, round| {
        let data = format!("[{writer}, {round}]");
        let agent = format!("agent-{writer}");
        folder.run(&["post", "k", &data, "--as", &agent, "--everyone"]).code == Some(0)
    });
    assert_eq!(posted, WRITERS * ROUNDS);
    let log = folder.run(&["log", "--kind", "fact", "--json"]).ends(0).out;
    let data = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["data"].to_string();
    let all: std::collections::BTreeSet<String> = log.lines().map(data).collect();
    assert_eq!(all.len(), posted);
    folder.run(&["verify", "--replay"]).ends(0);
}

#[test]
fn a_board_that_several_begin_begins_once() {
    let folder = Folder::new();
    let words = ["init", "--goal", "g", "--tenant", "t", "--task", "k", "--board", "x.board"];
    let begun = race(|_, _| folder.run(&words).code == Some(0));
    assert_eq!(begun, WRITERS * ROUNDS, "who comes later finds what was begun");
    let told = ["--board", "x.board", "--tenant", "t", "--task", "k"];
    assert_eq!(folder.run(&[&["log"][..], &told].concat()).ends(0).out.lines().count(), 1);
    folder.run(&[&["verify", "--replay"][..], &told].concat()).ends(0);
}
