//! `conformance`: the program is held to the vectors by itself, and programs that answer badly are told so.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Folder, PROGRAM};

/// The vectors of the folder: `GROUP/NAME`, in order.
fn files() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/governance");
    let groups = fs::read_dir(folder).unwrap().map(|group| group.unwrap());
    let mut files: Vec<String> = groups
        .flat_map(|group| {
            let files = fs::read_dir(group.path()).unwrap();
            let name = group.file_name().into_string().unwrap();
            files.map(move |file| {
                let file = file.unwrap().file_name().into_string().unwrap();
                format!("{name}/{}", file.strip_suffix(".json").unwrap())
            })
        })
        .collect();
    files.sort();
    files
}

fn own() -> String {
    format!("'{PROGRAM}' conformance --serve")
}

#[test]
fn it_keeps_its_own_rules() {
    let ran = Folder::new().run(&["conformance", "--against", &own()]).ends(0);
    let count = files().len();
    assert!(
        ran.out.ends_with(&format!("all {count} vectors hold for relay-baton {}\n", env!("CARGO_PKG_VERSION"))),
        "{ran:?}"
    );
}

#[test]
fn the_program_holds_the_folder() {
    let ran = Folder::new().run(&["conformance", "--list"]).ends(0);
    let listed: Vec<&str> = ran.out.lines().map(|line| line.split_once("  ").unwrap().0).collect();
    assert_eq!(listed, files());
    let ran = Folder::new().run(&["conformance", "--list", "--group", "caller"]).ends(0);
    assert!(ran.out.lines().all(|line| line.starts_with("caller/")) && ran.out.lines().count() >= 4, "{ran:?}");
}

#[test]
fn requests_are_answered_line_by_line() {
    let folder = Folder::new();
    let ran = folder.run_with(
        &["conformance", "--serve"],
        "{\"id\": 1, \"op\": \"hello\"}\nnonsense\n{\"id\": [2], \"op\": \"frob\"}\r\n",
    );
    let lines: Vec<Value> = ran.ends(0).out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["id"], &lines[0]["answer"]["protocol"]), (&1.into(), &"relay-baton-conformance/v1".into()));
    assert!(lines[1]["id"].is_null() && lines[1]["error"].is_string(), "{lines:?}");
    assert!(lines[2]["id"].is_array() && lines[2]["error"].as_str().unwrap().contains("`frob`"), "{lines:?}");
}

#[cfg(unix)]
const HELLO: &str =
    r#"{"id":"hello","answer":{"protocol":"relay-baton-conformance/v1","implementation":"twin","ops":[]}}"#;

/// A program that says hello, and does as `script` says with every other line.
#[cfg(unix)]
fn twin(folder: &Folder, script: &str) -> String {
    let hello = format!("*'\"hello\"'*) printf '%s\\n' '{HELLO}';;");
    let text = format!("while read -r line; do case $line in {hello} *) {script};; esac; done\n");
    fs::write(folder.at("twin.sh"), text).unwrap();
    "sh twin.sh".to_owned()
}

#[test]
#[cfg(unix)]
fn programs_that_answer_badly_are_told_what() {
    for (script, told) in [
        ("echo nonsense", "expected one JSON object on one line, got `nonsense`"),
        ("printf '\\377\\n'", "an answer that is no UTF-8"),
        ("printf '{\"id\": \"x\"'; exit", "half an answer: it ended within a line"),
        ("exit 3", "no answer: it has closed its output"),
        ("echo '{\"id\": \"other\", \"answer\": {}}'", "expected the `id` of the request"),
    ] {
        let folder = Folder::new();
        let command = twin(&folder, script);
        let ran = folder.run(&["conformance", "--group", "call", "--against", &command]).ends(1);
        assert!(ran.err.contains("conformance.differs") && ran.err.contains(told), "{script}: {}", ran.err);
        assert!(ran.out.is_empty() && ran.err.contains("0 of "), "{script}: {ran:?}");
    }
}

#[test]
#[cfg(unix)]
fn programs_that_are_silent_are_not_waited_for() {
    let folder = Folder::new();
    let command = twin(&folder, "sleep 60");
    let begun = Instant::now();
    let ran = folder.run(&["conformance", "--time-limit", "1", "--group", "call", "--against", &command]).ends(1);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(ran.err.contains("no answer within 1 s") && ran.err.contains("were not asked any more"), "{}", ran.err);
}

#[test]
fn what_is_no_program_is_told() {
    let folder = Folder::new();
    let ran = folder.run(&["conformance", "--against", "./no-such-program"]).ends(1);
    assert!(ran.err.contains("`./no-such-program` cannot be started"), "{}", ran.err);
    for words in [
        &["conformance"][..],
        &["conformance", "--against", ""],
        &["conformance", "--against", "'a"],
        &["conformance", "--list", "--group", "calls"],
        &["conformance", "--list", "--serve"],
        &["conformance", "--against", "a", "--time-limit", "0"],
    ] {
        let ran = folder.run(words).ends(2);
        assert!(ran.out.is_empty(), "{words:?}: {ran:?}");
    }
}

/// One member that differs is told with its place, and what was expected and was there.
#[test]
#[cfg(unix)]
fn a_member_that_differs_is_told_with_its_place() {
    let folder = Folder::new();
    let text = format!("'{PROGRAM}' conformance --serve | sed -u 's/\"settled\":true/\"settled\":false/'\n");
    fs::write(folder.at("twin.sh"), text).unwrap();
    let ran = folder.run(&["conformance", "--against", "sh twin.sh", "--group", "call", "--report", "json"]).ends(1);
    let report: Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
    let refusals = report["refusals"].as_array().unwrap();
    assert!(refusals.iter().all(|refusal| refusal["at"] == "/settled"), "{report}");
    assert!(refusals[0]["detail"].as_str().unwrap().contains("expected true, got false"), "{report}");
    assert_eq!(report["vectors"].as_u64().unwrap() - report["held"].as_u64().unwrap(), refusals.len() as u64);
}
