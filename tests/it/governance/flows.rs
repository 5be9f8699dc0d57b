//! What a task comes to.

use relay_baton::driver::Driver;
use relay_baton::engine::{Ending, Status};
use relay_baton::json::compact;
use relay_baton::memory::Memory;
use relay_baton::provenance;
use relay_baton::store::Which;
use relay_baton::verify::Verifier;

use super::fixture::{CHARTER, SCRIPT, World, board, charter, entries, id, start, told};

/// The task of the fixture, run until it is over or waits.
pub(super) fn run(world: &mut World, text: &str) -> (Driver<Memory>, Status) {
    let mut driver = Driver::start(board(Memory::new()), charter(text), start(), &mut world.ports()).unwrap();
    let status = driver.run(&mut world.ports()).unwrap();
    (driver, status)
}

#[test]
fn a_task_pauses_at_the_email_and_sends_it_once() {
    let mut world = World::new(SCRIPT);
    let (driver, status) = run(&mut world, CHARTER);
    assert_eq!(status, Status::Waiting, "{:?}", told(&mut driver.into_board()));
    assert!(world.emails.borrow().is_empty());
    let (mut driver, status) = {
        let mut fresh = World::new(SCRIPT);
        let (driver, _) = run(&mut fresh, CHARTER);
        world = fresh;
        let board = driver.into_board();
        assert_eq!(world.decide(true), 1);
        let mut driver = Driver::resume(board, &mut world.ports()).unwrap();
        let status = driver.run(&mut world.ports()).unwrap();
        (driver, status)
    };
    assert_eq!(status, Status::Over(Ending::Done));
    assert_eq!(world.emails.borrow().len(), 1);
    let said = told(driver.board());
    let names = ["trace agent_invocation_authorized", "fact plan", "fact report", "trace task_finished"];
    for name in names {
        assert!(said.iter().any(|line| line == name), "{name}: {said:#?}");
    }
    assert_eq!(driver.engine().account().spent().tool_calls, 2);
    assert_eq!(driver.engine().account().spent().tokens, 8 * 110);
    assert_eq!(world.meter.tokens_of(&id("kim")), 8 * 110);
    assert_eq!(driver.engine().account().reserved().tokens, 0);
}

#[test]
fn why_walks_from_the_email_to_the_facts() {
    let mut world = World::new(SCRIPT);
    let (driver, _) = run(&mut world, CHARTER);
    let board = driver.into_board();
    world.decide(true);
    let mut driver = Driver::resume(board, &mut world.ports()).unwrap();
    driver.run(&mut world.ports()).unwrap();
    let board = driver.board();
    let email = entries(board)
        .into_iter()
        .find(|kept| compact(&kept.entry.draft.data).contains("\"sent\""))
        .expect("the email is on the board");
    let graph = provenance::walk(board, &[email.record.seq], usize::MAX).unwrap();
    let kinds: Vec<String> = graph.nodes().iter().map(|node| format!("{} {}", node.kind, node.key)).collect();
    for name in ["fact brief", "fact plan", "baton baton/0", "patch baton/2"] {
        assert!(kinds.iter().any(|kind| kind == name), "{name}: {kinds:?}");
    }
    assert!(kinds.iter().any(|kind| kind.starts_with("approval ")), "{kinds:?}");
    let mut verifier = Verifier::new(board.id().clone()).replaying();
    for kept in entries(board) {
        verifier.push(&kept.record);
    }
    assert!(verifier.finish().findings.is_empty());
}

