#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use crate::baton::Id;
use crate::charter::{Charter, Source, Wanted};
use crate::engine::{Invocation, Message, Request, Slice, Told};
use crate::entry::BoardId;
use crate::json::{Value, compact};
use crate::reply::Reply;

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn board() -> BoardId {
    BoardId { tenant: id("acme"), task: id("login") }
}

const CHARTER: &str = r#"{"charter": "v1", "ceilings": {"tokens": 1000, "tool_calls": 5},
"data": {"brief": {"readers": ["*"]}},
"strategy": {"ship": {"subtask": [{"id": "plan", "agent": "planner", "intent": "plan", "consumes": ["brief"]}]}},
"tool": {"search": {"description": "finds", "side_effects": false, "arguments": {"type": "object"}}},
"agent": {"planner": {"responsibility": "plans", "callable_by": ["strategy ship"], "uses": ["tool search"],
"needs": ["brief"], "writes": ["current_state"], "contract": {"type": "object"}}}}"#;

fn charter() -> Charter {
    let mut none = |_: &Wanted<'_>| panic!("it names no file");
    Charter::read(Source::json("charter.json", CHARTER).unwrap(), &mut none).unwrap()
}

#[test]
fn a_request_says_all_that_an_agent_is_given() {
    let charter = charter();
    let slice = Slice {
        baton: "# Goal\n".to_owned(),
        revision: Some(0),
        data: vec![(id("brief"), Value::string("short"))],
        input: None,
    };
    let told = Told {
        of: "tool search".to_owned(),
        key: "k".to_owned(),
        place: 0,
        status: "done".to_owned(),
        value: Value::integer(3),
    };
    let said = Reply { text: "let me see".to_owned(), ..Reply::default() };
    let messages = [Message::Slice(slice), Message::Agent(said), Message::Result(told)];
    let person = id("kim");
    let step = id("plan");
    let request = Request {
        board: board(),
        person: &person,
        run: 1,
        key: "key".to_owned(),
        agent: &charter.agents[&id("planner")],
        intent: "plan",
        step: &step,
        tools: vec![&charter.tools[&id("search")]],
        agents: Vec::new(),
        messages: &messages,
    };
    let value = request.to_value();
    let all = value.as_object().unwrap();
    let names: Vec<&str> = all.iter().map(|(name, _)| name).collect();
    let expected = "schema tenant task person run request agent responsibility intent step baton data tools agents \
                    messages contract instructions";
    assert_eq!(names.join(" "), expected);
    let text = compact(&value);
    assert!(text.contains(r#""run":"r1","request":"key","agent":"planner""#), "{text}");
    assert!(text.contains(r#""data":{"brief":"short"}"#), "{text}");
    let history = r#""messages":[{"said":"let me see"},{"of":"tool search","key":"k","status":"done","value":3}]"#;
    assert!(text.contains(history), "{text}");
    let how = all.get("instructions").and_then(Value::as_str).unwrap();
    assert!(how.contains("tool_calls") && how.contains("current_state") && how.contains("meets the contract"), "{how}");
    assert!(!how.contains("delegate") && !how.contains("decision_log"), "{how}");
    let prompt = request.to_prompt();
    assert!(prompt.contains("Data `brief`:\n```json\n\"short\"\n```\n") && prompt.ends_with(how), "{prompt}");
}

#[test]
fn absent_arguments_are_absent() {
    let (key, agent, tool) = (id("k"), id("a"), id("t"));
    let call = Invocation { key, run: 2, agent, tool, arguments: None };
    let text = |call: &Invocation| compact(&call.to_value(&board(), &id("kim")));
    let expected = r#"{"schema":"relay-baton/tool/v1","tenant":"acme","task":"login","person":"kim","run":"r2","agent":"a","tool":"t","key":"sha256:40f7d1b759395c4994d82acf12c8e6ff1a186dd596cba394636ece33ab5bc7ff"}"#;
    assert_eq!(text(&call), expected);
    let call = Invocation { arguments: Some(Value::Null), ..call };
    assert!(text(&call).ends_with(
        r#""key":"sha256:40f7d1b759395c4994d82acf12c8e6ff1a186dd596cba394636ece33ab5bc7ff","arguments":null}"#
    ));
}
