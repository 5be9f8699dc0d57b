//! Tasks: strategies carried out by commands, with people in between.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::program::{Folder, Ran};

const STORY: [(&str, &str); 6] = [
    ("charter.toml", include_str!("../../../examples/governance/charter.toml")),
    ("brief.json", include_str!("../../../examples/governance/brief.json")),
    ("planner", include_str!("../../../examples/governance/planner")),
    ("builder", include_str!("../../../examples/governance/builder")),
    ("reviewer", include_str!("../../../examples/governance/reviewer")),
    ("send_email", include_str!("../../../examples/governance/send_email")),
];

/// A folder with these files; those that begin as scripts can be run.
pub(crate) fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(files);
    for (name, _) in files.iter().filter(|(_, text)| text.starts_with("#!")) {
        fs::set_permissions(folder.at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// A planner, a builder, and a reviewer who asks to send an email.
pub(crate) fn story() -> Folder {
    folder(&STORY)
}

pub(crate) fn run(folder: &Folder) -> Ran {
    folder.run(&["run", "charter.toml", "--input", "brief.json", "--person", "kim"])
}

/// What waits, as JSON.
pub(crate) fn pending(folder: &Folder) -> Value {
    folder.run(&["pending", "--format", "json"]).ends(0).json()
}

/// The approval that waits.
pub(crate) fn approval(folder: &Folder) -> String {
    pending(folder)["approvals"][0]["id"].as_str().unwrap().to_owned()
}

/// How often the email was sent.
pub(crate) fn sent(folder: &Folder) -> usize {
    fs::read_to_string(folder.at("outbox.txt")).unwrap_or_default().lines().count()
}

/// The entries of that kind.
pub(crate) fn entries(folder: &Folder, kind: &str) -> Vec<Value> {
    let log = folder.run(&["log", "--json", "--kind", kind]).ends(0).out;
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The names of the traces, in order.
pub(crate) fn traces(folder: &Folder) -> Vec<String> {
    entries(folder, "trace").iter().map(|entry| entry["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_story_waits_for_a_person_and_goes_on() {
    let folder = story();
    let ran = run(&folder).ends(6);
    assert_eq!(ran.out, "");
    assert_eq!(sent(&folder), 0);
    let id = approval(&folder);
    for line in [
        format!("baton-patch approve {id}\n"),
        format!("baton-patch deny {id} --why"),
        "then: baton-patch resume\n".to_owned(),
    ] {
        assert!(ran.err.contains(&line), "{ran:?}");
    }
    let waits = folder.run(&["pending"]).ends(0);
    assert!(waits.out.contains(&format!("  baton-patch approve {id}\n")), "{waits:?}");
    // Nobody has decided: nothing goes on.
    folder.run(&["resume"]).ends(6);
    assert_eq!((sent(&folder), approval(&folder)), (0, id.clone()));
    let approved = folder.run(&["approve", &id, "--by", "kim"]).ends(0);
    assert!(approved.out.contains("granted by kim: send_email by reviewer (r3)"), "{approved:?}");
    let again = folder.run(&["approve", &id, "--by", "kim", "--report", "json"]).ends(0);
    assert_eq!(again.codes(), ["replayed"]);
    assert_eq!(folder.run(&["approve", &id, "--by", "pat", "--report", "json"]).ends(1).codes(), ["approval.decided"]);
    assert_eq!(pending(&folder)["approvals"][0]["decided"]["by"], "kim");
    let done = folder.run(&["resume"]).ends(0).json();
    assert_eq!(done["report"], json!({"verdict": "good", "team": "was told"}));
    assert_eq!(done.as_object().unwrap().keys().collect::<Vec<_>>(), ["plan", "work", "report"]);
    assert_eq!(sent(&folder), 1);
    // Over is over.
    assert_eq!(folder.run(&["resume"]).ends(0).json(), done);
    assert_eq!(folder.run(&["approve", &id, "--by", "pat", "--report", "json"]).ends(1).codes(), ["approval.decided"]);
    assert_eq!(sent(&folder), 1);
    let call = entries(&folder, "call").pop().unwrap();
    let why = folder.run(&["why", &format!("#{}", call["seq"])]).ends(0).out;
    for word in ["fact brief", "fact plan", "fact work", "approval"] {
        assert!(why.contains(word), "no {word}: {why}");
    }
    folder.run(&["verify", "--replay"]).ends(0);
    let baton: Value = serde_json::from_str(&folder.read("baton.json")).unwrap();
    assert_eq!(baton["decision_log"][0]["decision"], "Sessions, not tokens");
    assert_eq!(baton["current_state"], json!(["The form and the session are built"]));
}

#[test]
fn who_may_decide_is_told_where_it_is_not_everybody() {
    let folder = story();
    let charter =
        folder.read("charter.toml").replace("[tool.send_email]", "[tool.send_email]\napprovers = [\"lee\", \"kim\"]");
    fs::write(folder.at("charter.toml"), charter).unwrap();
    let ran = run(&folder).ends(6);
    let id = approval(&folder);
    let waits = folder.run(&["pending"]).ends(0);
    for told in [&ran.err, &waits.out] {
        assert!(told.contains("  kim or lee may decide\n"), "{told}");
        assert!(told.contains(&format!("baton-patch approve {id} --by kim\n")), "{told}");
    }
    assert_eq!(pending(&folder)["approvals"][0]["approvers"], json!(["kim", "lee"]));
}

#[test]
fn who_speaks_is_whoever_is_logged_in() {
    let folder = story();
    let words = ["run", "charter.toml", "--input", "brief.json"];
    for (name, variable) in [("pat", ("USER", "pat")), ("person", ("USER", "two words")), ("lee", ("BATON_BY", "lee"))]
    {
        let mut program = folder.program(&words);
        program.env_remove("USER").env_remove("LOGNAME").env_remove("USERNAME").env(variable.0, variable.1);
        assert_eq!(program.output().unwrap().status.code(), Some(6));
        assert_eq!(pending(&folder)["approvals"][0]["person"], name);
        fs::remove_file(folder.at("baton.json")).unwrap();
        fs::remove_file(folder.at("baton.board")).unwrap();
    }
}

#[test]
fn a_task_that_failed_says_how_to_go_on() {
    let folder = story();
    let ran = folder.run(&["run", "charter.toml", "--person", "kim"]).ends(1);
    for told in [
        "`plan` was skipped: `brief` is not there for its agent; `build` was skipped: `plan` was not done; ",
        "; to go on: give what is missing with --input, or `post` it; then `run` again, which asks every agent anew\n",
    ] {
        assert!(ran.err.contains(told), "{ran:?}");
    }
    let charter = folder.read("charter.toml").replace("tokens = 60_000", "tokens = 10");
    fs::write(folder.at("charter.toml"), charter).unwrap();
    let ran = run(&folder).ends(1);
    assert!(ran.err.contains("to go on: raise the ceiling in the charter; then `run` again"), "{ran:?}");
}

#[test]
fn what_a_person_has_to_answer_is_told() {
    let folder = story();
    let nowhere = ["approve", "it", "--board", "none.board", "--tenant", "t", "--task", "t", "--report", "json"];
    assert_eq!(folder.run(&nowhere).ends(1).codes(), ["board.missing"]);
    let enter = ["step", "enter", "planner", "--called-by", "strategy ship", "--charter", "charter.toml"];
    folder.run(&enter).ends(0);
    assert_eq!(pending(&folder)["answers"], json!([{"run": "r1", "agent": "planner", "step": "plan"}]));
    assert!(folder.run(&["pending"]).ends(0).out.starts_with("the answer of r1: agent planner, step plan\n"));
}

#[test]
fn a_log_says_what_governance_did() {
    let folder = story();
    run(&folder).ends(6);
    let log = folder.run(&["log"]).ends(0).out;
    assert!(log.contains("  send_email requested, for reviewer: {"), "{log}");
    assert!(log.contains("  strategy ship → planner: subtask plan\n"), "{log}");
    let none = folder.run(&["log", "--kind", "traces", "--report", "json"]).ends(0);
    assert!(none.out.is_empty() && none.err.contains("there are `approval`, `baton`"), "{none:?}");
}

#[test]
fn a_denial_is_the_calls_result() {
    let folder = story();
    run(&folder).ends(6);
    folder.run(&["deny", &approval(&folder), "--why", "Not before Monday", "--by", "kim"]).ends(0);
    let done = folder.run(&["resume"]).ends(0).json();
    assert_eq!(done["report"]["team"], "was not told");
    assert_eq!(sent(&folder), 0);
}

#[test]
fn what_is_not_right_is_refused_before_anything_begins() {
    let folder = story();
    fs::write(folder.at("wrong.json"), r#"{"breif": 1, "plan": 2}"#).unwrap();
    let words = ["run", "charter.toml", "--input", "wrong.json", "--person", "kim", "--report", "json"];
    let ran = folder.run(&words).ends(3);
    assert_eq!(ran.codes(), ["charter.name"]);
    assert!(ran.err.contains("did you mean `brief`?"), "{ran:?}");
    let agent = ["run", "charter.toml", "--input", "brief.json", "--person", "Planner", "--report", "json"];
    assert_eq!(folder.run(&agent).ends(1).codes(), ["authority.person"]);
    let other = ["run", "charter.toml", "--strategy", "shipp", "--report", "json"];
    assert_eq!(folder.run(&other).ends(1).codes(), ["authority.unknown"]);
    let charter = folder.read("charter.toml").replace("goal = \"Ship the login page\"\n", "");
    fs::write(folder.at("aimless.toml"), charter.replace("command = [\"./planner\"]\n", "")).unwrap();
    let ran = folder.run(&["run", "aimless.toml", "--report", "json"]).ends(3);
    assert!(ran.err.contains("/agent/planner/command"), "{ran:?}");
    fs::write(folder.at("aimless.toml"), charter).unwrap();
    let ran = folder.run(&["run", "aimless.toml"]).ends(1);
    assert!(ran.err.contains("--goal TEXT") && ran.err.contains("goal.missing"), "{ran:?}");
    assert!(!folder.at("baton.json").exists() && !folder.at("baton.board").exists());
    let two = folder.read("charter.toml")
        + "[strategy.other]\n[[strategy.other.subtask]]\nid = \"x\"\nagent = \"planner\"\nintent = \"x\"\n";
    fs::write(
        folder.at("two.toml"),
        two.replace(
            "callable_by = [\"strategy ship\"]\nneeds = [\"brief\"]",
            "callable_by = [\"strategy ship\", \"strategy other\"]\nneeds = [\"brief\"]",
        ),
    )
    .unwrap();
    let ran = folder.run(&["run", "two.toml"]).ends(2);
    assert!(ran.err.contains("other, ship"), "{ran:?}");
}

#[test]
fn the_input_is_posted_once_and_its_absence_is_a_gap() {
    let folder = story();
    let ran = folder.run(&["run", "charter.toml", "--person", "kim", "--report", "json"]).ends(1);
    let last: Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
    assert_eq!(last["refusals"][0]["code"], "prerequisite.missing");
    assert_eq!(last["subtasks"], json!({"plan": "skipped", "build": "skipped", "review": "skipped"}));
    assert_eq!(last["account"]["tokens"]["spent"], 0);
    assert!(!traces(&folder).contains(&"model_called".to_owned()));
    run(&folder).ends(6);
    let facts = entries(&folder, "fact");
    let briefs = facts.iter().filter(|fact| fact["key"] == "brief").count();
    assert_eq!((briefs, &facts[0]["author"], &facts[0]["readers"]), (1, &json!("kim"), &json!(["*"])));
    let again = folder.run(&["run", "charter.toml", "--person", "kim", "--report", "json"]).ends(1);
    assert_eq!(again.codes(), ["run.under_way"]);
}

#[test]
fn events_and_what_came_of_it_are_lines_of_json() {
    let folder = story();
    let words = ["run", "charter.toml", "--input", "brief.json", "--person", "kim", "--report", "json"];
    let ran = folder.run(&words).ends(6);
    let lines: Vec<Value> = ran.err.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.last().unwrap();
    assert_eq!((&last["ok"], &last["status"]), (&json!(true), &json!("waiting")));
    assert_eq!(last["approvals"][0]["arguments"]["to"], "team@example.org");
    assert_eq!(last["account"]["tool_calls"], json!({"spent": 0, "ceiling": 3}));
    let events: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert!(events.starts_with(&["task_started", "agent_invocation_authorized", "slice_given"]), "{events:?}");
    assert_eq!(events.last(), Some(&"approval"));
}

#[test]
fn there_is_nothing_to_go_on_with_on_an_empty_board() {
    let folder = Folder::new();
    folder.run(&["init", "--goal", "g", "-o", "baton.json"]).ends(0);
    for words in [["resume", "--report", "json"], ["pending", "--report", "json"]] {
        assert_eq!(folder.run(&words).ends(1).codes(), ["run.none"]);
    }
    let ran = folder.run(&["approve", "0123456789abcdef", "--by", "kim", "--report", "json"]).ends(1);
    assert_eq!(ran.codes(), ["approval.unknown"]);
}
