//! A file that fell behind its board: the board was written, and then the program was stopped before the file was.
//!
//! Only the file that the board stands beside is healed. Other copies of the baton are branches, and are meant to stay.

use std::path::Path;

use relay_baton::baton::Baton;
use relay_baton::board::{Standing, head_of};
use relay_baton::json::Limits;
use relay_baton::refusal::{Code, Notice};

use crate::args::BoardPlaceArgs;
use crate::command::board::id_of;
use crate::command::open;
use crate::command::recorded::{about_file, beside};
use crate::failure::{Answer, Failure, named};
use crate::place::{Access, Hold, Input, Location, Opened, Source, open_board, replace_held};
use crate::settings;

/// A baton as its board has it.
pub(super) struct Current {
    pub(super) input: Input,
    pub(super) baton: Baton<'static>,
    /// What was done to the file.
    pub(super) notice: Option<Notice>,
}

/// Reads the baton in the file at `path` and holds it against its board. The file that the board stands beside is brought
/// up to date; a copy, whose board is named, is told that it is behind.
pub(super) fn baton_at(path: &Path, args: &BoardPlaceArgs, limits: &Limits) -> Result<Current, Failure> {
    let (input, baton) = open::baton_at(path, limits)?;
    let as_it_is = |input, baton, notice| Ok(Current { input, baton, notice });
    if args.no_board || head_of(&baton).is_none() {
        return as_it_is(input, baton, None);
    }
    let source = Source::from(path);
    let told = settings::told_board(args.board.as_deref());
    let location = match &told {
        Some(text) => Location::parse(text)?,
        None => match beside(&source)? {
            Some(location) => location,
            None => {
                let detail =
                    "it is a reading of a board, and no board is beside it to hold it against: name it with --board";
                return as_it_is(input, baton, Some(Notice::new("board.missing", "/stamp/head", detail)));
            }
        },
    };
    let mut opened = open_board(&location, id_of(&baton, path)?, Access::Read)?;
    match opened.board.standing(&baton) {
        Ok(Standing::Older { .. }) if told.is_none() => heal(&mut opened, &source, limits),
        Ok(Standing::Older { newest }) => {
            let found = baton.revision();
            let detail = format!(
                "this copy is at revision {found}, the board is at {newest}: `checkout newest -i` brings it up to date"
            );
            as_it_is(input, baton, Some(Notice::new("board.newer", "/stamp/revision", detail)))
        }
        Ok(_) => as_it_is(input, baton, None),
        Err(refused) => Err(about_file(refused, &source, &opened)),
    }
}

/// Replaces the file by the board's newest reading, unless somebody else has done so by now.
pub(super) fn heal(opened: &mut Opened, source: &Source, limits: &Limits) -> Result<Current, Failure> {
    let path = source.path();
    let mut hold = match Hold::take(path) {
        Ok(hold) => hold,
        Err(failure) if is_unfit(&failure) => return read_only(opened, source, limits),
        Err(failure) => return Err(failure),
    };
    let input = hold.read(limits)?;
    let baton = open::baton(&input, limits)?;
    let standing = opened.board.standing(&baton).map_err(|refused| about_file(refused, source, opened))?;
    let Standing::Older { newest } = standing else { return Ok(Current { input, baton, notice: None }) };
    let found = baton.revision();
    let reading = opened.board.newest().map_err(|refused| opened.refuse(refused))?;
    let reading = reading.ok_or_else(|| gone(path))?;
    let text: &'static str = reading.reading().to_json().leak();
    replace_held(&hold, &mut |to| to.write_all(text.as_bytes()))?;
    let detail = format!("the file was at revision {found}, the board is at {newest}: the file was brought up to date");
    let notice = Some(Notice::new("board.healed", "/stamp/revision", detail));
    let input = Input { name: input.name, text };
    let baton = open::baton(&input, limits)?;
    Ok(Current { input, baton, notice })
}

/// Whether a file is one that nothing writes in place: read-only, or with several names.
fn is_unfit(failure: &Failure) -> bool {
    let Failure::Refused(answer) = failure else { return false };
    answer.action.is_none() && answer.refused.refusals().iter().all(|refusal| refusal.code == Code::IoWrite)
}

/// What the board has, where the file cannot say it.
fn read_only(opened: &mut Opened, source: &Source, limits: &Limits) -> Result<Current, Failure> {
    let newest = opened.board.newest().map_err(|refused| opened.refuse(refused))?;
    let newest = newest.ok_or_else(|| gone(source.path()))?;
    let input = Input { name: named(source.path()), text: newest.reading().to_json().leak() };
    let baton = open::baton(&input, limits)?;
    let detail = format!("the file is behind and cannot be written: this is revision {} of the board", newest.number());
    Ok(Current { input, baton, notice: Some(Notice::new("board.newer", "/stamp/revision", detail)) })
}

fn gone(path: &Path) -> Failure {
    Answer::about(path, Code::BoardCut, "the board held a baton a moment ago, and holds none now").into()
}
