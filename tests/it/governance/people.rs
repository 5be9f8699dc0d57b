//! Agents that people carry out themselves; meters; and what is kept from one task to the next.

use relay_baton::baton::Id;
use relay_baton::board::Board;
use relay_baton::charter::Caller;
use relay_baton::driver::{Driver, Wanted, commit, gather, patch};
use relay_baton::engine::{Ending, Engine, Input, Message, Metering, Output, Start, Status, Usage, World as Abilities};
use relay_baton::entry::BoardId;
use relay_baton::json::{Limits, Value};
use relay_baton::memory::Memory;
use relay_baton::port::{Clock as _, Memory as _, Meter as _, Shelf, Tally};
use relay_baton::refusal::{Code, Refusal};
use relay_baton::reply::{Expected, Reply};
use relay_baton::store::Which;

use super::fixture::{CHARTER, Required, SCRIPT, World, board, charter, id, start, told};
use super::flows::run;

const COUNTER: relay_baton::count::Encoding = relay_baton::count::Encoding::O200kBase;

fn abilities<'w>() -> Abilities<'w> {
    Abilities { counter: &COUNTER, validator: Some(&Required) }
}

/// A task whose agents people start.
struct ByHand {
    board: Board<Memory>,
    engine: Engine,
    world: World,
}

impl ByHand {
    fn new() -> Self {
        let mut world = World::new(&[]);
        let start = Start { strategy: None, ..start() };
        let (engine, outputs) = Engine::start(charter(CHARTER), start, &world.clock.now(), abilities()).unwrap();
        let mut by_hand = Self { board: board(Memory::new()), engine, world };
        assert_eq!(by_hand.carry_out(outputs), []);
        by_hand
    }

    /// Does what the board can do, and gives the rest.
    fn carry_out(&mut self, outputs: Vec<Output>) -> Vec<Output> {
        let mut rest = Vec::new();
        for output in outputs {
            let input = match &output {
                Output::Record(record) => {
                    commit(&mut self.board, record).unwrap();
                    continue;
                }
                Output::Gather { run, agent, keys, fields } => {
                    let wanted = Wanted { agent, keys, fields: fields.as_deref() };
                    let shelf = &mut self.world.shelf;
                    let gathered = gather(&mut self.board, self.engine.charter(), &wanted, shelf, &COUNTER).unwrap();
                    Input::Gathered { run: *run, gathered }
                }
                Output::Patch { run, .. } => {
                    let result = patch(&mut self.board, &output, &self.world.clock.now(), &COUNTER);
                    Input::Patched { run: *run, result }
                }
                _ => {
                    rest.push(output);
                    continue;
                }
            };
            let now = self.world.clock.now();
            let more = self.engine.handle(input, &now, abilities()).unwrap();
            rest.extend(self.carry_out(more));
        }
        rest
    }

    fn enter(&mut self, caller: &Caller, agent: &str, subtask: Option<&str>) -> (Result<u64, Refusal>, Vec<Output>) {
        let now = self.world.clock.now();
        let (begun, outputs) = self.engine.step_in(caller, agent, subtask, &now, abilities());
        (begun, self.carry_out(outputs))
    }

    fn leave(&mut self, run: u64, agent: &str, text: &str) -> Result<Vec<Output>, Refusal> {
        let reply = Reply::read(text, &Limits::default(), &Expected { agent: &id(agent), request: "" });
        let (now, usage) = (self.world.clock.now(), Usage { tokens_in: 30, tokens_out: 4 });
        let outputs = self.engine.step_out(run, reply.map_err(Into::into), usage, &now, abilities())?;
        Ok(self.carry_out(outputs))
    }
}

fn ship() -> Caller {
    Caller::Strategy(id("ship"))
}

#[test]
fn a_person_carries_an_agent_out() {
    let mut task = ByHand::new();
    assert!(task.engine.is_idle());
    let (run, outputs) = task.enter(&ship(), "planner", Some("plan"));
    let run = run.unwrap();
    assert_eq!(outputs, [Output::Present { run }]);
    assert_eq!((task.engine.status(), task.engine.is_idle()), (Status::Waiting, false));
    assert_eq!(task.engine.external().collect::<Vec<u64>>(), [run]);
    let request = task.engine.request_of(run).unwrap();
    let [Message::Slice(slice)] = request.messages else { panic!("{:?}", request.messages) };
    assert_eq!(slice.data, [(id("brief"), Value::string("a login page"))]);
    assert_eq!((request.intent, request.step), ("Plan it", &id("plan")));
    let text = r#"{"output": {"steps": 1}, "baton_patch": {"current_state": ["planned by hand"]}}"#;
    assert_eq!(task.leave(run, "planner", text).unwrap(), []);
    assert!(task.engine.is_idle());
    let plan = Which::Newest { kind: &id("fact"), key: &id("plan"), before: u64::MAX };
    let plan = task.board.entry(plan).unwrap().expect("the plan is there");
    assert_eq!(plan.record.author, id("planner"));
    assert_eq!(plan.entry.draft.step, Some(id("plan")));
    assert_eq!(task.engine.account().spent().tokens, 34);
    assert_eq!(task.leave(run, "planner", text).unwrap_err().code, Code::RunNone);
    assert_eq!(task.leave(77, "planner", text).unwrap_err().code, Code::RunNone);
}

