//! Appending: one round trip where nothing is in the way.
//!
//! ```text
//! append ── once ── done | moved | taken | refused
//!             └─ no answer ── settle: connect anew, hold the head row, look for the batch ── there: done
//!                                                                     └─ not there: once more ──┘
//! ```
//!
//! *Settling.* A batch with records is known by its first record's place, digest and random reference. One without is
//! appended in a transaction that first tells its number; by that the server knows how it ended. Whatever the lost
//! connection still brings to the server finds the head moved, or its transaction never ended.
//!
//! *Turns.* Whoever found the board moved twice in a row gets the head row held until the next append, so that it
//! cannot be late again. The server takes the turn back after two
//! seconds without a word.

use std::thread::sleep;
use std::time::Duration;

use relay_baton::entry::{BoardId, Head};
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Expected, Fault, Which};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::batch::{APPEND, APPEND_NUMBERED, Columns};
use crate::fault::{self, Failure};
use crate::line::Line;
use crate::read;

/// How long a turn lasts that is not taken, and how long one waits for it.
const TURN_BEGIN: &str = "\
begin; set local idle_in_transaction_session_timeout = '2s'; set local lock_timeout = '2s'";

const TURN: &str = "select seq, digest from relay_baton.turn($1, $2)";

/// How a transaction of another connection ended.
const END: &str = "select pg_xact_status($1::text::xid8)";

/// Ends the process that served the connection that was lost.
const EVICT: &str = "\
select pg_terminate_backend(pid) from pg_stat_activity \
where pid = $1 and backend_start <= $2::text::timestamptz and usename = current_user";

/// How long to wait before each try to settle.
const PAUSES_MS: [u64; 6] = [0, 50, 200, 500, 1000, 2000];

/// What became of a try.
enum Outcome {
    Done,
    Moved(Option<Head>),
}

/// What is not known of a try that failed.
enum Doubt {
    /// Nothing: it was not done.
    None,
    /// Whether the records stand.
    Records,
    /// How the transaction ended.
    Transaction(String),
}

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
        Err((failure, _)) => return Err(refused(failure)),
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
            let turn = if again { take_turn(line, board).ok() } else { None };
            Err(AppendError::Moved(turn.unwrap_or(head)))
        }
    }
}

/// One try, in the transaction that holds the turn if there is one.
fn attempt(line: &mut Line, columns: &Columns<'_>, batch: &Batch) -> Result<Outcome, (Failure, Doubt)> {
    let held = line.turn.take().is_some();
    if batch.records.is_empty() {
        return attempt_numbered(line, columns, held);
    }
    let after = held.then_some("commit");
    let answer = columns.with(|values| line.ask_between(None, APPEND, values, after));
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

/// Finds out what became of a try whose answer was lost, and does what was not done.
fn settle(
    line: &mut Line,
    board: &BoardId,
    columns: &Columns<'_>,
    batch: &Batch,
    mut doubt: Doubt,
) -> Result<Outcome, AppendError> {
    for pause_ms in PAUSES_MS {
        sleep(Duration::from_millis(pause_ms));
        match settle_once(line, board, columns, batch, &mut doubt) {
            Ok(outcome) => return Ok(outcome),
            Err(Failure::Lost) => {}
            Err(failure) if matches!(doubt, Doubt::None) => return Err(refused(failure)),
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
            take_turn(line, board)?;
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

/// Holds the head row until the next append, and tells where the board ends.
fn take_turn(line: &mut Line, board: &BoardId) -> Result<Option<Head>, Failure> {
    line.release();
    let (tenant, task) = (board.tenant.as_str(), board.task.as_str());
    let answer = line.ask_between(Some(TURN_BEGIN), TURN, &[read::text(&tenant), read::text(&task)], None);
    let head = match answer.map(|rows| rows.first().map(|row| read::read_head(row, 0))) {
        Ok(Some(Ok(head))) => head,
        // There is no head row to hold yet.
        Ok(None) => {
            line.give_up();
            return Ok(None);
        }
        Ok(Some(Err(fault))) => {
            line.give_up();
            return Err(Failure::Refused(fault));
        }
        Err(failure) => {
            line.give_up();
            return Err(failure);
        }
    };
    line.turn = Some(board.clone());
    Ok(head)
}

fn refused(failure: Failure) -> AppendError {
    match failure {
        Failure::Taken(taken) => AppendError::Taken(taken),
        failure => AppendError::Fault(failure.into_fault()),
    }
}

fn unsettled() -> Fault {
    let detail = "the connection was lost while a batch was recorded, and the server cannot be asked what became of \
                  it: run the same again";
    Fault::new(Code::StoreUnsettled, detail)
}