#[test]
fn a_denial_lets_the_agent_finish_without() {
    let mut world = World::new(SCRIPT);
    let (driver, _) = run(&mut world, CHARTER);
    let board = driver.into_board();
    world.decide(false);
    let mut driver = Driver::resume(board, &mut world.ports()).unwrap();
    assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Over(Ending::Done));
    assert!(world.emails.borrow().is_empty());
    assert_eq!(driver.engine().account().spent().tool_calls, 1);
    assert_eq!(driver.engine().account().reserved().tool_calls, 0);
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let bytes = || {
        let mut world = World::new(SCRIPT);
        let (driver, _) = run(&mut world, CHARTER);
        let saves = driver.engine().saves();
        let mut board = driver.into_board();
        let lines: Vec<String> = entries(&mut board).iter().map(|kept| kept.record.to_line()).collect();
        (saves, lines)
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn an_agent_that_may_not_be_called_is_refused_before_anything_is_spent() {
    let mut world = World::new(&[
        ("planner", r#"{"output": 1}"#),
        ("builder", r#"{"delegate": {"agent": "reviewer", "intent": "x"}}"#),
        ("builder", r#"{"output": "well"}"#),
        ("reviewer", r#"{"output": {"verdict": 1}}"#),
    ]);
    let (mut driver, status) = run(&mut world, CHARTER);
    assert_eq!(status, Status::Over(Ending::Done));
    assert_eq!(driver.engine().account().spent().spawns, 0);
    let said = told(driver.board());
    for name in ["delegation_refused", "agent_invocation_refused", "failure_detected"] {
        assert!(said.contains(&format!("trace {name}")), "{name}: {said:#?}");
    }
}

#[test]
fn what_is_consumed_and_not_there_is_a_gap_that_costs_nothing() {
    let mut world = World::new(SCRIPT);
    let charter_text = CHARTER.replace("\"consumes\": [\"brief\"]", "\"consumes\": [\"brief\", \"map\"]");
    let charter_text = charter_text.replace(
        "\"brief\": {\"readers\": [\"*\"]}",
        "\"brief\": {\"readers\": [\"*\"]}, \"map\": {\"readers\": [\"*\"]}",
    );
    let charter_text = charter_text.replace("\"needs\": [\"brief\"]", "\"needs\": [\"brief\", \"map\"]");
    let (mut driver, status) = run(&mut world, &charter_text);
    assert!(matches!(status, Status::Over(Ending::Failed { .. })), "{status:?}");
    assert!(world.model.asked.is_empty());
    let said = told(driver.board());
    assert_eq!(said.iter().filter(|line| *line == "trace subtask_skipped").count(), 3, "{said:#?}");
    let spent = driver.engine().account().spent();
    assert_eq!((spent.tokens, spent.tool_calls), (0, 0));
}

#[test]
fn a_fan_out_of_twenty_fails_at_the_ceiling_of_the_task() {
    let names: Vec<String> = (1..=20).map(|number| format!("a{number}")).collect();
    let subtasks: Vec<String> =
        names.iter().map(|name| format!(r#"{{"id": "{name}", "agent": "{name}", "intent": "go"}}"#)).collect();
    let agents: Vec<String> = names
        .iter()
        .map(|name| {
            format!(
                r#""{name}": {{"responsibility": "r", "callable_by": ["strategy ship"], "limits": {{"tokens": 1400, "answer_tokens": 100}}}}"#
            )
        })
        .collect();
    let text = format!(
        r#"{{"charter": "v1", "ceilings": {{"tokens": 1500, "tool_calls": 1}},
            "strategy": {{"ship": {{"subtask": [{}]}}}}, "agent": {{{}}}}}"#,
        subtasks.join(","),
        agents.join(",")
    );
    let script: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), r#"{"output": 1}"#)).collect();
    let mut world = World::new(&script);
    let (mut driver, status) = run(&mut world, &text);
    let Status::Over(Ending::Failed { code, .. }) = status else { panic!("{status:?}") };
    assert_eq!(code, "ceiling.tokens");
    assert!(driver.engine().account().spent().tokens <= 1500);
    assert!(told(driver.board()).iter().any(|line| line == "trace ceiling_reached"));
    assert!(world.model.asked.len() < 20);
}

#[test]
fn an_output_that_breaks_its_contract_is_never_on_the_board() {
    let mut world = World::new(&[
        ("planner", r#"{"output": 1}"#),
        ("builder", r#"{"output": 2}"#),
        ("reviewer", r#"{"output": {"secret": "never seen"}, "baton_patch": {"current_state": ["x"]}}"#),
        ("reviewer", r#"{"output": {"secret": "never seen"}}"#),
    ]);
    let (mut driver, status) = run(&mut world, CHARTER);
    let Status::Over(Ending::Failed { detail, .. }) = status else { panic!("{status:?}") };
    assert!(detail.contains("review"), "{detail}");
    let board = driver.board();
    for kept in entries(board) {
        assert!(!kept.record.bytes.contains("never seen"), "{}", kept.record.bytes);
    }
    let report = board.entry(Which::Newest { kind: &id("fact"), key: &id("report"), before: u64::MAX }).unwrap();
    assert_eq!(report, None);
}

#[test]
fn another_task_may_follow_one_that_is_over_and_not_one_that_is_under_way() {
    let mut world = World::new(SCRIPT);
    let (driver, _) = run(&mut world, CHARTER);
    let board = driver.into_board();
    let again = Driver::start(board, charter(CHARTER), start(), &mut world.ports());
    assert_eq!(again.unwrap_err().refusals()[0].code.as_str(), "run.under_way");
    let mut world = World::new(&[("planner", r#"{"output": 1}"#)]);
    let (driver, status) = run(&mut world, CHARTER);
    assert!(matches!(status, Status::Over(_)), "{status:?}");
    let mut world = World::new(SCRIPT);
    let mut driver = Driver::start(driver.into_board(), charter(CHARTER), start(), &mut world.ports()).unwrap();
    assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Waiting);
}

#[test]
fn a_slice_holds_what_was_declared_and_nothing_else() {
    let mut world = World::new(SCRIPT);
    let (driver, _) = run(&mut world, CHARTER);
    let said = driver.engine().saves().log.iter().map(|(_, text)| text.clone()).collect::<String>();
    let slices: Vec<&str> = said.lines().filter(|line| line.contains("\"slice\"")).collect();
    assert_eq!(slices.len(), 4);
    assert!(slices[0].contains("a login page"));
    assert!(slices[1..].iter().all(|slice| !slice.contains("a login page")), "{slices:#?}");
    assert!(slices[1].contains("\"steps\":2"));
    assert!(slices[2].contains("\"n\":1") && !slices[2].contains("\"steps\":2"));
}
