//! The baton and the board of a task: found, or begun.

use std::path::Path;

use relay_baton::baton::Id;
use relay_baton::board::Standing;
use relay_baton::driver;
use relay_baton::engine::Status;
use relay_baton::entry::BoardId;
use relay_baton::refusal::{Code, Notice, Refusal};

use crate::args::{BoardArgs, BoardPlaceArgs, BudgetArgs, InitArgs};
use crate::command::{board, heal, init, open, recorded};
use crate::failure::Failure;
use crate::place::{Access, Location, Opened, Source, Target, Turn, boards_of, open_board, write_file};
use crate::settings;

/// Boards of one file that are looked at for a task that is under way.
const BOARDS_LOOKED_AT: usize = 64;

/// A board on which a task can be carried out, by nobody else at this time.
pub(super) struct Place {
    pub(super) opened: Opened,
    pub(super) location: Location,
    pub(super) notices: Vec<Notice>,
    pub(super) turn: Turn,
}

/// The board of the baton, both made where there are none.
pub(super) fn begin(args: &BoardArgs, goal: Option<&str>, person: &Id) -> Result<Place, Failure> {
    let location = board::location(args)?;
    let path = board::baton_path(args);
    let mut notices = Vec::new();
    if std::fs::metadata(&path).is_err() {
        if has_baton(args, &location)? {
            return existing(args, Access::Append);
        }
        refuse_second(args, &location)?;
        notices.push(make(args, goal, person)?);
    }
    let (_, baton) = open::baton_at(&path, &board::limits())?;
    let id = board::id_of(&baton, &path)?;
    if let Some(typed) = board::typed_id(args)?.filter(|typed| *typed != id) {
        return Err(board::foreign(&id, &typed, &path));
    }
    let is_reading = relay_baton::board::head_of(&baton).is_some();
    let access = if is_reading { Access::Append } else { Access::Create };
    let mut opened = open_board(&location, id.clone(), access)?;
    let turn = Turn::take(&location, &id)?;
    let source = Source::from(path.as_path());
    let standing = opened.board.standing(&baton);
    if standing.map_err(|refused| recorded::about_file(refused, &source, &opened))? == Standing::New {
        let begun = opened.board.start(baton, person, &settings::moment(None)?, &settings::reference()?);
        begun.map_err(|refused| opened.refuse(refused))?;
        let detail = format!("the board {} begins with this baton", opened.name);
        notices.push(Notice::new("board.begun", "", detail));
    }
    Ok(Place { opened, location, notices, turn })
}

/// Where the baton's file is gone, a task that waits on the board beside it must not be forgotten for a new one.
fn refuse_second(args: &BoardArgs, location: &Location) -> Result<(), Failure> {
    let is_file = matches!(location, Location::File(_)) && !location.is_absent();
    if !is_file || board::typed_id(args)?.is_some() {
        return Ok(());
    }
    // What cannot be read, such as a file that was just begun, is told when it is opened to be written.
    for id in boards_of(location, BOARDS_LOOKED_AT).unwrap_or_default() {
        let Ok(mut opened) = open_board(location, id.clone(), Access::Read) else { continue };
        let engine = driver::load(&mut opened.board).ok().flatten();
        if engine.is_some_and(|engine| !matches!(engine.status(), Status::Over(_)) && !engine.is_idle()) {
            let detail = format!(
                "{id} is under way on this board, and the file of its baton is gone: go on with `resume`, or name another \
                 board with --board"
            );
            return Err(opened.refuse(Refusal::new(Code::RunUnderWay, "", detail)));
        }
    }
    Ok(())
}

/// Whether the board that was named in full has a baton, though there is no file of it.
fn has_baton(args: &BoardArgs, location: &Location) -> Result<bool, Failure> {
    let Some(id) = board::typed_id(args)?.filter(|_| !location.is_absent()) else { return Ok(false) };
    // A server without boards is not there yet.
    let Ok(mut opened) = open_board(location, id, Access::Append) else { return Ok(false) };
    Ok(opened.board.newest().map_err(|refused| opened.refuse(refused))?.is_some())
}

/// A board that is there.
pub(super) fn existing(args: &BoardArgs, access: Access) -> Result<Place, Failure> {
    let named = board::named_board(args)?;
    let id: BoardId = named.id;
    let opened = open_board(&named.location, id.clone(), access)?;
    let turn = Turn::take(&named.location, &id)?;
    Ok(Place { opened, location: named.location, notices: Vec::new(), turn })
}

/// Makes the baton's file and its board, as `init` does.
fn make(args: &BoardArgs, goal: Option<&str>, person: &Id) -> Result<Notice, Failure> {
    let path = board::baton_path(args);
    let Some(goal) = goal else {
        let detail = "there is no baton, and nothing says what it would be for";
        let help =
            "say it with --goal TEXT, or as `goal` of the strategy in the charter; or name a baton with --baton FILE";
        let mut answer = crate::failure::Answer::about(&path, Code::GoalMissing, detail);
        answer.help = Some(help.to_owned());
        return Err(answer.into());
    };
    let init = InitArgs {
        goal: goal.to_owned(),
        state: Vec::new(),
        constraint: Vec::new(),
        question: Vec::new(),
        scope: Vec::new(),
        artifact: Vec::new(),
        check: Vec::new(),
        budget: BudgetArgs { budget: None, encoding: None },
        by: Some(person.to_string()),
        at: None,
        tenant: args.tenant.clone(),
        task: args.task.clone(),
        output: Some(path.clone()),
        force: false,
        board: BoardPlaceArgs { board: args.board.clone(), no_board: false },
    };
    let done = init::run(&init)?;
    if let Target::File { path, force } = &done.target {
        write_file(path, *force, &mut |to| done.document.write(to))
            .map_err(|failure| failure.all_the_same(done.stands))?;
    }
    let detail = done.report.summary.unwrap_or_default();
    Ok(Notice::new("baton.made", "", format!("there was no baton, so one was made: {detail}")))
}

/// Brings the baton's file up to date with the board, where it is there. That it cannot be is told, and hides nothing else.
pub(super) fn refresh(args: &BoardArgs, opened: &mut Opened) -> Option<Notice> {
    let path = board::baton_path(args);
    if std::fs::metadata(&path).is_err() {
        return None;
    }
    let detail = match brought_up_to_date(&path, opened) {
        Ok(()) => return None,
        Err(Failure::Refused(answer)) => answer.refused.to_string(),
        Err(_) => "it cannot be written".to_owned(),
    };
    Some(Notice::new("baton.behind", "", format!("the baton's file was not brought up to date: {detail}")))
}

fn brought_up_to_date(path: &Path, opened: &mut Opened) -> Result<(), Failure> {
    let limits = board::limits();
    let (_, baton) = open::baton_at(path, &limits)?;
    if board::id_of(&baton, path).ok().as_ref() != Some(opened.board.id()) {
        return Ok(());
    }
    heal::heal(opened, &Source::from(path), &limits).map(drop)
}

/// No task is under way.
pub(super) fn nothing(opened: &Opened) -> Failure {
    let detail = "no task is under way on this board: `run CHARTER` begins one";
    opened.refuse(Refusal::new(Code::RunNone, "", detail))
}
