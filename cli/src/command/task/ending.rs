//! How carrying out a task ends: what it produced, why it failed, or whom it waits for.

use relay_baton::baton::Id;
use relay_baton::board::FACT;
use relay_baton::engine::{Ending, Engine, Status};
use relay_baton::json::{self, Object, Value};
use relay_baton::refusal::{Code, Notice, Refusal};
use relay_baton::store::Which;

use super::carrier::{Carrier, Reached};
use super::place::refresh;
use super::{pending, story};
use crate::args::BoardArgs;
use crate::done::{Document, Done};
use crate::exit::Exit;
use crate::failure::{Answer, Failure};
use crate::place::{Opened, Target};
use crate::settings;

/// Characters of arguments that are shown.
const ARGUMENTS_MAX: usize = 400;

/// Carries the task out, and tells how that ended.
pub(super) fn carried(mut carrier: Carrier, args: &BoardArgs, mut notices: Vec<Notice>) -> Result<Done, Failure> {
    let reached = carrier.carry()?;
    notices.extend(refresh(args, &mut carrier.opened));
    match reached {
        Reached::Stopped => stopped(args, notices),
        Reached::Status(Status::Over(ending)) => over(&mut carrier, &ending, notices),
        Reached::Status(Status::Waiting | Status::Working) => waiting(&mut carrier, args, notices),
    }
}

/// How a task that is over ended.
fn over(carrier: &mut Carrier, ending: &Ending, notices: Vec<Notice>) -> Result<Done, Failure> {
    summed_up(carrier);
    ended(&mut carrier.opened, &carrier.engine, ending, notices)
}

/// What an ended task produced, or why it failed.
pub(super) fn ended(
    opened: &mut Opened,
    engine: &Engine,
    ending: &Ending,
    notices: Vec<Notice>,
) -> Result<Done, Failure> {
    match ending {
        Ending::Done => {
            let produced = json::pretty(&produced(opened, engine)?) + "\n";
            let mut done = Done::with(Document::json(produced), Target::Stdout);
            done.report.facts = vec![("status", text("done"))];
            done.report.counts = facts(engine);
            done.report.notices = notices;
            Ok(done)
        }
        Ending::Failed { code, detail } => {
            let known = Code::ALL.iter().find(|known| known.as_str() == code).copied();
            let mut answer = Answer::new(Refusal::new(known.unwrap_or(Code::RunFailed), "", detail.clone()));
            answer.counts = vec![("status", text("failed"))];
            answer.counts.extend(facts(engine));
            answer.help = Some(on(engine, code));
            Err(answer.into())
        }
    }
}

/// The newest fact of each key that the strategy produces.
fn produced(opened: &mut Opened, engine: &Engine) -> Result<Value<'static>, Failure> {
    let mut all = Object::new();
    let kind = settings::id("kind", FACT)?;
    let subtasks = engine.strategy().map(|strategy| strategy.subtasks.as_slice()).unwrap_or_default();
    for key in subtasks.iter().filter_map(|subtask| subtask.produces.as_ref()) {
        let kept = opened.board.entry(Which::Newest { kind: &kind, key, before: u64::MAX });
        if let Some(kept) = kept.map_err(|refused| opened.refuse(refused))? {
            all.set(key.as_str().to_owned(), kept.entry.draft.data);
        }
    }
    Ok(Value::Object(all))
}

/// How to go on after a task that failed.
fn on(engine: &Engine, code: &str) -> String {
    let lacks = missing(engine).any(|(_, keys)| !keys.is_empty());
    let then = if lacks {
        "give what is missing with --input, or `post` it; then"
    } else if code.starts_with("ceiling.") {
        "raise the ceiling in the charter; then"
    } else {
        "`log --kind trace` tells what happened; put it right; then"
    };
    let first = gaps(engine).map_or(String::new(), |gaps| format!("{gaps}; "));
    format!("{first}to go on: {then} `run` again, which asks every agent anew")
}

/// For each subtask that was skipped, what it lacks that no other owes it.
fn missing(engine: &Engine) -> impl Iterator<Item = (usize, Vec<&Id>)> {
    let subtasks = engine.strategy().map(|strategy| strategy.subtasks.as_slice()).unwrap_or_default();
    let is_owed = |key: &Id| subtasks.iter().any(|subtask| subtask.produces.as_ref() == Some(key));
    engine.progress().iter().enumerate().filter_map(move |(place, progress)| {
        let gap = progress.gap.as_ref()?;
        let own = gap.missing.iter().filter(|key| gap.because.is_empty() || !is_owed(key));
        Some((place, own.collect()))
    })
}

