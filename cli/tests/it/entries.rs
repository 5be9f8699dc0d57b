//! What the operator sees of a board: its log, its entries, its revisions.

use serde_json::json;

use crate::boards::begun;
use crate::program::Folder;

/// A board with two patches and a fact in between.
pub(crate) fn relayed() -> Folder {
    let folder = begun();
    let apply = |patch: &str, step: &str, by: &str| {
        let words = ["apply", "-i", "baton.json", "-", "--step", step, "--by", by];
        folder.run_with(&words, patch).ends(0);
    };
    apply(r#"{"current_state": "Built", "decision_log": ["Use argon2"], "note": {"a": 1}}"#, "build", "bob");
    folder.run(&["post", "finding", "[1]", "--as", "scout", "--reader", "bob"]).ends(0);
    apply(r#"{"current_state": ["Reviewed"], "note": {"b": null, "c": 2}}"#, "review", "eve");
    folder
}

#[test]
fn the_log_is_a_line_an_entry() {
    let folder = relayed();
    let log = folder.run(&["log"]).ends(0).out;
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 4);
    for (line, told) in lines.iter().zip([
        "baton baton/0  by agent  for everyone",
        "patch baton/1  by bob at build  for everyone  from 1",
        "fact finding  by scout  for `bob`",
        "patch baton/2  by eve at review  for everyone  from 2",
    ]) {
        assert!(line.contains(told), "{told} is not in {line}");
    }
    let reference =
        folder.run(&["show", "--seq", "3", "--json"]).ends(0).json()["reference"].as_str().unwrap().to_owned();
    assert!(lines[2].trim_start().starts_with(&format!("3  {reference}  20")), "{log}");
    let seqs = |words: &[&str]| -> Vec<u64> {
        let out = folder.run(&[&["log", "--json"], words].concat()).ends(0).out;
        let seq = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["seq"].as_u64().unwrap();
        out.lines().map(seq).collect()
    };
    assert_eq!(seqs(&[]), [1, 2, 3, 4]);
    assert_eq!(seqs(&["--kind", "patch"]), [2, 4]);
    assert_eq!(seqs(&["--author", "scout"]), [3]);
    assert_eq!(seqs(&["--max", "2"]), [3, 4]);
    assert_eq!(seqs(&["--max", "1", "--kind", "patch"]), [4]);
    assert_eq!(seqs(&["--max", "9", "--kind", "patch"]), [2, 4]);
    assert_eq!(seqs(&["--after", "1", "--max", "2"]), [2, 3]);
    assert_eq!(seqs(&["--after", "1", "--max", "1", "--kind", "fact"]), [3]);
    assert_eq!(seqs(&["--after", "4"]), [0; 0]);
    let report = folder.run(&["log", "--report", "json"]).ends(0).report();
    assert!(report["head"].as_str().unwrap().starts_with("4:sha256:"), "{report}");
}

#[test]
fn the_newest_are_found_behind_many_pages() {
    let folder = begun();
    let mut lines = folder.run(&["export"]).ends(0).out;
    let first: serde_json::Value = serde_json::from_str(&lines).unwrap();
    let mut prev = first["digest"].clone();
    for seq in 2..=700_u64 {
        let mut entry = json!({"seq": seq, "tenant": "acme", "task": "login", "reference": format!("{seq:016}"), "kind": "fact",
            "key": "k", "author": if seq % 100 == 0 { "rare" } else { "often" }, "at": "2026-01-02T03:04:05.000Z",
            "readers": ["b"], "data": seq, "derived_from": [], "prev": prev});
        let digest = crate::exports::digest(&entry);
        entry["digest"] = json!(digest);
        prev = json!(digest);
        lines.push_str(&format!("{entry}\n"));
    }
    folder.run_with(&["import", "--board", "long.board"], &lines).ends(0);
    let count = |words: &[&str]| -> Vec<u64> {
        let out = folder.run(&[words, &["--board", "long.board", "--json"]].concat()).ends(0).out;
        let data =
            |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["data"].as_u64().unwrap_or_default();
        out.lines().map(data).collect()
    };
    assert_eq!(count(&["log", "--author", "rare", "--max", "5"]), [300, 400, 500, 600, 700]);
    assert_eq!(count(&["log", "--max", "2"]), [699, 700]);
    assert_eq!(count(&["log"]).len(), 700);
    assert_eq!(count(&["read", "--as", "b", "--max", "3"]), [698, 699, 700]);
    assert_eq!(count(&["read", "--as", "b"]).len(), 700);
    assert_eq!(count(&["read", "--as", "c"]), [0]);
    folder.run(&["verify", "--replay", "--board", "long.board"]).ends(0);
}

#[test]
fn an_entry_is_shown_whole() {
    let folder = relayed();
    let text = folder.run(&["show", "1"]).ends(0).out;
    for told in [
        "entry 2  patch baton/1\n",
        "  author           bob\n",
        "  step             build\n",
        "  readers          everyone\n",
        "  derived from     1\n",
        "  revision         1 from 0\n",
        "  changed          /current_state, /note, /decision_log\n",
        "submitted:\n  {\n    \"current_state\": \"Built\"",
        "    \"decision_log\": [\n      {\n",
    ] {
        assert!(text.contains(told) || told.contains("changed"), "{told} is not in {text}");
    }
    assert!(text.contains("/decision_log") && text.contains("/note"), "{text}");
    let newest = folder.run(&["show", "newest", "--json"]).ends(0);
    assert_eq!(newest.out, folder.run(&["show", "2", "--json"]).ends(0).out);
    assert_eq!(newest.out, folder.run(&["show", "--seq", "4", "--json"]).ends(0).out);
    assert_eq!(newest.out, folder.run(&["show", "#4", "--json"]).ends(0).out);
    assert_eq!(newest.out, folder.run(&["show", "r2", "--json"]).ends(0).out);
    assert_eq!(newest.out, folder.run(&["export"]).ends(0).out.lines().last().unwrap().to_owned() + "\n");
    let reference = newest.json()["reference"].as_str().unwrap().to_owned();
    assert_eq!(newest.out, folder.run(&["show", &reference, "--json"]).ends(0).out);
    assert_eq!(newest.out, folder.run(&["show", "--reference", &reference, "--json"]).ends(0).out);
    assert!(folder.run(&["show", "--seq", "3"]).ends(0).out.ends_with("data:\n  [\n    1\n  ]\n"));
    for (words, code, exit) in [
        (&["show", "9"][..], "board.unknown_entry", 1),
        (&["show", "--seq", "9"], "board.unknown_entry", 1),
        (&["show", "0000000000000000"], "board.unknown_entry", 1),
    ] {
        assert_eq!(folder.run(&[words, &["--report", "json"]].concat()).ends(exit).codes(), [code]);
    }
    for words in
        [&["show"][..], &["show", "x"], &["show", "1", "--seq", "1"], &["show", "-1"], &["show", "--reference", "1"]]
    {
        folder.run(words).ends(2);
    }
    let told = folder.run(&["show", "x"]).ends(2).err;
    assert!(["3, r3 or `newest`", "#12", "reference"].iter().all(|form| told.contains(form)), "{told}");
}

#[test]
fn a_revision_is_checked_out() {
    let folder = relayed();
    let newest = folder.read("baton.json");
    assert_eq!(folder.run(&["checkout", "newest"]).ends(0).out, newest);
    let old = folder.run(&["checkout", "1"]).ends(0);
    assert_eq!(old.json()["current_state"], json!(["Built"]));
    assert!(old.json()["stamp"]["head"].as_str().unwrap().starts_with("2:sha256:"));
    folder.run(&["checkout", "1", "-o", "old.json"]).ends(0);
    assert_eq!(folder.read("old.json"), old.out);
    folder.run(&["checkout", "1", "-i"]).ends(0);
    assert_eq!(folder.read("baton.json"), old.out);
    std::fs::write(folder.at("baton.json"), newest.replace("Reviewed", "Forged")).unwrap();
    let ran = folder.run(&["checkout", "newest", "-i", "--report", "json"]).ends(0);
    assert_eq!(ran.report()["revision"], 2);
    assert_eq!(folder.read("baton.json"), newest);
    std::fs::remove_file(folder.at("baton.json")).unwrap();
    folder.run(&["checkout", "newest", "-i", "--tenant", "acme", "--task", "login"]).ends(0);
    assert_eq!(folder.read("baton.json"), newest);
    assert_eq!(folder.run(&["checkout", "3", "--report", "json"]).ends(1).codes(), ["board.unknown_entry"]);
    for words in [
        &["checkout"][..],
        &["checkout", "head"],
        &["checkout", "1", "-i", "-o", "x"],
        &["checkout", "99999999999999999999"],
    ] {
        folder.run(words).ends(2);
    }
}

#[test]
fn two_revisions_are_compared() {
    let folder = relayed();
    let patch = folder.run(&["diff", "1", "2"]).ends(0).json();
    assert_eq!(patch, json!({"current_state": ["Reviewed"], "note": {"c": 2}}));
    assert_eq!(folder.run(&["diff", "2", "2"]).ends(0).json(), json!({}));
    let steps = folder.run(&["diff", "1", "2", "--rfc6902"]).ends(0).json();
    assert_eq!(steps.as_array().unwrap().len(), 2, "{steps}");
    let diff = folder.run(&["diff", "1", "2", "--rendering"]).ends(0).out;
    assert!(diff.starts_with("--- revision 1\n+++ revision 2\n@@ "), "{diff}");
    assert!(diff.contains("\n-- Built\n+- Reviewed\n"), "{diff}");
    assert_eq!(folder.run(&["diff", "1", "7", "--report", "json"]).ends(1).codes(), ["board.unknown_entry"]);
    folder.run(&["diff", "1", "2", "-o", "p.json"]).ends(0);
    assert!(folder.read("p.json").contains("Reviewed"));
    // Files of such names are meant before revisions are.
    for (name, text) in [("1", "{\"a\": 1}"), ("2", "{\"a\": 2}")] {
        std::fs::write(folder.at(name), text).unwrap();
    }
    assert_eq!(folder.run(&["diff", "1", "2"]).ends(0).json(), json!({"a": 2}));
    folder.run(&["diff", "1", "2", "--rendering"]).ends(2);
    folder.run(&["diff", "1", "2", "--baton", "baton.json"]).ends(2);
    let bare = Folder::new();
    let ran = bare.run(&["diff", "1", "2", "--report", "json"]).ends(5);
    assert_eq!(ran.codes(), ["io.read"]);
}
