//! `apply` at a board: the board first, then the file.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{Folder, Ran};

/// A baton with its board.
pub(crate) fn begun() -> Folder {
    let folder = Folder::new();
    folder.run(&["init", "--goal", "Ship it", "--constraint", "No new API", "-o", "baton.json"]).ends(0);
    folder
}

pub(crate) fn apply(folder: &Folder, step: &str, answer: &str, more: &[&str]) -> Ran {
    let words = [&["apply", "-i", "baton.json", "-", "--step", step, "--report", "json"], more].concat();
    folder.run_with(&words, answer)
}

/// How many entries the board has.
pub(crate) fn entries(folder: &Folder) -> usize {
    folder.run(&["log", "--json"]).ends(0).out.lines().count()
}

pub(crate) fn baton(folder: &Folder) -> Value {
    serde_json::from_str(&folder.read("baton.json")).unwrap()
}

#[test]
fn branches_from_one_baton_all_land() {
    let folder = begun();
    for step in ["a", "b", "c"] {
        fs::copy(folder.at("baton.json"), folder.at(format!("{step}.json"))).unwrap();
    }
    for step in ["a", "b", "c"] {
        let file = format!("{step}.json");
        let answer = format!("{{\"decision_log\": [\"{step}\"], \"notes\": {{\"{step}\": 1}}}}");
        let words = ["apply", "-i", &file, "-", "--step", step, "--by", step, "--board", "baton.board"];
        folder.run_with(&words, &answer).ends(0);
    }
    let last: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    assert_eq!(last["decision_log"].as_array().unwrap().len(), 3);
    assert_eq!(last["notes"], json!({"a": 1, "b": 1, "c": 1}));
    // The file that the board stands beside is brought up to date by the next look at it.
    let looked = folder.run(&["render", "baton.json", "--report", "json"]).ends(0);
    assert_eq!(looked.codes(), ["board.healed"]);
    assert_eq!(baton(&folder), last);
    assert_eq!(folder.run(&["check", "baton.json", "--report", "json"]).ends(0).codes(), [""; 0]);
    // A branch that is behind stays where it is.
    let branch: Value = serde_json::from_str(&folder.read("a.json")).unwrap();
    assert_eq!(branch["stamp"]["revision"], 1);
}

