//! Approvals: a person's word on one call, bound to what exactly is to be called, and good once.
//!
//! ```text
//!  requested ─Grant→ granted ─Consume→ consumed
//!     │ │ │            │ └─────Tick────→ expired
//!     │ │ └─Tick→ expired      └─Void──→ void
//!     │ └─Void→ void
//!     └─Deny→ denied
//! ```
//!
//! An approval can be decided and used until the moment `expires_at`, and no longer at that moment itself.

use sha2::{Digest as _, Sha256};

use crate::baton::{Id, Timestamp};
use crate::call::framed;
use crate::entry::{BoardId, Reference};
use crate::json::{self, Value};
use crate::refusal::{Code, Refusal};
use crate::text::quote;

/// What an approval is of: the digest of the words `relay-baton approval v1`, the tenant, the task, the run, the agent, the
/// tool, and the canonical form (RFC 8785) of the arguments, framed as in [`call::key`](crate::call::key). It is `sha256:`
/// and 64 hexadecimal digits.
#[must_use]
pub fn digest(task: &BoardId, run: &str, agent: &Id, tool: &Id, arguments: Option<&Value<'_>>) -> String {
    let parts = [task.tenant.as_str(), task.task.as_str(), run, agent.as_str(), tool.as_str()];
    json::digest(&framed("relay-baton approval v1", &parts, arguments))
}

/// The name of the approval that is asked for in the attempt of that number: the first 80 bits of a digest over both.
#[must_use]
pub fn id(digest: &str, attempt: u64) -> Reference {
    let hash = Sha256::digest(framed("relay-baton approval id v1", &[digest, &attempt.to_string()], None));
    let mut first = [0; 10];
    first.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    Reference::from_random(first)
}

/// How far an approval is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// A person has been asked.
    Requested,
    /// A person granted it, and it was not used yet.
    Granted,
    /// A person denied it.
    Denied,
    /// Nobody decided, or nobody used it, in time.
    Expired,
    /// It was granted and used.
    Consumed,
    /// What was to be approved is no longer asked for.
    Void,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 6] =
        [Self::Requested, Self::Granted, Self::Denied, Self::Expired, Self::Consumed, Self::Void];

    /// Its name, such as `granted`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Granted => "granted",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Consumed => "consumed",
            Self::Void => "void",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether it can still be decided or used.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Requested | Self::Granted)
    }
}

/// Who decided, when, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The person.
    pub by: Id,
    /// When.
    pub at: Timestamp,
    /// In their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a person is, or was, asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Its name.
    pub id: Reference,
    /// What it is of; see [`digest`].
    pub digest: String,
    /// How far it is.
    pub state: State,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// From when on it can be neither decided nor used; never, where it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What was decided, whether granted or denied; it stays when the approval is used, expires or is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}

/// What happens to an approval.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A person grants it.
    Grant {
        /// The person.
        by: Id,
    },
    /// A person denies it.
    Deny {
        /// The person.
        by: Id,
        /// In their words.
        why: Option<String>,
    },
    /// Time went by.
    Tick,
    /// A call is about to begin on the strength of it.
    Consume {
        /// What the call is, as [`digest`] tells.
        digest: String,
    },
    /// What was to be approved is no longer asked for.
    Void,
}

impl Approval {
    /// An approval that is asked for at `now`, to be decided and used within so many seconds.
    #[must_use]
    pub fn request(id: Reference, digest: String, now: &Timestamp, seconds: Option<u64>) -> Self {
        // A moment after the year 9999 cannot be written, and does not come.
        let expires_at = seconds.and_then(|seconds| now.plus_seconds(seconds));
        Self { id, digest, state: State::Requested, requested_at: now.clone(), expires_at, decision: None }
    }

    /// The approval after `event` at `now`. The same decision by the same person once more changes nothing.
    ///
    /// # Errors
    /// `approval.decided` where it was decided otherwise, by somebody else, or used; `approval.expired` where it is too
    /// late; `approval.void`; `approval.mismatch` where the call is another; `call.state` where it is to be used and
    /// nobody has decided.
    pub fn step(&self, event: Event, now: &Timestamp) -> Result<Self, Refusal> {
        match event {
            Event::Grant { by } => self.decide(State::Granted, by, None, now),
            Event::Deny { by, why } => self.decide(State::Denied, by, why, now),
            Event::Tick if self.state.is_open() && self.is_late(now) => Ok(self.turned(State::Expired)),
            Event::Tick => Ok(self.clone()),
            Event::Consume { digest } => self.consume(&digest, now),
            Event::Void if self.state == State::Void => Ok(self.clone()),
            Event::Void if self.state.is_open() => Ok(self.turned(State::Void)),
            Event::Void => Err(self.over()),
        }
    }

    fn decide(&self, state: State, by: Id, why: Option<String>, now: &Timestamp) -> Result<Self, Refusal> {
        if self.state.is_open() && self.is_late(now) {
            return Err(self.late());
        }
        if self.state == State::Requested {
            let decision = Some(Decision { by, at: now.clone(), why });
            return Ok(Self { state, decision, ..self.clone() });
        }
        let stands = if self.state == State::Consumed { State::Granted } else { self.state };
        let same = stands == state && self.decision.as_ref().is_some_and(|decision| decision.by == by);
        if same { Ok(self.clone()) } else { Err(self.over()) }
    }

    fn consume(&self, digest: &str, now: &Timestamp) -> Result<Self, Refusal> {
        if self.digest != digest {
            let detail = format!("approval `{}` is of another call: ask for one of this", self.id);
            return Err(Refusal::new(Code::ApprovalMismatch, "", detail));
        }
        if self.state.is_open() && self.is_late(now) {
            return Err(self.late());
        }
        match self.state {
            State::Granted => Ok(self.turned(State::Consumed)),
            State::Requested => {
                let detail = format!("approval `{}` is not decided: wait for a person", self.id);
                Err(Refusal::new(Code::CallState, "", detail))
            }
            _ => Err(self.over()),
        }
    }

    /// Whether it can be neither decided nor used at `now`.
    #[must_use]
    pub fn is_late(&self, now: &Timestamp) -> bool {
        self.expires_at.as_ref().is_some_and(|end| now >= end)
    }

    fn turned(&self, state: State) -> Self {
        Self { state, ..self.clone() }
    }

    fn late(&self) -> Refusal {
        let end = self.expires_at.as_ref().map(Timestamp::as_str).unwrap_or_default();
        Refusal::new(
            Code::ApprovalExpired,
            "",
            format!("approval `{}` expired at {end}: it has to be asked for again", self.id),
        )
    }

    /// Why nothing can happen to it any more, or not that.
    fn over(&self) -> Refusal {
        match (self.state, &self.decision) {
            (State::Expired, _) => self.late(),
            (State::Void, _) => {
                let detail = format!("approval `{}` is void: its call is no longer asked for", self.id);
                Refusal::new(Code::ApprovalVoid, "", detail)
            }
            (state, decision) => {
                let what = if state == State::Denied { "denied" } else { "granted" };
                let who = decision
                    .as_ref()
                    .map(|decision| format!(" by {} at {}", quote(decision.by.as_str()), decision.at.as_str()));
                let used = if state == State::Consumed { ", and used" } else { "" };
                let detail = format!("approval `{}` was {what}{}{used}", self.id, who.unwrap_or_default());
                Refusal::new(Code::ApprovalDecided, "", detail)
            }
        }
    }
}

#[cfg(test)]
#[path = "approval_test.rs"]
mod tests;
