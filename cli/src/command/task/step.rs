//! `step enter` and `step leave`: an agent that somebody else starts, under the same rules.

use std::path::PathBuf;

use relay_baton::baton::Id;
use relay_baton::charter::{Caller, Charter};
use relay_baton::driver;
use relay_baton::engine::{Engine, Output, Start, Status, Usage};
use relay_baton::json::{Limits, Value, pretty};
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::reply::{Expected, Reply};
use relay_baton::text::quote;

use super::carrier::{Carrier, Means, tokens};
use super::keepsake::Keepsake;
use super::run::seed;
use super::{folder_of, person, place, run_of, world};
use crate::args::{RequestFormat, StepArgs, StepEnterArgs, StepLeaveArgs, StepVerb};
use crate::done::{Document, Done};
use crate::failure::{Answer, Failure};
use crate::output::Live;
use crate::place::{Access, Opened, Source, Target, read_charter};
use crate::process::Stop;
use crate::settings;

/// One end of a step.
pub(in crate::command) fn run(args: &StepArgs) -> Result<Done, Failure> {
    match &args.verb {
        StepVerb::Enter(args) => enter(args),
        StepVerb::Leave(args) => leave(args),
    }
}

fn enter(args: &StepEnterArgs) -> Result<Done, Failure> {
    let caller = caller(&args.called_by)?;
    let charter = args.charter.as_deref().map(read_charter).transpose()?.map(|(charter, _)| charter);
    let author = settings::person("--person", args.person.as_deref())?;
    let mut place = match &charter {
        Some(charter) => place::begin(&args.board, goal(charter, &caller), &author)?,
        None => place::existing(&args.board, Access::Append)?,
    };
    let (engine, begun) = engine(args, charter, &mut place.opened)?;
    let memory = Keepsake::new(place.location, engine.person().clone());
    let folder = engine.home().map_or_else(|| PathBuf::from("."), PathBuf::from);
    // The events of a step are its report.
    let means = Means { opened: place.opened, folder, memory, live: Live::quiet(), stop: Stop::default() };
    let mut carrier = Carrier::new(engine, begun, means)?;
    let (entered, outputs) =
        carrier.engine.step_in(&caller, &args.agent, args.subtask.as_deref(), &settings::moment(None)?, world());
    carrier.take(outputs)?;
    let run = entered.map_err(|refusal| carrier.opened.refuse(refusal))?;
    carrier.carry()?;
    let Some(request) = carrier.engine.request_of(run) else { return Err(ended(&carrier, run)) };
    let document = match args.format {
        RequestFormat::Json => Document::json(pretty(&request.to_value()) + "\n"),
        RequestFormat::Markdown => Document::plain(request.to_prompt()),
    };
    let mut done = Done::with(document, Target::Stdout);
    done.report.facts =
        vec![("run", Value::string(format!("r{run}"))), ("request", Value::string(request.key.clone()))];
    done.report.summary = Some(format!("r{run}: `step leave r{run} ANSWER` takes the answer"));
    done.report.notices = place.notices;
    done.stands = Some(format!("r{run} has begun: `step leave r{run}` takes its answer"));
    drop(place.turn);
    Ok(done)
}

/// The goal of the strategy that calls.
fn goal<'c>(charter: &'c Charter, caller: &Caller) -> Option<&'c str> {
    let Caller::Strategy(name) = caller else { return None };
    charter.strategy(name.as_str())?.goal.as_deref()
}

fn caller(text: &str) -> Result<Caller, Failure> {
    let parts = text.split_once(' ').and_then(|(kind, name)| Some((kind, Id::new(name)?)));
    match parts {
        Some(("strategy", name)) => Ok(Caller::Strategy(name)),
        Some(("agent", name)) => Ok(Caller::Agent(name)),
        _ => Err(Failure::Usage("--called-by takes 'strategy NAME' or 'agent NAME'".to_owned())),
    }
}

/// The task that is under way on the board, or a new one without a strategy.
fn engine(
    args: &StepEnterArgs,
    charter: Option<Charter>,
    opened: &mut Opened,
) -> Result<(Engine, Vec<Output>), Failure> {
    let known = driver::load(&mut opened.board).map_err(|refused| opened.refuse(refused))?;
    let is_over = |engine: &Engine| matches!(engine.status(), Status::Over(_));
    let after = known.as_ref().map(Engine::previous);
    match (known, charter) {
        (Some(engine), charter) if !is_over(&engine) && (charter.is_none() || same_as(&engine, charter.as_ref())) => {
            Ok((engine, Vec::new()))
        }
        (Some(engine), Some(_)) if !is_over(&engine) && !engine.is_idle() => {
            let detail = "a task is under way on the board under another charter: leave --charter out, or adopt it with \
                          `resume --charter`";
            Err(opened.refuse(Refusal::new(Code::AuthorityCharter, "", detail)))
        }
        (_, Some(charter)) => begin(args, charter, after, opened),
        (_, None) => {
            Err(Failure::Usage("no task is under way on the board: name a charter with --charter FILE".to_owned()))
        }
    }
}

fn same_as(engine: &Engine, charter: Option<&Charter>) -> bool {
    charter.is_some_and(|charter| charter.digest == engine.charter().digest)
}

