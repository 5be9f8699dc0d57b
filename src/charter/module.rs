//! The files of a charter: the one that was asked for, and those that it includes, each once.

use super::faults::{Faults, Place, Unsound};
use super::names::{Scope, is_name};
use super::read::{Files, Wanted};
use super::source::Source;
use super::table::Table;
use crate::json::Value;
use crate::refusal::{Code, Position, Refusal};
use crate::text::quote;

/// Files of one charter.
const FILES_MAX: usize = 64;

const MEMBERS: [&str; 9] = ["charter", "module", "include", "ceilings", "data", "strategy", "agent", "tool", "person"];

/// One file of a charter.
pub(super) struct Module<'s> {
    /// Its number.
    pub(super) file: usize,
    /// Its dotted name, where it says one.
    pub(super) name: Option<String>,
    pub(super) top: Table<'s>,
}

impl Module<'_> {
    /// What names that stand in it mean.
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { module: if self.file == 0 { None } else { self.name.as_deref() } }
    }
}

/// The files while they are looked for.
pub(super) struct Modules<'l, 'f> {
    sources: Vec<Source>,
    files: &'l mut Files<'f>,
}

impl Modules<'_, '_> {
    /// `source`, and then every file that it includes.
    pub(super) fn load(source: Source, files: &mut Files<'_>, faults: &mut Faults) -> Vec<Source> {
        let mut modules = Modules { sources: Vec::new(), files };
        modules.take(source, &mut Vec::new(), faults);
        modules.sources
    }

    fn take(&mut self, source: Source, chain: &mut Vec<String>, faults: &mut Faults) {
        let (file, name) = (self.sources.len(), source.file().to_owned());
        let paths: Vec<String> = included(&source.value).map(str::to_owned).collect();
        self.sources.push(source);
        chain.push(name);
        for (index, path) in paths.iter().enumerate() {
            let place = Place { file, at: String::new() }.child("include").item(index);
            self.include(path, &place, chain, faults);
        }
        chain.pop();
    }

    fn include(&mut self, path: &str, place: &Place, chain: &mut Vec<String>, faults: &mut Faults) {
        if self.sources.len() >= FILES_MAX {
            faults.rule(place, format!("a charter has at most {FILES_MAX} files"));
            return;
        }
        let from = chain.last().map_or("", String::as_str);
        let source = match (self.files)(&Wanted { path, from, is_schema: false }) {
            Ok(source) => source,
            Err(unsound) => return faults.foreign(unsound, from, place),
        };
        if chain.iter().any(|above| above == source.file()) {
            let way = chain.iter().skip_while(|above| *above != source.file());
            let way: Vec<String> = way.map(String::as_str).chain([source.file()]).map(quote).collect();
            faults.rule(place, format!("files include each other in a circle: {}", way.join(" includes ")));
        } else if !self.sources.iter().any(|known| known.file() == source.file()) {
            self.take(source, chain, faults);
        }
    }
}

fn included<'v>(value: &'v Value<'static>) -> impl Iterator<Item = &'v str> {
    let list = value.as_object().and_then(|top| top.get("include")).and_then(Value::as_array);
    list.unwrap_or_default().iter().filter_map(Value::as_str)
}

impl<'s> Module<'s> {
    /// The files as modules, and what is wrong with how they begin.
    pub(super) fn of_all(sources: &'s [Source], faults: &mut Faults) -> Vec<Self> {
        let mut modules: Vec<Self> = Vec::with_capacity(sources.len());
        for (file, source) in sources.iter().enumerate() {
            let module = Self::of(file, source, faults);
            let twin = modules.iter().find(|other| other.name.is_some() && other.name == module.name);
            if let (Some(twin), Some(name)) = (twin, &module.name) {
                let other = sources.get(twin.file).map_or("", Source::file);
                let detail = format!("{} is the module of {} already", quote(name), quote(other));
                faults.name(&module.top.place.child("module"), detail);
            }
            modules.push(module);
        }
        modules
    }

    fn of(file: usize, source: &'s Source, faults: &mut Faults) -> Self {
        let root = Place { file, at: String::new() };
        let top = Table::open(&source.value, root, "a charter", &MEMBERS, faults);
        match top.required("charter", "the version of what follows, `\"v1\"`", faults) {
            None => {}
            Some(Value::String(version)) if version == "v1" => {}
            Some(_) => faults.member(&top.place.child("charter"), "`charter` is the version of what follows: `\"v1\"`"),
        }
        top.distinct("include", faults);
        let name = module_name(&top, faults);
        if file > 0 {
            included_only(&top, name.is_some(), faults);
        }
        Self { file, name, top }
    }
}

fn module_name(top: &Table<'_>, faults: &mut Faults) -> Option<String> {
    let name = top.text("module", faults)?;
    if name.len() <= 96 && name.split('.').all(is_name) {
        return Some(name);
    }
    let detail =
        format!("{} is no module: letters, digits, `_` and `-`, with dots between them, at most 96", quote(&name));
    faults.name(&top.place.child("module"), detail);
    // Names that stand in the file are then not unknown.
    Some(name.chars().filter(|c| c.is_ascii_alphanumeric()).take(32).chain("-".chars()).collect())
}

fn included_only(top: &Table<'_>, is_named: bool, faults: &mut Faults) {
    if !is_named && top.get("module").is_none() {
        let detail = "`module` is missing: a file that is included says by which dotted name its own are known";
        faults.member(&top.place.child("module"), detail);
    }
    for name in ["ceilings", "person"] {
        if top.get(name).is_some() {
            let detail = format!("`{name}` stands in the file that includes all others: remove it here");
            faults.rule(&top.place.child(name), detail);
        }
    }
}

/// A schema that stands in the charter, or in a file of its own.
pub(super) fn schema(
    table: &Table<'_>,
    name: &str,
    from: &str,
    faults: &mut Faults,
    files: &mut Files<'_>,
) -> Option<Value<'static>> {
    let place = table.place.child(name);
    match table.get(name)? {
        Value::Object(schema) => Some(Value::Object(schema.clone())),
        Value::String(path) => {
            let read = files(&Wanted { path, from, is_schema: true }).and_then(object);
            read.map_err(|unsound| faults.foreign(unsound, from, &place)).ok()
        }
        other => {
            let found = other.kind();
            faults.member(
                &place,
                format!("`{name}` is a JSON Schema, or the path of a file that holds one, found {found}"),
            );
            None
        }
    }
}

/// The object that a schema's file holds.
fn object(source: Source) -> Result<Value<'static>, Unsound> {
    if source.value.as_object().is_some() {
        return Ok(source.value);
    }
    let detail = format!("a schema is an object, found {}", source.value.kind());
    let position = source.position("").unwrap_or(Position { offset: 0, line: 1, column: 1 });
    let refusal = Refusal::new(Code::CharterMember, "", detail).in_text(position);
    Err(Unsound::of(source.file(), vec![refusal]))
}
