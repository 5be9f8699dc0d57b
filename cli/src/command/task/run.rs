//! `run`: a strategy, carried out until it is done, has failed, or waits for a person.

use relay_baton::charter::{Charter, Strategy};
use relay_baton::driver;
use relay_baton::engine::{Engine, Previous, Start, Status};
use relay_baton::refusal::{Code, Refusal};

use super::carrier::{Carrier, Means};
use super::keepsake::Keepsake;
use super::{ending, folder_of, input, needs, person, place, world};
use crate::args::{BoardArgs, RunArgs};
use crate::done::Done;
use crate::failure::{Answer, Failure};
use crate::output::Live;
use crate::place::{Opened, read_charter};
use crate::process::Stop;
use crate::settings::{self, Reporting};

/// Carries out a strategy.
pub(in crate::command) fn run(args: &RunArgs, reporting: Reporting) -> Result<Done, Failure> {
    let (charter, notices) = read_charter(&args.charter)?;
    let strategy = strategy(args.strategy.as_deref(), &charter)?;
    needs::check(&charter, strategy).map_err(|refused| Answer { file: Some(named(args)), ..Answer::new(refused) })?;
    let person = person("--person", args.person.as_deref(), &charter)?;
    let folder = folder_of(&args.charter)?;
    let facts = args.input.as_deref().map(|path| input::read(path, &charter)).transpose()?.unwrap_or_default();
    if let Some(goal) = &args.goal {
        settings::said("--goal", std::slice::from_ref(goal))?;
    }
    let stop = listen()?;
    let goal = args.goal.as_deref().or(strategy.goal.as_deref());
    let mut place = place::begin(&args.board, goal, &person)?;
    place.notices.splice(0..0, notices);
    let after = after(&mut place.opened, &args.board)?;
    input::post(facts, &person, &mut place.opened)?;
    let start = Start {
        board: place.opened.board.id().clone(),
        person: person.clone(),
        strategy: Some(strategy.name.as_str().to_owned()),
        home: Some(folder.to_string_lossy().into_owned()),
        seed: seed()?,
        after,
    };
    let now = settings::moment(None)?;
    let begun = Engine::start(charter.clone(), start, &now, world());
    let (engine, outputs) = begun.map_err(|refused| Answer { file: Some(named(args)), ..Answer::new(refused) })?;
    let memory = Keepsake::new(place.location, person);
    let means = Means { opened: place.opened, folder, memory, live: Live::new(reporting.json), stop };
    let done = ending::carried(Carrier::new(engine, outputs, means)?, &args.board, place.notices);
    drop(place.turn);
    done
}

fn named(args: &RunArgs) -> String {
    crate::failure::named(&args.charter)
}

/// Signals are listened for from here on, so that no command is left to itself.
pub(super) fn listen() -> Result<Stop, Failure> {
    Stop::on_signals().map_err(|error| {
        let detail = format!("signals cannot be listened for: {error}");
        Answer::new(Refusal::new(Code::IoRead, "", detail)).into()
    })
}

/// A word that no other task has.
pub(super) fn seed() -> Result<String, Failure> {
    Ok(format!("{}{}", settings::reference()?, settings::reference()?))
}

/// The strategy that was named, else the only one.
fn strategy<'c>(typed: Option<&str>, charter: &'c Charter) -> Result<&'c Strategy, Failure> {
    let names: Vec<&str> = charter.strategies.keys().map(|name| name.as_str()).collect();
    match (typed, names.as_slice()) {
        (Some(name), _) => charter.strategy(name).ok_or_else(|| {
            let near = charter.nearest_strategy(name);
            let hint = near.map_or_else(|| told(&names), |near| format!("did you mean `{near}`?"));
            let detail = format!("the charter has no strategy {}: {hint}", relay_baton::text::quote(name));
            Answer::new(Refusal::new(Code::AuthorityUnknown, "/strategy", detail)).into()
        }),
        (None, [_]) => charter.strategies.values().next().ok_or_else(|| none(&names)),
        (None, _) => Err(none(&names)),
    }
}

fn none(names: &[&str]) -> Failure {
    if names.is_empty() {
        let detail = "the charter has no strategy: declare one, or start its agents with `step enter`";
        return Answer::new(Refusal::new(Code::AuthorityUnknown, "/strategy", detail)).into();
    }
    Failure::Usage(format!("name a strategy with --strategy NAME: {}", told(names)))
}

fn told(names: &[&str]) -> String {
    if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) }
}

/// The task before on the board, which has to be over.
fn after(opened: &mut Opened, args: &BoardArgs) -> Result<Option<Previous>, Failure> {
    let before = driver::load(&mut opened.board).map_err(|refused| opened.refuse(refused))?;
    let Some(engine) = before else { return Ok(None) };
    if matches!(engine.status(), Status::Over(_)) || engine.is_idle() {
        return Ok(Some(engine.previous()));
    }
    let detail = "a task is under way on this board: go on with it, or give the new one a board of its own";
    let help = format!("to go on: baton-patch resume{}", ending::options(args));
    let mut answer = Answer::new(Refusal::new(Code::RunUnderWay, "", detail)).with_help(help);
    answer.file = Some(opened.name.clone());
    Err(answer.into())
}
