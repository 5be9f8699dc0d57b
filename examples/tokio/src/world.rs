//! The world: two models that take their time, a tool that cannot be taken back, and kim.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use relay_baton::baton::Id;
use relay_baton::engine::{ApprovalRequest, Decision, Input, Invocation, Message, Metering, Outcome, Request, Usage};
use relay_baton::json::{Limits, Value};
use relay_baton::reply::{Expected, Reply};
use tokio::time::sleep;

/// How long everybody takes for everything.
const PAUSE: Duration = Duration::from_millis(30);

/// What there is outside of the processes of a task.
#[derive(Debug, Default)]
pub(crate) struct World {
    asked_at_once: AtomicUsize,
    /// So many models were asked at the same time.
    pub(crate) asked_at_once_max: AtomicUsize,
    /// Announcements that were made.
    pub(crate) announced: AtomicUsize,
    /// Approvals that kim decided.
    pub(crate) decided: AtomicUsize,
    /// Calls of which kim said what became of them.
    pub(crate) resolved: AtomicUsize,
    /// Tokens that were metered.
    pub(crate) tokens: AtomicU64,
}

/// What a model is sent: a copy, which outlives the step.
#[derive(Debug)]
pub(crate) struct Question {
    agent: Id,
    messages: Vec<Message>,
}

impl Question {
    pub(crate) fn of(request: &Request<'_>) -> Self {
        Self { agent: request.agent.name.clone(), messages: request.messages.to_vec() }
    }
}

impl World {
    /// Asks a model. With none, its run is over by now, and it is not asked.
    pub(crate) async fn ask(&self, key: String, question: Option<Question>) -> Input {
        let Some(Question { agent, messages }) = question else {
            return Input::Unanswered { key, detail: "it was not asked".to_owned(), usage: Usage::default() };
        };
        let at_once = self.asked_at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.asked_at_once_max.fetch_max(at_once, Ordering::SeqCst);
        sleep(PAUSE).await;
        self.asked_at_once.fetch_sub(1, Ordering::SeqCst);
        let text = match (agent.as_str(), messages.last()) {
            ("speaker", Some(Message::Slice(_))) => {
                r#"{"tool_calls": {"tool": "announce", "arguments": {"text": "7 is out"}}}"#
            }
            ("speaker", _) => "Everybody knows.",
            ("reader", _) => "I found no fault.",
            (_, _) => "All that I tried worked.",
        };
        let reply = Reply::read(text, &Limits::default(), &Expected { agent: &agent, request: &key });
        Input::Replied { key, reply: reply.map_err(Into::into), usage: Usage { tokens_in: 400, tokens_out: 20 } }
    }

    /// Calls the tool of that name; there is but one.
    pub(crate) async fn invoke(&self, call: Invocation) -> Input {
        sleep(PAUSE).await;
        self.announced.fetch_add(1, Ordering::SeqCst);
        Input::Returned { key: call.key, outcome: Outcome::Done(Value::string("sent")) }
    }

    /// Kim thinks about it, and allows it.
    pub(crate) async fn decide(&self, request: ApprovalRequest) -> Input {
        sleep(PAUSE).await;
        self.decided.fetch_add(1, Ordering::SeqCst);
        let decision = Decision { by: id("kim"), granted: true, why: None };
        Input::Decided { approval: request.id, decision, entry: None }
    }

    /// Kim looks whether the announcement is there.
    pub(crate) async fn resolve(&self, call: Invocation) -> Input {
        sleep(PAUSE).await;
        self.resolved.fetch_add(1, Ordering::SeqCst);
        let happened = self.announced.load(Ordering::SeqCst) > 0;
        Input::Resolved { key: call.key, by: id("kim"), happened, result: None, entry: None }
    }

    /// Books what a model call cost. In earnest by its key, which is the same where it is booked again.
    pub(crate) fn meter(&self, metering: &Metering) {
        self.tokens.fetch_add(metering.usage.total(), Ordering::SeqCst);
    }
}

/// A name of this example.
#[expect(clippy::expect_used, reason = "they all stand in the source")]
pub(crate) fn id(name: &str) -> Id {
    Id::new(name).expect("it is a name")
}
