//! The shape of a patch in the plain dialect.
#![expect(dead_code, reason = "these types are never made: only their schemas are used")]

use schemars::JsonSchema;

use crate::schema::generate::item::{Artifacts, Checks, Decisions, Sentence, Strings};
use crate::schema::generate::optional_members;

/// One agent's change: only what changed. A member that is absent changes nothing; any other member is merged by RFC 7396.
#[derive(JsonSchema)]
#[schemars(title = "Patch", transform = optional_members, extend("additionalProperties" = true))]
pub(super) struct Patch {
    /// The new goal. It is frozen after the first baton unless a guard says otherwise.
    goal: Sentence,
    /// What is true now, as a whole; or an edit.
    current_state: Option<Change<Strings>>,
    /// Only the new decisions. What is on the log stays there.
    decision_log: Option<LogChange>,
    /// All the hard rules, the old ones among them; or an edit.
    constraints: Option<Change<Strings>>,
    /// All the questions that are open; or an edit.
    open_questions: Option<Change<Strings>>,
    /// All the files and modules that the work may touch; or an edit.
    work_scope: Option<Change<Strings>>,
    /// All the artifacts; or an edit. One whose name stands keeps the members that are not mentioned.
    artifacts: Option<Change<Artifacts>>,
    /// All the checks; or an edit. One whose text stands keeps the members that are not mentioned.
    acceptance: Option<Change<Checks>>,
    /// Refused: the merge writes the stamp.
    #[schemars(schema_with = "refused")]
    stamp: (),
}

/// A schema that nothing meets.
fn refused(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"not": {}})
}

/// A whole new list, or an edit of the one that stands.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "{T}OrEdit")]
enum Change<T> {
    List(T),
    Edit(Edit<T>),
}

/// An edit: items are removed first, then added.
#[derive(JsonSchema)]
#[schemars(
    rename = "EditOf{T}",
    deny_unknown_fields,
    transform = optional_members,
    extend("minProperties" = 1)
)]
struct Edit<T> {
    /// Items to add. In a list of keyed items, one whose key stands is merged into it.
    add: T,
    /// Texts or keys of items to remove. Each must be there.
    remove: Strings,
}

/// The new decisions.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum LogChange {
    List(Decisions),
    Edit(LogEdit),
}

/// An edit that adds to the log. Nothing can be removed from it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = optional_members, extend("minProperties" = 1))]
struct LogEdit {
    /// The new decisions.
    add: Decisions,
    /// Always empty.
    #[schemars(length(max = 0))]
    remove: Vec<String>,
}
