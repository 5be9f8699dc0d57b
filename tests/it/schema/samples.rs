//! What the schemas take and refuse.

use relay_baton::refusal::Code;
use relay_baton::schema::{Dialect, Kind};
use serde_json::{Value, json};

use super::published;
use super::validate::fault;

fn takes(kind: Kind, samples: &[Value]) {
    let schema = published(kind, Dialect::JsonSchema);
    for sample in samples {
        assert_eq!(fault(&schema, sample), None, "{kind:?} {sample}");
    }
}

fn refuses(kind: Kind, samples: &[Value]) {
    let schema = published(kind, Dialect::JsonSchema);
    for sample in samples {
        assert!(fault(&schema, sample).is_some(), "{kind:?} took {sample}");
    }
}

pub(super) fn batons() -> Vec<Value> {
    vec![
        json!({"goal": "Ship it"}),
        json!({"goal": "Ship it", "current_state": "nothing yet", "decision_log": "use SQLite", "anything": {"else": 1}}),
        json!({"goal": "Ship it", "constraints": null, "artifacts": null, "acceptance": [], "decision_log": null}),
        json!({"goal": "Ship it", "decision_log": [
            "use SQLite", {"id": "D7", "decision": "no ORM", "rationale": null, "supersedes": "D1", "votes": 3},
            {"decision": "WAL", "supersedes": ["D1", "D7"], "step": "plan", "at": "2026-11-30T09:00:00.000Z", "by": "planner"},
        ]}),
        json!({"goal": "Ship it", "artifacts": ["a.md", {"path": "b.md"}, {"id": "c", "name": "d", "summary": "s"}]}),
        json!({"goal": "Ship it", "acceptance": ["it builds", {"check": "it runs", "status": "waived", "evidence": "log"}]}),
        json!({"goal": "Ship it", "stamp": {
            "schema": "baton/v1", "tenant": "acme", "task": "t-1", "revision": 3, "step": "build",
            "at": "2026-11-30T09:00:00.000Z", "by": "builder", "head": "5:ab", "budget": {"tokens": 800, "encoding": "o200k_base"},
        }}),
        json!({"goal": "Ship it", "stamp": {"budget": 500}}),
    ]
}

pub(super) fn no_batons() -> Vec<Value> {
    vec![
        json!({}),
        json!(["goal"]),
        json!({"goal": " "}),
        json!({"goal": null}),
        json!({"goal": ["Ship it"]}),
        json!({"goal": "Ship it", "current_state": {"add": ["x"]}}),
        json!({"goal": "Ship it", "constraints": ["a", null]}),
        json!({"goal": "Ship it", "decision_log": [{"rationale": "none"}]}),
        json!({"goal": "Ship it", "decision_log": [{"decision": ""}]}),
        json!({"goal": "Ship it", "decision_log": [{"decision": "x", "id": "D 1"}]}),
        json!({"goal": "Ship it", "decision_log": [{"decision": "x", "supersedes": [1]}]}),
        json!({"goal": "Ship it", "artifacts": [{"summary": "nameless"}]}),
        json!({"goal": "Ship it", "artifacts": [{"name": 1, "path": "x"}]}),
        json!({"goal": "Ship it", "acceptance": [{"check": "it runs", "status": "done"}]}),
        json!({"goal": "Ship it", "stamp": null}),
        json!({"goal": "Ship it", "stamp": {"schema": "baton/v2"}}),
        json!({"goal": "Ship it", "stamp": {"revision": -1}}),
        json!({"goal": "Ship it", "stamp": {"budget": 0}}),
        json!({"goal": "Ship it", "stamp": {"step": "two words"}}),
    ]
}

pub(super) fn patches() -> Vec<Value> {
    vec![
        json!({}),
        json!({"current_state": ["built"], "notes": {"free": [1, null]}}),
        json!({"current_state": "built", "decision_log": "use SQLite", "open_questions": null}),
        json!({"decision_log": [{"decision": "use PostgreSQL", "rationale": "two machines", "supersedes": ["D1"]}]}),
        json!({"decision_log": {"add": ["use SQLite"], "remove": []}}),
        json!({"open_questions": {"add": ["which port?"], "remove": "which host?"}}),
        json!({"artifacts": {"add": [{"name": "a.md", "digest": "sha256:00"}]}, "work_scope": {"remove": ["src"]}}),
        json!({"acceptance": {"add": [{"check": "it builds", "status": "passed", "evidence": "exit 0"}]}}),
        json!({"goal": "Another", "constraints": ["a", "b"]}),
    ]
}

