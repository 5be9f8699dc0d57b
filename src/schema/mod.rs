//! JSON Schemas of the documents, and the subsets of them that the structured output of model providers takes.
//!
//! The full schemas (draft 2020-12) are the files in `schema/v1/`. The feature `schemars`, which only the tests need, makes
//! them from types that mirror the shapes.
//!
//! What a schema cannot say (guards, near misses of a field's name, forbidden characters, keys that stand twice) is left
//! to the merge, so a document that a schema accepts can still be refused.

mod answer;
mod form;
#[cfg(feature = "schemars")]
mod generate;

use std::borrow::Cow;
use std::fmt;

use crate::json::{self, Limits, Value};

#[cfg(feature = "schemars")]
pub use generate::generate;

/// Which document a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The document itself, as it is read: shorthand allowed.
    Baton,
    /// One agent's change.
    Patch,
    /// One line of `--report json`.
    Report,
    /// One line of `export`: an entry of a board.
    Entry,
    /// Who may invoke, use, read and write what.
    Charter,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Baton, Self::Patch, Self::Report, Self::Entry, Self::Charter];

    /// Its word on the command line and in the schema's `$id`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Baton => "baton",
            Self::Patch => "patch",
            Self::Report => "report",
            Self::Entry => "entry",
            Self::Charter => "charter",
        }
    }

    /// The kind of that exact word.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The `$id` of its full schema.
    #[must_use]
    pub fn id(self) -> String {
        format!("urn:relay-baton:schema:v1:{}", self.name())
    }
}

/// Who reads a schema.
///
/// A patch that was written to a provider's form is read with [`crate::parse::Dialect::Strict`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Any validator of JSON Schema draft 2020-12.
    #[default]
    JsonSchema,
    /// OpenAI structured outputs and strict functions: every member is required, an optional one may be `null`.
    OpenAi,
    /// Anthropic structured outputs and strict tools: an optional member is left out.
    Anthropic,
    /// Gemini `responseSchema` and function declarations: a subset of OpenAPI 3.0.
    Gemini,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 4] = [Self::JsonSchema, Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// Its word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::JsonSchema => "json-schema",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The dialect of that exact word.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// There is no such schema: the document is never written by a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoForm {
    /// Which document was asked for.
    pub kind: Kind,
    /// In which dialect.
    pub dialect: Dialect,
}

impl fmt::Display for NoForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, dialect) = (self.kind.name(), self.dialect.name());
        write!(f, "a `{kind}` has no `{dialect}` form, since no model writes it: ask for `json-schema`")
    }
}

impl std::error::Error for NoForm {}

/// The schema of `kind` in `dialect`. Its members stand in the order in which a writer should give them.
///
/// The form of a baton for a provider is that of a first baton, without a stamp. Members that no one knows cannot be
/// said in a provider's form.
///
/// # Errors
/// [`NoForm`] for a report, an entry or a charter in the dialect of a provider.
///
/// ```
/// use relay_baton::json::Value;
/// use relay_baton::schema::{Dialect, Kind, schema};
///
/// let patch = schema(Kind::Patch, Dialect::OpenAi)?;
/// let members = patch.as_object().and_then(|patch| patch.get("additionalProperties"));
/// assert_eq!(members, Some(&Value::Bool(false)));
/// # Ok::<(), relay_baton::schema::NoForm>(())
/// ```
pub fn schema(kind: Kind, dialect: Dialect) -> Result<Value<'static>, NoForm> {
    match (dialect, kind) {
        // The committed texts are JSON: the tests read each of them.
        (Dialect::JsonSchema, _) => Ok(json::read(committed(kind), &Limits::default()).unwrap_or(Value::Null)),
        (_, Kind::Baton) => Ok(form::write(answer::BATON, &answer::baton(), dialect)),
        (_, Kind::Patch) => Ok(form::write(answer::patch_about(dialect), &answer::patch(), dialect)),
        (_, Kind::Report | Kind::Entry | Kind::Charter) => Err(NoForm { kind, dialect }),
    }
}

/// [`schema`] as indented JSON with a final newline; in [`Dialect::JsonSchema`] it is the file in `schema/v1/`.
///
/// # Errors
/// As [`schema`].
pub fn schema_text(kind: Kind, dialect: Dialect) -> Result<Cow<'static, str>, NoForm> {
    match dialect {
        Dialect::JsonSchema => Ok(committed(kind).into()),
        _ => schema(kind, dialect).map(|schema| (json::pretty(&schema) + "\n").into()),
    }
}

fn committed(kind: Kind) -> &'static str {
    match kind {
        Kind::Baton => include_str!("../../schema/v1/baton.schema.json"),
        Kind::Patch => include_str!("../../schema/v1/patch.schema.json"),
        Kind::Report => include_str!("../../schema/v1/report.schema.json"),
        Kind::Entry => include_str!("../../schema/v1/entry.schema.json"),
        Kind::Charter => include_str!("../../schema/v1/charter.schema.json"),
    }
}
