//! `check`: whether a document is a baton that fits.

use relay_baton::baton::{Baton, Field};
use relay_baton::fit::{fit, section_tokens};
use relay_baton::json::pointer;
use relay_baton::refusal::Notice;
use relay_baton::render::Format;

use crate::args::CheckArgs;
use crate::command::budget::{budget, counts, left_out, tokens};
use crate::command::heal::{self, Current};
use crate::command::revised;
use crate::done::Done;
use crate::failure::{Failure, shown_name};
use crate::settings;

/// Reads the baton and fits it.
pub(super) fn run(args: &CheckArgs) -> Result<Done, Failure> {
    let limits = settings::limits(&args.limits);
    let Current { input, baton, notice } = heal::baton_at(&args.baton, &args.board, &limits)?;
    let (budget, counter) = budget(&args.budget, &baton, &input)?;
    let fitted = fit(&baton, Format::Markdown, &budget, &counter);
    let mut rendering = fitted.map_err(|refused| {
        let counted = section_tokens(&baton, Format::Markdown, &budget, &counter);
        let mut answer = input.refuse(refused);
        answer.counts = vec![("tokens", tokens(counted.tokens, &budget, Vec::new()))];
        answer
    })?;
    let total = rendering.count(&counter);
    let mut done = Done::shown(format!(
        "{}: revision {}, {total} of {} tokens ({}){}\n",
        shown_name(&input.name),
        baton.revision(),
        budget.tokens,
        budget.encoding,
        left_out(rendering.shed()),
    ));
    done.report.facts = revised(&baton, &[]);
    done.report.notices = near_misses(&baton);
    done.report.notices.extend(notice);
    done.report.counts = counts(&rendering, &budget);
    done.report.file = Some(input.name);
    Ok(done)
}

/// Members that are nearly named as a known field, and so are not read as one.
fn near_misses(baton: &Baton<'_>) -> Vec<Notice> {
    let others = baton.others().filter_map(|(name, _)| Some((name, Field::nearly_named(name)?)));
    let notices = others.map(|(name, field)| {
        let detail = format!("it is kept as a member of your own: is `{}` meant?", field.name());
        Notice::new("baton.near_miss", pointer::child("", name), detail)
    });
    notices.collect()
}
