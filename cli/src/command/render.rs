//! `render`: a baton as an agent reads it.

use std::path::Path;

use relay_baton::charter::{Agent, restricted};
use relay_baton::fit::fit;
use relay_baton::guard::Guards;
use relay_baton::instructions::{Answer, instructions};
use relay_baton::json::Limits;
use relay_baton::render::Format;

use crate::args::{Dialect, RenderArgs, RenderFormat};
use crate::command::budget::{budget, counts};
use crate::command::heal::{self, Current};
use crate::command::{revised, role};
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Source, Target};
use crate::settings;

/// Prints the rendering within its budget, and how to answer where that is asked for.
pub(super) fn run(args: &RenderArgs) -> Result<Done, Failure> {
    let limits = settings::limits(&args.limits);
    let Current { input, baton, notice } = heal::baton_at(&args.baton, &args.board, &limits)?;
    let agent = role::role(&args.role)?;
    let shown = agent.as_ref().map(|agent| restricted(&baton, agent));
    let baton = shown.unwrap_or(baton);
    let (budget, counter) = budget(&args.budget, &baton, &input)?;
    let fitted = fit(&baton, format(args.format), &budget, &counter);
    let mut rendering = fitted.map_err(|refused| input.refuse(refused))?;
    rendering.count(&counter);
    let (facts, counts) = (revised(&baton, &[]), counts(&rendering, &budget));
    let mut text = rendering.into_text();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if args.instructions {
        text.push('\n');
        text.push_str(&how_to_answer(args, agent.as_ref(), &limits)?);
    }
    let mut done = Done::with(Document::plain(text), Target::named(args.output.as_deref(), true));
    (done.report.facts, done.report.counts) = (facts, counts);
    done.report.notices.extend(notice);
    done.report.file = Some(input.name);
    Ok(done)
}

fn format(typed: RenderFormat) -> Format {
    match typed {
        RenderFormat::Markdown => Format::Markdown,
        RenderFormat::Xml => Format::Xml,
        RenderFormat::Json => Format::Json,
    }
}

fn how_to_answer(args: &RenderArgs, agent: Option<&Agent>, limits: &Limits) -> Result<String, Failure> {
    let nonce = nonce(args.nonce.as_deref(), args.dialect)?;
    let guards = role::rules(agent, args.guards.as_deref(), limits)?;
    Ok(instructions(&Answer { nonce, guards: Some(&guards), strict: args.dialect == Dialect::Strict }))
}

/// The word of the option `--nonce`, which the bare object of a strict answer has no place for.
pub(super) fn nonce(typed: Option<&str>, dialect: Dialect) -> Result<Option<&str>, Failure> {
    if typed.is_some() && dialect == Dialect::Strict {
        let wrong = "--nonce does not go with --dialect strict: an object of a schema has no place for a word";
        return Err(Failure::Usage(wrong.to_owned()));
    }
    settings::nonce(typed)
}

/// The guards in a file, or the usual ones.
pub(super) fn guards(path: Option<&Path>, limits: &Limits) -> Result<Guards, Failure> {
    let Some(path) = path else { return Ok(Guards::default()) };
    let input = Source::from(path).read(limits)?;
    Guards::read(input.text, limits).map_err(|refused| input.refuse(refused).into())
}
