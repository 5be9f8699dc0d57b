//! What came of a task: nothing of it is random, and no digest is in it.

use super::play::Play;
use crate::board::{BATON, FACT, PATCH};
use crate::conformance::asked::Wrong;
use crate::conformance::outputs::standing;
use crate::conformance::spending;
use crate::conformance::told::{number, object, refusals, text, texts, with};
use crate::engine::{APPROVAL, CALL, CHARTER, Ending, Invocation, Message, Metering, Request, Status};
use crate::entry::Kept;
use crate::json::{Object, Value, compact};
use crate::port::Memory as _;
use crate::trace::TRACE;

/// Members of what an entry says that tell a random name, a digest or words for people.
const UNTOLD: [&str; 8] = ["key", "call", "charter", "digest", "detail", "expires_at", "approval", "generation"];

/// So many entries are read at once.
const PAGE: usize = 1000;

impl Play<'_> {
    /// All that came of it.
    pub(super) fn told(&mut self) -> Result<Value<'static>, Wrong> {
        let mut told = object([
            ("asked", Value::Array(std::mem::take(&mut self.cast.asked))),
            ("invoked", Value::Array(self.bench.invoked.iter().map(invocation).collect())),
            ("metered", self.metered()),
            ("script", Value::Array(std::mem::take(&mut self.came))),
            ("requests", Value::Array(self.room.requests.iter().map(|asked| invocation(&asked.call)).collect())),
            ("doubts", Value::Array(self.room.doubts.iter().map(invocation).collect())),
        ]);
        if let Some(refused) = &self.refused {
            told = with(told, "refusals", refusals(refused.refusals()));
        }
        told = with(told, "entries", self.entries()?);
        told = with(told, "memory", self.kept()?);
        let mut board = self.open();
        if let Some(newest) = board.newest().map_err(|refused| refused.to_string())? {
            let mut baton = newest.baton.into_object();
            baton.remove("stamp");
            told = with(told, "baton", Value::Object(baton));
        }
        Ok(self.with_status(told))
    }

    /// In an order that does not come of the keys, which are digests.
    fn metered(&self) -> Value<'static> {
        let mut all: Vec<Value<'static>> = self.books.tally.recorded.values().map(metering).collect();
        all.sort_by_cached_key(compact);
        Value::Array(all)
    }

    fn with_status(&self, mut told: Value<'static>) -> Value<'static> {
        let Some(engine) = self.driver().map(|driver| driver.engine()) else { return told };
        told = with(told, "status", status(self.status()));
        told = with(told, "spent", spending::told(engine.account().spent()));
        told = with(told, "reserved", spending::told(engine.account().reserved()));
        told =
            with(told, "pending", Value::Array(engine.pending().iter().map(|asked| invocation(&asked.call)).collect()));
        told = with(told, "in_doubt", Value::Array(engine.doubts().iter().map(invocation).collect()));
        let ids = engine.strategy().map_or(&[][..], |strategy| strategy.subtasks.as_slice());
        let subtasks = standing(ids.iter().map(|subtask| subtask.id.as_str()).zip(engine.progress()));
        with(told, "subtasks", subtasks)
    }

    fn entries(&self) -> Result<Value<'static>, Wrong> {
        let (mut board, mut all, mut after) = (self.open(), Vec::new(), 0);
        loop {
            let page = board.page(after, PAGE).map_err(|refused| refused.to_string())?;
            let Some(last) = page.last() else { return Ok(Value::Array(all)) };
            after = last.record.seq;
            all.extend(page.iter().map(entry));
        }
    }

    /// What is kept for later tasks.
    fn kept(&mut self) -> Result<Value<'static>, Wrong> {
        let mut all = Object::new();
        for key in self.keys.clone() {
            let found = self.shelf.recall(&self.board.tenant, &key).map_err(|fault| fault.detail)?;
            if let Some(value) = found {
                all.set(key.as_str().to_owned(), value);
            }
        }
        Ok(Value::Object(all))
    }
}

fn status(status: Option<Status>) -> Value<'static> {
    match status {
        Some(Status::Over(Ending::Done)) => text("done"),
        Some(Status::Over(Ending::Failed { code, .. })) => object([("failed", text(code))]),
        Some(Status::Waiting) => text("waiting"),
        Some(Status::Working) => text("working"),
        None => Value::Null,
    }
}

fn entry(kept: &Kept) -> Value<'static> {
    let draft = &kept.entry.draft;
    let kind = draft.kind.as_str();
    let mut told =
        object([("kind", text(kind)), ("author", text(draft.author.as_str())), ("readers", draft.readers.to_value())]);
    match kind {
        TRACE => told = with(told, "event", text(draft.key.as_str())),
        FACT => told = with(told, "key", text(draft.key.as_str())),
        _ => {}
    }
    if [BATON, PATCH, CHARTER].contains(&kind) {
        return told;
    }
    let data = draft.data.clone();
    let data = if [TRACE, APPROVAL, CALL].contains(&kind) { without_names(data) } else { data };
    with(told, "data", data)
}

fn without_names(data: Value<'static>) -> Value<'static> {
    match data {
        Value::Object(mut members) => {
            UNTOLD.iter().for_each(|name| drop(members.remove(name)));
            Value::Object(members)
        }
        other => other,
    }
}

fn invocation(call: &Invocation) -> Value<'static> {
    let told =
        object([("tool", text(call.tool.as_str())), ("agent", text(call.agent.as_str())), ("run", number(call.run))]);
    match &call.arguments {
        Some(arguments) => with(told, "arguments", arguments.clone()),
        None => told,
    }
}

fn metering(metering: &Metering) -> Value<'static> {
    object([
        ("person", text(metering.person.as_str())),
        ("agent", text(metering.agent.as_str())),
        ("tokens_in", number(metering.usage.tokens_in)),
        ("tokens_out", number(metering.usage.tokens_out)),
    ])
}

/// What a model is asked.
pub(super) fn request(request: &Request<'_>, again: bool) -> Value<'static> {
    let mut told = object([
        ("agent", text(request.agent.name.as_str())),
        ("tenant", text(request.board.tenant.as_str())),
        ("task", text(request.board.task.as_str())),
        ("person", text(request.person.as_str())),
        ("intent", text(request.intent)),
        ("tools", texts(request.tools.iter().map(|tool| tool.name.as_str()))),
        ("agents", texts(request.agents.iter().map(|agent| agent.name.as_str()))),
        ("again", Value::Bool(again)),
    ]);
    let mut messages = Vec::new();
    for said in request.messages {
        match said {
            Message::Slice(slice) => {
                let mut data = Object::new();
                for (key, value) in &slice.data {
                    data.set(key.as_str().to_owned(), value.clone());
                }
                told = with(told, "baton", text(&slice.baton));
                told = with(told, "data", Value::Object(data));
                if let Some(input) = &slice.input {
                    told = with(told, "input", input.clone());
                }
            }
            Message::Agent(reply) => messages.push(object([("said", text(&reply.text))])),
            Message::Result(result) => messages.push(object([
                ("of", text(&result.of)),
                ("status", text(&result.status)),
                ("value", result.value.clone()),
            ])),
            Message::Correction(correction) => messages.push(object([("correction", text(correction))])),
        }
    }
    with(told, "messages", Value::Array(messages))
}
