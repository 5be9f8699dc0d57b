//! A process that ends at any point of a task: whoever goes on comes to the same end, and no effect happens twice.
//!
//! Between two appends a process only asks models, calls tools and computes. So it has ended at every point when it has
//! ended at every append, once before it was durable and once after. The stores' own tests do the same.

use relay_baton::baton::Id;
use relay_baton::board::Board;
use relay_baton::driver::Driver;
use relay_baton::engine::{Ending, Status};
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::port::{Toolbox as _, Word};
use relay_baton::refusal::{Code, Refused};
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};
use relay_baton::verify::Verifier;

use super::fixture::{CHARTER, SCRIPT, World, board, board_id, charter, entries, id, start, told};

/// A store whose process ends at one append.
pub(crate) struct Mortal<S> {
    pub(crate) store: S,
    pub(crate) appends: usize,
    pub(crate) dies_at: usize,
    pub(crate) is_durable: bool,
}

impl<S: Store> Store for Mortal<S> {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        self.store.head(board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        self.appends += 1;
        let dead = || AppendError::Fault(Fault::new(Code::StoreUnsettled, "the process has ended"));
        match self.appends.cmp(&self.dies_at) {
            std::cmp::Ordering::Less => self.store.append(board, expected, batch),
            std::cmp::Ordering::Equal if self.is_durable => {
                self.store.append(board, expected, batch)?;
                Err(dead())
            }
            _ => Err(dead()),
        }
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        self.store.read(board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        self.store.page(board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        self.store.load(board, slot, number_max)
    }
}

/// Opens one place anew, as each process does.
pub(crate) type Open<'o, S> = &'o mut dyn FnMut() -> S;

/// How a task came to its end.
struct Came {
    deaths: usize,
    resolved: Vec<bool>,
}

/// Carries the task out in processes that end as told, and lets kim answer whatever is asked.
fn carry_out<S: Store>(world: &mut World, open: Open<'_, S>, dies_at: usize, is_durable: bool) -> Came {
    drop(board(open()));
    let mut came = Came { deaths: 0, resolved: Vec::new() };
    let mut has_started = false;
    for _ in 0..20 {
        let dies_at = if came.deaths == 0 { dies_at } else { usize::MAX };
        let mut store = Mortal { store: open(), appends: 0, dies_at, is_durable };
        match one_process(world, &mut store, &mut has_started, &mut came.resolved) {
            Ok(Status::Over(Ending::Done)) => return came,
            Ok(Status::Waiting) => {}
            Ok(other) => panic!("{other:?}"),
            Err(refused) => {
                assert_eq!(refused.refusals()[0].code, Code::StoreUnsettled, "{refused}");
                came.deaths += 1;
            }
        }
    }
    panic!("the task has no end");
}

fn one_process<S: Store>(
    world: &mut World,
    store: &mut Mortal<S>,
    has_started: &mut bool,
    resolved: &mut Vec<bool>,
) -> Result<Status, Refused> {
    let board = Board::new(&mut *store, board_id());
    let begun = if *has_started {
        Driver::resume(board, &mut world.ports())
    } else {
        Driver::start(board, charter(CHARTER), start(), &mut world.ports())
    };
    let mut driver = match begun {
        Err(refused) if refused.refusals()[0].code == Code::RunNone => {
            *has_started = false;
            Driver::start(Board::new(&mut *store, board_id()), charter(CHARTER), start(), &mut world.ports())?
        }
        Err(refused) => {
            *has_started = true;
            return Err(refused);
        }
        Ok(driver) => driver,
    };
    *has_started = true;
    let status = driver.run(&mut world.ports())?;
    if status != Status::Waiting {
        return Ok(status);
    }
    world.decide(true);
    for call in std::mem::take(&mut world.desk.doubts) {
        if world.repeats_doubts {
            let tool = charter(CHARTER).tools[&call.tool].clone();
            world.toolbox.invoke(&call, &tool);
        }
        let happened = !world.emails.borrow().is_empty();
        resolved.push(happened);
        world.desk.say(Word::Resolved { key: call.key, by: id("kim"), happened, result: None, entry: None });
    }
    driver.run(&mut world.ports())
}

/// How many appends a task takes whose process does not end.
fn appends_of_a_whole_task<S: Store>(open: Open<'_, S>) -> usize {
    drop(board(open()));
    let mut store = Mortal { store: open(), appends: 0, dies_at: usize::MAX, is_durable: true };
    let ended = one_process(&mut World::new(SCRIPT), &mut store, &mut false, &mut Vec::new());
    assert_eq!(ended, Ok(Status::Over(Ending::Done)));
    store.appends
}

/// Ends a process at every `stride`th append, before and after it was durable. `fresh` makes a place without a board, and
/// gives what opens it.
pub(crate) fn end_at_every_append<S: Store, O: FnMut() -> S>(stride: usize, mut fresh: impl FnMut() -> O) {
    let appends = appends_of_a_whole_task(&mut fresh());
    assert!(appends > 20, "{appends}");
    let mut unsent = 0;
    for dies_at in (1..=appends).step_by(stride) {
        for is_durable in [false, true] {
            let (mut world, mut open) = (World::new(SCRIPT), fresh());
            let came = carry_out(&mut world, &mut open, dies_at, is_durable);
            assert_eq!(came.deaths, 1, "the process was to end at append {dies_at}");
            let sent = world.emails.borrow().len();
            let did_not_happen = came.resolved.contains(&false);
            assert_eq!(sent, usize::from(!did_not_happen), "append {dies_at}, durable {is_durable}");
            unsent += usize::from(did_not_happen);
            check_board(&mut world, open(), &format!("append {dies_at}, durable {is_durable}"));
        }
    }
    assert!(unsent <= 2, "{unsent}");
    assert!(unsent > 0 || stride > 1, "no process ended between the intent and the email");
}

/// Everything is on the board once, and everything was metered once.
fn check_board<S: Store>(world: &mut World, store: S, what: &str) {
    let mut board = Board::new(store, board_id());
    let said = told(&mut board);
    let count = |begin: &str| said.iter().filter(|line| line.starts_with(begin)).count();
    assert_eq!((count("fact plan"), count("fact report"), count("patch ")), (1, 1, 2), "{what}: {said:#?}");
    let engine = relay_baton::driver::load(&mut board).unwrap().unwrap();
    let account = engine.account();
    assert_eq!(world.meter.tokens_of(&id("kim")), account.spent().tokens, "{what}");
    assert_eq!(account.reserved(), relay_baton::ceiling::Amount::default(), "{what}");
    let mut verifier = Verifier::new(board.id().clone()).replaying();
    for kept in entries(&mut board) {
        verifier.push(&kept.record);
    }
    assert_eq!(verifier.finish().findings, [], "{what}");
}

/// Whether an email is sent twice somewhere if what is in doubt is repeated instead of asking people. The email is near the
/// end of the task, so the last appends come first.
pub(crate) fn a_twin_sends_twice<S: Store, O: FnMut() -> S>(mut fresh: impl FnMut() -> O) -> bool {
    (1..=appends_of_a_whole_task(&mut fresh())).rev().any(|dies_at| {
        let mut world = World::new(SCRIPT);
        world.repeats_doubts = true;
        carry_out(&mut world, &mut fresh(), dies_at, false);
        world.emails.borrow().len() == 2
    })
}
