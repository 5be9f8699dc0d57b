//! What `apply` tells about an answer that was accepted.

use relay_baton::baton::{Budget, Field};
use relay_baton::json::pointer;
use relay_baton::refusal::Notice;
use relay_baton::relay::Applied;

use crate::args::ApplyArgs;
use crate::command::budget::left_out;
use crate::failure::{Failure, named, shown_name};
use crate::place::Target;

/// `baton.json: revision 2, 122 of 1000 tokens; changed /current_state, /acceptance`
pub(super) fn summary(applied: &Applied<'_>, target: &Target, budget: &Budget<'_>, name: &str) -> String {
    let file = match target {
        Target::File { path, .. } => named(path),
        _ => shown_name(name).into_owned(),
    };
    let (revision, rendering) = (applied.baton.revision(), &applied.rendering);
    let tokens = rendering.tokens().unwrap_or_default();
    let changed = match applied.changed.as_slice() {
        [] => "nothing changed".to_owned(),
        changed => format!("changed {}", changed.join(", ")),
    };
    let shed = left_out(rendering.shed());
    format!("{file}: revision {revision}, {tokens} of {} tokens{shed}; {changed}", budget.tokens)
}

/// Refuses what can only be a field's name mistaken.
pub(super) fn allowable(name: &str) -> Result<(), Failure> {
    let refuse =
        |right: &str| Err(Failure::Usage(format!("--allow `{name}` names no field: `--allow {right}` is meant")));
    if let Some(pointer) = name.strip_prefix('/') {
        let first = pointer.split('/').next().unwrap_or_default();
        return refuse(Field::nearly_named(first).map_or(first, |field| field.name()));
    }
    Field::nearly_named(name).map_or(Ok(()), |field| refuse(field.name()))
}

/// Options that did nothing, or nothing that lasts. `own` is the budget of the baton.
pub(super) fn without_effect(args: &ApplyArgs, own: u64, applied: &Applied<'_>) -> Vec<Notice> {
    let mut notices: Vec<Notice> = args.allow.iter().filter_map(|name| unused(name, applied)).collect();
    notices.extend(args.budget.budget.filter(|typed| *typed != own).map(|_| {
        let detail = format!("not kept: later renderings use the baton's budget, {own} tokens; init --budget sets it");
        Notice::new("budget.once", "/stamp/budget", detail)
    }));
    notices
}

fn unused(name: &str, applied: &Applied<'_>) -> Option<Notice> {
    let at = pointer::child("", name);
    if applied.notices.iter().any(|notice| notice.code == "guard.allowed" && notice.at == at) {
        return None;
    }
    let detail = if name == Field::DecisionLog.name() {
        "the decision log is let by nothing: leave out --allow"
    } else {
        "no rule stood in the way of this step: leave out --allow"
    };
    Some(Notice::new("allow.unused", at, detail))
}
