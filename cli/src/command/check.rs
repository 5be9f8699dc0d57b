//! `check`: whether a document is a baton that fits.

use relay_baton::baton::{Baton, Field};
use relay_baton::json::pointer;
use relay_baton::refusal::Notice;

use crate::args::CheckArgs;
use crate::command::{budget_of, counted, open, revised};
use crate::counter::Counter;
use crate::done::Done;
use crate::failure::Failure;
use crate::settings;

/// Reads the baton and fits it.
pub(super) fn run(args: &CheckArgs) -> Result<Done, Failure> {
    let limits = settings::limits(&args.limits);
    let (input, baton) = open::baton_at(&args.baton, &limits)?;
    let budget = budget_of(&args.budget, &baton);
    let fitted = relay_baton::fit::accept(&baton, &budget, &Counter::of(&budget)?);
    let fitted = fitted.map_err(|refused| input.refuse(refused))?;
    let mut done = Done::shown(summary(&input.name, &baton, &fitted));
    done.report.facts = revised(&baton, &[]);
    done.report.notices = near_misses(&baton);
    done.report.counts = counted(&fitted);
    done.report.file = Some(input.name);
    Ok(done)
}

/// Members that are nearly named as a known field, and so are not read as one.
fn near_misses(baton: &Baton<'_>) -> Vec<Notice> {
    let others = baton.others().filter_map(|(name, _)| Some((name, Field::nearly_named(name)?)));
    let notices = others.map(|(name, field)| {
        let detail = format!("it is kept and not read: is `{}` meant?", field.name());
        Notice::new("baton.near_miss", pointer::child("", name), detail)
    });
    notices.collect()
}
