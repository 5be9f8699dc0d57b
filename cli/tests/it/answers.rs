//! `extract`, `apply` and `render`: the loop.

use serde_json::json;

use crate::program::{BATON, Folder};

const ANSWER: &str = "Done.\n\n```json\n{\"baton_patch\": {\"current_state\": [\"Login built\"], \"decision_log\": [\"Hash with argon2id\"]}}\n```\nBye.";

#[test]
fn an_answer_is_applied() {
    let folder = Folder::with(&[("b.json", BATON), ("a.txt", ANSWER)]);
    let words = [
        "apply",
        "b.json",
        "a.txt",
        "--step",
        "build",
        "--by",
        "ann",
        "--at",
        "2026-01-02T03:04:05Z",
        "--report",
        "json",
    ];
    let ran = folder.run(&words).ends(0);
    let baton = ran.json();
    assert_eq!(baton["current_state"], json!(["Login built"]));
    let decision = json!({"id": "D2", "decision": "Hash with argon2id", "step": "build", "at": "2026-01-02T03:04:05.000Z", "by": "ann"});
    assert_eq!(baton["decision_log"][1], decision);
    let report = ran.report();
    assert_eq!((&report["ok"], &report["revision"], &report["step"]), (&json!(true), &json!(1), &json!("build")));
    assert_eq!(report["changed"], json!(["/current_state", "/decision_log"]));
    assert_eq!(report["tokens"]["encoding"], "o200k_base");
    assert_eq!(folder.read("b.json"), BATON);
}

#[test]
fn the_author_is_told_by_the_option_the_environment_or_nobody() {
    let folder = Folder::with(&[("b.json", BATON), ("a.txt", ANSWER)]);
    let words = ["apply", "b.json", "a.txt", "--step", "build"];
    let by = |output: std::process::Output| {
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["stamp"]["by"].clone()
    };
    assert_eq!(by(folder.program(&words).output().unwrap()), "agent");
    assert_eq!(by(folder.program(&words).env("BATON_BY", "bob").output().unwrap()), "bob");
    assert_eq!(by(folder.program(&words).arg("--by=eve").env("BATON_BY", "bob").output().unwrap()), "eve");
}

#[test]
fn the_loop_goes_round() {
    let folder = Folder::new();
    folder.run(&["init", "--goal", "Ship it", "-o", "b.json"]).ends(0);
    for step in ["plan", "build", "review"] {
        let prompt = folder.run(&["render", "b.json", "--instructions", "--nonce", step]).ends(0).out;
        assert!(prompt.contains("Ship it") && prompt.contains(&format!("baton_patch:{step}")), "{prompt}");
        let answer = format!("{ANSWER}\n{{\"baton_patch:{step}\": {{\"current_state\": \"{step} done\"}}}}");
        folder.run_with(&["apply", "-i", "b.json", "-", "--step", step, "--nonce", step], &answer).ends(0);
    }
    let baton: serde_json::Value = serde_json::from_str(&folder.read("b.json")).unwrap();
    assert_eq!((&baton["stamp"]["revision"], &baton["current_state"]), (&json!(3), &json!(["review done"])));
    assert_eq!(baton["decision_log"], json!([]));
    assert_eq!(folder.documents(), ["b.json"]);
}

#[test]
fn the_same_again_is_a_replay() {
    let folder = Folder::with(&[("b.json", BATON), ("a.txt", ANSWER)]);
    let words = ["apply", "b.json", "a.txt", "--step", "build", "-i", "--report", "json"];
    folder.run(&words).ends(0);
    let first = folder.read("b.json");
    let again = folder.run(&words).ends(0);
    assert_eq!(again.codes(), ["replayed"]);
    assert_eq!(again.report()["revision"], 1);
    assert_eq!(folder.read("b.json"), first);
}

#[test]
fn a_refusal_changes_nothing_and_says_what_to_mend() {
    let folder = Folder::with(&[("b.json", BATON), ("p.json", "{\n \"goal\": \"Other\",\n \"constraints\": []\n}")]);
    let words = ["apply", "b.json", "p.json", "--step", "build", "-i"];
    let ran = folder.run(&[&words[..], &["--report", "json", "--correction", "again.md"]].concat()).ends(1);
    assert_eq!(ran.codes(), ["guard.frozen", "guard.kept"]);
    let report = ran.report();
    assert_eq!((&report["refusals"][0]["file"], &report["refusals"][0]["line"]), (&json!("p.json"), &json!(2)));
    assert_eq!(report["refusals"][0]["action"], "fix");
    assert_eq!(report["correction"].as_str().unwrap(), folder.read("again.md"));
    assert_eq!(folder.read("b.json"), BATON);
    let text = folder.run(&words).ends(1).err;
    assert!(text.contains("p.json:2:") && text.contains("guard.frozen: ") && text.contains("^"), "{text}");
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = Folder::with(&[("b.json", BATON), ("a.txt", ANSWER)]);
    let ran =
        folder.run(&["apply", "b.json", "a.txt", "--step", "build", "-i", "--dry-run", "--report", "json"]).ends(0);
    assert_eq!((ran.out.as_str(), &ran.report()["revision"]), ("", &json!(1)));
    let diff = folder.run(&["apply", "b.json", "a.txt", "--step", "build", "--dry-run", "--diff"]).ends(0).out;
    assert!(diff.starts_with("--- b.json (before)\n+++ b.json (after)\n@@ "), "{diff}");
    assert!(diff.lines().any(|line| line.starts_with('+') && line.contains("Login built")), "{diff}");
    assert_eq!(folder.read("b.json"), BATON);
    assert_eq!(folder.names(), ["a.txt", "b.json"]);
}

