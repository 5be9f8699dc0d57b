//! Appending: one round trip where nothing is in the way.
//!
//! ```text
//! append ── attempt ── done | moved | taken | refused
//!              └─ no answer ── settle: connect anew, hold the head row, look for the batch ── there: done
//!                                                                        └─ not there: once more ──┘
//! ```

use relay_baton::entry::BoardId;
use relay_baton::store::{AppendError, Batch, Expected};

use crate::attempt::{Outcome, attempt};
use crate::batch::Columns;
use crate::fault::Failure;
use crate::line::Line;
use crate::settle::settle;
use crate::{read, turn};

/// Appends `batch`; `moved_before` is the board that the append before found moved.
pub(crate) fn append(
    line: &mut Line,
    moved_before: &mut Option<BoardId>,
    board: &BoardId,
    expected: &Expected,
    batch: &Batch,
) -> Result<(), AppendError> {
    if let Err(error) = batch.check(expected) {
        let head = read::head(line, board)?;
        return Err(if head.as_ref() == expected.head() { error } else { AppendError::Moved(head) });
    }
    if line.turn.as_ref().is_some_and(|held| held != board) {
        line.release();
    }
    let columns = Columns::of(board, expected, batch);
    line.connect()?;
    let outcome = match attempt(line, &columns, batch) {
        Ok(outcome) => outcome,
        Err((Failure::Lost, doubt)) => settle(line, board, &columns, batch, doubt)?,
        Err((failure, _)) => return Err(failure.into_append_error()),
    };
    conclude(line, moved_before, board, outcome)
}

/// Tells the outcome; the second time in a row that the board had moved, with the turn.
fn conclude(
    line: &mut Line,
    moved_before: &mut Option<BoardId>,
    board: &BoardId,
    outcome: Outcome,
) -> Result<(), AppendError> {
    let again = moved_before.take().is_some_and(|before| before == *board);
    match outcome {
        Outcome::Done => Ok(()),
        Outcome::Moved(head) => {
            *moved_before = Some(board.clone());
            let held = if again { turn::take(line, board).ok() } else { None };
            Err(AppendError::Moved(held.unwrap_or(head)))
        }
    }
}
