//! What is declared of tools, data and people.

use std::collections::BTreeSet;

use super::agent::command;
use super::faults::Place;
use super::module::schema;
use super::names::{Kind, Scope};
use super::read::Reading;
use super::table::Table;
use super::{Data, Person, Tool};
use crate::baton::Id;
use crate::entry::{EVERYONE, Readers};
use crate::json::Value;
use crate::text::quote;

const TOOL: [&str; 7] =
    ["description", "side_effects", "arguments", "readers", "approvers", "approval_minutes", "command"];

/// Minutes that an approval can be given: a hundred years.
const APPROVAL_MINUTES_MAX: u64 = 52_560_000;

pub(super) fn read_tool(
    name: Id,
    value: &Value<'static>,
    place: Place,
    (scope, file): (Scope<'_>, &str),
    reading: &mut Reading<'_, '_>,
) -> Tool {
    let table = Table::open(value, place, "a tool", &TOOL, &mut reading.faults);
    let arguments = schema(&table, "arguments", file, &mut reading.faults, &mut *reading.files);
    let readers = readers(&table, scope, reading).unwrap_or(Readers::Everyone);
    let approvers = approvers(&table, reading);
    let faults = &mut reading.faults;
    let minutes = table.limit("approval_minutes", faults);
    if minutes.is_some_and(|minutes| minutes > APPROVAL_MINUTES_MAX) {
        let detail = format!("`approval_minutes` is at most {APPROVAL_MINUTES_MAX}");
        faults.rule(&table.place.child("approval_minutes"), detail);
    }
    Tool {
        name,
        description: table.text("description", faults).unwrap_or_default(),
        arguments,
        side_effects: table.flag("side_effects", true, faults),
        readers,
        approvers,
        approval_seconds: minutes.map(|minutes| minutes.saturating_mul(60)),
        command: command(&table, faults),
    }
}

fn readers(table: &Table<'_>, scope: Scope<'_>, reading: &mut Reading<'_, '_>) -> Option<Readers> {
    let texts = table.distinct("readers", &mut reading.faults)?;
    Some(reading.names.readers(&texts, scope, &mut reading.faults))
}

/// People who may decide: no agent can.
fn approvers(table: &Table<'_>, reading: &mut Reading<'_, '_>) -> Option<BTreeSet<Id>> {
    let texts = table.distinct("approvers", &mut reading.faults)?;
    let mut approvers = BTreeSet::new();
    for (text, place) in &texts {
        if *text == EVERYONE {
            reading.faults.rule(place, "a wildcard approves nothing: leave `approvers` out for anyone who is no agent");
        } else if reading.names.agent_like(text).is_some() {
            reading
                .faults
                .rule(place, format!("{} is an agent, and no agent approves a call: name people", quote(text)));
        } else if let Some(id) = Id::new(text) {
            approvers.insert(id);
        } else {
            reading.faults.name(place, format!("{} is no person: visible ASCII without spaces", quote(text)));
        }
    }
    if texts.is_empty() {
        let detail = "nobody could approve a call: name people, or leave `approvers` out for anyone who is no agent";
        reading.faults.rule(&table.place.child("approvers"), detail);
    }
    Some(approvers)
}

pub(super) fn read_data(
    key: Id,
    value: &Value<'static>,
    place: Place,
    scope: Scope<'_>,
    reading: &mut Reading<'_, '_>,
) -> Data {
    let table = Table::open(value, place, "data", &["readers", "recalled", "kept"], &mut reading.faults);
    table.required("readers", "`[\"*\"]`, or the agents that may read it", &mut reading.faults);
    // That there are none is told: no rule is broken by it besides.
    let readers = readers(&table, scope, reading).unwrap_or(Readers::Everyone);
    let kept = table.flag("kept", false, &mut reading.faults);
    if kept && readers != Readers::Everyone {
        let detail = "what is kept for later tasks outlives the charter that says who may read it: keep only what everyone may \
                      read, `readers = [\"*\"]`";
        reading.faults.rule(&table.place.child("kept"), detail.to_owned());
    }
    Data { readers, recalled: table.flag("recalled", false, &mut reading.faults), kept, key }
}

pub(super) fn read_person(
    name: Id,
    value: &Value<'static>,
    place: Place,
    scope: Scope<'_>,
    reading: &mut Reading<'_, '_>,
) -> Person {
    if let Some(agent) = reading.names.agent_like(name.as_str()) {
        let detail = format!("{} is an agent, and no agent is a person: rename one", quote(agent.as_str()));
        reading.faults.name(&place, detail);
    }
    let table = Table::open(value, place, "a person", &["uses"], &mut reading.faults);
    let mut tools = BTreeSet::new();
    for (text, place) in table.distinct("uses", &mut reading.faults).unwrap_or_default() {
        match text.split_once(' ') {
            Some(("tool", tool)) => {
                tools.extend(reading.names.resolve(Kind::Tool, tool, scope, &place, &mut reading.faults))
            }
            _ => reading
                .faults
                .member(&place, format!("{} is nothing that a person may use: write `tool NAME`", quote(text))),
        }
    }
    Person { name, tools }
}
