//! Tool calls: the states that one goes through, and the key by which it is known again.
//!
//! ```text
//!  requested ─Ask→ pending ─Grant→ approved ─Begin→ intent ─Finish→ done
//!     │               └─Deny, Expire→ denied ←Expire─┘  ├──Fail──→ failed
//!     └──────Begin, without side effects──────────────→ ┤
//!     ↑─────────────Lose, without side effects──────────┴──Lose──→ unknown ─Resolve→ resolved
//! ```
//!
//! A `pending` or `approved` call that is withdrawn, since what it was asked under has changed, is `requested` again.
//!
//! *Invariant.* Only `intent` starts the effect, and a call with side effects comes there from `approved` alone and once
//! alone. Where it got lost on the way, nobody asks for it again: a person says what became of it.

use crate::baton::Id;
use crate::json::{Value, canonical};
use crate::refusal::{Code, Refusal};

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// An agent asked for it.
    Requested,
    /// A person has been asked.
    Pending,
    /// A person has granted it.
    Approved,
    /// It is recorded that it is about to begin, and it may have.
    Intent,
    /// It came to its end, with a result.
    Done,
    /// It came to its end, with an error.
    Failed,
    /// It began, and nobody knows what became of it.
    Unknown,
    /// It was not granted, or not in time.
    Denied,
    /// A person said what became of it.
    Resolved,
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It needs a person.
    Ask,
    /// A person grants it.
    Grant,
    /// A person denies it.
    Deny,
    /// The time in which it could be granted, or begun, is over.
    Expire,
    /// What it was asked under has changed: whoever was asked is asked no longer.
    Withdraw,
    /// It is about to begin.
    Begin,
    /// It has a result.
    Finish,
    /// It has an error.
    Fail,
    /// Whoever began it is gone.
    Lose,
    /// A person found out.
    Resolve {
        /// Whether the effect took place.
        happened: bool,
    },
}

/// What has to be done once the new state is recorded, and not before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// A person is asked to approve it.
    RequestApproval,
    /// The tool is started.
    Start,
    /// The outcome is told to the agent.
    Tell,
    /// A person is asked what became of it.
    PutToPerson,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 9] = [
        Self::Requested,
        Self::Pending,
        Self::Approved,
        Self::Intent,
        Self::Done,
        Self::Failed,
        Self::Unknown,
        Self::Denied,
        Self::Resolved,
    ];

    /// Its name, such as `intent`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Intent => "intent",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Denied => "denied",
            Self::Resolved => "resolved",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl Event {
    /// Its name, such as `grant`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Grant => "grant",
            Self::Deny => "deny",
            Self::Expire => "expire",
            Self::Withdraw => "withdraw",
            Self::Begin => "begin",
            Self::Finish => "finish",
            Self::Fail => "fail",
            Self::Lose => "lose",
            Self::Resolve { .. } => "resolve",
        }
    }
}

/// The state after `event`, and what has to be done once that is recorded.
///
/// # Errors
/// `call.state` where that cannot happen in this state.
pub fn step(state: State, event: Event, side_effects: bool) -> Result<(State, Vec<Effect>), Refusal> {
    Ok(match (state, event) {
        (State::Requested, Event::Ask) if side_effects => (State::Pending, vec![Effect::RequestApproval]),
        (State::Requested, Event::Begin) if !side_effects => (State::Intent, vec![Effect::Start]),
        (State::Pending, Event::Grant) => (State::Approved, Vec::new()),
        (State::Pending, Event::Deny) | (State::Pending | State::Approved, Event::Expire) => {
            (State::Denied, vec![Effect::Tell])
        }
        (State::Pending | State::Approved, Event::Withdraw) => (State::Requested, Vec::new()),
        (State::Approved, Event::Begin) => (State::Intent, vec![Effect::Start]),
        (State::Intent, Event::Finish) => (State::Done, vec![Effect::Tell]),
        (State::Intent, Event::Fail) => (State::Failed, vec![Effect::Tell]),
        (State::Intent, Event::Lose) if side_effects => (State::Unknown, vec![Effect::PutToPerson]),
        (State::Intent, Event::Lose) => (State::Requested, Vec::new()),
        (State::Unknown, Event::Resolve { .. }) => (State::Resolved, vec![Effect::Tell]),
        _ => return Err(impossible(state, event, side_effects)),
    })
}

fn impossible(state: State, event: Event, side_effects: bool) -> Refusal {
    let kind = if side_effects { "with side effects" } else { "without side effects" };
    let detail = format!("a call {kind} that is `{}` cannot `{}`", state.name(), event.name());
    Refusal::new(Code::CallState, "", detail)
}

/// Whether nothing can happen to a call any more.
#[must_use]
pub fn is_settled(state: State) -> bool {
    matches!(state, State::Done | State::Failed | State::Denied | State::Resolved)
}

/// Whether a call waits for a person.
#[must_use]
pub fn waits_for_person(state: State) -> bool {
    matches!(state, State::Pending | State::Unknown)
}

/// The key of a call: `sha256:` and 64 hexadecimal digits of the digest of what it is.
///
/// That is the words `relay-baton call v1`, the subtask, the agent, the tool, and the canonical form (RFC 8785) of the
/// arguments, each with its length in bytes before it (64 bits, big-endian). Where there are no arguments there is no
/// fifth part, so that they are not the arguments `null`.
#[must_use]
pub fn key(subtask: &Id, agent: &Id, tool: &Id, arguments: Option<&Value<'_>>) -> Id {
    Id::of_digest(&framed("relay-baton call v1", &[subtask.as_str(), agent.as_str(), tool.as_str()], arguments))
}

/// The bytes of `domain`, `parts` and the canonical arguments, each with its length before it: no two lists of parts have
/// the same.
pub(crate) fn framed(domain: &str, parts: &[&str], arguments: Option<&Value<'_>>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    frame_into(&mut bytes, domain.as_bytes());
    for part in parts {
        frame_into(&mut bytes, part.as_bytes());
    }
    if let Some(arguments) = arguments {
        frame_into(&mut bytes, &canonical(arguments));
    }
    bytes
}

fn frame_into(bytes: &mut Vec<u8>, part: &[u8]) {
    let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
    bytes.extend(length.to_be_bytes());
    bytes.extend(part);
}

#[cfg(test)]
#[path = "call_test.rs"]
mod tests;
