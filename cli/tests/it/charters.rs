//! Charters: what is wrong with one, what one allows, and what an agent may do under it.

use serde_json::Value;

use crate::program::{BATON, Folder};

const CHARTER: &str = r#"charter = "v1"
include = ["shared/mail.toml"]

[ceilings]
tokens = 200_000
tool_calls = 50
spawns = 1
depth = 1

[strategy.ship]
[[strategy.ship.subtask]]
id = "build"
agent = "builder"
intent = "Build it"

[agent.builder]
responsibility = "Builds the release"
callable_by = ["strategy ship"]
uses = ["tool search"]
reads = ["goal", "constraints"]
writes = ["current_state"]
contract = "schemas/plan.json"

[agent.auditor]
responsibility = "Sees to it \u001b[31m"
callable_by = ["strategy ship"]
reads = ["constraints"]
declassify = true

[tool.search]
description = "Searches"
side_effects = false
"#;

const MAIL: &str = "charter = \"v1\"\nmodule = \"shared.mail\"\n[tool.send]\ndescription = \"Sends one mail\"\n";

fn folder(charter: &str, mail: &str) -> Folder {
    let folder = Folder::with(&[("charter.toml", charter), ("baton.json", BATON)]);
    std::fs::create_dir_all(folder.at("shared")).unwrap();
    std::fs::create_dir_all(folder.at("schemas")).unwrap();
    std::fs::write(folder.at("shared/mail.toml"), mail).unwrap();
    std::fs::write(folder.at("schemas/plan.json"), "{\"type\": \"object\"}").unwrap();
    folder
}

#[test]
fn a_sound_charter_is_told_with_what_has_no_effect() {
    let folder = folder(CHARTER, MAIL);
    let ran = folder.run(&["charter", "check", "charter.toml"]).ends(0);
    assert_eq!(ran.out, "charter.toml: 1 strategy, 2 agents, 2 tools\n");
    assert!(
        ran.err.contains("charter.toml: notice: charter.idle: no agent uses the tool `shared.mail.send`"),
        "{}",
        ran.err
    );
    let ran = folder.run(&["charter", "check", "./charter.toml", "--report", "json"]).ends(0);
    let report: Value = serde_json::from_str(&ran.err).unwrap();
    assert!(report["digest"].as_str().unwrap().starts_with("sha256:") && report["agents"] == 2, "{report}");
}

#[test]
fn a_schema_that_a_run_would_refuse_is_told_at_its_place() {
    let folder = folder(CHARTER, &format!("{MAIL}arguments = {{ type = \"objekt\" }}\n"));
    std::fs::write(folder.at("schemas/plan.json"), "{\"type\": 3}").unwrap();
    let ran = folder.run(&["charter", "check", "charter.toml"]).ends(1);
    for told in [
        "charter.toml:22:12: contract.validator: the contract of agent `builder` cannot be validated",
        "shared/mail.toml:5:1: contract.validator: the arguments of tool `shared.mail.send` cannot be validated",
    ] {
        assert!(ran.err.contains(told), "{told} is not in {}", ran.err);
    }
}

#[test]
fn a_subtask_that_is_no_list_is_told_how_to_be_one() {
    let one = CHARTER.replace("[[strategy.ship.subtask]]", "[strategy.ship.subtask]");
    let two = format!("{one}[strategy.ship.subtask]\nid = \"again\"\n");
    for (charter, hint) in [(one, "`[[strategy.ship.subtask]]`"), (two, "`[[strategy.NAME.subtask]]`")] {
        let ran = folder(&charter, MAIL).run(&["charter", "check", "charter.toml"]).ends(3);
        assert!(ran.err.contains(hint), "{}", ran.err);
    }
}

