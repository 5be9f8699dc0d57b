//! Whole tasks, with everybody in them scripted and a process that dies where it is told to.

mod disk;
mod outcome;
mod play;
mod script;
mod told;
mod world;

use super::asked::{Asked, Wrong};
use crate::contract::Validator;
use crate::json::Value;

use play::Play;

/// `task`: all that came of a task.
pub(super) fn task(asked: Asked<'_>, validator: Option<&dyn Validator>) -> Result<Value<'static>, Wrong> {
    let validator = if asked.flag("validator", true)? { validator } else { None };
    let mut play = Play::of(asked, validator)?;
    // Whoever says yes before anybody has asked names what will be asked: a rehearsal tells the name.
    if asked.objects("script")?.iter().any(|action| action.get("early").is_some()) {
        let mut rehearsal = Play::of(asked, validator)?;
        rehearsal.run(&[])?;
        play.foresee(&rehearsal);
    }
    play.run(&asked.objects("script")?)?;
    play.told()
}
