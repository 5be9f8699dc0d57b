//! A small JSON document, the *baton*, that travels with the work through a chain of LLM agents, and the checked
//! patches that change it.
//!
//! ```text
//!  an agent's answer                                                        the next agent's prompt
//!        │                                                                            ▲
//!   [extract] ─→ [parse] ─→ [lower] ─→ [rebase] ─→ [guard] ─→ [merge] ─→ [fit] ─→ [render]
//!    text to      JSON to    proposal    older base   rules      Baton,     within    Markdown,
//!    one patch    Proposal   to plain    to newest    that can   one more   the       XML or JSON
//!                            RFC 7396    revision     refuse     revision   budget
//!        └──────────┴──────────┴──────────┴─────────────┴────────────────────┘
//!                    Refusal { code, at, detail, position }: nothing has changed
//! ```
//!
//! Each step is the module of its name, and its output is the next one's input, so that a wrong order does not compile.
//! [`relay`] is all of them in one call; start there. With the feature `tokens`:
//!
//! ```
//! # #[cfg(feature = "tokens")] {
//! use relay_baton::{attribution::Attribution, baton::{Baton, Id, Timestamp}, count::Encoding, json::Limits, relay::Relay};
//! use relay_baton::{correction::correction, instructions::Answer};
//!
//! let file = r#"{"goal": "Ship the login page", "constraints": ["No new dependencies"]}"#;
//! let answer = "Done.\n```json\n{\"baton_patch\": {\"current_state\": [\"Login built\"]}}\n```\n";
//!
//! let who = Attribution {
//!     step: Id::new("build").unwrap(),
//!     by: Id::new("builder").unwrap(),
//!     at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
//! };
//! let baton = Baton::read(file, &Limits::default()).unwrap();
//! match Relay::new(who).apply(baton, answer, &Encoding::O200kBase) {
//!     Ok(applied) => assert!(applied.document.contains("Login built")),
//!     Err(refused) => panic!("{}", correction(&refused, &Answer::default())),
//! }
//! # }
//! ```
//!
//! Where a patch is refused: `json` (it is no strict JSON), `extract` (there is none, or several), `parse` (types and
//! text), `lower` (it rewrites or removes what it may not), `rebase` (conflicts), `guard` (rules), `fit` (budget). Where
//! tokens are counted: `count` has the trait and the counters, `fit` asks them.
//!
//! The second layer is the [`board`]: the blackboard of one task of one tenant, on which every patch and every other fact is
//! an immutable, ordered [`entry`] with its author, its readers, and the entries that it was made of. A [`store`] keeps it
//! ([`memory`] is one; the crates `relay-baton-sqlite` and `relay-baton-postgres` have others). The operator works with a
//! [`board::Board`], an agent through a [`view`]; [`provenance`] and [`blame`] answer why, [`verify`] whether all of it still
//! is what was recorded.
//!
//! ```
//! # #[cfg(feature = "tokens")] {
//! use relay_baton::{attribution::Attribution, baton::{Baton, Id, Timestamp}, board::{Board, Recording, board_of}};
//! use relay_baton::{count::Encoding, entry::{Readers, Reference}, json::Limits, memory::Memory, relay::Relay};
//!
//! let file = r#"{"goal": "Ship it", "stamp": {"schema": "baton/v1", "tenant": "acme", "task": "login", "revision": 0}}"#;
//! let baton = Baton::read(file, &Limits::default()).unwrap();
//! let (by, at) = (Id::new("builder").unwrap(), Timestamp::parse("2026-01-02T03:04:05Z").unwrap());
//! let mut board = Board::new(Memory::new(), board_of(&baton).unwrap());
//! board.start(baton, &by, &at, &Reference::from_random([1; 10])).unwrap();
//!
//! // Both answers were made from revision 0.
//! for (number, step) in [(2, "build"), (3, "test")] {
//!     let who = Attribution { step: Id::new(step).unwrap(), by: by.clone(), at: at.clone() };
//!     let (derived_from, readers, reference) = (vec![], Readers::Everyone, Reference::from_random([number; 10]));
//!     let relay = Relay::new(who);
//!     let how =
//!         Recording { relay, base: Some(0), derived_from, readers, declassify: false, reference, rehearse: false };
//!     let answer = format!(r#"{{"decision_log": ["what {step} decided"], "current_state": {{"add": ["{step} done"]}}}}"#);
//!     board.apply(&how, &answer, &Encoding::O200kBase).unwrap();
//! }
//! assert_eq!(board.newest().unwrap().unwrap().baton.decisions().count(), 2);
//! # }
//! ```
//!
//! The third layer is governance: under a [`charter`], the [`engine`] carries out a task of agents on a board. Each rule is a
//! pure state machine of its own ([`authority`], [`ceiling`], [`delegation`], [`call`], [`approval`], [`contract`],
//! [`prerequisite`]) and leaves a [`trace`]; what an agent answers is a [`reply`], what the world has to do is a [`port`],
//! what people say comes over the [`desk`], and the canonical loop is the [`driver`]. Any implementation of these rules, in any
//! language, can be held to them by [`conformance`].
//!
//! ```
//! # #[cfg(feature = "tokens")] {
//! use relay_baton::{baton::{Id, Timestamp}, board::Board, charter::Charter, count::Encoding, entry::BoardId};
//! use relay_baton::{driver::{Driver, Ports}, engine::{Ending, Outcome, Start, Status, Usage}, json::Limits, memory::Memory};
//! use relay_baton::{port::{Answer, Desk, Functions, Script, Shelf, Tally, Ticks, Word}, reply::{Expected, Reply}};
//! use relay_baton::engine::Decision;
//!
//! let charter = Charter::from_json(r#"{
//!     "charter": "v1",
//!     "ceilings": {"tokens": 10000, "tool_calls": 1},
//!     "strategy": {"tell": {"subtask": [{"id": "write", "agent": "writer", "intent": "Tell ops"}]}},
//!     "agent": {"writer": {"responsibility": "writes", "callable_by": ["strategy tell"], "uses": ["tool send"]}},
//!     "tool": {"send": {"description": "sends an email"}}
//! }"#).unwrap();
//!
//! let id = |text: &str| Id::new(text).unwrap();
//! let mut model = Script::default();
//! for text in [r#"{"tool_calls": [{"tool": "send", "arguments": {"to": "ops"}}]}"#, r#"{"output": "told"}"#] {
//!     let reply = Reply::read(text, &Limits::default(), &Expected { agent: &id("writer"), request: "" });
//!     model.answer(&id("writer"), Answer::Replied(reply.map_err(Into::into), Usage { tokens_in: 90, tokens_out: 10 }));
//! }
//! let mut toolbox = Functions::default();
//! toolbox.add(&id("send"), |_| Outcome::Done(relay_baton::json::Value::string("sent")));
//! let (mut approvals, mut meter, mut memory) = (Desk::default(), Tally::default(), Shelf::default());
//! let mut clock = Ticks::from(Timestamp::parse("2026-01-02T03:04:05Z").unwrap());
//! let mut ports = Ports {
//!     model: &mut model, toolbox: &mut toolbox, approvals: &mut approvals, meter: &mut meter, memory: &mut memory,
//!     clock: &mut clock, counter: &Encoding::O200kBase, validator: None,
//! };
//!
//! // The task waits at the email. It could wait for months: all of it is on the board.
//! let board = BoardId { tenant: id("acme"), task: id("news") };
//! let start = Start {
//!     board: board.clone(),
//!     person: id("kim"),
//!     strategy: Some("tell".to_owned()),
//!     home: None,
//!     seed: "a secret word".to_owned(),
//!     after: None,
//! };
//! let mut driver = Driver::start(Board::new(Memory::new(), board), charter, start, &mut ports).unwrap();
//! assert_eq!(driver.run(&mut ports).unwrap(), Status::Waiting);
//! let waiting = driver.engine().pending().remove(0);
//!
//! let decision = Decision { by: id("kim"), granted: true, why: None };
//! let mut said = Desk::default();
//! said.say(Word::Decided { approval: waiting.id, decision, entry: None });
//! ports.approvals = &mut said;
//! let mut driver = Driver::resume(driver.into_board(), &mut ports).unwrap();
//! assert_eq!(driver.run(&mut ports).unwrap(), Status::Over(Ending::Done));
//! assert_eq!(toolbox.called.len(), 1);
//! # }
//! ```
//!
//! *Architecture invariants.* A module imports only from modules whose `mod` line stands above its own. A refusal is a
//! leaf that imports nothing. The library has no files, clock, randomness, environment, network or threads: time and
//! identity are arguments, counters and stores are traits. No step of the relay sees where a baton is kept, and no store what
//! an entry says. An agent sees a board through its view alone. Only [`merge`] writes a stamp, and
//! [`guard`] sees documents, never patches. The engine holds no port: what it wants done it says, and no agent holds
//! another, only names that the charter declares.
//!
//! Features, none of which is on by default: `tokens` has the counters that `baton-patch` uses, `tiktoken` has those of
//! tiktoken-rs, `schema` has the JSON Schemas, `toml` reads charters in TOML.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod refusal;
pub mod text;
pub mod json;
pub mod extract;
pub mod baton;
pub mod count;
pub mod attribution;
pub mod parse;
pub mod lower;
pub mod rebase;
pub mod guard;
pub mod merge;
pub mod outline;
pub mod render;
pub mod fit;
pub mod relay;
pub mod instructions;
pub mod correction;
pub mod entry;
pub mod store;
pub mod memory;
pub mod board;
pub mod view;
pub mod verify;
pub mod provenance;
pub mod blame;
pub mod trace;
pub mod charter;
pub mod authority;
pub mod ceiling;
pub mod delegation;
pub mod call;
pub mod approval;
pub mod contract;
pub mod prerequisite;
pub mod reply;
pub mod engine;
pub mod port;
pub mod driver;
pub mod desk;
pub mod conformance;

#[cfg(test)]
#[path = "fixture_test.rs"]
mod fixture;

#[cfg(feature = "schema")]
pub mod schema;
