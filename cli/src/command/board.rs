//! Opening the board that a verb works on.

use std::path::{Path, PathBuf};

use relay_baton::baton::Baton;
use relay_baton::board::board_of;
use relay_baton::entry::BoardId;
use relay_baton::json::Limits;
use relay_baton::refusal::{Code, Refusal};

use crate::args::BoardArgs;
use crate::command::open;
use crate::failure::{Answer, Failure, named};
use crate::place::{Access, Location, Opened, open_board};
use crate::settings;

/// The baton that names the board where none is typed.
const BATON: &str = "baton.json";

/// What was typed of a board, resolved.
pub(super) struct Named {
    pub(super) location: Location,
    pub(super) id: BoardId,
    /// The baton that names tenant and task, where they are not typed.
    pub(super) baton: Option<Baton<'static>>,
}

/// Opens the board that was typed.
pub(super) fn open(args: &BoardArgs, access: Access) -> Result<Opened, Failure> {
    let named = named_board(args)?;
    open_board(&named.location, named.id, access)
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
    let location = location(args)?;
    if let Some(id) = typed_id(args)? {
        return Ok(Named { location, id, baton: None });
    }
    let path = baton_path(args);
    let (_, baton) = open::baton_at(&path, &limits()).map_err(with_options)?;
    let id = id_of(&baton, &path)?;
    Ok(Named { location, id, baton: Some(baton) })
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

/// Tells how a board is named, where the baton that would name it cannot be read.
fn with_options(failure: Failure) -> Failure {
    match failure {
        Failure::Refused(answer) if answer.refused.refusals().iter().any(|refusal| refusal.code == Code::IoRead) => {
            let help = "name the baton with --baton FILE, or its board with --tenant ID --task ID";
            answer.with_help(help).into()
        }
        other => other,
    }
}
