//! The parts that a baton and a patch have in common.
#![expect(dead_code, reason = "these types are never made: only their schemas are used")]

use schemars::JsonSchema;

// A string that is not blank. (No doc comment: it would be repeated as a description wherever it is used.)
#[derive(JsonSchema)]
#[schemars(inline, extend("pattern" = r"\S"))]
pub(super) struct Sentence(String);

/// An identifier: visible ASCII without spaces, 1 to 128 bytes, compared byte for byte.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^[!-~]{1,128}$"))]
pub(super) struct Id(String);

/// A list of strings; a lone string is a list of one.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Strings {
    One(String),
    Several(Vec<String>),
}

/// Decisions, oldest first; a lone string is a list of one.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Decisions {
    One(Sentence),
    Several(Vec<DecisionEntry>),
}

/// A decision; a string is its text.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum DecisionEntry {
    Text(Sentence),
    Full(Decision),
}

/// A decision. It is reversed only by a new one whose `supersedes` names it.
#[derive(JsonSchema)]
pub(super) struct Decision {
    /// `D1`, `D2`, … in order. The merge writes it; a new decision needs none.
    id: Option<Id>,
    /// What was decided.
    decision: Sentence,
    /// Why.
    rationale: Option<String>,
    /// Ids of the decisions that it takes back.
    supersedes: Option<Strings>,
    /// The step that took it; the merge writes it.
    step: Option<Id>,
    /// When it was recorded (RFC 3339, UTC); the merge writes it.
    at: Option<String>,
    /// Who took it; the merge writes it.
    by: Option<Id>,
}

/// Artifacts, each name once; a lone string is a list of one.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Artifacts {
    One(Sentence),
    Several(Vec<ArtifactEntry>),
}

/// Something that the work has made; a string is its name.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum ArtifactEntry {
    Name(Sentence),
    Full(Artifact),
}

/// Something that the work has made. Without `name` it takes the name from `id`, `path` or `uri`.
#[derive(JsonSchema)]
#[schemars(transform = named_somehow)]
pub(super) struct Artifact {
    /// Its key.
    name: Sentence,
    /// Where it is.
    uri: Option<String>,
    /// Its digest, such as `sha256:…`.
    digest: Option<String>,
    /// Its media type (RFC 6838).
    media_type: Option<String>,
    /// What it holds, in short.
    summary: Option<String>,
}

/// The name may come from another member.
fn named_somehow(schema: &mut schemars::Schema) {
    schema.remove("required");
    let text = |name: &str| {
        let mut properties = serde_json::Map::new();
        properties.insert(name.to_owned(), serde_json::json!({"type": "string", "pattern": r"\S"}));
        serde_json::json!({"required": [name], "properties": properties})
    };
    schema.insert("anyOf".to_owned(), ["name", "id", "path", "uri"].map(text).to_vec().into());
}

/// Checks, each text once; a lone string is a list of one.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Checks {
    One(Sentence),
    Several(Vec<CheckEntry>),
}

/// A check; a string is its text.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum CheckEntry {
    Text(Sentence),
    Full(Check),
}

/// A check by which the work is judged.
#[derive(JsonSchema)]
pub(super) struct Check {
    /// What has to hold; its key.
    check: Sentence,
    /// How it stands; `pending` where it is absent.
    status: Option<Status>,
    /// What shows that the status is true.
    evidence: Option<String>,
}

/// How a check stands.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(super) enum Status {
    Pending,
    Passed,
    Failed,
    Waived,
}
