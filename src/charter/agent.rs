//! What is declared of an agent.

use std::collections::BTreeSet;

use super::faults::{Faults, Place};
use super::module::schema;
use super::names::{Kind, Scope};
use super::read::Reading;
use super::table::Table;
use super::{Agent, Caller, Command, Limits};
use crate::baton::{Field, Id};
use crate::json::Value;
use crate::text::quote;

const MEMBERS: [&str; 11] = [
    "responsibility",
    "callable_by",
    "uses",
    "needs",
    "reads",
    "writes",
    "contract",
    "corrections",
    "declassify",
    "limits",
    "command",
];

pub(super) fn read_agent(
    name: Id,
    value: &Value<'static>,
    place: Place,
    (scope, file): (Scope<'_>, &str),
    reading: &mut Reading<'_, '_>,
) -> Agent {
    let table = Table::open(value, place, "an agent", &MEMBERS, &mut reading.faults);
    let how = "what the agent answers for, in words";
    table.required("responsibility", how, &mut reading.faults);
    let responsibility = table.text("responsibility", &mut reading.faults);
    if responsibility.as_deref().is_some_and(|text| text.trim().is_empty()) {
        reading.faults.rule(&table.place.child("responsibility"), format!("`responsibility` is empty: say {how}"));
    }
    let (tools, agents) = uses(&name, &table, scope, reading);
    let contract = schema(&table, "contract", file, &mut reading.faults, &mut *reading.files);
    let faults = &mut reading.faults;
    Agent {
        responsibility: responsibility.unwrap_or_default(),
        corrections: table.number("corrections", faults).unwrap_or(1),
        declassify: table.flag("declassify", false, faults),
        reads: fields("reads", &table, faults),
        writes: fields("writes", &table, faults).unwrap_or_default(),
        limits: limits(&table, faults),
        command: command(&table, faults),
        needs: keys(&["agent", name.as_str()], "needs", &table, scope, reading),
        callable_by: callers(&name, &table, scope, reading),
        name,
        tools,
        agents,
        contract,
    }
}

fn callers(name: &Id, table: &Table<'_>, scope: Scope<'_>, reading: &mut Reading<'_, '_>) -> BTreeSet<Caller> {
    let mut callers = BTreeSet::new();
    for (text, place) in table.distinct("callable_by", &mut reading.faults).unwrap_or_default() {
        if let Some(caller) = reading.names.caller(text, scope, &place, &mut reading.faults) {
            reading.places.put(&["agent", name.as_str(), "callable_by", &caller.to_string()], &place);
            callers.insert(caller);
        }
    }
    callers
}

/// Tools and agents: `tool NAME`, `agent NAME`.
fn uses(name: &Id, table: &Table<'_>, scope: Scope<'_>, reading: &mut Reading<'_, '_>) -> (BTreeSet<Id>, BTreeSet<Id>) {
    let (mut tools, mut agents) = (BTreeSet::new(), BTreeSet::new());
    for (text, place) in table.distinct("uses", &mut reading.faults).unwrap_or_default() {
        let kind = match text.split_once(' ') {
            Some(("tool", used)) => Some((Kind::Tool, used)),
            Some(("agent", used)) => Some((Kind::Agent, used)),
            _ => None,
        };
        let Some((kind, used)) = kind else {
            let detail = format!("{} is nothing to use: write `tool NAME` or `agent NAME`", quote(text));
            reading.faults.member(&place, detail);
            continue;
        };
        let Some(id) = reading.names.resolve(kind, used, scope, &place, &mut reading.faults) else { continue };
        let part = format!("{} {id}", kind.word());
        reading.places.put(&["agent", name.as_str(), "uses", &part], &place);
        if kind == Kind::Tool {
            tools.insert(id)
        } else {
            agents.insert(id)
        };
    }
    (tools, agents)
}

/// Keys of data, in their order.
pub(super) fn keys(
    owner: &[&str],
    list: &str,
    table: &Table<'_>,
    scope: Scope<'_>,
    reading: &mut Reading<'_, '_>,
) -> Vec<Id> {
    let (mut keys, mut seen) = (Vec::new(), BTreeSet::new());
    for (text, place) in table.distinct(list, &mut reading.faults).unwrap_or_default() {
        let Some(id) = reading.names.resolve(Kind::Data, text, scope, &place, &mut reading.faults) else { continue };
        let part = [owner, &[list, id.as_str()]].concat();
        reading.places.put(&part, &place);
        // One key has two spellings where the file is a module.
        if seen.insert(id.clone()) {
            keys.push(id);
        }
    }
    keys
}

/// Fields of the baton.
fn fields(list: &str, table: &Table<'_>, faults: &mut Faults) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    for (field, place) in table.distinct(list, faults)? {
        if let Some(near) = Field::nearly_named(field) {
            let detail = format!("{} is no field of a baton: did you mean `{}`?", quote(field), near.name());
            faults.name(&place, detail);
        } else if field == Field::Stamp.name() {
            faults.rule(
                &place,
                "`stamp` is written by the merge, and every agent is shown what it needs of it: remove it",
            );
        } else if field.is_empty() {
            faults.name(&place, "a field has a name");
        } else {
            fields.push(field.to_owned());
        }
    }
    Some(fields)
}