/// `report` was skipped: `brief` is not there for its agent, `plan` was not done
fn gaps(engine: &Engine) -> Option<String> {
    let subtasks = &engine.strategy()?.subtasks;
    let told: Vec<String> = missing(engine)
        .filter_map(|(place, keys)| {
            let because = &engine.progress().get(place)?.gap.as_ref()?.because;
            let missing = keys.iter().map(|key| format!("`{key}` is not there for its agent"));
            let parts: Vec<String> = missing.chain(because.iter().map(|id| format!("`{id}` was not done"))).collect();
            Some(format!("`{}` was skipped: {}", subtasks.get(place)?.id, parts.join(", ")))
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

fn waiting(carrier: &mut Carrier, args: &BoardArgs, notices: Vec<Notice>) -> Result<Done, Failure> {
    let options = options(args);
    let live = carrier.live;
    summed_up(carrier);
    live.say("waits for a person:");
    for request in carrier.engine.pending() {
        let call = &request.call;
        let asked = story::arguments(call.arguments.as_ref(), ARGUMENTS_MAX);
        live.say(&format!("  {} by {} (r{}): {asked}", call.tool, call.agent, call.run));
        let (by, who) = pending::deciders(&carrier.engine, &call.tool);
        who.iter().for_each(|who| live.say(&format!("    {who}")));
        live.say(&format!("    baton-patch approve {}{by}{options}", request.id));
        live.say(&format!("    baton-patch deny {} --why \"…\"{by}{options}", request.id));
    }
    for call in carrier.engine.doubts() {
        let asked = story::arguments(call.arguments.as_ref(), ARGUMENTS_MAX);
        live.say(&format!("  whether {} by {} (r{}) happened: {asked}", call.tool, call.agent, call.run));
        let (key, (by, who)) = (pending::short(&call.key), pending::deciders(&carrier.engine, &call.tool));
        who.iter().for_each(|who| live.say(&format!("    {who}")));
        live.say(&format!("    baton-patch resolve {key} --happened{by}{options}"));
        live.say(&format!("    baton-patch resolve {key} --did-not-happen{by}{options}"));
    }
    for run in carrier.engine.external() {
        live.say(&format!("  {}", pending::answer_of(&carrier.engine, run)));
        live.say(&format!("    baton-patch step leave r{run} ANSWER{options}"));
    }
    live.say(&format!("then: baton-patch resume{options}"));
    let mut done = Done::with(Document::plain(String::new()), Target::Nowhere);
    done.exit = Exit::Waiting;
    done.report.facts = vec![("status", text("waiting"))];
    done.report.facts.extend(pending::lists(&mut carrier.opened, &carrier.engine)?);
    done.report.counts = facts(&carrier.engine);
    done.report.notices = notices;
    Ok(done)
}

fn stopped(args: &BoardArgs, notices: Vec<Notice>) -> Result<Done, Failure> {
    let mut done = Done::with(Document::plain(String::new()), Target::Nowhere);
    done.exit = Exit::Stopped;
    done.report.facts = vec![("status", text("stopped"))];
    done.report.summary = Some(format!("stopped; to go on: baton-patch resume{}", options(args)));
    done.report.notices = notices;
    Ok(done)
}

/// What was spent, and where each subtask stands, as lines for people.
fn summed_up(carrier: &Carrier) {
    let live = carrier.live;
    let engine = &carrier.engine;
    if let Some(strategy) = engine.strategy() {
        for (subtask, progress) in strategy.subtasks.iter().zip(engine.progress()) {
            live.say(&format!("{:12} {}", subtask.id.as_str(), progress.status.name()));
        }
    }
    let (spent, limits) = (engine.account().spent(), engine.account().limits());
    live.say(&format!(
        "tokens {} of {}, tool calls {} of {}, agents started by agents {} of {}",
        spent.tokens, limits.tokens, spent.tool_calls, limits.tool_calls, spent.spawns, limits.spawns
    ));
}

/// The same as members of a report.
fn facts(engine: &Engine) -> Vec<(&'static str, Value<'static>)> {
    let mut subtasks = Object::new();
    if let Some(strategy) = engine.strategy() {
        for (subtask, progress) in strategy.subtasks.iter().zip(engine.progress()) {
            subtasks.set(subtask.id.as_str().to_owned(), text(progress.status.name()));
        }
    }
    let (spent, limits) = (engine.account().spent(), engine.account().limits());
    let amounts = |spent: u64, limit: u64| {
        let mut both = Object::new();
        both.set("spent", Value::integer(spent));
        both.set("ceiling", Value::integer(limit));
        Value::Object(both)
    };
    let mut account = Object::new();
    account.set("tokens", amounts(spent.tokens, limits.tokens));
    account.set("tool_calls", amounts(spent.tool_calls, limits.tool_calls));
    account.set("spawns", amounts(spent.spawns, limits.spawns));
    vec![("subtasks", Value::Object(subtasks)), ("account", Value::Object(account))]
}

/// The options that name the same board again.
pub(super) fn options(args: &BoardArgs) -> String {
    let mut options = String::new();
    if let Some(baton) = &args.baton {
        options.push_str(&format!(" --baton {}", word(&baton.to_string_lossy())));
    }
    if let Some(board) = args.board.as_ref().map(|board| board.to_string_lossy()) {
        // The address of a server is not repeated: it may hold a password.
        let shown = if board.contains("://") { "BOARD".to_owned() } else { word(&board) };
        options.push_str(&format!(" --board {shown}"));
    }
    if let (Some(tenant), Some(task)) = (&args.tenant, &args.task) {
        options.push_str(&format!(" --tenant {} --task {}", word(tenant), word(task)));
    }
    options
}

/// A word for a shell.
fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./,:=@%+".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

fn text(text: &str) -> Value<'static> {
    Value::string(text.to_owned())
}
