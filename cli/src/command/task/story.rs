//! What is told of a task while it is carried out: each entry that the engine records, as a line.

use relay_baton::board::Post;
use relay_baton::engine::{APPROVAL, CALL};
use relay_baton::json::{Object, Value, compact};
use relay_baton::refusal::Code;
use relay_baton::text::clip;
use relay_baton::trace::TRACE;

use crate::output::Live;

/// Characters of a detail in a line.
const DETAIL_MAX: usize = 200;

/// Digits of a call's key in a line.
const KEY_MAX: usize = 15;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunEnd {
    pub(super) run: String,
    /// `code: detail`, where it failed.
    pub(super) failure: Option<(String, String)>,
}

/// The end of a run that `post` tells of.
pub(super) fn run_end(post: &Post) -> Option<RunEnd> {
    let data = post.data.as_object().filter(|_| post.kind.as_str() == TRACE)?;
    let run = word(data, "run").to_owned();
    match (post.key.as_str(), word(data, "what"), word(data, "status")) {
        ("failure_detected", "run", _) => {
            let failure = Some((word(data, "code").to_owned(), word(data, "detail").to_owned()));
            Some(RunEnd { run, failure })
        }
        ("run_finished", _, "done") => Some(RunEnd { run, failure: None }),
        _ => None,
    }
}

/// The first code of an answer that `post` says was sent back.
pub(super) fn sent_back(post: &Post) -> Option<Code> {
    let data =
        post.data.as_object().filter(|_| post.kind.as_str() == TRACE && post.key.as_str() == "correction_sent")?;
    let first = word(data, "codes").split(' ').next()?;
    Code::ALL.iter().find(|code| code.as_str() == first).copied()
}

/// Tells of an entry.
pub(super) fn tell(live: Live, post: &Post) {
    let Some(data) = post.data.as_object() else { return };
    let (event, line) = match post.kind.as_str() {
        TRACE => (post.key.as_str(), of_trace(post.key.as_str(), data)),
        CALL => ("call", of_call(data)),
        APPROVAL => ("approval", of_approval(post.key.as_str(), data)),
        _ => return,
    };
    let mut members = Object::new();
    members.set("event", Value::string(event.to_owned()));
    if post.kind.as_str() == APPROVAL {
        members.set("id", Value::string(post.key.as_str().to_owned()));
    }
    for (name, value) in data.iter() {
        members.set(name.to_owned(), value.clone());
    }
    live.event(line.as_deref(), members);
}

fn of_trace(event: &str, data: &Object<'_>) -> Option<String> {
    let who = || who(data);
    let why = || format!("{}: {}", word(data, "code"), clip(word(data, "detail"), DETAIL_MAX));
    Some(match event {
        "task_started" => {
            let strategy = word(data, "strategy");
            let what = if strategy.is_empty() { "agents by hand".to_owned() } else { format!("strategy {strategy}") };
            format!("task: {what}, for {}", word(data, "person"))
        }
        "task_finished" => format!("task: {}", word(data, "status")),
        "charter_changed" => "task: goes on under another charter".to_owned(),
        // What an agent may not delegate has been told of.
        "agent_invocation_refused" if word(data, "caller").starts_with("agent ") => return None,
        "agent_invocation_refused" => format!("{}: may not be invoked: {}", word(data, "agent"), why()),
        "delegation_refused" => format!("{}: may not delegate: {}", who(), why()),
        "slice_given" => format!("{}: begins", who()),
        "model_called" => {
            format!("{}: answered ({} + {} tokens)", who(), number(data, "tokens_in"), number(data, "tokens_out"))
        }
        // A call that waited when another charter was taken up is no run's doing.
        "tool_refused" if who().is_empty() => format!("{} may not be used any more: {}", word(data, "tool"), why()),
        "tool_refused" => format!("{}: may not use {}: {}", who(), word(data, "tool"), why()),
        "contract_violated" => format!("{}: its answer was refused (contract.violated)", who()),
        // What violates a contract has been told of by then.
        "correction_sent" if matches!(word(data, "codes"), "" | "contract.violated") => return None,
        "correction_sent" => format!("{}: its answer was refused ({})", who(), word(data, "codes")),
        "failure_detected" if word(data, "what") == "task" => format!("task: fails: {}", why()),
        "failure_detected" if word(data, "what") == "approval" => {
            format!("the word of {} does not count: {}", word(data, "by"), why())
        }
        "failure_detected" if word(data, "what") == "run" => format!("{}: failed: {}", who(), why()),
        "subtask_skipped" => format!("subtask {}: skipped", word(data, "subtask")),
        "run_finished" if word(data, "status") == "done" => format!("{}: done", who()),
        _ => return None,
    })
}

fn of_call(data: &Object<'_>) -> Option<String> {
    let (who, tool, key) = (who(data), word(data, "tool"), clip(word(data, "call"), KEY_MAX));
    let detail = || clip(word(data, "detail"), DETAIL_MAX);
    Some(match word(data, "state") {
        "intent" => format!("{who}: calls {tool} ({key})"),
        "done" => format!("{who}: {tool} is done"),
        "failed" => format!("{who}: {tool} failed: {}", clip(word(data, "result"), DETAIL_MAX)),
        "unknown" => format!("{who}: nobody knows how {tool} ended ({key}): {}", detail()),
        _ => return None,
    })
}

fn of_approval(id: &str, data: &Object<'_>) -> Option<String> {
    let (who, tool) = (who(data), word(data, "tool"));
    Some(match word(data, "state") {
        "requested" => format!("{who}: {tool} waits for a person ({id})"),
        "expired" => format!("{who}: nobody has decided on {tool} in time ({id})"),
        "void" => format!("{who}: {tool} is no longer asked for ({id})"),
        _ => return None,
    })
}

/// `r1 planner`
fn who(data: &Object<'_>) -> String {
    let (run, agent) = (word(data, "run"), word(data, "agent"));
    if run.is_empty() || agent.is_empty() { format!("{run}{agent}") } else { format!("{run} {agent}") }
}

fn number(data: &Object<'_>, name: &str) -> u64 {
    data.get(name).and_then(Value::as_u64).unwrap_or_default()
}

fn word<'o>(data: &'o Object<'_>, name: &str) -> &'o str {
    data.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Arguments on one line, clipped.
pub(super) fn arguments(value: Option<&Value<'_>>, characters_max: usize) -> String {
    let Some(value) = value else { return "no arguments".to_owned() };
    let text = compact(value);
    match text.chars().count().checked_sub(characters_max).filter(|more| *more > 0) {
        Some(more) => {
            format!("{} ({more} more characters: `pending --format json` shows all)", clip(&text, characters_max))
        }
        None => text,
    }
}
