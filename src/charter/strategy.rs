//! What is declared of a strategy and its subtasks.

use std::collections::BTreeMap;

use super::agent::keys;
use super::faults::Place;
use super::names::{Kind, Scope, is_name};
use super::read::Reading;
use super::table::Table;
use super::{Strategy, Subtask};
use crate::baton::Id;
use crate::entry::EVERYONE;
use crate::json::Value;
use crate::text::quote;

const SUBTASK: [&str; 6] = ["id", "agent", "intent", "consumes", "produces", "after"];

pub(super) fn read_strategy(
    name: Id,
    value: &Value<'static>,
    place: Place,
    scope: Scope<'_>,
    reading: &mut Reading<'_, '_>,
) -> Strategy {
    let known = ["description", "goal", "subtask"];
    let table = Table::open(value, place, "a strategy", &known, &mut reading.faults);
    let goal = table.text("goal", &mut reading.faults);
    if goal.as_deref().is_some_and(|goal| goal.trim().is_empty()) {
        reading.faults.rule(&table.place.child("goal"), "`goal` is empty: say it in one sentence, or leave it out");
    }
    let place = table.place.child("subtask");
    let items = match table.required("subtask", "a list of subtasks", &mut reading.faults) {
        Some(Value::Array(items)) => items.as_slice(),
        Some(other) => {
            let hint = if other.as_object().is_some() {
                format!(": in TOML each begins with `[[strategy.{name}.subtask]]`")
            } else {
                String::new()
            };
            reading.faults.member(&place, format!("`subtask` is a list of subtasks, found {}{hint}", other.kind()));
            &[]
        }
        None => &[],
    };
    if items.is_empty() && table.get("subtask").is_some_and(|value| value.as_array().is_some()) {
        reading.faults.rule(&place, "a strategy has at least one subtask");
    }
    let mut ids = BTreeMap::new();
    let tables: Vec<(Id, Table<'_>)> = items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| begin(&name, item, place.item(index), &mut ids, reading))
        .collect();
    let subtasks = tables.iter().map(|(id, table)| subtask(&name, id, table, scope, &ids, reading)).collect();
    let description = table.text("description", &mut reading.faults).unwrap_or_default();
    Strategy { name, description, goal, subtasks }
}

/// The id of a subtask, which is its own.
fn begin<'v>(
    strategy: &Id,
    value: &'v Value<'static>,
    place: Place,
    ids: &mut BTreeMap<String, Id>,
    reading: &mut Reading<'_, '_>,
) -> Option<(Id, Table<'v>)> {
    let faults = &mut reading.faults;
    let table = Table::open(value, place, "a subtask", &SUBTASK, faults);
    table.required("id", "its name in the strategy", faults);
    let (text, place) = (table.text("id", faults)?, table.place.child("id"));
    let Some(id) = Id::new(&text).filter(|_| is_name(&text)) else {
        faults.name(&place, format!("{} is no name: a name is made of letters, digits, `_` and `-`", quote(&text)));
        return None;
    };
    if ids.contains_key(&text.to_lowercase()) {
        faults.name(
            &place,
            format!("there is a subtask {} already, whatever the capital letters: rename one", quote(&text)),
        );
        return None;
    }
    ids.insert(text.to_lowercase(), id.clone());
    reading.places.put(&["strategy", strategy.as_str(), "subtask", id.as_str()], &table.place);
    Some((id, table))
}

fn subtask(
    strategy: &Id,
    id: &Id,
    table: &Table<'_>,
    scope: Scope<'_>,
    ids: &BTreeMap<String, Id>,
    reading: &mut Reading<'_, '_>,
) -> Subtask {
    let owner = ["strategy", strategy.as_str(), "subtask", id.as_str()];
    table.required("agent", "the agent that does it", &mut reading.faults);
    let agent = table.text("agent", &mut reading.faults).and_then(|agent| {
        reading.names.resolve(Kind::Agent, &agent, scope, &table.place.child("agent"), &mut reading.faults)
    });
    let produces = table.text("produces", &mut reading.faults).and_then(|key| {
        reading.names.resolve(Kind::Data, &key, scope, &table.place.child("produces"), &mut reading.faults)
    });
    let mut after: Vec<Id> = Vec::new();
    for (text, place) in table.distinct("after", &mut reading.faults).unwrap_or_default() {
        match ids.get(&text.to_lowercase()).filter(|known| known.as_str() == text) {
            Some(known) => {
                reading.places.put(&[&owner[..], &["after", text]].concat(), &place);
                after.push(known.clone());
            }
            None => {
                let meant = reading.faults.meant(text, ids.values().map(Id::as_str));
                reading.faults.name(&place, format!("there is no subtask {} in this strategy{meant}", quote(text)));
            }
        }
    }
    Subtask {
        id: id.clone(),
        // That it has no agent is told: no agent bears this name, so the rules pass over it.
        agent: agent.or_else(|| Id::new(EVERYONE)).unwrap_or_else(|| id.clone()),
        intent: table.text("intent", &mut reading.faults).unwrap_or_default(),
        consumes: keys(&owner, "consumes", table, scope, reading),
        produces,
        after,
    }
}
