//! What a charter says, and where it is wrong.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use proptest::prelude::*;

use super::*;
use crate::json::{Limits as JsonLimits, canonical, read};
use crate::refusal::Code;

/// Everything that a charter can say, in JSON.
pub(super) const WHOLE: &str = r#"{
"charter": "v1",
"module": "acme.release",
"ceilings": {"tokens": 200000, "tool_calls": 50, "spawns": 2, "depth": 1},
"data": {"brief": {"readers": ["*"]}, "plan": {"readers": ["planner", "builder"], "recalled": true}},
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
    assert!(!charter.data[&id("plan")].kept && charter.data[&id("plan")].recalled);
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

fn files(wanted: &Wanted<'_>, module: &str) -> Result<Source, Unsound> {
    assert_eq!((wanted.path, wanted.from, wanted.is_schema), ("mail.json", "charter.json", false));
    Source::json("mail.json", module).map_err(|found| Unsound::of("mail.json", found))
}

const MODULE: &str = r#"{"charter": "v1", "module": "shared.mail",
"agent": {"sender": {"responsibility": "Sends", "callable_by": ["agent acme.planner"], "uses": ["tool send"]}},
"tool": {"send": {}}, "data": {"draft": {"readers": ["sender"]}}}"#;

const WITH_MODULE: &str = r#"{"charter": "v1", "module": "acme", "include": ["mail.json"],
"ceilings": {"tokens": 1000, "tool_calls": 1, "spawns": 1, "depth": 1},
"strategy": {"ship": {"subtask": [{"id": "a", "agent": "planner", "intent": "x"}]}},
"agent": {"planner": {"responsibility": "Plans", "callable_by": ["strategy ship"], "uses": ["agent shared.mail.sender"]}}}"#;

fn with_module(top: &str, module: &str) -> Result<Charter, Unsound> {
    Charter::read(Source::json("charter.json", top).unwrap(), &mut |wanted| files(wanted, module))
}

#[test]
fn names_of_a_module_have_its_name_before_them() {
    let charter = with_module(WITH_MODULE, MODULE).unwrap();
    let sender = charter.agent("shared.mail.sender").unwrap();
    assert_eq!(sender.callable_by, BTreeSet::from([Caller::Agent(id("planner"))]));
    assert_eq!(sender.tools, BTreeSet::from([id("shared.mail.send")]));
    assert_eq!(charter.data[&id("shared.mail.draft")].readers, Readers::agents([id("shared.mail.sender")]));
    assert_eq!(charter.agent("sender"), None);
    assert_eq!(Charter::of_document(&charter.document).unwrap(), charter);
}

/// Code, file, pointer, line and column of each fault.
fn told(unsound: &Unsound) -> Vec<(Code, String, String, usize, usize)> {
    let one = |fault: &Fault| {
        let position = fault.refusal.position.unwrap();
        (fault.refusal.code, fault.file.clone(), fault.refusal.at.clone(), position.line, position.column)
    };
    unsound.faults().iter().map(one).collect()
}

#[test]
fn a_fault_in_a_module_is_told_in_its_file() {
    for (from, to, code, at, line, column) in [
        ("agent acme.planner", "agent planner", Code::CharterName, "/agent/sender/callable_by/0", 2, 65),
        ("agent acme.planner", "agent acme.plannr", Code::CharterName, "/agent/sender/callable_by/0", 2, 65),
        ("\"shared.mail\"", "\"acme\"", Code::CharterName, "/module", 1, 29),
        ("\"shared.mail\"", "\"a b\"", Code::CharterName, "/module", 1, 29),
        (", \"module\": \"shared.mail\"", "", Code::CharterMember, "/module", 1, 1),
        ("\"tool\": {\"send\"", "\"person\": {}, \"tool\": {\"send\"", Code::CharterRule, "/person", 3, 11),
        ("\"tool\": {\"send\"", "\"ceilings\": {}, \"tool\": {\"send\"", Code::CharterRule, "/ceilings", 3, 13),
    ] {
        let unsound = with_module(WITH_MODULE, &MODULE.replacen(from, to, 1)).unwrap_err();
        let expected = (code, "mail.json".to_owned(), at.to_owned(), line, column);
        assert_eq!(told(&unsound).iter().find(|told| told.2 == at), Some(&expected), "{to}: {unsound}");
    }
}

