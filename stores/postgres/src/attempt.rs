//! One try to append, and what is not known of it where the answer was lost.

use relay_baton::entry::Head;
use relay_baton::store::Batch;
use tokio_postgres::Row;

use crate::batch::{APPEND_NUMBERED, Columns};
use crate::fault::Failure;
use crate::line::Line;
use crate::read;

/// What became of a try.
pub(crate) enum Outcome {
    Done,
    Moved(Option<Head>),
}

/// What is not known of a try that failed.
pub(crate) enum Doubt {
    /// Nothing: it was not done.
    None,
    /// Whether the records stand.
    Records,
    /// How the transaction ended.
    Transaction(String),
}

/// One try, in the transaction that holds the turn if there is one.
pub(crate) fn attempt(line: &mut Line, columns: &Columns<'_>, batch: &Batch) -> Result<Outcome, (Failure, Doubt)> {
    let held = line.turn.take().is_some();
    if batch.records.is_empty() {
        return attempt_numbered(line, columns, held);
    }
    let after = held.then_some("commit");
    let answer = columns.append(|text, values| line.ask_between(None, text, values, after));
    match answer {
        Ok(rows) => outcome(&rows).map_err(|failure| (failure, Doubt::None)),
        Err(Failure::Lost) => Err((Failure::Lost, Doubt::Records)),
        Err(failure) => Err((failure, Doubt::None)),
    }
}

/// One try of a batch that leaves no record to look for.
fn attempt_numbered(line: &mut Line, columns: &Columns<'_>, held: bool) -> Result<Outcome, (Failure, Doubt)> {
    let before = (!held).then_some("begin");
    let answer = columns.with(|values| line.ask_between(before, APPEND_NUMBERED, values, None));
    let told = answer.and_then(|rows| {
        let number = rows.first().and_then(|row| row.try_get::<_, String>(3).ok());
        Ok((outcome(&rows)?, number.ok_or_else(|| Failure::Refused(read::damaged()))?))
    });
    let (outcome, number) = match told {
        Ok(told) => told,
        Err(failure) => {
            line.give_up();
            return Err((failure, Doubt::None));
        }
    };
    match line.run("commit") {
        Ok(()) => Ok(outcome),
        Err(Failure::Lost) => Err((Failure::Lost, Doubt::Transaction(number))),
        Err(failure) => Err((failure, Doubt::None)),
    }
}

fn outcome(rows: &[Row]) -> Result<Outcome, Failure> {
    let row = rows.first().ok_or_else(|| Failure::Refused(read::damaged()))?;
    if !read::column(row, 0).map_err(Failure::Refused)? {
        return Ok(Outcome::Done);
    }
    read::read_head(row, 1).map(Outcome::Moved).map_err(Failure::Refused)
}
