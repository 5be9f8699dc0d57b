//! What the engine itself costs: ports in memory that answer at once, against serde_json on what the same task saves.
//!
//! An answer is some 200 bytes, a result some 600, as of a search. Every call is committed to a board in memory, which
//! reads each entry back and makes its digest anew, as the strictest of the stores.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops loudly and prints its table"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use relay_baton::baton::{Id, Timestamp};
use relay_baton::board::Board;
use relay_baton::charter::{Charter, Tool};
use relay_baton::count::Encoding;
use relay_baton::driver::{self, Driver, Ports};
use relay_baton::engine::{Ending, Invocation, Outcome, Request, Saves, Start, Status, Usage};
use relay_baton::entry::BoardId;
use relay_baton::json::{Limits, Value};
use relay_baton::memory::Memory;
use relay_baton::port::{Answer, Desk, Model, Shelf, Tally, Ticks, Toolbox};
use relay_baton::reply::{Expected, Reply};

const CHARTER: &str = r#"{
  "charter": "v1",
  "ceilings": {"tokens": 9000000000000, "tool_calls": 1000000},
  "strategy": {"search": {"subtask": [{"id": "look", "agent": "searcher", "intent": "Find out why the login fails"}]}},
  "agent": {"searcher": {"responsibility": "searches", "callable_by": ["strategy search"], "uses": ["tool search"],
    "limits": {"iterations": 1000000}}},
  "tool": {"search": {"description": "searches", "side_effects": false}}
}"#;
const PLAN: &str = "I have looked at what the last search found; none of it explains the error yet. So I look further.";
const FOUND: &str = "src/login.rs:41: the session is made before the password was checked, as the comment above says. ";

/// A model that asks for one search after another, and notes when it was asked.
struct Searcher {
    searches: usize,
    asked: Vec<Instant>,
}

impl Model for Searcher {
    fn ask(&mut self, request: &Request<'_>) -> Answer {
        self.asked.push(Instant::now());
        let next = self.asked.len();
        let text = if next > self.searches {
            r#"{"output": "found"}"#.to_owned()
        } else {
            format!(
                r#"{{"text": "{PLAN}", "tool_calls": {{"tool": "search", "arguments": {{"query": "login {next}"}}}}}}"#
            )
        };
        let expected = Expected { agent: &request.agent.name, request: "" };
        let reply = Reply::read(&text, &Limits::default(), &expected);
        Answer::Replied(reply.map_err(Into::into), Usage { tokens_in: 1000, tokens_out: 50 })
    }
}

/// A tool that finds something at once.
struct Shelves;

impl Toolbox for Shelves {
    fn invoke(&mut self, _: &Invocation, _: &Tool) -> Outcome {
        Outcome::Done(Value::string(FOUND.repeat(6)))
    }
}

/// A task that has come to its end.
struct Task {
    board: Board<Memory>,
    saves: Saves,
    /// From one model call to the next: what a model call costs with its tool call.
    of_call: Duration,
    whole: Duration,
}

fn board_id() -> BoardId {
    BoardId { tenant: Id::new("acme").unwrap(), task: Id::new("login").unwrap() }
}

fn carry_out(charter: &Charter, searches: usize) -> Task {
    let mut model = Searcher { searches, asked: Vec::with_capacity(searches + 1) };
    let (mut toolbox, mut approvals, mut meter) = (Shelves, Desk::default(), Tally::default());
    let (mut memory, mut clock) = (Shelf::default(), Ticks::from(Timestamp::parse("2026-01-02T03:04:05Z").unwrap()));
    let mut ports = Ports {
        model: &mut model,
        toolbox: &mut toolbox,
        approvals: &mut approvals,
        meter: &mut meter,
        memory: &mut memory,
        clock: &mut clock,
        counter: &Encoding::O200kBase,
        validator: None,
    };
    let start = Start {
        board: board_id(),
        person: Id::new("kim").unwrap(),
        strategy: Some("search".to_owned()),
        home: None,
        seed: "seed".to_owned(),
        after: None,
    };
    let begun = Instant::now();
    let mut driver = Driver::start(Board::new(Memory::new(), board_id()), charter.clone(), start, &mut ports).unwrap();
    let status = driver.run(&mut ports).unwrap();
    let whole = begun.elapsed();
    assert_eq!(status, Status::Over(Ending::Done));
    let saves = driver.engine().saves();
    let of_calls = model.asked[searches].duration_since(model.asked[0]);
    Task { board: driver.into_board(), saves, of_call: of_calls / u32::try_from(searches).unwrap(), whole }
}

/// What serde_json takes to read all that a task has saved, and to write it where `writes`.
fn peer(saves: &Saves, writes: bool) -> Duration {
    let begun = Instant::now();
    let lines = saves.log.iter().flat_map(|(_, text)| text.lines());
    let read = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let values: Vec<serde_json::Value> = std::iter::once(saves.state.as_str()).chain(lines).map(read).collect();
    if writes {
        values.iter().for_each(|value| drop(black_box(serde_json::to_string(value).unwrap())));
    }
    let taken = begun.elapsed();
    drop(black_box(values));
    taken
}

fn resume(mut board: Board<Memory>) -> (Board<Memory>, Duration) {
    let mut fresh = Board::new(std::mem::take(board.store()), board_id());
    let begun = Instant::now();
    let engine = driver::load(&mut fresh).unwrap().unwrap();
    let taken = begun.elapsed();
    drop(black_box(engine));
    (fresh, taken)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn tell(what: &str, (own, other): (f64, f64), of: &str, target: f64) {
    let ratio = own / other;
    let verdict = if ratio <= target { "met" } else { "missed" };
    println!("{what} {own:.1} µs, {of} {other:.1} µs: {ratio:.2} × (target {target} ×: {verdict})");
}

/// A model call and its tool call, in a run that comes to 21 messages.
fn one_call(charter: &Charter) {
    let (mut own, mut other) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    for _ in 0..1_000 {
        let task = carry_out(charter, 10);
        own.push(task.of_call);
        other.push(peer(&task.saves, true));
        bytes = task.saves.state.len() + task.saves.log.iter().map(|(_, text)| text.len()).sum::<usize>();
    }
    println!("a run of 10 model calls with a tool call each, 22 messages, {bytes} B saved");
    tell("one model call with its tool call", (median(own), median(other)), "serde_json on the saved run", 3.0);
}

/// A long task, against ten short ones for each, so that what else the machine does falls on both alike.
fn growth(charter: &Charter) {
    let (mut long, mut short) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        short.push((0..10).map(|_| carry_out(charter, 1_000).whole).sum::<Duration>() / 10);
        long.push(carry_out(charter, 10_000).whole);
    }
    tell("10,000 calls", (median(long), median(short)), "1,000 calls", 11.0);
}

fn resumption(charter: &Charter) {
    let Task { mut board, saves, .. } = carry_out(charter, 5_000);
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for _ in 0..21 {
        let taken;
        (board, taken) = resume(board);
        own.push(taken);
        other.push(peer(&saves, false));
    }
    tell("to resume a run of 10,000 messages", (median(own), median(other)), "serde_json reading it", 1.5);
}

fn main() {
    let charter = Charter::from_json(CHARTER).unwrap_or_else(|refused| panic!("{refused}"));
    carry_out(&charter, 100);
    one_call(&charter);
    growth(&charter);
    resumption(&charter);
}
