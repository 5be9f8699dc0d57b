//! `pending`: what waits for people.

use relay_baton::baton::{Id, Timestamp};
use relay_baton::driver;
use relay_baton::engine::{APPROVAL, ApprovalRequest, CALL, Ending, Engine, Invocation, Status};
use relay_baton::entry::Kept;
use relay_baton::json::{self, Object, Value};
use relay_baton::store::Which;
use relay_baton::text::escape_hidden;

use super::{ending, place, story};
use crate::args::{BoardArgs, ListFormat, PendingArgs};
use crate::command::board;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Access, Opened, Target, is_taken};
use crate::settings;

/// Digits of a call's key that are shown where it is to be typed.
const DIGITS: usize = 12;

/// Characters of arguments that are shown.
const ARGUMENTS_MAX: usize = 50_000;

/// Lists what waits for people.
pub(in crate::command) fn run(args: &PendingArgs) -> Result<Done, Failure> {
    let mut opened = board::open(&args.board, Access::Read)?;
    let engine = driver::load(&mut opened.board).map_err(|refused| opened.refuse(refused))?;
    let Some(engine) = engine else { return Err(place::nothing(&opened)) };
    let lists = lists(&mut opened, &engine)?;
    let carried_out = carried_out(&args.board, &engine)?;
    let document = match args.format {
        ListFormat::Json => {
            let mut all = Object::new();
            set(&mut all, "status", status(&engine));
            if let Some(carried_out) = carried_out {
                all.set("carried_out", Value::Bool(carried_out));
            }
            for (name, list) in lists {
                all.set(name, list);
            }
            Document::json(json::pretty(&Value::Object(all)) + "\n")
        }
        ListFormat::Text => Document::plain(
            text(&lists, &engine, &ending::options(&args.board)) + &under_way(&engine, carried_out, args),
        ),
    };
    Ok(Done::with(document, Target::Stdout))
}

fn status(engine: &Engine) -> &'static str {
    match engine.status() {
        Status::Working => "working",
        Status::Waiting => "waiting",
        Status::Over(Ending::Done) => "done",
        Status::Over(Ending::Failed { .. }) => "failed",
    }
}

/// Whether a process carries the task out, where it is under way and that can be seen from here.
fn carried_out(args: &BoardArgs, engine: &Engine) -> Result<Option<bool>, Failure> {
    if engine.status() != Status::Working {
        return Ok(None);
    }
    let named = board::named_board(args)?;
    Ok(is_taken(&named.location, &named.id))
}

/// Who goes on with a task that waits for nobody.
fn under_way(engine: &Engine, carried_out: Option<bool>, args: &PendingArgs) -> String {
    if engine.status() != Status::Working {
        return String::new();
    }
    let resume = format!("baton-patch resume{}", ending::options(&args.board));
    match carried_out {
        Some(true) => "a task is under way, and a process carries it out\n".to_owned(),
        Some(false) => format!("a task is under way and nobody carries it out: {resume}\n"),
        None => format!("a task is under way; where no process carries it out: {resume}\n"),
    }
}

/// The option that names who may decide on calls of `tool`, and a sentence about that; nothing where anybody may.
pub(super) fn deciders(engine: &Engine, tool: &Id) -> (String, Option<String>) {
    let approvers = engine.charter().tools.get(tool).and_then(|tool| tool.approvers.as_ref());
    let Some(approvers) = approvers else { return (String::new(), None) };
    let names: Vec<&str> = approvers.iter().map(Id::as_str).collect();
    match names.first() {
        Some(first) => (format!(" --by {first}"), Some(format!("{} may decide", names.join(" or ")))),
        None => (String::new(), Some("nobody may decide".to_owned())),
    }
}

/// `r1: agent planner, step plan`
pub(super) fn answer_of(engine: &Engine, run: u64) -> String {
    let agent = engine.agent_of(run).map_or(String::new(), |agent| format!(": agent {agent}"));
    let step = engine.step_of(run).map_or(String::new(), |step| format!(", step {step}"));
    format!("the answer of r{run}{agent}{step}")
}

/// The beginning of a call's key, to be typed.
pub(super) fn short(key: &Id) -> String {
    key.as_str().trim_start_matches("sha256:").chars().take(DIGITS).collect()
}

