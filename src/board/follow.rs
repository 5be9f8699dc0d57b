//! What follows on the newest entry of a kind and key: one step of something whose state is its newest entry.

use crate::baton::Id;
use crate::board::post::check_readable;
use crate::board::{Board, Post};
use crate::entry::{Draft, Kept};
use crate::refusal::Refused;
use crate::store::{Batch, Store, Which};

/// What comes of looking at the newest entry.
#[derive(Clone, Debug)]
pub enum Following {
    /// It stands, and nothing is added.
    Stands(Box<Kept>),
    /// This is added, derived from it.
    Post(Box<Post>),
}

impl<S: Store> Board<S> {
    /// Adds what `make` makes of the newest entry of a kind and key, if nobody adds another in between; then it looks again.
    /// Gives the entry that stands at the end.
    ///
    /// # Errors
    /// What `make` refuses; `json.*` where it is too much for an entry; `store.*`. Nothing was added then.
    pub fn follow(
        &mut self,
        kind: &Id,
        key: &Id,
        mut make: impl FnMut(Option<&Kept>) -> Result<Following, Refused>,
    ) -> Result<Kept, Refused> {
        self.append(|board, head| {
            let newest = board.entry(Which::Newest { kind, key, before: u64::MAX })?;
            let post = match make(newest.as_ref())? {
                Following::Stands(kept) => return Ok((None, *kept)),
                Following::Post(post) => post,
            };
            let draft = Draft {
                reference: post.reference,
                kind: kind.clone(),
                key: key.clone(),
                author: post.author,
                step: post.step,
                at: post.at,
                readers: post.readers,
                data: post.data,
                derived_from: newest.iter().map(|newest| newest.record.seq).collect(),
                idempotency_key: None,
                declassified: false,
            };
            let entry = draft.place(&board.id, head);
            let record = entry.seal();
            check_readable(&record, "entry")?;
            let kept = Kept { record: record.clone(), entry };
            Ok((Some(Batch { records: vec![record], ..Batch::default() }), kept))
        })
    }
}

#[cfg(test)]
#[path = "follow_test.rs"]
mod tests;
