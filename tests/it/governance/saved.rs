//! What is saved of a task is read again, whatever agents, tools and people brought; and what was damaged is refused.

use proptest::prelude::*;
use relay_baton::baton::Id;
use relay_baton::board::{Board, FACT, Post};
use relay_baton::driver::Driver;
use relay_baton::engine::{Ending, Engine, Input, Outcome, Saves, Status};
use relay_baton::entry::{BoardId, Head, Readers, Record, Reference};
use relay_baton::json::{self, Limits, Value};
use relay_baton::memory::Memory;
use relay_baton::port::{Clock as _, Word};
use relay_baton::refusal::Code;
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};

use super::adopted::adopt;
use super::fixture::{CHARTER, SCRIPT, World, board, charter, entries, id, start};
use super::flows::run;
use crate::fuzz_corpus::bodies;

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

fn deep(levels: usize) -> Value<'static> {
    json::read(&nested(levels), &Limits::default().with_depth(Limits::DEPTH_MAX)).unwrap().into_owned()
}

/// The task is read again as it was saved.
fn reads_again(driver: &Driver<Memory>) {
    let saves = driver.engine().saves();
    let engine = Engine::load(charter(CHARTER), saves.clone()).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(engine.saves(), saves);
}

#[test]
fn answers_that_are_nested_deep_are_kept_or_refused() {
    for levels in [90, 99, 100, 101, 110, 116, 118, 120, 122, 124, 126] {
        let value = nested(levels);
        for (agent, text) in [
            ("planner", format!(r#"{{"output": {value}}}"#)),
            ("planner", format!(r#"{{"tool_calls": [{{"tool": "search", "arguments": {value}}}]}}"#)),
            ("builder", format!(r#"{{"delegate": [{{"agent": "helper", "intent": "x", "input": {value}}}]}}"#)),
        ] {
            let mut script = vec![(agent, text.as_str())];
            script.extend(SCRIPT.iter().filter(|(_, text)| !text.contains("delegate")));
            let mut world = World::new(&script);
            let (driver, _) = run(&mut world, CHARTER);
            reads_again(&driver);
        }
    }
}

#[test]
fn results_that_are_nested_deep_are_kept_or_told_of() {
    for (levels, is_kept) in [(100, true), (101, false), (500, false), (1000, false)] {
        let mut world = World::new(SCRIPT);
        world.toolbox.add(&id("search"), move |_| Outcome::Done(deep(levels)));
        let (mut driver, status) = run(&mut world, CHARTER);
        assert_eq!(status, Status::Waiting);
        reads_again(&driver);
        let told = entries(driver.board()).iter().any(|kept| kept.record.bytes.contains("nested too deep"));
        assert_eq!(told, !is_kept, "{levels}");
    }
}

#[test]
fn a_fact_that_is_nested_too_deep_fails_the_run_that_needs_it() {
    for (levels, is_given) in [(100, true), (101, false), (1000, false)] {
        let mut world = World::new(SCRIPT);
        let mut board = board(Memory::new());
        let brief = Post {
            kind: id(FACT),
            key: id("brief"),
            author: id("kim"),
            step: None,
            at: world.clock.now(),
            readers: Readers::Everyone,
            data: deep(levels),
            derived_from: Vec::new(),
            idempotency_key: None,
            declassify: false,
            reference: Reference::from_random([9; 10]),
        };
        board.post(&brief).unwrap();
        let mut driver = Driver::start(board, charter(CHARTER), start(), &mut world.ports()).unwrap();
        let status = driver.run(&mut world.ports()).unwrap();
        reads_again(&driver);
        assert_eq!(status == Status::Waiting, is_given, "{levels}: {status:?}");
        assert_eq!(world.model.asked.is_empty(), !is_given);
    }
}

/// The task of the fixture, with its email in doubt.
fn in_doubt() -> (World, Driver<Memory>) {
    let mut world = World::new(SCRIPT);
    world.toolbox.add(&id("send_email"), |_| Outcome::Unknown("the line went dead".to_owned()));
    let (mut driver, _) = run(&mut world, CHARTER);
    assert_eq!(world.decide(true), 1);
    assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Waiting);
    assert_eq!(driver.engine().doubts().len(), 1);
    (world, driver)
}

#[test]
fn a_result_that_a_person_knows_is_kept_or_told_of() {
    for (levels, is_kept) in [(100, true), (101, false), (1000, false)] {
        let (mut world, mut driver) = in_doubt();
        let key = driver.engine().doubts()[0].key.clone();
        let result = Some(deep(levels));
        world.desk.say(Word::Resolved { key, by: id("kim"), happened: true, result, entry: None });
        assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Over(Ending::Done));
        reads_again(&driver);
        let told = entries(driver.board()).iter().any(|kept| kept.record.bytes.contains("nested too deep"));
        assert_eq!(told, !is_kept, "{levels}");
    }
}

/// Saves of the fixture's task: while it waits for approval, while its email is in doubt, and when it is over.
fn all_saves() -> Vec<Saves> {
    let mut world = World::new(SCRIPT);
    let (mut driver, _) = run(&mut world, CHARTER);
    let waiting = driver.engine().saves();
    world.decide(true);
    driver.run(&mut world.ports()).unwrap();
    vec![waiting, in_doubt().1.engine().saves(), driver.engine().saves()]
}

#[test]
fn another_charter_is_told_apart() {
    let other = charter(&CHARTER.replace("\"tool_calls\": 20", "\"tool_calls\": 21"));
    for saves in all_saves() {
        let refusal = Engine::load(other.clone(), saves).unwrap_err();
        assert_eq!(refusal.code, Code::AuthorityCharter, "{refusal}");
    }
}

#[test]
fn damaged_saves_are_refused() {
    let damage: &[fn(&mut Saves)] = &[
        |saves| saves.state = saves.state.replace("run/v1", "run/v2"),
        |saves| saves.state.clear(),
        |saves| saves.state.truncate(saves.state.len() / 2),
        |saves| saves.state.push('x'),
        |saves| saves.state = "null".to_owned(),
        |saves| saves.state = saves.state.replace("\"progress\":[", "\"progress\":[{\"status\":\"waiting\"},"),
        |saves| {
            saves.state = saves.state.replace("\"agent\":\"reviewer\",\"caller\"", "\"agent\":\"nobody\",\"caller\"")
        },
        |saves| saves.state = saves.state.replace("\"strategy\":\"ship\"", "\"strategy\":\"sink\""),
        |saves| saves.log.clear(),
        |saves| drop(saves.log.pop()),
        |saves| saves.log.push((1000, "{}\n".to_owned())),
        |saves| {
            let text = &mut saves.log[0].1;
            text.truncate(text.len() - 10);
        },
        |saves| {
            let second = saves.log[0].1.split_once('\n').unwrap().1.to_owned();
            saves.log[0].1 = second;
        },
    ];
    for (place, damage) in damage.iter().enumerate() {
        for (which, saves) in all_saves().into_iter().enumerate() {
            let mut damaged = saves.clone();
            damage(&mut damaged);
            if damaged == saves {
                assert_eq!((place, which), (6, 2), "the damage does nothing");
                continue;
            }
            let refusal = Engine::load(charter(CHARTER), damaged).map(|_| ()).unwrap_err();
            assert_eq!(refusal.code, Code::StoreDamaged, "{place}: {refusal}");
            assert!(!refusal.detail.contains('\n'));
        }
    }
}

#[test]
fn a_board_whose_saves_are_damaged_says_so_and_does_not_begin_another_task() {
    let mut world = World::new(SCRIPT);
    let (driver, _) = run(&mut world, CHARTER);
    let mut store = driver.into_board().store().clone();
    let mut saves = Saves::read(&mut store, &super::fixture::board_id()).unwrap().unwrap();
    saves.state.truncate(40);
    let slot = id(relay_baton::engine::RUN);
    let head = Store::head(&mut store, &super::fixture::board_id()).unwrap();
    let saved = Saved { slot, number: 1 << 40, bytes: saves.state };
    let batch = Batch { saves: vec![saved], ..Default::default() };
    let expected = Expected::of(head);
    Store::append(&mut store, &super::fixture::board_id(), &expected, &batch).unwrap();
    let board = || Board::new(store.clone(), super::fixture::board_id());
    for refused in [
        Driver::resume(board(), &mut world.ports()).map(|_| ()).unwrap_err(),
        Driver::start(board(), charter(CHARTER), start(), &mut world.ports()).map(|_| ()).unwrap_err(),
    ] {
        assert_eq!(refused.refusals()[0].code, Code::StoreDamaged, "{refused}");
    }
}

#[test]
fn what_was_not_damaged_goes_on() {
    for saves in all_saves() {
        let mut engine = Engine::load(charter(CHARTER), saves.clone()).unwrap();
        let mut world = World::new(SCRIPT);
        let now = world.clock.now();
        let validator = Some(&super::fixture::Required as _);
        let counter = &relay_baton::count::Encoding::O200kBase;
        let world = relay_baton::engine::World { counter, validator };
        assert_eq!(engine.handle(Input::Tick, &now, world).unwrap(), []);
        assert_eq!(engine.handle(Input::Resumed, &now, world).unwrap(), []);
        assert_eq!(engine.saves(), saves);
        assert!(bodies::load_engine(text_of(&saves).as_bytes()), "the fuzz target's body reads what was saved");
    }
}

/// The charter, the state and the log as the fuzz target takes them.
fn text_of(saves: &Saves) -> String {
    let charter = charter(CHARTER);
    let log: String = saves.log.iter().map(|(_, text)| text.as_str()).collect();
    format!("{}\n{}\n{log}", json::compact(&charter.document), saves.state)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn bytes_that_were_damaged_are_refused_or_harmless(
        which in 0..3_usize,
        damages in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..4),
    ) {
        let saves = SAVES.with(|saves| saves.get_or_init(all_saves)[which].clone());
        let mut bytes = text_of(&saves).into_bytes();
        let charter = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for (at, how, byte) in damages {
            let at = charter + at.index(bytes.len() - charter);
            match how {
                0 => bytes[at] = byte,
                1 => bytes[at] = b"0123456789\"{}[],:ntf"[usize::from(byte) % 20],
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
            if bytes.len() <= charter {
                break;
            }
        }
        bodies::load_engine(&bytes);
    }
}

thread_local! {
    static SAVES: std::cell::OnceCell<Vec<Saves>> = const { std::cell::OnceCell::new() };
}

/// A store in which a driver saves another state while the first is being read.
struct Passing {
    before: Memory,
    after: Memory,
    /// Reads that still see the old state.
    left: usize,
}

impl Passing {
    fn now(&mut self) -> &mut Memory {
        if self.left == 0 {
            return &mut self.after;
        }
        self.left -= 1;
        &mut self.before
    }
}

impl Store for Passing {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        self.now().head(board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        self.now().append(board, expected, batch)
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        self.now().read(board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        self.now().page(board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        self.now().load(board, slot, number_max)
    }
}

#[test]
fn whoever_reads_while_a_task_goes_on_reads_one_moment_of_it() {
    let mut world = World::new(SCRIPT);
    let (driver, _) = run(&mut world, CHARTER);
    let before = driver.into_board().store().clone();
    world.decide(true);
    let mut driver =
        Driver::resume(Board::new(before.clone(), super::fixture::board_id()), &mut world.ports()).unwrap();
    driver.run(&mut world.ports()).unwrap();
    let after = driver.into_board().store().clone();
    one_moment(&before, &after);
}

#[test]
fn whoever_reads_while_a_charter_is_adopted_reads_the_old_or_the_new() {
    let mut world = World::new(SCRIPT);
    let (driver, _) = run(&mut world, CHARTER);
    let before = driver.into_board().store().clone();
    let mut board = Board::new(before.clone(), super::fixture::board_id());
    adopt(&mut board, &CHARTER.replace("\"tool_calls\": 20", "\"tool_calls\": 21")).unwrap();
    one_moment(&before, board.store());
}

/// Loads the task while it goes from one state to the other after any number of reads.
fn one_moment(before: &Memory, after: &Memory) {
    let mut versions = Vec::new();
    for left in 0..30 {
        let store = Passing { before: before.clone(), after: after.clone(), left };
        let loaded = relay_baton::driver::load(&mut Board::new(store, super::fixture::board_id()));
        let engine = loaded.unwrap_or_else(|refused| panic!("after {left} reads: {refused}")).expect("there is a task");
        versions.push(engine.version());
    }
    assert!(versions.is_sorted_by(|one, two| one >= two), "{versions:?}");
    versions.dedup();
    assert_eq!(versions.len(), 2, "it was read before and after");
}
