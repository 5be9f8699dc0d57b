//! What agents answer, and what waits for it.

use super::asked::{Asked, Wrong};
use super::told::{number, object, refusals, refused, text, texts, traces, with};
use crate::contract::{self, Validator, Verdict};
use crate::json::{Limits, Object, Value};
use crate::prerequisite::{self, Progress, Status};
use crate::reply::{Delegation, Expected, Reply, ToolRequest};

/// `judge`: what becomes of an output.
pub(super) fn judge(asked: Asked<'_>, validator: Option<&dyn Validator>) -> Result<Value<'static>, Wrong> {
    let charter = asked.charter("charter")?;
    let name = asked.text("agent")?;
    let agent = charter.agent(name).ok_or_else(|| format!("there is no agent `{name}`"))?;
    let output = asked.get("output").ok_or("the member `output` is missing")?;
    let left = asked.number("left")?.unwrap_or(agent.corrections);
    let validator = if asked.flag("validator", true)? { validator } else { None };
    let (verdict, told) = contract::judge(validator, agent, output, left);
    let answer = match verdict {
        Verdict::Met => object([("verdict", text("met"))]),
        Verdict::Correct { left, refused } => {
            object([("verdict", text("correct")), ("left", number(left)), ("refusals", refusals(refused.refusals()))])
        }
        Verdict::GiveUp { refused } => {
            object([("verdict", text("give_up")), ("refusals", refusals(refused.refusals()))])
        }
    };
    Ok(with(answer, "traces", traces(&told)))
}

/// `reply`: what an agent's text asks for, or why it is no answer.
pub(super) fn reply(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let expected = Expected {
        agent: &asked.id_or("agent", "planner")?,
        request: asked.text_if_there("request")?.unwrap_or("r-1"),
    };
    let limits = Limits::default();
    let limits = match asked.number("bytes_max")?.and_then(|most| usize::try_from(most).ok()) {
        Some(most) => limits.with_bytes(most),
        None => limits,
    };
    Ok(match Reply::read(asked.text("text")?, &limits, &expected) {
        Ok(reply) => told(&reply),
        Err(refusal) => refused(&refusal),
    })
}

fn told(reply: &Reply) -> Value<'static> {
    let mut answer = Object::new();
    answer.set("calls", Value::Array(reply.calls.iter().map(call).collect()));
    answer.set("delegations", Value::Array(reply.delegations.iter().map(delegation).collect()));
    if let Some(output) = &reply.output {
        answer.set("output", output.clone());
    }
    answer.set("has_patch", Value::Bool(reply.patch.is_some()));
    Value::Object(answer)
}

fn call(request: &ToolRequest) -> Value<'static> {
    let told = object([("tool", text(&request.tool))]);
    match &request.arguments {
        Some(arguments) => with(told, "arguments", arguments.clone()),
        None => told,
    }
}

fn delegation(request: &Delegation) -> Value<'static> {
    let told = object([("agent", text(&request.agent)), ("intent", text(&request.intent))]);
    match &request.input {
        Some(input) => with(told, "input", input.clone()),
        None => told,
    }
}

/// `prerequisite`: which subtasks can begin after each event, and where each stands in the end.
pub(super) fn prerequisite(asked: Asked<'_>) -> Result<Value<'static>, Wrong> {
    let charter = asked.charter("charter")?;
    let name = asked.text("strategy")?;
    let strategy = charter.strategy(name).ok_or_else(|| format!("there is no strategy `{name}`"))?;
    let mut progress = vec![Progress::default(); strategy.subtasks.len()];
    let ready = |progress: &[Progress]| {
        let found = prerequisite::ready(strategy, progress);
        texts(found.into_iter().filter_map(|index| strategy.subtasks.get(index)).map(|subtask| &subtask.id))
    };
    let (mut steps, mut all) = (vec![object([("ready", ready(&progress))])], Vec::new());
    for event in asked.objects("events")? {
        let id = event.text("subtask")?;
        let index = strategy.subtasks.iter().position(|subtask| subtask.id.as_str() == id);
        let index = index.ok_or_else(|| format!("there is no subtask `{id}`"))?;
        match event.text("do")? {
            "begin" => set(&mut progress, index, Status::Running),
            "finish" => set(&mut progress, index, Status::Done),
            "fail" => all.extend(prerequisite::fail(strategy, &mut progress, index)),
            "skip" => all.extend(prerequisite::skip(strategy, &mut progress, index, event.ids("missing")?)),
            other => return Err(format!("`{other}` is no event of a subtask: begin, finish, fail or skip")),
        }
        steps.push(object([("ready", ready(&progress))]));
    }
    let ids = strategy.subtasks.iter().map(|subtask| subtask.id.as_str());
    Ok(object([
        ("steps", Value::Array(steps)),
        ("subtasks", standing(ids.zip(&progress))),
        ("over", Value::Bool(prerequisite::is_over(&progress))),
        ("traces", traces(&all)),
    ]))
}

fn set(progress: &mut [Progress], index: usize, status: Status) {
    if let Some(own) = progress.get_mut(index) {
        own.status = status;
    }
}

/// Where each subtask stands, by its name.
pub(super) fn standing<'p>(subtasks: impl Iterator<Item = (&'p str, &'p Progress)>) -> Value<'static> {
    let mut all = Object::new();
    for (id, progress) in subtasks {
        let mut told = object([("status", text(progress.status.name()))]);
        if let Some(gap) = &progress.gap {
            told = with(told, "missing", texts(&gap.missing));
            told = with(told, "because", texts(&gap.because));
        }
        all.set(id.to_owned(), told);
    }
    Value::Object(all)
}
