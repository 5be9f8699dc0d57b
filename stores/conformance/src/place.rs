//! Where a store is, and the handles on it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use relay_baton::baton::Id;
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};

/// One handle on a store; each thread has its own.
pub type Handle = Box<dyn Store + Send>;

/// A place with one store in it, empty at first, which may go when this is dropped.
pub trait Place: Sync {
    /// One more handle on the store, as another process would open it.
    fn open(&self) -> Handle;
}

/// A store that several handles share by a lock: how a store of one process becomes one of several threads.
#[derive(Debug, Default)]
pub struct Shared<S>(Arc<Mutex<S>>);

impl<S> Clone for Shared<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Shared<S> {
    /// The store, while nobody else has it.
    pub fn lock(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Store> Store for Shared<S> {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        self.lock().head(board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        self.lock().append(board, expected, batch)
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        self.lock().read(board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        self.lock().page(board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        self.lock().load(board, slot, number_max)
    }
}
