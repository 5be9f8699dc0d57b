//! What a failure of the server or of the connection means, told by SQLSTATE and by the kind of I/O error. No text of
//! the server or the driver is passed on: it may hold content, names and addresses.

use std::error::Error as _;
use std::io;

use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Fault, Taken};
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, Severity};

use crate::address::{Address, unfit};

/// Why the server did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It said no, and nothing was done.
    Refused(Fault),
    /// A name of an entry stands on the board.
    Taken(Taken),
    /// It did not say; what was asked may be done.
    Lost,
}

impl Failure {
    /// Why a batch did not go in.
    pub(crate) fn into_append_error(self) -> AppendError {
        match self {
            Self::Taken(taken) => AppendError::Taken(taken),
            failure => AppendError::Fault(failure.into_fault()),
        }
    }

    /// The fault of a question that changes nothing.
    pub(crate) fn into_fault(self) -> Fault {
        match self {
            Self::Refused(fault) => fault,
            Self::Taken(_) => Fault::new(Code::StoreDamaged, "the server refused to read for an entry's name"),
            Self::Lost => lost(),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Some(answer) = error.as_db_error() else { return Self::Lost };
        // Whatever is worse than an error ends the connection, perhaps after the work was done.
        if answer.parsed_severity() != Some(Severity::Error) {
            return Self::Lost;
        }
        match answer.constraint() {
            Some("entry_reference") => Self::Taken(Taken::Reference),
            Some("entry_repetition") => Self::Taken(Taken::IdempotencyKey),
            _ => Self::Refused(of_answer(answer)),
        }
    }
}

/// The connection went away, or the server did not answer in time.
pub(crate) fn lost() -> Fault {
    Fault::new(Code::StoreUnavailable, "the server does not answer: try again later")
}

/// Why no connection could be made to `address`.
pub(crate) fn of_connecting(error: &Error, address: &Address) -> Fault {
    if let Some(answer) = error.as_db_error() {
        return of_answer(answer);
    }
    if error.is_closed() {
        return lost();
    }
    match error.source().and_then(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind) {
        Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
            unfit("the server did not prove who it is: see to its certificate, the host's name, and `sslrootcert`")
        }
        Some(io::ErrorKind::PermissionDenied) => unfit("this user may not open a connection to the server"),
        Some(io::ErrorKind::ConnectionRefused) => unreachable("no server listens there"),
        Some(io::ErrorKind::TimedOut) => unreachable("it does not answer"),
        Some(_) => unreachable("its name is not known, or the network is down"),
        // The driver tells these apart by text alone.
        None if address.config.get_password().is_none() => unfit("the server asks for a password: give one"),
        None => unfit("the server does not encrypt connections, or does not log in as this address asks"),
    }
}

fn unreachable(why: &str) -> Fault {
    Fault::new(Code::StoreUnavailable, format!("the server cannot be reached: {why}"))
}

fn of_answer(answer: &DbError) -> Fault {
    let state = answer.code().code();
    let (code, why) = meaning(state);
    Fault::new(code, format!("{why} (SQLSTATE {state})"))
}

/// What to do about an SQLSTATE, and why.
fn meaning(state: &str) -> (Code, &'static str) {
    let class = state.get(..2).unwrap_or_default();
    match (class, state) {
        ("28", _) => (Code::StoreDenied, "the server does not know the role, or the password is wrong"),
        (_, "42501") => (Code::StoreDenied, "the role may not do this: let the owner of the tables admit it"),
        (_, "3D000") => (Code::StoreDenied, "the server has no database of this name"),
        (_, "42704") => (Code::StoreDenied, "the server has no role of this name"),
        (_, "25006") => (Code::StoreReadOnly, "the server only lets us read"),
        (_, "53100") => (Code::StoreFull, "the server's disk is full"),
        (_, "53300") => (Code::StoreBusy, "the server has no connection left"),
        ("40", _) | (_, "55P03" | "57014") => (Code::StoreBusy, "others kept the board from us too long"),
        ("08" | "53" | "57" | "58", _) => (Code::StoreUnavailable, "the server cannot serve us now"),
        (_, "XX001" | "XX002") => (Code::StoreDamaged, "the server found damaged data"),
        ("22" | "23", _) => (Code::StoreDamaged, "the tables hold what they must not"),
        ("42" | "3F", _) => (Code::StoreForeign, "the tables are not those that this program makes"),
        _ => (Code::StoreUnavailable, "the server could not do it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_code() {
        let cases = [
            ("28P01", Code::StoreDenied),
            ("28000", Code::StoreDenied),
            ("42501", Code::StoreDenied),
            ("3D000", Code::StoreDenied),
            ("42704", Code::StoreDenied),
            ("25006", Code::StoreReadOnly),
            ("53100", Code::StoreFull),
            ("53300", Code::StoreBusy),
            ("55P03", Code::StoreBusy),
            ("57014", Code::StoreBusy),
            ("40001", Code::StoreBusy),
            ("40P01", Code::StoreBusy),
            ("57P01", Code::StoreUnavailable),
            ("57P03", Code::StoreUnavailable),
            ("08006", Code::StoreUnavailable),
            ("53200", Code::StoreUnavailable),
            ("XX001", Code::StoreDamaged),
            ("XX002", Code::StoreDamaged),
            ("23505", Code::StoreDamaged),
            ("42P01", Code::StoreForeign),
            ("42883", Code::StoreForeign),
            ("3F000", Code::StoreForeign),
            ("XX000", Code::StoreUnavailable),
            ("", Code::StoreUnavailable),
        ];
        for (state, code) in cases {
            assert_eq!(meaning(state).0, code, "{state}");
        }
    }
}