#[test]
fn a_conflict_names_the_step_and_changes_nothing() {
    let folder = begun();
    apply(&folder, "build", r#"{"notes": "mine"}"#, &["--by", "builder"]).ends(0);
    let before = (folder.read("baton.json"), entries(&folder));
    let ran = apply(&folder, "review", r#"{"notes": "other"}"#, &["--base", "0"]).ends(4);
    assert_eq!(ran.codes(), ["base.conflict"]);
    assert!(ran.err.contains("step `build` by `builder` made it"), "{ran:?}");
    assert_eq!((folder.read("baton.json"), entries(&folder)), before);
}

#[test]
fn a_crash_between_board_and_file_is_healed() {
    for heal in ["apply", "apply again", "render", "check"] {
        let folder = begun();
        let answer = r#"{"decision_log": ["Use Rust"]}"#;
        let old = folder.read("baton.json");
        apply(&folder, "build", answer, &[]).ends(0);
        let new = folder.read("baton.json");
        // What the file was before the crash.
        fs::write(folder.at("baton.json"), &old).unwrap();
        match heal {
            "apply" => drop(apply(&folder, "test", r#"{"open_questions": ["Ready?"]}"#, &[]).ends(0)),
            "apply again" => assert_eq!(apply(&folder, "build", answer, &[]).ends(0).codes(), ["replayed"]),
            look => drop(folder.run(&[look, "baton.json"]).ends(0)),
        }
        if heal == "apply" {
            assert_eq!(baton(&folder)["decision_log"].as_array().unwrap().len(), 1);
            assert_eq!(baton(&folder)["stamp"]["revision"], 2);
        } else {
            assert_eq!(folder.read("baton.json"), new, "{heal}");
        }
    }
}

#[test]
fn the_same_answer_later_does_not_turn_the_file_back() {
    let folder = begun();
    let answer = r#"{"decision_log": ["Use Rust"]}"#;
    apply(&folder, "build", answer, &[]).ends(0);
    apply(&folder, "test", r#"{"current_state": ["Tested"]}"#, &[]).ends(0);
    let before = (folder.read("baton.json"), entries(&folder));
    let again = apply(&folder, "build", answer, &[]).ends(0);
    assert_eq!((again.report()["revision"].clone(), again.report()["replayed"].clone()), (json!(1), json!(true)));
    assert_eq!((folder.read("baton.json"), entries(&folder)), before);
    // What is printed is what came of it then.
    let printed = folder.run_with(&["apply", "baton.json", "-", "--step", "build"], answer).ends(0);
    assert_eq!(printed.json()["stamp"]["revision"], 1);
}

#[test]
fn an_answer_can_be_given_again_as_a_new_one() {
    let folder = begun();
    let (red, green) = (r#"{"current_state": ["red"]}"#, r#"{"current_state": ["green"]}"#);
    apply(&folder, "test", red, &[]).ends(0);
    apply(&folder, "fix", green, &[]).ends(0);
    let swallowed = apply(&folder, "test", red, &[]).ends(0);
    assert_eq!(swallowed.codes(), ["replayed"]);
    assert!(swallowed.err.contains("again"), "{swallowed:?}");
    assert_eq!(baton(&folder)["current_state"], json!(["green"]));
    apply(&folder, "test", red, &["--again"]).ends(0);
    assert_eq!((baton(&folder)["current_state"].clone(), entries(&folder)), (json!(["red"]), 4));
    // Without a board too.
    let plain = Folder::with(&[("baton.json", "{\"goal\": \"Ship it\"}")]);
    for (more, revision) in [(&[][..], 1), (&[], 1), (&["--again"], 2)] {
        apply(&plain, "test", red, more).ends(0);
        assert_eq!(baton(&plain)["stamp"]["revision"], revision);
    }
}

#[test]
fn a_lost_board_is_begun_anew_only_when_asked() {
    let folder = begun();
    apply(&folder, "build", r#"{"decision_log": ["Use Rust"]}"#, &[]).ends(0);
    let words = ["--begin", "--board", "baton.board"];
    let there = apply(&folder, "x", r#"{"current_state": ["x"]}"#, &words).ends(1);
    assert_eq!(there.codes(), ["board.not_empty"]);
    for name in folder.names().iter().filter(|name| name.contains(".board")) {
        fs::remove_file(folder.at(name)).unwrap();
    }
    let missing = apply(&folder, "x", r#"{"current_state": ["x"]}"#, &[]).ends(1);
    assert_eq!(missing.codes(), ["board.missing"]);
    let looked = folder.run(&["render", "baton.json", "--report", "json"]).ends(0);
    assert_eq!(looked.codes(), ["board.missing"], "a prompt without its board says so");
    apply(&folder, "x", r#"{"current_state": ["x"]}"#, &words).ends(0);
    assert_eq!((baton(&folder)["decision_log"][0]["decision"].clone(), entries(&folder)), (json!("Use Rust"), 2));
    folder.run(&["verify", "--replay"]).ends(0);
}

#[test]
fn a_copy_is_held_against_the_board_that_is_named() {
    let folder = begun();
    fs::copy(folder.at("baton.json"), folder.at("copy.json")).unwrap();
    apply(&folder, "build", r#"{"current_state": ["Built"]}"#, &[]).ends(0);
    let before = folder.read("copy.json");
    for verb in ["render", "check"] {
        let ran = folder.run(&[verb, "copy.json", "--board", "baton.board", "--report", "json"]).ends(0);
        assert_eq!(ran.codes(), ["board.newer"]);
    }
    assert_eq!(folder.read("copy.json"), before, "a branch stays where it is");
    fs::write(folder.at("copy.json"), before.replace("No new API", "Any API")).unwrap();
    let ran = folder.run(&["render", "copy.json", "--board", "baton.board", "--report", "json"]).ends(1);
    assert_eq!(ran.codes(), ["board.edited"]);
    let told = folder.run(&["render", "copy.json", "--board", "baton.board"]).ends(1);
    assert!(told.err.contains("--edited --step STEP --board baton.board"), "{told:?}");
}

#[test]
fn what_the_operator_has_to_mend_is_not_sent_to_the_agent() {
    let folder = begun();
    let secret = folder.run(&["post", "finding", "1", "--as", "builder"]).ends(0).out.trim().to_owned();
    let words = ["--by", "builder", "--derived-from", &secret, "--correction", "again.md"];
    apply(&folder, "build", r#"{"current_state": ["Built"]}"#, &words).ends(1);
    assert!(!folder.at("again.md").exists());
    let wrong = apply(&folder, "build", r#"{"constraints": []}"#, &["--correction", "again.md"]).ends(1);
    assert!(folder.at("again.md").exists(), "{wrong:?}");
    let people = folder.run_with(&["apply", "-i", "baton.json", "-", "--step", "x"], r#"{"constraints": []}"#).ends(1);
    assert!(people.err.contains("--allow constraints"), "{people:?}");
}

/// An edit that lowering would make something else of is refused, and the file stays as its author left it.
#[test]
fn a_copy_of_another_ending_is_left_alone() {
    let folder = begun();
    fs::copy(folder.at("baton.json"), folder.at("baton.before")).unwrap();
    let before = folder.read("baton.before");
    apply(&folder, "a", r#"{"current_state": ["a"]}"#, &[]).ends(0);
    for verb in ["render", "check"] {
        assert_eq!(folder.run(&[verb, "baton.before", "--report", "json"]).ends(0).codes(), ["board.missing"]);
    }
    assert_eq!(folder.read("baton.before"), before);
}

#[test]
fn nothing_is_written_over_a_board() {
    let folder = begun();
    apply(&folder, "a", r#"{"current_state": ["a"]}"#, &[]).ends(0);
    fs::write(folder.at("answer.json"), r#"{"current_state": ["b"]}"#).unwrap();
    for name in ["baton.board", "baton.board-wal"] {
        let before = fs::read(folder.at(name)).unwrap();
        for words in [
            &["export", "-o", name][..],
            &["checkout", "newest", "-o", name],
            &["log", "-o", name],
            &["render", "baton.json", "-o", name],
        ] {
            assert_eq!(folder.run(&[words, &["--report", "json"]].concat()).ends(5).codes(), ["io.write"], "{words:?}");
        }
        assert_eq!(fs::read(folder.at(name)).unwrap(), before);
    }
}

#[test]
fn a_post_cannot_pass_for_an_answer() {
    let folder = begun();
    let key = format!("sha256:{}", "0".repeat(64));
    let words = ["post", "k", "{\"revision\": 0}", "--as", "critic", "--idempotency-key", &key, "--report", "json"];
    assert_eq!(folder.run(&words).ends(1).codes(), ["patch.reserved"]);
}

#[test]
fn a_post_does_not_begin_a_board_by_mistake_and_not_on_a_cut_one() {
    let folder = begun();
    let typo = ["post", "k", "1", "--as", "a", "--tenant", "local", "--task", "typo", "--board", "baton.board"];
    assert!(folder.run(&typo).ends(1).err.contains("board.missing"));
    folder.run(&[&typo[..], &["--begin"]].concat()).ends(0);
    let mut ahead = baton(&folder);
    ahead["stamp"]["head"] = json!(format!("7:sha256:{}", "0".repeat(64)));
    fs::write(folder.at("baton.json"), ahead.to_string()).unwrap();
    assert!(folder.run(&["post", "k", "1", "--as", "a"]).ends(1).err.contains("board.cut"));
}

#[test]
fn sources_need_a_board() {
    let folder = Folder::with(&[("baton.json", "{\"goal\": \"Ship it\"}")]);
    apply(&folder, "x", "{\"x\": 1}", &["--derived-from", "zzzzzzzzzzzzzzzz"]).ends(2);
    apply(&folder, "x", "{\"x\": 1}", &["--declassify"]).ends(2);
}

#[test]
fn a_board_that_was_cut_is_refused() {
    let folder = begun();
    let copy = |from: &str, to: &str| {
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(folder.at(format!("{to}{end}")));
            let _ = fs::copy(folder.at(format!("{from}{end}")), folder.at(format!("{to}{end}")));
        }
    };
    apply(&folder, "build", r#"{"current_state": ["Built"]}"#, &[]).ends(0);
    copy("baton.board", "backup.board");
    apply(&folder, "test", r#"{"current_state": ["Tested"]}"#, &[]).ends(0);
    copy("backup.board", "baton.board");
    let before = folder.read("baton.json");
    assert_eq!(apply(&folder, "x", r#"{"current_state": ["x"]}"#, &[]).ends(1).codes(), ["board.cut"]);
    assert_eq!(folder.run(&["verify", "--report", "json"]).ends(1).codes(), ["board.cut"]);
    assert_eq!(folder.read("baton.json"), before);
}

#[test]
fn a_reading_without_its_board_is_not_gone_on_with_unasked() {
    let folder = begun();
    for name in folder.names().iter().filter(|name| name.contains(".board")) {
        fs::remove_file(folder.at(name)).unwrap();
    }
    let answer = r#"{"current_state": ["Built"]}"#;
    assert_eq!(apply(&folder, "x", answer, &[]).ends(1).codes(), ["board.missing"]);
    assert_eq!(apply(&folder, "x", answer, &["--board", "other.board"]).ends(1).codes(), ["board.missing"]);
    assert!(!folder.at("other.board").exists());
    apply(&folder, "x", answer, &["--no-board"]).ends(0);
    assert_eq!(baton(&folder)["current_state"], json!(["Built"]));
}

#[test]
fn a_baton_with_a_name_begins_a_board() {
    let stamped =
        r#"{"goal": "Ship it", "stamp": {"schema": "baton/v1", "tenant": "acme", "task": "login", "revision": 4}}"#;
    let folder = Folder::with(&[("baton.json", stamped), ("plain.json", "{\"goal\": \"Ship it\"}")]);
    // Refused, or tried only: no board comes of it.
    let wrong = apply(&folder, "x", r#"{"goal": "Other"}"#, &["--board", "baton.board"]).ends(1);
    assert_eq!(wrong.codes(), ["guard.frozen"]);
    apply(&folder, "x", r#"{"current_state": ["x"]}"#, &["--dry-run", "--board", "other.board"]);
    assert!(!folder.at("other.board").exists());
    let ran = apply(&folder, "x", r#"{"current_state": ["x"]}"#, &["--board", "baton.board"]).ends(0);
    assert_eq!((ran.codes(), ran.report()["revision"].clone()), (vec!["board.begun".to_owned()], json!(5)));
    assert_eq!(entries(&folder), 2);
    let unnamed = ["apply", "-i", "plain.json", "-", "--step", "x", "--board", "baton.board", "--report", "json"];
    assert_eq!(folder.run_with(&unnamed, "{\"x\": 1}").ends(1).codes(), ["board.unnamed"]);
}

#[test]
fn a_dry_run_records_nothing() {
    let folder = begun();
    let before = folder.read("baton.json");
    let ran = apply(&folder, "build", r#"{"current_state": ["Built"]}"#, &["--dry-run"]).ends(0);
    assert_eq!(ran.report()["revision"], 1);
    assert_eq!((folder.read("baton.json"), entries(&folder)), (before, 1));
}

#[test]
fn what_is_recorded_and_not_delivered_is_told() {
    let folder = begun();
    let answer = r#"{"current_state": ["Built"]}"#;
    fs::write(folder.at("answer.json"), answer).unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut program = folder.program(&["apply", "baton.json", "answer.json", "--step", "build"]);
    let ran = Ran::from(program.stdin(Stdio::null()).stdout(full).output().unwrap()).ends(5);
    assert!(ran.err.contains("the board has recorded this as revision 1"), "{ran:?}");
    assert_eq!(entries(&folder), 2);
    let again = folder.run(&["apply", "baton.json", "answer.json", "--step", "build"]).ends(0);
    assert_eq!((again.json()["stamp"]["revision"].clone(), entries(&folder)), (json!(1), 2));
}

#[test]
fn what_came_of_a_secret_does_not_get_into_the_baton() {
    let folder = begun();
    let post = |words: &[&str]| {
        folder.run(&[&["post", "finding", "\"x\"", "--as", "builder"], words].concat()).ends(0).out.trim().to_owned()
    };
    let (secret, open) = (post(&[]), post(&["--everyone"]));
    let answer = r#"{"current_state": ["Built"]}"#;
    let told = |reference: &str, more: &[&str]| {
        apply(&folder, "build", answer, &[&["--by", "builder", "--derived-from", reference], more].concat())
    };
    assert_eq!(told(&secret, &[]).ends(1).codes(), ["board.laundering"]);
    assert_eq!(told("zzzzzzzzzzzzzzzz", &[]).ends(1).codes(), ["board.unknown_entry"]);
    told("12", &[]).ends(2);
    told(&open, &[]).ends(0);
    let again = r#"{"current_state": ["Built again"]}"#;
    apply(&folder, "build", again, &["--by", "builder", "--derived-from", &secret, "--declassify"]).ends(0);
    let log = folder.run(&["log", "--json"]).ends(0).out;
    assert_eq!(log.lines().filter(|line| line.contains("\"declassified\":true")).count(), 1);
}

#[test]
fn a_base_of_another_chain_is_refused() {
    let folder = begun();
    let old = folder.read("baton.json");
    apply(&folder, "build", r#"{"current_state": ["Built"]}"#, &[]).ends(0);
    fs::write(folder.at("base.json"), &old).unwrap();
    apply(&folder, "test", r#"{"open_questions": ["Ready?"]}"#, &["--base-file", "base.json"]).ends(0);
    fs::write(folder.at("base.json"), old.replace("No new API", "Another")).unwrap();
    let ran = apply(&folder, "look", r#"{"x": 1}"#, &["--base-file", "base.json"]).ends(1);
    assert_eq!(ran.codes(), ["board.edited"]);
}
