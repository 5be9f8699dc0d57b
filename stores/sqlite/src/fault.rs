//! From SQLite's codes to ours. Messages of SQLite are never passed on: they may hold paths.

use relay_baton::refusal::Code;
use relay_baton::store::Fault;
use rusqlite::ffi::{self, ErrorCode};
use rusqlite::{Error, ffi::Error as Cause};

/// A fault that is told in our words.
pub(crate) fn told(code: Code) -> Fault {
    let detail = match code {
        Code::StoreBusy => "others kept the board file locked for longer than is waited",
        Code::StoreReadOnly => "the board file or its folder cannot be written",
        Code::StoreDenied => "the board file or its folder cannot be opened: look at their permissions",
        Code::StoreFull => "there is no room on the disk of the board file",
        Code::StoreForeign => "the file is not a board file",
        Code::StoreDamaged => "the board file is damaged: restore it from a copy",
        Code::StoreUnsettled => "the disk failed while an entry was recorded: read the board to see whether it was",
        _ => "the disk of the board file failed",
    };
    Fault::new(code, detail)
}

/// What an error of SQLite means.
pub(crate) fn fault(error: Error) -> Fault {
    told(code(&error))
}

/// The code that an error of SQLite means.
pub(crate) fn code(error: &Error) -> Code {
    match error {
        Error::SqliteFailure(cause, _) => of_cause(*cause),
        Error::SqlInputError { error: cause, .. } => of_cause(*cause),
        // A value of another type than the schema allows.
        _ => Code::StoreDamaged,
    }
}

fn of_cause(cause: Cause) -> Code {
    match cause.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => Code::StoreBusy,
        ErrorCode::ReadOnly => Code::StoreReadOnly,
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => Code::StoreDenied,
        ErrorCode::DiskFull | ErrorCode::TooBig => Code::StoreFull,
        ErrorCode::NotADatabase => Code::StoreForeign,
        ErrorCode::SystemIoFailure => of_device(cause.extended_code),
        ErrorCode::OutOfMemory | ErrorCode::OperationInterrupted => Code::StoreUnavailable,
        // No such table or column, a constraint that does not hold: not what was written.
        _ => Code::StoreDamaged,
    }
}

fn of_device(extended: i32) -> Code {
    match extended {
        // The index of the log is made larger by writing to it.
        ffi::SQLITE_IOERR_SHMSIZE => Code::StoreFull,
        ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS => Code::StoreDamaged,
        _ => Code::StoreUnavailable,
    }
}
