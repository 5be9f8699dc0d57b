//! What outlives the process, and where that dies.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::baton::Id;
use crate::engine::RUN;
use crate::entry::{BoardId, Head, Record};
use crate::memory::Memory;
use crate::refusal::Code;
use crate::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};

/// The name of a crash after each record.
const EVERY_RECORD: &str = "every record";

/// Whether the process is there, and where it is going to die.
#[derive(Clone, Debug, Default)]
pub(super) struct Life {
    is_over: Rc<Cell<bool>>,
    ends: Rc<RefCell<Vec<String>>>,
    records: Rc<Cell<u64>>,
}

impl Life {
    pub(super) fn that_ends(ends: Vec<String>) -> Self {
        Self { ends: Rc::new(RefCell::new(ends)), ..Self::default() }
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// The process is started again.
    pub(super) fn begin_again(&self) {
        self.is_over.set(false);
    }

    /// The process is at `point`, where it dies if it was told to, once.
    pub(super) fn reach(&self, point: &str) {
        let mut ends = self.ends.borrow_mut();
        if let Some(place) = ends.iter().position(|end| end == point) {
            self.is_over.set(true);
            if point != EVERY_RECORD {
                ends.remove(place);
            }
        }
    }

    fn recorded(&self) {
        let number = self.records.get().saturating_add(1);
        self.records.set(number);
        self.reach(&format!("record {number}"));
        self.reach(EVERY_RECORD);
    }
}

/// A store that a process which is over cannot reach.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    kept: Rc<RefCell<Memory>>,
    life: Life,
}

impl Disk {
    pub(super) fn new(life: Life) -> Self {
        Self { kept: Rc::default(), life }
    }

    fn check(&self) -> Result<(), Fault> {
        if self.life.is_over() { Err(Fault::new(Code::StoreUnavailable, "the process has ended")) } else { Ok(()) }
    }
}

impl Store for Disk {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        self.check()?;
        self.kept.borrow_mut().head(board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        self.check()?;
        self.kept.borrow_mut().append(board, expected, batch)?;
        if batch.saves.iter().any(|saved| saved.slot.as_str() == RUN) {
            self.life.recorded();
        }
        Ok(self.check()?)
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        self.check()?;
        self.kept.borrow_mut().read(board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        self.check()?;
        self.kept.borrow_mut().page(board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        self.check()?;
        self.kept.borrow_mut().load(board, slot, number_max)
    }
}
