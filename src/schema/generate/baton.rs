//! The shape of a baton as it is read.
#![expect(dead_code, reason = "these types are never made: only their schemas are used")]

use schemars::JsonSchema;

use crate::schema::generate::item::{Artifacts, Checks, Decisions, Id, Sentence, Strings};
use crate::schema::generate::optional_members;

/// The document that travels with the work. Members that nobody knows are kept.
#[derive(JsonSchema)]
#[schemars(title = "Baton", extend("required" = ["goal"], "additionalProperties" = true))]
pub(super) struct Baton {
    /// What the whole chain is for, in one sentence.
    goal: Sentence,
    /// What is true now.
    current_state: Option<Strings>,
    /// Every decision, oldest first; it only grows.
    decision_log: Option<Decisions>,
    /// Hard rules.
    constraints: Option<Strings>,
    /// What nobody has answered yet.
    open_questions: Option<Strings>,
    /// Files and modules that the work may touch.
    work_scope: Option<Strings>,
    /// What the work has made, by name.
    artifacts: Option<Artifacts>,
    /// The checks by which the work is judged, by text.
    acceptance: Option<Checks>,
    /// What the merge writes about itself; without it the baton is at revision 0.
    stamp: Stamp,
}

/// What the merge writes about itself, never an agent.
#[derive(JsonSchema)]
#[schemars(transform = optional_members)]
struct Stamp {
    /// The schema of the document.
    #[schemars(extend("const" = "baton/v1"))]
    schema: String,
    /// Whose task it is.
    tenant: Id,
    /// Which task it is.
    task: Id,
    /// How many patches the baton has taken.
    revision: u64,
    /// The step that made this revision.
    step: Id,
    /// When (RFC 3339; written in UTC with milliseconds).
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Who.
    by: Id,
    /// The digest of the text that made this revision, by which a replay is recognised.
    patch: String,
    /// The budget of the rendering.
    budget: Budget,
}

/// A token budget; a number alone is its tokens.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Budget {
    Tokens(#[schemars(range(min = 1))] u64),
    Named(NamedBudget),
}

#[derive(JsonSchema)]
#[schemars(extend("required" = ["tokens"]))]
struct NamedBudget {
    /// How many tokens the rendering may have.
    #[schemars(range(min = 1))]
    tokens: u64,
    /// The encoding that they are counted in, such as `o200k_base`.
    encoding: String,
}