fn limits(table: &Table<'_>, faults: &mut Faults) -> Limits {
    let usual = Limits::default();
    let Some(value) = table.get("limits") else { return usual };
    let known = ["iterations", "tokens", "tool_calls", "answer_tokens"];
    let limits = Table::open(value, table.place.child("limits"), "limits", &known, faults);
    Limits {
        iterations: limits.limit("iterations", faults).unwrap_or(usual.iterations),
        tokens: limits.limit("tokens", faults),
        tool_calls: limits.limit("tool_calls", faults),
        answer_tokens: limits.limit("answer_tokens", faults).unwrap_or(usual.answer_tokens),
    }
}

/// Seconds that a command can be given: ten years.
const TIME_LIMIT_S_MAX: u64 = 315_360_000;

/// `["program", "argument"]`, or an object with these `words` and limits.
pub(super) fn command(table: &Table<'_>, faults: &mut Faults) -> Option<Command> {
    let value = table.get("command")?;
    let place = table.place.child("command");
    let mut command = Command { words: Vec::new(), time_limit_ms: 600_000, output_limit_bytes: 1 << 20 };
    let (words, place) = match value {
        Value::Array(_) => (table.texts("command", faults), place),
        Value::Object(_) => {
            let known = ["words", "time_limit_s", "output_limit_bytes"];
            let object = Table::open(value, place, "a command", &known, faults);
            object.required("words", "the program, then its arguments", faults)?;
            if let Some(seconds) = object.limit("time_limit_s", faults) {
                if seconds > TIME_LIMIT_S_MAX {
                    let detail = format!("`time_limit_s` is at most {TIME_LIMIT_S_MAX}");
                    faults.rule(&object.place.child("time_limit_s"), detail);
                }
                command.time_limit_ms = seconds.saturating_mul(1000);
            }
            command.output_limit_bytes = object.limit("output_limit_bytes", faults).unwrap_or(1 << 20);
            (object.texts("words", faults), object.place.child("words"))
        }
        other => {
            let detail = format!("`command` is a list of words, the program first, found {}", other.kind());
            faults.member(&place, detail);
            return None;
        }
    };
    let words = words?;
    if let Some((_, place)) = words.iter().find(|(word, _)| word.contains('\0')) {
        faults.rule(place, "a word of a command holds no NUL");
    }
    command.words = words.into_iter().map(|(word, _)| word.to_owned()).collect();
    if command.words.first().is_none_or(|program| program.trim().is_empty()) {
        faults.rule(&place, "a command has words: the program, then its arguments");
        return None;
    }
    Some(command)
}
