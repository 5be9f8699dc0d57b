//! Who may read an entry. It fails closed: what is not understood is readable by nobody but the author.

use std::collections::BTreeSet;

use crate::baton::Id;
use crate::json::Value;

/// The name that stands for every agent of the task, and that no agent bears.
pub const EVERYONE: &str = "*";

/// The readers of an entry. Its author can always read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Readers {
    /// Every agent of the task; written `["*"]`.
    Everyone,
    /// These agents and nobody else; none, written `[]`, leaves only the author.
    Agents(BTreeSet<Id>),
}

impl Readers {
    /// Nobody but the author.
    #[must_use]
    pub fn nobody() -> Self {
        Self::Agents(BTreeSet::new())
    }

    /// These agents.
    #[must_use]
    pub fn agents(agents: impl IntoIterator<Item = Id>) -> Self {
        Self::Agents(agents.into_iter().collect())
    }

    /// The readers that a member `readers` names. Exactly `["*"]` is everyone; a list of ids is those agents; anything
    /// else, or nothing, is nobody.
    #[must_use]
    pub fn of(member: Option<&Value<'_>>) -> Self {
        let Some(Value::Array(items)) = member else { return Self::nobody() };
        if let [Value::String(only)] = items.as_slice()
            && only == EVERYONE
        {
            return Self::Everyone;
        }
        let agents: Option<BTreeSet<Id>> = items.iter().map(|item| agent(item.as_str()?)).collect();
        Self::Agents(agents.unwrap_or_default())
    }

    /// Whether `agent`, which is not the author, may read it.
    #[must_use]
    pub fn include(&self, agent: &Id) -> bool {
        match self {
            Self::Everyone => true,
            Self::Agents(agents) => agents.contains(agent),
        }
    }

    /// These and `agent`.
    #[must_use]
    pub fn with(&self, agent: &Id) -> Self {
        match self {
            Self::Everyone => Self::Everyone,
            Self::Agents(agents) => Self::Agents(agents.iter().chain([agent]).cloned().collect()),
        }
    }

    /// Those who are in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Everyone, other) => other.clone(),
            (agents, Self::Everyone) => agents.clone(),
            (Self::Agents(one), Self::Agents(two)) => Self::Agents(one & two),
        }
    }

    /// Whether everyone in `self` is in `other`.
    #[must_use]
    pub fn are_within(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Everyone) => true,
            (Self::Everyone, _) => false,
            (Self::Agents(one), Self::Agents(two)) => one.is_subset(two),
        }
    }

    /// As it stands in an entry, agents in the order of their bytes.
    #[must_use]
    pub fn to_value(&self) -> Value<'static> {
        let names: Vec<&str> = match self {
            Self::Everyone => vec![EVERYONE],
            Self::Agents(agents) => agents.iter().map(Id::as_str).collect(),
        };
        Value::Array(names.into_iter().map(|name| Value::string(name.to_owned())).collect())
    }
}

impl serde::Serialize for Readers {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Readers {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self::of(Some(&value)))
    }
}

/// The agent `name`: an id, and not the one that stands for everyone.
#[must_use]
pub fn agent(name: &str) -> Option<Id> {
    if name == EVERYONE { None } else { Id::new(name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read};

    fn readers(text: &str) -> Readers {
        Readers::of(Some(&read(text, &Limits::default()).unwrap()))
    }

    #[test]
    fn only_a_lone_star_is_everyone() {
        assert_eq!(readers(r#"["*"]"#), Readers::Everyone);
        for text in [r#""*""#, r#"["*","bob"]"#, r#"["*","*"]"#, r#"{"*":true}"#, r#"[["*"]]"#, r#"[" *"]"#] {
            assert_eq!(readers(text), Readers::nobody(), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_nobody() {
        for text in ["null", "\"all\"", "[\"\"]", "[]", "{}", "true", "[\"bob\", 3]", "[\"bob\", null]", "[\"b ob\"]"] {
            assert_eq!(readers(text), Readers::nobody(), "{text}");
        }
        assert_eq!(Readers::of(None), Readers::nobody());
    }

    #[test]
    fn names_are_compared_byte_for_byte() {
        let bob = Id::new("bob").unwrap();
        assert!(readers(r#"["bob"]"#).include(&bob));
        assert!(!readers(r#"["Bob"]"#).include(&bob));
        assert_eq!(agent("*"), None);
    }
}
