//! Conformance: the rules of governance as vectors, and the protocol by which any implementation can be held to them.
//!
//! An implementation is asked by lines of JSON: each line is one request, an object with the members `id`, `op` and those of
//! the operation, and is answered by exactly one line, `{"id": …, "answer": …}` with the same `id`, or
//! `{"id": …, "error": TEXT}` where the request is none that the implementation knows. Requests are independent of one another:
//! nothing of one is remembered for the next.
//!
//! | `op` | what is asked | answer |
//! |---|---|---|
//! | `hello` | | `protocol`, `implementation`, `ops` |
//! | `charter` | `charter`, `files`, `validator` | `document`, or all `refusals` |
//! | `invoke` | `charter`, `caller`, `agent` | `agent` or `refusals`; `traces` |
//! | `tools` | `charter`, `chain`, `person`; `tool` | `tools`; of one: `tool` or `refusals` |
//! | `agents` | `charter`, `chain` | `agents` |
//! | `approver` | `charter`, `tool`, `person` | `person` or `refusals` |
//! | `delegate` | `charter`, `chain`, `target`, `spawns` | `agent` or `refusals`; `traces` |
//! | `account` | `limits`, `actions` | `steps`, `spent`, `reserved`, `free` |
//! | `call_key` | `calls` | `keys` |
//! | `approval_digest` | `calls` | `digests` |
//! | `call` | `side_effects`, `events` | `steps`, `settled`, `waits_for_person` |
//! | `approval` | `call`, `requested_at`, `seconds`, `events` | `steps`, `decided_by` |
//! | `judge` | `charter`, `agent`, `output`, `left`, `validator` | `verdict`, `left`, `refusals`, `traces` |
//! | `prerequisite` | `charter`, `strategy`, `events` | `steps`, `subtasks`, `over`, `traces` |
//! | `reply` | `text`, `agent`, `request`, `bytes_max` | `calls`, `delegations`, `output`, `has_patch`, or `refusals` |
//! | `task` | a whole task: charter, what agents, tools and people say, where the process dies | all that came of it |
//!
//! `tests/vectors/README.md` tells each member. [`Responder`] answers for this implementation, [`vectors`] are the vectors,
//! and [`check`] holds an answer to one of them:
//!
//! ```
//! use relay_baton::conformance::{Responder, check, vectors};
//!
//! let mut responder = Responder::new(None);
//! let keys = vectors().into_iter().filter(|vector| vector.request_op() == Some("call_key"));
//! for vector in keys {
//!     assert_eq!(check(&vector, &mut |line| Ok(responder.respond(line))), []);
//! }
//! ```

mod asked;
mod calls;
mod list;
mod matching;
mod outputs;
mod rights;
mod spending;
mod task;
mod told;
mod vector;

use crate::contract::Validator;
use crate::json::{self, Limits, Object, Value};

use asked::{Asked, Wrong};
use told::{object, text, texts};

pub use vector::{Mismatch, Vector, check, vectors};

/// The protocol that this version speaks.
pub const PROTOCOL: &str = "relay-baton-conformance/v1";

const OPS: [&str; 16] = [
    "hello",
    "charter",
    "invoke",
    "tools",
    "agents",
    "approver",
    "delegate",
    "account",
    "call_key",
    "approval_digest",
    "call",
    "approval",
    "judge",
    "prerequisite",
    "reply",
    "task",
];

/// Answers for this implementation.
pub struct Responder<'v> {
    validator: Option<&'v dyn Validator>,
}

impl<'v> Responder<'v> {
    /// One that holds outputs to their contracts with `validator`; without one, a charter that has a contract is refused.
    #[must_use]
    pub fn new(validator: Option<&'v dyn Validator>) -> Self {
        Self { validator }
    }

    /// The answer to one request, on one line without its end.
    pub fn respond(&mut self, line: &str) -> String {
        let mut answer = Object::new();
        let answered =
            json::read(line, &Limits::default()).map_err(|refusal| format!("the request is no JSON: {refusal}"));
        let id = answered.as_ref().ok().and_then(|request| request.as_object()?.get("id").cloned());
        answer.set("id", id.unwrap_or(Value::Null));
        match answered.and_then(|request| self.answer(&request)) {
            Ok(told) => answer.set("answer", told),
            Err(wrong) => answer.set("error", text(wrong)),
        }
        json::compact(&Value::Object(answer))
    }

    fn answer(&self, request: &Value<'_>) -> Result<Value<'static>, Wrong> {
        let asked = Asked::of_value(request, "a request")?;
        match asked.text("op")? {
            "hello" => Ok(hello()),
            "charter" => rights::charter(asked, self.validator),
            "invoke" => rights::invoke(asked),
            "tools" => rights::tools(asked),
            "agents" => rights::agents(asked),
            "approver" => rights::approver(asked),
            "delegate" => rights::delegate(asked),
            "account" => spending::account(asked),
            "call_key" => calls::call_key(asked),
            "approval_digest" => calls::approval_digest(asked),
            "call" => calls::call(asked),
            "approval" => calls::approval(asked),
            "judge" => outputs::judge(asked, self.validator),
            "prerequisite" => outputs::prerequisite(asked),
            "reply" => outputs::reply(asked),
            "task" => task::task(asked, self.validator),
            other => Err(format!("there is no operation {}", crate::text::quote(other))),
        }
    }
}

fn hello() -> Value<'static> {
    let implementation = concat!("relay-baton ", env!("CARGO_PKG_VERSION"));
    object([("protocol", text(PROTOCOL)), ("implementation", text(implementation)), ("ops", texts(OPS))])
}
