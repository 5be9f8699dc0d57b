//! What the laws found, each as the smallest case.

use serde_json::{Value, json};

use super::steps::serde;
use super::systems::{guards, read, real, refusals};
use crate::oracle::{Refusals, Terms};

fn after(baton: &Value, patch: &Value, terms: &Terms) -> Result<Value, Refusals> {
    real(&baton.to_string(), &patch.to_string(), terms).map(|done| serde(&done.after))
}

fn refused(code: &str, at: &str) -> Refusals {
    [(code.to_owned(), at.to_owned())].into()
}

#[test]
fn a_status_may_be_null() {
    let patch = json!({"acceptance": [{"check": "a", "status": null}]});
    let after = after(&json!({"goal": "g"}), &patch, &Terms::default()).unwrap();
    assert_eq!(after["acceptance"], json!([{"check": "a", "status": "pending"}]));
}

#[test]
fn null_removes_a_member_that_is_null() {
    let after = after(&json!({"goal": "g", "notes": null}), &json!({"notes": null}), &Terms::default()).unwrap();
    assert!(after.get("notes").is_none());
}

#[test]
fn a_null_in_the_stamp_stays_in_every_implementation() {
    let baton = json!({"goal": "g", "stamp": {"head": null, "seal": {"x": null}}});
    let done = real(&baton.to_string(), "{}", &Terms::default()).unwrap();
    let mut document = baton;
    json_patch::merge(&mut document, &serde(&done.plain));
    assert_eq!(document, serde(&done.after));
    assert_eq!(document["stamp"]["head"], Value::Null);
    assert_eq!(document["stamp"]["seal"], json!({"x": null}));
}

#[test]
fn names_of_an_object_are_no_items_of_a_list() {
    let terms = Terms { rules: vec![("notes".to_owned(), "kept")], ..Terms::default() };
    for (before, patch) in [
        (json!(["a"]), json!({"\"a\"": 1})),
        (json!([1]), json!({"1": 1})),
        (json!({"1": 2}), json!([1])),
        (json!(1), json!({"1": 1})),
    ] {
        let answer = after(&json!({"goal": "g", "notes": before}), &json!({ "notes": patch }), &terms);
        assert_eq!(answer, Err(refused("guard.kept", "/notes")), "{before} {patch}");
    }
    assert_eq!(guards(&terms).rule("notes").name(), "kept");
}

#[test]
fn every_fault_of_an_artifact_is_named() {
    let patch = json!({"artifacts": [{"digest": 5}]});
    let answer = after(&json!({"goal": "g"}), &patch, &Terms::default()).unwrap_err();
    let both = ["/artifacts/0", "/artifacts/0/digest"].map(|at| ("patch.type".to_owned(), at.to_owned()));
    assert_eq!(answer, both.into());
}

#[test]
fn null_leaves_an_empty_log_empty() {
    let baton = json!({"goal": "g", "decision_log": []});
    let after = after(&baton, &json!({"decision_log": null}), &Terms::default()).unwrap();
    assert_eq!(after["decision_log"], json!([]));
}

#[test]
fn a_huge_number_of_a_decision_is_not_counted_from() {
    let text = r#"{"goal": "g", "decision_log": [{"id": "D18446744073709551614", "decision": "a"}, "b", "c"]}"#;
    let baton = read(text).map_err(|refused| refusals(&refused)).unwrap().to_json();
    let after = after(&serde(&baton), &json!({"decision_log": ["d", "e"]}), &Terms::default()).unwrap();
    let ids: Vec<&str> =
        after["decision_log"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["D18446744073709551614", "D1", "D2", "D3", "D4"]);
}

#[test]
fn an_id_on_the_log_means_the_decision_on_the_log() {
    let baton = json!({"goal": "g", "decision_log": ["a", {"decision": "b", "supersedes": "D1"}]});
    let patch = json!({"decision_log": [
        {"id": "D1", "decision": "a", "supersedes": "D2"},
        {"decision": "c", "supersedes": "D1"}
    ]});
    let after = after(&baton, &patch, &Terms::default()).unwrap();
    assert_eq!(after["decision_log"][3]["supersedes"], json!(["D1"]));
}

#[test]
fn a_decision_sent_twice_is_added_once_whatever_ids_it_uses() {
    let patch = json!({"decision_log": [
        {"id": "D10", "decision": "a"},
        {"decision": "b", "supersedes": "D10"},
        {"decision": "b", "supersedes": "D10"}
    ]});
    let after = after(&json!({"goal": "g"}), &patch, &Terms::default()).unwrap();
    assert_eq!(after["decision_log"].as_array().unwrap().len(), 2);
    assert_eq!(after["decision_log"][1]["supersedes"], json!(["D1"]));
}
