//! Files that were edited by hand, or went on without their board: recorded as they are, dropped, or refused.

use std::fs;

use serde_json::{Value, json};

use crate::at_board::{apply, baton, begun, entries};
use crate::program::Folder;

#[test]
fn an_edit_by_hand_is_recorded_or_dropped() {
    let folder = begun();
    apply(&folder, "build", r#"{"current_state": ["Built"]}"#, &[]).ends(0);
    let good = folder.read("baton.json");
    let edited = good.replace("\"Built\"", "\"Built and tested\"");
    fs::write(folder.at("baton.json"), &edited).unwrap();
    for words in
        [&["apply", "-i", "baton.json", "-", "--step", "x"][..], &["render", "baton.json"], &["check", "baton.json"]]
    {
        let ran = folder.run_with(words, r#"{"current_state": ["x"]}"#).ends(1);
        assert!(ran.err.contains("board.edited") && ran.err.contains("--edited"), "{ran:?}");
        assert_eq!(folder.read("baton.json"), edited);
    }
    let words = ["apply", "-i", "baton.json", "--edited", "--step", "by-hand", "--by", "me", "--report", "json"];
    let ran = folder.run(&words).ends(0);
    assert_eq!(ran.report()["changed"], json!(["/current_state"]));
    assert_eq!(baton(&folder)["current_state"], json!(["Built and tested"]));
    assert_eq!((baton(&folder)["stamp"]["revision"].clone(), entries(&folder)), (json!(2), 3));
    folder.run(&["check", "baton.json"]).ends(0);
    // The guards hold for an edit too.
    let stripped = folder.read("baton.json").replace("\"No new API\"", "\"Any API\"");
    fs::write(folder.at("baton.json"), &stripped).unwrap();
    assert_eq!(folder.run(&words).ends(1).codes(), ["guard.kept"]);
    // Dropped: the board's reading comes back.
    let dropped = folder.run(&["checkout", "newest", "-i", "--report", "json"]).ends(0);
    assert_eq!(dropped.codes(), ["board.edit_dropped"]);
    assert_eq!(baton(&folder)["constraints"], json!(["No new API"]));
    folder.run(&["check", "baton.json"]).ends(0);
}

/// What is changed by hand, and how.
type Edit<'e> = (&'e str, &'e dyn Fn(&mut Value));

#[test]
fn an_edit_is_recorded_as_it_is_or_not_at_all() {
    let folder = begun();
    let answer = r#"{"decision_log": [{"decision": "Use Rust", "rationale": "It is safe"}, "Use serde"],
        "acceptance": [{"check": "c", "status": "passed", "evidence": "log 1"}],
        "artifacts": [{"name": "tool", "summary": "small"}], "other": {"a": 1}}"#;
    apply(&folder, "build", answer, &[]).ends(0);
    let good = baton(&folder);
    let edits: [Edit<'_>; 8] = [
        ("a decision taken out", &|baton| drop(baton["decision_log"].as_array_mut().unwrap().remove(0))),
        ("a rationale changed", &|baton| baton["decision_log"][0]["rationale"] = json!("It is fast")),
        ("an author changed", &|baton| baton["decision_log"][0]["by"] = json!("other")),
        ("decisions in another order", &|baton| baton["decision_log"].as_array_mut().unwrap().swap(0, 1)),
        ("evidence taken out", &|baton| drop(baton["acceptance"][0].as_object_mut().unwrap().remove("evidence"))),
        ("a summary taken out", &|baton| drop(baton["artifacts"][0].as_object_mut().unwrap().remove("summary"))),
        ("a null put in", &|baton| baton["other"]["a"] = Value::Null),
        ("a null in a new member", &|baton| baton["new"] = json!({"x": null})),
    ];
    let words = ["apply", "-i", "baton.json", "--edited", "--step", "fix", "--report", "json"];
    for (what, edit) in edits {
        let mut edited = good.clone();
        edit(&mut edited);
        fs::write(folder.at("baton.json"), edited.to_string()).unwrap();
        let ran = folder.run(&words).ends(1);
        assert!(!ran.codes().is_empty(), "{what}: {ran:?}");
        assert_eq!(folder.read("baton.json"), edited.to_string(), "{what}");
    }
    fs::write(folder.at("baton.json"), good.to_string()).unwrap();
    assert_eq!(entries(&folder), 2);
    // What a patch can say is recorded to the letter.
    let mut edited = good.clone();
    edited["other"] = json!({"b": [1, {"c": null}]});
    edited["current_state"] = json!(["Edited"]);
    edited["decision_log"].as_array_mut().unwrap().push(json!("Use clap"));
    fs::write(folder.at("baton.json"), edited.to_string()).unwrap();
    folder.run(&words).ends(0);
    assert_eq!(baton(&folder)["decision_log"][2]["decision"], "Use clap");
    assert_eq!(
        (baton(&folder)["other"].clone(), baton(&folder)["current_state"].clone()),
        (json!({"b": [1, {"c": null}]}), json!(["Edited"]))
    );
}

#[test]
fn the_same_edit_later_is_another_one() {
    let folder = begun();
    let words = ["apply", "-i", "baton.json", "--edited", "--step", "fix", "--report", "json"];
    let edit = |folder: &Folder| {
        let mut edited = baton(folder);
        edited["current_state"] = json!(["fixed by hand"]);
        fs::write(folder.at("baton.json"), edited.to_string()).unwrap();
        folder.run(&words).ends(0);
        assert_eq!(baton(folder)["current_state"], json!(["fixed by hand"]));
    };
    edit(&folder);
    apply(&folder, "agent", r#"{"current_state": ["agent"]}"#, &[]).ends(0);
    edit(&folder);
    assert_eq!(entries(&folder), 4);
}

#[test]
fn what_was_done_without_the_board_is_brought_in() {
    let folder = begun();
    apply(&folder, "a", r#"{"current_state": ["a"]}"#, &[]).ends(0);
    fs::copy(folder.at("baton.json"), folder.at("copy.json")).unwrap();
    let words = ["apply", "-i", "copy.json", "-", "--step", "b", "--no-board"];
    folder.run_with(&words, r#"{"decision_log": ["Off the board"]}"#).ends(0);
    folder.run_with(&words, r#"{"open_questions": ["Really?"]}"#).ends(0);
    apply(&folder, "c", r#"{"notes": "on the board"}"#, &[]).ends(0);
    let told = folder.run(&["render", "copy.json", "--board", "baton.board"]).ends(1);
    assert!(told.err.contains("went on from revision 1 to 3 without the board"), "{told:?}");
    folder.run(&["apply", "-i", "copy.json", "--edited", "--step", "b", "--board", "baton.board"]).ends(0);
    let copy: Value = serde_json::from_str(&folder.read("copy.json")).unwrap();
    assert_eq!(copy["decision_log"][0]["decision"], "Off the board");
    assert_eq!(
        (copy["notes"].clone(), copy["open_questions"].clone(), copy["stamp"]["revision"].clone()),
        (json!("on the board"), json!(["Really?"]), json!(3))
    );
}

#[test]
fn white_space_is_no_edit() {
    let folder = begun();
    let compact = baton(&folder).to_string();
    fs::write(folder.at("baton.json"), compact).unwrap();
    folder.run(&["check", "baton.json"]).ends(0);
    apply(&folder, "build", r#"{"current_state": ["Built"]}"#, &[]).ends(0);
}

#[test]
fn an_edited_stamp_does_not_pass() {
    let folder = begun();
    apply(&folder, "build", r#"{"current_state": ["Built"]}"#, &[]).ends(0);
    let good = folder.read("baton.json");
    for (from, to, code) in [
        ("\"revision\": 1", "\"revision\": 7", "board.edited"),
        ("\"revision\": 1", "\"revision\": 0", "board.broken"),
        ("\"step\": \"build\"", "\"step\": \"other\"", "board.edited"),
        ("\"tenant\": \"local\"", "\"tenant\": \"other\"", "board.cut"),
        ("\"head\": \"2:sha256:", "\"head\": \"2:sha256:0", "board.broken"),
    ] {
        assert!(good.contains(from), "{good}");
        fs::write(folder.at("baton.json"), good.replace(from, to)).unwrap();
        assert_eq!(apply(&folder, "x", r#"{"current_state": ["x"]}"#, &[]).ends(1).codes(), [code], "{to}");
        let words = ["apply", "-i", "baton.json", "--edited", "--step", "x", "--report", "json"];
        let ran = folder.run(&words);
        assert!(matches!(ran.code, Some(1 | 3)), "{ran:?}");
    }
    fs::write(folder.at("baton.json"), &good).unwrap();
    assert_eq!(entries(&folder), 2);
    let words = ["apply", "-i", "baton.json", "--edited", "--step", "x", "--report", "json"];
    assert_eq!(folder.run(&words).ends(3).codes(), ["patch.none"], "there is no edit");
}