#[test]
fn a_diff_beside_a_file() {
    let folder = Folder::with(&[("b.json", BATON), ("a.txt", ANSWER)]);
    let diff = folder.run(&["apply", "b.json", "a.txt", "--step", "build", "--diff", "-o", "c.json"]).ends(0).out;
    assert!(diff.contains("@@ ") && folder.read("c.json").contains("Login built"));
    assert_eq!(folder.read("b.json"), BATON);
}

#[test]
fn a_stale_patch_is_rebased_or_refused() {
    let folder = Folder::with(&[("b.json", BATON), ("1.json", r#"{"open_questions": ["Why?"]}"#)]);
    folder.run(&["apply", "b.json", "1.json", "--step", "one", "-o", "c.json"]).ends(0);
    let late = r#"{"open_questions": ["How?"]}"#;
    let words = ["apply", "c.json", "-", "--step", "two", "--report", "json"];
    let ran = folder.run_with(&[&words[..], &["--base", "0"]].concat(), late).ends(4);
    assert_eq!(ran.codes(), ["base.unknown"]);
    let ran = folder.run_with(&[&words[..], &["--base-file", "b.json"]].concat(), late).ends(0);
    assert_eq!(ran.json()["open_questions"].as_array().unwrap().len(), 2, "{ran:?}");
    let ran = folder.run_with(&[&words[..], &["--base-file", "b.json", "--base", "1"]].concat(), late).ends(4);
    assert_eq!(ran.codes(), ["base.unknown"]);
}

#[test]
fn guards_come_from_a_file() {
    let guards = r#"{"rules": {"work_scope": "frozen"}, "writes": ["current_state", "work_scope"]}"#;
    let folder =
        Folder::with(&[("b.json", BATON), ("g.json", guards), ("bad.json", r#"{"rules": {"decision_log": "free"}}"#)]);
    let words = ["apply", "b.json", "-", "--step", "x", "--guards", "g.json", "--report", "json"];
    assert_eq!(folder.run_with(&words, r#"{"work_scope": ["a"]}"#).ends(1).codes(), ["guard.frozen"]);
    folder.run_with(&[&words[..], &["--allow", "work_scope"]].concat(), r#"{"work_scope": ["a"]}"#).ends(0);
    assert_eq!(folder.run_with(&words, r#"{"notes": 1}"#).ends(1).codes(), ["guard.rights"]);
    let bad = ["apply", "b.json", "-", "--step", "x", "--guards", "bad.json", "--report", "json"];
    assert_eq!(folder.run_with(&bad, "{}").report()["refusals"][0]["file"], "bad.json");
    let prompt = folder.run(&["render", "b.json", "--instructions", "--guards", "g.json"]).ends(0).out;
    assert!(!prompt.contains("decision_log:") && !prompt.contains("work_scope"), "{prompt}");
}

#[test]
fn a_strict_step_is_asked_for_one_object_of_the_schema() {
    let folder = Folder::with(&[("b.json", BATON)]);
    let strict = ["--dialect", "strict"];
    let prompt = folder.run(&[&["render", "b.json", "--instructions"], &strict[..]].concat()).ends(0).out;
    assert!(prompt.contains("one JSON object of the given schema") && !prompt.contains("baton_patch"), "{prompt}");
    let apply = [&["apply", "b.json", "-", "--step", "x", "--report", "json"], &strict[..]].concat();
    let refused = folder.run_with(&apply, r#"{"goal": "Another", "notes": null}"#).ends(1).report();
    let correction = refused["correction"].as_str().unwrap();
    assert!(correction.contains("one whole corrected JSON object of the given schema"), "{correction}");
    folder.run(&[&["render", "b.json", "--instructions", "--nonce", "w7k2"], &strict[..]].concat()).ends(2);
    folder.run_with(&[&apply[..], &["--nonce", "w7k2"]].concat(), "{}").ends(2);
}

#[test]
fn a_rule_is_lifted_by_the_name_of_its_field() {
    let folder = Folder::with(&[("b.json", BATON), ("p.json", r#"{"constraints": [], "current_state": "Built"}"#)]);
    let words = ["apply", "b.json", "p.json", "--step", "x", "--report", "json", "--allow"];
    let run = |names: &[&str]| folder.run(&[&words[..], names].concat());
    for wrong in ["constraint", "Constraints", "/constraints", "/constraint/0"] {
        let ran = run(&[wrong]).ends(2);
        assert!(ran.report()["usage"].as_str().unwrap().contains("`--allow constraints`"), "{ran:?}");
    }
    assert_eq!(run(&["constraints"]).ends(0).codes(), ["guard.allowed"]);
    let ran = run(&["constraints", "--allow", "decision_log", "--allow", "my/own"]).ends(0);
    assert_eq!(ran.codes(), ["guard.allowed", "allow.unused", "allow.unused"]);
    assert_eq!(ran.report()["notices"][2]["at"], "/my~1own");
}

#[test]
fn a_nonce_that_was_left_out_is_asked_for() {
    let folder = Folder::with(&[("b.json", BATON)]);
    let answer = r#"{"baton_patch:k7": {"current_state": ["Built"]}}"#;
    for words in [&["apply", "b.json", "--step", "x"][..], &["extract"]] {
        let text = folder.run_with(words, answer).ends(3).err;
        assert!(text.ends_with("  help: pass --nonce, as at render\n"), "{text}");
        folder.run_with(&[words, &["--nonce", "k7"]].concat(), answer).ends(0);
    }
    assert!(!folder.run_with(&["extract"], "no").ends(3).err.contains("--nonce"));
}

#[test]
fn providers_name_the_strict_dialect() {
    let folder = Folder::with(&[("b.json", BATON), ("p.json", r#"{"current_state": ["Built"], "work_scope": null}"#)]);
    for dialect in ["strict", "openai", "anthropic", "gemini"] {
        let ran = folder.run(&["apply", "b.json", "p.json", "--step", "x", "--dialect", dialect]).ends(0);
        assert_eq!(ran.json()["current_state"], json!(["Built"]), "{dialect}");
        folder.run(&["render", "b.json", "--instructions", "--dialect", dialect]).ends(0);
    }
}

#[test]
fn a_budget_for_one_step_is_told() {
    let folder = Folder::with(&[("b.json", BATON), ("a.txt", ANSWER)]);
    let words = ["apply", "b.json", "a.txt", "--step", "x", "--report", "json", "--budget"];
    assert_eq!(folder.run(&[&words[..], &["900"]].concat()).ends(0).codes(), ["budget.once"]);
    assert!(folder.run(&[&words[..], &["1000"]].concat()).ends(0).codes().is_empty());
}

#[test]
fn a_success_is_told_in_one_line() {
    let folder = Folder::with(&[("b.json", BATON), ("a.txt", ANSWER)]);
    let told = |words: &[&str]| folder.run(&[&["apply", "b.json", "a.txt", "--step", "x"], words].concat()).ends(0).err;
    let rest = " of 1000 tokens; changed /current_state, /decision_log\n";
    for (words, file) in [(&["--dry-run"][..], "b.json"), (&["-o", "c.json"], "c.json"), (&["-i"], "b.json")] {
        let line = told(words);
        assert!(line.starts_with(&format!("{file}: revision 1, ")) && line.ends_with(rest), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
    let again = told(&["-i"]);
    assert!(again.lines().next().unwrap().ends_with("; nothing changed"), "{again}");
    std::fs::write(folder.at("b.json"), BATON).unwrap();
    assert_eq!((told(&[]), told(&["-o", "-"]), told(&["--diff"])), (String::new(), String::new(), String::new()));
}

#[test]
fn extract_prints_the_patch_alone() {
    let folder = Folder::new();
    assert_eq!(folder.run_with(&["extract"], ANSWER).ends(0).json()["current_state"], json!(["Login built"]));
    assert_eq!(folder.run_with(&["extract", "--report", "json"], "no").ends(3).codes(), ["patch.none"]);
    let nearly = "{\"baton_patch\": {\"x\": 1,}} // end";
    folder.run_with(&["extract"], nearly).ends(3);
    assert_eq!(
        folder.run_with(&["extract", "--repair", "--report", "json"], nearly).ends(0).codes(),
        ["patch.repaired"]
    );
}

#[test]
fn renderings_come_in_three_formats() {
    let folder = Folder::with(&[("b.json", BATON)]);
    for format in ["markdown", "xml", "json"] {
        let out = folder.run(&["render", "b.json", "--format", format]).ends(0).out;
        assert!(out.contains("Ship the login page") && out.ends_with('\n'), "{out}");
    }
    let json = folder.run(&["render", "b.json", "--format", "json"]).ends(0);
    assert_eq!(json.json()["baton"]["goal"], "Ship the login page");
    folder.run(&["render", "b.json", "-o", "r.md"]).ends(0);
    assert_eq!(folder.read("r.md"), folder.run(&["render", "b.json"]).ends(0).out);
}

#[test]
fn a_budget_is_kept_or_refused() {
    let folder = Folder::with(&[("b.json", BATON)]);
    let long = format!("{{\"current_state\": [\"{}\"]}}", "word ".repeat(1200));
    let ran = folder.run_with(&["apply", "b.json", "-", "--step", "x", "--report", "json"], &long).ends(1);
    assert_eq!(ran.codes(), ["fit.over_budget"]);
    folder.run_with(&["apply", "b.json", "-", "--step", "x", "--budget", "2000"], &long).ends(0);
}
