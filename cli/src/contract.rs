//! Holds outputs and arguments against JSON Schemas (draft 2020-12, or the draft that a schema names).
//!
//! A schema can be hostile, and so can what is held against it. So nothing is fetched or read for a `$ref`; patterns are
//! linear in the text that they are held against; and the work is done by a thread of its own, with a stack for the
//! deepest recursion that the limits leave room for, which is waited for only so long.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Display;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use boon::{CompileError, Compiler, Draft, ErrorKind, SchemaIndex, Schemas, UrlLoader, ValidationError};
use relay_baton::contract::{Validator, Violation};
use relay_baton::json::{self, Value};
use relay_baton::text::{clip, escape_message, quote};

/// So many places are told.
const VIOLATIONS_MAX: usize = 20;
/// Characters of what is wrong with one.
const DETAIL_MAX: usize = 300;
/// So many references may a schema have: each may be one more call on the stack, at each level of the value.
const REFERENCES_MAX: usize = 1000;
/// How long one schema, or one value, is looked at.
const PATIENCE: Duration = Duration::from_secs(10);
/// Room that is set aside, and taken only where it is used.
const STACK: usize = if cfg!(target_pointer_width = "64") { 1 << 30 } else { 64 << 20 };

/// The name under which a schema is known to itself.
const BASE: &str = "contract:///schema.json";

/// Schemas, each made ready once.
#[derive(Default)]
pub(crate) struct Contracts {
    ready: Mutex<HashMap<String, Result<Arc<Contract>, String>>>,
}

/// A schema that is ready to be held against values.
struct Contract {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Validator for Contracts {
    fn check_schema(&self, schema: &Value<'_>) -> Result<(), String> {
        self.contract(schema).map(drop)
    }

    fn validate(&self, schema: &Value<'_>, output: &Value<'_>) -> Result<Vec<Violation>, String> {
        let contract = self.contract(schema)?;
        let output = output.to_serde().map_err(|error| told(&error))?;
        aside(move || contract.violations(&output))?
    }
}

impl Contracts {
    /// The contract that `schema` is.
    fn contract(&self, schema: &Value<'_>) -> Result<Arc<Contract>, String> {
        let key = json::compact(schema);
        let known = self.ready.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let made = Contract::of(schema).map(Arc::new);
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        made
    }
}

impl Contract {
    fn of(schema: &Value<'_>) -> Result<Self, String> {
        if references(schema) > REFERENCES_MAX {
            return Err(format!("it has more than {REFERENCES_MAX} references"));
        }
        let schema = schema.to_serde().map_err(|error| told(&error))?;
        aside(move || {
            let contract = Self::compile(schema)?;
            // References that lead back to themselves are found only on the way.
            for probe in [serde_json::json!(null), serde_json::json!({}), serde_json::json!([]), serde_json::json!("")]
            {
                contract.violations(&probe)?;
            }
            Ok(contract)
        })?
    }

    fn compile(schema: serde_json::Value) -> Result<Self, String> {
        let mut compiler = Compiler::new();
        compiler.set_default_draft(Draft::V2020_12);
        compiler.use_loader(Box::new(Nowhere));
        compiler.add_resource(BASE, schema).map_err(|error| told(&error))?;
        let mut schemas = Schemas::new();
        let index = compiler.compile(BASE, &mut schemas).map_err(|error| refused(&error))?;
        Ok(Self { schemas, index })
    }

    /// Where `value` does not meet it.
    fn violations(&self, value: &serde_json::Value) -> Result<Vec<Violation>, String> {
        let Err(error) = self.schemas.validate(value, self.index) else { return Ok(Vec::new()) };
        let mut violations = Vec::new();
        for leaf in leaves(&error) {
            if let ErrorKind::RefCycle { .. } = leaf.kind {
                return Err(format!("its references lead back to themselves: {}", told(&leaf.kind)));
            }
            if violations.len() < VIOLATIONS_MAX {
                violations.push(Violation { at: leaf.instance_location.to_string(), detail: told(&leaf.kind) });
            }
        }
        Ok(violations)
    }
}

/// Where schemas are fetched from: nowhere.
struct Nowhere;

impl UrlLoader for Nowhere {
    fn load(&self, _url: &str) -> Result<serde_json::Value, Box<dyn Error>> {
        Err("references to other documents are not followed: put it into `$defs`".into())
    }
}

/// Does `work` on a thread that has room for deep recursion, for as long as it may take.
fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (sender, receiver) = channel();
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
        // Nobody may be left to hear of it.
        let _ = sender.send(work());
    });
    thread.map_err(|error| told(&error))?;
    receiver.recv_timeout(PATIENCE).map_err(|error| match error {
        RecvTimeoutError::Timeout => format!("it takes longer than {} s", PATIENCE.as_secs()),
        RecvTimeoutError::Disconnected => "it cannot be worked with".to_owned(),
    })
}

/// How many members of it are references.
fn references(schema: &Value<'_>) -> usize {
    let mut count = 0;
    let mut waiting = vec![schema];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(object) => {
                count +=
                    object.iter().filter(|(name, _)| matches!(*name, "$ref" | "$dynamicRef" | "$recursiveRef")).count();
                waiting.extend(object.iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    count
}

/// The errors that have no cause in another, in order.
fn leaves<'e, 's, 'v>(error: &'e ValidationError<'s, 'v>) -> impl Iterator<Item = &'e ValidationError<'s, 'v>> {
    let mut waiting = vec![error];
    std::iter::from_fn(move || {
        loop {
            let next = waiting.pop()?;
            if next.causes.is_empty() {
                return Some(next);
            }
            waiting.extend(next.causes.iter().rev());
        }
    })
}

/// Why a schema is none.
fn refused(error: &CompileError) -> String {
    match error {
        CompileError::ValidationError { src, .. } => leaves(src).next().map_or_else(
            || told(error),
            |leaf| format!("at {}: {}", quote(&leaf.instance_location.to_string()), told(&leaf.kind)),
        ),
        CompileError::LoadUrlError { url, src } => format!("{}: {}", told(url), told(src)),
        other => told(other),
    }
}

/// It in one line of bounded length.
fn told(what: &impl Display) -> String {
    let text = what.to_string().replace(BASE, "");
    escape_message(&clip(&text, DETAIL_MAX)).into_owned()
}

#[cfg(test)]
#[path = "contract_test.rs"]
mod tests;
