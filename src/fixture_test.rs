//! Charters for the tests of the rules, and what was traced as text.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use std::collections::{BTreeMap, BTreeSet};

use crate::baton::Id;
use crate::charter::{Agent, Caller, Ceilings, Charter, Limits, Person, Strategy, Subtask, Tool};
use crate::entry::Readers;
use crate::json::{Value, compact};
use crate::trace::Trace;

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(crate) fn ids(text: &str) -> Vec<Id> {
    text.split_whitespace().map(id).collect()
}

/// `strategy NAME` or `agent NAME`.
pub(crate) fn caller(text: &str) -> Caller {
    match text.split_once(' ').unwrap() {
        ("strategy", name) => Caller::Strategy(id(name)),
        ("agent", name) => Caller::Agent(id(name)),
        other => panic!("{other:?}"),
    }
}

/// An agent; `callable_by` and `uses` as in a charter, parted by commas.
pub(crate) fn agent(name: &str, callable_by: &str, uses: &str) -> Agent {
    let parts = |text: &'static str, list: &str| -> BTreeSet<Id> {
        list.split(", ").filter_map(|part| part.strip_prefix(text)).map(id).collect()
    };
    Agent {
        name: id(name),
        responsibility: format!("what {name} answers for"),
        callable_by: callable_by.split(", ").filter(|part| !part.is_empty()).map(caller).collect(),
        tools: parts("tool ", uses),
        agents: parts("agent ", uses),
        needs: Vec::new(),
        reads: None,
        writes: Vec::new(),
        contract: None,
        corrections: 1,
        declassify: false,
        limits: Limits::default(),
        command: None,
    }
}

pub(crate) fn tool(name: &str) -> Tool {
    Tool {
        name: id(name),
        description: String::new(),
        arguments: None,
        side_effects: true,
        readers: Readers::Everyone,
        approvers: None,
        approval_seconds: None,
        command: None,
    }
}

pub(crate) fn person(name: &str, tools: &str) -> Person {
    Person { name: id(name), tools: ids(tools).into_iter().collect() }
}

pub(crate) fn charter(agents: impl IntoIterator<Item = Agent>, tools: &str) -> Charter {
    Charter {
        module: Some(id("acme.release")),
        ceilings: Ceilings { tokens: 1000, tool_calls: 10, spawns: 2, depth: 2 },
        strategies: BTreeMap::new(),
        agents: agents.into_iter().map(|agent| (agent.name.clone(), agent)).collect(),
        tools: ids(tools).into_iter().map(|name| (name.clone(), tool(name.as_str()))).collect(),
        data: BTreeMap::new(),
        people: None,
        document: Value::Null,
        digest: String::new(),
    }
}

/// A subtask; `consumes` and `after` parted by spaces, `produces` empty for none.
pub(crate) fn subtask(name: &str, consumes: &str, produces: &str, after: &str) -> Subtask {
    Subtask {
        id: id(name),
        agent: id("worker"),
        intent: String::new(),
        consumes: ids(consumes),
        produces: Id::new(produces),
        after: ids(after),
    }
}

pub(crate) fn strategy(subtasks: impl IntoIterator<Item = Subtask>) -> Strategy {
    Strategy { name: id("ship"), description: String::new(), goal: None, subtasks: subtasks.into_iter().collect() }
}

/// Each trace as its event's name and its particulars.
pub(crate) fn said(traces: &[Trace]) -> Vec<String> {
    let text = |trace: &Trace| format!("{} {}", trace.event.name(), compact(&Value::Object(trace.data.clone())));
    traces.iter().map(text).collect()
}