pub(super) fn no_patches() -> Vec<Value> {
    vec![
        json!([]),
        json!({"goal": null}),
        json!({"goal": 1}),
        json!({"stamp": {"revision": 9}}),
        json!({"stamp": null}),
        json!({"current_state": [1]}),
        json!({"current_state": ["a", null]}),
        json!({"current_state": {"append": ["a"]}}),
        json!({"current_state": {"add": ["a"], "also": 1}}),
        json!({"current_state": {}}),
        json!({"decision_log": [{"rationale": "because"}]}),
        json!({"decision_log": {"remove": ["D1"]}}),
        json!({"artifacts": {"remove": [{"name": "a.md"}]}}),
        json!({"acceptance": {"add": [{"status": "passed"}]}}),
    ]
}

#[test]
fn batons_are_told_from_what_is_none() {
    takes(Kind::Baton, &batons());
    refuses(Kind::Baton, &no_batons());
}

#[test]
fn patches_are_told_from_what_is_none() {
    takes(Kind::Patch, &patches());
    refuses(Kind::Patch, &no_patches());
}

#[test]
fn reports_are_told_from_what_is_none() {
    let refusal = json!({"code": "guard.kept", "at": "/constraints/0", "detail": "it is gone", "action": "fix"});
    let placed = json!({
        "code": "json.syntax", "at": "", "detail": "expected `,`", "action": "fix", "file": "p.json",
        "line": 1, "column": 2, "offset": 1,
    });
    let notice = json!({"code": "state.unchanged", "at": "/current_state", "detail": "it was not sent"});
    takes(
        Kind::Report,
        &[
            json!({
                "ok": true, "revision": 3, "step": "build", "changed": ["/current_state"], "notices": [notice],
                "tokens": {"total": 31, "budget": 1000, "encoding": "o200k_base", "shed": ["3 rationales"]},
            }),
            json!({
                "ok": true, "revision": 0, "changed": [], "notices": [],
                "sections": [{"name": "goal", "tokens": 9, "whole": 9, "shed": 0}],
                "tokens": {"total": 9, "budget": 1, "encoding": "cl100k_base", "shed": []},
            }),
            json!({"ok": true, "notices": [], "wrote": "b.json"}),
            json!({
                "ok": true, "status": "waiting", "notices": [], "doubts": [], "subtasks": {"ship": "running"},
                "approvals": [{"id": "0123456789abcdef", "tool": "send", "agent": "a", "run": "r1", "arguments": null}],
                "account": {
                    "tokens": {"spent": 3, "ceiling": 9}, "tool_calls": {"spent": 0, "ceiling": 1},
                    "spawns": {"spent": 0, "ceiling": 0},
                },
            }),
            json!({"event": "slice_given", "run": "r1", "agent": "a", "keys": ["brief"]}),
            json!({"ok": false, "usage": "error: no such option"}),
            json!({"ok": false, "refusals": [refusal, placed], "correction": "send it again"}),
        ],
    );
    refuses(
        Kind::Report,
        &[
            json!({}),
            json!({"ok": 1}),
            json!({"ok": false}),
            json!({"ok": true}),
            json!({"ok": true, "notices": [{"code": "state.unchanged"}]}),
            json!({"ok": false, "usage": 2}),
            json!({"ok": false, "refusals": []}),
            json!({"ok": false, "refusals": [{"code": "guard.other", "at": "", "detail": "x", "action": "fix"}]}),
            json!({"ok": false, "refusals": [{"code": "guard.kept", "at": "no/pointer", "detail": "x", "action": "fix"}]}),
            json!({"ok": false, "refusals": [{"code": "guard.kept", "at": "", "detail": "x", "action": "give up"}]}),
            json!({"ok": true, "notices": [], "status": "asleep"}),
            json!({"event": "Slice given"}),
            json!({"ok": true, "notices": [], "changed": "/goal"}),
            json!({"ok": true, "notices": [], "tokens": {}}),
            json!({"ok": true, "notices": [], "tokens": {"total": 9, "budget": 0, "encoding": "o200k_base", "shed": []}}),
            json!({"ok": true, "notices": [], "tokens": {"total": 9, "budget": 9, "encoding": "o200k_base", "shed": [1]}}),
            json!({"ok": true, "notices": [], "tokens": {"total": 9, "budget": 9, "shed": []}}),
            json!({"ok": true, "notices": [], "sections": [{"name": "goal", "tokens": 9}]}),
        ],
    );
}

