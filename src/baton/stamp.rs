//! The stamp: what the merge writes about itself, and the words it is made of.

use std::borrow::Borrow;
use std::fmt;

use chrono::{DateTime, Datelike as _, SecondsFormat, Utc};

use crate::json::{self, Object, Value};

/// The schema that this version writes, and the only major version that it reads.
pub const SCHEMA: &str = "baton/v1";

/// The token budget of a baton that names none, in tokens of `o200k_base`.
pub const DEFAULT_BUDGET: Budget<'static> = Budget { tokens: 1000, encoding: "o200k_base" };

/// An identifier (step, author, tenant, task): visible ASCII without spaces, 1 to 128 bytes, compared byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Id(String);

impl TryFrom<String> for Id {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if Self::is_valid(&text) { Ok(Self(text)) } else { Err("an id is 1 to 128 visible ASCII characters") }
    }
}

impl Id {
    /// The id `text`, or `None` where it is none.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        Self::is_valid(text).then(|| Self(text.to_owned()))
    }

    /// Whether `text` is an id.
    #[must_use]
    pub fn is_valid(text: &str) -> bool {
        (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
    }

    /// The id that is the digest of `bytes`, as [`json::digest`] writes it.
    #[must_use]
    pub(crate) fn of_digest(bytes: &[u8]) -> Self {
        Self(json::digest(bytes))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Ids are found in a map by their text.
impl Borrow<str> for Id {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A moment as it is recorded: RFC 3339, UTC, milliseconds, `Z`. It is told, never looked up, and decides nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Timestamp(String);

impl TryFrom<String> for Timestamp {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a moment is written as in RFC 3339")
    }
}

impl Timestamp {
    /// The moment `text` (RFC 3339, any offset), or `None` where it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let moment = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
        // RFC 3339 has four digits for the year, in UTC too.
        (0..=9999).contains(&moment.year()).then(|| Self::from(moment))
    }

    /// Whether `text` is a moment in RFC 3339.
    #[must_use]
    pub fn is_valid(text: &str) -> bool {
        DateTime::parse_from_rfc3339(text).is_ok()
    }

    /// The moment so many seconds later; `None` after the year 9999.
    #[must_use]
    pub fn plus_seconds(&self, seconds: u64) -> Option<Self> {
        let moment = DateTime::parse_from_rfc3339(&self.0).ok()?.to_utc();
        let later = moment.checked_add_signed(chrono::TimeDelta::try_seconds(i64::try_from(seconds).ok()?)?)?;
        (later.year() <= 9999).then(|| Self::from(later))
    }

    /// Its text, such as `2026-11-30T09:00:00.000Z`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(moment: DateTime<Utc>) -> Self {
        Self(moment.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

/// How many tokens, and of which encoding, a rendering may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget<'b> {
    /// Tokens, at least 1.
    pub tokens: u64,
    /// The encoding's name, such as `o200k_base`.
    pub encoding: &'b str,
}

impl Budget<'_> {
    /// The budget as it stands in a stamp.
    #[must_use]
    pub fn to_value(&self) -> Value<'static> {
        let mut object = Object::new();
        object.set("tokens", Value::integer(self.tokens));
        object.set("encoding", Value::string(self.encoding.to_owned()));
        Value::Object(object)
    }
}

/// A view of a stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp<'b> {
    /// Whose task the baton is of.
    pub tenant: Option<&'b str>,
    /// The task that it is of.
    pub task: Option<&'b str>,
    /// How many patches the baton has taken.
    pub revision: u64,
    /// The step that made this revision.
    pub step: Option<&'b str>,
    /// When (RFC 3339, UTC).
    pub at: Option<&'b str>,
    /// Who.
    pub by: Option<&'b str>,
    /// The digest of the text that made this revision, by which a replay is recognised.
    pub patch: Option<&'b str>,
    /// The budget of the rendering, where one is set.
    pub budget: Option<Budget<'b>>,
}

impl<'b> Stamp<'b> {
    pub(crate) fn of(object: Option<&'b Object<'b>>) -> Self {
        let member = |name: &str| object.and_then(|object| object.get(name));
        let text = |name: &str| member(name).and_then(Value::as_str);
        let budget = member("budget").and_then(Value::as_object);
        Self {
            tenant: text("tenant"),
            task: text("task"),
            revision: member("revision").and_then(Value::as_u64).unwrap_or_default(),
            step: text("step"),
            at: text("at"),
            by: text("by"),
            patch: text("patch"),
            budget: budget.and_then(|budget| {
                let tokens = budget.get("tokens").and_then(Value::as_u64)?;
                let encoding = budget.get("encoding").and_then(Value::as_str).unwrap_or(DEFAULT_BUDGET.encoding);
                Some(Budget { tokens, encoding })
            }),
        }
    }
}
