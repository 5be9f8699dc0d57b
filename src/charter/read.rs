//! From files to a charter: each is read, names are declared, then resolved, then held against each other.

use std::collections::BTreeMap;

use super::agent::read_agent;
use super::document::{self, digest_of};
use super::faults::{Faults, Place, Unsound};
use super::module::{Module, Modules};
use super::names::{Kind, Names, Places};
use super::source::Source;
use super::strategy::read_strategy;
use super::table::Table;
use super::tool::{read_data, read_person, read_tool};
use super::{Ceilings, Charter, rules};
use crate::json::Value;
use crate::refusal::Refused;

/// A file that a charter names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'w> {
    /// Its path as it is written.
    pub path: &'w str,
    /// The file that it is written in, as its [`Source`] was named.
    pub from: &'w str,
    /// Whether it is a JSON Schema; else it is a charter.
    pub is_schema: bool,
}

/// Gives the files that a charter names. A file has to be named the same each time, by which a circle is found.
pub type Files<'f> = dyn FnMut(&Wanted<'_>) -> Result<Source, Unsound> + 'f;

/// What is read into, while it is read.
pub(super) struct Reading<'r, 'f> {
    pub(super) faults: Faults,
    pub(super) names: Names,
    pub(super) places: Places,
    pub(super) files: &'r mut Files<'f>,
}

impl Charter {
    /// Reads a charter, with the files that it includes and the schemas that it names, which `files` gives.
    ///
    /// # Errors
    /// All that is wrong with it, each fault with its file, as `charter.member`, `charter.name` or `charter.rule`; and what
    /// `files` refuses.
    pub fn read(source: Source, files: &mut Files<'_>) -> Result<Self, Unsound> {
        read(source, files, false)
    }

    /// Reads a charter from a JSON text that names no other file.
    ///
    /// # Errors
    /// All that is wrong with it, as [`Self::read`]; `charter.syntax` where it is no JSON.
    ///
    /// ```
    /// use relay_baton::charter::Charter;
    ///
    /// let charter = Charter::from_json(
    ///     r#"{
    ///         "charter": "v1",
    ///         "ceilings": {"tokens": 100000, "tool_calls": 10},
    ///         "strategy": {"ship": {"subtask": [{"id": "plan", "agent": "planner", "intent": "Plan it"}]}},
    ///         "agent": {"planner": {"responsibility": "Plans", "callable_by": ["strategy ship"]}}
    ///     }"#,
    /// )?;
    /// assert!(charter.agent("planner").is_some_and(|planner| planner.writes.is_empty()));
    /// # Ok::<(), relay_baton::refusal::Refused>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, Refused> {
        let source = Source::json("charter.json", text).map_err(|found| Unsound::of("charter.json", found))?;
        read(source, &mut no_files, false).map_err(Refused::from)
    }

    /// The charter whose [`document`](Self::document) this is.
    ///
    /// # Errors
    /// As [`Self::read`], where it is none.
    pub fn of_document(document: &Value<'_>) -> Result<Self, Refused> {
        let source = Source::of_value("document", document.clone().into_owned());
        read(source, &mut no_files, true).map_err(Refused::from)
    }
}

fn no_files(wanted: &Wanted<'_>) -> Result<Source, Unsound> {
    let detail = format!("{} cannot be read here: write it out", crate::text::quote(wanted.path));
    let refusal = crate::refusal::Refusal::new(crate::refusal::Code::CharterMember, "", detail);
    Err(Unsound::of(wanted.from, vec![refusal]))
}

fn read(source: Source, files: &mut Files<'_>, is_resolved: bool) -> Result<Charter, Unsound> {
    let mut faults = Faults::default();
    let sources = Modules::load(source, files, &mut faults);
    let modules = Module::of_all(&sources, &mut faults);
    let own = modules.first().and_then(|module| module.name.clone());
    let names = Names::new(own.clone(), is_resolved);
    let mut reading = Reading { faults, names, places: Places::default(), files };
    let mut charter = declare(&modules, &mut reading, &sources);
    charter.module = own.as_deref().and_then(crate::baton::Id::new);
    rules::check(&charter, &reading.places, &mut reading.faults);
    rules::sort_subtasks(&mut charter);
    if let Some(unsound) = reading.faults.into_unsound(&sources) {
        return Err(unsound);
    }
    charter.document = document::of(&charter);
    charter.digest = digest_of(&charter.document);
    Ok(charter)
}

/// All declarations: first every name, then what stands under it.
fn declare(modules: &[Module<'_>], reading: &mut Reading<'_, '_>, sources: &[Source]) -> Charter {
    let mut charter = Charter {
        module: None,
        ceilings: ceilings(modules, &mut reading.faults),
        strategies: BTreeMap::new(),
        agents: BTreeMap::new(),
        tools: BTreeMap::new(),
        data: BTreeMap::new(),
        people: None,
        document: Value::Null,
        digest: String::new(),
    };
    let mut found = Vec::new();
    for (module, kind) in modules.iter().flat_map(|module| Kind::ALL.map(|kind| (module, kind))) {
        for (name, value, place) in module.top.members(kind.word(), &mut reading.faults) {
            let id = reading.names.declare(kind, name, module.scope(), &place, &mut reading.faults);
            let Some(id) = id else { continue };
            reading.places.put(&[kind.word(), id.as_str()], &place);
            found.push((module, kind, id, value, place));
        }
    }
    if modules.first().is_some_and(|module| module.top.get(Kind::Person.word()).is_some()) {
        charter.people = Some(BTreeMap::new());
    }
    for (module, kind, id, value, place) in found {
        let (scope, file) = (module.scope(), sources.get(module.file).map_or("", Source::file));
        match kind {
            Kind::Strategy => {
                drop(charter.strategies.insert(id.clone(), read_strategy(id, value, place, scope, reading)))
            }
            Kind::Agent => {
                drop(charter.agents.insert(id.clone(), read_agent(id, value, place, (scope, file), reading)))
            }
            Kind::Tool => drop(charter.tools.insert(id.clone(), read_tool(id, value, place, (scope, file), reading))),
            Kind::Data => drop(charter.data.insert(id.clone(), read_data(id, value, place, scope, reading))),
            Kind::Person => {
                let person = read_person(id.clone(), value, place, scope, reading);
                charter.people.get_or_insert_default().insert(id, person);
            }
        }
    }
    charter
}

fn ceilings(modules: &[Module<'_>], faults: &mut Faults) -> Ceilings {
    let mut ceilings = Ceilings { tokens: 0, tool_calls: 0, spawns: 0, depth: 0 };
    let Some(module) = modules.first() else { return ceilings };
    let how =
        "an object that says what the whole task may cost at most, such as `{\"tokens\": 200000, \"tool_calls\": 50}`";
    let Some(value) = module.top.required("ceilings", how, faults) else { return ceilings };
    let place: Place = module.top.place.child("ceilings");
    let table = Table::open(value, place, "the ceilings", &["tokens", "tool_calls", "spawns", "depth"], faults);
    table.required("tokens", "tokens of all model calls of the task, in and out", faults);
    table.required("tool_calls", "tool calls of the whole task", faults);
    ceilings.tokens = table.limit("tokens", faults).unwrap_or_default();
    ceilings.tool_calls = table.number("tool_calls", faults).unwrap_or_default();
    ceilings.spawns = table.number("spawns", faults).unwrap_or_default();
    ceilings.depth = table.number("depth", faults).unwrap_or_default();
    ceilings
}
