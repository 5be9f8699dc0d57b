//! The shape of one line of `--report json`.
#![expect(dead_code, clippy::large_enum_variant, reason = "these types are never made: only their schemas are used")]

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::refusal;
use crate::schema::generate::item::Id;

/// One line of `--report json`: what was done, or why not.
#[derive(JsonSchema)]
#[schemars(title = "Report", untagged)]
pub(super) enum Report {
    Done(Done),
    Refused(Refused),
    Usage(Usage),
    Event(Event),
}

/// It was done. Verbs add members of their own.
#[derive(JsonSchema)]
#[schemars(extend("required" = ["ok", "notices"]))]
pub(super) struct Done {
    #[schemars(extend("const" = true))]
    ok: bool,
    /// How many patches the baton has taken.
    revision: u64,
    /// The step that the patch was taken for.
    step: Id,
    /// What changed.
    changed: Vec<Pointer>,
    /// Where the board is, as it is shown: never with a password.
    board: String,
    /// Whose task the board is of.
    tenant: Id,
    /// Which task the board is of.
    task: Id,
    /// By which agents know the entry that a patch was recorded in.
    entry: Reference,
    /// By which agents know the entry that was posted.
    reference: Reference,
    /// The place of the entry that was shown, from 1.
    #[schemars(range(min = 1))]
    seq: u64,
    /// The last entry, or the one that was recorded.
    head: Head,
    /// Whether this answer was recorded before, and this is what came of it then.
    replayed: bool,
    /// How many entries were exported, imported, verified, or found by a walk.
    entries: u64,
    /// How many of the entries found were made of nothing else.
    roots: u64,
    /// How many entries a walk knows of and did not go to.
    beyond: u64,
    /// How many items of the baton were told.
    items: u64,
    /// Whether the board was held against a head: without one a cut tail cannot be found.
    against_head: bool,
    /// The digest of a charter's document.
    #[schemars(extend("pattern" = "^sha256:[0-9a-f]{64}$"))]
    digest: String,
    /// How many strategies a charter declares.
    strategies: u64,
    /// How many agents a charter declares.
    agents: u64,
    /// How many tools a charter declares.
    tools: u64,
    /// How far a task is.
    status: Standing,
    /// The status of each subtask: waiting, running, done, failed or skipped.
    subtasks: BTreeMap<String, String>,
    account: Account,
    /// Calls that wait for a person's yes or no.
    approvals: Vec<Waiting>,
    /// Calls whose end a person has to tell.
    doubts: Vec<Waiting>,
    /// Runs whose answers people hand in.
    answers: Vec<Answer>,
    /// By which the words are known that a person gave.
    decisions: Vec<Reference>,
    /// The run of an agent, such as r1.
    run: String,
    /// The key of a request to an agent.
    request: String,
    /// Where the tokens go, section by section.
    sections: Vec<Section>,
    /// What was accepted and is still worth knowing.
    notices: Vec<Notice>,
    tokens: Tokens,
}

/// How far a task is.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Standing {
    Done,
    Failed,
    Waiting,
    Stopped,
}

/// What a task has spent, and its ceilings.
#[derive(JsonSchema)]
struct Account {
    tokens: Spent,
    tool_calls: Spent,
    spawns: Spent,
}

/// What is spent of a ceiling.
#[derive(JsonSchema)]
struct Spent {
    /// So much.
    spent: u64,
    /// Of so much.
    ceiling: u64,
}

/// A call that waits for a person's word.
#[derive(JsonSchema)]
#[schemars(extend("required" = ["tool", "agent", "run"]))]
struct Waiting {
    /// The approval.
    id: Reference,
    /// The key of a call in doubt.
    key: Id,
    /// The beginning of the key, to be typed.
    short: String,
    tool: Id,
    agent: Id,
    /// The run, such as r1.
    run: String,
    step: Id,
    /// A copy of what the tool is given.
    arguments: serde_json::Value,
    /// Who asked for the task.
    person: Id,
    /// Since when it waits (RFC 3339).
    since: String,
    /// Who may decide, where that is not everybody.
    approvers: Vec<Id>,
    /// Until when it can be decided (RFC 3339).
    expires: String,
    /// True where that time is over.
    expired: bool,
    /// Why nobody knows how it ended.
    detail: String,
    decided: Decided,
}

