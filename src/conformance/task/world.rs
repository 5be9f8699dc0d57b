//! Models, tools, people and a meter that do as the request says, and remember what was asked of them.

use std::collections::BTreeMap;

use super::disk::Life;
use super::told;
use crate::baton::Id;
use crate::charter::Tool;
use crate::count::TokenCounter;
use crate::engine::{ApprovalRequest, Invocation, Metering, Outcome, Request, Usage};
use crate::json::{Limits, Value, compact};
use crate::port::{Answer, Approvals, Meter, Model, Tally, Toolbox, Word};
use crate::refusal::Code;
use crate::reply::{Expected, Reply};
use crate::store::Fault;

/// A counter that everybody has: four bytes are a token.
pub(super) struct Quarters;

impl TokenCounter for Quarters {
    fn encoding(&self) -> &str {
        "o200k_base"
    }

    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    fn adds_up_by_line(&self) -> bool {
        false
    }
}

/// One answer of a model, as it is scripted.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// What it says; else why it fails.
    pub(super) said: Result<String, String>,
    pub(super) usage: Usage,
}

/// Models that say their lines. Asked again with the same key, they say the same again.
pub(super) struct Cast {
    pub(super) life: Life,
    pub(super) lines: BTreeMap<String, Vec<Line>>,
    pub(super) said: BTreeMap<String, Line>,
    pub(super) asked: Vec<Value<'static>>,
}

impl Model for Cast {
    fn ask(&mut self, request: &Request<'_>) -> Answer {
        let agent = &request.agent.name;
        if self.life.is_over() {
            return Answer::Failed(String::new(), Usage::default());
        }
        self.asked.push(told::request(request, self.said.contains_key(&request.key)));
        let line = match self.said.get(&request.key) {
            Some(line) => line.clone(),
            None => self.next(agent),
        };
        self.said.insert(request.key.clone(), line.clone());
        self.life.reach(&format!("model {agent}"));
        let expected = Expected { agent, request: &request.key };
        match line.said {
            Ok(text) => {
                Answer::Replied(Reply::read(&text, &Limits::default(), &expected).map_err(Into::into), line.usage)
            }
            Err(why) => Answer::Failed(why, line.usage),
        }
    }
}

impl Cast {
    fn next(&mut self, agent: &Id) -> Line {
        match self.lines.get_mut(agent.as_str()) {
            Some(lines) if !lines.is_empty() => lines.remove(0),
            _ => Line { said: Err("it has nothing more to say".to_owned()), usage: Usage::default() },
        }
    }
}

/// Tools that come to what is scripted, in turn; the last outcome stays.
pub(super) struct Bench {
    pub(super) life: Life,
    pub(super) outcomes: BTreeMap<String, Vec<Outcome>>,
    pub(super) invoked: Vec<Invocation>,
}

impl Toolbox for Bench {
    fn invoke(&mut self, call: &Invocation, _: &Tool) -> Outcome {
        if self.life.is_over() {
            return Outcome::Unknown(String::new());
        }
        self.invoked.push(call.clone());
        self.life.reach(&format!("tool {}", call.tool));
        match self.outcomes.get_mut(call.tool.as_str()) {
            Some(outcomes) if outcomes.len() > 1 => outcomes.remove(0),
            Some(outcomes) => outcomes.first().cloned().unwrap_or_else(|| done("ok")),
            None => done("ok"),
        }
    }
}

fn done(text: &str) -> Outcome {
    Outcome::Done(Value::string(text.to_owned()))
}

/// People: what was put before them, and what they have said since they were last listened to.
#[derive(Default)]
pub(super) struct Room {
    pub(super) life: Life,
    pub(super) requests: Vec<ApprovalRequest>,
    pub(super) doubts: Vec<Invocation>,
    pub(super) words: Vec<Word>,
}

impl Approvals for Room {
    fn request(&mut self, request: &ApprovalRequest) {
        if !self.life.is_over() && !self.requests.contains(request) {
            self.requests.push(request.clone());
            self.life.reach(&format!("request {}", request.call.tool));
        }
    }

    fn doubt(&mut self, call: &Invocation) {
        if !self.life.is_over() && !self.doubts.contains(call) {
            self.doubts.push(call.clone());
        }
    }

    fn words(&mut self) -> Vec<Word> {
        if self.life.is_over() { Vec::new() } else { std::mem::take(&mut self.words) }
    }
}

/// An account that tells each record of it, repeated ones too.
#[derive(Default)]
pub(super) struct Books {
    pub(super) life: Life,
    pub(super) tally: Tally,
    /// How often each key was brought.
    pub(super) records: u64,
}

impl Meter for Books {
    fn record(&mut self, metering: &Metering) -> Result<(), Fault> {
        if self.life.is_over() {
            return Err(Fault::new(Code::StoreUnavailable, "the process has ended"));
        }
        self.records = self.records.saturating_add(1);
        let recorded = self.tally.record(metering);
        self.life.reach("meter");
        recorded
    }
}

/// The text of a reply that is scripted as a text or as JSON.
pub(super) fn reply_text(value: &Value<'_>) -> String {
    value.as_str().map_or_else(|| compact(value), str::to_owned)
}
