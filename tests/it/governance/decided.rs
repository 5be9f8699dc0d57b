//! People's words at the desk: every refusal, and nothing on the board of what was refused.

use relay_baton::baton::Timestamp;
use relay_baton::board::Board;
use relay_baton::desk::{self, Said};
use relay_baton::driver::Driver;
use relay_baton::engine::{Ending, Input, Outcome, Status};
use relay_baton::entry::{Kept, Reference};
use relay_baton::json::Value;
use relay_baton::memory::Memory;
use relay_baton::port::Word;
use relay_baton::refusal::{Code, Refused};

use super::fixture::{CHARTER, SCRIPT, World, entries, id};
use super::flows::run;

/// Words of people, each with an entry of its own.
struct People {
    board: Board<Memory>,
    at: Timestamp,
    words: u8,
}

impl People {
    fn of(board: Board<Memory>) -> Self {
        Self { board, at: moment("2026-01-02T03:05:00Z"), words: 0 }
    }

    /// What came of a word; nothing is on the board where it was refused, or had been said before.
    fn say<T>(
        &mut self,
        by: &str,
        word: impl FnOnce(&mut Board<Memory>, &Said<'_>) -> Result<T, Refused>,
    ) -> Result<T, Code> {
        self.words += 1;
        let (by, reference) = (id(by), Reference::from_random([200 + self.words; 10]));
        let before = self.board.head().unwrap();
        let came = word(&mut self.board, &Said { by: &by, at: &self.at, reference: &reference });
        if came.is_err() {
            assert_eq!(self.board.head().unwrap(), before);
        }
        came.map_err(|refused| refused.refusals()[0].code)
    }

    fn decide(&mut self, by: &str, approval: &Reference, granted: bool) -> Result<Kept, Code> {
        self.say(by, |board, said| desk::decide(board, approval, (granted, None), said))
    }

    fn resolve(&mut self, by: &str, key: &str, happened: bool, result: Option<&str>) -> Result<Kept, Code> {
        let result = result.map(|text| Value::string(text.to_owned()));
        self.say(by, |board, said| desk::resolve(board, &id(key), (happened, result.as_ref()), said))
    }
}

fn moment(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// The fixture's task at its email, and the name of the approval.
fn at_the_email(text: &str) -> (World, Driver<Memory>, Reference) {
    let mut world = World::new(SCRIPT);
    let (driver, status) = run(&mut world, text);
    assert_eq!(status, Status::Waiting);
    let approval = world.desk.requests[0].id.clone();
    (world, driver, approval)
}

/// Anybody may decide, for an hour.
fn lenient() -> String {
    CHARTER.replace(r#""approvers": ["kim"]"#, r#""approval_minutes": 60"#)
}

#[test]
fn a_word_on_what_was_never_asked_is_refused() {
    let (_, driver, _) = at_the_email(CHARTER);
    let mut people = People::of(driver.into_board());
    let nothing = Reference::from_random([77; 10]);
    assert_eq!(people.decide("kim", &nothing, true), Err(Code::ApprovalUnknown));
    assert_eq!(people.resolve("kim", "sha256:none", true, None), Err(Code::ApprovalUnknown));
}

#[test]
fn agents_and_whoever_is_no_approver_may_not_decide() {
    let (_, driver, approval) = at_the_email(CHARTER);
    let mut people = People::of(driver.into_board());
    for by in ["lee", "Kim", "helper", "HELPER", "reviewer", "relay-baton"] {
        assert_eq!(people.decide(by, &approval, true), Err(Code::ApprovalApprover), "{by}");
    }
    let (_, driver, approval) = at_the_email(&lenient());
    let mut people = People::of(driver.into_board());
    for by in ["helper", "Builder", "relay-baton", "Relay-Baton"] {
        assert_eq!(people.decide(by, &approval, true), Err(Code::ApprovalApprover), "{by}");
    }
    people.decide("lee", &approval, true).unwrap();
}

#[test]
fn the_same_word_again_is_the_first_and_another_one_comes_too_late() {
    for granted in [true, false] {
        let (mut world, driver, approval) = at_the_email(&lenient());
        let mut people = People::of(driver.into_board());
        let first = people.decide("kim", &approval, granted).unwrap();
        assert_eq!(first.record.author, id("kim"));
        assert_eq!(people.decide("kim", &approval, granted).unwrap().record, first.record);
        assert_eq!(people.decide("kim", &approval, !granted), Err(Code::ApprovalDecided));
        assert_eq!(people.decide("lee", &approval, granted), Err(Code::ApprovalDecided));
        let engine = relay_baton::driver::load(&mut people.board).unwrap().unwrap();
        let words = desk::words(&mut people.board, &engine).unwrap();
        let [Word::Decided { decision, entry, .. }] = &words[..] else { panic!("{words:?}") };
        assert_eq!((decision.granted, entry.as_ref()), (granted, Some(&first.record.reference)));
        words.into_iter().for_each(|word| world.desk.say(word));
        let mut driver = Driver::resume(people.board, &mut world.ports()).unwrap();
        assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Over(Ending::Done));
        assert_eq!(world.emails.borrow().len(), usize::from(granted));
        let mut people = People::of(driver.into_board());
        assert_eq!(people.decide("kim", &approval, granted).unwrap().record, first.record);
        assert_eq!(people.decide("lee", &approval, granted), Err(Code::ApprovalDecided));
    }
}

#[test]
fn it_can_be_decided_up_to_its_moment_and_not_at_it() {
    let (_, mut driver, approval) = at_the_email(&lenient());
    let until = moment(driver.engine().pending()[0].expires_at.as_ref().unwrap());
    let board = || Board::new(driver.board().store().clone(), super::fixture::board_id());
    let mut board = board;
    let mut people = People { at: until.clone(), ..People::of(board()) };
    assert_eq!(people.decide("kim", &approval, true), Err(Code::ApprovalExpired));
    assert_eq!(people.decide("kim", &approval, false), Err(Code::ApprovalExpired));
    // An hour after the request is one second too late, as the moment itself is.
    let before = moment(&until.as_str().replace("04:", "03:"));
    let mut people = People { at: before, ..People::of(board()) };
    people.decide("kim", &approval, true).unwrap();
}

#[test]
fn what_has_expired_in_the_engine_is_told_as_expired() {
    let (mut world, mut driver, approval) = at_the_email(&lenient());
    world.clock.pass(3600);
    driver.feed(Input::Tick, &mut world.ports()).unwrap();
    assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Over(Ending::Done));
    assert!(world.emails.borrow().is_empty());
    let mut people = People::of(driver.into_board());
    assert_eq!(people.decide("kim", &approval, true), Err(Code::ApprovalExpired));
}

/// The fixture's task with its email in doubt, and the key of the call.
fn in_doubt(text: &str) -> (World, Driver<Memory>, String) {
    let mut world = World::new(SCRIPT);
    world.toolbox.add(&id("send_email"), |_| Outcome::Unknown("the line went dead".to_owned()));
    let (mut driver, _) = run(&mut world, text);
    world.decide(true);
    assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Waiting);
    let key = driver.engine().doubts()[0].key.as_str().to_owned();
    (world, driver, key)
}

