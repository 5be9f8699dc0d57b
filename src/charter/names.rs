//! What is declared, under which name, and what a name in a file means.

use std::collections::BTreeMap;

use super::faults::{Faults, Place};
use super::{Caller, Charter};
use crate::baton::Id;
use crate::entry::{EVERYONE, Readers};
use crate::json::pointer;
use crate::text::quote;
use crate::trace::AUTHOR;

/// What can be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Strategy,
    Agent,
    Tool,
    Data,
    Person,
}

impl Kind {
    pub(super) const ALL: [Self; 5] = [Self::Strategy, Self::Agent, Self::Tool, Self::Data, Self::Person];

    /// Its member in a charter, and its word in messages.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Strategy => "strategy",
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::Data => "data",
            Self::Person => "person",
        }
    }
}

/// Which file a name stands in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'m> {
    /// The module, of an included file.
    pub(super) module: Option<&'m str>,
}

/// Every declared name, resolved.
pub(super) struct Names {
    /// The dotted name of the charter's own module.
    own: Option<String>,
    /// Whether names of modules are declared as such: in a document that was resolved before.
    is_resolved: bool,
    declared: BTreeMap<(Kind, Id), Place>,
    /// The same names in lower case.
    folded: BTreeMap<(Kind, String), Id>,
}

impl Names {
    pub(super) fn new(own: Option<String>, is_resolved: bool) -> Self {
        Self { own, is_resolved, declared: BTreeMap::new(), folded: BTreeMap::new() }
    }

    /// Takes a declaration; `None` where the name is none, or is taken.
    pub(super) fn declare(
        &mut self,
        kind: Kind,
        name: &str,
        scope: Scope<'_>,
        place: &Place,
        faults: &mut Faults,
    ) -> Option<Id> {
        let is_name = match kind {
            Kind::Person => Id::is_valid(name) && name != EVERYONE,
            _ if self.is_resolved => name.split('.').all(is_name),
            _ => is_name(name),
        };
        if !is_name {
            faults.name(place, format!("{} is no name: {NAME_RULE}", quote(name)));
            return None;
        }
        if matches!(kind, Kind::Agent | Kind::Person) && name.eq_ignore_ascii_case(AUTHOR) {
            faults
                .name(place, format!("`{AUTHOR}` writes what no agent wrote: give this {} another name", kind.word()));
            return None;
        }
        let resolved = if kind == Kind::Person { name.to_owned() } else { scoped(scope, name) };
        let Some(id) = Id::new(&resolved) else {
            faults.name(place, format!("{} has more than 128 characters: shorten it", quote(&resolved)));
            return None;
        };
        if let Some(other) = self.folded.insert((kind, resolved.to_lowercase()), id.clone()) {
            let (this, other) = (quote(&resolved), quote(other.as_str()));
            faults.name(place, format!("{this} and {other} are one name but for capital letters: rename one"));
            return None;
        }
        self.declared.insert((kind, id.clone()), place.clone());
        Some(id)
    }

    pub(super) fn is_declared(&self, kind: Kind, id: &Id) -> bool {
        self.declared.contains_key(&(kind, id.clone()))
    }

    /// The declared agent that bears `name` in whatever capital letters.
    pub(super) fn agent_like(&self, name: &str) -> Option<&Id> {
        self.folded.get(&(Kind::Agent, name.to_lowercase()))
    }

    /// The names of `kind`, as they are written in `scope`.
    fn known(&self, kind: Kind, scope: Scope<'_>) -> impl Iterator<Item = String> {
        let names = self.declared.keys().filter(move |(known, _)| *known == kind).map(|(_, name)| name.as_str());
        names.filter_map(move |name| {
            let Some(module) = scope.module else { return Some(name.to_owned()) };
            let own = name.strip_prefix(module).and_then(|name| name.strip_prefix('.'));
            match own {
                Some(name) => Some(name.to_owned()),
                None if name.contains('.') => Some(name.to_owned()),
                None => self.own.as_ref().map(|own| format!("{own}.{name}")),
            }
        })
    }

