//! The shape of a charter, as it stands in a file: TOML has the same members.
#![expect(dead_code, reason = "these types are never made: only their schemas are used")]

use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::schema::generate::item::{Id, Sentence};
use crate::schema::generate::optional_members;

/// Who may invoke, use, read and write what, and at what cost.
///
/// A file that others include has a `module`, and neither `ceilings` nor `person`.
#[derive(JsonSchema)]
#[schemars(title = "Charter", deny_unknown_fields, extend("required" = ["charter"]))]
pub(super) struct Charter {
    /// The version of what follows.
    #[schemars(extend("const" = "v1"))]
    charter: String,
    /// Its dotted name, which other files write before names that are declared here.
    #[schemars(extend("pattern" = r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$"))]
    module: String,
    /// Paths of other files, from the folder of this one.
    #[schemars(extend("uniqueItems" = true))]
    include: Vec<String>,
    ceilings: Ceilings,
    /// What agents tell one another over the board, by key.
    data: BTreeMap<String, Data>,
    /// Flows that may start agents, by name.
    strategy: BTreeMap<String, Strategy>,
    /// Roles, by name.
    agent: BTreeMap<String, Agent>,
    /// What agents may call beside other agents, by name.
    tool: BTreeMap<String, Tool>,
    /// Who may use what; without it nobody is limited.
    person: BTreeMap<String, Person>,
}

/// Limits of the whole task, over all its agents and all its restarts.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["tokens", "tool_calls"]))]
struct Ceilings {
    /// Tokens of all model calls, in and out.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    tokens: u64,
    /// Tool calls.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    tool_calls: u64,
    /// Agents that are started by agents; 0 where it is not said.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    spawns: u64,
    /// Delegations in a chain; 0 where it is not said.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    depth: u64,
}

/// What stands under one key on the board.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["readers"]))]
struct Data {
    readers: Readers,
    /// Whether it is recalled from what was kept of earlier tasks, where nobody has posted it.
    recalled: bool,
    /// Whether it is kept for later tasks, once the task is done.
    kept: bool,
}

/// Exactly `["*"]` is every agent, a list of names is those, and none is only who wrote it.
#[derive(JsonSchema)]
#[schemars(extend("uniqueItems" = true))]
struct Readers(Vec<Id>);

/// A flow: subtasks, each after those that it waits for.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["subtask"]))]
struct Strategy {
    /// What it is for.
    description: String,
    /// The goal of the baton that a run makes where there is none.
    goal: Sentence,
    #[schemars(length(min = 1))]
    subtask: Vec<Subtask>,
}

/// One piece of work, for one agent.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["id", "agent"]))]
struct Subtask {
    /// Its name in the strategy.
    #[schemars(extend("pattern" = "^[A-Za-z0-9_-]{1,128}$"))]
    id: String,
    agent: Id,
    /// What it is to do.
    intent: String,
    /// Keys of data without which it is not begun; its agent needs them.
    #[schemars(extend("uniqueItems" = true))]
    consumes: Vec<Id>,
    /// The key under which its agent's output is posted.
    produces: Id,
    /// Subtasks that have to be done before.
    #[schemars(extend("uniqueItems" = true))]
    after: Vec<Id>,
}

/// A role.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["responsibility"]))]
struct Agent {
    /// What it answers for.
    responsibility: Sentence,
    /// Who may call it; nobody, where it is not said.
    #[schemars(extend("uniqueItems" = true))]
    callable_by: Vec<Caller>,
    /// Tools that it may call and agents that it may delegate to.
    #[schemars(extend("uniqueItems" = true))]
    uses: Vec<Use>,
    /// Keys of the data that it is given.
    #[schemars(extend("uniqueItems" = true))]
    needs: Vec<Id>,
    /// Fields of the baton that it is shown; all of them, where it is not said.
    #[schemars(extend("uniqueItems" = true))]
    reads: Vec<String>,
    /// Fields of the baton that it may change; none, where it is not said.
    #[schemars(extend("uniqueItems" = true))]
    writes: Vec<String>,
    /// The JSON Schema that its output has to meet, or the path of a file that holds it.
    #[schemars(extend("type" = ["object", "string"]))]
    contract: serde_json::Value,
    /// How often it may try again after an answer that was refused; once, where it is not said.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    corrections: u64,
    /// Whether it may let others read what came of things that they may not read.
    declassify: bool,
    limits: Limits,
    command: Command,
}

/// `strategy NAME` or `agent NAME`.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = r"^(strategy|agent) [A-Za-z0-9_.-]+$"))]
struct Caller(String);

/// `tool NAME` or `agent NAME`.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = r"^(tool|agent) [A-Za-z0-9_.-]+$"))]
struct Use(String);

/// Limits of one run of an agent, within the task's.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = optional_members)]
struct Limits {
    /// Model calls; 50, where it is not said.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    iterations: u64,
    /// Tokens, in and out.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    tokens: u64,
    /// Tool calls.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    tool_calls: u64,
    /// Tokens that one answer may have; 4096, where it is not said.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    answer_tokens: u64,
}

/// A program with its arguments, which no shell reads.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Command {
    Words(Words),
    Limited(LimitedCommand),
}

/// The program, then its arguments.
#[derive(JsonSchema)]
#[schemars(extend("minItems" = 1))]
struct Words(Vec<String>);

/// A program with limits.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("required" = ["words"]))]
struct LimitedCommand {
    words: Words,
    /// Seconds that it may take; 600, where it is not said.
    #[schemars(range(min = 1, max = 315_360_000))]
    time_limit_s: u64,
    /// Bytes that it may write to standard output; 1048576, where it is not said.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    output_limit_bytes: u64,
}

/// Something that an agent may call.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = optional_members)]
struct Tool {
    /// What it does.
    description: String,
    /// Whether a call changes something in the world, and so waits for a person; yes, where it is not said.
    side_effects: bool,
    /// The JSON Schema of its arguments, or the path of a file that holds it.
    #[schemars(extend("type" = ["object", "string"]))]
    arguments: serde_json::Value,
    readers: Readers,
    /// People who may approve a call; anyone who is no agent, where it is not said.
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    approvers: Vec<Id>,
    /// Minutes in which an approval can be given and used.
    #[schemars(range(min = 1, max = 52_560_000))]
    approval_minutes: u64,
    command: Command,
}

/// What a person may have agents do.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = optional_members)]
struct Person {
    /// Tools that agents may use for them.
    #[schemars(extend("uniqueItems" = true))]
    uses: Vec<PersonUse>,
}

/// `tool NAME`.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = r"^tool [A-Za-z0-9_.-]+$"))]
struct PersonUse(String);
