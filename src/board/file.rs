//! A file of the baton, held against the board that it is a reading of.

use crate::baton::{Baton, Field};
use crate::board::data::after_of;
use crate::board::{Board, baton_digest};
use crate::entry::{BoardId, Head};
use crate::json::Value;
use crate::refusal::{Code, Refusal, Refused};
use crate::store::Store;

/// What a file of the baton is to its board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The board has no baton yet.
    New,
    /// It reads as the board does.
    Newest,
    /// It reads as the board did at an earlier revision.
    Older {
        /// The board's revision now.
        newest: u64,
    },
}

impl<S: Store> Board<S> {
    /// What `file` is to this board.
    ///
    /// # Errors
    /// `board.unnamed` or `board.foreign` where its stamp names no board, or another one; `board.cut` where it knows
    /// more than the board; `board.edited` where it was changed by something else than a patch; `board.broken` where it
    /// is a reading of an entry that the board has no more; `store.*`.
    pub fn standing(&mut self, file: &Baton<'_>) -> Result<Standing, Refused> {
        self.check_board(file)?;
        let told = head_of(file);
        let Some(snapshot) = self.newest_snapshot()? else {
            return match told {
                None => Ok(Standing::New),
                Some(_) => Err(cut("the board is empty (is it the right one?), and the file is a reading of it")),
            };
        };
        let (revision, last) = (file.revision(), snapshot.revision.number());
        if let Some(head) = told_head(file)
            && let Some(before) = self.revision_of(&head)?
            && before < revision
        {
            return Err(off_board(before, revision));
        }
        if revision > last {
            return Err(cut(&format!("the board ends at revision {last}, the file is at revision {revision}")));
        }
        let own = snapshot.entry.filter(|_| revision == last);
        let Some(entry) = own.map_or_else(|| self.entry_of(revision), |entry| Ok(Some(entry)))? else {
            let detail = format!("the board begins after revision {revision}, at which the file is");
            return Err(Refusal::new(Code::BaseUnknown, "/stamp/revision", detail).into());
        };
        let own = entry.head();
        if told.is_some_and(|told| told != own.to_string()) {
            let detail = format!(
                "the file is a reading of another entry than the board has for revision {revision}: it is of another copy of \
                 the board, or the chain was worked out anew"
            );
            return Err(Refusal::new(Code::BoardBroken, "/stamp/head", detail).into());
        }
        if after_of(&entry.entry)? != baton_digest(file) {
            return Err(edited(revision));
        }
        Ok(if revision == last { Standing::Newest } else { Standing::Older { newest: last } })
    }

    /// Refuses a baton of another board.
    pub(super) fn check_board(&self, baton: &Baton<'_>) -> Result<(), Refused> {
        match board_of(baton) {
            Some(board) if board == self.id => Ok(()),
            Some(board) => {
                let detail = format!("the baton is of {board}, the board of {}", self.id);
                Err(Refusal::new(Code::BoardForeign, "/stamp", detail).into())
            }
            None => {
                let detail =
                    "the baton's stamp names no tenant and task: a baton is of the board of one task of one tenant";
                Err(Refusal::new(Code::BoardUnnamed, "/stamp", detail).into())
            }
        }
    }
}

/// The board that the stamp of `baton` names.
#[must_use]
pub fn board_of(baton: &Baton<'_>) -> Option<BoardId> {
    let stamp = baton.stamp();
    let id = |text: Option<&str>| text.and_then(crate::baton::Id::new);
    Some(BoardId { tenant: id(stamp.tenant)?, task: id(stamp.task)? })
}

/// The entry that a file says it is a reading of, as [`Head`] is written.
#[must_use]
pub fn head_of<'b>(baton: &'b Baton<'_>) -> Option<&'b str> {
    let stamp = baton.member(Field::Stamp.name()).and_then(Value::as_object)?;
    Some(stamp.get("head")?.as_str().unwrap_or_default())
}

/// The entry that a file says it is a reading of, where it says so.
#[must_use]
pub fn told_head(baton: &Baton<'_>) -> Option<Head> {
    head_of(baton).and_then(Head::parse)
}

fn cut(what: &str) -> Refused {
    let detail = format!("{what}: the board was cut off, or an older copy of it was put in its place");
    Refusal::new(Code::BoardCut, "", detail).into()
}

fn off_board(before: u64, revision: u64) -> Refused {
    let detail = format!(
        "the file went on from revision {before} to {revision} without the board: what it has since is on no board"
    );
    Refusal::new(Code::BoardEdited, "", detail).into()
}

fn edited(revision: u64) -> Refused {
    let detail = format!(
        "the file is not what the board recorded for revision {revision}: it was edited by hand, and the edit is on no \
         board"
    );
    Refusal::new(Code::BoardEdited, "", detail).into()
}
