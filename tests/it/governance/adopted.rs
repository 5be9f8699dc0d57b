//! A task that goes on under another charter.

use relay_baton::baton::Timestamp;
use relay_baton::board::Board;
use relay_baton::desk::{self, Said};
use relay_baton::driver::{Driver, commit, load};
use relay_baton::engine::{Ending, Engine, Input, Output, Status, World as Abilities};
use relay_baton::entry::Reference;
use relay_baton::memory::Memory;
use relay_baton::refusal::{Code, Refused};

use super::fixture::{CHARTER, Required, SCRIPT, World, charter, id, told};
use super::flows::run;

fn now() -> Timestamp {
    Timestamp::parse("2026-01-02T03:10:00Z").unwrap()
}

fn abilities<'w>() -> Abilities<'w> {
    Abilities { counter: &relay_baton::count::Encoding::O200kBase, validator: Some(&Required) }
}

/// Adopts a charter, and puts that on the board.
pub(super) fn adopt(board: &mut Board<Memory>, text: &str) -> Result<Engine, Refused> {
    let mut engine = load(board).unwrap().unwrap();
    let before = engine.saves();
    let outputs = match engine.adopt(charter(text), &now(), abilities()) {
        Ok(outputs) => outputs,
        Err(refused) => {
            assert_eq!(engine.saves(), before, "a charter that was refused changes nothing");
            return Err(refused);
        }
    };
    assert!(matches!(&outputs[0], Output::Record(_)));
    for output in &outputs {
        if let Output::Record(record) = output {
            commit(board, record).unwrap();
        }
    }
    Ok(engine)
}

fn decide(board: &mut Board<Memory>, approval: &Reference, number: u8) -> Result<(), Code> {
    let said = Said { by: &id("kim"), at: &now(), reference: &Reference::from_random([number; 10]) };
    desk::decide(board, approval, (true, None), &said).map(|_| ()).map_err(|refused| refused.refusals()[0].code)
}

/// The board of the fixture's task at its email, and the name of the approval.
fn at_the_email(world: &mut World, text: &str) -> (Board<Memory>, Reference) {
    let (driver, status) = run(world, text);
    assert_eq!(status, Status::Waiting);
    let approval = driver.engine().pending()[0].id.clone();
    (driver.into_board(), approval)
}

/// Hears what people said on the board, and goes on.
fn go_on(world: &mut World, mut board: Board<Memory>) -> (Driver<Memory>, Status) {
    let engine = load(&mut board).unwrap().unwrap();
    for word in desk::words(&mut board, &engine).unwrap() {
        world.desk.say(word);
    }
    let mut driver = Driver::resume(board, &mut world.ports()).unwrap();
    let status = driver.run(&mut world.ports()).unwrap();
    (driver, status)
}

#[test]
fn what_was_approved_under_the_old_charter_is_asked_anew() {
    let mut world = World::new(SCRIPT);
    let (mut board, old) = at_the_email(&mut world, CHARTER);
    decide(&mut board, &old, 101).unwrap();
    let changed = CHARTER.replace("\"description\": \"sends\"", "\"description\": \"sends to anybody\"");
    let mut engine = adopt(&mut board, &changed).unwrap();
    let new = engine.pending()[0].id.clone();
    assert_ne!(new, old);
    assert_eq!(engine.charter().digest, charter(&changed).digest);
    let decision = relay_baton::engine::Decision { by: id("kim"), granted: true, why: None };
    let late = Input::Decided { approval: old.clone(), decision, entry: None };
    assert_eq!(engine.handle(late, &now(), abilities()).unwrap_err().code, Code::ApprovalUnknown);
    let (driver, status) = go_on(&mut world, board);
    assert_eq!(status, Status::Waiting, "the old word counts for nothing");
    assert!(world.emails.borrow().is_empty());
    let mut board = driver.into_board();
    assert_eq!(decide(&mut board, &old, 102), Err(Code::ApprovalVoid));
    decide(&mut board, &new, 103).unwrap();
    let (mut driver, status) = go_on(&mut world, board);
    assert_eq!(status, Status::Over(Ending::Done));
    assert_eq!(world.emails.borrow().len(), 1);
    assert!(told(driver.board()).contains(&"trace charter_changed".to_owned()));
}

