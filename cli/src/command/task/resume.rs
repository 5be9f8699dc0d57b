//! `resume`: a task that was under way, taken up where it stopped.

use std::path::PathBuf;

use relay_baton::driver;
use relay_baton::engine::{Engine, Status};
use relay_baton::refusal::{Code, Refusal};
use relay_baton::text::quote;

use super::carrier::{Carrier, Means};
use super::keepsake::Keepsake;
use super::run::listen;
use super::{ending, folder_of, needs, place, world};
use crate::args::ResumeArgs;
use crate::done::Done;
use crate::failure::{Answer, Failure, named};
use crate::output::Live;
use crate::place::{Access, read_charter};
use crate::settings::{self, Reporting};

/// Goes on with a task.
pub(in crate::command) fn run(args: &ResumeArgs, reporting: Reporting) -> Result<Done, Failure> {
    let charter = args.charter.as_deref().map(read_charter).transpose()?;
    let stop = listen()?;
    let mut place = place::existing(&args.board, Access::Append)?;
    let loaded = driver::load(&mut place.opened.board).map_err(|refused| place.opened.refuse(refused))?;
    let Some(mut engine) = loaded.filter(|engine| !engine.is_idle()) else { return Err(place::nothing(&place.opened)) };
    if let Status::Over(how) = engine.status() {
        // What was to be kept for later tasks may not have been.
        if engine.outstanding().is_empty() {
            place.notices.extend(place::refresh(&args.board, &mut place.opened));
            return ending::ended(&mut place.opened, &engine, &how, place.notices);
        }
    }
    let folder = folder(args, &engine)?;
    let mut outputs = Vec::new();
    if let Some((charter, notices)) = charter {
        if let Some(strategy) = engine.strategy().and_then(|known| charter.strategies.get(&known.name)) {
            needs::check(&charter, strategy).map_err(Answer::new)?;
        }
        if charter.digest != engine.charter().digest {
            let adopted = engine.adopt(charter, &settings::moment(None)?, world());
            outputs = adopted.map_err(|refused| place.opened.refuse(refused))?;
        }
        place.notices.extend(notices);
    }
    let memory = Keepsake::new(place.location, engine.person().clone());
    let means = Means { opened: place.opened, folder, memory, live: Live::new(reporting.json), stop };
    let mut carrier = Carrier::new(engine, outputs, means)?;
    carrier.take_up()?;
    let done = ending::carried(carrier, &args.board, place.notices);
    drop(place.turn);
    done
}

/// Where commands start.
fn folder(args: &ResumeArgs, engine: &Engine) -> Result<PathBuf, Failure> {
    let folder = match (&args.folder, &args.charter, engine.home()) {
        (Some(folder), _, _) => folder.clone(),
        (None, Some(charter), _) => return folder_of(charter),
        (None, None, Some(home)) => PathBuf::from(home),
        (None, None, None) => PathBuf::from("."),
    };
    if folder.is_dir() {
        return std::fs::canonicalize(&folder).map_err(|error| Failure::read(&folder, &error));
    }
    let detail = format!("commands start in the folder {}, which is not there", quote(&named(&folder)));
    let answer = Answer::new(Refusal::new(Code::IoRead, "", detail));
    Err(answer.with_help("name the folder of the charter with --folder DIR").into())
}
