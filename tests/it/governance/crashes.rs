//! The campaign of processes that end, and several that go on with one task at once, over the store in memory.

use std::sync::{Arc, Mutex};

use relay_baton::baton::Id;
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::memory::Memory;
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};

use super::campaign::{a_twin_sends_twice, end_at_every_append};
use super::race::two_go_on_and_a_person_decides;

/// One store of several handles.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Memory>>);

impl Store for Shared {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        self.0.lock().unwrap().head(board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        self.0.lock().unwrap().append(board, expected, batch)
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        self.0.lock().unwrap().read(board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        self.0.lock().unwrap().page(board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        self.0.lock().unwrap().load(board, slot, number_max)
    }
}

fn fresh() -> impl FnMut() -> Shared {
    let shared = Shared::default();
    move || shared.clone()
}

#[test]
fn a_process_that_ends_at_any_append_is_taken_over_and_nothing_happens_twice() {
    end_at_every_append(1, fresh);
}

/// A twin that repeats what is in doubt instead of asking people sends the email twice, and the same campaign sees it.
#[test]
fn a_twin_that_repeats_calls_in_doubt_is_caught() {
    assert!(a_twin_sends_twice(fresh));
}

#[test]
fn of_two_that_go_on_one_wins_each_record_and_no_word_is_lost() {
    for _ in 0..5 {
        let shared = Shared::default();
        two_go_on_and_a_person_decides(&|| shared.clone());
    }
}
