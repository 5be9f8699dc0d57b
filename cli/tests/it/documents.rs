//! `init`, `merge` and `diff`.

use serde_json::json;

use crate::program::{BATON, Folder};

#[test]
fn init_writes_what_it_was_told() {
    let folder = Folder::new();
    let words = [
        "init",
        "--goal",
        "Ship it",
        "--state",
        "a",
        "--state",
        "b",
        "--constraint",
        "c",
        "--question",
        "q",
        "--scope",
        "src",
        "--artifact",
        "plan.md",
        "--check",
        "tests pass",
        "--budget",
        "500",
        "--by",
        "me",
        "--at",
        "2026-01-02T03:04:05+01:00",
        "--tenant",
        "t1",
        "--task",
        "k1",
    ];
    let baton = folder.run(&words).ends(0).json();
    assert_eq!(baton["current_state"], json!(["a", "b"]));
    assert_eq!(baton["artifacts"], json!([{"name": "plan.md"}]));
    assert_eq!(baton["acceptance"], json!([{"check": "tests pass", "status": "pending"}]));
    assert_eq!(
        baton["stamp"],
        json!({"schema": "baton/v1", "tenant": "t1", "task": "k1", "revision": 0, "at": "2026-01-02T02:04:05.000Z",
            "by": "me", "budget": {"tokens": 500, "encoding": "o200k_base"}})
    );
}

#[test]
fn init_overwrites_nothing_unless_told_to() {
    let folder = Folder::new();
    folder.run(&["init", "--goal", "one", "-o", "b.json"]).ends(0);
    let ran = folder.run(&["init", "--goal", "two", "-o", "b.json", "--report", "json"]).ends(5);
    assert_eq!(ran.codes(), ["io.write"]);
    assert!(folder.read("b.json").contains("\"one\""));
    folder.run(&["init", "--goal", "two", "-o", "b.json", "--force"]).ends(0);
    assert!(folder.read("b.json").contains("\"two\""));
    assert_eq!(folder.documents(), ["b.json"]);
}

#[test]
fn a_blank_goal_is_refused() {
    let ran = Folder::new().run(&["init", "--goal", " ", "--report", "json"]).ends(1);
    assert_eq!(ran.codes(), ["goal.missing"]);
}

#[test]
fn a_control_character_is_refused_from_the_start() {
    let ran = Folder::new().run(&["init", "--goal", "g", "--state", "a\u{1b}[2J", "--report", "json"]).ends(1);
    assert_eq!(ran.codes(), ["patch.text"]);
}

