//! A task with a planner, a builder, a reviewer and an email.

use std::cell::RefCell;
use std::rc::Rc;

use relay_baton::baton::{Baton, Id, Timestamp};
use relay_baton::board::{Board, FACT, Post};
use relay_baton::charter::Charter;
use relay_baton::contract::{Validator, Violation};
use relay_baton::count::TokenCounter;
use relay_baton::driver::Ports;
use relay_baton::engine::{Decision, Outcome, Start, Usage};
use relay_baton::entry::{BoardId, Kept, Readers, Reference};
use relay_baton::json::{Limits, Value};
use relay_baton::port::{Answer, Clock as _, Desk, Functions, Script, Shelf, Tally, Ticks, Word};
use relay_baton::reply::{Expected, Reply};
use relay_baton::store::Store;

pub(crate) const CHARTER: &str = r#"{
  "charter": "v1",
  "ceilings": {"tokens": 1000000, "tool_calls": 20, "spawns": 4, "depth": 2},
  "data": {
    "brief": {"readers": ["*"]},
    "plan": {"readers": ["*"]},
    "report": {"readers": ["*"]}
  },
  "strategy": {"ship": {"subtask": [
    {"id": "plan", "agent": "planner", "intent": "Plan it", "consumes": ["brief"], "produces": "plan"},
    {"id": "build", "agent": "builder", "intent": "Build it", "consumes": ["plan"]},
    {"id": "review", "agent": "reviewer", "intent": "Review it", "after": ["build"], "produces": "report"}
  ]}},
  "agent": {
    "planner": {"responsibility": "plans", "callable_by": ["strategy ship"], "uses": ["tool search"], "needs": ["brief"],
      "writes": ["current_state", "decision_log"]},
    "builder": {"responsibility": "builds", "callable_by": ["strategy ship"], "uses": ["agent helper", "tool search"], "needs": ["plan"],
      "writes": ["current_state"]},
    "helper": {"responsibility": "helps", "callable_by": ["agent builder"]},
    "reviewer": {"responsibility": "reviews", "callable_by": ["strategy ship"], "uses": ["tool send_email"], "needs": ["plan"],
      "contract": {"type": "object", "required": ["verdict"]}, "corrections": 1}
  },
  "tool": {
    "search": {"description": "searches", "side_effects": false},
    "send_email": {"description": "sends", "approvers": ["kim"]}
  }
}"#;

