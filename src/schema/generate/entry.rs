//! The shape of an entry of a board, as a line of an export has it.
#![expect(dead_code, reason = "these types are never made: only their schemas are used")]

use schemars::JsonSchema;

use crate::schema::generate::item::Id;
use crate::schema::generate::report::Reference;

/// An entry of a board: one line of `export` and of `log --json`.
///
/// `digest` is the SHA-256 of the canonical form (RFC 8785) of the entry without it.
#[derive(JsonSchema)]
#[schemars(title = "Entry", deny_unknown_fields)]
#[schemars(extend("required" = ["seq", "tenant", "task", "reference", "kind", "key", "author", "at", "data", "derived_from", "prev", "digest"]))]
pub(super) struct Entry {
    /// Its place on the board, from 1, without gaps.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    seq: u64,
    /// Whose task the board is of.
    tenant: Id,
    /// Which task the board is of.
    task: Id,
    /// The name by which agents know it.
    reference: Reference,
    /// What it is: `baton`, `patch`, `fact`, or a word of another layer.
    kind: Id,
    /// What it is about: `baton/REVISION` of what the baton is made of. The newest of a kind and key is what stands.
    key: Id,
    /// Who wrote it.
    author: Id,
    /// At which step.
    step: Id,
    /// When (RFC 3339, UTC, milliseconds); it decides nothing.
    #[schemars(extend("pattern" = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$"))]
    at: String,
    /// Who may read it: exactly `["*"]` is every agent, a list of ids is those; anything else is its author alone.
    readers: serde_json::Value,
    /// What it says.
    data: serde_json::Value,
    /// Places of the entries that it was made of, in order.
    #[schemars(extend("uniqueItems" = true))]
    derived_from: Vec<u64>,
    /// It is there, and true, where some may read it who could not read all that it was made of.
    #[schemars(extend("const" = true))]
    declassified: bool,
    /// A word by which its author's repetition of it is known.
    idempotency_key: Id,
    /// The digest of the entry before it; `null` of the first.
    prev: Option<Digest>,
    /// Its own digest.
    digest: Digest,
}

/// A SHA-256.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^sha256:[0-9a-f]{64}$"))]
struct Digest(String);
