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
//! *Architecture invariants.* A module imports only from modules whose `mod` line stands above its own. A refusal is a
//! leaf that imports nothing. The library has no files, clock, randomness, environment, network or threads: time and
//! identity are arguments, counters and stores are traits. No step of the relay sees where a baton is kept, and no store what
//! an entry says. An agent sees a board through its view alone. Only [`merge`] writes a stamp, and
//! [`guard`] sees documents, never patches.
//!
//! Features, none of which is on by default: `tokens` has the counters that `baton-patch` uses, `tiktoken` has those of
//! tiktoken-rs, `schema` has the JSON Schemas.

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

#[cfg(test)]
#[path = "fixture_test.rs"]
mod fixture;

#[cfg(feature = "schema")]
pub mod schema;
