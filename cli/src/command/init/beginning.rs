//! Where a new baton's board begins. The board is committed first, then the file is written: a crash between the two
//! leaves an entry that the same command, run again with the same task, takes up.

use std::fs;

use relay_baton::baton::{Baton, Field};
use relay_baton::board::Revision;
use relay_baton::entry::BoardId;
use relay_baton::json::{self, Value};
use relay_baton::refusal::{Code, Notice, Refused};

use crate::args::InitArgs;
use crate::failure::{Answer, Failure, named as shown};
use crate::place::{Access, Location, Opened, Target, open_board};
use crate::settings;

/// Whose task it is, where nobody says.
const TENANT: &str = "local";

/// A board that is about to begin.
pub(super) struct Beginning {
    location: Location,
    id: BoardId,
}

/// The board of the baton that goes to `target`; none where none is wanted.
pub(super) fn named(args: &InitArgs, target: &Target) -> Result<Option<Beginning>, Failure> {
    if args.board.no_board {
        return Ok(None);
    }
    let typed = args.board.board.as_deref();
    let location = match target {
        Target::File { path, .. } if typed.is_some() || !is_special(path) => settings::location(typed, path)?,
        _ => match typed {
            Some(text) => Location::parse(text)?,
            None => return Ok(None),
        },
    };
    let tenant = settings::id("--tenant", args.tenant.as_deref().unwrap_or(TENANT))?;
    let task = args.task.as_deref().map_or_else(settings::task, |task| settings::id("--task", task))?;
    Ok(Some(Beginning { location, id: BoardId { tenant, task } }))
}

/// Whether something is there that is neither a file nor a folder: a device or a pipe has no board beside it.
fn is_special(path: &std::path::Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

impl Beginning {
    pub(super) fn id(&self) -> &BoardId {
        &self.id
    }

    /// `baton.json: revision 0; its board is baton.board, task `task-1` of tenant `local``
    pub(super) fn summary(&self, target: &Target) -> String {
        let file = match target {
            Target::File { path, .. } => shown(path),
            _ => "<stdout>".to_owned(),
        };
        format!("{file}: revision 0; its board is {}, {}", self.location.name(), self.id)
    }

    /// What is there though the file is not.
    pub(super) fn stands(&self) -> String {
        let BoardId { tenant, task } = &self.id;
        let board = self.location.name();
        format!("{board} holds the baton: the same command with --tenant {tenant} --task {task} writes the file")
    }

    /// Members of the report.
    pub(super) fn facts(&self) -> [(&'static str, Value<'static>); 3] {
        let text = |text: &str| Value::string(text.to_owned());
        let BoardId { tenant, task } = &self.id;
        [
            ("board", Value::string(self.location.name())),
            ("tenant", text(tenant.as_str())),
            ("task", text(task.as_str())),
        ]
    }

    /// Puts the baton on the board; returns it as a reading of its entry.
    pub(super) fn record(
        &self,
        baton: Baton<'static>,
        args: &InitArgs,
    ) -> Result<(Baton<'static>, Option<Notice>), Failure> {
        let author = settings::author(args.by.as_deref())?;
        let at = settings::moment(baton.stamp().at)?;
        let mut opened = open_board(&self.location, self.id.clone(), Access::Create)?;
        match opened.board.start(baton.clone(), &author, &at, &settings::reference()?) {
            Ok(revision) => Ok((revision.reading(), None)),
            Err(refused) => {
                let revision = self.begun(&mut opened, &baton, refused)?;
                let detail = "the board held this baton already: the file is made of it";
                Ok((revision.reading(), Some(Notice::new("replayed", "/stamp/head", detail))))
            }
        }
    }

    /// What an earlier run began that wrote no file: the same baton, but for its time.
    fn begun(&self, opened: &mut Opened, baton: &Baton<'_>, refused: Refused) -> Result<Revision, Failure> {
        if refused.refusals().iter().all(|refusal| refusal.code != Code::BoardNotEmpty) {
            return Err(opened.refuse(refused));
        }
        let newest = opened.newest()?;
        if timeless(&newest.baton) == timeless(baton) {
            return Ok(newest);
        }
        let mut answer = Answer::new(refused);
        answer.file = Some(opened.name.clone());
        let BoardId { tenant, task } = &self.id;
        let help = format!("for the baton that it holds: checkout newest --tenant {tenant} --task {task} -o FILE");
        Err(answer.with_help(help).into())
    }
}

/// The canonical form of the baton without the time of its stamp.
fn timeless(baton: &Baton<'_>) -> Vec<u8> {
    let mut members = baton.as_object().clone().into_owned();
    if let Some(Value::Object(stamp)) = members.get_mut(Field::Stamp.name()) {
        stamp.remove("at");
    }
    json::canonical(&Value::Object(members))
}
