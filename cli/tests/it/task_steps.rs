//! Agents that are started by hand, and a charter that changes on the way.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Folder, Ran};
use crate::tasks::{approval, entries, run, sent, story};

fn enter(folder: &Folder, agent: &str, more: &[&str]) -> Ran {
    let words = ["step", "enter", agent, "--called-by", "strategy ship", "--person", "kim", "--report", "json"];
    folder.run(&[&words[..], more].concat())
}

fn leave(folder: &Folder, run: &str, answer: &str) -> Ran {
    folder.run_with(&["step", "leave", run, "--report", "json"], answer)
}

/// A folder with a baton, its board, and a brief on that.
fn begun() -> Folder {
    let folder = story();
    folder.run(&["init", "--goal", "Ship the login page", "-o", "baton.json"]).ends(0);
    folder.run(&["post", "brief", "\"Short\"", "--as", "kim", "--everyone"]).ends(0);
    folder
}

#[test]
fn a_step_is_entered_and_left() {
    let folder = begun();
    let entered = enter(&folder, "planner", &["--charter", "charter.toml"]).ends(0);
    assert_eq!(entered.report()["run"], "r1");
    let request = entered.json();
    assert_eq!((&request["agent"], &request["data"]), (&json!("planner"), &json!({"brief": "Short"})));
    assert_eq!((&request["step"], &request["intent"]), (&json!("plan"), &json!("Plan what the brief asks for")));
    let answer = r#"{"output": {"steps": []}, "baton_patch": {"decision_log": ["Sessions"]}}"#;
    leave(&folder, "r1", answer).ends(0);
    assert_eq!(leave(&folder, "r1", answer).ends(1).codes(), ["run.none"]);
    let plan = entries(&folder, "fact").pop().unwrap();
    assert_eq!(
        (&plan["key"], &plan["author"], &plan["data"]),
        (&json!("plan"), &json!("planner"), &json!({"steps": []}))
    );
    let baton: Value = serde_json::from_str(&folder.read("baton.json")).unwrap();
    assert_eq!(baton["decision_log"][0]["by"], "planner");
    // The next agent, in the same task, is given what the first one made.
    let prompt = enter(&folder, "builder", &["--format", "markdown"]).ends(0).out;
    assert!(prompt.contains("Data `plan`:\n```json\n{\"steps\":[]}\n```\n"), "{prompt}");
    assert!(prompt.contains("Sessions") && prompt.contains("## How to answer"), "{prompt}");
}

#[test]
fn a_refused_answer_is_corrected_until_no_correction_is_left() {
    let folder = begun();
    enter(&folder, "planner", &["--charter", "charter.toml"]).ends(0);
    // The planner may write the decisions alone.
    let wrong = r#"{"output": {"steps": []}, "baton_patch": {"current_state": ["x"]}}"#;
    let ran = leave(&folder, "r1", wrong).ends(1);
    assert!(ran.out.starts_with("Your answer was refused") && ran.out.contains("guard.rights"), "{ran:?}");
    assert_eq!(ran.codes(), ["guard.rights"]);
    assert_eq!(ran.report()["correction"], ran.out);
    let ran = leave(&folder, "r1", wrong).ends(1);
    assert_eq!((ran.codes(), ran.out.as_str()), (vec!["guard.rights".to_owned()], ""));
    assert_eq!(leave(&folder, "r1", "1").ends(1).codes(), ["run.none"]);
    assert_eq!(entries(&folder, "fact").len(), 1, "the brief alone");
}

#[test]
fn under_another_charter_people_are_asked_anew() {
    let folder = story();
    run(&folder).ends(6);
    let old = approval(&folder);
    folder.run(&["approve", &old, "--by", "kim"]).ends(0);
    let charter = folder.read("charter.toml").replace("Sends an email to the team", "Sends an email to everybody");
    fs::write(folder.at("charter.toml"), charter).unwrap();
    folder.run(&["resume", "--charter", "charter.toml"]).ends(6);
    let new = approval(&folder);
    assert!(new != old && sent(&folder) == 0, "the old yes was for another charter");
    assert_eq!(folder.run(&["approve", &new, "--by", "kim", "--report", "json"]).ends(0).codes(), [""; 0]);
    folder.run(&["resume"]).ends(0);
    assert_eq!(sent(&folder), 1);
}

#[test]
fn the_folder_of_the_commands_may_move() {
    let folder = story();
    fs::create_dir(folder.at("old")).unwrap();
    for name in ["charter.toml", "planner", "builder", "reviewer", "send_email"] {
        fs::rename(folder.at(name), folder.at(format!("old/{name}"))).unwrap();
    }
    folder.run(&["run", "old/charter.toml", "--input", "brief.json", "--person", "kim"]).ends(6);
    folder.run(&["approve", &approval(&folder), "--by", "kim"]).ends(0);
    fs::rename(folder.at("old"), folder.at("new")).unwrap();
    let ran = folder.run(&["resume"]).ends(5);
    assert!(ran.err.contains("--folder DIR"), "{ran:?}");
    folder.run(&["resume", "--folder", "new"]).ends(0);
    assert_eq!(folder.read("new/outbox.txt").lines().count(), 1);
}

#[test]
fn another_task_may_follow_on_the_same_board() {
    let folder = story();
    for times in 1..3 {
        run(&folder).ends(6);
        folder.run(&["approve", &approval(&folder), "--by", "kim"]).ends(0);
        folder.run(&["resume"]).ends(0);
        assert_eq!(sent(&folder), times);
    }
    folder.run(&["verify", "--replay"]).ends(0);
}

#[test]
fn what_is_kept_is_recalled_by_the_next_task() {
    let folder = story();
    let charter = folder.read("charter.toml");
    let charter =
        charter.replace("[data.brief]\nreaders = [\"*\"]", "[data.brief]\nreaders = [\"*\"]\nrecalled = true");
    fs::write(
        folder.at("charter.toml"),
        charter.replace("[data.plan]\nreaders = [\"*\"]", "[data.plan]\nreaders = [\"*\"]\nkept = true"),
    )
    .unwrap();
    run(&folder).ends(6);
    folder.run(&["approve", &approval(&folder), "--by", "kim"]).ends(0);
    folder.run(&["resume"]).ends(0);
    let memory = ["log", "--board", "baton.board", "--tenant", "local", "--task", "memory", "--json"];
    let kept: Value = serde_json::from_str(folder.run(&memory).ends(0).out.trim()).unwrap();
    assert_eq!((&kept["key"], &kept["data"]["steps"][0]), (&json!("plan"), &json!("form")));
}
