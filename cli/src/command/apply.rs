//! `apply`: one agent's answer, checked and merged.

use relay_baton::attribution::Attribution;
use relay_baton::baton::Baton;
use relay_baton::extract::Extraction;
use relay_baton::guard::Guards;
use relay_baton::json::Limits;
use relay_baton::parse;
use relay_baton::relay::{Applied, Base, Relay};

use crate::args::{ApplyArgs, Dialect};
use crate::command::{budget_of, correction, counted, guards, open, revised};
use crate::counter::Counter;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Input, Source, Target};
use crate::settings;

/// Takes the patch out of the answer and merges it into the baton.
pub(super) fn run(args: &ApplyArgs) -> Result<Done, Failure> {
    let limits = settings::limits(&args.limits);
    let [baton, patch] = settings::sources([&args.baton, &args.patch])?;
    let attribution = attribution(args)?;
    // The answer first: an agent may take its time, and a lock is held briefly.
    let answer = patch.read(&limits)?;
    let (input, target) = open::open(&baton, &args.place, &limits)?;
    let before = open::baton(&input, &limits)?;
    let base = args.base_file.as_deref().map(|path| open::baton_at(path, &limits)).transpose()?;
    let relay = Relay {
        attribution,
        base: base_of(args, base.as_ref().map(|(_, base)| base)),
        extraction: Extraction { nonce: args.nonce.as_deref(), repair: args.repair, limits },
        dialect: dialect(args.dialect),
        guards: guards(args.guards.as_deref(), &limits)?,
        allowed: args.allow.clone(),
        budget: Some(budget_of(&args.budget, &before)),
    };
    applied(args, &relay, before, &answer, &input, target, &limits)
}
