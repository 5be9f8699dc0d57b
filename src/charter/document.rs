//! A charter as JSON: names resolved, modules merged, defaults written out. It is read as any charter.

use std::collections::{BTreeMap, BTreeSet};

use super::{Agent, Caller, Charter, Command, Strategy, Subtask, Tool};
use crate::baton::Id;
use crate::json::{self, Object, Value};

/// The digest of a document.
pub(super) fn digest_of(document: &Value<'_>) -> String {
    json::digest(&json::canonical(document))
}

/// The document of a charter.
pub(super) fn of(charter: &Charter) -> Value<'static> {
    let mut top = Object::new();
    top.set("charter", Value::string("v1"));
    if let Some(module) = &charter.module {
        top.set("module", text(module.as_str()));
    }
    let ceilings = charter.ceilings;
    let numbers = [
        ("tokens", ceilings.tokens),
        ("tool_calls", ceilings.tool_calls),
        ("spawns", ceilings.spawns),
        ("depth", ceilings.depth),
    ];
    top.set("ceilings", object(numbers.map(|(name, number)| (name, Some(Value::integer(number))))));
    let data = |data: &super::Data| {
        object([
            ("readers", Some(data.readers.to_value())),
            ("recalled", Some(Value::Bool(data.recalled))),
            ("kept", Some(Value::Bool(data.kept))),
        ])
    };
    top.set("data", named(&charter.data, data));
    top.set("strategy", named(&charter.strategies, strategy));
    top.set("agent", named(&charter.agents, agent));
    top.set("tool", named(&charter.tools, tool));
    if let Some(people) = &charter.people {
        let person = |person: &super::Person| object([("uses", Some(tools(&person.tools)))]);
        top.set("person", named(people, person));
    }
    Value::Object(top)
}

fn strategy(strategy: &Strategy) -> Value<'static> {
    object([
        ("description", Some(text(&strategy.description))),
        ("goal", strategy.goal.as_deref().map(text)),
        ("subtask", Some(Value::Array(strategy.subtasks.iter().map(subtask).collect()))),
    ])
}

fn subtask(subtask: &Subtask) -> Value<'static> {
    object([
        ("id", Some(text(subtask.id.as_str()))),
        ("agent", Some(text(subtask.agent.as_str()))),
        ("intent", Some(text(&subtask.intent))),
        ("consumes", Some(ids(&subtask.consumes))),
        ("produces", subtask.produces.as_ref().map(|key| text(key.as_str()))),
        ("after", Some(ids(&subtask.after))),
    ])
}

fn agent(agent: &Agent) -> Value<'static> {
    let callers = agent.callable_by.iter().map(Caller::to_string);
    let tools = agent.tools.iter().map(|tool| format!("tool {tool}"));
    let uses = tools.chain(agent.agents.iter().map(|agent| format!("agent {agent}")));
    let limits = agent.limits;
    let limits = object([
        ("iterations", Some(Value::integer(limits.iterations))),
        ("tokens", limits.tokens.map(Value::integer)),
        ("tool_calls", limits.tool_calls.map(Value::integer)),
        ("answer_tokens", Some(Value::integer(limits.answer_tokens))),
    ]);
    object([
        ("responsibility", Some(text(&agent.responsibility))),
        ("callable_by", Some(texts(callers))),
        ("uses", Some(texts(uses))),
        ("needs", Some(ids(&agent.needs))),
        ("reads", agent.reads.as_ref().map(|fields| texts(fields.iter().cloned()))),
        ("writes", Some(texts(agent.writes.iter().cloned()))),
        ("contract", agent.contract.clone()),
        ("corrections", Some(Value::integer(agent.corrections))),
        ("declassify", Some(Value::Bool(agent.declassify))),
        ("limits", Some(limits)),
        ("command", agent.command.as_ref().map(command)),
    ])
}

fn tool(tool: &Tool) -> Value<'static> {
    let approvers = tool.approvers.as_ref().map(|people| texts(people.iter().map(Id::to_string)));
    object([
        ("description", Some(text(&tool.description))),
        ("side_effects", Some(Value::Bool(tool.side_effects))),
        ("arguments", tool.arguments.clone()),
        ("readers", Some(tool.readers.to_value())),
        ("approvers", approvers),
        ("approval_minutes", tool.approval_seconds.map(|seconds| Value::integer(seconds / 60))),
        ("command", tool.command.as_ref().map(command)),
    ])
}

fn command(command: &Command) -> Value<'static> {
    object([
        ("words", Some(texts(command.words.iter().cloned()))),
        ("time_limit_s", Some(Value::integer(command.time_limit_ms / 1000))),
        ("output_limit_bytes", Some(Value::integer(command.output_limit_bytes))),
    ])
}

fn object<const N: usize>(members: [(&'static str, Option<Value<'static>>); N]) -> Value<'static> {
    let mut object = Object::new();
    for (name, value) in members {
        if let Some(value) = value {
            object.set(name, value);
        }
    }
    Value::Object(object)
}

fn named<T>(declared: &BTreeMap<Id, T>, value: impl Fn(&T) -> Value<'static>) -> Value<'static> {
    let members = declared.iter().map(|(name, item)| (name.as_str().to_owned().into(), value(item)));
    Value::Object(Object::from_members(members.collect()))
}

fn tools(tools: &BTreeSet<Id>) -> Value<'static> {
    texts(tools.iter().map(|tool| format!("tool {tool}")))
}

fn ids(ids: &[Id]) -> Value<'static> {
    texts(ids.iter().map(Id::to_string))
}

fn texts(texts: impl IntoIterator<Item = String>) -> Value<'static> {
    Value::Array(texts.into_iter().map(Value::string).collect())
}

fn text(text: &str) -> Value<'static> {
    Value::string(text.to_owned())
}