/// The lines of the scenarios that the library takes are taken, and one changed in any member is not.
#[test]
fn entries_are_told_from_what_is_none() {
    let good: Value = include_str!("../../vectors/board/chain/an-unbroken-chain.json").parse().unwrap();
    let lines = good["steps"][0]["lines"].as_array().unwrap();
    takes(Kind::Entry, lines);
    let changed = |name: &str, value: Value| {
        let mut line = lines[1].clone();
        line[name] = value;
        line
    };
    let without = |name: &str| {
        let mut line = lines[1].clone();
        line.as_object_mut().unwrap().remove(name);
        line
    };
    let mut none: Vec<Value> = vec![
        changed("seq", json!(0)),
        changed("seq", json!("2")),
        changed("tenant", json!("a b")),
        changed("reference", json!("2")),
        changed("at", json!("2026-01-02T03:04:05Z")),
        changed("derived_from", json!([1, 1])),
        changed("declassified", json!(false)),
        changed("prev", json!("sha256:0")),
        changed("note", json!("x")),
        json!([]),
    ];
    none.extend(
        ["seq", "tenant", "task", "reference", "kind", "key", "author", "at", "data", "prev", "digest"].map(without),
    );
    refuses(Kind::Entry, &none);
    takes(Kind::Entry, &[changed("readers", Value::Null), without("readers"), without("step")]);
}

#[test]
fn every_code_and_its_action_stand_in_the_schema_of_a_report() {
    let refusals = Code::ALL
        .iter()
        .map(|code| json!({"code": code.as_str(), "at": "", "detail": code.meaning(), "action": code.action().name()}));
    takes(Kind::Report, &[json!({"ok": false, "refusals": refusals.collect::<Vec<_>>()})]);
}

/// A charter of which every part is there, and what is wrong with others.
#[test]
fn charters() {
    let whole = json!({
        "charter": "v1", "module": "acme.release", "include": ["shared/mail.toml"],
        "ceilings": {"tokens": 1000, "tool_calls": 5, "spawns": 1, "depth": 1},
        "data": {"brief": {"readers": ["*"], "recalled": false, "kept": true}},
        "strategy": {"ship": {"description": "Ships", "goal": "Ship it", "subtask": [
            {"id": "plan", "agent": "planner", "intent": "Plan", "consumes": ["brief"], "produces": "brief", "after": []}]}},
        "agent": {"planner": {
            "responsibility": "Plans", "callable_by": ["strategy ship", "agent a.b"], "uses": ["tool send", "agent c"],
            "needs": ["brief"], "reads": ["goal"], "writes": ["own"], "contract": {"type": "object"}, "corrections": 0,
            "declassify": false, "limits": {"iterations": 1, "tokens": 1, "tool_calls": 1, "answer_tokens": 1},
            "command": ["llm", "-p"]}},
        "tool": {"send": {
            "description": "Sends", "side_effects": true, "arguments": "schemas/send.json", "readers": [], "approvers": ["kim"],
            "approval_minutes": 5, "command": {"words": ["send"], "time_limit_s": 1, "output_limit_bytes": 1}}},
        "person": {"kim": {"uses": ["tool send"]}},
    });
    takes(Kind::Charter, &[whole.clone(), json!({"charter": "v1", "module": "m"})]);
    let wrong = [
        ("/charter", json!("v2")),
        ("/ceilings/tokens", json!(0)),
        ("/ceilings/tokens", json!(1.5)),
        ("/data/brief", json!({})),
        ("/data/brief/readers", json!("*")),
        ("/strategy/ship/subtask", json!([])),
        ("/strategy/ship/subtask/0/after", json!("plan")),
        ("/agent/planner/callable_by", json!(["skill x"])),
        ("/agent/planner/callable_by", json!(["agent *"])),
        ("/agent/planner/uses", json!(["send"])),
        ("/agent/planner/responsibility", json!(" ")),
        ("/agent/planner/limits", json!({"iterations": 0})),
        ("/agent/planner", json!({"responsibility": "x", "role": "y"})),
        ("/agent/planner/command", json!([])),
        ("/tool/send/approvers", json!([])),
        ("/person/kim/uses", json!(["agent planner"])),
    ];
    let broken = wrong.map(|(at, value)| {
        let mut broken = whole.clone();
        *broken.pointer_mut(at).unwrap() = value;
        broken
    });
    refuses(Kind::Charter, &broken);
    refuses(Kind::Charter, &[json!({}), json!({"charter": "v1", "agents": {}})]);
}