#[test]
fn merge_leaves_what_the_patch_does_not_name_as_it_was() {
    let text = "{ \"a\" : 1.50,\r\n\t\"n\":123456789012345678901234567890 , \"b\":{\"c\":[1,  2]}}\r\n";
    let folder = Folder::with(&[("d.json", text), ("p.json", r#"{"b": {"c": null, "d": true}}"#)]);
    let out = folder.run(&["merge", "d.json", "p.json"]).ends(0).out;
    assert!(out.starts_with("{ \"a\" : 1.50,\r\n\t\"n\":123456789012345678901234567890 , \"b\":{"), "{out:?}");
    assert!(out.ends_with("}\r\n") && out.contains("\"d\":true") || out.contains("\"d\": true"), "{out:?}");
    assert_eq!(folder.read("d.json"), text);
}

#[test]
fn merge_applies_its_patches_in_order() {
    let folder = Folder::with(&[("1", r#"{"a":{"x":1}}"#), ("2", r#"{"a":null}"#), ("3", r#"{"a":{"y":2}}"#)]);
    let merged = folder.run_with(&["merge", "-", "1", "2", "3"], r#"{"a":{"z":0}}"#).ends(0).json();
    assert_eq!(merged, json!({"a": {"y": 2}}));
}

#[test]
fn merge_refuses_with_the_place() {
    let folder = Folder::with(&[("d.json", "{\"a\": 1}"), ("p.json", "{\n  \"a\": 2,\n  \"a\": 3\n}")]);
    let ran = folder.run(&["merge", "d.json", "p.json", "--report", "json"]).ends(3);
    let report = ran.report();
    let refusal = &report["refusals"][0];
    assert_eq!((&refusal["code"], &refusal["file"]), (&json!("json.duplicate_name"), &json!("p.json")));
    assert_eq!(refusal["line"], 3);
    let text = folder.run(&["merge", "d.json", "p.json"]).ends(3).err;
    assert!(text.starts_with("p.json:3:3: json.duplicate_name: ") && text.contains("\n 3 | "), "{text}");
}

#[test]
fn limits_hold() {
    let folder = Folder::with(&[("d.json", "[[[[]]]]"), ("p.json", "{}")]);
    let small = folder.run(&["merge", "d.json", "p.json", "--max-size", "4", "--report", "json"]).ends(3);
    assert_eq!(small.codes(), ["json.size"]);
    let flat = folder.run(&["merge", "d.json", "p.json", "--max-depth", "3", "--report", "json"]).ends(3);
    assert_eq!(flat.codes(), ["json.depth"]);
    folder.run(&["merge", "d.json", "p.json", "--max-depth", "4"]).ends(0);
}

#[test]
fn diff_and_merge_are_inverse() {
    let old = r#"{"a": 1, "b": {"c": [1, 2], "d": "x"}, "e": 12345678901234567890}"#;
    let new = r#"{"a": 1, "b": {"c": [2], "f": {}}, "e": 12345678901234567891}"#;
    let folder = Folder::with(&[("old.json", old), ("new.json", new)]);
    let patch = folder.run(&["diff", "old.json", "new.json"]).ends(0).out;
    let merged = folder.run_with(&["merge", "old.json", "-"], &patch).ends(0).out;
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(squeezed(&merged), squeezed(new));
}

#[test]
fn a_null_that_no_merge_patch_sets_is_refused_or_told() {
    let folder = Folder::with(&[("old.json", "{\"a\": 1}"), ("new.json", "{\"a\": null, \"b\": 2}")]);
    let ran = folder.run(&["diff", "old.json", "new.json", "--report", "json"]).ends(1);
    assert_eq!(ran.report()["refusals"][0]["at"], "/a");
    let lossy = folder.run(&["diff", "old.json", "new.json", "--lossy", "--report", "json"]).ends(0);
    assert_eq!((lossy.json(), lossy.codes()), (json!({"b": 2}), vec!["diff.lossy".to_owned()]));
    let detail = lossy.report()["notices"][0]["detail"].as_str().unwrap().to_owned();
    assert!(detail.starts_with("left out: /a, ") && !detail.contains("--lossy"), "{detail}");
    let patch = folder.run(&["diff", "old.json", "new.json", "--rfc6902"]).ends(0).json();
    let mut document = json!({"a": 1});
    json_patch::patch(&mut document, &serde_json::from_value::<json_patch::Patch>(patch).unwrap()).unwrap();
    assert_eq!(document, json!({"a": null, "b": 2}));
}

#[test]
fn a_json_patch_keeps_the_order_of_members() {
    let folder = Folder::with(&[("old.json", "{}"), ("new.json", r#"{"z": {"y": 1, "x": 2}, "a": 3}"#)]);
    let patch = folder.run(&["diff", "old.json", "new.json", "--rfc6902"]).ends(0).out;
    let (first, second) =
        (r#"{"op":"add","path":"/z","value":{"y":1,"x":2}}"#, r#"{"op":"add","path":"/a","value":3}"#);
    assert_eq!(patch, format!("[\n  {first},\n  {second}\n]\n"));
}

#[test]
fn a_baton_is_checked() {
    let folder =
        Folder::with(&[("b.json", BATON), ("c.json", "{\"goal\": \"g\", \"decisions\": []}"), ("d.json", "[]")]);
    let ran = folder.run(&["check", "b.json", "--report", "json"]).ends(0);
    assert!(ran.out.starts_with("b.json: revision 0, ") && ran.out.contains("o200k_base"), "{ran:?}");
    assert!(ran.report()["tokens"]["total"].as_u64().unwrap() > 20, "{ran:?}");
    assert_eq!(folder.run(&["check", "c.json", "--report", "json"]).ends(0).codes(), ["baton.near_miss"]);
    assert_eq!(folder.run(&["check", "d.json", "--report", "json"]).ends(3).codes(), ["baton.type"]);
    let over = folder.run(&["check", "b.json", "--budget", "9", "--report", "json"]).ends(1);
    assert_eq!((over.codes(), &over.report()["tokens"]["budget"]), (vec!["fit.over_budget".to_owned()], &json!(9)));
    assert!(over.report()["tokens"]["total"].as_u64().unwrap() > 9, "{over:?}");
}

#[test]
fn tokens_add_up() {
    let folder = Folder::with(&[("b.json", BATON)]);
    let report = folder.run(&["tokens", "b.json", "--report", "json"]).ends(0).report();
    let sum: u64 = report["sections"].as_array().unwrap().iter().map(|row| row["tokens"].as_u64().unwrap()).sum();
    assert_eq!(report["tokens"]["total"], sum);
    let rendered = folder.run(&["render", "b.json", "--report", "json"]).ends(0).report();
    assert_eq!(rendered["tokens"], report["tokens"]);
}
