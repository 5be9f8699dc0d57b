//! Making a history.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Expected, Which};

use super::{Did, Event, History};
use crate::entries::{all, batch, chain, draft, reference};
use crate::random::Random;
use crate::{Handle, Place};

/// Numbers of drafts that each handle may use.
const DRAFTS: u64 = 1 << 20;

pub(super) fn record(place: &dyn Place, board: &BoardId, seed: u64, threads: u64, operations: u64) -> History {
    let clock = &AtomicU64::new(0);
    let mut events: Vec<Event> = thread::scope(|scope| {
        let work = |thread: u64| {
            move || {
                let random = Random::new(seed * 1_000 + thread);
                let drafts = thread * DRAFTS;
                let store = place.open();
                let mut actor = Actor { store, board, clock, random, drafts, thread, threads, head: None };
                (0..operations).map(|_| actor.act()).collect::<Vec<_>>()
            }
        };
        let actors: Vec<_> = (0..threads).map(|thread| scope.spawn(work(thread))).collect();
        actors.into_iter().flat_map(|actor| actor.join().expect("no store panics")).collect()
    });
    events.sort_by_key(|event| event.start);
    History { events, end: all(&mut place.open(), board) }
}

/// One handle, and what it knows.
struct Actor<'a> {
    store: Handle,
    board: &'a BoardId,
    clock: &'a AtomicU64,
    random: Random,
    drafts: u64,
    thread: u64,
    threads: u64,
    head: Option<Head>,
}

impl Actor<'_> {
    fn act(&mut self) -> Event {
        let start = self.clock.fetch_add(1, Ordering::SeqCst);
        let did = match self.random.below(10) {
            0..5 => self.append(),
            5..7 => self.page(),
            7..9 => self.find(),
            _ => self.look(),
        };
        Event { start, end: self.clock.fetch_add(1, Ordering::SeqCst), did }
    }

    /// At the head that it knows, which may be stale.
    fn append(&mut self) -> Did {
        let count = 1 + self.random.below(3);
        let drafts = (0..count).map(|number| draft(self.drafts + number));
        let records = chain(self.board, self.head.clone(), drafts);
        self.drafts += count;
        let expected = self.head.clone();
        match self.store.append(self.board, &Expected::of(expected.clone()), &batch(records.clone())) {
            Ok(()) => {
                self.head = records.last().map(Record::head);
                Did::Appended(records)
            }
            Err(AppendError::Moved(told)) => {
                self.head.clone_from(&told);
                Did::Moved { records, expected, told }
            }
            Err(AppendError::Fault(fault)) if fault.code == Code::StoreUnsettled => Did::Unsettled(records),
            Err(other) => Did::Failed(format!("{other:?}")),
        }
    }

    fn page(&mut self) -> Did {
        let end = self.head.as_ref().map_or(0, |head| head.seq);
        let after = self.random.below(end + 3);
        let count_max = usize::try_from(self.random.below(40)).unwrap_or_default();
        match self.store.page(self.board, after, count_max) {
            Ok(records) => Did::Page { after, count_max, records },
            Err(fault) => Did::Failed(format!("{fault:?}")),
        }
    }

    fn find(&mut self) -> Did {
        let thread = (self.thread + self.random.below(self.threads)) % self.threads;
        // What others have appended by now is guessed by one's own pace.
        let reference = reference(thread * DRAFTS + self.random.below(self.drafts % DRAFTS + 2));
        match self.store.read(self.board, Which::Reference(&reference)) {
            Ok(record) => Did::Found { reference, record },
            Err(fault) => Did::Failed(format!("{fault:?}")),
        }
    }

    fn look(&mut self) -> Did {
        match self.store.head(self.board) {
            Ok(head) => {
                self.head.clone_from(&head);
                Did::Head(head)
            }
            Err(fault) => Did::Failed(format!("{fault:?}")),
        }
    }
}
