//! The line to the server: one connection at a time, made again when it is lost, and the turn that it may hold.

use std::time::{Duration, Instant};

use relay_baton::entry::BoardId;
use relay_baton::refusal::Code;
use relay_baton::store::Fault;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_postgres::Row;

use crate::address::Address;
use crate::fault::{self, Failure};
use crate::session::{Backend, Session, Values};

/// After so long without a word, it is looked whether the connection still stands before something is asked that is
/// not to be asked twice.
const SILENCE_MAX: Duration = Duration::from_millis(500);

/// Where our questions go.
pub(crate) struct Line {
    address: Address,
    /// Always there, but while it is dropped.
    runtime: Option<Runtime>,
    session: Option<Session>,
    /// The board whose head row an open transaction of ours holds.
    pub(crate) turn: Option<BoardId>,
    /// Who served us when an answer was lost.
    pub(crate) left: Option<Backend>,
    spoken: Instant,
}

impl Drop for Line {
    fn drop(&mut self) {
        let session = self.session.take();
        if let (Some(runtime), Some(session), Err(_)) = (&self.runtime, session, Handle::try_current()) {
            runtime.block_on(session.close());
        }
        if let Some(runtime) = self.runtime.take() {
            // Waiting is forbidden where another runtime is at work, and there is nothing to wait for.
            runtime.shutdown_background();
        }
    }
}

impl Line {
    pub(crate) fn new(address: Address) -> Result<Self, Fault> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime = runtime.map_err(|_| Fault::new(Code::StoreUnavailable, "the system gives us no event queue"))?;
        let spoken = Instant::now();
        Ok(Self { address, runtime: Some(runtime), session: None, turn: None, left: None, spoken })
    }

    /// Sees to it that there is a connection.
    pub(crate) fn connect(&mut self) -> Result<(), Fault> {
        if Handle::try_current().is_ok() {
            let detail =
                "a store that waits cannot be used inside an asynchronous task: move it to a thread of its own";
            return Err(Fault::new(Code::StoreUnavailable, detail));
        }
        self.listen();
        if self.session.is_some() {
            return Ok(());
        }
        let runtime = self.runtime.as_ref().ok_or_else(fault::lost)?;
        self.session = Some(runtime.block_on(Session::open(&self.address))?);
        self.spoken = Instant::now();
        Ok(())
    }

    /// Notices that the server hung up while nothing was said.
    fn listen(&mut self) {
        let (Some(runtime), Some(session)) = (&self.runtime, &self.session) else { return };
        if self.spoken.elapsed() > SILENCE_MAX {
            runtime.block_on(async {
                for _ in 0..3 {
                    tokio::task::yield_now().await;
                }
            });
        }
        if session.is_closed() {
            self.hang_up();
        }
    }

    /// Gives the connection up, and with it the turn.
    pub(crate) fn hang_up(&mut self) {
        if let Some(session) = self.session.take() {
            self.left = Some(session.backend.clone());
        }
        self.turn = None;
    }

    /// Asks what changes nothing: once more where the connection was lost.
    pub(crate) fn look_up(&mut self, text: &'static str, values: &Values<'_>) -> Result<Vec<Row>, Fault> {
        self.connect()?;
        match self.ask(text, values) {
            Err(Failure::Lost) => {
                self.connect()?;
                self.ask(text, values).map_err(Failure::into_fault)
            }
            answer => answer.map_err(Failure::into_fault),
        }
    }

    /// Asks once, in the open transaction if there is one.
    pub(crate) fn ask(&mut self, text: &'static str, values: &Values<'_>) -> Result<Vec<Row>, Failure> {
        self.ask_between(None, text, values, None)
    }

    /// Asks once, with something to do before and after.
    pub(crate) fn ask_between(
        &mut self,
        before: Option<&str>,
        text: &'static str,
        values: &Values<'_>,
        after: Option<&str>,
    ) -> Result<Vec<Row>, Failure> {
        let (Some(runtime), Some(session)) = (&self.runtime, &mut self.session) else { return Err(Failure::Lost) };
        let answer = runtime.block_on(session.ask_between(before, text, values, after));
        self.heard(answer)
    }

    /// Runs statements that give nothing back.
    pub(crate) fn run(&mut self, text: &str) -> Result<(), Failure> {
        let (Some(runtime), Some(session)) = (&self.runtime, &self.session) else { return Err(Failure::Lost) };
        let answer = runtime.block_on(session.run(text));
        self.heard(answer)
    }

    /// Ends the transaction that holds a turn.
    pub(crate) fn release(&mut self) {
        if self.turn.take().is_some() {
            self.give_up();
        }
    }

    /// Ends whatever transaction is open.
    pub(crate) fn give_up(&mut self) {
        if self.session.is_some() && self.run("rollback").is_err() {
            self.hang_up();
        }
    }

    fn heard<T>(&mut self, answer: Result<T, Failure>) -> Result<T, Failure> {
        self.spoken = Instant::now();
        match &answer {
            Err(Failure::Lost) => self.hang_up(),
            // The transaction is of no use any more.
            Err(_) => self.release(),
            Ok(_) => {}
        }
        answer
    }
}
