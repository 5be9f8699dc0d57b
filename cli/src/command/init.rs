//! `init`: the first baton of a chain, and its board.

mod beginning;

use relay_baton::baton::{Baton, Budget, DEFAULT_BUDGET, Field, Id, SCHEMA};
use relay_baton::fit::accept;
use relay_baton::json::{Object, Value};
use relay_baton::parse::{Dialect, Proposal};
use relay_baton_tokens::Encoding;

use crate::args::InitArgs;
use crate::command::budget::counts;
use crate::command::init::beginning::Beginning;
use crate::command::revised;
use crate::done::{Document, Done};
use crate::failure::{Answer, Failure};
use crate::place::{Target, refuse_taken};
use crate::settings;

/// Writes a baton at revision 0.
pub(super) fn run(args: &InitArgs) -> Result<Done, Failure> {
    let target = Target::named(args.output.as_deref(), args.force);
    if let Target::File { path, force: false } = &target {
        refuse_taken(path)?;
    }
    refuse_empty(args)?;
    let beginning = beginning::named(args, &target)?;
    let stamp = stamp(args, beginning.as_ref())?;
    let mut members = fields(args);
    // What is typed is held to what a patch is held to.
    Proposal::parse(members.clone(), Dialect::Plain).map_err(Answer::new)?;
    members.set(Field::Stamp.name(), stamp);
    let baton = Baton::from_value(Value::Object(members)).map_err(Answer::new)?;
    let budget = baton.stamp().budget.unwrap_or(DEFAULT_BUDGET);
    let unknown = || Failure::Usage("--encoding is not known".to_owned());
    let counter = Encoding::named(budget.encoding).ok_or_else(unknown)?;
    let rendering = accept(&baton, &budget, &counter).map_err(Answer::new)?;
    let (baton, notice) = match &beginning {
        Some(beginning) => beginning.record(baton.clone(), args)?,
        None => (baton.clone(), None),
    };
    let mut done = Done::with(Document::json(baton.to_json()), target);
    done.report.facts = revised(&baton, &[]);
    done.report.facts.extend(beginning.iter().flat_map(Beginning::facts));
    done.report.summary = beginning.as_ref().map(|beginning| beginning.summary(&done.target));
    done.report.notices.extend(notice);
    done.stands = beginning.as_ref().map(Beginning::stands);
    done.report.counts = counts(&rendering, &budget);
    Ok(done)
}

/// The tenant and the task of a baton without a board.
fn told_id(args: &InitArgs) -> Result<Option<(Id, Id)>, Failure> {
    match (&args.tenant, &args.task) {
        (None, None) => Ok(None),
        (Some(tenant), Some(task)) => Ok(Some((settings::id("--tenant", tenant)?, settings::id("--task", task)?))),
        _ => Err(Failure::Usage("--tenant and --task go together where there is no board".to_owned())),
    }
}

fn refuse_empty(args: &InitArgs) -> Result<(), Failure> {
    let options = [
        ("--state", &args.state),
        ("--constraint", &args.constraint),
        ("--question", &args.question),
        ("--scope", &args.scope),
        ("--artifact", &args.artifact),
        ("--check", &args.check),
    ];
    options.into_iter().try_for_each(|(name, texts)| settings::said(name, texts))
}

fn fields(args: &InitArgs) -> Object<'static> {
    let lists = [
        (Field::CurrentState, &args.state),
        (Field::Constraints, &args.constraint),
        (Field::OpenQuestions, &args.question),
        (Field::WorkScope, &args.scope),
        (Field::Artifacts, &args.artifact),
        (Field::Acceptance, &args.check),
    ];
    let mut members = Object::new();
    members.set(Field::Goal.name(), Value::string(args.goal.clone()));
    for field in Field::ALL {
        if matches!(field, Field::Goal | Field::Stamp) {
            continue;
        }
        let typed = lists.iter().find(|(listed, _)| *listed == field).map(|(_, texts)| texts.as_slice());
        let items = typed.unwrap_or_default().iter().map(|text| Value::string(text.replace("\r\n", "\n")));
        members.set(field.name(), Value::Array(items.collect()));
    }
    members
}

fn stamp(args: &InitArgs, beginning: Option<&Beginning>) -> Result<Value<'static>, Failure> {
    let mut stamp = Object::new();
    let mut set = |name: &'static str, value: &str| stamp.set(name, Value::string(value.to_owned()));
    set("schema", SCHEMA);
    if let Some(id) = beginning.map(Beginning::id) {
        set("tenant", id.tenant.as_str());
        set("task", id.task.as_str());
    } else if let Some((tenant, task)) = told_id(args)? {
        set("tenant", tenant.as_str());
        set("task", task.as_str());
    }
    stamp.set("revision", Value::integer(0));
    stamp.set("at", Value::string(settings::moment(args.at.as_deref())?.as_str().to_owned()));
    if let Some(by) = &args.by {
        stamp.set("by", Value::string(settings::id("--by", by)?.as_str().to_owned()));
    }
    if args.budget.budget.is_some() || args.budget.encoding.is_some() {
        let tokens = args.budget.budget.unwrap_or(DEFAULT_BUDGET.tokens);
        let encoding = args.budget.encoding.as_deref().unwrap_or(DEFAULT_BUDGET.encoding);
        stamp.set("budget", Budget { tokens, encoding }.to_value());
    }
    Ok(Value::Object(stamp))
}
