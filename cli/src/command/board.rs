//! Opening the board that a verb works on.

use std::path::{Path, PathBuf};

use relay_baton::baton::Baton;
use relay_baton::board::{board_of, told_head};
use relay_baton::entry::BoardId;
use relay_baton::json::Limits;
use relay_baton::refusal::{Class, Code, Refusal};
use relay_baton::store::Which;

use crate::args::BoardArgs;
use crate::command::open;
use crate::failure::{Answer, Failure, named};
use crate::place::{Access, Location, Opened, boards_of, is_same_file, open_board};
use crate::settings;

/// The baton that names the board where none is typed.
const BATON: &str = "baton.json";

/// What was typed of a board, resolved.
pub(super) struct Named {
    pub(super) location: Location,
    pub(super) id: BoardId,
    /// The baton that names tenant and task, where they are not typed.
    pub(super) baton: Option<Baton<'static>>,
    /// Why the baton's file names none, where the board itself had to.
    pub(super) unread: Option<Failure>,
}

/// Tasks of a board that are told at most.
const TASKS_TOLD_MAX: usize = 8;

/// Opens the board that was typed.
pub(super) fn open(args: &BoardArgs, access: Access) -> Result<Opened, Failure> {
    let named = named_board(args)?;
    open_board(&named.location, named.id, access)
}

/// The same for an agent, which is told of no other task.
pub(super) fn open_for_agent(args: &BoardArgs, access: Access) -> Result<Opened, Failure> {
    let named = named_for(args, false)?;
    open_board(&named.location, named.id, access)
}

/// The board that an agent posts to: one that has begun, and is not behind what the baton knows of it.
pub(super) fn open_to_post(args: &BoardArgs, begin: bool) -> Result<Opened, Failure> {
    let named = named_for(args, false)?;
    let told = named.baton.as_ref().and_then(told_head);
    let access = if begin { Access::Create } else { Access::Append };
    let mut opened = open_board(&named.location, named.id, access)?;
    let head = opened.board.head().map_err(|refused| opened.refuse(refused))?;
    if head.is_none() && !begin && told.is_none() {
        let detail =
            "there is no board of this tenant and task yet: see whether they are right, or begin it with --begin";
        return Err(opened.refuse(Refusal::new(Code::BoardMissing, "", detail)));
    }
    if let Some(told) = told {
        let known = opened.board.entry(Which::Seq(told.seq)).map_err(|refused| opened.refuse(refused))?;
        if known.is_none_or(|known| known.head() != told) {
            let detail =
                "the board does not have the entry that the baton is a reading of: it was cut off, or is another copy";
            return Err(opened.refuse(Refusal::new(Code::BoardCut, "", detail)));
        }
    }
    Ok(opened)
}

/// The path of the baton.
pub(super) fn baton_path(args: &BoardArgs) -> PathBuf {
    args.baton.clone().unwrap_or_else(|| PathBuf::from(BATON))
}

/// Where the board is.
pub(super) fn location(args: &BoardArgs) -> Result<Location, Failure> {
    if baton_path(args).as_os_str() == "-" {
        return Err(Failure::Usage("--baton takes a file, not standard input".to_owned()));
    }
    settings::location(args.board.as_deref(), &baton_path(args))
}

/// Where the board is, and of which tenant and task.
pub(super) fn named_board(args: &BoardArgs) -> Result<Named, Failure> {
    named_for(args, true)
}

fn named_for(args: &BoardArgs, is_operator: bool) -> Result<Named, Failure> {
    let location = location(args)?;
    if let Some(id) = typed_id(args)? {
        return Ok(Named { location, id, baton: None, unread: None });
    }
    let path = baton_path(args);
    match open::baton_at(&path, &limits()) {
        Ok((_, baton)) => Ok(Named { location, id: id_of(&baton, &path)?, baton: Some(baton), unread: None }),
        Err(failure) => without_baton(location, failure, is_operator),
    }
}

/// The board of the one task that is at `location`, where the baton that would name it was lost or broken.
fn without_baton(location: Location, unread: Failure, is_operator: bool) -> Result<Named, Failure> {
    if !is_lost(&unread) {
        return Err(unread);
    }
    let boards = boards_of(&location, TASKS_TOLD_MAX + 1)?;
    match boards.as_slice() {
        [id] => Ok(Named { location, id: id.clone(), baton: None, unread: Some(unread) }),
        several if is_operator && !several.is_empty() => {
            Err(with_help(unread, &format!("{}: {}", location.name(), told(several))))
        }
        _ => Err(with_help(unread, "name the baton with --baton FILE, or its board with --tenant ID --task ID")),
    }
}

/// Whether the baton is not there, or is none.
pub(super) fn is_lost(failure: &Failure) -> bool {
    let Failure::Refused(answer) = failure else { return false };
    let lost = |code: Code| code == Code::IoRead || code.class() == Class::Unacceptable;
    answer.refused.refusals().iter().all(|refusal| lost(refusal.code))
}

/// `the board holds several tasks: `login` of tenant `acme`, …; name one with --tenant ID --task ID`
fn told(several: &[BoardId]) -> String {
    let mut tasks: Vec<String> = several.iter().take(TASKS_TOLD_MAX).map(BoardId::to_string).collect();
    tasks.extend((several.len() > TASKS_TOLD_MAX).then(|| "and others".to_owned()));
    format!("the board holds several tasks, name one with --tenant ID --task ID: {}", tasks.join(", "))
}

/// The tenant and the task that were typed.
pub(super) fn typed_id(args: &BoardArgs) -> Result<Option<BoardId>, Failure> {
    let (Some(tenant), Some(task)) = (&args.tenant, &args.task) else { return Ok(None) };
    Ok(Some(BoardId { tenant: settings::id("--tenant", tenant)?, task: settings::id("--task", task)? }))
}

/// The tenant and the task that the stamp of the baton at `path` names.
pub(super) fn id_of(baton: &Baton<'_>, path: &Path) -> Result<BoardId, Failure> {
    board_of(baton).ok_or_else(|| {
        let detail = "the stamp names no tenant and task, so this baton has no board";
        let mut answer = Answer::new(Refusal::new(Code::BoardUnnamed, "/stamp", detail));
        answer.file = Some(named(path));
        answer.with_help(UNNAMED).into()
    })
}

/// The refusal of a baton at `path` that is of another board.
pub(super) fn foreign(own: &BoardId, id: &BoardId, path: &Path) -> Failure {
    let detail = format!("the baton is of {own}, not of {id}");
    Answer::about(path, Code::BoardForeign, detail).into()
}

const UNNAMED: &str = "give it both: merge -i BATON - with {\"stamp\": {\"tenant\": \"local\", \"task\": \"ID\"}} on standard \
                       input, or make it with init --tenant ID --task ID";

/// What a baton may need to be read that was made under other limits than the usual ones.
pub(super) fn limits() -> Limits {
    Limits::default().with_bytes(super::merge::BYTES_MAX).with_depth(Limits::DEPTH_MAX)
}

/// Whether it is the board that stands beside the baton at `path`.
pub(super) fn is_beside(location: &Location, path: &Path) -> bool {
    match (location, Location::beside(path)) {
        (Location::File(board), Ok(Location::File(beside))) => is_same_file(board, &beside),
        _ => false,
    }
}

/// The same failure with a line for people.
pub(super) fn with_help(failure: Failure, help: &str) -> Failure {
    match failure {
        Failure::Refused(answer) => answer.with_help(help).into(),
        other => other,
    }
}