fn begin(
    args: &StepEnterArgs,
    charter: Charter,
    after: Option<relay_baton::engine::Previous>,
    opened: &mut Opened,
) -> Result<(Engine, Vec<Output>), Failure> {
    let person = person("--person", args.person.as_deref(), &charter)?;
    let home = args.charter.as_deref().map(folder_of).transpose()?.map(|folder| folder.to_string_lossy().into_owned());
    let board = opened.board.id().clone();
    let start = Start { board, person, strategy: None, home, seed: seed()?, after };
    let begun = Engine::start(charter, start, &settings::moment(None)?, world());
    begun.map_err(|refused| Answer::new(refused).into())
}

fn leave(args: &StepLeaveArgs) -> Result<Done, Failure> {
    let run = run_of(&args.run)?;
    if let Some(why) = &args.failed {
        return give_up(args, run, why);
    }
    let limits = Limits::default();
    let answer = Source::from(args.answer.as_path()).read(&limits)?;
    let place = place::existing(&args.board, Access::Append)?;
    let mut opened = place.opened;
    let engine = driver::load(&mut opened.board).map_err(|refused| opened.refuse(refused))?;
    let Some(engine) = engine else { return Err(place::nothing(&opened)) };
    let Some(request) = engine.request_of(run) else { return Err(opened.refuse(none(&args.run))) };
    let usage = Usage { tokens_in: tokens(&request.to_prompt()), tokens_out: tokens(answer.text) };
    let expected = Expected { agent: &request.agent.name, request: &request.key };
    let reply = Reply::read(answer.text, &limits, &expected).map_err(Refused::from);
    let memory = Keepsake::new(place.location, engine.person().clone());
    let means = Means { opened, folder: PathBuf::from("."), memory, live: Live::quiet(), stop: Stop::default() };
    let mut carrier = Carrier::new(engine, Vec::new(), means)?;
    let left = carrier.engine.step_out(run, reply, usage, &settings::moment(None)?, world());
    let outputs = left.map_err(|refusal| carrier.opened.refuse(refusal))?;
    carrier.take(outputs)?;
    carrier.carry()?;
    let behind = place::refresh(&args.board, &mut carrier.opened);
    let mut done = outcome(&carrier, run);
    if let Ok(done) = &mut done {
        done.report.notices.extend(behind);
    }
    drop(place.turn);
    done
}

/// Ends a run that nobody will answer.
fn give_up(args: &StepLeaveArgs, run: u64, why: &str) -> Result<Done, Failure> {
    let place = place::existing(&args.board, Access::Append)?;
    let mut opened = place.opened;
    let engine = driver::load(&mut opened.board).map_err(|refused| opened.refuse(refused))?;
    let Some(mut engine) = engine else { return Err(place::nothing(&opened)) };
    let ended = engine.step_off(run, why, &settings::moment(None)?, world());
    for output in ended.map_err(|refusal| opened.refuse(refusal))? {
        if let Output::Record(record) = output {
            driver::commit(&mut opened.board, &record).map_err(|refused| opened.refuse(refused))?;
        }
    }
    drop(place.turn);
    let mut done = Done::shown(String::new());
    done.report.facts = vec![("run", Value::string(args.run.clone())), ("status", Value::string("failed"))];
    done.report.summary = Some(format!("{}: given up", args.run));
    Ok(done)
}

/// What became of a run's answer.
fn outcome(carrier: &Carrier, run: u64) -> Result<Done, Failure> {
    let name = format!("r{run}");
    if let Some((_, correction)) = carrier.corrections.iter().find(|(corrected, _)| *corrected == run) {
        return Err(corrected(carrier, &name, correction));
    }
    if carrier.engine.agent_of(run).is_some() {
        return Err(carrier.opened.refuse(none(&name)));
    }
    if carrier.endings.iter().any(|end| end.run == name && end.failure.is_some()) {
        return Err(ended(carrier, run));
    }
    let mut done = Done::shown(String::new());
    done.report.facts = vec![("run", Value::string(name.clone())), ("status", Value::string("done"))];
    done.report.summary = Some(format!("{name}: done"));
    Ok(done)
}

/// The answer was refused, and the run stays open: the correction goes to standard output.
fn corrected(carrier: &Carrier, run: &str, correction: &str) -> Failure {
    let code = carrier.refused_with.last().copied().unwrap_or(Code::ContractViolated);
    let detail = format!("the answer of {run} was refused, and the agent may answer again: tell it the correction");
    let mut answer = Answer::new(Refusal::new(code, "", detail));
    answer.file = Some(carrier.opened.name.clone());
    answer.correction = Some(correction.to_owned());
    answer.correction_file = Some(PathBuf::from("-"));
    answer.counts = vec![("run", Value::string(run.to_owned()))];
    answer.into()
}

fn none(run: &str) -> Refusal {
    Refusal::new(Code::RunNone, "", format!("no run {} waits for an answer", quote(run)))
}

/// Why a run failed.
fn ended(carrier: &Carrier, run: u64) -> Failure {
    let name = format!("r{run}");
    let end = carrier.endings.iter().find(|end| end.run == name).and_then(|end| end.failure.clone());
    let (code, detail) = end.unwrap_or_else(|| ("run.failed".to_owned(), format!("{name} has ended")));
    let code = Code::ALL.iter().find(|known| known.as_str() == code).copied().unwrap_or(Code::RunFailed);
    carrier.opened.refuse(Refusal::new(code, "", detail))
}
