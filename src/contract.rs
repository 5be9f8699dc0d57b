//! Contracts: an agent's output is held against its JSON Schema before anybody can see it.
//!
//! The validator is a port. Where a contract is declared and nothing can validate it, nothing passes.

use std::borrow::Cow;

use crate::charter::{Agent, Charter};
use crate::json::{Value, pointer};
use crate::refusal::{Code, Refusal, Refused};
use crate::text::{clip, escape_message, quote};
use crate::trace::{Event, Trace};

/// So many violations are told to the agent.
const TOLD_MAX: usize = 32;

/// Characters of one violation's detail.
const DETAIL_MAX: usize = 400;

/// One place of an output that does not meet its schema.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Violation {
    /// Where in the output: a JSON Pointer (RFC 6901).
    pub at: String,
    /// What is wrong, in one line.
    pub detail: String,
}

/// Holds values against JSON Schemas (draft 2020-12).
pub trait Validator {
    /// Whether `schema` is a schema that this validator can read.
    ///
    /// # Errors
    /// Why not, in one line.
    fn check_schema(&self, schema: &Value<'_>) -> Result<(), String>;

    /// Everywhere that `output` does not meet `schema`; empty where it does.
    ///
    /// # Errors
    /// Why it could not be found out, in one line.
    fn validate(&self, schema: &Value<'_>, output: &Value<'_>) -> Result<Vec<Violation>, String>;
}

/// Whether every schema of `charter` can be held to.
///
/// # Errors
/// `contract.validator` for each agent's contract, and each tool's arguments, that there is no validator for, or that it
/// cannot read.
pub fn check(charter: &Charter, validator: Option<&dyn Validator>) -> Result<(), Refused> {
    let contracts = charter.agents.values().filter_map(|agent| {
        let at = pointer::child(&pointer::child("/agent", agent.name.as_str()), "contract");
        Some((at, format!("the contract of agent {}", quote(agent.name.as_str())), agent.contract.as_ref()?))
    });
    let arguments = charter.tools.values().filter_map(|tool| {
        let at = pointer::child(&pointer::child("/tool", tool.name.as_str()), "arguments");
        Some((at, format!("the arguments of tool {}", quote(tool.name.as_str())), tool.arguments.as_ref()?))
    });
    let refusals = contracts.chain(arguments).filter_map(|(at, what, schema)| {
        let why = match validator {
            Some(validator) => validator.check_schema(schema).err().map(|why| line(&why).into_owned())?,
            None => "there is no validator: give one, or leave it out".to_owned(),
        };
        Some(Refusal::new(Code::ContractValidator, at, format!("{what} cannot be validated: {why}")))
    });
    Refused::unless_empty(refusals.collect(), ())
}

/// What becomes of an output.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It meets its contract, or there is none: it may be published.
    Met,
    /// It goes back to the agent.
    Correct {
        /// Corrections that are left after this one.
        left: u64,
        /// What is wrong: `contract.violated`, each with its place in the output.
        refused: Refused,
    },
    /// The agent has no correction left, or nothing can validate its output: the run fails, and nothing is published.
    GiveUp {
        /// What is wrong: `contract.violated` or `contract.validator`.
        refused: Refused,
    },
}

/// What becomes of `output` of `agent`, which has so many corrections left, and what is to be traced.
///
/// The traces hold nothing of the output, no value and no name. What is told to the agent may quote it.
#[must_use]
pub fn judge(validator: Option<&dyn Validator>, agent: &Agent, output: &Value<'_>, left: u64) -> (Verdict, Vec<Trace>) {
    let Some(schema) = &agent.contract else { return (Verdict::Met, Vec::new()) };
    let found = match validator {
        Some(validator) => validator.validate(schema, output),
        None => Err("there is no validator".to_owned()),
    };
    let Ok(violations) = found else { return unjudged(agent) };
    let count = u64::try_from(violations.len()).unwrap_or(u64::MAX);
    match Refused::unless_empty(told(violations), ()) {
        Ok(()) => (Verdict::Met, vec![Trace::new(Event::ContractMet).with("agent", &agent.name)]),
        Err(refused) => violated(agent, refused, count, left),
    }
}

fn violated(agent: &Agent, refused: Refused, count: u64, left: u64) -> (Verdict, Vec<Trace>) {
    let after = left.saturating_sub(1);
    let trace = Trace::new(Event::ContractViolated).with("agent", &agent.name).with("violations", count);
    let mut traces = vec![trace.with("left", after)];
    if left > 0 {
        traces.push(Trace::new(Event::CorrectionSent).with("agent", &agent.name).with("left", after));
        return (Verdict::Correct { left: after, refused }, traces);
    }
    let detail = format!("the output violates the contract of agent {}", quote(agent.name.as_str()));
    traces.extend(gave_up(agent, &Refusal::new(Code::ContractViolated, "", detail)));
    (Verdict::GiveUp { refused }, traces)
}

/// The validator's own words may quote the output, so they are left out.
fn unjudged(agent: &Agent) -> (Verdict, Vec<Trace>) {
    let detail =
        format!("nothing can validate the output against the contract of agent {}", quote(agent.name.as_str()));
    let refusal = Refusal::new(Code::ContractValidator, "", detail);
    let traces = gave_up(agent, &refusal);
    (Verdict::GiveUp { refused: refusal.into() }, traces.into())
}

fn gave_up(agent: &Agent, refusal: &Refusal) -> [Trace; 2] {
    let failure = Trace::new(Event::FailureDetected).with("what", "contract").with("agent", &agent.name);
    [Trace::new(Event::GaveUp).with("agent", &agent.name), failure.because(refusal)]
}

/// The violations as they are told to the agent: the first of them, each in one line.
fn told(violations: Vec<Violation>) -> Vec<Refusal> {
    let more = violations.len().saturating_sub(TOLD_MAX);
    let mut refusals: Vec<Refusal> = violations
        .into_iter()
        .take(TOLD_MAX)
        .map(|violation| Refusal::new(Code::ContractViolated, violation.at, line(&violation.detail)))
        .collect();
    if more > 0 {
        refusals.push(Refusal::new(Code::ContractViolated, "", format!("{more} more places violate the contract")));
    }
    refusals
}

fn line(detail: &str) -> Cow<'_, str> {
    match clip(detail, DETAIL_MAX) {
        Cow::Borrowed(detail) => escape_message(detail),
        Cow::Owned(clipped) => Cow::Owned(escape_message(&clipped).into_owned()),
    }
}

#[cfg(test)]
#[path = "contract_test.rs"]
mod tests;
