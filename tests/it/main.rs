//! The integration tests of the library, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail loudly"
)]

mod chain;
mod conformance;
mod conformance_twins;
mod fuzz_corpus;
#[cfg(feature = "tokens")]
mod governance;
mod laws;
mod layers;
#[path = "../oracle/mod.rs"]
mod oracle;
#[cfg(feature = "schema")]
mod schema;
mod scenario;
mod scenario_store;
mod scenarios;
mod source;
mod steps;
mod validator;
mod vector;
mod vectors;
