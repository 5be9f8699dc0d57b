//! The verbs. Each does its work and returns what came of it; none prints.

mod apply;
mod board;
mod budget;
mod check;
mod completions;
mod diff;
mod extract;
mod heal;
mod init;
mod man;
mod merge;
mod message;
mod notices;
mod open;
mod recorded;
mod render;
mod roff;
mod schema;
mod tokens;
mod unified;

use relay_baton::baton::Baton;
use relay_baton::json::Value;

use crate::args::Verb;
use crate::done::Done;
use crate::failure::Failure;

/// Does what the verb says.
pub(crate) fn run(verb: Verb) -> Result<Done, Failure> {
    match verb {
        Verb::Init(args) => init::run(&args),
        Verb::Apply(args) => apply::run(&args),
        Verb::Extract(args) => extract::run(&args),
        Verb::Render(args) => render::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Tokens(args) => tokens::run(&args),
        Verb::Merge(args) => merge::run(&args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Schema(args) => schema::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    }
}

/// `revision`, `step` and `changed` for a report.
fn revised(baton: &Baton<'_>, changed: &[String]) -> Vec<(&'static str, Value<'static>)> {
    let stamp = baton.stamp();
    let mut facts = vec![("revision", Value::integer(stamp.revision))];
    facts.extend(stamp.step.map(|step| ("step", Value::string(step.to_owned()))));
    let changed = changed.iter().map(|at| Value::string(at.clone()));
    facts.push(("changed", Value::Array(changed.collect())));
    facts
}
