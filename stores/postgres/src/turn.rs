//! Turns: whoever is late again and again gets the head row held until its next append, and cannot be late then. The
//! server takes the turn back after two seconds without a word.

use relay_baton::entry::{BoardId, Head};

use crate::fault::Failure;
use crate::line::Line;
use crate::read;

/// How long a turn lasts that is not taken, and how long one waits for it.
const TURN_BEGIN: &str = "\
begin; set local idle_in_transaction_session_timeout = '2s'; set local lock_timeout = '2s'";

const TURN: &str = "select seq, digest from relay_baton.turn($1, $2)";

/// Holds the head row until the next append, and tells where the board ends.
pub(crate) fn take(line: &mut Line, board: &BoardId) -> Result<Option<Head>, Failure> {
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
