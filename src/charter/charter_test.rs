//! What a charter may say, one fault at a time.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use proptest::prelude::*;

use super::*;
use crate::json::{Limits as JsonLimits, canonical, read};

/// Everything that a charter can say, in JSON.
pub(super) const WHOLE: &str = r#"{
"charter": "v1",
"module": "acme.release",
"ceilings": {"tokens": 200000, "tool_calls": 50, "spawns": 2, "depth": 1},
"data": {"brief": {"readers": ["*"]}, "plan": {"readers": ["planner", "builder"], "recalled": true, "kept": true}},
"strategy": {"ship": {"description": "Ships", "goal": "Ship it", "subtask": [
  {"id": "build", "agent": "builder", "intent": "Build", "consumes": ["plan"], "after": ["plan"]},
  {"id": "plan", "agent": "acme.release.planner", "intent": "Plan", "consumes": ["brief"], "produces": "plan"}]}},
"agent": {
  "planner": {"responsibility": "Plans", "callable_by": ["strategy ship"], "uses": ["tool search", "agent helper"],
    "needs": ["brief"], "reads": ["goal", "constraints"], "writes": ["current_state", "decision_log"],
    "contract": {"type": "object"}, "corrections": 2, "declassify": false,
    "limits": {"iterations": 5, "tokens": 9000, "tool_calls": 3, "answer_tokens": 512}, "command": ["my-llm", "-p"]},
  "helper": {"responsibility": "Helps", "callable_by": ["agent acme.release.planner"]},
  "builder": {"responsibility": "Builds", "callable_by": ["strategy ship"], "needs": ["plan"]}},
"tool": {
  "search": {"description": "Searches", "side_effects": false},
  "send": {"arguments": {"type": "object"}, "readers": ["planner"], "approvers": ["kim"], "approval_minutes": 60,
    "command": {"words": ["./send"], "time_limit_s": 5, "output_limit_bytes": 9}}},
"person": {"kim": {"uses": ["tool search"]}}
}"#;

pub(super) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

#[test]
fn everything_that_is_said_is_read() {
    let charter = Charter::from_json(WHOLE).unwrap();
    assert_eq!(charter.module, Some(id("acme.release")));
    assert_eq!(charter.ceilings, Ceilings { tokens: 200_000, tool_calls: 50, spawns: 2, depth: 1 });
    let planner = charter.agent("acme.release.planner").unwrap();
    assert_eq!(charter.agent("planner"), Some(planner));
    assert_eq!(planner.callable_by, BTreeSet::from([Caller::Strategy(id("ship"))]));
    assert_eq!((&planner.tools, &planner.agents), (&BTreeSet::from([id("search")]), &BTreeSet::from([id("helper")])));
    assert_eq!(planner.limits, Limits { iterations: 5, tokens: Some(9000), tool_calls: Some(3), answer_tokens: 512 });
    assert_eq!((planner.corrections, planner.writes.len(), planner.needs.as_slice()), (2, 2, &[id("brief")][..]));
    let order: Vec<&str> =
        charter.strategy("ship").unwrap().subtasks.iter().map(|subtask| subtask.id.as_str()).collect();
    assert_eq!(order, ["plan", "build"]);
    let send = charter.tool("send").unwrap();
    assert_eq!((send.side_effects, send.approval_seconds), (true, Some(3600)));
    assert_eq!(send.readers, Readers::agents([id("planner")]));
    let command = Command { words: vec!["./send".into()], time_limit_ms: 5000, output_limit_bytes: 9 };
    assert_eq!(send.command, Some(command));
    assert_eq!(charter.people.as_ref().unwrap()[&id("kim")].tools, BTreeSet::from([id("search")]));
    assert!(charter.data[&id("plan")].kept && charter.data[&id("plan")].recalled);
}

#[test]
fn what_is_not_said_is_as_told() {
    let charter = Charter::from_json(
        r#"{"charter": "v1", "ceilings": {"tokens": 1, "tool_calls": 0}, "tool": {"t": {}}, "data": {"d": {"readers": []}},
            "agent": {"a": {"responsibility": "x", "command": ["a"]}}}"#,
    )
    .unwrap();
    assert_eq!((charter.ceilings.spawns, charter.ceilings.depth, charter.people.is_none()), (0, 0, true));
    let (agent, tool) = (charter.agent("a").unwrap(), charter.tool("t").unwrap());
    assert_eq!((agent.limits, agent.corrections, agent.declassify), (Limits::default(), 1, false));
    assert_eq!((&agent.reads, agent.writes.len(), agent.callable_by.len()), (&None, 0, 0));
    let command = agent.command.as_ref().unwrap();
    assert_eq!((command.time_limit_ms, command.output_limit_bytes), (600_000, 1 << 20));
    assert_eq!((tool.side_effects, &tool.readers, &tool.approvers), (true, &Readers::Everyone, &None));
    assert_eq!(charter.data[&id("d")].readers, Readers::nobody());
}

#[test]
fn a_document_is_read_back_as_the_same_charter() {
    let charter = Charter::from_json(WHOLE).unwrap();
    let text = String::from_utf8(canonical(&charter.document)).unwrap();
    let again = Charter::of_document(&read(&text, &JsonLimits::default()).unwrap()).unwrap();
    assert_eq!(again, charter);
    assert_eq!(charter.digest, crate::json::digest(text.as_bytes()));
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,200}", value in crate::json::arbitrary::value()) {
        prop_assert!(Charter::from_json(&text).is_err());
        prop_assert!(Charter::of_document(&value).is_err());
    }
}
