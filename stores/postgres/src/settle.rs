//! Settling: what became of an append whose answer was lost. It is looked up, never guessed.
//!
//! A batch with records is known by its first record's place, digest and random reference, looked for while the head row
//! is held. One without is appended in a transaction that first tells its number; by that the server knows how it ended.
//! Whatever the lost connection still brings to the server finds the head moved, or its transaction never ended.

use std::thread::sleep;
use std::time::{Duration, Instant};

use relay_baton::entry::BoardId;
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Fault, Which};
use tokio_postgres::types::Type;

use crate::attempt::{Doubt, Outcome, attempt};
use crate::batch::Columns;
use crate::fault::{self, Failure};
use crate::line::Line;
use crate::{read, turn};

/// How a transaction of another connection ended.
const END: &str = "select pg_xact_status($1::text::xid8)";

/// Ends the process that served the connection that was lost.
const EVICT: &str = "\
select pg_terminate_backend(pid) from pg_stat_activity \
where pid = $1 and backend_start <= $2::text::timestamptz and usename = current_user";

/// After so long nothing more is tried.
const SETTLE_MAX: Duration = Duration::from_secs(20);

/// How long to wait before each try to settle.
const PAUSES_MS: [u64; 6] = [0, 50, 200, 500, 1000, 2000];

/// Finds out what became of a try whose answer was lost, and does what was not done.
pub(crate) fn settle(
    line: &mut Line,
    board: &BoardId,
    columns: &Columns<'_>,
    batch: &Batch,
    mut doubt: Doubt,
) -> Result<Outcome, AppendError> {
    let start = Instant::now();
    for pause_ms in PAUSES_MS {
        if start.elapsed() > SETTLE_MAX {
            break;
        }
        sleep(Duration::from_millis(pause_ms));
        match settle_once(line, board, columns, batch, &mut doubt) {
            Ok(outcome) => return Ok(outcome),
            Err(Failure::Lost) => {}
            Err(failure) if matches!(doubt, Doubt::None) => return Err(failure.into_append_error()),
            Err(Failure::Refused(fault)) if fault.code == Code::StoreBusy => {}
            Err(_) => break,
        }
    }
    Err(AppendError::Fault(match doubt {
        Doubt::None => fault::lost(),
        Doubt::Records | Doubt::Transaction(_) => unsettled(),
    }))
}

fn settle_once(
    line: &mut Line,
    board: &BoardId,
    columns: &Columns<'_>,
    batch: &Batch,
    doubt: &mut Doubt,
) -> Result<Outcome, Failure> {
    line.connect().map_err(|fault| match fault.code {
        Code::StoreUnavailable => Failure::Lost,
        _ => Failure::Refused(fault),
    })?;
    evict(line)?;
    let there = match doubt {
        Doubt::None => false,
        Doubt::Transaction(number) => has_ended(line, number)?,
        Doubt::Records => {
            turn::take(line, board)?;
            stands(line, board, batch)?
        }
    };
    if there {
        line.release();
        return Ok(Outcome::Done);
    }
    match attempt(line, columns, batch) {
        // What was lost came through after all.
        Ok(Outcome::Moved(_)) if stands(line, board, batch)? => Ok(Outcome::Done),
        Ok(outcome) => Ok(outcome),
        Err((failure, left)) => {
            *doubt = left;
            Err(failure)
        }
    }
}

/// Whether the first record of `batch` stands, and so all of it.
fn stands(line: &mut Line, board: &BoardId, batch: &Batch) -> Result<bool, Failure> {
    let Some(first) = batch.records.first() else { return Ok(false) };
    let found = read::one(line, board, Which::Seq(first.seq)).map_err(|fault| match fault.code {
        Code::StoreUnavailable => Failure::Lost,
        _ => Failure::Refused(fault),
    })?;
    Ok(found.is_some_and(|found| found.digest == first.digest && found.reference == first.reference))
}

/// Whether the transaction `number` was committed; one that still runs is waited for.
fn has_ended(line: &mut Line, number: &str) -> Result<bool, Failure> {
    let rows = line.ask(END, &[read::text(&number)])?;
    let status = rows.first().and_then(|row| row.try_get::<_, Option<String>>(0).ok()).flatten();
    match status.as_deref() {
        Some("committed") => Ok(true),
        Some("aborted") => Ok(false),
        Some(_) => Err(Failure::Lost),
        None => Err(Failure::Refused(unsettled())),
    }
}

/// Ends the process that served the lost connection, so that it does nothing more for us.
fn evict(line: &mut Line) -> Result<(), Failure> {
    let Some(left) = line.left.take() else { return Ok(()) };
    let answer = line.ask(EVICT, &[(&left.pid, Type::INT4), read::text(&left.since.as_str())]);
    match answer {
        Err(Failure::Lost) => Err(Failure::Lost),
        // It may be gone, or not ours to end.
        _ => Ok(()),
    }
}

fn unsettled() -> Fault {
    let detail = "the connection was lost while a batch was recorded, and the server cannot be asked what became of \
                  it: run the same again";
    Fault::new(Code::StoreUnsettled, detail)
}