#[test]
fn what_became_of_a_call_is_said_once() {
    for happened in [true, false] {
        let (mut world, driver, key) = in_doubt(&lenient());
        let mut people = People::of(driver.into_board());
        for by in ["helper", "Reviewer", "relay-baton"] {
            assert_eq!(people.resolve(by, &key, happened, None), Err(Code::ApprovalApprover), "{by}");
        }
        let first = people.resolve("kim", &key, happened, Some("it is there")).unwrap();
        assert_eq!(people.resolve("kim", &key, happened, Some("it is there")).unwrap().record, first.record);
        assert_eq!(people.resolve("kim", &key, !happened, Some("it is there")), Err(Code::ApprovalDecided));
        assert_eq!(people.resolve("kim", &key, happened, None), Err(Code::ApprovalDecided));
        assert_eq!(people.resolve("lee", &key, happened, Some("it is there")), Err(Code::ApprovalDecided));
        let engine = relay_baton::driver::load(&mut people.board).unwrap().unwrap();
        let words = desk::words(&mut people.board, &engine).unwrap();
        let [Word::Resolved { happened: said, result, .. }] = &words[..] else { panic!("{words:?}") };
        assert_eq!((*said, result.as_ref()), (happened, Some(&Value::string("it is there"))));
        words.into_iter().for_each(|word| world.desk.say(word));
        let mut driver = Driver::resume(people.board, &mut world.ports()).unwrap();
        assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Over(Ending::Done));
        let spent = driver.engine().account().spent().tool_calls;
        assert_eq!(spent, 1 + u64::from(happened));
    }
}

#[test]
fn only_a_call_in_doubt_is_resolved() {
    let (mut world, driver, _) = at_the_email(CHARTER);
    world.decide(true);
    let mut driver = Driver::resume(driver.into_board(), &mut world.ports()).unwrap();
    driver.run(&mut world.ports()).unwrap();
    let calls: Vec<Kept> = entries(driver.board()).into_iter().filter(|kept| kept.record.kind == id("call")).collect();
    assert!(calls.len() >= 2, "an intent and its end");
    let mut people = People::of(driver.into_board());
    let key = calls.iter().find(|kept| kept.record.bytes.contains("send_email")).unwrap().record.key.clone();
    assert_eq!(people.resolve("kim", key.as_str(), true, None), Err(Code::CallState));
    let search = calls.iter().find(|kept| kept.record.bytes.contains("search")).unwrap().record.key.clone();
    assert_eq!(people.resolve("kim", search.as_str(), false, None), Err(Code::CallState));
}

#[test]
fn a_call_in_doubt_whose_tool_is_gone_is_resolved_by_any_person() {
    let (mut world, driver, key) = in_doubt(CHARTER);
    let mut board = driver.into_board();
    super::adopted::adopt(&mut board, &super::adopted::without_email()).unwrap();
    let mut people = People::of(board);
    for by in ["helper", "Reviewer", "relay-baton"] {
        assert_eq!(people.resolve(by, &key, true, None), Err(Code::ApprovalApprover), "{by}");
    }
    people.resolve("lee", &key, true, None).unwrap();
    let engine = relay_baton::driver::load(&mut people.board).unwrap().unwrap();
    desk::words(&mut people.board, &engine).unwrap().into_iter().for_each(|word| world.desk.say(word));
    let mut driver = Driver::resume(people.board, &mut world.ports()).unwrap();
    assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Over(Ending::Done));
}

/// The engine holds whoever drives it to the same.
#[test]
fn the_engine_takes_no_word_of_an_agent_on_what_became_of_a_call() {
    let (mut world, mut driver, key) = in_doubt(CHARTER);
    for by in ["reviewer", "lee", "relay-baton"] {
        let word = Word::Resolved { key: id(&key), by: id(by), happened: false, result: None, entry: None };
        world.desk.say(word);
        assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Waiting, "{by}");
        assert_eq!(driver.engine().doubts().len(), 1);
    }
    world.desk.say(Word::Resolved { key: id(&key), by: id("kim"), happened: true, result: None, entry: None });
    assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Over(Ending::Done));
}