/// A run whose answer a person hands in.
#[derive(JsonSchema)]
struct Answer {
    /// The run, such as r1.
    run: String,
    agent: Id,
    step: Id,
}

/// A word that was given, and that `resume` will hear.
#[derive(JsonSchema)]
struct Decided {
    /// Granted, denied or resolved.
    state: String,
    by: Id,
    /// When (RFC 3339).
    at: String,
}

/// Something that happened while a task was carried out; its other members are those of the trace.
#[derive(JsonSchema)]
pub(super) struct Event {
    /// Its name, such as `slice_given`, `call` or `approval`.
    #[schemars(extend("pattern" = "^[a-z_]+$"))]
    event: String,
}

/// The random name of an entry.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^[0-9a-hjkmnp-tv-z]{16}$"))]
pub(super) struct Reference(String);

/// The sequence number and the digest of an entry.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^[1-9][0-9]*:sha256:[0-9a-f]{64}$"))]
struct Head(String);

/// What one section of the rendering takes.
#[derive(JsonSchema)]
struct Section {
    /// The name of its field, `other_keys`, or `frame` for the lines that belong to no section.
    name: String,
    /// Tokens that it has in the rendering.
    tokens: u64,
    /// Tokens that it would have if nothing were left out.
    whole: u64,
    /// How many of its items and members were left out.
    shed: u64,
}

/// What the rendering takes of its budget.
#[derive(JsonSchema)]
struct Tokens {
    /// Tokens of the rendering.
    total: u64,
    /// Tokens that it may have.
    #[schemars(range(min = 1))]
    budget: u64,
    /// The encoding that both are counted in, such as `o200k_base`.
    encoding: String,
    /// What was left out to fit, each with its count, such as `3 rationales`.
    shed: Vec<String>,
}

/// It was refused, as a whole.
#[derive(JsonSchema)]
#[schemars(extend("required" = ["ok", "refusals"]))]
pub(super) struct Refused {
    #[schemars(extend("const" = false))]
    ok: bool,
    /// Everything that was wrong.
    #[schemars(length(min = 1))]
    refusals: Vec<Refusal>,
    /// A message to send back to the agent.
    correction: String,
    /// How far a task is.
    status: Standing,
    /// The status of each subtask: waiting, running, done, failed or skipped.
    subtasks: BTreeMap<String, String>,
    account: Account,
    /// The run of an agent, such as r1.
    run: String,
    /// Of a baton over its budget: what the rendering takes at least.
    tokens: Tokens,
}

/// The command line was not understood; nothing was tried.
#[derive(JsonSchema)]
pub(super) struct Usage {
    #[schemars(extend("const" = false))]
    ok: bool,
    /// What was wrong with it.
    usage: String,
}

/// Something that was accepted and is still worth knowing.
#[derive(JsonSchema)]
struct Notice {
    /// A stable code, such as `state.unchanged`.
    code: String,
    at: Pointer,
    /// One line; its wording is not stable.
    detail: String,
}

/// One thing that was wrong.
#[derive(JsonSchema)]
#[schemars(extend("required" = ["code", "at", "detail", "action"]))]
struct Refusal {
    code: Code,
    at: Pointer,
    /// What is wrong and what to do, in one line; its wording is not stable.
    detail: String,
    action: Action,
    /// The file that was read.
    file: String,
    /// Line in it, from 1.
    #[schemars(range(min = 1))]
    line: u64,
    /// Column in characters, from 1.
    #[schemars(range(min = 1))]
    column: u64,
    /// Bytes before it.
    offset: u64,
}

/// Where: a JSON Pointer (RFC 6901); the empty one is the whole document.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^(/([^~/]|~[01])*)*$"))]
struct Pointer(String);

/// What its receiver can do about it: change what was sent, start again from the newest revision, ask again later, or nothing.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Action {
    Fix,
    Retry,
    Wait,
    Stop,
}

/// A code of [`refusal::Code`].
struct Code;

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Code")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = refusal::Code::ALL.iter().map(|code| code.as_str()).collect();
        json_schema!({"description": "Why, as a stable code.", "type": "string", "enum": words})
    }
}
