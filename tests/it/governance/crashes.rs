//! A process that ends at any point of a task: whoever goes on comes to the same end, and no effect happens twice.
//!
//! Between two appends a process only asks models, calls tools and computes. So it has ended at every point when it has
//! ended at every append, once before it was durable and once after.

use relay_baton::baton::Id;
use relay_baton::driver::Driver;
use relay_baton::engine::{Ending, Status};
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::memory::Memory;
use relay_baton::port::{Toolbox as _, Word};
use relay_baton::refusal::{Code, Refused};
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};
use relay_baton::verify::Verifier;

use super::fixture::{CHARTER, SCRIPT, World, board, charter, entries, id, start, told};

/// A store whose process ends at one append.
pub(super) struct Mortal {
    pub(super) store: Memory,
    pub(super) appends: usize,
    pub(super) dies_at: usize,
    pub(super) is_durable: bool,
}

impl Store for Mortal {
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

/// How a task came to its end.
struct Came {
    store: Memory,
    deaths: usize,
    resolved: Vec<bool>,
}

/// Carries the task out in processes that end as told, and lets kim answer whatever is asked.
fn carry_out(world: &mut World, dies_at: usize, is_durable: bool) -> Came {
    let store = board(Memory::new()).store().clone();
    let mut came = Came { store, deaths: 0, resolved: Vec::new() };
    let mut has_started = false;
    for process in 0..20 {
        let dies_at = if process == 0 || came.deaths == 0 { dies_at } else { usize::MAX };
        let mut store = Mortal { store: came.store.clone(), appends: 0, dies_at, is_durable };
        let ended = one_process(world, &mut store, &mut has_started, &mut came.resolved);
        came.store = store.store;
        match ended {
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

fn one_process(
    world: &mut World,
    store: &mut Mortal,
    has_started: &mut bool,
    resolved: &mut Vec<bool>,
) -> Result<Status, Refused> {
    let board = relay_baton::board::Board::new(&mut *store, super::fixture::board_id());
    let begun = if *has_started {
        Driver::resume(board, &mut world.ports())
    } else {
        Driver::start(board, charter(CHARTER), start(), &mut world.ports())
    };
    let mut driver = match begun {
        Err(refused) if refused.refusals()[0].code == Code::RunNone => {
            *has_started = false;
            let board = relay_baton::board::Board::new(&mut *store, super::fixture::board_id());
            Driver::start(board, charter(CHARTER), start(), &mut world.ports())?
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

fn appends_of_a_whole_task() -> usize {
    let mut world = World::new(SCRIPT);
    let mut store =
        Mortal { store: board(Memory::new()).store().clone(), appends: 0, dies_at: usize::MAX, is_durable: true };
    one_process(&mut world, &mut store, &mut false, &mut Vec::new()).unwrap();
    store.appends
}

#[test]
fn a_process_that_ends_at_any_append_is_taken_over_and_nothing_happens_twice() {
    let appends = appends_of_a_whole_task();
    assert!(appends > 20, "{appends}");
    let mut unsent = 0;
    for dies_at in 1..=appends {
        for is_durable in [false, true] {
            let mut world = World::new(SCRIPT);
            let came = carry_out(&mut world, dies_at, is_durable);
            assert_eq!(came.deaths, 1, "the process was to end at append {dies_at}");
            let sent = world.emails.borrow().len();
            let did_not_happen = came.resolved.contains(&false);
            assert_eq!(sent, usize::from(!did_not_happen), "append {dies_at}, durable {is_durable}");
            unsent += usize::from(did_not_happen);
            let mut board = relay_baton::board::Board::new(came.store, super::fixture::board_id());
            let said = told(&mut board);
            let plans = said.iter().filter(|line| *line == "fact plan").count();
            let reports = said.iter().filter(|line| *line == "fact report").count();
            let patches = said.iter().filter(|line| line.starts_with("patch ")).count();
            assert_eq!((plans, reports, patches), (1, 1, 2), "append {dies_at}, durable {is_durable}: {said:#?}");
            let mut verifier = Verifier::new(board.id().clone()).replaying();
            for kept in entries(&mut board) {
                verifier.push(&kept.record);
            }
            assert!(verifier.finish().findings.is_empty());
        }
    }
    assert!(unsent > 0, "no process ended between the intent and the email");
    assert!(unsent <= 2, "{unsent}");
}

/// A twin that repeats what is in doubt instead of asking people sends the email twice, and the same campaign sees it.
#[test]
fn a_twin_that_repeats_calls_in_doubt_is_caught() {
    let mut sent_most = 0;
    for dies_at in 1..=appends_of_a_whole_task() {
        let mut world = World::new(SCRIPT);
        world.repeats_doubts = true;
        carry_out(&mut world, dies_at, false);
        sent_most = sent_most.max(world.emails.borrow().len());
    }
    assert_eq!(sent_most, 2);
}
