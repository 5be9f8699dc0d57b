//! A turn that is kept for a moment: it is had again without waiting for any thread, and ends by itself.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::queue::Turn;

/// Keeps one turn at a time. What is kept ends when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    /// Shared with the thread that ends turns; none before the first.
    shared: Option<Arc<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    turn: Option<(Turn, Instant)>,
    closed: bool,
}

impl Keeper {
    /// Keeps `turn` for `time`. Where there is no thread to end it, it ends now.
    pub(crate) fn keep(&mut self, turn: Turn, time: Duration) {
        if self.shared.is_none() {
            let shared = Arc::new(Shared::default());
            let same = Arc::clone(&shared);
            if thread::Builder::new().spawn(move || same.end_turns()).is_ok() {
                self.shared = Some(shared);
            }
        }
        let end = Instant::now().checked_add(time);
        if let (Some(shared), Some(end)) = (&self.shared, end) {
            shared.with(|state| state.turn = Some((turn, end)));
            shared.changed.notify_one();
        }
    }

    /// The turn, if it has not ended.
    pub(crate) fn take(&mut self) -> Option<Turn> {
        let shared = self.shared.as_ref()?;
        shared.with(|state| state.turn.take()).map(|(turn, _)| turn)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            // The turn ends here, not when the thread comes to it.
            let turn = shared.with(|state| {
                state.closed = true;
                state.turn.take()
            });
            drop(turn);
            shared.changed.notify_one();
        }
    }
}

impl Shared {
    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends turns whose time has come, until the keeper goes.
    fn end_turns(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.closed {
            let now = Instant::now();
            let left = state.turn.as_ref().map(|(_, end)| end.saturating_duration_since(now));
            state = match left {
                Some(Duration::ZERO) => {
                    state.turn = None;
                    state
                }
                Some(left) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
