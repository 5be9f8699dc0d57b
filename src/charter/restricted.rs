//! What one agent is shown of a baton.

use super::Agent;
use crate::baton::{Baton, Field};
use crate::json::Object;

/// The baton with the fields that `agent` reads, and the stamp; the whole baton where it says no fields.
#[must_use]
pub fn restricted<'a>(baton: &Baton<'a>, agent: &Agent) -> Baton<'a> {
    match &agent.reads {
        Some(reads) => with_fields(baton, reads),
        None => baton.clone(),
    }
}

/// The baton with these fields and the stamp alone.
pub(crate) fn with_fields<'a>(baton: &Baton<'a>, reads: &[String]) -> Baton<'a> {
    let mut members = Object::new();
    for (name, value) in baton.as_object().iter() {
        if name == Field::Stamp.name() || reads.iter().any(|field| field == name) {
            members.set(name.to_owned(), value.clone());
        }
    }
    Baton::of_normal(members)
}