#[test]
fn every_fault_is_told_in_its_file() {
    let charter = CHARTER.replace("\"tool search\"", "\"tool serch\"").replace("tokens = 200_000", "tokens = \"many\"");
    let folder = folder(&charter, &MAIL.replace("description", "descripton"));
    let ran = folder.run(&["charter", "check", "charter.toml"]).ends(3);
    for told in [
        "charter.toml:5:10: charter.member: `tokens` is a whole number",
        " 5 | tokens = \"many\"\n              ^\n",
        "charter.toml:19:9: charter.name: there is no tool `serch`: did you mean `search`?",
        "shared/mail.toml:4:14: charter.member: `descripton` is no member of a tool: did you mean `description`?",
    ] {
        assert!(ran.err.contains(told), "{told} is not in {}", ran.err);
    }
    let ran = folder.run(&["charter", "check", "charter.toml", "--report", "json"]).ends(3);
    let report: Value = serde_json::from_str(&ran.err).unwrap();
    let files: Vec<&str> =
        report["refusals"].as_array().unwrap().iter().map(|one| one["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["charter.toml", "charter.toml", "shared/mail.toml"], "{report}");
}

#[test]
fn files_that_are_not_there_or_not_beside_it_are_told() {
    let folder = folder(CHARTER, MAIL);
    std::fs::remove_file(folder.at("schemas/plan.json")).unwrap();
    let ran = folder.run(&["charter", "check", "charter.toml"]).ends(5);
    assert!(ran.err.contains("charter.toml:22:12: io.read: `schemas/plan.json`: cannot read"), "{}", ran.err);
    std::fs::write(folder.at("charter.toml"), CHARTER.replace("shared/mail.toml", "/etc/hostname")).unwrap();
    std::fs::write(folder.at("schemas/plan.json"), "{").unwrap();
    let ran = folder.run(&["charter", "check", "charter.toml"]).ends(3);
    assert!(
        ran.err.contains("charter.toml:2:12: charter.member: `/etc/hostname` is no path of a file beside the charter"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("schemas/plan.json:1:2: charter.syntax"), "{}", ran.err);
}

#[test]
fn toml_and_json_are_told_apart_by_extension_and_by_content() {
    let json = r#"{"charter": "v1", "ceilings": {"tokens": 1, "tool_calls": 1}}"#;
    let folder = Folder::with(&[
        ("a", json),
        ("b", "charter = \"v1\"\n[ceilings]\ntokens = 1\ntool_calls = 1\n"),
        ("c.toml", json),
    ]);
    folder.run(&["charter", "check", "a"]).ends(0);
    folder.run(&["charter", "check", "b"]).ends(0);
    let ran = folder.run(&["charter", "check", "c.toml"]).ends(3);
    assert!(ran.err.contains("c.toml:1:") && ran.err.contains("charter.syntax: not TOML"), "{}", ran.err);
}

#[test]
fn a_charter_is_shown_for_people_and_as_a_graph_and_as_a_document() {
    let folder = folder(CHARTER, MAIL);
    let text = folder.run(&["charter", "show", "charter.toml"]).ends(0).out;
    for told in [
        "agent builder\n  Builds the release\n",
        "called by:    strategy ship",
        "tools:        search",
        "writes:       current_state",
    ] {
        assert!(text.contains(told), "{told} is not in {text}");
    }
    assert!(text.contains("Sees to it \\u{1b}[31m") && !text.contains('\u{1b}'), "{text}");
    let graph = folder.run(&["charter", "show", "charter.toml", "--format", "mermaid"]).ends(0).out;
    assert!(graph.starts_with("flowchart LR\n    c0([\"strategy ship\"])\n") && graph.contains("c0 --> c2"), "{graph}");
    let document = folder.run(&["charter", "show", "charter.toml", "--format", "json"]).ends(0).out;
    std::fs::write(folder.at("whole.json"), document.replace("shared.mail.send", "send")).unwrap();
    folder.run(&["charter", "check", "whole.json"]).ends(0);
    assert_eq!(serde_json::from_str::<Value>(&document).unwrap()["agent"]["builder"]["contract"]["type"], "object");
}

#[test]
fn an_agent_writes_what_its_charter_lets_it() {
    let folder = folder(CHARTER, MAIL);
    let apply = |patch: &str, more: &[&str]| {
        std::fs::write(folder.at("patch.json"), patch).unwrap();
        let words = ["apply", "baton.json", "patch.json", "--step", "s", "-i", "--charter", "charter.toml", "--as"];
        folder.run(&[&words[..], more].concat())
    };
    let ran = apply(r#"{"current_state": ["Built"]}"#, &["builder"]).ends(0);
    assert!(folder.read("baton.json").contains("\"by\": \"builder\""), "{}", ran.err);
    let before = folder.read("baton.json");
    let ran = apply(r#"{"work_scope": ["src"]}"#, &["builder", "--correction", "fix.md"]).ends(1);
    assert!(ran.err.contains("guard.rights: this step may write `current_state` and nothing else"), "{}", ran.err);
    assert!(folder.read("fix.md").contains("this step may write"), "{}", folder.read("fix.md"));
    let ran = apply(r#"{"current_state": ["x"]}"#, &["bulder"]).ends(1);
    assert!(
        ran.err.contains("authority.unknown: there is no agent `bulder` in the charter: did you mean `builder`?"),
        "{}",
        ran.err
    );
    apply(r#"{"current_state": ["x"]}"#, &["builder", "--by", "somebody"]).ends(2);
    apply(r#"{"current_state": ["x"]}"#, &["builder", "--guards", "patch.json"]).ends(2);
    let ran = apply(r#"{"current_state": ["x"]}"#, &["builder", "--declassify"]).ends(1);
    assert!(ran.err.contains("board.laundering"), "{}", ran.err);
    assert_eq!(folder.read("baton.json"), before);
    apply(r#"{"current_state": ["Checked"]}"#, &["builder", "--by", "builder"]).ends(0);
}

#[test]
fn a_board_begins_in_the_name_of_the_agent() {
    let folder = folder(CHARTER, MAIL);
    std::fs::write(folder.at("patch.json"), r#"{"current_state": ["Built"]}"#).unwrap();
    let words =
        ["apply", "baton.json", "patch.json", "--step", "s", "-i", "--charter", "charter.toml", "--as", "builder"];
    let baton =
        BATON.replacen('{', r#"{"stamp": {"schema": "baton/v1", "tenant": "t", "task": "k", "revision": 0},"#, 1);
    std::fs::write(folder.at("baton.json"), baton).unwrap();
    folder.run(&[&words[..], &["--board", "baton.board"]].concat()).ends(0);
    let entries = folder.run(&["export"]).ends(0).out;
    let authors: Vec<Value> =
        entries.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["author"].clone()).collect();
    assert_eq!(authors, ["builder", "builder"], "{entries}");
}

#[test]
fn an_agent_is_shown_what_its_charter_lets_it_read() {
    let folder = folder(CHARTER, MAIL);
    let render = |agent: &str| {
        folder.run(&["render", "baton.json", "--instructions", "--charter", "charter.toml", "--as", agent]).ends(0).out
    };
    let text = render("builder");
    assert!(text.contains("Ship the login page") && text.contains("No breaking changes"), "{text}");
    assert!(!text.contains("Use sessions") && !text.contains("cargo test passes"), "{text}");
    assert!(text.contains("current_state") && !text.contains("work_scope"), "{text}");
    let text = render("auditor");
    assert!(text.contains("No breaking changes") && !text.contains("Ship the login page"), "{text}");
    assert!(text.contains("This step may change nothing"), "{text}");
    folder.run(&["render", "baton.json", "--charter", "charter.toml"]).ends(2);
}