/// `approvals`, `doubts` and `answers`, as JSON.
pub(super) fn lists(opened: &mut Opened, engine: &Engine) -> Result<Vec<(&'static str, Value<'static>)>, Failure> {
    let (mut approvals, mut doubts) = (Vec::new(), Vec::new());
    for request in engine.pending() {
        approvals.push(approval(opened, engine, &request)?);
    }
    for call in engine.doubts() {
        doubts.push(doubt(opened, engine, &call)?);
    }
    let answers = engine.external().map(|run| external(engine, run)).collect();
    Ok(vec![
        ("approvals", Value::Array(approvals)),
        ("doubts", Value::Array(doubts)),
        ("answers", Value::Array(answers)),
    ])
}

/// A run whose answer a person hands in.
fn external(engine: &Engine, run: u64) -> Value<'static> {
    let mut one = Object::new();
    set(&mut one, "run", &format!("r{run}"));
    for (name, id) in [("agent", engine.agent_of(run)), ("step", engine.step_of(run))] {
        if let Some(id) = id {
            set(&mut one, name, id.as_str());
        }
    }
    Value::Object(one)
}

fn approval(opened: &mut Opened, engine: &Engine, request: &ApprovalRequest) -> Result<Value<'static>, Failure> {
    let mut one = Object::new();
    set(&mut one, "id", request.id.as_str());
    about(&mut one, engine, &request.call);
    set(&mut one, "person", request.person.as_str());
    if let Some(until) = &request.expires_at {
        set(&mut one, "expires", until);
    }
    let newest = newest(opened, APPROVAL, request.id.as_str(), u64::MAX)?;
    word(&mut one, newest.as_ref(), &["granted", "denied"]);
    let until = request.expires_at.as_deref().and_then(Timestamp::parse);
    if one.get("decided").is_none() && until.is_some_and(|until| settings::moment(None).is_ok_and(|now| until <= now)) {
        one.set("expired", Value::Bool(true));
    }
    since(&mut one, opened, APPROVAL, request.id.as_str(), newest)?;
    Ok(Value::Object(one))
}

fn doubt(opened: &mut Opened, engine: &Engine, call: &Invocation) -> Result<Value<'static>, Failure> {
    let mut one = Object::new();
    set(&mut one, "key", call.key.as_str());
    set(&mut one, "short", &short(&call.key));
    about(&mut one, engine, call);
    let newest = newest(opened, CALL, call.key.as_str(), u64::MAX)?;
    if let Some(detail) = newest.as_ref().map(|kept| word_in(kept, "detail")).filter(|detail| !detail.is_empty()) {
        set(&mut one, "detail", detail);
    }
    word(&mut one, newest.as_ref(), &["resolved"]);
    since(&mut one, opened, CALL, call.key.as_str(), newest)?;
    Ok(Value::Object(one))
}

fn about(one: &mut Object<'static>, engine: &Engine, call: &Invocation) {
    set(one, "tool", call.tool.as_str());
    set(one, "agent", call.agent.as_str());
    set(one, "run", &format!("r{}", call.run));
    if let Some(step) = engine.step_of(call.run) {
        set(one, "step", step.as_str());
    }
    let approvers = engine.charter().tools.get(&call.tool).and_then(|tool| tool.approvers.as_ref());
    if let Some(approvers) = approvers {
        let names = approvers.iter().map(|name| Value::string(name.as_str().to_owned()));
        one.set("approvers", Value::Array(names.collect()));
    }
    if let Some(arguments) = &call.arguments {
        one.set("arguments", arguments.clone());
    }
}

/// A word that was given and waits to be heard.
fn word(one: &mut Object<'static>, newest: Option<&Kept>, states: &[&str]) {
    let Some(kept) = newest.filter(|kept| states.contains(&word_in(kept, "state"))) else { return };
    let mut decided = Object::new();
    set(&mut decided, "state", word_in(kept, "state"));
    set(&mut decided, "by", kept.record.author.as_str());
    set(&mut decided, "at", kept.entry.draft.at.as_str());
    one.set("decided", Value::Object(decided));
}

