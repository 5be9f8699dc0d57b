//! `pending`: what waits for people.

use relay_baton::baton::Id;
use relay_baton::driver;
use relay_baton::engine::{APPROVAL, ApprovalRequest, CALL, Engine, Invocation, Status};
use relay_baton::entry::Kept;
use relay_baton::json::{self, Object, Value};
use relay_baton::store::Which;
use relay_baton::text::escape_hidden;

use super::{place, story};
use crate::args::{ListFormat, PendingArgs};
use crate::command::board;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Access, Opened, Target};
use crate::settings;

/// Digits of a call's key that are shown where it is to be typed.
const DIGITS: usize = 12;

/// Characters of arguments that are shown.
const ARGUMENTS_MAX: usize = 2000;

/// Lists what waits for people.
pub(in crate::command) fn run(args: &PendingArgs) -> Result<Done, Failure> {
    let mut opened = board::open(&args.board, Access::Read)?;
    let engine = driver::load(&mut opened.board).map_err(|refused| opened.refuse(refused))?;
    let Some(engine) = engine else { return Err(place::nothing(&opened)) };
    let lists = lists(&mut opened, &engine)?;
    let document = match args.format {
        ListFormat::Json => {
            let mut all = Object::new();
            for (name, list) in lists {
                all.set(name, list);
            }
            Document::json(json::pretty(&Value::Object(all)) + "\n")
        }
        ListFormat::Text => Document::plain(text(&lists, &engine)),
    };
    Ok(Done::with(document, Target::Stdout))
}

/// The beginning of a call's key, to be typed.
pub(super) fn short(key: &Id) -> String {
    key.as_str().trim_start_matches("sha256:").chars().take(DIGITS).collect()
}

/// `approvals` and `doubts`, as JSON.
pub(super) fn lists(opened: &mut Opened, engine: &Engine) -> Result<Vec<(&'static str, Value<'static>)>, Failure> {
    let (mut approvals, mut doubts) = (Vec::new(), Vec::new());
    for request in engine.pending() {
        approvals.push(approval(opened, engine, &request)?);
    }
    for call in engine.doubts() {
        doubts.push(doubt(opened, engine, &call)?);
    }
    Ok(vec![("approvals", Value::Array(approvals)), ("doubts", Value::Array(doubts))])
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

fn text(lists: &[(&'static str, Value<'static>)], engine: &Engine) -> String {
    let items = |name: &str| {
        let list = lists.iter().find(|(known, _)| *known == name).and_then(|(_, list)| list.as_array());
        list.unwrap_or_default().iter().filter_map(Value::as_object)
    };
    let mut out = String::new();
    for one in items("approvals") {
        push(&mut out, &format!("approval {}", said(one, "id")), one);
    }
    for one in items("doubts") {
        push(&mut out, &format!("in doubt {} ({})", said(one, "short"), said(one, "key")), one);
    }
    for run in engine.external() {
        out.push_str(&format!("the answer of r{run}\n"));
    }
    if out.is_empty() {
        let over = matches!(engine.status(), Status::Over(_));
        out.push_str(if over { "nothing waits: the task is over\n" } else { "nothing waits for a person\n" });
    }
    out
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
    let until =
        if said(one, "expires").is_empty() { String::new() } else { format!(", until {}", said(one, "expires")) };
    line(&format!("  since {}{until}{person}", said(one, "since")));
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