    /// What `name` of `kind` means in `scope`; a name that is not declared is told.
    pub(super) fn resolve(
        &self,
        kind: Kind,
        name: &str,
        scope: Scope<'_>,
        place: &Place,
        faults: &mut Faults,
    ) -> Option<Id> {
        let own = self.own.as_deref();
        let resolved = match name.rsplit_once('.') {
            Some((module, name)) if Some(module) == own => name.to_owned(),
            Some(_) => name.to_owned(),
            None => scoped(scope, name),
        };
        let found = Id::new(&resolved).filter(|id| self.is_declared(kind, id));
        if found.is_none() {
            let word = kind.word();
            let meant = faults.meant(name, self.known(kind, scope));
            let help = if !meant.is_empty() {
                meant
            } else if scope.module.is_some() && !name.contains('.') {
                "; a name of another module is written with that module before it, as `MODULE.NAME`".to_owned()
            } else {
                format!("; declare it as `{word}.NAME`")
            };
            faults.name(place, format!("there is no {word} {}{help}", quote(name)));
        }
        found
    }

    /// The caller `strategy NAME` or `agent NAME`.
    pub(super) fn caller(&self, text: &str, scope: Scope<'_>, place: &Place, faults: &mut Faults) -> Option<Caller> {
        match text.split_once(' ') {
            _ if text.contains('*') => {
                faults.rule(
                    place,
                    format!("{} is a wildcard, and no charter lets everybody call: name each caller", quote(text)),
                );
                None
            }
            Some(("strategy", name)) => self.resolve(Kind::Strategy, name, scope, place, faults).map(Caller::Strategy),
            Some(("agent", name)) => self.resolve(Kind::Agent, name, scope, place, faults).map(Caller::Agent),
            Some(("skill", _)) => {
                let detail =
                    format!("{} calls nobody: a skill has no authority, name the agent that has it", quote(text));
                faults.rule(place, detail);
                None
            }
            _ => {
                let detail = format!("{} is no caller: write `strategy NAME` or `agent NAME`", quote(text));
                faults.member(place, detail);
                None
            }
        }
    }

    /// Readers: `["*"]`, or agents.
    pub(super) fn readers(&self, texts: &[(&str, Place)], scope: Scope<'_>, faults: &mut Faults) -> Readers {
        if let [(only, _)] = texts
            && *only == EVERYONE
        {
            return Readers::Everyone;
        }
        let mut agents = Vec::new();
        for (text, place) in texts {
            if *text == EVERYONE {
                faults.rule(place, "`*` stands alone: write `[\"*\"]` for everyone, or name the agents");
            } else {
                agents.extend(self.resolve(Kind::Agent, text, scope, place, faults));
            }
        }
        Readers::agents(agents)
    }
}

const NAME_RULE: &str = "a name is made of letters, digits, `_` and `-`";

fn scoped(scope: Scope<'_>, name: &str) -> String {
    scope.module.map_or_else(|| name.to_owned(), |module| format!("{module}.{name}"))
}

/// Whether `name` is made of letters, digits, `_` and `-`.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Where in the files the parts of the resolved charter stand. A part is named as in `/agent/planner/uses/tool search`.
#[derive(Default)]
pub(super) struct Places {
    known: BTreeMap<String, Place>,
}

impl Places {
    pub(super) fn put(&mut self, parts: &[&str], place: &Place) {
        self.known.insert(path(parts), place.clone());
    }

    /// The place of a part, or what it has to be in the nearest part around it that is known.
    pub(super) fn of(&self, parts: &[&str]) -> Place {
        match (self.known.get(&path(parts)), parts.split_last()) {
            (Some(place), _) => place.clone(),
            (None, Some((last, around))) => self.of(around).child(last),
            (None, None) => Place { file: 0, at: String::new() },
        }
    }
}

fn path(parts: &[&str]) -> String {
    parts.iter().fold(String::new(), |path, part| pointer::child(&path, part))
}

impl Charter {
    /// The agent whose name is nearest to `name`, for a message.
    #[must_use]
    pub fn nearest_agent(&self, name: &str) -> Option<&Id> {
        let near = super::faults::nearest(name, self.agents.keys().map(Id::as_str))?;
        self.agents.keys().find(|known| known.as_str() == near)
    }

    /// The strategy whose name is nearest to `name`, for a message.
    #[must_use]
    pub fn nearest_strategy(&self, name: &str) -> Option<&Id> {
        let near = super::faults::nearest(name, self.strategies.keys().map(Id::as_str))?;
        self.strategies.keys().find(|known| known.as_str() == near)
    }
}
