//! What a model is asked for by structured output, with a line on each member that teaches it how to answer.

use crate::schema::Dialect;
use crate::schema::form::Form::{List, Object, Text, Word};
use crate::schema::form::Presence::{Always, Emptiable, Optional};
use crate::schema::form::{Form, Member, Presence};

/// What the form of a baton is for.
pub(super) const BATON: &str = "The first baton of a task: what every later agent will know of it. Keep it short.";

/// What the form of a patch is for.
pub(super) fn patch_about(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Anthropic => "What your step changed. Leave a field out to keep it as it is.",
        _ => "What your step changed. A field that is null stays as it is.",
    }
}

const STATUSES: &[&str] = &["pending", "passed", "failed", "waived"];

/// The members of a patch.
pub(super) fn patch() -> Vec<Member> {
    vec![
        optional("goal", "The goal; in most pipelines it is frozen, and a new one is refused", Text),
        optional(
            "current_state",
            "Everything that is true now: it replaces the whole list, and an empty list empties it",
            texts(),
        ),
        optional(
            "decision_log",
            "Only the decisions that you took in this step; those on the log stay there by themselves",
            List(Box::new(Object(new_decision()))),
        ),
        edit("constraints", "Hard rules to add; those that stand must stay, so removing one is refused", Text),
        edit("open_questions", "Questions to add, and those that are answered to remove", Text),
        edit("work_scope", "Files and modules that the work may touch, to add or remove", Text),
        edit("artifacts", "What the work has made; add one under its known name to update it", Object(artifact())),
        edit("acceptance", "The checks; add one with its exact text to change its status", Object(check())),
    ]
}

/// The members of a first baton.
pub(super) fn baton() -> Vec<Member> {
    let decision = vec![
        always("decision", "What was decided, in one sentence", Text),
        optional("rationale", "Why, in one sentence", Text),
    ];
    vec![
        always("goal", "What the whole chain of agents is for, in one sentence", Text),
        always("current_state", "What is true now", texts()),
        always("decision_log", "Decisions that are taken already", List(Box::new(Object(decision)))),
        always("constraints", "Hard rules that no agent may break", texts()),
        always("open_questions", "What nobody has answered yet", texts()),
        always("work_scope", "Files and modules that the work may touch", texts()),
        always("artifacts", "What exists already", List(Box::new(Object(artifact())))),
        always("acceptance", "The checks by which the work is judged", List(Box::new(Object(check())))),
    ]
}

fn new_decision() -> Vec<Member> {
    vec![
        always("decision", "What you decided, in one sentence", Text),
        optional("rationale", "Why, in one sentence", Text),
        optional("supersedes", "Ids of the decisions on the log that this one takes back, such as D3", texts()),
    ]
}

fn artifact() -> Vec<Member> {
    vec![
        always("name", "A short unique name, which is its key", Text),
        optional("uri", "Where it is: a path or a URI", Text),
        optional("digest", "Its digest, such as sha256:…; only one that you computed", Text),
        optional("media_type", "Its media type, such as text/markdown", Text),
        optional("summary", "What it holds, in one sentence", Text),
    ]
}

fn check() -> Vec<Member> {
    vec![
        always("check", "What has to hold; its text is its key", Text),
        optional("status", "How it stands", Word(STATUSES)),
        optional("evidence", "What shows that the status is true, such as a command and its result", Text),
    ]
}

fn edit(name: &'static str, about: &'static str, item: Form) -> Member {
    let members = vec![
        member("add", "Items to add", Emptiable, List(Box::new(item))),
        member("remove", "Items to remove, each by its exact text or name", Emptiable, texts()),
    ];
    optional(name, about, Object(members))
}

fn texts() -> Form {
    List(Box::new(Text))
}

fn always(name: &'static str, about: &'static str, form: Form) -> Member {
    member(name, about, Always, form)
}

fn optional(name: &'static str, about: &'static str, form: Form) -> Member {
    member(name, about, Optional, form)
}

fn member(name: &'static str, about: &'static str, presence: Presence, form: Form) -> Member {
    Member { name, about, presence, form }
}
