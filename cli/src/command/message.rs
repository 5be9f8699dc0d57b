//! The message to the agent whose patch was refused, and the file that it goes to.

use std::path::Path;

use relay_baton::correction::correction;
use relay_baton::instructions;
use relay_baton::refusal::{Class, Code, Refusal};

use crate::args::{ApplyArgs, Dialect};
use crate::failure::{Answer, Failure};
use crate::place::{is_same_file, remove_if_begins};

/// Adds what to send back to the agent, unless the failure is none of the answer's.
pub(super) fn corrected(failure: Failure, args: &ApplyArgs) -> Failure {
    let Failure::Refused(mut answer) = failure else { return failure };
    // What the operator has to see to is nothing that the agent can mend.
    let is_agents =
        |refusal: &Refusal| refusal.code.class() != Class::Access && !refusal.code.as_str().starts_with("board.");
    if answer.refused.refusals().iter().all(is_agents) {
        answer.correction = Some(correction(&answer.refused, &how(args)));
        answer.correction_file.clone_from(&args.correction);
    }
    Failure::Refused(answer)
}

/// How the next answer has to come.
fn how(args: &ApplyArgs) -> instructions::Answer<'_> {
    let strict = args.dialect == Dialect::Strict;
    instructions::Answer { nonce: args.nonce.as_deref(), strict, ..instructions::Answer::default() }
}

/// Tells people how a patch under a nonce is found, where none was given.
pub(super) fn with_nonce_help(answer: Answer, nonce: Option<&str>) -> Answer {
    let none = answer.refused.refusals().iter().any(|refusal| refusal.code == Code::PatchNone);
    let bears_one = answer.text.is_some_and(|text| text.contains("baton_patch:"));
    if none && bears_one && nonce.is_none() { answer.with_help("pass --nonce, as at render") } else { answer }
}

/// Tells people how a rule is lifted.
pub(super) fn with_allow_help(answer: Answer) -> Answer {
    let liftable = |refusal: &&Refusal| {
        [Code::GuardKept, Code::GuardFrozen, Code::GuardAppendOnly].contains(&refusal.code)
            && !refusal.is_about("decision_log")
    };
    let field = answer.refused.refusals().iter().find(liftable).and_then(|refusal| refusal.at.split('/').nth(1));
    match field {
        Some(field) if answer.help.is_none() => {
            let help = format!("if it is meant, `--allow {field}` lets this one step by");
            answer.with_help(help)
        }
        _ => answer,
    }
}

/// Sees to it that the file holds a message of this run or none, and that the message overwrites no other file.
pub(super) fn make_way(path: &Path, args: &ApplyArgs) -> Result<(), Failure> {
    let others = [
        ("the baton", Some(&args.baton)),
        ("the patch", Some(&args.patch)),
        ("the base file", args.base_file.as_ref()),
        ("the guard file", args.guards.as_ref()),
        ("the charter", args.role.charter.as_ref()),
        ("the output", args.place.output.as_ref()),
    ];
    for (what, other) in others {
        let is_file = |path: &Path| path.as_os_str() != "-";
        if other.is_some_and(|other| is_file(path) && is_file(other) && is_same_file(path, other)) {
            return Err(Failure::Usage(format!("--correction would overwrite {what}: name another file")));
        }
    }
    remove_if_begins(path, opening().as_bytes())
}

/// The first line of every message.
fn opening() -> String {
    let message = correction(&Refusal::new(Code::PatchNone, "", "").into(), &instructions::Answer::default());
    message.lines().next().unwrap_or_default().to_owned()
}
