//! The verbs. Each does its work and returns what came of it; none prints.

mod apply;
mod blame;
mod board;
mod budget;
mod charter;
mod check;
mod checkout;
mod completions;
mod conformance;
mod diff;
mod export;
mod edit;
mod extract;
mod heal;
mod import;
mod init;
mod log;
mod man;
mod merge;
mod message;
mod notices;
mod open;
mod page;
mod post;
mod read;
mod recorded;
mod render;
mod roff;
mod role;
mod schema;
mod seen;
mod show;
mod task;
mod tokens;
mod unified;
mod verify;
mod why;

use relay_baton::baton::Baton;
use relay_baton::json::Value;

use crate::args::Verb;
use crate::done::Done;
use crate::failure::Failure;
use crate::settings::Reporting;

/// Does what the verb says.
pub(crate) fn run(verb: Verb, reporting: Reporting) -> Result<Done, Failure> {
    match verb {
        Verb::Init(args) => init::run(&args),
        Verb::Apply(args) => apply::run(&args),
        Verb::Extract(args) => extract::run(&args),
        Verb::Render(args) => render::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Tokens(args) => tokens::run(&args),
        Verb::Post(args) => post::run(&args),
        Verb::Read(args) => read::run(&args),
        Verb::Log(args) => log::run(&args),
        Verb::Show(args) => show::run(&args),
        Verb::Why(args) => why::run(&args),
        Verb::Blame(args) => blame::run(&args),
        Verb::Checkout(args) => checkout::run(&args),
        Verb::Export(args) => export::run(&args),
        Verb::Import(args) => import::run(&args),
        Verb::Verify(args) => verify::run(&args),
        Verb::Run(args) => task::run(&args, reporting),
        Verb::Resume(args) => task::resume(&args, reporting),
        Verb::Pending(args) => task::pending(&args),
        Verb::Approve(args) => task::approve(&args),
        Verb::Deny(args) => task::deny(&args),
        Verb::Resolve(args) => task::resolve(&args),
        Verb::Step(args) => task::step(&args),
        Verb::Merge(args) => merge::run(&args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Charter(args) => charter::run(&args),
        Verb::Schema(args) => schema::run(&args),
        Verb::Conformance(args) => conformance::run(&args),
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

/// `1 entry`, `2 entries`
fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}
