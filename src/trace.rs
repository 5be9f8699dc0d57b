//! Traces: entries that show that a rule was applied. They claim nothing about the agent.
//!
//! A trace is an entry of kind [`TRACE`] whose key is the event's name, by the author [`AUTHOR`], readable by no agent.

use crate::baton::Id;
use crate::json::{Object, Value};
use crate::refusal::Refusal;

/// The kind of an entry that holds a trace.
pub const TRACE: &str = "trace";

/// Who writes what no agent and no person wrote. No agent may bear this name.
pub const AUTHOR: &str = "relay-baton";

macro_rules! events {
    ($($variant:ident $text:literal $doc:literal;)*) => {
        /// What was shown to have happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Event {
            $(#[doc = $doc] $variant,)*
        }

        impl Event {
            /// Every event, in the order of this table.
            pub const ALL: &'static [Event] = &[$(Event::$variant,)*];

            /// Its name, such as `agent_invocation_authorized`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

events! {
    TaskStarted "task_started" "A strategy was started for a person.";
    TaskFinished "task_finished" "Nothing of the task is left to do.";
    CharterChanged "charter_changed" "A task goes on under another charter.";
    AgentInvocationAuthorized "agent_invocation_authorized" "A caller may invoke an agent.";
    AgentInvocationRefused "agent_invocation_refused" "A caller may not invoke an agent; nothing was spent.";
    FailureDetected "failure_detected" "Something failed or was refused.";
    DelegationAuthorized "delegation_authorized" "An agent may delegate to another.";
    DelegationRefused "delegation_refused" "An agent may not delegate to another; nothing was spent.";
    SliceGiven "slice_given" "An agent was given its slice.";
    ModelCalled "model_called" "A model call was metered against the person who asked.";
    ToolRefused "tool_refused" "An agent may not use a tool; nothing was spent.";
    CeilingReached "ceiling_reached" "A reservation would go over a limit.";
    ContractMet "contract_met" "An output meets its agent's contract.";
    ContractViolated "contract_violated" "An output does not meet its agent's contract; nobody sees it.";
    CorrectionSent "correction_sent" "An agent was told what is wrong with its answer.";
    GaveUp "gave_up" "An agent has no correction left.";
    SubtaskSkipped "subtask_skipped" "A subtask was not begun, and nothing was spent.";
    GapRecorded "gap_recorded" "What a subtask consumes is not there, and blocks those after it.";
    Progressed "progressed" "A task was saved, and nothing else is to be told.";
    RunFinished "run_finished" "A run of an agent has come to its end.";
}

/// One trace before it is an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// What happened.
    pub event: Event,
    /// The particulars.
    pub data: Object<'static>,
}

impl Trace {
    /// A trace with no particulars yet.
    #[must_use]
    pub fn new(event: Event) -> Self {
        Self { event, data: Object::new() }
    }

    /// The same with the particular `name`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Particular>) -> Self {
        self.data.set(name, value.into().0);
        self
    }

    /// The same with the code and the detail of a refusal.
    #[must_use]
    pub fn because(self, refusal: &Refusal) -> Self {
        self.with("code", refusal.code.as_str()).with("detail", refusal.detail.as_str())
    }
}

/// A value that can be a particular of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Particular(Value<'static>);

impl From<&str> for Particular {
    fn from(text: &str) -> Self {
        Self(Value::string(text.to_owned()))
    }
}

impl From<String> for Particular {
    fn from(text: String) -> Self {
        Self(Value::string(text))
    }
}

impl From<&Id> for Particular {
    fn from(id: &Id) -> Self {
        id.as_str().into()
    }
}

impl From<u64> for Particular {
    fn from(value: u64) -> Self {
        Self(Value::integer(value))
    }
}

impl From<bool> for Particular {
    fn from(value: bool) -> Self {
        Self(Value::Bool(value))
    }
}

impl From<Value<'static>> for Particular {
    fn from(value: Value<'static>) -> Self {
        Self(value)
    }
}

impl<'i> FromIterator<&'i Id> for Particular {
    fn from_iter<T: IntoIterator<Item = &'i Id>>(ids: T) -> Self {
        Self(Value::Array(ids.into_iter().map(|id| Value::string(id.as_str().to_owned())).collect()))
    }
}