#[test]
fn files_that_include_each_other_are_found() {
    let module = MODULE.replacen("{", r#"{"include": ["mail.json"], "#, 1);
    let read = |module: &str| {
        let top = Source::json("charter.json", WITH_MODULE).unwrap();
        Charter::read(top, &mut |_| Ok(Source::json("mail.json", module).unwrap()))
    };
    let unsound = read(&module).unwrap_err();
    assert_eq!(told(&unsound), [(Code::CharterRule, "mail.json".into(), "/include/0".into(), 1, 14)]);
    assert!(unsound.to_string().contains("`mail.json` includes `mail.json`"), "{unsound}");
    // The same file by two ways is one module.
    let twice = WITH_MODULE.replace(r#"["mail.json"]"#, r#"["mail.json", "./mail.json"]"#);
    let top = Source::json("charter.json", &twice).unwrap();
    assert!(Charter::read(top, &mut |_| Ok(Source::json("mail.json", MODULE).unwrap())).is_ok());
}

#[test]
fn schemas_stand_in_files_of_their_own() {
    let text = WHOLE.replacen(r#"{"type": "object"}"#, r#""plan.json""#, 1);
    let read = |schema: &str| {
        let top = Source::json("charter.json", &text).unwrap();
        Charter::read(top, &mut |wanted: &Wanted<'_>| {
            assert_eq!((wanted.path, wanted.is_schema), ("plan.json", true));
            Source::json("plan.json", schema).map_err(|found| Unsound::of("plan.json", found))
        })
    };
    assert_eq!(read(r#"{"type": "object"}"#).unwrap(), Charter::from_json(WHOLE).unwrap());
    assert_eq!(told(&read("[]").unwrap_err()), [(Code::CharterMember, "plan.json".into(), String::new(), 1, 1)]);
    assert_eq!(told(&read("[").unwrap_err())[0].0, Code::CharterSyntax);
    // Whoever gives no files tells so where the file is named.
    let refused = Charter::from_json(&text).unwrap_err();
    assert_eq!((refused.refusals().len(), refused.refusals()[0].at.as_str()), (1, "/agent/planner/contract"));
}

#[test]
fn notices_tell_what_has_no_effect() {
    let charter = Charter::from_json(WHOLE).unwrap();
    let notices = charter.notices();
    let told: Vec<(&str, &str)> = notices.iter().map(|notice| (notice.code, notice.at.as_str())).collect();
    assert_eq!(told, [("charter.idle", "/tool/send")]);
    let text = WHOLE.replace(r#""uses": ["tool search""#, r#""uses": ["tool send""#);
    let notices = Charter::from_json(&text).unwrap().notices();
    let told: Vec<(&str, &str)> = notices.iter().map(|notice| (notice.code, notice.at.as_str())).collect();
    assert_eq!(told, [("charter.narrow", "/agent/planner/writes"), ("charter.idle", "/tool/search")]);
    let text = WHOLE
        .replace(r#"["agent acme.release.planner"]"#, r#"["agent planner", "strategy ship"], "uses": ["tool send"]"#);
    let notices = Charter::from_json(&text).unwrap().notices();
    let told: Vec<(&str, &str)> = notices.iter().map(|notice| (notice.code, notice.at.as_str())).collect();
    assert_eq!(told, [("charter.idle", "/agent/helper/callable_by"), ("charter.narrowed", "/agent/planner/uses")]);
}

#[test]
fn an_agent_is_shown_the_fields_that_it_reads() {
    let text = r#"{"goal": "g", "constraints": ["c"], "work_scope": ["w"], "own": 1, "stamp": {"schema": "baton/v1", "revision": 0}}"#;
    let baton = crate::baton::Baton::read(text, &JsonLimits::default()).unwrap();
    let charter = Charter::from_json(WHOLE).unwrap();
    let names = |agent: &str| {
        let shown = restricted(&baton, charter.agent(agent).unwrap());
        shown.as_object().iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("planner"), ["goal", "constraints", "stamp"]);
    assert_eq!(names("builder"), ["goal", "constraints", "work_scope", "own", "stamp"]);
}

proptest! {
    /// Values at random places of a charter that is sound.
    #[test]
    fn no_value_panics(place in 0_usize..400, value in crate::json::arbitrary::value()) {
        let mut document = read(WHOLE, &JsonLimits::default()).unwrap();
        replace(&mut document, &mut place.clone(), &value);
        if let Ok(charter) = Charter::from_json(&crate::json::compact(&document)) {
            prop_assert_eq!(Charter::of_document(&charter.document).unwrap(), charter);
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,200}", value in crate::json::arbitrary::value()) {
        prop_assert!(Charter::from_json(&text).is_err());
        prop_assert!(Charter::of_document(&value).is_err());
    }
}

/// Puts `value` in place of the value that is number `left`.
fn replace<'a>(within: &mut Value<'a>, left: &mut usize, value: &Value<'a>) {
    if *left == 0 {
        *within = value.clone();
    }
    *left = left.wrapping_sub(1);
    match within {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, left, value)),
        Value::Object(object) => object.iter_mut().for_each(|(_, item)| replace(item, left, value)),
        _ => {}
    }
}