#[test]
fn a_person_starts_nobody_who_is_not_callable_and_that_is_shown() {
    let mut task = ByHand::new();
    let builder = Caller::Agent(id("builder"));
    for (caller, agent, code) in [
        (ship(), "nobody", Code::AuthorityUnknown),
        (ship(), "helper", Code::AuthorityCaller),
        (builder.clone(), "planner", Code::DelegationTarget),
        (Caller::Agent(id("planner")), "helper", Code::DelegationTarget),
    ] {
        let before = told(&mut task.board).len();
        let (begun, outputs) = task.enter(&caller, agent, None);
        assert_eq!(begun.unwrap_err().code, code, "{agent}");
        assert_eq!(outputs, []);
        let said = told(&mut task.board);
        assert!(said[before..].contains(&"trace agent_invocation_refused".to_owned()), "{said:#?}");
        assert!(task.engine.is_idle());
    }
    assert_eq!(task.engine.account().spent().spawns, 0);
    let (begun, _) = task.enter(&builder, "helper", None);
    assert!(begun.is_ok());
    assert_eq!(task.engine.account().spent().spawns, 1);
}

#[test]
fn a_person_answers_for_an_agent_and_does_not_call_its_tools() {
    let mut task = ByHand::new();
    let run = task.enter(&ship(), "planner", Some("plan")).0.unwrap();
    let calls = r#"{"tool_calls": [{"tool": "search", "arguments": 1}]}"#;
    let outputs = task.leave(run, "planner", calls).unwrap();
    let [Output::Correct { run: corrected, text }] = &outputs[..] else { panic!("{outputs:?}") };
    assert_eq!(*corrected, run);
    assert!(text.contains("authority.uses"), "{text}");
    assert!(task.world.toolbox.called.is_empty());
    assert_eq!(task.leave(run, "planner", r#"{"output": 1}"#).unwrap(), []);
    let run = task.enter(&ship(), "builder", None).0.unwrap();
    let delegates = r#"{"delegate": {"agent": "helper", "intent": "x"}}"#;
    let outputs = task.leave(run, "builder", delegates).unwrap();
    assert!(
        matches!(&outputs[..], [Output::Correct { text, .. }] if text.contains("delegation.target")),
        "{outputs:?}"
    );
    assert_eq!(task.leave(run, "builder", delegates).unwrap(), [], "the second such answer fails the run");
    assert_eq!(task.engine.agent_of(run), None);
}

#[test]
fn a_meter_counts_a_key_once_and_knows_another_call_under_it() {
    let mut tally = Tally::default();
    let usage = Usage { tokens_in: 3, tokens_out: 4 };
    let metering = Metering { key: "k".to_owned(), person: id("kim"), agent: id("planner"), usage };
    tally.record(&metering).unwrap();
    tally.record(&metering).unwrap();
    assert_eq!(tally.tokens_of(&id("kim")), 7);
    let other = Metering { agent: id("builder"), ..metering.clone() };
    assert_eq!(tally.record(&other).unwrap_err().code, Code::BoardIdempotency);
    tally.record(&Metering { key: "other".to_owned(), ..metering }).unwrap();
    assert_eq!((tally.tokens_of(&id("kim")), tally.tokens_of(&id("lee"))), (14, 0));
}

#[test]
fn what_was_not_metered_for_sure_is_metered_again_under_its_key() {
    let mut world = World::new(SCRIPT);
    let (driver, _) = run(&mut world, CHARTER);
    let keys: Vec<String> = world.meter.recorded.keys().cloned().collect();
    let spent = driver.engine().account().spent().tokens;
    // The engine has heard of the last ones only in memory; whoever goes on meters them again.
    let mut board = driver.into_board();
    let engine = relay_baton::driver::load(&mut board).unwrap().unwrap();
    let again: Vec<Output> =
        engine.outstanding().into_iter().filter(|output| matches!(output, Output::Meter(_))).collect();
    assert!(!again.is_empty());
    for output in &again {
        let Output::Meter(metering) = output else { continue };
        assert!(keys.contains(&metering.key));
        world.meter.record(metering).unwrap();
    }
    assert_eq!(world.meter.tokens_of(&id("kim")), spent);
}

/// A task that learns a lesson for later ones, where the planner needs those of earlier ones.
fn learning() -> String {
    CHARTER
        .replace(r#""report": {"readers": ["*"]}"#, r#""report": {"readers": ["*"], "recalled": true, "kept": true}"#)
        .replace(r#""needs": ["brief"]"#, r#""needs": ["brief", "report"]"#)
}

const LEARNING: &[(&str, &str)] = &[
    ("planner", r#"{"output": 1}"#),
    ("builder", r#"{"output": 2}"#),
    ("reviewer", r#"{"output": {"verdict": "keep it short"}}"#),
];

/// Runs the task on a board of its own in `store`'s place; the board and how it ended.
fn learn(world: &mut World, of: BoardId, script: &[(&str, &str)]) -> (Driver<Memory>, Status) {
    let fresh = World::new(script);
    world.model = fresh.model;
    let mut first = board(Memory::new());
    let brief = first.entry(Which::Newest { kind: &id("fact"), key: &id("brief"), before: u64::MAX }).unwrap().unwrap();
    let mut own = Board::new(Memory::new(), of.clone());
    let draft = brief.entry.draft;
    let post = relay_baton::board::Post {
        kind: draft.kind,
        key: draft.key,
        author: draft.author,
        step: None,
        at: draft.at,
        readers: draft.readers,
        data: draft.data,
        derived_from: Vec::new(),
        idempotency_key: None,
        declassify: false,
        reference: draft.reference,
    };
    own.post(&post).unwrap();
    let start = Start { board: of, ..start() };
    let mut driver = Driver::start(own, charter(&learning()), start, &mut world.ports()).unwrap();
    let status = driver.run(&mut world.ports()).unwrap();
    (driver, status)
}

fn slice_of(driver: &Driver<Memory>) -> String {
    let log: String = driver.engine().saves().log.into_iter().map(|(_, text)| text).collect();
    log.lines().next().unwrap().to_owned()
}

fn of(tenant: &str, task: &str) -> BoardId {
    BoardId { tenant: id(tenant), task: id(task) }
}

#[test]
fn what_is_kept_is_recalled_by_the_next_task_of_the_tenant_alone() {
    let mut world = World::new(&[]);
    let (driver, status) = learn(&mut world, of("acme", "one"), LEARNING);
    assert_eq!(status, Status::Over(Ending::Done));
    assert!(!slice_of(&driver).contains("keep it short"));
    let (mut driver, status) = learn(&mut world, of("acme", "two"), LEARNING);
    assert_eq!(status, Status::Over(Ending::Done));
    assert!(slice_of(&driver).contains("keep it short"), "{}", slice_of(&driver));
    // It is a fact of the second board, by which `why` finds it.
    let reports = told(driver.board()).iter().filter(|line| *line == "fact report").count();
    assert_eq!(reports, 2);
    let (driver, _) = learn(&mut world, of("other", "one"), LEARNING);
    assert!(!slice_of(&driver).contains("keep it short"));
}

#[test]
fn a_task_that_fails_keeps_nothing() {
    let mut world = World::new(&[]);
    let mut script = LEARNING.to_vec();
    script[1] = ("builder", "no answer");
    script.truncate(2);
    let (_, status) = learn(&mut world, of("acme", "one"), &script);
    assert!(matches!(status, Status::Over(Ending::Failed { .. })), "{status:?}");
    assert_eq!(world.shelf.recall(&id("acme"), &id("report")).unwrap(), None);
}

#[test]
fn what_was_to_be_kept_when_the_process_ended_is_kept_by_the_next() {
    let mut world = World::new(&[]);
    let (driver, _) = learn(&mut world, of("acme", "one"), LEARNING);
    let lost: Shelf = std::mem::take(&mut world.shelf);
    drop(lost);
    let mut driver = Driver::resume(driver.into_board(), &mut world.ports()).unwrap();
    assert_eq!(driver.run(&mut world.ports()).unwrap(), Status::Over(Ending::Done));
    let kept = world.shelf.recall(&id("acme"), &id("report")).unwrap().expect("it is kept");
    assert_eq!(relay_baton::json::compact(&kept), r#"{"verdict":"keep it short"}"#);
}

/// Agents bear names that are ids.
#[test]
fn runs_are_told_apart_by_their_numbers() {
    let mut task = ByHand::new();
    let one = task.enter(&ship(), "planner", None).0.unwrap();
    let two = task.enter(&ship(), "planner", None).0.unwrap();
    assert_ne!(one, two);
    let named: Vec<Option<&Id>> = [one, two].iter().map(|run| task.engine.agent_of(*run)).collect();
    assert_eq!(named, [Some(&id("planner")), Some(&id("planner"))]);
    assert_eq!(task.leave(two, "planner", r#"{"output": 1}"#).unwrap(), []);
    assert_eq!((task.engine.agent_of(one), task.engine.agent_of(two)), (Some(&id("planner")), None));
}