/// The charter of the fixture without the email.
pub(super) fn without_email() -> String {
    CHARTER
        .replace(r#""uses": ["tool send_email"], "#, "")
        .replace(
            "\"search\": {\"description\": \"searches\", \"side_effects\": false},",
            "\"search\": {\"description\": \"searches\", \"side_effects\": false}",
        )
        .replace(r#""send_email": {"description": "sends", "approvers": ["kim"]}"#, "")
}

#[test]
fn a_tool_that_is_gone_is_denied_and_its_approval_refused() {
    let mut world = World::new(SCRIPT);
    let (mut board, old) = at_the_email(&mut world, CHARTER);
    let engine = adopt(&mut board, &without_email()).unwrap();
    assert!(engine.pending().is_empty());
    assert_eq!(decide(&mut board, &old, 101), Err(Code::AuthorityUnknown));
    let (driver, status) = go_on(&mut world, board);
    assert_eq!(status, Status::Over(Ending::Done));
    assert!(world.emails.borrow().is_empty());
    assert_eq!(driver.engine().account().reserved().tool_calls, 0);
}

#[test]
fn a_run_whose_agent_may_no_longer_be_called_fails() {
    let with_email = |callable: &str| {
        CHARTER
            .replace(
                r#""responsibility": "helps", "callable_by": ["agent builder"]"#,
                &format!(r#""responsibility": "helps", "callable_by": [{callable}], "uses": ["tool send_email"]"#),
            )
            .replace(r#""uses": ["agent helper", "tool search"]"#, r#""uses": ["agent helper", "tool send_email"]"#)
    };
    let script = [
        ("planner", r#"{"output": 1}"#),
        ("builder", r#"{"delegate": {"agent": "helper", "intent": "tell ops"}}"#),
        ("helper", r#"{"tool_calls": [{"tool": "send_email"}]}"#),
        ("builder", r#"{"output": "without help"}"#),
        ("reviewer", r#"{"output": {"verdict": "fine"}}"#),
    ];
    let mut world = World::new(&script);
    let (mut board, old) = at_the_email(&mut world, &with_email(r#""agent builder""#));
    let changed = with_email(r#""agent planner""#)
        .replace(r#""uses": ["agent helper", "tool send_email"]"#, r#""uses": ["tool send_email"]"#)
        .replace(
            r#""uses": ["tool search"], "needs": ["brief"]"#,
            r#""uses": ["agent helper", "tool search"], "needs": ["brief"]"#,
        );
    adopt(&mut board, &changed).unwrap();
    assert_eq!(decide(&mut board, &old, 101), Err(Code::ApprovalVoid));
    let (mut driver, status) = go_on(&mut world, board);
    assert_eq!(status, Status::Over(Ending::Done));
    assert!(world.emails.borrow().is_empty());
    let said = told(driver.board());
    assert!(said.contains(&"trace agent_invocation_refused".to_owned()), "{said:#?}");
}

#[test]
fn ceilings_below_what_is_spent_are_refused() {
    let mut world = World::new(SCRIPT);
    let (mut board, _) = at_the_email(&mut world, CHARTER);
    for (of, to, code) in [
        ("\"tokens\": 1000000", "\"tokens\": 500", Code::CeilingTokens),
        ("\"tool_calls\": 20", "\"tool_calls\": 1", Code::CeilingToolCalls),
    ] {
        let changed = CHARTER.replace(of, to);
        assert_ne!(changed, CHARTER);
        let refused = adopt(&mut board, &changed).unwrap_err();
        assert_eq!(refused.refusals()[0].code, code, "{refused}");
    }
    let exactly = CHARTER.replace("\"tool_calls\": 20", "\"tool_calls\": 2").replace("\"spawns\": 4", "\"spawns\": 1");
    assert_eq!(adopt(&mut board, &exactly).unwrap().account().limits().tool_calls, 2);
}

#[test]
fn another_strategy_or_an_unchecked_contract_is_refused() {
    let mut world = World::new(SCRIPT);
    let (mut board, _) = at_the_email(&mut world, CHARTER);
    let renamed = CHARTER.replace("{\"ship\"", "{\"sink\"").replace("strategy ship", "strategy sink");
    let fewer = CHARTER.replace("{\"id\": \"build\"", "{\"id\": \"make\"").replace("[\"build\"]", "[\"make\"]");
    for changed in [renamed, fewer] {
        let refused = adopt(&mut board, &changed).unwrap_err();
        assert_eq!(refused.refusals()[0].code, Code::AuthorityUnknown, "{refused}");
    }
    let mut engine = load(&mut board).unwrap().unwrap();
    let blind = Abilities { validator: None, ..abilities() };
    let refused = engine.adopt(charter(CHARTER), &now(), blind).unwrap_err();
    assert_eq!(refused.refusals()[0].code, Code::ContractValidator, "{refused}");
}
