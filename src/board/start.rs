//! The first entry of a board: the baton as it was when the board began.

use crate::baton::{Baton, Id, Timestamp};
use crate::board::data::{baton_key, of_baton};
use crate::board::replay::{Revision, Snapshot};
use crate::board::{BATON, Board, baton_digest, without_head, word};
use crate::entry::{Draft, Head, Readers, Reference};
use crate::refusal::{Code, Refusal, Refused};
use crate::store::{Batch, Store};

impl<S: Store> Board<S> {
    /// Puts `baton` on a board that has none yet. It may be at any revision.
    ///
    /// # Errors
    /// `board.unnamed` or `board.foreign` where its stamp names no board, or another one; `board.not_empty` where the
    /// board has a baton; `store.*`.
    pub fn start(
        &mut self,
        baton: Baton<'_>,
        author: &Id,
        at: &Timestamp,
        reference: &Reference,
    ) -> Result<Revision, Refused> {
        self.check_board(&baton)?;
        let baton = without_head(baton).into_owned();
        self.append(|board, head| {
            if board.newest()?.is_some() {
                let detail = "the board holds a baton already: give the new one a task of its own";
                return Err(Refusal::new(Code::BoardNotEmpty, "", detail).into());
            }
            let draft = draft(&baton, author, at, reference)?;
            let (batch, revision) = begin(board, draft, &baton, head)?;
            Ok((Some(batch), revision))
        })
    }
}

/// The batch that puts `baton` on a board after `head`.
fn begin<S: Store>(
    board: &Board<S>,
    draft: Draft,
    baton: &Baton<'static>,
    head: Option<&Head>,
) -> Result<(Batch, Revision), Refused> {
    let record = draft.place(&board.id, head).seal();
    let revision = Revision { baton: baton.clone(), after: baton_digest(baton), head: record.head() };
    let snapshot = Snapshot::first(revision.clone());
    let batch = Batch { records: vec![record], saves: vec![snapshot.save()?], drops: Vec::new() };
    Ok((batch, revision))
}

fn draft(baton: &Baton<'_>, author: &Id, at: &Timestamp, reference: &Reference) -> Result<Draft, Refused> {
    Ok(Draft {
        reference: reference.clone(),
        kind: word(BATON)?,
        key: baton_key(baton.revision())?,
        author: author.clone(),
        step: baton.stamp().step.and_then(Id::new),
        at: at.clone(),
        readers: Readers::Everyone,
        data: of_baton(baton, &baton_digest(baton)),
        derived_from: Vec::new(),
        idempotency_key: None,
        declassified: false,
    })
}