/// When it was put before people: the time of the entry before the word, if there is one.
fn since(
    one: &mut Object<'static>,
    opened: &mut Opened,
    kind: &str,
    key: &str,
    newest_entry: Option<Kept>,
) -> Result<(), Failure> {
    let kept = match newest_entry {
        Some(kept) if one.get("decided").is_some() => newest(opened, kind, key, kept.record.seq)?,
        other => other,
    };
    if let Some(kept) = kept {
        set(one, "since", kept.entry.draft.at.as_str());
    }
    Ok(())
}

pub(super) fn newest(opened: &mut Opened, kind: &str, key: &str, before: u64) -> Result<Option<Kept>, Failure> {
    let (kind, key) = (settings::id("kind", kind)?, settings::id("key", key)?);
    let kept = opened.board.entry(Which::Newest { kind: &kind, key: &key, before });
    kept.map_err(|refused| opened.refuse(refused))
}

fn text(lists: &[(&'static str, Value<'static>)], engine: &Engine, options: &str) -> String {
    let items = |name: &str| {
        let list = lists.iter().find(|(known, _)| *known == name).and_then(|(_, list)| list.as_array());
        list.unwrap_or_default().iter().filter_map(Value::as_object)
    };
    let mut out = String::new();
    for one in items("approvals") {
        push(&mut out, &format!("approval {}", said(one, "id")), one);
        if one.get("decided").is_none() && one.get("expired").is_none() {
            let id = said(one, "id");
            suggest(&mut out, engine, one, [format!("approve {id}"), format!("deny {id} --why \"…\"")], options);
        }
    }
    for one in items("doubts") {
        push(&mut out, &format!("in doubt {} ({})", said(one, "short"), said(one, "key")), one);
        if one.get("decided").is_none() {
            let resolve = |end: &str| format!("resolve {} --{end}", said(one, "short"));
            suggest(&mut out, engine, one, [resolve("happened"), resolve("did-not-happen")], options);
        }
    }
    for run in engine.external() {
        out.push_str(&format!("{}\n  baton-patch step leave r{run} ANSWER{options}\n", answer_of(engine, run)));
    }
    if out.is_empty() {
        out.push_str(match engine.status() {
            Status::Over(_) => "nothing waits: the task is over\n",
            Status::Waiting => "nothing waits for a person\n",
            Status::Working => "",
        });
    }
    out
}

/// Who may say something, and the commands that do.
fn suggest(out: &mut String, engine: &Engine, one: &Object<'_>, words: [String; 2], options: &str) {
    let (by, who) = Id::new(said(one, "tool")).map(|tool| deciders(engine, &tool)).unwrap_or_default();
    let commands = words.map(|words| format!("baton-patch {words}{by}{options}"));
    for line in who.into_iter().chain(commands) {
        out.push_str(&format!("  {line}\n"));
    }
}

fn push(out: &mut String, heading: &str, one: &Object<'_>) {
    let step = if said(one, "step").is_empty() { String::new() } else { format!(", step {}", said(one, "step")) };
    let who = format!("{}: {} by {} ({}{step})", heading, said(one, "tool"), said(one, "agent"), said(one, "run"));
    let mut line = |text: &str| {
        out.push_str(&escape_hidden(text));
        out.push('\n');
    };
    line(&who);
    line(&format!("  {}", story::arguments(one.get("arguments"), ARGUMENTS_MAX)));
    let person = if said(one, "person").is_empty() { String::new() } else { format!(" for {}", said(one, "person")) };
    let until = match (said(one, "expires"), one.get("expired")) {
        ("", _) => String::new(),
        (until, None) => format!(", until {until}"),
        (until, Some(_)) => format!(", expired at {until}: `resume` tells the agent so"),
    };
    line(&format!("  since {}{person}{until}", said(one, "since")));
    if !said(one, "detail").is_empty() {
        line(&format!("  {}", said(one, "detail")));
    }
    if let Some(decided) = one.get("decided").and_then(Value::as_object) {
        line(&format!("  {} by {}: `resume` goes on", said(decided, "state"), said(decided, "by")));
    }
}

fn said<'o>(one: &'o Object<'_>, name: &str) -> &'o str {
    one.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn word_in<'k>(kept: &'k Kept, name: &str) -> &'k str {
    kept.entry.draft.data.as_object().map_or("", |data| said(data, name))
}

fn set(object: &mut Object<'static>, name: &'static str, text: &str) {
    object.set(name, Value::string(text.to_owned()));
}