/// Answers of a whole run, by agent.
pub(crate) const SCRIPT: &[(&str, &str)] = &[
    ("planner", r#"{"tool_calls": [{"tool": "search", "arguments": {"q": "login"}}]}"#),
    (
        "planner",
        r#"{"output": {"steps": 2}, "baton_patch": {"current_state": ["planned"], "decision_log": ["two steps"]}}"#,
    ),
    ("builder", r#"{"delegate": [{"agent": "helper", "intent": "lend a hand", "input": {"n": 1}}]}"#),
    ("helper", r#"{"output": "helped"}"#),
    ("builder", r#"{"output": "built", "baton_patch": {"current_state": ["built"]}}"#),
    ("reviewer", r#"{"output": {"looks": "good"}}"#),
    ("reviewer", r#"{"tool_calls": [{"tool": "send_email", "arguments": {"to": "ops"}}]}"#),
    ("reviewer", r#"{"output": {"verdict": "fine"}}"#),
];

/// A counter to which four bytes are a token.
pub(crate) struct Quarters;

impl TokenCounter for Quarters {
    fn encoding(&self) -> &str {
        "o200k_base"
    }

    fn count(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    fn adds_up_by_line(&self) -> bool {
        false
    }
}

/// A validator of `required` alone.
pub(crate) struct Required;

impl Validator for Required {
    fn check_schema(&self, _: &Value<'_>) -> Result<(), String> {
        Ok(())
    }

    fn validate(&self, schema: &Value<'_>, output: &Value<'_>) -> Result<Vec<Violation>, String> {
        let required = schema.as_object().and_then(|schema| schema.get("required")).and_then(Value::as_array);
        let names = required.unwrap_or_default().iter().filter_map(Value::as_str);
        let is_there = |name: &str| output.as_object().is_some_and(|output| output.get(name).is_some());
        let missing = names.filter(|name| !is_there(name));
        Ok(missing.map(|name| Violation { at: String::new(), detail: format!("`{name}` is missing") }).collect())
    }
}

/// The world outside of a task, which survives its processes.
pub(crate) struct World {
    pub(crate) model: Script,
    pub(crate) toolbox: Functions,
    pub(crate) desk: Desk,
    pub(crate) meter: Tally,
    pub(crate) shelf: Shelf,
    pub(crate) clock: Ticks,
    pub(crate) emails: Rc<RefCell<Vec<Value<'static>>>>,
    /// Whether calls in doubt are made again, which is wrong.
    pub(crate) repeats_doubts: bool,
}

impl World {
    pub(crate) fn new(script: &[(&str, &str)]) -> Self {
        let emails = Rc::new(RefCell::new(Vec::new()));
        let mut toolbox = Functions::default();
        toolbox.add(&id("search"), |_| Outcome::Done(Value::string("found it")));
        let sent = Rc::clone(&emails);
        toolbox.add(&id("send_email"), move |call| {
            sent.borrow_mut().push(call.arguments.clone().unwrap());
            Outcome::Done(Value::string("sent"))
        });
        let mut world = Self {
            model: Script::default(),
            toolbox,
            desk: Desk::default(),
            meter: Tally::default(),
            shelf: Shelf::default(),
            clock: Ticks::from(Timestamp::parse("2026-01-02T03:04:05Z").unwrap()),
            emails,
            repeats_doubts: false,
        };
        for (agent, text) in script {
            world.model.answer(&id(agent), answer(agent, text));
        }
        world
    }

    pub(crate) fn ports(&mut self) -> Ports<'_> {
        Ports {
            model: &mut self.model,
            toolbox: &mut self.toolbox,
            approvals: &mut self.desk,
            meter: &mut self.meter,
            memory: &mut self.shelf,
            clock: &mut self.clock,
            counter: &Quarters,
            validator: Some(&Required),
        }
    }

    /// Kim decides on everything that was put before people and is not decided yet.
    pub(crate) fn decide(&mut self, granted: bool) -> usize {
        let requests = std::mem::take(&mut self.desk.requests);
        for request in &requests {
            let decision = Decision { by: id("kim"), granted, why: (!granted).then(|| "no".to_owned()) };
            self.desk.say(Word::Decided { approval: request.id.clone(), decision, entry: None });
        }
        requests.len()
    }
}

pub(crate) fn answer(agent: &str, text: &str) -> Answer {
    let reply = Reply::read(text, &Limits::default(), &Expected { agent: &id(agent), request: "" });
    Answer::Replied(reply.map_err(Into::into), Usage { tokens_in: 100, tokens_out: 10 })
}

pub(crate) fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

pub(crate) fn board_id() -> BoardId {
    BoardId { tenant: id("acme"), task: id("login") }
}

/// A board with a baton and a brief.
pub(crate) fn board<S: Store>(store: S) -> Board<S> {
    let file =
        r#"{"goal": "Ship it", "stamp": {"schema": "baton/v1", "tenant": "acme", "task": "login", "revision": 0}}"#;
    let baton = Baton::read(file, &Limits::default()).unwrap();
    let at = Ticks::from(Timestamp::parse("2026-01-02T03:00:00Z").unwrap()).now();
    let mut board = Board::new(store, board_id());
    board.start(baton, &id("kim"), &at, &Reference::from_random([1; 10])).unwrap();
    let brief = Post {
        kind: id(FACT),
        key: id("brief"),
        author: id("kim"),
        step: None,
        at,
        readers: Readers::Everyone,
        data: Value::string("a login page"),
        derived_from: Vec::new(),
        idempotency_key: None,
        declassify: false,
        reference: Reference::from_random([2; 10]),
    };
    board.post(&brief).unwrap();
    board
}

pub(crate) fn start() -> Start {
    Start {
        board: board_id(),
        person: id("kim"),
        strategy: Some("ship".to_owned()),
        home: None,
        seed: "seed".to_owned(),
        after: None,
    }
}

pub(crate) fn charter(text: &str) -> Charter {
    Charter::from_json(text).unwrap_or_else(|refused| panic!("{refused}"))
}

/// All entries of a board.
pub(crate) fn entries<S: Store>(board: &mut Board<S>) -> Vec<Kept> {
    board.page(0, usize::MAX).unwrap()
}

/// `kind key` of all entries.
pub(crate) fn told<S: Store>(board: &mut Board<S>) -> Vec<String> {
    let draft = |kept: &Kept| format!("{} {}", kept.record.kind, kept.record.key);
    entries(board).iter().map(draft).collect()
}
